"""Optional spans and counters: off by default, and nothing is sent anywhere by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from longmind.base.errors import MissingExtra
from longmind.base.labels import BoundedLabels

PREFIX: Final = "longmind.memory."


class Span(Protocol):
    """The attributes of an operation while it runs."""

    def set(self, name: str, value: str | int | float | bool) -> None: ...


class _Quiet:
    def set(self, name: str, value: str | int | float | bool) -> None:
        pass


class Telemetry:
    """Does nothing by default; a tracer or a registry switches it on."""

    def __init__(self, *, tracer: Any = None, registry: Any = None) -> None:
        self._tracer = tracer
        self._metrics = None if registry is None else _Metrics(registry)

    @classmethod
    def enabled(cls, *, spans: bool = True, registry: Any = None) -> Telemetry:
        """Spans to whatever OpenTelemetry is configured to do, counters into a Prometheus registry."""
        return cls(tracer=_tracer() if spans else None, registry=registry)

    @contextmanager
    def operation(self, name: str, **attributes: str | int | float | bool) -> Iterator[Span]:
        """One operation: a span `longmind.memory.<name>`, and its time in the histogram."""
        started = time.perf_counter()
        try:
            if self._tracer is None:
                yield _Quiet()
            else:
                with self._tracer.start_as_current_span(PREFIX + name, attributes=attributes) as span:
                    yield _Open(span)
        finally:
            if self._metrics is not None:
                self._metrics.latency.labels(name).observe(time.perf_counter() - started)

    def remembered(self, space: str, status: str) -> None:
        if self._metrics is not None:
            self._metrics.objects.labels(self._metrics.label(space), status).inc()

    def collected(self, space: str) -> None:
        if self._metrics is not None:
            self._metrics.gc_runs.labels(self._metrics.label(space)).inc()

    def toggled(self, space: str) -> None:
        if self._metrics is not None:
            self._metrics.pins.labels(self._metrics.label(space)).inc()


class _Open:
    def __init__(self, span: Any) -> None:
        self._span = span

    def set(self, name: str, value: str | int | float | bool) -> None:
        self._span.set_attribute(name, value)


class _Metrics:
    def __init__(self, registry: Any) -> None:
        try:
            from prometheus_client import Counter, Histogram
        except ImportError:
            raise MissingExtra("Counters need prometheus-client.", extra="telemetry") from None
        self.label = BoundedLabels()
        self.objects = Counter(
            "longmind_memory_objects_total", "Objects remembered.", ["space", "status"], registry=registry
        )
        self.gc_runs = Counter(
            "longmind_memory_gc_runs_total", "Runs of garbage collection.", ["space"], registry=registry
        )
        self.pins = Counter(
            "longmind_memory_pin_toggle_total", "Pins set and taken away.", ["space"], registry=registry
        )
        self.latency = Histogram(
            "longmind_memory_latency_seconds", "How long operations took.", ["operation"], registry=registry
        )


def _tracer() -> Any:
    try:
        from opentelemetry import trace
    except ImportError:
        raise MissingExtra("Spans need opentelemetry-api.", extra="telemetry") from None
    return trace.get_tracer("longmind")
