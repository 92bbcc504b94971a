"""Traces, where `LONGMIND_OTEL` asks for them: set up once for the process, and sent to a collector."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from longmind.spaces.telemetry import Telemetry

TRACE_VARIABLE: Final = "LONGMIND_OTEL"
EXPORTER_VARIABLE: Final = "OTEL_TRACES_EXPORTER"
_YES: Final = ("1", "true", "yes", "on")
_NAME: Final = "longmind"


def is_on() -> bool:
    return os.environ.get(TRACE_VARIABLE, "").strip().lower() in _YES


def of_spaces(registry: Any = None) -> Telemetry | None:
    """What project spaces trace and count with; None if neither is asked for."""
    if not is_on() and registry is None:
        return None
    from longmind.spaces.telemetry import Telemetry

    return Telemetry(tracer=tracer() if is_on() else None, registry=registry)


@cache
def tracer() -> Any:
    """The tracer of this process, its spans sent to a collector.

    The variables of OpenTelemetry say where and how (`OTEL_EXPORTER_OTLP_ENDPOINT`, `…_HEADERS`,
    `OTEL_SERVICE_NAME`). A provider that the program set up itself is left alone.
    """
    try:
        from opentelemetry import trace
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise MissingExtra(f"Traces need {error.name}.", extra="telemetry") from None
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        named = "OTEL_SERVICE_NAME" in os.environ
        provider = TracerProvider(resource=Resource.create({} if named else {"service.name": _NAME}))
        exporter = _exporter()
        if exporter is not None:
            # It sends in the background, and what is left when the process ends.
            provider.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
    return trace.get_tracer(_NAME)


def _exporter() -> Any:
    """By OpenTelemetry's own variable: OTLP over HTTP unless it says otherwise."""
    chosen = os.environ.get(EXPORTER_VARIABLE, "otlp").strip().lower()
    if chosen == "none":
        return None
    if chosen == "console":
        import sys

        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)
    if chosen != "otlp":
        raise InvalidInput(
            f"{EXPORTER_VARIABLE} is {chosen!r}.", hint="Longmind exports to otlp, console or none."
        )
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        raise MissingExtra(f"Sending traces needs {error.name}.", extra="telemetry") from None
    return OTLPSpanExporter()
