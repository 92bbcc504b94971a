"""The receipt of a context: enough to make the same bytes again, or to say what changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from longmind.base.checks import canonical_json
from longmind.base.errors import InvalidInput
from longmind.context.items import Card, Item, Piece
from longmind.context.recipe import ORDERS
from longmind.context.sentences import Range


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """One item: which bytes of which frame, or a fact card's own words."""

    lane: str
    rank: int
    tier: str
    frame_ids: tuple[int, ...]
    content_hash: str | None
    ranges: tuple[Range, ...]
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was asked, of which state of the store, and what was given."""

    store_id: str
    revision: int
    request: Mapping[str, Any]
    recipe: str
    recipe_hash: str
    mark: str
    order: str
    tokenizer: str
    budget: int
    items: tuple[ReceiptItem, ...]
    tokens: int
    sha256: str

    def to_json(self) -> str:
        return canonical_json(asdict(self), "receipt")

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        try:
            raw = json.loads(text)
            items = tuple(
                ReceiptItem(
                    **{
                        **item,
                        "frame_ids": tuple(item["frame_ids"]),
                        "ranges": tuple((start, end) for start, end in item["ranges"]),
                    }
                )
                for item in raw["items"]
            )
            receipt = cls(**{**raw, "items": items})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InvalidInput("This is no receipt.") from None
        if not _is_sound(receipt):
            raise InvalidInput("This is no receipt: its fields are not what a receipt holds.")
        return receipt


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay found; truthy if the text is the same, byte for byte."""

    same: bool
    text: str
    changes: tuple[str, ...]
    """Frames that are gone, forgotten or different."""
    drift: tuple[str, ...]
    """How the ranking has moved since, at a later revision."""

    def __bool__(self) -> bool:
        return self.same


def receipt_items(items: tuple[Item, ...]) -> tuple[ReceiptItem, ...]:
    return tuple(_receipt_item(item) for item in items)


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _is_sound(receipt: Receipt) -> bool:
    """Whether every field holds a value of its kind; what it says is for the replay to judge."""
    words = ("store_id", "recipe", "recipe_hash", "mark", "order", "tokenizer", "sha256")
    return (
        all(isinstance(getattr(receipt, name), str) for name in words)
        and all(_is_number(value) for value in (receipt.revision, receipt.budget, receipt.tokens))
        and receipt.order in ORDERS
        and isinstance(receipt.request, Mapping)
        and all(map(_is_sound_item, receipt.items))
    )


def _is_sound_item(item: ReceiptItem) -> bool:
    places = [place for span in item.ranges for place in span]
    return (
        isinstance(item.lane, str)
        and isinstance(item.tier, str)
        and all(isinstance(words, str | None) for words in (item.content_hash, item.card))
        and all(map(_is_number, (item.rank, *item.frame_ids, *places)))
        and places == sorted(places)
        and bool(item.card is not None or item.frame_ids)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _receipt_item(item: Item) -> ReceiptItem:
    if isinstance(item, Card):
        return ReceiptItem(item.lane, item.rank, "card", item.frame_ids, None, (), item.text)
    assert isinstance(item, Piece)
    return ReceiptItem(item.lane, item.rank, item.tier, item.frame_ids, item.frame.content_hash, item.ranges)
