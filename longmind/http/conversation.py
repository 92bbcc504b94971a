"""The routes of conversation memory, as its seed names them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from longmind.base.errors import InvalidInput
from longmind.http import shapes
from longmind.http.service import Service
from longmind.operations.values import plain

MemoryId = Annotated[int, Path(ge=1, lt=2**63)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TurnBody(_Body):
    """What POST /turns takes."""

    session_id: str = Field(min_length=1)
    role: Literal["user", "assistant", "system", "tool"]
    text: str = Field(min_length=1)
    auto_extract: bool = True
    user: str | None = None


class ChatBody(_Body):
    """What POST /add takes: a chat's own list of messages."""

    messages: list[dict[str, Any]]
    session: str = Field(default="chat", min_length=1)
    extract: bool = True
    space: str | None = None
    user: str | None = None


class MemoryBody(_Body):
    """What POST /memories takes."""

    content: str = Field(min_length=1)
    importance: int = Field(default=0, ge=0, le=1)
    tags: list[str] = Field(default_factory=list)
    user: str | None = None


class ChangeBody(_Body):
    """What PATCH /memories/{id} takes; at least one of them."""

    status: Literal["active", "archived", "deleted"] | None = None
    content: str | None = Field(default=None, min_length=1)
    tags: list[str] | None = None
    user: str | None = None


class SweepBody(_Body):
    """What POST /gc may take; a body is not needed."""

    dry_run: bool = False
    purge: bool = False
    user: str | None = None


def conversation_routes(service: Service) -> APIRouter:
    """Turns, context, memories, gc and why, each where the seed has it.

    Each is an operation under another address, so that keys allow the same as under its own.
    """
    router = APIRouter(tags=["conversation"])
    _add_writes(router, service)
    _add_reads(router, service)
    return router


def _add_writes(router: APIRouter, service: Service) -> None:
    @router.post("/turns")
    async def add_turn(request: Request, body: TurnBody) -> dict[str, Any]:
        """Write a turn, and what it tells into the memories."""
        inputs = {"extract": body.auto_extract, **body.model_dump(include={"role", "text", "user"})}
        inputs["session"] = body.session_id
        return await service.answer(request, "turns.add", inputs, shapes.turn_report)

    @router.post("/add")
    async def add(request: Request, body: ChatBody) -> dict[str, Any]:
        """Take in a chat's messages; what is there already is not written twice."""
        return await service.answer(request, "add", body.model_dump(), plain)

    @router.post("/memories", status_code=201)
    async def remember(request: Request, body: MemoryBody) -> dict[str, Any]:
        """Keep a memory."""
        return await service.answer(request, "memories.remember", body.model_dump(), shapes.memory)

    @router.patch("/memories/{memory_id}")
    async def change(request: Request, memory_id: MemoryId, body: ChangeBody) -> dict[str, Any]:
        """Change status, wording or tags."""
        changes = body.model_dump(exclude_none=True)
        if not changes:
            raise InvalidInput("The body changes nothing.", hint="Give status, content or tags.")
        inputs = {"memory_id": memory_id, **changes}
        return await service.answer(request, "memories.update", inputs, shapes.memory)

    @router.post("/gc")
    async def gc(request: Request, body: SweepBody | None = None) -> dict[str, Any]:
        """Score, promote, clean up."""
        inputs = (body or SweepBody()).model_dump()
        return await service.answer(request, "memories.gc", inputs, shapes.sweep)


def _add_reads(router: APIRouter, service: Service) -> None:
    @router.get("/context")
    async def context(
        request: Request,
        session_id: Annotated[str, Query(min_length=1)],
        k: Annotated[int, Query(ge=1, le=1000)] = 20,
        query: str | None = None,
        exclude_pii: bool = False,
        user: str | None = None,
    ) -> dict[str, Any]:
        """The last turns, the strongest memories, and the long-term ones that matter."""
        inputs = {"session": session_id, "k": k, "query": query or None, "exclude_pii": exclude_pii}
        return await service.answer(request, "turns.context", {**inputs, "user": user}, shapes.context)

    @router.get("/memories")
    async def list_memories(
        request: Request,
        layer: Literal["mid", "long"] | None = None,
        q: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        status: Literal["active", "archived", "deleted"] = "active",
        sort: Literal["score", "created", "last_seen", "hits", "id"] = "score",
        exclude_pii: bool = False,
        user: str | None = None,
    ) -> dict[str, Any]:
        """Memories that answer, or all, the strongest first."""
        inputs: dict[str, Any] = {"layer": layer, "limit": limit, "exclude_pii": exclude_pii, "user": user}
        if q.strip():
            return await service.answer(request, "memories.search", {**inputs, "query": q}, shapes.memories)
        inputs |= {"status": status, "sort": sort}
        return await service.answer(request, "memories.list", inputs, shapes.memories)

    @router.get("/memories/{memory_id}/why")
    async def why(request: Request, memory_id: MemoryId, user: str | None = None) -> dict[str, Any]:
        """Why a memory stands where it stands."""
        inputs = {"memory_id": memory_id, "now": service.memory.store.clock.now(), "user": user}
        return await service.answer(request, "memories.why", inputs, shapes.why)
