"""Running a server: over standard input and output, or over HTTP."""

from __future__ import annotations

import hmac
import ipaddress
import socket
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import Forbidden, InvalidInput, MissingExtra, Unavailable
from longmind.mcp.lazy_memory import Holder

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from longmind.mcp.settings import Settings

HOST: Final = "127.0.0.1"
PORT: Final = 8788
PATH: Final = "/mcp"
_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
_ANYWHERE: Final = ("0.0.0.0", "::", "")


def serve_stdio(holder: Holder, settings: Settings) -> None:
    """Serve one client over standard input and output until it disconnects."""
    server = _create(holder, settings)
    import anyio
    from mcp.server.stdio import stdio_server

    async def answer() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(answer)
    except KeyboardInterrupt:
        pass
    finally:
        holder.close()


def serve_http(
    holder: Holder,
    settings: Settings,
    *,
    host: str = HOST,
    port: int = PORT,
    token: str | None = None,
    names: Iterable[str] = (),
) -> None:
    """Answer clients over HTTP until interrupted. Beyond this machine, only with a token.

    `names` are the host names by which clients ask for it, besides those of this machine.
    """
    allowed = _allowed(host, token, tuple(names))
    server = _create(holder, settings)
    import uvicorn

    from longmind.mcp.sdk import http_app

    addresses = [f"{name}{port}" for name in allowed for port in ("", ":*")]
    origins = [f"{scheme}://{address}" for scheme in ("http", "https") for address in addresses]
    app = http_app(server, path=PATH, host=host, hosts=addresses, origins=origins)
    if token:
        app = _Guard(app, token)
    listening = _listen(host, port)
    at = listening.getsockname()[1]
    print(f"Listening on http://{_written(host)}:{at}{PATH}", file=sys.stderr, flush=True)
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        holder.close()


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _allowed(host: str, token: str | None, names: tuple[str, ...]) -> tuple[str, ...]:
    if is_local(host):
        return tuple(dict.fromkeys([*_LOCAL, _written(host), *names]))
    if not token:
        raise Forbidden(f"{host} can be reached from elsewhere.", hint="Give a token, or use 127.0.0.1.")
    if host in _ANYWHERE and not names:
        raise InvalidInput(
            f"By which name is the server on {host or 'every address'} asked for?",
            hint="Say it with --allow-host NAME; other names are refused.",
        )
    own = () if host in _ANYWHERE else (_written(host),)
    return tuple(dict.fromkeys([*_LOCAL, *own, *names]))


def _create(holder: Holder, settings: Settings) -> Any:
    try:
        from longmind.mcp.server import create_server
    except ImportError as error:
        raise MissingExtra(f"The MCP server needs {error.name}.", extra="mcp") from None
    return create_server(holder, settings)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"{host}:{port} cannot be listened on: {error}.", hint="Choose another with --port."
        ) from None


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _Guard:
    """Lets only requests with the token through."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            header = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
            if not hmac.compare_digest(header, self._expected):
                from starlette.responses import JSONResponse

                refused = JSONResponse(
                    {"error": {"code": "forbidden", "message": "A token is required."}},
                    status_code=401,
                    headers={"WWW-Authenticate": "Bearer"},
                )
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)
