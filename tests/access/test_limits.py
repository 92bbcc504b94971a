"""Slow, endless and large requests: they end in time, and reads are answered meanwhile."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.access.guard import Limits
from tests.access.conftest import Client, listening, logged

pytest.importorskip("uvicorn")

HEAD = b"POST /v1/remember HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    path = tmp_path_factory.mktemp("limits") / "s.mind"
    limits = Limits(body_bytes=50_000, idle_seconds=0.25, seconds=30.0)
    with (
        Memory.open(path, embedder=None) as memory,
        listening(memory, limits=limits, head_seconds=0.25) as port,
    ):
        yield port


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def until_closed(connection: socket.socket) -> bytes:
    """What the server sends before it hangs up; a timeout is a failure of the test."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass  # closed while something of ours was still unread
    return b"".join(parts)


@pytest.mark.parametrize("sent", [b"", b"P", b"POST /v1/remember HTTP/1.1\r\nHost: 127.0.0.1\r\n", HEAD[:-1]])
def test_half_a_head_is_not_waited_for(port: int, sent: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(sent)
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 408 ") if sent else answer == b""


def test_a_head_that_comes_letter_by_letter_is_cut_off_too(port: int) -> None:
    with connected(port) as connection:
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.05):
                try:
                    connection.sendall(b"X")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        answer = until_closed(connection)
        stop.set()
        dripping.join()
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_half_a_head_after_a_whole_request_is_not_waited_for(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        first = connection.recv(65536)
        connection.sendall(b"GET /health HTTP/1.1\r\n")
        rest = until_closed(connection)
    assert first.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 408 " in rest


@pytest.mark.parametrize("framing", [b"Content-Length: 1000", b"Transfer-Encoding: chunked"])
def test_half_a_body_is_not_waited_for(port: int, framing: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(HEAD + framing + b"\r\n\r\n" + (b"{" if b"Length" in framing else b"1\r\n{\r\n"))
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"reason":"slow"' in answer


def test_a_chunked_body_over_the_limit_is_too_large_whenever_that_shows(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"2710\r\n" + b"x" * 10_000 + b"\r\n"
        try:
            for _ in range(6):
                connection.sendall(chunk)
        except OSError:
            pass
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"larger than 50000 bytes" in answer


@pytest.mark.parametrize("declared", [b"50001", b"9" * 30])
def test_a_body_that_says_it_is_too_large_is_not_read(port: int, declared: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(HEAD + b"Content-Length: " + declared + b"\r\n\r\n")
        assert until_closed(connection).startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 400 "))


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: -1",
        b"Content-Length: five",
        b"Content-Length: 5\r\nContent-Length: 6",
        b"Transfer-Encoding: gzip",
    ],
)
def test_a_body_that_contradicts_itself_is_refused(port: int, framing: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(HEAD + framing + b"\r\n\r\n{}")
        assert until_closed(connection)[:13] in (b"HTTP/1.1 400 ", b"HTTP/1.1 501 ")


@pytest.mark.parametrize("framing", [b"%b\r\n%b", b"%b\r\nX-Between: 1\r\n%b"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_body_with_two_ends_is_refused_and_what_follows_is_no_request(
    port: int, framing: bytes, turned: bool
) -> None:
    """A proxy that believes the length would take for a body what this server takes for a request."""
    two = (b"Content-Length: 5", b"Transfer-Encoding: chunked")
    hidden = HEAD + b"Content-Length: 20\r\n\r\n" + b'{"text": "smuggled"}'
    with connected(port) as connection:
        connection.sendall(HEAD + framing % (two[::-1] if turned else two) + b"\r\n\r\n0\r\n\r\n" + hidden)
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert "smuggled" not in json.dumps(Client(port)("/v1/list", {"limit": 100})[1])


@pytest.mark.parametrize("host", [b"127.0.0.1", b"evil.example"])
def test_a_broken_body_is_answered_once_and_leaves_no_trace_in_the_log(
    port: int, host: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """The name is refused before the body is read, and what is wrong with the body was answered by then."""
    with logged(caplog) as errors:
        with connected(port) as connection:
            head = HEAD.replace(b"127.0.0.1", host) + b"Transfer-Encoding: chunked\r\n\r\n"
            connection.sendall(head + b"not a size\r\n{}\r\n0\r\n\r\n")
            answer = until_closed(connection)
        assert Client(port)("/health", method="GET")[0] == 200
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert not errors, caplog.text


def test_more_than_was_announced_is_not_taken_for_the_body(port: int) -> None:
    body = b'{"text": "kept"}'
    with connected(port) as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body + b"x" * 500 + b"\r\n\r\n")
        answer = until_closed(connection)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 400 " in answer


def test_who_hangs_up_in_the_middle_leaves_the_server_well(port: int) -> None:
    for _ in range(20):
        with connected(port) as connection:
            connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
    assert Client(port)("/v1/list", {"limit": 1})[0] == 200


@pytest.mark.parametrize("size", [2**14, pytest.param(5 * 2**20, marks=pytest.mark.soak)])
def test_reads_are_answered_while_large_texts_are_kept(tmp_path: Path, size: int) -> None:
    lines = (" ".join(f"word{(number + n) % 5000}" for n in range(40)) for number in range(size // 280))
    text = ".\n".join(lines)[:size]
    # Time enough on a machine that others use too, also for the writers that wait for each other.
    limits = Limits(seconds=1200.0, large_bytes=size // 2)
    with (
        Memory.open(tmp_path / "s.mind", embedder=None, busy_timeout=1200) as memory,
        listening(memory, limits=limits) as port,
    ):
        client = Client(port)
        assert client("/v1/remember", {"text": "Ana prefers trains."})[0] == 200
        statuses: list[int] = []

        def remember(number: int) -> None:
            statuses.append(_large(port, {"text": f"{number} {text}"}))

        # The one writer of the store is taken until the reads are answered, however fast this machine is.
        with memory.session(mode="write"):
            writers = [threading.Thread(target=remember, args=(number,)) for number in range(4)]
            for writer in writers:
                writer.start()
            while "longmind_requests_running 5.0" not in client("/metrics", method="GET")[1]:
                assert all(writer.is_alive() for writer in writers), statuses
                time.sleep(0.02)
            hits = client("/v1/search", {"query": "trains"})[1]["hits"]
            assert hits[0]["frame"]["text"] == "Ana prefers trains."
            assert client("/memories", method="GET")[0] == 200
            assert not statuses, "the large ones were done before a read was answered"
        for writer in writers:
            writer.join()
    assert statuses == [200] * 4


def _large(port: int, body: dict[str, Any]) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1200)
    try:
        connection.request(
            "POST", "/v1/remember", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        return connection.getresponse().status
    finally:
        connection.close()
