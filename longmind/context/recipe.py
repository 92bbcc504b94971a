"""Recipes: what goes into a context and how much of it, as data, with named defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, Final

from longmind.base.checks import canonical_json, check_choice, check_label, check_limit
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.tokens import TOKENIZER
from longmind.search.wording import side_meant

ORDERS: Final = ("time", "rank")
LANES: Final = "lanes"
"""The layout in which lanes follow one another, each in its own order."""
EXPANSION: Final = "expansion"
"""The lane of the best hits, whole where a later lane may shorten them."""
GROWTH: Final = "growth"
"""The lane that adds nothing new: it shows more of what the lanes before it had to shorten."""


@dataclass(frozen=True, slots=True)
class LaneRecipe:
    """One lane: what kind of thing, how many, and how much room at most."""

    kind: str
    share: float = 1.0
    """Of the whole budget."""
    items: int = 50
    item_tokens: int = 400
    before: int = 0
    """In the lane "exchanges": how many turns before a hit are shown with it, if they are hits too."""
    after: int = 0
    """And how many after it."""
    shared: int = 0
    """In the lane "facts": a card must say so many words of the question, or all if that has fewer."""
    order: str | None = None
    """How its items are laid out for reading: 'time' or 'rank'; None as the recipe says. Where a lane has an
    order of its own, the lanes follow one another instead of being mixed."""
    reply_share: float | None = None
    """Its share where the question asks for what the assistant said, for twice as many items; None as for any
    other question."""

    def __post_init__(self) -> None:
        check_label(self.kind, "lane kind")
        _check_share(self.share, "share")
        if self.reply_share is not None:
            _check_share(self.reply_share, "reply_share")
        check_limit(self.items, "items", most=1000)
        check_limit(self.item_tokens, "item_tokens", most=1_000_000)
        check_limit(self.before, "before", least=0, most=20)
        check_limit(self.after, "after", least=0, most=20)
        check_limit(self.shared, "shared", least=0, most=20)
        if self.order is not None:
            check_choice(self.order, "order", ORDERS)


def _check_share(share: float, name: str) -> None:
    number = isinstance(share, int | float) and not isinstance(share, bool)
    if not number or not 0 < share <= 1:
        raise InvalidInput(
            f"A lane's {name} must be above 0 and at most 1, not {share!r}.",
            hint="It is a part of the whole budget: 0.3 for three tenths.",
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """Lanes in the order in which they take their share; what one leaves over, the next may use."""

    name: str
    lanes: tuple[LaneRecipe, ...]
    order: str = "time"
    """How the frames are laid out for reading: 'time', or 'rank'."""
    depth: int = 100
    """How many hits of the search may be packed."""
    tokenizer: str = TOKENIZER
    renderer: str | None = None
    """The name of what writes the text: 'plain', or one that you registered. None: under headings."""

    def __post_init__(self) -> None:
        check_label(self.name, "recipe name")
        check_choice(self.order, "order", ORDERS)
        check_limit(self.depth, "depth", most=1000)
        check_label(self.tokenizer, "tokenizer")
        if self.renderer is not None:
            check_label(self.renderer, "renderer")
        if not isinstance(self.lanes, tuple) or not all(isinstance(lane, LaneRecipe) for lane in self.lanes):
            raise InvalidInput(
                "The lanes of a recipe are a tuple of LaneRecipe.",
                hint="Write them as (LaneRecipe('snippets', share=0.6), ...).",
            )
        if not self.lanes:
            raise InvalidInput(
                "A recipe needs at least one lane.",
                hint="Start from a built-in recipe: memory.recipes() lists them.",
            )
        kinds = [lane.kind for lane in self.lanes]
        if len(set(kinds)) != len(kinds):
            raise InvalidInput("A recipe names each lane once.", hint="Join the shares of the two.")

    def to_json(self) -> str:
        return _as_json(self)

    @classmethod
    def from_json(cls, text: str | Mapping[str, Any]) -> Recipe:
        """From JSON, or from a mapping with the same names."""
        try:
            raw = dict(parse_json(text) if isinstance(text, str) else text)
            names = {item.name for item in fields(cls)}
            unknown = sorted(set(raw) - names)
            if unknown:
                raise InvalidInput(
                    f"A recipe has no field {', '.join(unknown)}.", hint=f"Its fields are {sorted(names)}."
                )
            raw["lanes"] = tuple(LaneRecipe(**lane) for lane in raw["lanes"])
            return cls(**raw)
        except (TypeError, KeyError, ValueError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(
                f"This is not a recipe: {error}.",
                hint="Give its name and lanes; docs/context.md has an example.",
            ) from None

    @property
    def layout(self) -> str:
        """The name of its renderer, as a receipt has it."""
        if self.renderer is not None:
            return self.renderer
        return LANES if any(lane.order is not None for lane in self.lanes) else self.order

    def suited(self, query: str) -> Recipe:
        """The same, with the shares that suit a question.

        What somebody says about themselves is mostly a short turn. What the assistant said ("what did you
        suggest?") is a long one, and its middle or end may be what is asked for.
        """
        if all(lane.reply_share is None for lane in self.lanes) or side_meant(query) != "assistant":
            return self
        lanes = [
            lane if lane.reply_share is None else replace(lane, share=lane.reply_share, items=2 * lane.items)
            for lane in self.lanes
        ]
        return replace(self, lanes=tuple(lanes))

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.to_json().encode()).hexdigest()


@lru_cache(maxsize=64)
def _as_json(recipe: Recipe) -> str:
    fields_given = asdict(recipe)
    # Left out where they are not used, so that receipts of recipes without them still verify.
    for part in (fields_given, *fields_given["lanes"]):
        for name in ("renderer", "order", "reply_share"):
            if part.get(name, "") is None:
                del part[name]
    return canonical_json(fields_given, "recipe")


_FACTS: Final = LaneRecipe("facts", share=0.2, items=6, item_tokens=60, shared=2)
_EXCHANGES: Final = LaneRecipe("exchanges", share=0.8, items=40, item_tokens=500, before=1, after=2)
_SNIPPETS: Final = LaneRecipe("snippets", items=60, item_tokens=110)
_SURROGATES: Final = LaneRecipe("surrogates", items=60, item_tokens=60)
_GROWTH: Final = LaneRecipe(GROWTH, items=5, item_tokens=4000)

DEFAULTS: Final[Mapping[str, Recipe]] = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "default",
            (
                _FACTS,
                LaneRecipe("expansion", share=0.5, items=3, item_tokens=1200, reply_share=0.9),
                _EXCHANGES,
                _SNIPPETS,
                _SURROGATES,
                _GROWTH,
            ),
        ),
        Recipe(
            "chat",
            (
                LaneRecipe("recent", share=0.3, items=12, item_tokens=120),
                _FACTS,
                _EXCHANGES,
                _SNIPPETS,
                _SURROGATES,
                _GROWTH,
            ),
        ),
        Recipe(
            "coding",
            (
                LaneRecipe("expansion", share=0.6, items=3, item_tokens=800),
                LaneRecipe("snippets", items=20, item_tokens=250),
                LaneRecipe("surrogates", items=20, item_tokens=60),
                _GROWTH,
            ),
            order="rank",
        ),
        Recipe("facts", (LaneRecipe("facts", items=100, item_tokens=120),), order="rank"),
        Recipe("timeline", (LaneRecipe("snippets", items=100, item_tokens=120),), depth=200),
    )
}
