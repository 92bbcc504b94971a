"""An OpenAI-compatible proxy: any chat client that is pointed at it gets a memory.

What is relevant is added to the instructions of a request, and what was said is kept when the answer is
complete. Everything else (status, headers, bytes, their timing) is passed on as the server sends it. When the
memory fails, the request goes through without it.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from longmind.access.protocol import HEAD_SECONDS, timed_protocol
from longmind.base.http import check_address
from longmind.integrations.core import AgentMemory, last_user_text
from longmind.integrations.proxy_messages import answer_of, with_instructions
from longmind.memory import Memory

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

_MOST_REQUEST: Final = 64 * 2**20
_MOST_KEPT: Final = 8 * 2**20
_BLOCK: Final = 1 << 16
_CONNECT_SECONDS: Final = 15.0
_PREFIX: Final = "/v1"
_HOP: Final = frozenset(
    (
        b"connection keep-alive proxy-authenticate proxy-authorization te trailers transfer-encoding upgrade"
    ).split()
)
"""Headers that are between two neighbours only."""
_OURS: Final = frozenset(
    (b"host", b"content-length", b"accept-encoding", b"x-longmind-user", b"x-longmind-session")
)
_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
_CLIENT_GONE: Final = object()
_log = logging.getLogger("longmind.proxy")


@dataclass(slots=True)
class _Exchange:
    """One request on its way: what is sent on, and what is to be kept when the answer is complete."""

    path: str
    body: bytes
    kind: str = ""
    """`chat` or `responses` for requests that get a memory."""
    messages: list[Any] = field(default_factory=list)
    agent: AgentMemory | None = None


class Proxy:
    """The application. `user` given here is everybody's; otherwise requests name theirs, in the header
    `x-longmind-user` or the field `user`, and their session in the header `x-longmind-session`."""

    def __init__(
        self,
        memory: Memory,
        upstream: str,
        *,
        user: str | None = None,
        space: str | None = None,
        budget: int = 1000,
        hosts: Iterable[str] = (),
        timeout: float | None = None,
        idle_seconds: float = 10.0,
    ) -> None:
        """`timeout` is the longest silence of the server behind it; `idle_seconds` that of a client in the
        middle of its request."""
        self._agent = AgentMemory(memory, user=user, space=space, budget=budget)
        self._fixed_user = user is not None
        self._upstream = urlsplit(check_address(upstream).rstrip("/"))
        self._hosts = {*_LOCAL, *hosts}
        self._timeout = timeout
        self._idle_seconds = idle_seconds
        self._workers = ThreadPoolExecutor(32, thread_name_prefix="longmind-proxy")
        self._keeping: set[Future[Any]] = set()
        self._serving = 0
        """Requests whose answers are not complete yet."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            self._serving += 1
            try:
                await self._serve(scope, receive, send)
            finally:
                self._serving -= 1

    def config(self, *, head_seconds: float = HEAD_SECONDS, **options: Any) -> Any:
        """How to run it with uvicorn: who sends the head of a request too slowly is not waited for."""
        import uvicorn

        protocol = timed_protocol(head_seconds, lambda: None)
        return uvicorn.Config(self, http=protocol, ws="none", access_log=False, **options)

    def drain(self) -> None:
        """Wait until what was said so far is kept."""
        while self._serving or self._keeping:
            for work in list(self._keeping):
                work.exception()
            time.sleep(0.005)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self.drain)
        self._workers.shutdown(wait=False, cancel_futures=True)
        await send({"type": "lifespan.shutdown.complete"})

    # One request

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = list(scope["headers"])
        refused = self._refused(headers)
        if refused:
            await _fail(send, 403, refused, "longmind_refused")
            return
        try:
            body = await _read(receive, self._idle_seconds)
        except TimeoutError:
            await _fail(send, 408, "The request did not arrive in time.", "longmind_refused")
            return
        if body is None:
            await _fail(send, 413, "The request is too large for this proxy.", "longmind_refused")
            return
        loop = asyncio.get_running_loop()
        exchange = await loop.run_in_executor(self._workers, self._prepare, scope, headers, body)
        chunks: asyncio.Queue[Any] = asyncio.Queue(maxsize=64)
        connection = self._connect()

        def put(item: Any) -> None:
            asyncio.run_coroutine_threadsafe(chunks.put(item), loop).result()

        work = self._workers.submit(self._ask, connection, scope["method"], exchange, headers, put)
        gone = asyncio.create_task(_gone(receive))
        try:
            await self._relay(exchange, chunks, gone, send)
        finally:
            gone.cancel()
            _abort(connection)  # the client is gone, or all was read
            while not work.done():  # a full queue holds the thread up until somebody takes from it
                while not chunks.empty():
                    chunks.get_nowait()
                await asyncio.sleep(0.005)

    def _refused(self, headers: Headers) -> str | None:
        """A web page must not use the proxy of the machine that it is shown on."""
        named = dict(headers)
        host = named.get(b"host", b"").decode("latin-1")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if name not in self._hosts:
            return f"This proxy is not asked for by the name {name!r}."
        site = named.get(b"sec-fetch-site", b"none").lower()
        is_page = b"origin" in named or site not in (b"none", b"same-origin")
        return "Web pages may not use this proxy." if is_page else None

    def _prepare(self, scope: Scope, headers: Headers, body: bytes) -> _Exchange:
        """The request with what is recalled; as it is, where there is nothing to add or anything fails."""
        query = scope.get("query_string", b"").decode("latin-1")
        path = scope["path"].removeprefix(_PREFIX) + (f"?{query}" if query else "")
        exchange = _Exchange(path, body)
        kind = {"/chat/completions": "chat", "/responses": "responses"}.get(path.partition("?")[0])
        if kind is None or scope["method"] != "POST":
            return exchange
        try:
            request = json.loads(body)
            inputs = request["messages"] if kind == "chat" else request["input"]
            messages = [{"role": "user", "content": inputs}] if isinstance(inputs, str) else list(inputs)
            exchange.kind, exchange.messages = kind, messages
            exchange.agent = self._caller(dict(headers), request)
            recalled = exchange.agent.instructions(last_user_text(messages))
            if recalled:
                exchange.body = json.dumps(with_instructions(request, kind, recalled)).encode()
        except Exception as error:  # a request that only the server understands is the server's to refuse
            _log.warning("A request is passed on without memory: %s", type(error).__name__)
        return exchange

    def _caller(self, headers: Mapping[bytes, bytes], request: Mapping[str, Any]) -> AgentMemory:
        user = (
            None if self._fixed_user else headers.get(b"x-longmind-user", b"").decode() or request.get("user")
        )
        session = headers.get(b"x-longmind-session", b"").decode() or None
        return self._agent.for_caller(user=user if isinstance(user, str) and user else None, session=session)

    # The server behind it

    def _connect(self) -> http.client.HTTPConnection:
        secure = self._upstream.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self._upstream.hostname or "", self._upstream.port, timeout=_CONNECT_SECONDS)

    def _ask(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        exchange: _Exchange,
        headers: Headers,
        put: Callable[[Any], None],
    ) -> None:
        """In a thread: send the request, and put the head and the blocks of the answer into the queue."""
        try:
            connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(self._timeout)  # the client decides how long it waits
            sent = {
                name.decode("latin-1"): value.decode("latin-1")
                for name, value in headers
                if name not in _HOP and name not in _OURS
            }
            connection.request(
                method, self._upstream.path + exchange.path, body=exchange.body or None, headers=sent
            )
            answer = connection.getresponse()
            put(answer)
            while block := answer.read1(_BLOCK):
                put(block)
            if answer.length:  # fewer bytes than were announced
                raise http.client.IncompleteRead(b"", answer.length)
            put(None)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # AttributeError: the connection was closed by `_abort` in the middle of a read.
            put(error)

    async def _relay(
        self, exchange: _Exchange, chunks: asyncio.Queue[Any], gone: asyncio.Task[None], send: Send
    ) -> None:
        head = await _first(chunks, gone)
        if head is _CLIENT_GONE:
            return
        if isinstance(head, Exception):
            slow = isinstance(head, TimeoutError)
            await _fail(
                send,
                504 if slow else 502,
                f"The server behind the proxy did not answer ({head}).",
                "upstream",
            )
            return
        headers_kept = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in head.getheaders()
            if name.lower().encode("latin-1") not in _HOP
        ]
        await send({"type": "http.response.start", "status": head.status, "headers": headers_kept})
        seen = bytearray()
        while True:
            block = await _first(chunks, gone)
            if isinstance(block, Exception):
                # The client must see a broken answer as broken: no end is sent, and the connection closes.
                raise ConnectionResetError("The server behind the proxy broke off its answer.") from block
            if block is None:
                break
            if block is _CLIENT_GONE:
                return
            if len(seen) < _MOST_KEPT:
                seen += block
            await send({"type": "http.response.body", "body": block, "more_body": True})
        if exchange.kind and head.status == 200:
            self._keep_later(exchange, bytes(seen), head.getheader("content-type") or "")
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _keep_later(self, exchange: _Exchange, answer: bytes, content_type: str) -> None:
        """Keep the exchange in the background: the client has its answer already."""

        def keep() -> None:
            try:
                reply = answer_of(answer, exchange.kind, is_stream="event-stream" in content_type)
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                _log.warning("An answer was not understood, and is not kept: %s", type(error).__name__)
                return
            assert exchange.agent is not None
            exchange.agent.keep_all(
                [message for message in [*exchange.messages, *reply] if _is_spoken(message)]
            )

        work = self._workers.submit(keep)
        self._keeping.add(work)
        work.add_done_callback(self._keeping.discard)


