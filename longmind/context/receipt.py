"""The receipt of a text for a prompt: enough to make the same bytes again, or to say what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longmind.base.checks import canonical_json
from longmind.base.errors import InvalidInput
from longmind.base.filters import UserLike, View
from longmind.base.frame import Frame
from longmind.base.json_text import parse_json
from longmind.base.names import ALL, AllSpaces
from longmind.base.recall_marks import mark_id
from longmind.base.times import AsOf
from longmind.context.items import Card, Item, Piece
from longmind.context.packing import Packed
from longmind.context.recipe import LANES, Recipe
from longmind.context.render import has_renderer, render, renderer_for
from longmind.context.sentences import Range
from longmind.store.engine import Dialect
from longmind.store.frames import fetch, stored
from longmind.store.transaction import Snapshot


def places_of(view: View) -> dict[str, Any]:
    """The spaces and the user of a view, as a receipt's request writes them; `true` is every user."""
    names = view.space_names
    user = {} if view.user is None else {"user": True if view.user is ALL else view.user}
    return {"spaces": "all" if names is ALL else list(names), **user}


def spaces_from(named: object) -> AllSpaces | tuple[str, ...]:
    """The spaces that a receipt's request names, always as a list: the letters of a name are no spaces."""
    if named == "all":
        return ALL
    if not isinstance(named, list | tuple):
        raise InvalidInput(
            "The receipt does not list its spaces.", hint="Pass a receipt as it was returned, unchanged."
        )
    return tuple(named)


