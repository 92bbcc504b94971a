"""An embedder for tests: the text `c7 i3` is the third point of the seventh cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from longmind.embed.protocol import EmbedderIdentity, Encoding

_CLUSTER = re.compile(r"c(\d+)")
_POINT = re.compile(r"i(\d+)")
SPREAD = 0.35


class ClusterEmbedder:
    """Points around random centres: neighbours are near, as those of real texts are."""

    supports_tokens = False

    def __init__(self, dimensions: int = 64, *, windows: int = 1) -> None:
        self._dimensions = dimensions
        self._windows = windows

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("clusters", "test", self._dimensions, "1")

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return [
            Encoding(np.stack([self._vector(text, part) for part in range(self._parts(text))]))
            for text in texts
        ]

    def close(self) -> None:
        """Nothing is held."""

    def _parts(self, text: str) -> int:
        """Only what is remembered is long, and only where it says so."""
        return self._windows if "long" in text else 1

    def _vector(self, text: str, part: int) -> np.ndarray:
        return _vector(text, part, self._dimensions)


@lru_cache(maxsize=20_000)
def _vector(text: str, part: int, dimensions: int) -> np.ndarray:
    cluster, point = (int(match[1]) if (match := rule.search(text)) else 0 for rule in (_CLUSTER, _POINT))
    centre = np.random.default_rng(cluster).standard_normal(dimensions)
    aside = np.random.default_rng((cluster, point, part)).standard_normal(dimensions)
    vector = centre / np.linalg.norm(centre) + SPREAD * aside / np.linalg.norm(aside)
    scaled: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
    return scaled


def exact_order(embedder: ClusterEmbedder, query: str, texts: Sequence[str]) -> list[int]:
    """Places of the texts, nearest first, by the vectors as they are stored."""
    [asked] = embedder.encode([query])
    stored = [encoding.vectors.astype(np.float16).astype(np.float32) for encoding in embedder.encode(texts)]
    cosines = np.array([float((windows @ asked.vectors[0]).max()) for windows in stored])
    return [int(place) for place in np.argsort(-cosines, kind="stable")]