def _is_spoken(message: Any) -> bool:
    return isinstance(message, Mapping) and message.get("role") in (
        "user", "assistant", "tool", "function", "system", "developer",
    )  # fmt: skip


async def _read(receive: Receive, idle_seconds: float) -> bytes | None:
    """The body of a request; None if it is too large, `TimeoutError` if it does not go on arriving."""
    body = bytearray()
    while True:
        async with asyncio.timeout(idle_seconds):
            message = await receive()
        body += message.get("body", b"")
        if len(body) > _MOST_REQUEST:
            return None
        if not message.get("more_body"):
            return bytes(body)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _first(chunks: asyncio.Queue[Any], gone: asyncio.Task[None]) -> Any:
    """The next part of the answer; None at its end."""
    part = asyncio.ensure_future(chunks.get())
    await asyncio.wait({part, gone}, return_when=asyncio.FIRST_COMPLETED)
    if part.done():
        return part.result()
    part.cancel()
    return _CLIENT_GONE


async def _fail(send: Send, status: int, message: str, code: str) -> None:
    """An error as OpenAI writes it, so that clients show it."""
    body = json.dumps(
        {"error": {"message": message, "type": "proxy_error", "param": None, "code": code}}
    ).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _abort(connection: http.client.HTTPConnection) -> None:
    """End a connection that another thread may be reading from."""
    if connection.sock is not None:
        with suppress(OSError):  # closed already
            connection.sock.shutdown(socket.SHUT_RDWR)
    connection.close()
