"""What goes in: greedy by lane and rank, shrinking what does not fit, never above the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from longmind.base.tokens import Tokenizer
from longmind.context.items import NO_ROOM, Card, Dropped, Item, Piece
from longmind.context.recipe import GROWTH, LaneRecipe, Recipe
from longmind.context.render import FACTS, heading_of, line_of, render

Shrink = Callable[[Piece, int], Iterable[Piece]]
"""Smaller forms of a piece, the preferred first, for about so many tokens of text."""

_OVERLAP: Final = 0.5
_LEAST_ROOM: Final = 12
"""In fewer tokens nothing is said with its source."""

_LEAST_SHRUNK: Final = 20
_MOST_MISSES: Final = 6
"""After so many items in a row without a form that fits, a lane takes only short ones."""

_MOST_PASSED: Final = 24
"""And after so many it is full."""

_SOURCE_TOKENS: Final = 4
"""No item names its source in less."""

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
    dropped: list[tuple[Sequence[Item], str, str]] = field(default_factory=list)
    """What stayed out, in which lane, and why."""
    spent: int = 0
    headings: set[str] = field(default_factory=set)
    frames: set[int] = field(default_factory=set)
    said: dict[tuple[str | None, str], int] = field(default_factory=dict)
    parts: dict[int, list[Piece]] = field(default_factory=dict)
    """The chosen chunks of each document."""
    lines: dict[object, str] = field(default_factory=dict)
    sayings: dict[int, tuple[str | None, str]] = field(default_factory=dict)
    sizes: dict[object, int] = field(default_factory=dict)
    offers: Mapping[str, Sequence[Item]] = field(default_factory=dict)

    def cost(self, item: Item, room: int) -> int:
        """Reckoned apart from the rest; the whole is counted at the end."""
        heading = self.heading_cost(item)
        return heading + self.size(item, room - heading)

    def size(self, item: Item, room: int) -> int:
        """Tokens of an item's line; more than the room, if that is plain to see."""
        most = (room - _SOURCE_TOKENS) * _MOST_CHARACTERS
        if isinstance(item, Piece) and item.tier == "full" and len(item.frame.text) > most:
            return max(room, 0) + 1
        key = _identity(item)
        if key not in self.sizes:
            self.sizes[key] = self.tokenizer.count(self.line(item) + "\n")
        return self.sizes[key]

    def line(self, item: Item) -> str:
        key = _identity(item)
        if key not in self.lines:
            self.lines[key] = line_of(item)
        return self.lines[key]

    def saying(self, item: Item) -> tuple[str | None, str]:
        """Who says what; case and white space make no difference."""
        if isinstance(item, Card):
            return None, item.text
        frame = item.frame
        if frame.id not in self.sayings:
            said = " ".join(frame.text.lower().split())
            self.sayings[frame.id] = frame.speaker or frame.role or "", said
        return self.sayings[frame.id]

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
        self.said.setdefault(self.saying(item), item.frame_ids[0] if item.frame_ids else 0)
        if isinstance(item, Piece):
            self.frames.add(item.frame.id)
            if item.frame.start is not None and item.frame.parent is not None:
                self.parts.setdefault(item.frame.parent, []).append(item)

    def comes_again(self, piece: Piece) -> bool:
        """Whether a later lane offers its frame too."""
        kinds = [lane.kind for lane in self.recipe.lanes if lane.kind != GROWTH]
        later = kinds[kinds.index(piece.lane) + 1 :] if piece.lane in kinds else []
        return any(
            isinstance(item, Piece) and item.frame.id == piece.frame.id
            for kind in later
            for item in self.offers.get(kind, ())
        )

    def drop(self, items: Sequence[Item], lane: str, reason: str) -> None:
        self.dropped.append((items, lane, reason))

    def text(self) -> str:
        return render(self.chosen, mark=self.mark, order=self.recipe.order, line=self.line)


@dataclass(frozen=True, slots=True)
class Packed:
    """The items that fit, the text they make, its exact size, and what was left out."""

    items: tuple[Item, ...]
    lines: tuple[str, ...]
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
    state = _Packing(recipe, budget, tokenizer, mark, offers=candidates)
    state.spent = tokenizer.count(render([], mark=mark, order=recipe.order))
    for lane in recipe.lanes:
        step = _grow if lane.kind == GROWTH else _fill
        step(state, lane, candidates.get(lane.kind, ()), shrink)
    text, tokens = _settle(state)
    lines = tuple(map(state.line, state.chosen))
    sizes = tuple(state.sizes[_identity(item)] for item in state.chosen)
    return Packed(tuple(state.chosen), lines, sizes, text, tokens, _left_out(state))


