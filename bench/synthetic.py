"""Texts and vectors in any number, made without a model: Zipf over real words, clusters of directions."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longmind.embed import EmbedderIdentity, Encoding, TokenStates

VOCABULARY = 60_000
WORDS = 25
DIMENSIONS = 384
START = 1_600_000_000_000
STEP = 60_000
_KNEE = 4000
_TOPICS = 2000
_SPREAD = 0.8
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@cache
def vocabulary() -> tuple[str, ...]:
    """Real words by how common they are; behind them pairs of real words, for the long tail."""
    from pydoc_data import topics

    counted = Counter(_WORD.findall(" ".join(topics.topics.values()).lower()))
    words = [word for word, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))]
    longer = [word for word in words if len(word) > 3]
    random = np.random.default_rng(1)
    distinct = dict.fromkeys(words)
    while len(distinct) < VOCABULARY:
        first, second = random.integers(0, len(longer), 2)
        distinct[longer[first] + longer[second]] = None
    return tuple(distinct)[:VOCABULARY]


def texts(count: int, *, seed: int = 0) -> Iterator[str]:
    """Texts of about `WORDS` words each, drawn by rank as words are in language."""
    words = np.array(vocabulary(), dtype=object)
    ranks = np.arange(len(words)) + 2.7
    # Common words fall off slowly, rare ones faster, as in any large collection of texts.
    shares = 1 / ranks * np.minimum(1.0, (_KNEE / ranks) ** 0.6)
    edges = np.cumsum(shares / shares.sum())
    for first in range(0, count, 1000):
        random = np.random.default_rng((seed, first))
        sizes = np.maximum(4, random.poisson(WORDS, min(1000, count - first)))
        drawn = np.minimum(np.searchsorted(edges, random.random(int(sizes.sum()))), len(words) - 1)
        ends = np.cumsum(sizes)
        drawn_words = words[drawn].tolist()
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True):
            yield " ".join(drawn_words[end - size : end])


def items(count: int, *, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Turns of conversations, ten to a session; one in a hundred carries a tag."""
    for number, text in enumerate(texts(count, seed=seed)):
        yield {
            "text": text,
            "session": f"talk {number // 10}",
            "role": "user" if number % 2 == 0 else "assistant",
            "occurred_at": START + STEP * number,
            "tags": ("kept",) if number % 100 == 7 else (),
        }


def questions(count: int, *, among: int, seed: int = 0) -> list[str]:
    """Runs of words out of the texts, long enough to be a question."""
    random = np.random.default_rng(2)
    chosen = set(random.choice(among, count, replace=False).tolist())
    queries = []
    for number, text in enumerate(texts(among, seed=seed)):
        if number in chosen:
            words = text.split()
            begin = int(random.integers(0, max(1, len(words) - 8)))
            queries.append(" ".join(words[begin : begin + 8]))
    return queries


class Clusters:
    """Stands in for a model: a text's vector lies near one of many topics, its pieces are its words.

    With a real model's identity, a store filled by this one can be opened with that model.
    """

    def __init__(self, identity: EmbedderIdentity | None = None) -> None:
        self.identity = identity or EmbedderIdentity("bench", "clusters", DIMENSIONS, "1")
        random = np.random.default_rng(3)
        topics = random.standard_normal((_TOPICS, DIMENSIONS), dtype=np.float32)
        self._topics = topics / np.linalg.norm(topics, axis=1, keepdims=True)
        self._states = random.standard_normal((4096, DIMENSIONS), dtype=np.float32)
        self._noise = random.standard_normal((8192, DIMENSIONS), dtype=np.float32) / np.sqrt(DIMENSIONS)

    @property
    def supports_tokens(self) -> bool:
        return True

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return [Encoding(self._vector(text), self._tokens(text) if tokens else None) for text in texts]

    def close(self) -> None:
        return None

    def _vector(self, text: str) -> NDArray[np.float32]:
        # The longest word names the topic, so that a question lies near the texts it was taken from.
        longest = max(text.split() or [""], key=lambda word: (len(word), word))
        topic, noise = zlib.crc32(longest.encode()), zlib.crc32(text.encode())
        vector = self._topics[topic % _TOPICS] + _SPREAD * self._noise[noise % len(self._noise)]
        unit: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit[None, :]

    def _tokens(self, text: str) -> TokenStates:
        spans = [match.span() for match in re.finditer(r"\S+", text)]
        places = [zlib.crc32(text[begin:end].encode()) % len(self._states) for begin, end in spans]
        return TokenStates(
            ids=np.array(places, dtype=np.int32),
            spans=np.array(spans, dtype=np.int32).reshape(-1, 2),
            states=self._states[places],
        )


class Ready:
    """Some questions' vectors, made before anybody asks: a search with them costs no embedding."""

    def __init__(self, embedder: Clusters, texts: Sequence[str]) -> None:
        self.identity = embedder.identity
        self._made = dict(zip(texts, embedder.encode(texts, tokens=True), strict=True))

    @property
    def supports_tokens(self) -> bool:
        return True

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return [self._made[text] for text in texts]

    def close(self) -> None:
        return None
