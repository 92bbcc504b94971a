from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from longmind.base.errors import InvalidInput, Unavailable
from longmind.embed.endpoint import Endpoint, EndpointEmbedder
from longmind.embed.hash import HashEmbedder
from longmind.embed.protocol import Embedder
from tests.http_threads import serving

KEY = "sk-very-secret-123"
DIMENSIONS = 16
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class Server:
    """A real server that embeds by hashing, and misbehaves as the next entry of its script says."""

    url: str = ""
    script: list[Callable[[dict[str, Any]], Answer]] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)

    def answer(self, path: str, body: dict[str, Any]) -> Answer:
        if self.script:
            return self.script.pop(0)(body)
        rows = vectors(body["input"])
        if path.endswith("/embeddings"):
            data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
            return ok({"data": data[::-1]})
        return ok({"embeddings": rows})


def vectors(texts: list[str], dimensions: int = DIMENSIONS) -> list[list[float]]:
    """Three times as long as a unit vector: whoever asks has to normalise."""
    return [(3 * e.vectors[0]).tolist() for e in HashEmbedder(dimensions).encode(texts)]


def ok(value: Any) -> Answer:
    return 200, {}, json.dumps(value).encode()


def status(code: int, text: str = "", **headers: str) -> Callable[[dict[str, Any]], Answer]:
    return lambda body: (
        code,
        {name.replace("_", "-"): value for name, value in headers.items()},
        text.encode(),
    )


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append((self.path, dict(self.headers), body))
            code, headers, content = state.answer(self.path, body)
            try:
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                pass  # the client did not wait

        def log_message(self, *arguments: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{http.server_port}"
    with serving(http):
        yield state


def openai(
    server: Server, *, sleep: Callable[[float], None] = lambda _: None, **options: Any
) -> EndpointEmbedder:
    settings = {"kind": "openai", "model": "m", "url": f"{server.url}/v1", "api_key": KEY, **options}
    return EndpointEmbedder(Endpoint(**settings), sleep=sleep)


def ollama(server: Server, **options: Any) -> EndpointEmbedder:
    return EndpointEmbedder(Endpoint(kind="ollama", model="m", url=server.url, **options))


def test_openai_vectors_come_in_order_and_at_unit_length(server: Server) -> None:
    texts = ["Ana moved", "to Lisbon", "in May"]
    embedder = openai(server)
    encodings = embedder.encode(texts, tokens=True)
    expected = np.array(vectors(texts)) / 3
    assert np.allclose([e.vectors[0] for e in encodings], expected, atol=1e-6)
    assert all(e.tokens is None and e.vectors.dtype == np.float32 for e in encodings)
    path, headers, body = server.requests[0]
    assert (path, headers["Authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert body == {"model": "m", "input": texts, "encoding_format": "float"}
    assert isinstance(embedder, Embedder)
    assert not embedder.supports_tokens


def test_ollama_vectors_come_without_a_key(server: Server) -> None:
    [encoding] = ollama(server).encode(["Ana"])
    assert np.allclose(encoding.vectors, np.array(vectors(["Ana"])) / 3, atol=1e-6)
    path, headers, body = server.requests[0]
    assert (path, body) == ("/api/embed", {"model": "m", "input": ["Ana"]})
    assert "Authorization" not in headers


def test_the_identity_learns_the_dimensions_once(server: Server) -> None:
    embedder = openai(server)
    assert embedder.identity.text() == f"openai/m/{DIMENSIONS}/served"
    assert embedder.identity.dimensions == DIMENSIONS
    assert len(server.requests) == 1


def test_given_dimensions_are_asked_for_and_need_no_request(server: Server) -> None:
    embedder = openai(server, dimensions=DIMENSIONS)
    assert embedder.identity.dimensions == DIMENSIONS
    assert server.requests == []
    embedder.encode(["a"])
    assert server.requests[0][2]["dimensions"] == DIMENSIONS


def test_texts_are_sent_in_batches(server: Server) -> None:
    texts = [f"text {number}" for number in range(10)]
    encodings = openai(server, batch=4).encode(texts)
    assert [len(body["input"]) for _, _, body in server.requests] == [4, 4, 2]
    assert np.allclose([e.vectors[0] for e in encodings], np.array(vectors(texts)) / 3, atol=1e-6)


def test_a_long_text_is_sent_in_windows_and_an_empty_one_as_a_space(server: Server) -> None:
    long = "".join(f"word{number}\n" for number in range(2500))
    encodings = openai(server).encode([long, ""])
    sent = server.requests[0][2]["input"]
    assert [len(e.vectors) for e in encodings] == [3, 1]
    assert sent[-1] == " "
    assert all(len(window.split()) <= 1000 for window in sent)
    assert {word for window in sent for word in window.split()} == set(long.split())


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504])
def test_a_refusal_for_now_is_tried_again_with_growing_pauses(server: Server, code: int) -> None:
    server.script = [status(code), status(code)]
    pauses: list[float] = []
    assert len(openai(server, sleep=pauses.append).encode(["a"])) == 1
    assert pauses == [0.5, 1.0]


def test_a_server_may_ask_for_a_longer_pause_within_bounds(server: Server) -> None:
    server.script = [status(429, Retry_After="3"), status(429, Retry_After="9999")]
    pauses: list[float] = []
    openai(server, sleep=pauses.append).encode(["a"])
    assert pauses == [3.0, 10.0]


def test_retries_end(server: Server) -> None:
    server.script = [status(503, "overloaded")] * 10
    with pytest.raises(Unavailable, match="503: overloaded"):
        openai(server, retries=3).encode(["a"])
    assert len(server.requests) == 4


@pytest.mark.parametrize("code", [301, 307, 400, 401, 403, 404])
def test_other_refusals_are_final_and_redirects_are_not_followed(server: Server, code: int) -> None:
    server.script = [status(code, Location="/elsewhere")]
    with pytest.raises(Unavailable, match=str(code)):
        openai(server).encode(["a"])
    assert len(server.requests) == 1


def test_errors_name_the_endpoint_and_never_the_key(server: Server) -> None:
    server.script = [status(401, f"bad key {KEY}")]
    embedder = openai(server)
    with pytest.raises(Unavailable) as caught:
        embedder.encode(["a"])
    assert server.url in str(caught.value)
    assert "bad key [key]" in str(caught.value)
    shown = [str(caught.value), repr(embedder), repr(Endpoint("openai", "m", server.url, api_key=KEY))]
    assert not any(KEY in text for text in shown)


def row(**entry: Any) -> dict[str, Any]:
    return {"data": [{"index": 0, "embedding": [1.0] * DIMENSIONS} | entry]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b'{"data": [',
        b"[]",
        b"null",
        b'{"data": null}',
        b'{"embeddings": [[1.0]]}',
        json.dumps({"data": []}).encode(),
        json.dumps({"data": row()["data"] * 2}).encode(),
        json.dumps(row(index=1)).encode(),
        json.dumps(row(index="first")).encode(),
        json.dumps(row(embedding=[])).encode(),
        json.dumps(row(embedding="text")).encode(),
        json.dumps(row(embedding=[1.0, None])).encode(),
        json.dumps(row(embedding=[1.0, {}])).encode(),
        json.dumps(row(embedding=[[1.0], [2.0]])).encode(),
        json.dumps(row(embedding=[0.0, 0.0])).encode(),
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [Infinity, 1.0]}]}',
        b'{"data": [{"index": 0, "embedding": [1e400, 1.0]}]}',
    ],
)
def test_an_answer_that_is_no_list_of_vectors_is_refused(server: Server, content: bytes) -> None:
    server.script = [lambda body: (200, {}, content)]
    with pytest.raises(Unavailable, match="sent an answer"):
        openai(server).encode(["a"])


