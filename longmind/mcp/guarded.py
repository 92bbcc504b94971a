"""The MCP application behind the same guard as the other server, with sessions that belong to their key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longmind.access.guard import Guard, Limits, grant_of
from longmind.access.keyring import KeyRing
from longmind.access.metrics import Metrics
from longmind.access.origins import OriginCheck
from longmind.access.perform import Gateway
from longmind.access.refusals import refusal

_SESSION: Final = "mcp-session-id"
_METRICS: Final = "/metrics"
_MOST_SESSIONS: Final = 10_000


def guarded(
    app: ASGIApp, *, ring: KeyRing, gateway: Gateway, metrics: Metrics, origins: Sequence[str]
) -> ASGIApp:
    """The application with the guard in front, and pages of these origins allowed to use it."""
    allowed = OriginCheck(origins)
    # Answers are streams without an end, so that only the way in has a time limit.
    limits = Limits(seconds=None, at_once=256)
    shown = _WithMetrics(_OwnSessions(app), metrics)
    wrapped: ASGIApp = Guard(shown, ring=ring, gateway=gateway, hosts=None, origins=allowed, limits=limits)
    if allowed.allowed:
        wrapped = CORSMiddleware(
            wrapped,
            allow_origins=allowed.allowed,
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=(
                "Authorization",
                "Content-Type",
                "Last-Event-ID",
                "Mcp-Protocol-Version",
                _SESSION,
            ),
            expose_headers=(_SESSION, "Retry-After"),
        )
    return wrapped


class _WithMetrics:
    """Answers GET /metrics itself."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and (scope["method"], scope["path"]) == ("GET", _METRICS)
        if is_asked and self._metrics.registry is not None:
            await self._metrics.page(grant_of(scope))(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _OwnSessions:
    """A session answers only the key that began it, whoever else knows its id.

    A session of another key is answered as one that does not exist, so that the client begins its own.
    """

    def __init__(self, app: ASGIApp, *, most: int = _MOST_SESSIONS) -> None:
        self._app = app
        self._most = most
        self._owners: OrderedDict[str, str | None] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        key_id = grant_of(scope).key_id
        session = Headers(scope=scope).get(_SESSION)
        if session is not None and not self._is_own(session, key_id):
            await refusal(404, "not_found", "The session is unknown.", "Begin a new one.")(
                scope, receive, send
            )
            return

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                began = Headers(raw=message["headers"]).get(_SESSION)
                if began is not None and began not in self._owners:
                    self._owners[began] = key_id
                    while len(self._owners) > self._most:
                        self._owners.popitem(last=False)
            await send(message)

        await self._app(scope, receive, noting)

    def _is_own(self, session: str, key_id: str | None) -> bool:
        """Not where the owner is no longer known: then the client is told to begin another one."""
        if session not in self._owners or self._owners[session] != key_id:
            return False
        self._owners.move_to_end(session)  # those that are not used are forgotten first
        return True
