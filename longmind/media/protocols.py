"""What a media tool does: read text in pictures, write down speech, name what is seen, describe it,
place pictures beside texts as vectors, name places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from longmind.media.subtitles import Cue

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in whole pixels of the upright picture."""


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A line of text in a picture, where it stands, and how sure the reader is (0 to 1)."""

    text: str
    box: Box
    score: float


@dataclass(frozen=True, slots=True)
class Label:
    """Something seen in a picture, and how sure the labeler is (0 to 1)."""

    name: str
    score: float


@runtime_checkable
class TextRecognizer(Protocol):
    """Reads the text in a picture. `name` and `version` are stored beside what it read."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def read(self, image: Image) -> Sequence[TextBlock]: ...


@runtime_checkable
class Transcriber(Protocol):
    """Writes down speech: one channel of 16 kHz samples between -1 and 1, a few minutes at a time."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def transcribe(self, samples: NDArray[np.float32]) -> Sequence[Cue]: ...


@runtime_checkable
class Labeler(Protocol):
    """Names what is seen in a picture."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def label(self, image: Image) -> Sequence[Label]: ...


@runtime_checkable
class Captioner(Protocol):
    """Describes a picture in a sentence."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def caption(self, image: Image) -> str: ...


@runtime_checkable
class ImageEmbedder(Protocol):
    """Gives pictures and texts vectors that can be compared: unit length, one row for each.

    `name` and `version` together say which model made a vector; only vectors of the same one are compared.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def embed_images(self, images: Sequence[Image]) -> NDArray[np.float32]: ...

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@runtime_checkable
class Gazetteer(Protocol):
    """Names the place at a point; None where it knows none."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def place_name(self, lat: float, lon: float) -> str | None: ...