def test_vectors_of_unequal_length_are_refused(server: Server) -> None:
    server.script = [lambda body: ok({"embeddings": [[1.0, 2.0], [1.0]]})]
    with pytest.raises(Unavailable, match="not a list of vectors"):
        ollama(server).encode(["a", "b"])


def test_dimensions_that_change_are_refused(server: Server) -> None:
    embedder = ollama(server)
    embedder.encode(["a"])
    server.script = [lambda body: ok({"embeddings": vectors(body["input"], 8)})]
    with pytest.raises(Unavailable, match="8 dimensions, not 16"):
        embedder.encode(["b"])
    assert len(embedder.encode(["c"])) == 1


def test_a_slow_server_is_given_up(server: Server) -> None:
    release = threading.Event()

    def slow(body: dict[str, Any]) -> Answer:
        release.wait(timeout=30)
        return ok({})

    server.script = [slow]
    with pytest.raises(Unavailable, match=r"within 0\.2 s"):
        openai(server, timeout=0.2).encode(["a"])
    release.set()


def test_a_server_that_is_down_is_unavailable_at_once(server: Server) -> None:
    pauses: list[float] = []
    down = openai(server, url="http://127.0.0.1:9/v1", sleep=pauses.append)
    for ask in (lambda: down.encode(["a"]), lambda: down.identity):
        with pytest.raises(Unavailable, match="9/v1 cannot be reached"):
            ask()
    assert pauses == []


def test_proxies_of_the_environment_are_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert len(openai(server).encode(["a"])) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"url": "host/v1"},
        {"url": "http://"},
        {"url": "http://user:word@host"},
        {"url": "http://host/?key=1"},
        {"url": "http://host:99999"},
        {"model": ""},
        {"api_key": ""},
        {"api_key": "a\nb"},
        {"batch": 0},
        {"timeout": 0},
        {"retries": -1},
        {"dimensions": 0},
    ],
)
def test_settings_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Endpoint(**{"kind": "openai", "model": "m", "url": "http://host", **options})


def test_no_texts_make_no_request(server: Server) -> None:
    assert openai(server).encode([]) == []
    assert server.requests == []
