"""Two embedders in one: English texts get the first one's vectors, all others the second one's.

The spaces are kept apart in one longer vector: a text fills one half and leaves the other empty. A question
fills both, so that it reaches texts in every language, each by the embedder that knows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from longmind.base.arrays import Float32Array, np
from longmind.base.languages import language_of
from longmind.base.words import WORD
from longmind.embed.protocol import Embedder, EmbedderIdentity, Encoding

_HALF: Final = np.float32(0.5**0.5)
_MANY_LANGUAGES: Final = 0.5
"""How far a model of many languages is trusted in each. By vectors alone it is below words alone in every
language of XQuAD that was tried (Spanish .949 against .969, Arabic .805 against .915, nDCG@10)."""


class PairedEmbedder:
    """An embedder for English and one for other languages; word pieces are the first one's."""

    def __init__(self, english: Embedder, other: Embedder) -> None:
        self._english = english
        self._other = other
        self._width = english.identity.dimensions
        first, second = english.identity, other.identity
        self.identity = EmbedderIdentity(
            provider=f"{first.provider}+{second.provider}",
            model=f"{first.model}+{second.model}",
            dimensions=first.dimensions + second.dimensions,
            revision=f"{first.revision}+{second.revision}",
        )

    @property
    def supports_tokens(self) -> bool:
        return self._english.supports_tokens

    @property
    def token_dimensions(self) -> int:
        return self._width

    @property
    def runs_here(self) -> bool:
        return all(getattr(part, "runs_here", False) for part in (self._english, self._other))

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        first = self._english.encode(texts, tokens=tokens)
        foreign = [number for number, text in enumerate(texts) if not is_english(text)]
        second = dict(zip(foreign, self._other.encode([texts[n] for n in foreign]), strict=True))
        return [
            replace(encoding, vectors=self._row(None, second[number].vectors))
            if number in second
            else replace(encoding, vectors=self._row(encoding.vectors, None))
            for number, encoding in enumerate(first)
        ]

    def encode_queries(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        """Vectors to search with, by both embedders."""
        pairs = zip(self._english.encode(texts, tokens=tokens), self._other.encode(texts), texts, strict=True)
        return [
            Encoding(
                self._row(english.vectors[:1] * _HALF, other.vectors[:1] * _HALF),
                english.tokens,
                familiar=self._familiarity(text),
            )
            for english, other, text in pairs
        ]

    def close(self) -> None:
        self._english.close()
        self._other.close()

    def _familiarity(self, text: str) -> float | None:
        if is_english(text):
            return 1.0
        knows = getattr(self._other, "knows", None)
        return _MANY_LANGUAGES if knows is None or knows(text) else None

    def _row(self, english: Float32Array | None, other: Float32Array | None) -> Float32Array:
        vectors = english if english is not None else other
        assert vectors is not None
        rows = np.zeros((len(vectors), self.identity.dimensions), dtype=np.float32)
        if english is not None:
            rows[:, : self._width] = english
        if other is not None:
            rows[:, self._width :] = other
        rows.setflags(write=False)
        return rows


def is_english(text: str) -> bool:
    """Whether an English model can read it. Names and code, which belong to no language, count as English."""
    if not text.isascii():
        letters = [character for character in text if character.isalpha()]
        if 2 * sum(not character.isascii() for character in letters) > len(letters):
            return False
    return language_of([word.lower() for word in WORD.findall(text)]) is None
