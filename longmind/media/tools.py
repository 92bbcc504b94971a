"""Which media tools this process uses: those it was given, else those whose extras are installed."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeVar

from longmind.base.checks import check_choice
from longmind.base.errors import InvalidInput, LongmindError
from longmind.base.places import PLACE_RULES, PLACES
from longmind.media.protocols import Captioner, Label, Labeler, TextRecognizer, Transcriber

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
            if name in {"lat", "lon"} or self.decimals == 5
        }


@dataclass
class MediaTools:
    """The tools that read photos, videos and sound. None turns one off; "auto" takes what is installed."""

    text: TextRecognizer | Auto | None = AUTO
    speech: Transcriber | Auto | None = AUTO
    labels: Labeler | None = None
    captions: Captioner | None = None
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
        return cls(places=environment.get(PLACES_VARIABLE, "").strip() or "keep", labels=labels, cache=cache)

    def __post_init__(self) -> None:
        PlacePolicy.of(self.places)

    def kept_place(self, place: dict[str, float]) -> dict[str, float]:
        """What this process keeps of where something was taken."""
        return PlacePolicy.of(self.places).applied(place)

    def text_recognizer(self) -> TextRecognizer | str | None:
        """The one to use; None where it is turned off, and a sentence where it cannot be had."""
        with self._opening:  # models are large: two threads must not load one twice
            return self._text if self.text == AUTO else self.text

    def transcriber(self) -> Transcriber | str | None:
        with self._opening:
            return self._speech if self.speech == AUTO else self.speech

    @cached_property
    def _text(self) -> TextRecognizer | str:
        if importlib.util.find_spec("rapidocr") is not None:
            from longmind.media.ocr import RapidRecognizer

            return _opened(RapidRecognizer, _NO_TEXT)
        if importlib.util.find_spec("pytesseract") is not None:
            from longmind.media.ocr import TesseractRecognizer

            return _opened(TesseractRecognizer, _NO_TEXT)
        return f"{_NO_TEXT} Run: pip install 'longmind[ocr]'"

    @cached_property
    def _speech(self) -> Transcriber | str:
        if importlib.util.find_spec("faster_whisper") is not None:
            from longmind.media.speech import WhisperTranscriber

            return _opened(partial(WhisperTranscriber, cache=self.cache), _NO_SPEECH)
        return f"{_NO_SPEECH} Run: pip install 'longmind[speech]'"


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


def _opened(make: Callable[[], _Tool], missing: str) -> _Tool | str:
    try:
        return make()
    except LongmindError as error:
        return f"{missing} {error.message} {error.hint or ''}".strip()
