"""The things a context is made of: pieces of frames and fact cards, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from longmind.base.frame import Frame
from longmind.context.sentences import Range

if TYPE_CHECKING:
    from longmind.context.receipt import Receipt

Tier = Literal["full", "snippet", "gist", "micro", "cut"]
NO_ROOM: Final = "no room"
"""How the reason begins where something was left out only because it did not fit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a frame, by byte ranges of its text."""

    frame: Frame
    lane: str
    rank: int
    tier: Tier
    ranges: tuple[Range, ...]

    @property
    def frame_ids(self) -> tuple[int, ...]:
        return (self.frame.id,)


@dataclass(frozen=True, slots=True)
class Card:
    """A fact in words, with the frames that say so."""

    text: str
    lane: str
    rank: int
    frame_ids: tuple[int, ...]


Item = Piece | Card


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One thing in the context: what it says there, where it came from, and what it cost."""

    text: str
    lane: str
    tier: str
    rank: int
    frame_ids: tuple[int, ...]
    ranges: tuple[Range, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that is not in the context, and why."""

    frame_ids: tuple[int, ...]
    lane: str
    rank: int
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """What an agent gets: a text inside its budget, and the account of it."""

    text: str
    items: tuple[ContextItem, ...]
    total_tokens: int
    budget: int
    receipt: Receipt
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    """What could not run, and how the question was understood."""

    @property
    def truncated(self) -> bool:
        """True: something relevant had no room."""
        return any(drop.reason.startswith(NO_ROOM) for drop in self.dropped)

    def __str__(self) -> str:
        return self.text

    def __iter__(self) -> Iterator[ContextItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
