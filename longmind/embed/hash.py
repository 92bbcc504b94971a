"""An embedder without a model, from hashed words and letter triples: for tests and bare machines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

from longmind.base.arrays import Float32Array, Int32Array, np
from longmind.base.errors import InvalidInput
from longmind.embed.protocol import EmbedderIdentity, Encoding, TokenStates
from longmind.embed.windows import Window, byte_spans, cut_windows, encodable

_REVISION = "1"
_WINDOW = 256
_WORD_WEIGHT = 3
_REMEMBERED_WORDS = 20_000
_PIECE = re.compile(r"\w{1,32}")


class HashEmbedder:
    """Texts that share words, or parts of words, get near vectors; meaning is beyond it.

    A word's state is the same in every text, so late interaction becomes a match of words.
    """

    supports_tokens = True

    def __init__(self, dimensions: int = 256) -> None:
        if not 8 <= dimensions <= 4096:
            raise InvalidInput(f"The hash embedder has 8 to 4096 dimensions, not {dimensions}.")
        self._dimensions = dimensions
        self._word = lru_cache(maxsize=_REMEMBERED_WORDS)(self._hashed_word)

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("hash", "words", self._dimensions, _REVISION)

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        if isinstance(texts, str):
            raise InvalidInput("encode takes a sequence of texts, not one string.", hint="Wrap it in a list.")
        return [self._encode(encodable(text), tokens) for text in texts]

    def close(self) -> None:
        self._word.cache_clear()

    def _encode(self, text: str, tokens: bool) -> Encoding:
        found = list(_PIECE.finditer(text))
        words = [self._word(match.group().casefold()) for match in found]
        windows = cut_windows(range(len(words)), room=_WINDOW)
        vectors = np.stack([self._unit([row for _, row in words[begin:end]]) for begin, end in windows])
        vectors.setflags(write=False)
        if not tokens:
            return Encoding(vectors)
        rows = np.zeros((len(words), self._dimensions), dtype=np.float32)
        for place, (_, row) in enumerate(words):
            rows[place] = row
        spans: list[Window] = [match.span() for match in found]
        identifiers = np.array([identifier for identifier, _ in words], dtype=np.int32)
        return Encoding(vectors, TokenStates(ids=identifiers, spans=byte_spans(text, spans), states=rows))

    def _unit(self, rows: list[Int32Array]) -> Float32Array:
        # Whole numbers, so that no order of adding can change a bit.
        total = np.zeros(self._dimensions, dtype=np.int64)
        for row in rows:
            total += row
        if not total.any():
            # No words, or words that cancel out: any fixed direction will do, as long as it has length one.
            total[0] = 1
        scaled: Float32Array = (total / np.sqrt(float(total @ total))).astype(np.float32)
        return scaled

    def _hashed_word(self, word: str) -> tuple[int, Int32Array]:
        row = np.zeros(self._dimensions, dtype=np.int32)
        framed = f"<{word}>"
        digest = _digest(framed)
        self._add(row, digest, _WORD_WEIGHT)
        for begin in range(len(framed) - 2):
            self._add(row, _digest(framed[begin : begin + 3]), 1)
        return digest & 0x7FFF_FFFF, row

    def _add(self, row: Int32Array, digest: int, weight: int) -> None:
        row[(digest >> 1) % self._dimensions] += weight if digest & 1 else -weight


def _digest(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
