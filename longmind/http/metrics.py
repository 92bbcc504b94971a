"""Requests counted and timed by route, and traced where that is switched on."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longmind.access.metrics import Metrics


class Counting:
    """Middleware that counts by route, never by what was asked. `tracer` makes a span of each request."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, tracer: Any = None) -> None:
        self._app = app
        self._metrics = metrics
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (self._metrics.registry is None and self._tracer is None):
            await self._app(scope, receive, send)
            return
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.perf_counter()
        counting = self._metrics.registry is not None
        running = self._metrics.running.track_inprogress() if counting else nullcontext()
        with running, self._span(scope) as span:
            try:
                await self._app(scope, receive, noting)
            finally:
                route = _route(scope)
                if counting:
                    self._metrics.requests.labels(route, str(status)).inc()
                    self._metrics.seconds.labels(route).observe(time.perf_counter() - started)
                if span is not None:
                    span.update_name(f"{scope['method']} {route}")
                    span.set_attribute("http.route", route)
                    span.set_attribute("http.response.status_code", status)

    def _span(self, scope: Scope) -> Any:
        if self._tracer is None:
            return nullcontext()
        return self._tracer.start_as_current_span(
            scope["method"], attributes={"http.request.method": scope["method"]}
        )


def _route(scope: Scope) -> str:
    route: Any = scope.get("route")
    return getattr(route, "path", "none")
