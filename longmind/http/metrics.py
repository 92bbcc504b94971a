"""Counts and times of requests, for Prometheus."""

from __future__ import annotations

import time
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longmind.base.errors import MissingExtra


class Metrics:
    """A registry of its own, so that several servers can be in one process."""

    def __init__(self) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ImportError:
            self.registry = None
            return
        self.registry = CollectorRegistry()
        self.requests = Counter("longmind_requests", "Requests.", ("route", "status"), registry=self.registry)
        self.seconds = Histogram(
            "longmind_request_seconds",
            "Time to answer.",
            ("route",),
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
            registry=self.registry,
        )
        self.running = Gauge("longmind_requests_running", "Requests now.", registry=self.registry)

    def page(self) -> Response:
        if self.registry is None:
            raise MissingExtra("Metrics need prometheus-client.", extra="telemetry")
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)


class Counting:
    """Middleware that counts by route, never by what was asked."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._metrics.registry is None:
            await self._app(scope, receive, send)
            return
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.perf_counter()
        with self._metrics.running.track_inprogress():
            try:
                await self._app(scope, receive, noting)
            finally:
                route = _route(scope)
                self._metrics.requests.labels(route, str(status)).inc()
                self._metrics.seconds.labels(route).observe(time.perf_counter() - started)


def _route(scope: Scope) -> str:
    route: Any = scope.get("route")
    return getattr(route, "path", "none")
