"""Starting the server."""

from __future__ import annotations

import ipaddress
from typing import Final

from recollect.base.clock import Clock
from recollect.base.errors import Forbidden, MissingExtra
from recollect.conversation.memories import Memories

HOST: Final = "127.0.0.1"
PORT: Final = 8787


def serve(
    memories: Memories, *, clock: Clock, host: str = HOST, port: int = PORT, token: str | None = None
) -> None:
    """Answer until interrupted. Beyond this machine, only with a token."""
    if not is_local(host) and not token:
        raise Forbidden(f"{host} can be reached from elsewhere.", hint="Set a token, or use 127.0.0.1.")
    try:
        import uvicorn

        from recollect.http.app import create_app
    except ImportError as error:
        raise MissingExtra(
            f"The server needs {error.name}.", hint="Install it: pip install 'recollect[server]'."
        ) from None
    app = create_app(memories, clock=clock, token=token or None)
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)


def is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
