"""A document that is too large for one transaction, and a process that is killed while it writes one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from longmind import FrozenClock, Memory
from longmind.embed import EmbedderIdentity, Encoding, open_embedder
from longmind.ingest import parts, prepare
from tests.conftest import START

MARKER = "zanzibarium"
CHUNKS = {"chunk_tokens": 16, "chunk_overlap": 0}
URI = "test:large"
LARGE = 100
"""Chunks from which on a document counts as large here: the real limit would take the tests a minute."""


def lower_limits() -> None:
    prepare.IN_PARTS = LARGE  # type: ignore[misc]
    parts._SLICES = 1  # type: ignore[misc]


def large_text(count: int = 90) -> str:
    """About so many chunks, each with the marker; the first and the last state a fact."""
    middle = [
        f"The {MARKER} of section {number} holds some quiet words of its own." for number in range(count)
    ]
    ending = "Clara Maple lives in Faro. Clara Maple works at Initech."
    return "\n\n".join(["Berta Larch lives in Braga. Berta Larch works at Acme.", *middle, ending])


class Watched:
    """The hash embedder; says before each call how many texts it has embedded."""

    def __init__(self, watch: Callable[[int], None]) -> None:
        self._inner = open_embedder("hash:16", cache=Path())
        self._watch = watch
        self.count = 0

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    @property
    def supports_tokens(self) -> bool:
        return False

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        self._watch(self.count)
        self.count += len(texts)
        return self._inner.encode(texts, tokens=tokens)

    def close(self) -> None:
        self._inner.close()


def main(location: str) -> None:
    def kill(count: int) -> None:
        if count > 60:
            os.kill(os.getpid(), signal.SIGKILL)

    lower_limits()
    with Memory.open(location, clock=FrozenClock(START), embedder=Watched(kill)) as memory:
        memory.ingest(text=large_text(), uri=URI, **CHUNKS)


if __name__ == "__main__":
    main(sys.argv[1])
