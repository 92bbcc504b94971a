"""What goes in: greedy by lane and rank, shrinking what does not fit, never above the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.base.tokens import Tokenizer
from recollect.context.items import NO_ROOM, Card, Dropped, Item, Piece
from recollect.context.recipe import LaneRecipe, Recipe
from recollect.context.render import FACTS, heading_of, line_of, render

Shrink = Callable[[Piece, int], Iterable[Piece]]
"""Smaller forms of a piece, the preferred first, for about so many tokens of text."""

_OVERLAP: Final = 0.5
_LEAST_ROOM: Final = 12
"""In fewer tokens nothing is said with its source."""

_LEAST_SHRUNK: Final = 30
_MOST_MISSES: Final = 6
"""After so many long items in a row without a form that fits, a lane takes only short ones."""

_MOST_CHARACTERS: Final = 7
"""A line with more characters for each token of room is not counted: it does not fit."""


@dataclass(slots=True)
class _Packing:
    """The state of one packing: what is in, what it is reckoned to cost, and what stayed out."""

    recipe: Recipe
    budget: int
    tokenizer: Tokenizer
    mark: str
    chosen: list[Item] = field(default_factory=list)
    dropped: dict[object, tuple[Item, str]] = field(default_factory=dict)
    """By frame, or by card: with the last reason."""
    spent: int = 0
    headings: set[str] = field(default_factory=set)
    frames: set[int] = field(default_factory=set)
    said: dict[tuple[str | None, str], int] = field(default_factory=dict)
    parts: dict[int, list[Piece]] = field(default_factory=dict)
    """The chosen chunks of each document."""
    sizes: dict[object, int] = field(default_factory=dict)

    def cost(self, item: Item, room: int) -> int:
        """Reckoned apart from the rest; the whole is counted at the end."""
        return self.size(item, room) + self.heading_cost(item)

    def size(self, item: Item, room: int) -> int:
        """Tokens of an item's line; more than the room, if that is plain to see."""
        key: object
        if isinstance(item, Piece):
            if item.tier == "full" and len(item.frame.text) > room * _MOST_CHARACTERS:
                return room + 1
            key = (item.frame.id, item.ranges)
        else:
            key = (item.lane, item.text)
        if key not in self.sizes:
            self.sizes[key] = self.tokenizer.count(line_of(item) + "\n")
        return self.sizes[key]

    def heading_cost(self, item: Item) -> int:
        heading = _heading(item)
        if heading in self.headings:
            return 0
        if heading not in self.sizes:
            self.sizes[heading] = self.tokenizer.count(heading + "\n")
        return self.sizes[heading]

    def add(self, item: Item, cost: int) -> None:
        self.chosen.append(item)
        self.spent += cost
        self.headings.add(_heading(item))
        self.said.setdefault(_saying(item), item.frame_ids[0] if item.frame_ids else 0)
        if isinstance(item, Piece):
            self.frames.add(item.frame.id)
            if item.frame.start is not None and item.frame.parent is not None:
                self.parts.setdefault(item.frame.parent, []).append(item)

    def drop(self, item: Item, reason: str) -> None:
        key = item.frame.id if isinstance(item, Piece) else (item.lane, item.rank)
        self.dropped[key] = item, reason

    def text(self) -> str:
        return render(self.chosen, mark=self.mark, order=self.recipe.order)


@dataclass(frozen=True, slots=True)
class Packed:
    """The items that fit, the text they make, its exact size, and what was left out."""

    items: tuple[Item, ...]
    sizes: tuple[int, ...]
    text: str
    tokens: int
    dropped: tuple[Dropped, ...]