def _fill(state: _Packing, lane: LaneRecipe, items: Sequence[Item], shrink: Shrink) -> None:
    room = min(state.budget - state.spent, int(state.budget * lane.share))
    full = f"{NO_ROOM} left in the lane {lane.kind}"
    taken = misses = 0
    for place, candidate in enumerate(items):
        if isinstance(candidate, Piece) and candidate.frame.id in state.frames:
            continue
        if taken >= lane.items:
            most = f"{NO_ROOM} for more than {lane.items} items in the lane {lane.kind}"
            state.drop(items[place:], lane.kind, most)
            return
        if room < _LEAST_ROOM or misses >= _MOST_PASSED:
            state.drop(items[place:], lane.kind, full)
            return
        reason = _repeats(state, candidate)
        if reason:
            state.drop((candidate,), lane.kind, reason)
            continue
        item = _taken_by(candidate, lane)
        fitting = _fitting(
            state, item, min(room, lane.item_tokens), shrink if misses < _MOST_MISSES else None
        )
        if fitting is None:
            state.drop((item,), lane.kind, full)
            misses += 1
            continue
        state.add(*fitting)
        room -= fitting[1]
        taken += 1
        misses = 0


def _grow(state: _Packing, lane: LaneRecipe, items: Sequence[Item], shrink: Shrink) -> None:
    """Show more of what had to be shortened, the best first, in the room that all lanes have left."""
    shown = {item.frame.id: item for item in state.chosen if isinstance(item, Piece) and item.tier != "full"}
    room = int(state.budget * lane.share)
    taken = 0
    for item in items:
        before = shown.get(item.frame.id) if isinstance(item, Piece) else None
        if before is None or taken >= lane.items:
            continue
        freed = state.size(before, state.budget)
        free = min(room, state.budget - state.spent + freed, lane.item_tokens)
        if free <= freed:
            continue
        larger = _fitting(state, _taken_by(item, lane), free, shrink)
        if larger is not None and larger[1] > freed and larger[0] != before:
            state.chosen.remove(before)
            state.spent -= freed
            state.add(*larger)
            room -= larger[1]
            taken += 1


def _fitting(state: _Packing, item: Item, room: int, shrink: Shrink | None) -> tuple[Item, int] | None:
    """The item, or its largest form that fits, with what it costs."""
    cost = state.cost(item, room)
    if cost <= room:
        return item, cost
    if isinstance(item, Piece) and shrink is not None and room >= _LEAST_SHRUNK:
        around = state.heading_cost(item) + _LEAST_ROOM // 2
        for form in shrink(item, room - around):
            # The bare beginning says least of all: a later lane may have room for more.
            if form.tier == "cut" and state.comes_again(form):
                continue
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
        last = state.chosen.pop()
        state.drop((last,), last.lane, f"{NO_ROOM} in the whole")
    return "", 0


def _left_out(state: _Packing) -> tuple[Dropped, ...]:
    """Each candidate once, with the last reason; what one lane refused and another took is not left out."""
    taken: set[object] = {_name(item) for item in state.chosen}
    found: list[Dropped] = []
    for items, lane, reason in reversed(state.dropped):
        for item in reversed(items):
            name = _name(item)
            if name not in taken:
                taken.add(name)
                found.append(Dropped(item.frame_ids, lane, item.rank, reason))
    return tuple(reversed(found))


def _name(item: Item) -> object:
    """What an item stands for, in whatever form."""
    return item.frame.id if isinstance(item, Piece) else (item.lane, item.rank)


def _identity(item: Item) -> object:
    """What an item says."""
    if isinstance(item, Card):
        return item.text, item.frame_ids
    return item.frame.id, item.ranges, item.tier == "cut"


def _taken_by(item: Item, lane: LaneRecipe) -> Item:
    """Hits of the search are offered to several lanes."""
    if item.lane == lane.kind:
        return item
    if isinstance(item, Card):
        return Card(item.text, lane.kind, item.rank, item.frame_ids)
    return Piece(item.frame, lane.kind, item.rank, item.tier, item.ranges)


def _heading(item: Item) -> str:
    return heading_of(item) if isinstance(item, Piece) else FACTS


def _repeats(state: _Packing, item: Item) -> str:
    """Why an item says nothing new: the same words, or much the same bytes of a document."""
    if isinstance(item, Card):
        return "said already" if state.saying(item) in state.said else ""
    frame = item.frame
    same = state.said.get(state.saying(item))
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
