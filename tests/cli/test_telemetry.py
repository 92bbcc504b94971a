"""`LONGMIND_OTEL=1` sends spans to a collector: one of our own, over HTTP as OTLP says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from longmind import MissingExtra
from longmind.cli import telemetry
from tests.access.conftest import served
from tests.http_threads import serving


class Collector(ThreadingHTTPServer):
    """Keeps the bodies that were posted to /v1/traces."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.received: list[tuple[str, str, bytes]] = []

    @property
    def variables(self) -> dict[str, str]:
        return {"LONGMIND_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server_port}"}

    def spans(self) -> dict[str, dict[str, Any]]:
        """Attributes by the name of the span, with the name of the service."""
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        found: dict[str, dict[str, Any]] = {}
        for path, kind, body in self.received:
            assert (path, kind) == ("/v1/traces", "application/x-protobuf")
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = {item.key: item.value.string_value for item in resource.resource.attributes}
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        values = {item.key: str(item.value) for item in span.attributes}
                        found[span.name] = {"service": service["service.name"], **values}
        return found


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.server.received.append((self.path, self.headers["Content-Type"], body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    with serving(Collector()) as server:
        yield server


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "longmind", *words, "--store", str(folder / "s.mind")]
    environment = {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def test_spans_of_a_command_reach_the_collector_before_it_ends(tmp_path: Path, collector: Collector) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    done = run(tmp_path, "space", "create", "shop", **collector.variables)
    assert done.returncode == 0, done.stderr
    assert collector.spans()["longmind.memory.create"]["service"] == "longmind"


def test_spans_of_the_server_name_routes_and_no_content(tmp_path: Path, collector: Collector) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    with served(tmp_path / "s.mind", OTEL_SERVICE_NAME="ours", **collector.variables) as running:
        client = running.client()
        assert client("/v1/search", {"query": "swordfish"})[0] == 200
        thing = {"path": "a/b", "kind": "note", "raw": "swordfish"}
        assert client("/v1/space/remember", {"space": "shop", "object": thing})[0] == 200
    spans = collector.spans()
    assert spans["POST /v1/search"]["service"] == "ours"
    assert "200" in spans["POST /v1/search"]["http.response.status_code"]
    assert "longmind.memory.remember_structured" in spans
    assert not any(b"swordfish" in body for _, _, body in collector.received)


def test_without_the_variable_nothing_is_sent(tmp_path: Path, collector: Collector) -> None:
    variables = {**collector.variables, "LONGMIND_OTEL": "0"}
    assert run(tmp_path, "space", "create", "shop", **variables).returncode == 0
    assert collector.received == []


def test_without_the_exporter_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    with pytest.raises(MissingExtra, match="telemetry"):
        telemetry._exporter()


def test_another_exporter_can_be_chosen_and_an_unknown_one_is_refused(tmp_path: Path) -> None:
    shown = run(tmp_path, "space", "create", "shop", LONGMIND_OTEL="1", OTEL_TRACES_EXPORTER="console")
    assert "longmind.memory.create" in shown.stderr
    refused = run(tmp_path, "space", "list", LONGMIND_OTEL="1", OTEL_TRACES_EXPORTER="zipkin")
    assert refused.returncode != 0
    assert "otlp, console or none" in refused.stderr
