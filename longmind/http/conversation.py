"""The routes of conversation memory, as its seed names them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from longmind.base.errors import InvalidInput
from longmind.base.times import Clock
from longmind.conversation.chats import add_messages
from longmind.conversation.memories import Memories
from longmind.http import shapes
from longmind.operations.values import plain

MemoryId = Annotated[int, Path(ge=1, lt=2**63)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TurnBody(_Body):
    """What POST /turns takes."""

    session_id: str = Field(min_length=1)
    role: Literal["user", "assistant"]
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


def conversation_routes(memories: Memories, clock: Clock) -> APIRouter:
    """Turns, context, memories, gc and why, each where the seed has it."""
    router = APIRouter(tags=["conversation"])
    _add_writes(router, memories, clock)
    _add_reads(router, memories, clock)
    return router


def _add_writes(router: APIRouter, memories: Memories, clock: Clock) -> None:
    @router.post("/turns")
    def add_turn(body: TurnBody) -> dict[str, Any]:
        """Write a turn, and what it tells into the memories."""
        talk = memories.conversation(body.session_id, user=body.user)
        return shapes.turn_report(talk.add_turn(body.role, body.text, extract=body.auto_extract))

    @router.post("/add")
    def add(body: ChatBody) -> dict[str, Any]:
        """Take in a chat's messages; what is there already is not written twice."""
        talk = memories.conversation(body.session, space=body.space, user=body.user)
        answer: dict[str, Any] = plain(add_messages(talk, body.messages, extract=body.extract))
        return answer

    @router.post("/memories", status_code=201)
    def remember(body: MemoryBody) -> dict[str, Any]:
        """Keep a memory."""
        return shapes.memory(
            memories.remember(body.content, importance=body.importance, tags=body.tags, user=body.user)
        )

    @router.patch("/memories/{memory_id}")
    def change(memory_id: MemoryId, body: ChangeBody) -> dict[str, Any]:
        """Change status, wording or tags."""
        if body.status is None and body.content is None and body.tags is None:
            raise InvalidInput("The body changes nothing.", hint="Give status, content or tags.")
        return shapes.memory(
            memories.update(
                memory_id, status=body.status, content=body.content, tags=body.tags, user=body.user
            )
        )

    @router.post("/gc")
    def gc(body: SweepBody | None = None) -> dict[str, Any]:
        """Score, promote, clean up."""
        options = body or SweepBody()
        return shapes.sweep(
            memories.gc(clock.now(), dry_run=options.dry_run, purge=options.purge, user=options.user)
        )


def _add_reads(router: APIRouter, memories: Memories, clock: Clock) -> None:
    @router.get("/context")
    def context(
        session_id: Annotated[str, Query(min_length=1)],
        k: Annotated[int, Query(ge=1, le=1000)] = 20,
        query: str | None = None,
        exclude_pii: bool = False,
        user: str | None = None,
    ) -> dict[str, Any]:
        """The last turns, the strongest memories, and the long-term ones that matter."""
        talk = memories.conversation(session_id, user=user)
        return shapes.context(talk.context(k, query=query or None, exclude_pii=exclude_pii))

    @router.get("/memories")
    def list_memories(
        layer: Literal["mid", "long"] | None = None,
        q: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        status: Literal["active", "archived", "deleted"] = "active",
        sort: Literal["score", "created", "last_seen", "hits", "id"] = "score",
        exclude_pii: bool = False,
        user: str | None = None,
    ) -> dict[str, Any]:
        """Memories that answer, or all, the strongest first."""
        if q.strip():
            return shapes.memories(
                memories.search(q, layer=layer, limit=limit, exclude_pii=exclude_pii, user=user)
            )
        return shapes.memories(
            memories.list(
                layer=layer, status=status, sort=sort, limit=limit, exclude_pii=exclude_pii, user=user
            )
        )

    @router.get("/memories/{memory_id}/why")
    def why(memory_id: MemoryId, user: str | None = None) -> dict[str, Any]:
        """Why a memory stands where it stands."""
        return shapes.why(memories.why(memory_id, now=clock.now(), user=user))
