"""Who may ask, how much at once, how large and how long: checked before a route is reached."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longmind.http.errors import refusal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take, and how many there may be."""

    body_bytes: int = 16 * 2**20
    seconds: float = 60.0
    at_once: int = 64
    """Requests in progress; further ones are told to come back."""
    workers: int = 4
    """Requests worked on at the same time. More would only take turns, each with a connection of its own."""
    lasting: int = 2
    """Of those that may take minutes; they have workers of their own, so that the others need not wait."""


LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "::1")


class Guard:
    """Middleware. With a token every request must carry it; without one, only local names are answered."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str | None = None,
        hosts: Sequence[str] = LOOPBACK,
        limits: Limits | None = None,
        open_paths: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._token = token
        self._hosts = tuple(host.lower() for host in hosts)
        self._limits = limits or Limits()
        self._open_paths = tuple(open_paths)
        self._running = 0
        self._overdue: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if scope["path"] not in self._open_paths:
            if not self._may_ask(headers):
                answer = refusal(401, "forbidden", "A token is required.", "Send Authorization: Bearer ….")
                answer.headers["WWW-Authenticate"] = "Bearer"
                await answer(scope, receive, send)
                return
            if self._running >= self._limits.at_once:
                answer = refusal(503, "busy", "Too many requests at once.", "Try again soon.", retry=1)
                await answer(scope, receive, send)
                return
        if self._token is None and host_name(headers.get("host", "")) not in self._hosts:
            # A page elsewhere may have pointed its own name at this machine.
            await refusal(403, "forbidden", "This host name is not served.", "Ask for 127.0.0.1.")(
                scope, receive, send
            )
            return
        await self._bounded(scope, headers, receive, send)

    async def _bounded(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        most = self._limits.body_bytes
        too_large = refusal(
            413, "invalid_input", f"The body is larger than {most} bytes.", "Send less at once."
        )
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared) > most:
            await too_large(scope, receive, send)
            return
        counted = _Counted(receive, most)
        answered = _Answered(send)
        work = asyncio.create_task(self._run(scope, counted, answered))
        try:
            await asyncio.wait({work}, timeout=self._limits.seconds)
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.done():
            try:
                await work
            except _TooLarge:
                if not answered.begun:
                    await too_large(scope, receive, send)
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

    def _may_ask(self, headers: Headers) -> bool:
        if self._token is None:
            return True
        sent = headers.get("authorization", "").encode()
        return hmac.compare_digest(sent, f"Bearer {self._token}".encode())


class _TooLarge(Exception):
    """More bytes came than were allowed."""


class _Counted:
    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._left = most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _TooLarge
        return message


class _Answered:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False
        self.is_over = False

    async def __call__(self, message: Message) -> None:
        if not self.is_over:
            self.begun = True
            await self._send(message)


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    name = header.strip().lower()
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]
