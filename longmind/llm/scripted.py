"""A language model that says what it was told to say: for tests and demonstrations, here and elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from longmind.llm.protocol import ModelFailed, Prompt, Reply

Line = str | BaseException | Reply | list[Any] | Callable[[Prompt], str]


class ScriptedModel:
    """Answers with its lines in order; the last one is repeated. An exception is raised, a list is JSON.

    `prompts` holds what it was asked.
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
