"""Embeddings over HTTP: servers that speak the OpenAI or the Ollama interface."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import InvalidInput, Unavailable
from longmind.base.http import JsonClient, check_address, check_key
from longmind.embed.protocol import EmbedderIdentity, Encoding
from longmind.embed.windows import cut_windows, encodable

_MOST_BYTES = 256 << 20
"""Of one answer: a batch of 64 long texts with several windows of 4,096 numbers each stays well below."""
_WINDOW_WORDS = 1000
"""About 1,500 tokens of English, below the 2,048 that servers commonly allow at least."""
_WINDOW_UNIT = re.compile(r"\S{1,50}\s*")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to send texts, and how hard to try.

    `url` is the base (`https://host/v1` for OpenAI, `http://127.0.0.1:11434` for Ollama). The key goes into
    the Authorization header and nowhere else. Connections that fail are not tried again: whoever asks has
    other ways to answer. Refusals for now (429, 5xx) are, `retries` times, with growing pauses.
    """

    kind: Literal["openai", "ollama"]
    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    dimensions: int | None = None
    timeout: float = 30.0
    retries: int = 2
    batch: int = 64

    def __post_init__(self) -> None:
        check_address(self.url)
        check_key(self.api_key)
        if not self.model:
            raise InvalidInput(
                "An endpoint needs the name of a model.", hint="Write it as openai:MODEL or ollama:MODEL."
            )
        if self.batch < 1 or self.retries < 0 or self.timeout <= 0:
            raise InvalidInput("batch must be at least 1, retries at least 0, and timeout above 0.")
        if self.dimensions is not None and self.dimensions < 1:
            raise InvalidInput(f"dimensions must be at least 1, not {self.dimensions}.")


class EndpointEmbedder:
    """Vectors from a server. Unlike a local model, nothing pins what the server computes.

    The number of dimensions is the server's, learnt from the first answer, unless it was given; from then
    on any other number is an error.
    """

    supports_tokens = False

    def __init__(self, endpoint: Endpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        key = endpoint.api_key
        self._client = JsonClient(
            url=endpoint.url,
            name=f"The embedding endpoint {endpoint.url}",
            hint=f"Check that it runs, serves the model '{endpoint.model}' and accepts the key.",
            timeout=endpoint.timeout,
            most_bytes=_MOST_BYTES,
            headers={} if key is None else {"Authorization": f"Bearer {key}"},
            key=key,
            retries=endpoint.retries,
            sleep=sleep,
        )
        self._dimensions: int | None = endpoint.dimensions
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        if self._dimensions is None:
            self.encode(["a"])
        assert self._dimensions is not None
        return EmbedderIdentity(self._endpoint.kind, self._endpoint.model, self._dimensions, "served")

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        if isinstance(texts, str):
            raise InvalidInput("encode takes a sequence of texts, not one string.", hint="Wrap it in a list.")
        cut = [_windows(encodable(text)) for text in texts]
        flat = [window for windows in cut for window in windows]
        vectors: list[Float32Array] = []
        for begin in range(0, len(flat), self._endpoint.batch):
            vectors.extend(self._ask(flat[begin : begin + self._endpoint.batch]))
        return _regroup(vectors, [len(windows) for windows in cut])

    def close(self) -> None:
        """Nothing is held between calls."""

    def _ask(self, texts: list[str]) -> Float32Array:
        endpoint = self._endpoint
        body: dict[str, Any] = {"model": endpoint.model, "input": texts}
        if endpoint.dimensions is not None:
            body["dimensions"] = endpoint.dimensions
        if endpoint.kind == "openai":
            body["encoding_format"] = "float"
        answer = self._client.post("/embeddings" if endpoint.kind == "openai" else "/api/embed", body)
        try:
            rows = _openai_rows(answer) if endpoint.kind == "openai" else answer["embeddings"]
            matrix = _matrix(rows, count=len(texts))
        except (KeyError, TypeError, ValueError) as error:
            raise self._wrong(f"sent an answer that is not a list of vectors ({error})") from error
        with self._lock:
            if self._dimensions is None:
                self._dimensions = matrix.shape[1]
        if matrix.shape[1] != self._dimensions:
            raise self._wrong(f"sent vectors of {matrix.shape[1]} dimensions, not {self._dimensions}")
        return matrix

    def _wrong(self, detail: str) -> Unavailable:
        return self._client.failed(detail, failure="bad_answer")


def _windows(text: str) -> list[str]:
    """The text, cut where it is longer than servers commonly take; servers refuse the empty one."""
    words = list(_WINDOW_UNIT.finditer(text))
    if len(words) <= _WINDOW_WORDS:
        return [text or " "]
    ranges = cut_windows(range(len(words)), room=_WINDOW_WORDS)
    return [text[words[begin].start() : words[end - 1].end()] for begin, end in ranges]


def _openai_rows(answer: Any) -> list[Any]:
    entries = sorted(answer["data"], key=lambda entry: int(entry["index"]))
    if [entry["index"] for entry in entries] != list(range(len(entries))):
        raise ValueError("the positions do not count from 0")
    return [entry["embedding"] for entry in entries]


def _matrix(rows: Any, *, count: int) -> Float32Array:
    """The rows at unit length; a wrong number of them, unequal lengths or odd numbers are a ValueError."""
    if len(rows) != count:
        raise ValueError(f"{len(rows)} vectors for {count} texts")
    matrix = np.array(rows, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError("the vectors have no common length")
    norms = np.sqrt(np.square(matrix).sum(axis=1, keepdims=True))
    if not np.isfinite(norms).all() or not norms.all():
        raise ValueError("a vector is zero or not finite")
    scaled: Float32Array = (matrix / norms).astype(np.float32)
    return scaled


def _regroup(vectors: Sequence[Float32Array], counts: Sequence[int]) -> list[Encoding]:
    encodings = []
    begin = 0
    for count in counts:
        rows = np.stack(vectors[begin : begin + count])
        rows.setflags(write=False)
        encodings.append(Encoding(rows))
        begin += count
    return encodings
