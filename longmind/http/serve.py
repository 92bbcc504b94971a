"""Starting the server, and stopping it with nothing lost."""

from __future__ import annotations

import ipaddress
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from longmind.base.errors import Forbidden, MissingExtra, Unavailable

if TYPE_CHECKING:
    from longmind.http.guard import Limits
    from longmind.memory import Memory

HOST: Final = "127.0.0.1"
PORT: Final = 8787
_PATIENCE: Final = 30
"""Seconds that requests in progress get to end when the server is asked to stop."""


def serve(
    memory: Memory,
    *,
    host: str = HOST,
    port: int = PORT,
    token: str | None = None,
    limits: Limits | None = None,
    files: str | None = None,
) -> None:
    """Answer until interrupted, and let what is in progress end. Beyond this machine, only with a token."""
    if not is_local(host) and not token:
        raise Forbidden(
            f"{host} can be reached from elsewhere.",
            hint="Set a token in LONGMIND_TOKEN, or listen on 127.0.0.1.",
        )
    try:
        import uvicorn

        from longmind.http.app import create_app
    except ImportError as error:
        raise MissingExtra(f"The server needs {error.name}.", extra="server") from None
    app = create_app(memory, token=token or None, limits=limits, files=files)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=_PATIENCE,
        server_header=False,
    )
    server = uvicorn.Server(config)
    try:
        with _stopping_quietly():
            server.run()
    except SystemExit:
        if not server.started:
            raise Unavailable(
                f"{host}:{port} cannot be listened on.", hint="Another server may be there; choose --port."
            ) from None
        raise


@contextmanager
def _stopping_quietly() -> Iterator[None]:
    """The server stops by itself at these signals and raises them again; the store is still to be closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
