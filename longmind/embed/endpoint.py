"""Embeddings over HTTP: servers that speak the OpenAI or the Ollama interface."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import InvalidInput, LongmindError, Unavailable
from longmind.embed.protocol import EmbedderIdentity, Encoding
from longmind.embed.windows import cut_windows, encodable

_RETRIED = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 10.0
_MOST_BYTES = 256 << 20
_WINDOW_WORDS = 1000
_WORD = re.compile(r"\S{1,50}\s*")


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
    api_key: str | None = None
    dimensions: int | None = None
    timeout: float = 30.0
    retries: int = 2
    batch: int = 64

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            _ = parts.port
        except ValueError as error:
            raise InvalidInput(f"An endpoint's address cannot be read: {error}.") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("An endpoint's address begins with http:// or https:// and names a host.")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InvalidInput(
                "An endpoint's address holds no user, password, query or fragment.",
                hint="Give the key as api_key.",
            )
        if not self.model:
            raise InvalidInput("An endpoint needs the name of a model.")
        if self.api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", self.api_key):
            raise InvalidInput(
                "The API key has characters that no key has; is it empty, or does it hold a newline?"
            )
        if self.batch < 1 or self.retries < 0 or self.timeout <= 0:
            raise InvalidInput("batch must be at least 1, retries at least 0, and timeout above 0.")
        if self.dimensions is not None and self.dimensions < 1:
            raise InvalidInput(f"dimensions must be at least 1, not {self.dimensions}.")

    def __repr__(self) -> str:
        return f"Endpoint(kind={self.kind!r}, model={self.model!r}, url={self.url!r})"


class EndpointEmbedder:
    """Vectors from a server. Unlike a local model, nothing pins what the server computes.

    The number of dimensions is the server's, learnt from the first answer, unless it was given; from then
    on any other number is an error.
    """

    supports_tokens = False

    def __init__(self, endpoint: Endpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._sleep = sleep
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
        answer = self._post("/embeddings" if endpoint.kind == "openai" else "/api/embed", body)
        try:
            rows = _openai_rows(answer) if endpoint.kind == "openai" else answer["embeddings"]
            matrix = _matrix(rows, count=len(texts))
        except (KeyError, TypeError, ValueError) as error:
            raise self._failed(f"sent an answer that is no list of vectors ({error})") from error
        with self._lock:
            if self._dimensions is None:
                self._dimensions = matrix.shape[1]
        if matrix.shape[1] != self._dimensions:
            raise self._failed(f"sent vectors of {matrix.shape[1]} dimensions, not {self._dimensions}")
        return matrix

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        payload = json.dumps(body).encode()
        pause = _FIRST_PAUSE
        for attempt in range(self._endpoint.retries + 1):
            status, wait, content = self._exchange(path, payload)
            if status == 200:
                try:
                    return json.loads(content)
                except ValueError as error:
                    raise self._failed("sent an answer that is no JSON") from error
            if status not in _RETRIED or attempt == self._endpoint.retries:
                break
            self._sleep(min(max(pause, wait), _LONGEST_PAUSE))
            pause *= 2
        raise self._failed(f"answered with status {status}{self._quoted(content)}")

    def _exchange(self, path: str, payload: bytes) -> tuple[int, float, bytes]:
        """One request on a connection of its own: status, seconds asked to wait, body."""
        endpoint = self._endpoint
        parts = urlsplit(endpoint.url)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if endpoint.api_key is not None:
            headers["Authorization"] = f"Bearer {endpoint.api_key}"
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        deadline = time.monotonic() + endpoint.timeout
        try:
            connection = kind(parts.hostname or "", parts.port, timeout=endpoint.timeout)
            try:
                connection.request("POST", parts.path.rstrip("/") + path, body=payload, headers=headers)
                response = connection.getresponse()
                content = bytearray()
                while block := response.read1(1 << 16):
                    content += block
                    if len(content) > _MOST_BYTES:
                        raise self._failed(f"sent more than {_MOST_BYTES >> 20} MiB")
                    if time.monotonic() > deadline:
                        raise TimeoutError
                return response.status, _seconds(response.getheader("Retry-After")), bytes(content)
            finally:
                connection.close()
        except LongmindError:
            raise
        except TimeoutError as error:
            raise self._failed(f"did not answer within {endpoint.timeout:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(f"cannot be reached ({error or type(error).__name__})") from error

    def _quoted(self, content: bytes) -> str:
        """The beginning of what the server said, without the key should it repeat it."""
        text = " ".join(content[:2000].decode("utf-8", "replace").split())
        if self._endpoint.api_key is not None:
            text = text.replace(self._endpoint.api_key, "[key]")
        return f": {text[:200]}" if text else ""

    def _failed(self, what: str) -> Unavailable:
        return Unavailable(
            f"The embedding endpoint {self._endpoint.url} {what}.",
            hint=f"Check that it runs, serves the model '{self._endpoint.model}' and accepts the key.",
        )


def _windows(text: str) -> list[str]:
    """The text, cut where it is longer than servers commonly take; servers refuse the empty one."""
    words = list(_WORD.finditer(text))
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


def _seconds(header: str | None) -> float:
    """What Retry-After asks for, if it is a number; dates are rare here and ignored."""
    return float(header) if header is not None and re.fullmatch(r"\d{1,6}", header.strip()) else 0.0