def user_from(request: Mapping[str, Any]) -> UserLike:
    """Whose view a receipt's request was; none's, where it names no user."""
    user: str | bool | None = request.get("user")
    return ALL if user is True else user  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class ReceiptItem:
    """One item: which bytes of which frame, or the words of a card."""

    lane: str
    rank: int
    tier: str
    frame_ids: tuple[int, ...]
    content_hash: str | None
    ranges: tuple[Range, ...]
    card: str | None = None
    superseded: int | None = None

    def to_mapping(self) -> dict[str, Any]:
        """As a receipt writes it: without the mark where there is none, as earlier versions wrote it."""
        given: dict[str, Any] = {
            "lane": self.lane,
            "rank": self.rank,
            "tier": self.tier,
            "frame_ids": self.frame_ids,
            "content_hash": self.content_hash,
            "ranges": self.ranges,
            "card": self.card,
        }
        if self.superseded is not None:
            given["superseded"] = self.superseded
        return given


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was asked, of which state of the store, and what was given.

    `recipe` is the recipe of a recall, the quotas of a brief, or the tokenizer of a space's context, as JSON;
    `order` names the renderer.
    """

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
    items_sha256: str = ""
    """Of the list of items, so that it cannot be edited where the text stays the same. A receipt without one
    does not verify."""

    def to_json(self) -> str:
        items = [item.to_mapping() for item in self.items]
        return canonical_json({**asdict(self), "items": items}, "receipt")

    @classmethod
    def from_json(cls, text: str) -> Receipt:
        try:
            raw = parse_json(text)
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
            raise InvalidInput(
                "This is not a receipt.", hint="Pass the receipt that recall or a brief returned, unchanged."
            ) from None
        if not _is_sound(receipt):
            raise InvalidInput(
                "This is not a receipt: some of its fields have values of another kind.",
                hint="Pass the receipt that recall or a brief returned, unchanged.",
            )
        return receipt


@dataclass(frozen=True, slots=True)
class Replay:
    """The outcome of a replay; truthy if the text is the same, byte for byte."""

    same: bool
    text: str
    changes: tuple[str, ...]
    """Frames that are gone, forgotten or different."""
    drift: tuple[str, ...]
    """How the ranking has moved since, at a later revision."""

    def __bool__(self) -> bool:
        return self.same


def mark_of(store_id: str, revision: int, request: Mapping[str, Any]) -> str:
    return mark_id(store_id, str(revision), canonical_json(dict(request)))


def issue(
    packed: Packed,
    *,
    store_id: str,
    revision: int,
    request: Mapping[str, Any],
    recipe: str,
    order: str,
    tokenizer: str,
    budget: int,
    mark: str | None = None,
) -> Receipt:
    """The receipt of what was packed, under the mark that `mark_of` gives the same request, or another."""
    items = tuple(map(_receipt_item, packed.items))
    return Receipt(
        store_id=store_id,
        revision=revision,
        request=request,
        recipe=recipe,
        recipe_hash=sha256_of(recipe),
        mark=mark or mark_of(store_id, revision, request),
        order=order,
        tokenizer=tokenizer,
        budget=budget,
        items=items,
        tokens=packed.tokens,
        sha256=sha256_of(packed.text),
        items_sha256=_hash_of_items(items),
    )


def check_store(receipt: Receipt, store_id: str) -> None:
    if receipt.store_id != store_id:
        raise InvalidInput("The receipt is of another store.", hint="Open the store that issued it.")


def replay(receipt: Receipt, fresh: Receipt, *, snapshot: Snapshot, dialect: Dialect, view: View) -> Replay:
    """Render the items of a receipt again and compare; `fresh` is the receipt of the same request now.

    At the same revision the fresh text must be the same too. At a later one the ranking may have moved,
    because text statistics are those of today, and that is reported apart as drift.
    """
    items, changes = _again(receipt, snapshot, dialect, view)
    renderer = renderer_for(fresh.order, Recipe.from_json(fresh.recipe) if fresh.order == LANES else None)
    altered = _altered(receipt, fresh)
    changes += altered
    text = render(items, mark=receipt.mark, renderer=renderer) if items else ""
    same = sha256_of(text) == receipt.sha256 and not altered
    drift: tuple[str, ...] = ()
    if snapshot.revision != receipt.revision:
        drift = _drift(receipt, fresh)
    elif fresh.sha256 != receipt.sha256:
        same = False
    if not same and not changes:
        changes = ["the same request gives another text; the code, a model or the receipt has changed"]
    return Replay(same, text, tuple(changes), drift)


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _again(
    receipt: Receipt, snapshot: Snapshot, dialect: Dialect, view: View
) -> tuple[list[Item], list[str]]:
    """The items as far as their frames are still there, and what happened to the frames since."""
    frame_ids = [frame_id for item in receipt.items for frame_id in item.frame_ids]
    # Anybody can write a receipt: a frame of another space is as little there as one that never was.
    rows = {
        frame_id: row
        for frame_id, row in stored(snapshot.db, frame_ids).items()
        if view.sees(row.space, row.scope)
    }
    # As it was seen then: what was forgotten since is still shown as it was given.
    system = min(receipt.revision, view.as_of.system)
    then = view.at(AsOf(system=system, valid=view.as_of.valid))
    frames = {frame.id: frame for frame in fetch(snapshot.db, dialect, frame_ids, then)}
    items: list[Item] = []
    changes: list[str] = []
    for receipt_item in receipt.items:
        erased = [frame_id for frame_id in receipt_item.frame_ids if frame_id not in rows]
        changes += [f"frame {frame_id} was erased" for frame_id in erased]
        changes += [
            f"frame {frame_id} was forgotten or superseded since"
            for frame_id in receipt_item.frame_ids
            if frame_id in rows and (rows[frame_id].retired_at or 0) > receipt.revision
        ]
        item = _item(receipt_item, frames)
        # A card stands as long as one of its frames does.
        if item is not None and (not erased or set(receipt_item.frame_ids) & rows.keys()):
            items.append(item)
    return items, list(dict.fromkeys(changes))


def _altered(receipt: Receipt, fresh: Receipt) -> list[str]:
    """Fields of a receipt that do not fit the rest of it: no text was ever given with them."""
    fits = {
        "request": canonical_json(dict(receipt.request)) == canonical_json(dict(fresh.request)),
        "recipe": receipt.recipe_hash == fresh.recipe_hash,
        "mark": receipt.mark == _expected_mark(receipt, fresh),
        "order": receipt.order == fresh.order,
        "tokenizer": receipt.tokenizer == fresh.tokenizer,
        "list of items": _has_own_items(receipt, fresh),
    }
    return [f"the receipt's {name} does not fit the rest of it" for name, fit in fits.items() if not fit]


def _has_own_items(receipt: Receipt, fresh: Receipt) -> bool:
    """Whether the list of items is the one that was issued, also where an edit of it changes no text."""
    if receipt.items_sha256 != _hash_of_items(receipt.items):
        return False
    return receipt.revision != fresh.revision or receipt.items == fresh.items


def _hash_of_items(items: Sequence[ReceiptItem]) -> str:
    return sha256_of(canonical_json([item.to_mapping() for item in items], "items"))


def _expected_mark(receipt: Receipt, fresh: Receipt) -> str:
    if receipt.revision == fresh.revision:
        return fresh.mark
    if fresh.mark == mark_of(fresh.store_id, fresh.revision, fresh.request):
        return mark_of(receipt.store_id, receipt.revision, fresh.request)
    # The mark of a project space is derived from its bundle, which is another one at a later revision. The
    # hash of the text, which begins with the mark, still has to fit.
    return receipt.mark


def _drift(receipt: Receipt, fresh: Receipt) -> tuple[str, ...]:
    before = [frame_id for item in receipt.items for frame_id in item.frame_ids]
    after = [frame_id for item in fresh.items for frame_id in item.frame_ids]
    lost = [f"frame {frame_id} would no longer be in" for frame_id in before if frame_id not in after]
    new = [f"frame {frame_id} would be in now" for frame_id in after if frame_id not in before]
    return tuple(dict.fromkeys([*lost, *new]))


def _receipt_item(item: Item) -> ReceiptItem:
    if isinstance(item, Card):
        return ReceiptItem(item.lane, item.rank, item.tier, item.frame_ids, None, item.ranges, item.text)
    return ReceiptItem(
        item.lane,
        item.rank,
        item.tier,
        item.frame_ids,
        item.frame.content_hash,
        item.ranges,
        superseded=item.superseded,
    )


def _item(item: ReceiptItem, frames: Mapping[int, Frame]) -> Item | None:
    if item.card is not None:
        return Card(item.card, item.lane, item.rank, item.frame_ids, item.tier)
    frame = frames.get(item.frame_ids[0])
    if frame is None:
        return None
    return Piece(frame, item.lane, item.rank, item.tier, item.ranges, item.superseded)  # type: ignore[arg-type]


def _is_sound(receipt: Receipt) -> bool:
    """Whether every field holds a value of its kind; whether they are true is for the replay to judge."""
    words = ("store_id", "recipe", "recipe_hash", "mark", "order", "tokenizer", "sha256", "items_sha256")
    return (
        all(isinstance(getattr(receipt, name), str) for name in words)
        and all(_is_number(value) for value in (receipt.revision, receipt.budget, receipt.tokens))
        and has_renderer(receipt.order)
        and isinstance(receipt.request, Mapping)
        and all(map(_is_sound_item, receipt.items))
    )


def _is_sound_item(item: ReceiptItem) -> bool:
    bounds = [bound for span in item.ranges for bound in span]
    return (
        isinstance(item.lane, str)
        and isinstance(item.tier, str)
        and all(isinstance(words, str | None) for words in (item.content_hash, item.card))
        and all(map(_is_number, (item.rank, *item.frame_ids, *bounds)))
        and (item.superseded is None or _is_number(item.superseded))
        and bounds == sorted(bounds)
        and bool(item.card is not None or item.frame_ids)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
