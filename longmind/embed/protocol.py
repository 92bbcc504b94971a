"""What an embedder is: text in, unit vectors and the states of its word pieces out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from longmind.base.arrays import Float32Array, Int32Array


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Names the space its vectors live in: only vectors of one identity may be compared."""

    provider: str
    model: str
    dimensions: int
    revision: str

    def text(self) -> str:
        """The canonical form that a store remembers, such as `minilm/all-MiniLM-L6-v2/384/53aa51172d14-1`."""
        return f"{self.provider}/{self.model}/{self.dimensions}/{self.revision}"


@dataclass(frozen=True, slots=True, eq=False)
class TokenStates:
    """The last hidden states of a text's word pieces, in reading order, each piece once.

    `ids` is int32 (n,), `spans` int32 (n, 2) with UTF-8 byte offsets into the text, `states` float32
    (n, dimensions), not normalised. The model's special tokens are left out.
    """

    ids: Int32Array
    spans: Int32Array
    states: Float32Array


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """One text as vectors: float32 (windows, dimensions), each row of unit length, one row per window.

    A text that fits the model has exactly one window; a longer one is cut into windows that overlap a
    little. `tokens` is None if they were not asked for, or if the embedder has none.
    """

    vectors: Float32Array
    tokens: TokenStates | None = None
    familiar: float | None = None
    """From 0 to 1: how far the embedder knows the text's language. None lets the word pieces tell."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors; safe to share between threads.

    A text's encoding never depends on what else was encoded with it, before it, or on how many threads.
    Failures are `Unavailable`, `MissingExtra` or `Corrupt`, with a hint.

    An embedder that reads a question otherwise than a text may also have `encode_queries`, with the arguments
    of `encode`.
    """

    @property
    def identity(self) -> EmbedderIdentity: ...

    @property
    def supports_tokens(self) -> bool: ...

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]: ...

    def close(self) -> None: ...
