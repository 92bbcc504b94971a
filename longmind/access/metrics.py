"""What a server counts, for Prometheus: requests, denied requests, and requests by space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longmind.access.grants import Grant, Reason
from longmind.base.errors import MissingExtra
from longmind.base.labels import BoundedLabels

if TYPE_CHECKING:
    from starlette.responses import Response

_SPACE = "space"


class Metrics:
    """A registry of its own, so that several servers can be in one process.

    `folder` is where the processes of one server keep their numbers, so that each of them can tell the sum.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._space_label = BoundedLabels()
        self._folder = folder
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
        # Of processes that have ended, nothing is running.
        self.running = Gauge(
            "longmind_requests_running", "Requests now.", registry=self.registry, multiprocess_mode="livesum"
        )
        self.processes = Gauge(
            "longmind_processes", "Server processes.", registry=self.registry, multiprocess_mode="livesum"
        )
        self.processes.set(1)
        self.denied = Counter(
            "longmind_denied", "Requests that were denied.", ("face", "reason"), registry=self.registry
        )
        self.by_space = Counter(
            "longmind_space_requests",
            "Operations by the space they named.",
            (_SPACE, "effect", "outcome"),
            registry=self.registry,
        )

    def count_denied(self, face: str, reason: Reason) -> None:
        if self.registry is not None:
            self.denied.labels(face, reason).inc()

    def count_spaces(self, spaces: Iterable[str], effect: str, outcome: str) -> None:
        if self.registry is not None:
            for space in spaces:
                self.by_space.labels(self._space_label(space), effect, outcome).inc()

    def page(self, grant: Grant) -> Response:
        """Everything, for who may see every space; otherwise only the series of the key's own spaces."""
        from starlette.responses import Response

        if self.registry is None:
            raise MissingExtra("Metrics need prometheus-client.", extra="telemetry")
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

        whole = self.registry
        if self._folder is not None:
            from prometheus_client.multiprocess import MultiProcessCollector

            whole = CollectorRegistry()
            MultiProcessCollector(whole, path=str(self._folder))  # type: ignore[no-untyped-call]
        shown: Any = whole if grant.is_everywhere else _OwnSeries(whole, grant)
        return Response(generate_latest(shown), media_type=CONTENT_TYPE_LATEST)


class _OwnSeries:
    """The part of a registry that is about the spaces of a key: other series count everybody's requests."""

    def __init__(self, registry: Any, grant: Grant) -> None:
        self._registry = registry
        self._grant = grant

    def collect(self) -> Iterator[Any]:
        for family in self._registry.collect():
            family.samples = [
                sample
                for sample in family.samples
                if _SPACE in sample.labels and self._grant.covers(sample.labels[_SPACE])
            ]
            if family.samples:
                yield family
