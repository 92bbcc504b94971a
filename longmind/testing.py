"""Fakes for the tests of whatever is built on Longmind; its own tests use the same ones.

`FrozenClock` is the time you say it is, `HashEmbedder` needs no model and is the same everywhere, and
`ScriptedModel` answers with the lines you give it and keeps the prompts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from longmind.base.times import to_ms
from longmind.embed.hash import HashEmbedder
from longmind.llm.protocol import ModelFailed, Prompt, Reply

__all__ = ["FrozenClock", "HashEmbedder", "ScriptedModel"]

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