def pack(
    candidates: Mapping[str, Sequence[Item]],
    *,
    recipe: Recipe,
    budget: int,
    tokenizer: Tokenizer,
    mark: str,
    shrink: Shrink,
) -> Packed:
    """Fill the lanes in the recipe's order. An empty context is empty text, whatever the budget."""
    state = _Packing(recipe, budget, tokenizer, mark)
    state.spent = tokenizer.count(render([], mark=mark, order=recipe.order))
    for lane in recipe.lanes:
        _fill(state, lane, candidates.get(lane.kind, ()), shrink)
    text, tokens = _settle(state)
    sizes = tuple(state.size(item, budget) for item in state.chosen)
    return Packed(tuple(state.chosen), sizes, text, tokens, _left_out(state))


def _fill(state: _Packing, lane: LaneRecipe, items: Sequence[Item], shrink: Shrink) -> None:
    room = min(state.budget - state.spent, int(state.budget * lane.share))
    taken = misses = 0
    for item in items:
        if isinstance(item, Piece) and item.frame.id in state.frames:
            continue
        if taken >= lane.items:
            state.drop(item, f"{NO_ROOM} for more than {lane.items} items in the lane {lane.kind}")
            continue
        if room < _LEAST_ROOM:
            state.drop(item, f"{NO_ROOM} left in the lane {lane.kind}")
            continue
        reason = _repeats(state, item)
        if reason:
            state.drop(item, reason)
            continue
        forms = shrink if misses < _MOST_MISSES else None
        fitting = _fitting(state, item, min(room, lane.item_tokens), forms)
        if fitting is None:
            state.drop(item, f"{NO_ROOM} left in the lane {lane.kind}")
            misses += 1
            continue
        state.add(*fitting)
        room -= fitting[1]
        taken += 1
        misses = 0


def _fitting(state: _Packing, item: Item, room: int, shrink: Shrink | None) -> tuple[Item, int] | None:
    """The item, or its largest form that fits, with what it costs."""
    cost = state.cost(item, room)
    if cost <= room:
        return item, cost
    if isinstance(item, Piece) and shrink is not None and room >= _LEAST_SHRUNK:
        around = state.heading_cost(item) + _LEAST_ROOM // 2
        for form in shrink(item, room - around):
            cost = state.cost(form, room)
            if cost <= room:
                return form, cost
    return None


def _settle(state: _Packing) -> tuple[str, int]:
    """Count the whole exactly; take out the last until it fits."""
    while state.chosen:
        text = state.text()
        tokens = state.tokenizer.count(text)
        if tokens <= state.budget:
            return text, tokens
        state.drop(state.chosen.pop(), f"{NO_ROOM} in the whole")
    return "", 0


def _left_out(state: _Packing) -> tuple[Dropped, ...]:
    """What one lane refused and another took was not left out."""
    taken = {item.frame.id for item in state.chosen if isinstance(item, Piece)}
    return tuple(
        Dropped(item.frame_ids, item.lane, item.rank, reason)
        for key, (item, reason) in state.dropped.items()
        if key not in taken
    )


def _heading(item: Item) -> str:
    return heading_of(item) if isinstance(item, Piece) else FACTS


def _saying(item: Item) -> tuple[str | None, str]:
    """Who says what; case and white space make no difference."""
    if isinstance(item, Card):
        return None, item.text
    frame = item.frame
    return frame.speaker or frame.role or "", " ".join(frame.text.lower().split())


def _repeats(state: _Packing, item: Item) -> str:
    """Why an item says nothing new: the same words, or much the same bytes of a document."""
    if isinstance(item, Card):
        return "said already" if _saying(item) in state.said else ""
    frame = item.frame
    same = state.said.get(_saying(item))
    if same is not None:
        return f"says the same as frame {same}"
    for other in state.parts.get(frame.parent or 0, ()):
        if _overlap(other, item) > _OVERLAP:
            return f"overlaps with frame {other.frame.id}"
    return ""


def _overlap(one: Piece, other: Piece) -> float:
    a, b = one.frame, other.frame
    if a.start is None or b.start is None or a.end is None or b.end is None:
        return 0.0
    shared = min(a.end, b.end) - max(a.start, b.start)
    return shared / min(a.end - a.start, b.end - b.start)
