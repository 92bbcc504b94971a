"""The server's application: every operation as a route, the conversation's own routes, health and metrics.

Importing this needs the extra `server`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.responses import Response

from longmind import __version__
from longmind.http.audit import Calling, audit_routes
from longmind.http.conversation import conversation_routes
from longmind.http.errors import report_errors
from longmind.http.guard import LOOPBACK, Guard, Limits
from longmind.http.metrics import Counting, Metrics
from longmind.http.routes import describe_answers, operation_routes
from longmind.memory import Memory

HEALTH: Final = ("/health", "/ready")
"""What a supervisor may ask without a token; it tells nothing of what is remembered."""


def create_app(
    memory: Memory,
    *,
    token: str | None = None,
    hosts: Sequence[str] = LOOPBACK,
    limits: Limits | None = None,
    files: str | None = None,
) -> FastAPI:
    """The application. With a token every request must carry it; without, only local names are answered.

    `files` is the folder in which operations may read and write files of this machine; None is no folder.
    """
    limits = limits or Limits()

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = limits.workers
        yield

    app = FastAPI(
        lifespan=running,
        title="Longmind",
        version=__version__,
        description="Long-term memory for AI agents. Every operation is a POST with its arguments as JSON.",
    )
    metrics = Metrics()
    app.add_middleware(Calling)
    app.add_middleware(Counting, metrics=metrics)
    app.add_middleware(Guard, token=token, hosts=hosts, limits=limits, open_paths=HEALTH)
    report_errors(app)
    app.include_router(conversation_routes(memory.memories, memory.store.clock))
    app.include_router(operation_routes(memory, files=files, lasting=limits.lasting))
    app.include_router(audit_routes(memory))

    @app.get("/health", tags=["server"])
    async def health() -> dict[str, Any]:
        """The server is there; which store it serves, by its id."""
        return {"status": "ok", "version": __version__, "store": memory.store.id}

    @app.get("/ready", tags=["server"])
    def ready() -> dict[str, Any]:
        """The store can be read; its revision."""
        return {"status": "ready", "revision": memory.revision}

    @app.get("/metrics", tags=["server"], response_class=Response)
    async def read_metrics() -> Response:
        """Counts and times of requests, for Prometheus."""
        return metrics.page()

    describe_answers(app)
    return app
