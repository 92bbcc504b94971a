"""Fakes for the tests of whatever is built on Longmind; its own tests use the same ones.

`FrozenClock` is the time you say it is, `HashEmbedder` needs no model and is the same everywhere, and
`ScriptedModel` answers with the lines you give it and keeps the prompts. `FixedRecognizer`,
`FixedTranscriber`, `FixedLabeler` and `FixedCaptioner` stand in for the tools that read media.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from longmind.base.times import to_ms
from longmind.embed.hash import HashEmbedder
from longmind.llm.protocol import ModelFailed, Prompt, Reply
from longmind.media.protocols import Label, TextBlock
from longmind.media.subtitles import Cue

__all__ = [
    "FixedCaptioner",
    "FixedLabeler",
    "FixedRecognizer",
    "FixedTranscriber",
    "FrozenClock",
    "HashEmbedder",
    "ScriptedModel",
]

Line = str | BaseException | Reply | list[Any] | Callable[[Prompt], str]


class FrozenClock:
    """A clock that stands still until it is moved: for tests, replays and simulations."""

    def __init__(self, start: datetime | int) -> None:
        self._now = to_ms(start, "start")

    def now(self) -> int:
        return self._now

    def set(self, moment: datetime | int) -> None:
        self._now = to_ms(moment, "moment")

    def advance(self, *, days: float = 0, seconds: float = 0, milliseconds: int = 0) -> int:
        """Move on (or back, with negative values) and return the new reading."""
        moved = round(days * 86_400_000) + round(seconds * 1000) + milliseconds
        self._now = to_ms(self._now + moved, "moment")
        return self._now


class ScriptedModel:
    """A language model that answers with its lines in order; the last one is repeated.

    An exception is raised, a list is written as JSON, a function is called with the prompt. `prompts` holds
    what was asked.
    """

    provider = "scripted"

    def __init__(self, lines: Iterable[Line], *, model: str = "script") -> None:
        self.model = model
        self.prompts: list[Prompt] = []
        self._lines = list(lines)

    def complete(self, prompt: Prompt) -> Reply:
        if not self._lines:
            raise ModelFailed("The script is empty.", outcome="unreachable")
        line = self._lines[min(len(self.prompts), len(self._lines) - 1)]
        self.prompts.append(prompt)
        if isinstance(line, BaseException):
            raise line
        if isinstance(line, Reply):
            return line
        text = line if isinstance(line, str) else json.dumps(line) if isinstance(line, list) else line(prompt)
        return Reply(text, input_tokens=len(prompt.user) // 4 + 1, output_tokens=len(text) // 4 + 1)


class FixedRecognizer:
    """Reads the same blocks of text in every picture, and keeps the sizes of those it was shown."""

    name, version = "fixed", "1"

    def __init__(self, *blocks: TextBlock) -> None:
        self.blocks = blocks
        self.sizes: list[tuple[int, int]] = []

    def read(self, image: Any) -> Sequence[TextBlock]:
        self.sizes.append(image.size)
        return self.blocks


class FixedTranscriber:
    """Hears the same in every part of a recording, and keeps how many samples each had."""

    name, version = "fixed", "1"

    def __init__(self, *cues: Cue) -> None:
        self.cues = cues
        self.lengths: list[int] = []

    def transcribe(self, samples: Any) -> Sequence[Cue]:
        self.lengths.append(len(samples))
        return self.cues


class FixedLabeler:
    """Sees the same things in every picture."""

    name, version = "fixed", "1"

    def __init__(self, *labels: Label) -> None:
        self.labels = labels

    def label(self, image: Any) -> Sequence[Label]:
        return self.labels


class FixedCaptioner:
    """Describes every picture in the same words."""

    name, version = "fixed", "1"

    def __init__(self, text: str) -> None:
        self.text = text

    def caption(self, image: Any) -> str:
        return self.text
