"""Starting the server, and stopping it with nothing lost."""

from __future__ import annotations

import ipaddress
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from longmind.access.keyring import KeyRing
from longmind.access.shared_buckets import SharedBuckets
from longmind.base.errors import Forbidden, MissingExtra
from longmind.http.processes import Share, unavailable

if TYPE_CHECKING:
    from longmind.access.guard import Limits
    from longmind.access.metrics import Metrics
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
    keys: Path | None = None,
    origins: Sequence[str] = (),
    limits: Limits | None = None,
    files: str | None = None,
    metrics: Metrics | None = None,
    tracer: Any = None,
    inspect: Literal["off", "read", "write"] = "read",
    token_variable: str = "LONGMIND_TOKEN",
    listening: Callable[[], None] = lambda: None,
    share: Share | None = None,
) -> None:
    """Answer until interrupted, and let what is in progress end. Beyond this machine, only with keys.

    `keys` is the file of the keys. Until that file or a token exists, everybody on this machine is answered.
    `token_variable` is where the caller reads the token from, for messages. `listening` is called once
    connections are accepted. `share` is what this process shares with the others of the same server.
    """
    ring = check_keys(host, keys, token, token_variable, share)
    try:
        import uvicorn

        from longmind.access.metrics import Metrics
        from longmind.access.protocol import HEAD_SECONDS, timed_protocol
        from longmind.http.app import create_app
    except ImportError as error:
        raise MissingExtra(f"The server needs {error.name}.", extra="server") from None
    metrics = metrics or Metrics()
    app = create_app(
        memory, keys=ring, origins=origins, limits=limits, files=files, metrics=metrics, tracer=tracer,
        inspect=inspect)  # fmt: skip
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=timed_protocol(HEAD_SECONDS, partial(metrics.count_denied, "http", "slow")),
        ws="none",
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=_PATIENCE,
        server_header=False,
        loop="auto" if share is None else "asyncio",
        backlog=2048 if share is None else 1,  # see SharedListener
    )
    server = _announcing(config, listening, share)
    try:
        with _stopping_quietly():
            server.run(None if share is None else [share.listener])
    except SystemExit:
        if not server.started:
            raise unavailable(host, port) from None
        raise


def _announcing(config: Any, listening: Callable[[], None], share: Share | None) -> Any:
    """A server that says when it listens."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, *arguments: Any, **options: Any) -> None:
            await super().startup(*arguments, **options)
            if self.started:
                listening()
                if share is not None:
                    share.ready()

    return Server(config)


def check_keys(
    host: str,
    keys: Path | None,
    token: str | None,
    token_variable: str = "LONGMIND_TOKEN",
    share: Share | None = None,
) -> KeyRing:
    """The keys of a server on that host; `Forbidden` where others could reach it and there are none."""
    ring = KeyRing(
        keys, token=token, buckets=None if share is None else SharedBuckets(share.folder / "rates")
    )
    ring.check()
    if not is_local(host) and ring.is_open:
        raise Forbidden(
            f"{host} can be reached from elsewhere.",
            hint=f"Create a key with: longmind keys create NAME, set a token in {token_variable}, "
            "or listen on 127.0.0.1.",
        )
    return ring


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
