"""What goes in: greedy by lane and rank, shrinking what does not fit, never above the budget."""

from __future__ import annotations

import re
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

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class _Packing:
    """The state of one packing: what is in, what it is reckoned to cost, and what stayed out."""

    recipe: Recipe
    budget: int
    tokenizer: Tokenizer
    mark: str
    chosen: list[Item] = field(default_factory=list)
    dropped: list[tuple[Item, str]] = field(default_factory=list)
    spent: int = 0
    headings: set[str] = field(default_factory=set)
    frames: set[int] = field(default_factory=set)
    said: dict[tuple[str | None, str], int] = field(default_factory=dict)
    parts: dict[int, list[Piece]] = field(default_factory=dict)
    """The chosen chunks of each document."""

    def cost(self, item: Item) -> int:
        """Reckoned apart from the rest; the whole is counted at the end."""
        return self.tokenizer.count(line_of(item) + "\n") + self.heading_cost(item)

    def heading_cost(self, item: Item) -> int:
        heading = _heading(item)
        return 0 if heading in self.headings else self.tokenizer.count(heading + "\n")

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
        self.dropped.append((item, reason))

    def text(self) -> str:
        return render(self.chosen, mark=self.mark, order=self.recipe.order)


@dataclass(frozen=True, slots=True)
class Packed:
    """The items that fit, the text they make, its exact size, and what was left out."""

    items: tuple[Item, ...]
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
    return Packed(tuple(state.chosen), text, tokens, _left_out(state))


def _fill(state: _Packing, lane: LaneRecipe, items: Sequence[Item], shrink: Shrink) -> None:
    room = min(state.budget - state.spent, int(state.budget * lane.share))
    taken = 0
    for item in items:
        reason = _repeats(state, item)
        if reason:
            state.drop(item, reason)
            continue
        if taken >= lane.items:
            state.drop(item, f"{NO_ROOM} for more than {lane.items} items in the lane {lane.kind}")
            continue
        fitting = _fitting(state, item, min(room, lane.item_tokens), shrink)
        if fitting is None:
            state.drop(item, f"{NO_ROOM} left in the lane {lane.kind}")
            continue
        state.add(*fitting)
        room -= fitting[1]
        taken += 1


def _fitting(state: _Packing, item: Item, room: int, shrink: Shrink) -> tuple[Item, int] | None:
    """The item, or its largest form that fits, with what it costs."""
    if room < _LEAST_ROOM:
        return None
    cost = state.cost(item)
    if cost <= room:
        return item, cost
    if isinstance(item, Piece):
        around = state.heading_cost(item) + _LEAST_ROOM // 2
        for form in shrink(item, room - around):
            cost = state.cost(form)
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
    """Each once, with the last reason; what one lane refused and another took was not left out."""
    taken = {item.frame.id for item in state.chosen if isinstance(item, Piece)}
    kept: dict[tuple[str, int], Dropped] = {}
    for item, reason in state.dropped:
        if isinstance(item, Card):
            kept[item.lane, item.rank] = Dropped(item.frame_ids, item.lane, item.rank, reason)
        elif item.frame.id not in taken:
            kept["", item.frame.id] = Dropped(item.frame_ids, item.lane, item.rank, reason)
    return tuple(kept.values())


def _heading(item: Item) -> str:
    return heading_of(item) if isinstance(item, Piece) else FACTS


def _saying(item: Item) -> tuple[str | None, str]:
    """Who says what: case, punctuation and white space make no difference."""
    if isinstance(item, Card):
        return None, item.text
    frame = item.frame
    return frame.speaker or frame.role or "", " ".join(_WORD.findall(frame.text.lower())) or frame.text


def _repeats(state: _Packing, item: Item) -> str:
    """Why an item says nothing new: the same frame, the same words, or much the same bytes of a document."""
    if isinstance(item, Card):
        return "said already" if _saying(item) in state.said else ""
    frame = item.frame
    if frame.id in state.frames:
        return "in the context already"
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
