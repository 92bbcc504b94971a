"""Small real embedders for the tests: one that counts and may fail, and a server of vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from longmind import Unavailable
from longmind.embed.hash import HashEmbedder
from longmind.embed.protocol import EmbedderIdentity, Encoding
from tests.http_threads import serving

DIMENSIONS = 24


class CountingEmbedder:
    """The hash embedder, with a list of every text it was given; fails once it was given `most` of them."""

    supports_tokens = True

    def __init__(
        self, dimensions: int = DIMENSIONS, *, most: int | None = None, provider: str = "hash"
    ) -> None:
        self._inner = HashEmbedder(dimensions)
        self._provider = provider
        self.most = most
        self.texts: list[str] = []

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(self._provider, "counted", self._inner.identity.dimensions, "1")

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        if self.most is not None and len(self.texts) + len(texts) > self.most:
            raise Unavailable("The embedder is tired.", hint="Let it rest.")
        self.texts += texts
        return self._inner.encode(texts, tokens=tokens)

    def close(self) -> None:
        self._inner.close()


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        encodings = HashEmbedder(DIMENSIONS).encode(asked["input"])
        data = [
            {"index": place, "embedding": [float(value) for value in encoding.vectors[0]]}
            for place, encoding in enumerate(encodings)
        ]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Say nothing."""


@contextmanager
def endpoint(port: int = 0) -> Iterator[int]:
    """Serves embeddings on a local port while the `with` lasts."""
    with serving(ThreadingHTTPServer(("127.0.0.1", port), _Answers)) as server:
        yield int(server.server_address[1])
