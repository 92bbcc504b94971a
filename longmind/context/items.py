"""What a context is made of: pieces of frames, cards, and the account of what was left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from longmind.base.frame import Frame
from longmind.base.results import Listing
from longmind.context.sentences import Range

if TYPE_CHECKING:
    from longmind.context.receipt import Receipt

Tier = Literal["full", "snippet", "gist", "micro", "cut"]
NO_ROOM: Final = "no room"
"""Start of the reason given for an item that was left out only because it did not fit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a frame, by byte ranges of its text."""

    frame: Frame
    lane: str
    rank: int
    tier: Tier
    ranges: tuple[Range, ...]
    superseded: int | None = None
    """The frame that says what holds now, where this one says what no longer does."""

    @property
    def frame_ids(self) -> tuple[int, ...]:
        return (self.frame.id,)


@dataclass(frozen=True, slots=True)
class Card:
    """A statement in our own words (a fact, a line of a brief), with the frames it rests on."""

    text: str
    lane: str
    rank: int
    frame_ids: tuple[int, ...]
    tier: str = "card"

    @property
    def ranges(self) -> tuple[Range, ...]:
        """None: its words are its own, not those of a frame."""
        return ()


Item = Piece | Card


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One item of a context: its text there, where it came from, and its size in tokens."""

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
    """The text for a prompt, within its budget, and the account of what is in it."""

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


@dataclass(frozen=True, slots=True, eq=False)
class ContextList(Listing[Context]):
    """The contexts of several questions, in the order of the questions, all of one state of the store."""

    contexts: tuple[Context, ...]
    revision: int
