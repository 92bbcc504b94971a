"""The HTTP client against a real server that is slow, large, broken, or leads elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from longmind.base.errors import InvalidInput, Unavailable
from longmind.base.http import HttpFailed, JsonClient, check_address, check_key, download, exchange

KEY = "sk-very-secret"


@dataclass
class Server:
    """Answers each path with what was put there: a status, headers, and blocks with pauses between them."""

    url: str = ""
    pages: dict[str, tuple[int, dict[str, str], list[bytes | float]]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)


@pytest.fixture
def serve() -> Iterator[Callable[[], Server]]:
    running: list[ThreadingHTTPServer] = []

    def start() -> Server:
        state = Server()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                state.requests.append((self.command, self.path, dict(self.headers)))
                status, headers, blocks = state.pages.get(self.path, (404, {}, [b"nothing here"]))
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    for block in blocks:
                        if isinstance(block, float):
                            time.sleep(block)
                        else:
                            self.wfile.write(block)
                            self.wfile.flush()
                except OSError:
                    pass  # the client did not wait

            do_POST = do_GET  # noqa: N815

            def log_message(self, *arguments: object) -> None:
                """Quiet."""

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        state.url = f"http://127.0.0.1:{http.server_port}"
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        running.append(http)
        return state

    yield start
    for http in running:
        http.shutdown()
        http.server_close()


def get(url: str, *, timeout: float = 5, most_bytes: int = 1 << 20) -> bytes:
    return exchange("GET", url, timeout=timeout, most_bytes=most_bytes).body


def test_any_status_is_an_answer(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/busy"] = (503, {"Retry-After": "7"}, [b"later"])
    response = exchange("GET", f"{server.url}/busy?a=1", timeout=5, most_bytes=100)
    assert (response.status, response.body, response.retry_after) == (404, b"nothing here", 0)
    response = exchange("POST", f"{server.url}/busy", timeout=5, most_bytes=100, body=b"{}")
    assert (response.status, response.body, response.retry_after) == (503, b"later", 7)


def test_an_answer_that_is_too_large_is_cut_off(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/large"] = (200, {}, [bytes(1 << 16)] * 64)
    with pytest.raises(HttpFailed, match="more than 1 MiB") as failed:
        get(f"{server.url}/large")
    assert failed.value.failure == "too_large"


@pytest.mark.parametrize("blocks", [[3.0], [b"x", 0.1] * 50], ids=["silent", "one byte at a time"])
def test_a_slow_answer_is_given_up_at_the_deadline(
    serve: Callable[[], Server], blocks: list[bytes | float]
) -> None:
    server = serve()
    server.pages["/slow"] = (200, {}, blocks)
    with pytest.raises(HttpFailed, match=r"within 0\.3 s") as failed:
        get(f"{server.url}/slow", timeout=0.3)
    assert failed.value.failure == "timeout"


def test_redirects_on_the_same_server_are_followed(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/old"] = (302, {"Location": "/new"}, [])
    server.pages["/new"] = (200, {}, [b"here"])
    assert get(f"{server.url}/old") == b"here"


def test_redirects_to_another_server_and_in_circles_are_refused(serve: Callable[[], Server]) -> None:
    server, other = serve(), serve()
    other.pages["/"] = (200, {}, [b"stolen"])
    server.pages["/away"] = (302, {"Location": f"{other.url}/"}, [])
    server.pages["/round"] = (302, {"Location": "/round"}, [])
    for path, said in (("/away", "another server"), ("/round", "circle")):
        with pytest.raises(HttpFailed, match=said) as failed:
            exchange(
                "GET",
                f"{server.url}{path}",
                timeout=5,
                most_bytes=100,
                headers={"Authorization": f"Bearer {KEY}"},
            )
        assert failed.value.failure == "redirect"
    assert other.requests == []


def test_a_post_is_never_redirected(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/old"] = (307, {"Location": "/new"}, [])
    assert exchange("POST", f"{server.url}/old", timeout=5, most_bytes=100, body=b"{}").status == 307
    assert len(server.requests) == 1


def test_a_server_that_is_down_cannot_be_reached() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        get("http://127.0.0.1:9/")


def client(server: Server, **options: object) -> JsonClient:
    settings: dict[str, object] = {
        "url": f"{server.url}/v1",
        "name": "The server",
        "hint": "Check that it runs.",
        "timeout": 5.0,
        "most_bytes": 1 << 20,
        "headers": {"Authorization": f"Bearer {KEY}"},
        "key": KEY,
        **options,
    }
    return JsonClient(**settings)  # type: ignore[arg-type]


def test_json_goes_out_and_comes_back(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/v1/ask"] = (200, {}, [b'{"a": [1]}'])
    assert client(server).post("/ask", {"b": 2}) == {"a": [1]}
    assert server.requests[0][2]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000])
def test_an_answer_that_is_not_json_is_refused(serve: Callable[[], Server], body: bytes) -> None:
    server = serve()
    server.pages["/v1/ask"] = (200, {}, [body])
    with pytest.raises(HttpFailed, match="not JSON") as failed:
        client(server).post("/ask", {})
    assert (failed.value.failure, failed.value.hint) == ("not_json", "Check that it runs.")


def test_a_key_is_not_shown_in_messages(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/v1/ask"] = (401, {}, [f"bad key {KEY}".encode()])
    asking = client(server)
    with pytest.raises(HttpFailed, match=r"status 401: bad key \[key\]") as failed:
        asking.post("/ask", {})
    assert KEY not in f"{failed.value} {failed.value.hint} {asking!r}"
    assert failed.value.status == 401


def test_attempts_and_pauses_end_within_the_time_given_for_all(serve: Callable[[], Server]) -> None:
    server = serve()
    server.pages["/v1/ask"] = (503, {}, [])
    pauses: list[float] = []
    with pytest.raises(HttpFailed, match="503"):
        client(server, retries=3, sleep=pauses.append).post("/ask", {})
    assert pauses == [0.5, 1.0, 2.0]
    pauses.clear()
    with pytest.raises(HttpFailed, match="503"):
        client(server, retries=3, sleep=pauses.append, within=0.4).post("/ask", {})
    assert pauses == []


def test_downloads_follow_redirects_and_say_what_failed(serve: Callable[[], Server]) -> None:
    server, mirror = serve(), serve()
    server.pages["/model"] = (302, {"Location": f"{mirror.url}/model"}, [])
    mirror.pages["/model"] = (200, {}, [b"weights"])
    with download(f"{server.url}/model", timeout=5) as stream:
        assert stream.read() == b"weights"
    with pytest.raises(HttpFailed, match="status 404"), download(f"{server.url}/none", timeout=5):
        pass


@pytest.mark.parametrize(
    "url", ["ftp://x", "host", "http://", "http://a:b@host", "http://h/?k=1", "http://h:99999", "http://h/#f"]
)
def test_an_address_that_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        check_address(url)


@pytest.mark.parametrize("key", ["", "two words", "a\nb", "clé"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_key(key)
    assert not key or key not in str(refused.value)
