"""The server's application: every operation as a route, the conversation's own routes, health and metrics.

Importing this needs the extra `server`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from longmind import __version__
from longmind.access.guard import Guard, Limits, grant_of
from longmind.access.keyring import KeyRing
from longmind.access.metrics import Metrics
from longmind.access.origins import LOOPBACK, OriginCheck
from longmind.access.perform import Gateway
from longmind.http.audit import Calling, audit_routes
from longmind.http.conversation import conversation_routes
from longmind.http.errors import report_errors
from longmind.http.inspect import inspect_routes
from longmind.http.lanes import Lanes
from longmind.http.metrics import Counting
from longmind.http.routes import describe_answers, operation_routes
from longmind.http.service import Service
from longmind.inspect.assets import assets
from longmind.memory import Memory

InspectMode = Literal["off", "read", "write"]

HEALTH: Final = ("/health", "/ready")
"""What a supervisor may ask without a token; it tells nothing of what is remembered."""


def create_app(
    memory: Memory,
    *,
    token: str | None = None,
    keys: KeyRing | None = None,
    hosts: Sequence[str] = LOOPBACK,
    origins: Sequence[str] = (),
    limits: Limits | None = None,
    files: str | None = None,
    metrics: Metrics | None = None,
    tracer: Any = None,
    inspect: InspectMode = "read",
) -> FastAPI:
    """The application. With a token or keys every request must carry one; without, only local names are
    answered.

    Pages of other `origins` than its own may use it only if they are named. `files` is the folder in which
    operations may read and write files of this machine; None: no folder. `inspect` says whether the
    pages of the Inspector are served, and whether they may change things as far as a key may.
    """
    limits = limits or Limits()
    metrics = metrics or Metrics()
    ring = keys or KeyRing(None, token=token)
    gateway = Gateway(metrics, face="http", keys=ring)
    allowed = OriginCheck(origins)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = limits.workers
        yield
        ring.close()

    app = FastAPI(
        lifespan=running,
        title="Longmind",
        version=__version__,
        description="Long-term memory for AI agents. Every operation is a POST with its arguments as JSON.",
    )
    app.add_middleware(Calling)
    app.add_middleware(Counting, metrics=metrics, tracer=tracer)
    # The files of the Inspector are the same for everybody; what they show needs a key.
    open_paths = HEALTH if inspect == "off" else (*HEALTH, *assets())
    app.add_middleware(
        Guard, ring=ring, gateway=gateway, hosts=hosts, origins=allowed, limits=limits, open_paths=open_paths
    )
    _allow_origins(app, allowed)
    report_errors(app)
    service = Service(memory, gateway, Lanes(limits), files=files)
    app.include_router(conversation_routes(service))
    app.include_router(operation_routes(service))
    app.include_router(audit_routes(service))
    if inspect != "off":
        app.include_router(inspect_routes(service, write=inspect == "write"))
    _add_server_routes(app, memory, metrics, ring)
    describe_answers(app)
    return app


def _allow_origins(app: FastAPI, origins: OriginCheck) -> None:
    """Tell browsers which other pages may read the answers; without any, they keep all of them from it."""
    if origins.allowed:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins.allowed,
            allow_methods=("GET", "POST", "PATCH"),
            allow_headers=("Authorization", "Content-Type"),
            expose_headers=("Retry-After",),
        )


def _add_server_routes(app: FastAPI, memory: Memory, metrics: Metrics, ring: KeyRing) -> None:
    @app.get("/health", tags=["server"])
    async def health() -> dict[str, Any]:
        """The server is there; which store it serves, by its id."""
        return {"status": "ok", "version": __version__, "store": memory.store.id}

    @app.get("/ready", tags=["server"])
    def ready() -> dict[str, Any]:
        """The store can be read; its revision, where no keys keep spaces apart."""
        revision = memory.revision
        # Every write in every space changes it, and this route is answered without a key.
        return {"status": "ready"} | ({"revision": revision} if ring.is_open else {})

    @app.get("/metrics", tags=["server"], response_class=Response)
    async def read_metrics(request: Request) -> Response:
        """Counts and times of requests, for Prometheus; for a key, those of its own spaces."""
        return metrics.page(grant_of(request.scope))
