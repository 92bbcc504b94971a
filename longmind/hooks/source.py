"""Where a hook takes its answers from, and where it writes turns to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from longmind.hooks.events import Turn

NO_LONGER: Final = "(no longer holds)"
"""Before a statement that was replaced, where what replaced it is not shown."""


@dataclass(frozen=True, slots=True)
class Note:
    """The fields of a frame that a hook shows."""

    id: int
    occurred_at: int
    text: str
    speaker: str = ""
    superseded: int | None = None
    """The frame that says what holds now, where this one no longer does."""


class Source(Protocol):
    """A memory: a server that runs, or the store itself."""

    def recall(self, question: str, *, session: str) -> str:
        """What is known about a question, marked as recalled; empty if nothing is."""
        ...

    def brief(self, topic: str) -> str:
        """What experience says about a topic, marked as recalled; empty if nothing."""
        ...

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        """The newest frames, newest first."""
        ...

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        """Store turns, each once."""
        ...

    def close(self) -> None: ...
