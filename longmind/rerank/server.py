"""Reranking over HTTP: servers with the `/rerank` of Cohere, Jina, vLLM or text-embeddings-inference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from longmind.base.errors import Unavailable
from longmind.base.http import JsonClient, check_address, check_key

_MOST_BYTES: Final = 16 << 20
_TIMEOUT: Final = 15.0
_LONGEST_TEXT: Final = 8000
"""Characters of a text that are sent: about what such models read."""


class ServedReranker:
    """Scores from a server's `/rerank`. If it does not answer, the search keeps its own order and says so."""

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        api_key: str | None = None,
        timeout: float = _TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        check_address(url)
        check_key(api_key)
        self._model = model
        self._client = JsonClient(
            url=url,
            name=f"The reranking server {url}",
            hint="Check that it runs, serves the model and accepts the key.",
            timeout=timeout,
            most_bytes=_MOST_BYTES,
            headers={} if api_key is None else {"Authorization": f"Bearer {api_key}"},
            key=api_key,
            retries=1,
            sleep=sleep,
        )

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        sent = [text[:_LONGEST_TEXT] or " " for text in texts]
        # Both names of the list: servers take the one they know and ignore the other.
        body: dict[str, Any] = {"query": query, "documents": sent, "texts": sent, "top_n": len(sent)}
        if self._model:
            body["model"] = self._model
        answer = self._client.post("/rerank", body)
        try:
            return _scores(answer, len(texts))
        except (KeyError, TypeError, ValueError) as error:
            raise self._wrong(error) from error

    def _wrong(self, error: Exception) -> Unavailable:
        return self._client.failed(f"sent an answer without scores ({error})", failure="bad_answer")


def _scores(answer: Any, count: int) -> list[float]:
    """In the order of the texts; a text without a score, or with two, is a ValueError."""
    entries = answer["results"] if isinstance(answer, dict) else answer
    scores: dict[int, float] = {}
    for entry in entries:
        number = int(entry["index"])
        if number in scores or not 0 <= number < count:
            raise ValueError(f"text {number} is scored twice or was not sent")
        value = entry["relevance_score"] if "relevance_score" in entry else entry["score"]
        scores[number] = float(value)
    if len(scores) != count:
        raise ValueError(f"{len(scores)} scores for {count} texts")
    return [scores[number] for number in range(count)]
