"""Who may ask, from where, how much at once, how large and how long: checked before a route is reached."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longmind.access.grants import OWNER, Denied, Grant
from longmind.access.keyring import KeyRing, TooOften
from longmind.access.origins import LOOPBACK, OriginCheck, check_content_type, host_name
from longmind.access.perform import Gateway
from longmind.access.refusals import refusal
from longmind.access.statuses import DENIED

GRANT: Final = "longmind.grant"
BODY_BYTES: Final = "longmind.body_bytes"
"""Where a request's scope says what its sender may do, and how large its body is."""

_BODY_SECONDS: Final = 60.0
"""For a whole body, where a request as such may take any time."""
_ARRIVING: Final = 2
"""Bodies that may be on their way, for each request that may be in progress."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take, and how many there may be."""

    body_bytes: int = 16 * 2**20
    seconds: float | None = 60.0
    """For a whole request; None where answers may be streams without an end."""
    at_once: int = 64
    """Requests in progress; further ones are told to come back."""
    queue: int | None = None
    """Requests that may wait for a worker: so many reads, and so many writes. By default half of `at_once`,
    so that neither kind can take all places from the other."""
    workers: int = 4
    """Requests worked on at the same time. More would only take turns, each with a connection of its own."""
    lasting: int = 2
    """Of those that may take minutes; they have workers of their own, so that the others need not wait."""
    large_bytes: int = 2**18
    """From this size on, a body is long work: what it holds is read, embedded and indexed for seconds."""
    idle_seconds: float = 10.0
    """A body must go on arriving: the longest pause in it."""

    @property
    def waiting(self) -> int:
        """How many requests of one kind may wait."""
        return max(1, self.at_once // 2) if self.queue is None else self.queue


class Guard:
    """Middleware. It lets a request through with what its sender may do, and with its body complete."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        ring: KeyRing,
        gateway: Gateway,
        hosts: Sequence[str] | None = LOOPBACK,
        origins: OriginCheck | None = None,
        limits: Limits | None = None,
        open_paths: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._ring = ring
        self._gateway = gateway
        # None: whoever is behind the guard knows its own names.
        self._hosts = None if hosts is None else tuple(host.lower() for host in hosts)
        self._origins = origins or OriginCheck()
        self._limits = limits or Limits()
        self._open_paths = tuple(open_paths)
        self._arriving = 0
        self._running = 0
        self._overdue: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            scope[GRANT] = self._grant(scope)
            body = await self._body(scope, receive)
            if self._running >= self._limits.at_once and scope["path"] not in self._open_paths:
                raise Denied("busy", "Too many requests at once.", hint="Try again soon.")
        except Denied as denied:
            self._gateway.denied(denied.reason)
            await _refused(denied)(scope, receive, send)
            return
        except _Gone:
            return
        scope[BODY_BYTES] = len(body)
        await self._bounded(scope, _replayed(body, receive), send)

    def _grant(self, scope: Scope) -> Grant:
        headers = Headers(scope=scope)
        if "content-length" in headers and "transfer-encoding" in headers:
            # A proxy in front may believe the one where this server believes the other, and pass on the rest
            # of a body as somebody else's request.
            raise Denied("framing", "The body has two ends.", hint="Send a length, or chunks, and not both.")
        name = host_name(headers.get("host", ""))
        if self._ring.is_open and self._hosts is not None and name not in self._hosts:
            # A page elsewhere may have pointed its own name at this machine.
            raise Denied("host", "This host name is not served.", hint="Ask for 127.0.0.1.")
        self._origins.check(scope["method"], headers)
        if scope["path"] in self._open_paths:
            return _NOBODY
        grant = self._ring.grant(headers.get("authorization", ""))
        check_content_type(scope["method"], headers)
        return grant

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body. Who sends slowly takes no place from those in progress."""
        if self._arriving >= _ARRIVING * self._limits.at_once:
            raise Denied("busy", "Too many requests at once.", hint="Try again soon.")
        self._arriving += 1
        try:
            return await _Body(self._limits).read(Headers(scope=scope), receive)
        finally:
            self._arriving -= 1

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = _Answered(send)
        work = asyncio.create_task(self._run(scope, receive, answered))
        try:
            await asyncio.wait({work}, timeout=self._limits.seconds)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.done():
            await work
            return
        # A thread cannot be stopped: what was begun ends on its own, and counts as running until then.
        answered.is_over = True
        self._overdue.add(work)
        work.add_done_callback(self._end)
        if not answered.begun:
            late = f"It took longer than {self._limits.seconds:g} seconds, and may still be done."
            await refusal(504, "over_budget", late, "Ask for less at once.")(scope, receive, send)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._running += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1

    def _end(self, work: asyncio.Task[None]) -> None:
        self._overdue.discard(work)
        with suppress(asyncio.CancelledError):
            work.exception()  # nobody waits for it any more


_NOBODY: Final = Grant(())
"""Who asks whether the server is there: no space, and nothing but that."""


def grant_of(scope: Any) -> Grant:
    """What the sender of a request may do. Without a guard in front there are no keys."""
    grant: Grant = scope.get(GRANT, OWNER)
    return grant


def _refused(denied: Denied) -> Response:
    """The same shape for every refusal, with the headers that its status asks for."""
    status = DENIED.get(denied.reason, 403)
    codes = {
        400: "invalid_input",
        413: "invalid_input",
        415: "invalid_input",
        408: "over_budget",
        429: "busy",
        503: "busy",
    }
    seconds = {429: denied.seconds if isinstance(denied, TooOften) else 1, 503: 1}.get(status)
    answer = refusal(
        status,
        codes.get(status, denied.code),
        denied.message,
        denied.hint,
        retry=seconds,
        reason=denied.reason,
    )
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    if status in (400, 408, 413):
        answer.headers["Connection"] = "close"  # the rest of the body is not read
    return answer


class _Gone(Exception):
    """The client hung up."""


class _Body:
    """The whole body, before anything is done with it.

    A route would hold a worker while it waits for the rest, and would report a body that is too large in
    its own words. Routes read whole bodies anyway, so that this costs no memory.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    async def read(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self._limits.body_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._limits.seconds or _BODY_SECONDS):
                return await self._arriving(receive)
        except TimeoutError:
            raise Denied("slow", "The request did not arrive in time.", hint="Send it again.") from None

    async def _arriving(self, receive: Receive) -> bytes:
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            async with asyncio.timeout(self._limits.idle_seconds):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise _Gone
            part = message.get("body", b"")
            size += len(part)
            if size > self._limits.body_bytes:
                raise self._too_large()
            parts.append(part)
            more = message.get("more_body", False)
        return b"".join(parts)

    def _too_large(self) -> Denied:
        most = self._limits.body_bytes
        return Denied("body_size", f"The body is larger than {most} bytes.", hint="Send less at once.")


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, as one message; then what the connection says, such as that it is closed."""
    first = True

    async def again() -> Message:
        nonlocal first
        if first:
            first = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return again


class _Answered:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False
        self.is_over = False

    async def __call__(self, message: Message) -> None:
        if not self.is_over:
            self.begun = True
            await self._send(message)
