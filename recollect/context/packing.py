"""What goes in: greedy by lane and rank, shrinking what does not fit, never above the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from recollect.base.tokens import Tokenizer
from recollect.context.items import Card, Dropped, Item, Piece
from recollect.context.recipe import LaneRecipe, Recipe
from recollect.context.render import heading_of, line_of, render

Shrink = Callable[[Piece], Sequence[Piece]]
"""Smaller forms of a piece, largest first."""

_OVERLAP: Final = 0.5


@dataclass(slots=True)
class _Packing:
    """The state of one packing: what is in, what it is reckoned to cost, and what stayed out."""

    recipe: Recipe
    budget: int
    tokenizer: Tokenizer
    mark: str
    chosen: list[Item] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    spent: int = 0
    headings: set[str] = field(default_factory=set)
    costs: dict[str, int] = field(default_factory=dict)

    def cost(self, item: Item) -> int:
        """Reckoned apart from the rest, so a little too high: the whole is counted at the end."""
        total = self._count("\n" + line_of(item))
        heading = heading_of(item) if isinstance(item, Piece) else "facts"
        if heading not in self.headings:
            total += self._count("\n" + heading)
        return total

    def add(self, item: Item, cost: int) -> None:
        self.chosen.append(item)
        self.spent += cost
        self.headings.add(heading_of(item) if isinstance(item, Piece) else "facts")

    def drop(self, item: Item, reason: str) -> None:
        self.dropped.append(Dropped(item.frame_ids, item.lane, item.rank, reason))

    def text(self) -> str:
        return render(self.chosen, mark=self.mark, order=self.recipe.order)

    def _count(self, text: str) -> int:
        if text not in self.costs:
            self.costs[text] = self.tokenizer.count(text)
        return self.costs[text]


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
    return Packed(tuple(state.chosen), text, tokens, tuple(state.dropped))


def _fill(state: _Packing, lane: LaneRecipe, items: Sequence[Item], shrink: Shrink) -> None:
    allowed = min(state.budget - state.spent, int(state.budget * lane.share))
    used = taken = 0
    for item in items:
        if taken >= lane.items:
            state.drop(item, f"the lane {lane.kind} has room for {lane.items} items")
            continue
        reason = _repeats(state, item)
        if reason:
            state.drop(item, reason)
            continue
        forms = [item, *shrink(item)] if isinstance(item, Piece) else [item]
        fitting = None
        for form in forms:
            cost = state.cost(form)
            if cost <= min(allowed - used, lane.item_tokens):
                fitting = form, cost
                break
        if fitting is None:
            state.drop(item, f"no room left in the lane {lane.kind}")
            continue
        state.add(*fitting)
        used += fitting[1]
        taken += 1


def _settle(state: _Packing) -> tuple[str, int]:
    """Count the whole exactly; take out the last until it fits."""
    while state.chosen:
        text = state.text()
        tokens = state.tokenizer.count(text)
        if tokens <= state.budget:
            _forget_taken(state)
            return text, tokens
        state.drop(state.chosen.pop(), "no room in the whole")
    return "", 0


def _forget_taken(state: _Packing) -> None:
    """A frame that one lane refused and another took was not left out."""
    taken = {frame_id for item in state.chosen for frame_id in item.frame_ids}
    kept: dict[tuple[int, ...], Dropped] = {}
    for drop in state.dropped:
        if not set(drop.frame_ids) <= taken:
            kept[drop.frame_ids] = drop
    state.dropped = list(kept.values())


def _repeats(state: _Packing, item: Item) -> str:
    """Why an item says nothing new: the same frame, the same text, or much the same bytes of a document."""
    if isinstance(item, Card):
        same = any(isinstance(other, Card) and other.text == item.text for other in state.chosen)
        return "said already" if same else ""
    for other in state.chosen:
        if not isinstance(other, Piece):
            continue
        if other.frame.id == item.frame.id:
            return "in the context already"
        if other.frame.text == item.frame.text and other.frame.speaker == item.frame.speaker:
            return f"says the same as frame {other.frame.id}"
        if _overlap(other, item) > _OVERLAP:
            return f"overlaps with frame {other.frame.id}"
    return ""


def _overlap(one: Piece, other: Piece) -> float:
    a, b = one.frame, other.frame
    if a.parent is None or a.parent != b.parent or a.start is None or b.start is None:
        return 0.0
    assert a.end is not None
    assert b.end is not None
    shared = min(a.end, b.end) - max(a.start, b.start)
    return shared / min(a.end - a.start, b.end - b.start)
