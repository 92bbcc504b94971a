"""The routes of conversation memory, as its seed names them. Importing this needs the extra `server`."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Final, Literal

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from recollect.base import errors
from recollect.base.clock import Clock
from recollect.base.errors import InvalidInput, RecollectError
from recollect.conversation.memories import Memories
from recollect.http import shapes

STATUSES: Final = {
    errors.InvalidInput.code: 422,
    errors.NotFound.code: 404,
    errors.Conflict.code: 409,
    errors.Busy.code: 503,
    errors.OverBudget.code: 507,
    errors.Unavailable.code: 503,
    errors.MissingExtra.code: 501,
    errors.Unsupported.code: 501,
    errors.Corrupt.code: 500,
    errors.Forbidden.code: 403,
}
"""By the error's `code`; anything else is 500."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "::1")
MemoryId = Annotated[int, Path(ge=1, lt=2**63)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TurnBody(_Body):
    """What POST /turns takes."""

    session_id: str = Field(min_length=1)
    role: Literal["user", "assistant"]
    text: str = Field(min_length=1)
    auto_extract: bool = True


class MemoryBody(_Body):
    """What POST /memories takes."""

    content: str = Field(min_length=1)
    importance: int = Field(default=0, ge=0, le=1)
    tags: list[str] = Field(default_factory=list)


class ChangeBody(_Body):
    """What PATCH /memories/{id} takes; at least one of them."""

    status: Literal["active", "archived", "deleted"] | None = None
    content: str | None = Field(default=None, min_length=1)
    tags: list[str] | None = None


class SweepBody(_Body):
    """What POST /gc may take; a body is not needed."""

    dry_run: bool = False
    purge: bool = False


def create_app(
    memories: Memories, *, clock: Clock, token: str | None = None, hosts: Sequence[str] = LOOPBACK
) -> FastAPI:
    """The application. With a token every request must carry it; without, only local names are answered."""
    app = FastAPI(title="Recollect", description="Conversation memory.")
    _guard(app, token, tuple(host.lower() for host in hosts))
    _report_errors(app)

    @app.post("/turns")
    def add_turn(body: TurnBody) -> dict[str, Any]:
        """Write a turn, and what it tells into the memories."""
        talk = memories.conversation(body.session_id)
        return shapes.turn_report(talk.add_turn(body.role, body.text, extract=body.auto_extract))

    @app.get("/context")
    def context(
        session_id: Annotated[str, Query(min_length=1)],
        k: Annotated[int, Query(ge=1, le=1000)] = 20,
        query: str | None = None,
        exclude_pii: bool = False,
    ) -> dict[str, Any]:
        """The last turns, the strongest memories, and the long-term ones that matter."""
        talk = memories.conversation(session_id)
        return shapes.context(talk.context(k, query=query or None, exclude_pii=exclude_pii))

    @app.post("/memories", status_code=201)
    def remember(body: MemoryBody) -> dict[str, Any]:
        """Keep a memory."""
        return shapes.memory(memories.remember(body.content, importance=body.importance, tags=body.tags))

    @app.get("/memories")
    def list_memories(
        layer: Literal["mid", "long"] | None = None,
        q: str = "",
        limit: Annotated[int, Query(ge=1, le=1000)] = 50,
        status: Literal["active", "archived", "deleted"] = "active",
        sort: Literal["score", "created", "last_seen", "hits", "id"] = "score",
        exclude_pii: bool = False,
    ) -> dict[str, Any]:
        """Memories that answer, or all, the strongest first."""
        if q.strip():
            return shapes.found(memories.search(q, layer=layer, limit=limit, exclude_pii=exclude_pii))
        return shapes.found(
            memories.list(layer=layer, status=status, sort=sort, limit=limit, exclude_pii=exclude_pii)
        )

    @app.patch("/memories/{memory_id}")
    def change(memory_id: MemoryId, body: ChangeBody) -> dict[str, Any]:
        """Change status, wording or tags."""
        if body.status is None and body.content is None and body.tags is None:
            raise InvalidInput("The body changes nothing.", hint="Give status, content or tags.")
        return shapes.memory(
            memories.update(memory_id, status=body.status, content=body.content, tags=body.tags)
        )

    @app.post("/gc")
    def gc(body: SweepBody | None = None) -> dict[str, Any]:
        """Score, promote, clean up."""
        given = body or SweepBody()
        return shapes.sweep(memories.gc(clock.now(), dry_run=given.dry_run, purge=given.purge))

    @app.get("/memories/{memory_id}/why")
    def why(memory_id: MemoryId) -> dict[str, Any]:
        """Why a memory stands where it stands."""
        return shapes.why(memories.why(memory_id, now=clock.now()))

    return app


def _guard(app: FastAPI, token: str | None, hosts: tuple[str, ...]) -> None:
    @app.middleware("http")
    async def guard(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
        if token is not None:
            given = request.headers.get("authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
                return _answer(401, "forbidden", "A token is required.", "Send Authorization: Bearer ….")
        elif _host(request.headers.get("host", "")) not in hosts:
            # A page elsewhere may have pointed its own name at this machine.
            return _answer(403, "forbidden", "This host name is not served.", "Ask for 127.0.0.1.")
        return await call(request)


def _report_errors(app: FastAPI) -> None:
    @app.exception_handler(RecollectError)
    def known(request: Request, error: RecollectError) -> Response:
        return _answer(STATUSES.get(error.code, 500), error.code, error.message, error.hint)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        fields = [{"field": _field(item["loc"]), "message": str(item["msg"])} for item in error.errors()]
        message = "; ".join(f"{item['field']}: {item['message']}" for item in fields)
        return _answer(422, InvalidInput.code, message, None, fields=fields)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        code = "not_found" if error.status_code == 404 else "invalid_input"
        return _answer(error.status_code, code, str(error.detail), None)

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        return _answer(500, "error", f"Unexpected {type(error).__name__}.", None)


def _answer(status: int, code: str, message: str, hint: str | None, **more: Any) -> JSONResponse:
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint, **more}}, status)


def _field(location: Sequence[Any]) -> str:
    """The name of what was wrong, without where in the request it stood."""
    names = [str(part) for part in location]
    return ".".join(names[1:]) or names[0] if names else "request"


def _host(header: str) -> str:
    name = header.strip().lower()
    if name.startswith("["):
        return name.partition("]")[0] + "]"
    return name.partition(":")[0]
