"""all-MiniLM-L6-v2 as int8 ONNX from the model cache: the default embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longmind.embed.catalogue import MINILM
from longmind.embed.folder import ModelFolder
from longmind.embed.models import locate
from longmind.embed.protocol import EmbedderIdentity, Encoding
from longmind.embed.runtime import Runtime


class MiniLM:
    """384 dimensions, English, windows of 256 word pieces."""

    supports_tokens = True
    runs_here = True

    def __init__(self, *, cache: Path, threads: int = 2) -> None:
        model = locate(MINILM.name, cache)
        self._runtime = Runtime(ModelFolder.read(model.folder), threads=threads)
        self._identity = EmbedderIdentity(
            provider=model.name, model=model.title, dimensions=model.dimensions, revision=model.revision
        )

    @property
    def identity(self) -> EmbedderIdentity:
        return self._identity

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return self._runtime.encode(texts, tokens=tokens)

    def close(self) -> None:
        self._runtime.close()
