"""Whatever is sent to the server, it answers or refuses in one shape, and goes on answering."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.access.guard import Limits
from longmind.http.routes import route
from tests.access.conftest import Client, listening, logged, served
from tests.conftest import START
from tests.fuzz.mutations import damaged, deep_text, encoded, mutated, rounds, value
from tests.fuzz.worlds import asked, examples, fill

pytest.importorskip("uvicorn")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "files").mkdir()
    clock = FrozenClock(START)
    with Memory.open(tmp_path / "s.mind", clock=clock, embedder="hash") as memory:
        fill(memory)
        # Time enough on a machine that others use too: an answer that comes late is not what is looked for.
        limits = Limits(seconds=600.0)
        with listening(memory, files=str(tmp_path / "files"), limits=limits) as port:
            client = Client(port, keep=True)
            yield client
            client.close()
        assert memory.verify(deep=True)


def _body(rng: random.Random, operation: Any, example: dict[str, Any]) -> bytes:
    kind = rng.random()
    if kind < 0.75:
        return encoded(asked(operation, example, rng, mutated))
    if kind < 0.85:
        return damaged(rng, encoded(example))
    if kind < 0.88:
        names = [item.name for item in operation.parameters] or ["a"]
        return b'{"%s": %s}' % (rng.choice(names).encode(), deep_text(rng).encode())
    return encoded(value(rng))


def _problem(status: int, text: str) -> str | None:
    """What is wrong with an answer; None if nothing is."""
    if status == 200:
        return None
    if status >= 500 and status not in (501, 503, 507):
        return f"status {status}"
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return "not a refusal in our shape"
    if not all(isinstance(error.get(name), str) and error[name] for name in ("code", "message", "hint")):
        return "no code, message or hint"
    return None


@rounds(150, 20_000)
def test_no_arguments_break_an_operation(client: Client, count: int) -> None:
    rng = random.Random(count)
    operations = examples()
    statuses: Counter[int] = Counter()
    problems: dict[tuple[str, str], Any] = {}
    for number in range(count):
        operation, example = operations[number % len(operations)]
        body = _body(rng, operation, example)
        status, text, _ = client.exchange(route(operation), body)
        statuses[status] += 1
        if why := _problem(status, text):
            problems.setdefault((operation.name, why + text[:200]), body[:600])
        if number % 1000 == 999:
            print(f"{number + 1} requests, {len(problems)} problems", flush=True)
    print(f"requests {count}, by status {dict(statuses)}")
    assert not problems, "\n".join(f"{key}: {body!r}" for key, body in list(problems.items())[:60])
    assert statuses[200] > count / 20
    assert client("/health", method="GET")[0] == 200


_JSON = b"Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
_CHUNKED = b'Transfer-Encoding: chunked\r\n\r\nd\r\n{"query":"x"}\r\n0\r\n\r\n'
_HEADS = (
    b"POST /v1/stats HTTP/1.1\r\n" + _JSON + b"Content-Length: 2\r\n\r\n{}",
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /v1/search HTTP/1.1\r\n" + _JSON + _CHUNKED,
    b"POST /v1/stats HTTP/1.1\r\n" + _JSON + b"Content-Length: 99999999999999999999\r\n\r\n",
    b"POST /v1/stats HTTP/1.1\r\n" + _JSON + b"Content-Length: -1\r\n\r\n",
    b"POST /v1/%00%ff/..%2f HTTP/1.1\r\nHost: [::1\r\nOrigin: http://[\r\n\r\n",
)


@rounds(40, 3000)
def test_no_bytes_on_the_socket_stop_the_server(
    client: Client, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    rng = random.Random(count)
    with logged(caplog) as errors:
        for _ in range(count):
            with socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection:
                connection.sendall(damaged(rng, rng.choice(_HEADS)))
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while part := connection.recv(65536):
                    answer += part
            assert b" 500 " not in answer.partition(b"\r\n")[0], answer
        assert client("/health", method="GET")[0] == 200
    assert not errors, errors[0].getMessage()


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_every_request_that_the_document_allows_or_forbids_is_answered(tmp_path: Path) -> None:
    """The long version of the test of the same kind in tests/http/test_server.py."""
    pytest.importorskip("schemathesis")
    program = Path(sys.executable).with_name("st")
    (tmp_path / "files").mkdir()
    with served(tmp_path / "s.mind", "--files", str(tmp_path / "files")) as server:
        done = subprocess.run(
            [
                *(
                    str(program),
                    "run",
                    f"http://127.0.0.1:{server.port}/openapi.json",
                    "--max-examples",
                    "40",
                ),
                *("--phases", "examples,coverage,fuzzing", "--mode", "all", "--generation-deterministic"),
                *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
                *("--checks", "response_schema_conformance", "--continue-on-failure", "--no-color"),
                # Without an image embedder and thumbnails these answer 501, and say what to set.
                *("--exclude-path", "/v1/media/search", "--exclude-path", "/v1/media/refresh"),
            ],
            capture_output=True,
            text=True,
            timeout=7000,
            check=False,
            cwd=tmp_path,
        )
        print(done.stdout[-3000:])
        assert done.returncode == 0, done.stdout[-12000:]
        assert server.client()("/health", method="GET")[0] == 200
        assert "Traceback" not in server.log()
