"""Running a server: over standard input and output, or over HTTP."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.access.keyring import KeyRing
from longmind.base.errors import Forbidden, InvalidInput, MissingExtra, Unavailable
from longmind.mcp.callers import Callers
from longmind.mcp.lazy_memory import Holder

if TYPE_CHECKING:
    from longmind.access.metrics import Metrics
    from longmind.access.perform import Gateway
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
    keys: Path | None = None,
    names: Iterable[str] = (),
    origins: Iterable[str] = (),
) -> None:
    """Answer clients over HTTP until interrupted. Beyond this machine, only with keys or a token.

    `names` are the host names by which clients ask for it, besides those of this machine. `origins` are
    those of web pages that may use it.
    """
    ring = KeyRing(keys, token=token)
    ring.check()
    allowed = _allowed(host, ring, tuple(names))
    gateway, metrics = _gateway(ring)
    server = _create(holder, settings, Callers(gateway))
    import uvicorn

    from longmind.access.protocol import HEAD_SECONDS, timed_protocol
    from longmind.mcp.guarded import guarded
    from longmind.mcp.sdk import http_app

    addresses = [f"{name}{port}" for name in allowed for port in ("", ":*")]
    pages = [f"{scheme}://{address}" for scheme in ("http", "https") for address in addresses]
    origins = list(origins)
    app = http_app(server, path=PATH, host=host, hosts=addresses, origins=[*pages, *origins])
    app = guarded(app, ring=ring, gateway=gateway, metrics=metrics, origins=origins)
    listening = _listen(host, port)
    at = listening.getsockname()[1]
    print(f"Listening on http://{_written(host)}:{at}{PATH}", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        app,
        http=timed_protocol(HEAD_SECONDS, partial(metrics.count_denied, "mcp", "slow")),
        ws="none",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        ring.close()
        holder.close()


def is_local(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _allowed(host: str, ring: KeyRing, names: tuple[str, ...]) -> tuple[str, ...]:
    if is_local(host):
        return tuple(dict.fromkeys([*_LOCAL, _written(host), *names]))
    if ring.is_open:
        raise Forbidden(
            f"{host} can be reached from elsewhere.",
            hint="Create a key with: longmind keys create NAME, give a token, or use 127.0.0.1.",
        )
    if host in _ANYWHERE and not names:
        raise InvalidInput(
            f"By which name is the server on {host or 'every address'} asked for?",
            hint="Say it with --allow-host NAME; other names are refused.",
        )
    own = () if host in _ANYWHERE else (_written(host),)
    return tuple(dict.fromkeys([*_LOCAL, *own, *names]))


def _gateway(keys: KeyRing) -> tuple[Gateway, Metrics]:
    from longmind.access.metrics import Metrics
    from longmind.access.perform import Gateway

    metrics = Metrics()
    return Gateway(metrics, face="mcp", keys=keys), metrics


def _create(holder: Holder, settings: Settings, callers: Callers | None = None) -> Any:
    try:
        from longmind.mcp.server import create_server
    except ImportError as error:
        raise MissingExtra(f"The MCP server needs {error.name}.", extra="mcp") from None
    return create_server(holder, settings, callers)


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
