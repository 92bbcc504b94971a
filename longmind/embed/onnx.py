"""Any sentence-transformers model that was exported to ONNX, from its folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from longmind.base.store_files import open_user_file
from longmind.embed.catalogue import MINILM
from longmind.embed.folder import ModelFolder
from longmind.embed.models import locate
from longmind.embed.protocol import EmbedderIdentity, Encoding, TokenStates
from longmind.embed.runtime import Runtime


class OnnxEmbedder:
    """The model of one folder; its files' hash is its revision, so that exchanged weights are noticed."""

    runs_here = True

    def __init__(self, folder: Path, *, threads: int = 2, device: str = "cpu") -> None:
        self._name = folder.resolve().name
        self._folder = ModelFolder.read(folder)
        self._runtime = Runtime(self._folder, threads=threads, device=device)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        return EmbedderIdentity(
            provider="onnx", model=self._name, dimensions=self._runtime.dimensions, revision=self._revision()
        )

    @property
    def supports_tokens(self) -> bool:
        return self._runtime.has_states

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return self._encode(texts, self._folder.text_prompt, tokens=tokens)

    def encode_queries(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        return self._encode(texts, self._folder.query_prompt, tokens=tokens)

    def close(self) -> None:
        self._runtime.close()

    def _encode(self, texts: Sequence[str], prompt: str, *, tokens: bool) -> list[Encoding]:
        if not prompt or isinstance(texts, str):
            return self._runtime.encode(texts, tokens=tokens)
        encodings = self._runtime.encode([prompt + text for text in texts], tokens=tokens)
        return [_without_prompt(encoding, len(prompt.encode())) for encoding in encodings]

    def _revision(self) -> str:
        """Over all that decides a vector: graph, weights kept beside it, tokenizer, window and pooling."""
        graph = self._folder.graph
        beside = [graph.with_name(graph.name + ending) for ending in ("_data", ".data")]
        prompt = f" {self._folder.text_prompt!r}" if self._folder.text_prompt else ""
        digest = hashlib.sha256(f"{self._folder.longest} {self._folder.pooling}{prompt}".encode())
        for path in (graph, *beside, self._folder.tokenizer):
            if path.is_file():
                with open_user_file(path) as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()[:16]


def _without_prompt(encoding: Encoding, size: int) -> Encoding:
    """With the word pieces of the text alone, at their places in it."""
    tokens = encoding.tokens
    if tokens is None:
        return encoding
    keep = tokens.spans[:, 0] >= size
    kept = TokenStates(tokens.ids[keep], tokens.spans[keep] - size, tokens.states[keep])
    return replace(encoding, tokens=kept)


class MiniLM:
    """384 dimensions, English, windows of 256 word pieces."""

    supports_tokens = True
    runs_here = True

    def __init__(self, *, cache: Path, threads: int = 2, device: str = "cpu") -> None:
        model = locate(MINILM.name, cache)
        self._runtime = Runtime(ModelFolder.read(model.folder), threads=threads, device=device)
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


class InstalledOnnx(OnnxEmbedder):
    """A model of the catalogue that was published as a graph, with the prompts that its folder names."""

    def __init__(
        self, name: str, *, provider: str, cache: Path, threads: int = 2, device: str = "cpu"
    ) -> None:
        model = locate(name, cache)
        super().__init__(model.folder, threads=threads, device=device)
        self.identity = EmbedderIdentity(
            provider=provider, model=model.title, dimensions=model.dimensions, revision=model.revision
        )
