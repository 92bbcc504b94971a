"""Where a hook takes its answers from, and gives its turns to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longmind.hooks.events import Turn


@dataclass(frozen=True, slots=True)
class Note:
    """A frame, as far as a hook shows it."""

    id: int
    occurred_at: int
    text: str
    who: str = ""
    session: str = ""


class Source(Protocol):
    """A memory: a server that runs, or the store itself."""

    how: str
    """What its answers lack, in words; empty if nothing."""

    def recall(self, question: str, *, session: str) -> str:
        """What is known of a question, marked as data; empty if nothing is."""
        ...

    def brief(self, topic: str) -> str:
        """What experience says of a topic, marked as data; empty if nothing."""
        ...

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        """The newest frames, newest first."""
        ...

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        """Keep turns, each once."""
        ...

    def close(self) -> None: ...
