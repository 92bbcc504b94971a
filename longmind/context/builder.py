"""From a question to a context: search, gather, pack, render, and the receipt to do it again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from longmind.base.checks import canonical_json, check_label, check_limit
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.names import ALL
from longmind.base.times import AsOf
from longmind.base.tokens import open_tokenizer
from longmind.context.items import Card, Context, ContextItem, Item, Piece
from longmind.context.lanes import (
    ContextLane,
    Exchanges,
    Facts,
    FactSource,
    Hits,
    RecallRequest,
    Recent,
    Shrinker,
    whole,
)
from longmind.context.packing import Packed, pack
from longmind.context.receipt import Receipt, ReceiptItem, Replay, hash_text, receipt_items
from longmind.context.recipe import DEFAULTS, GROWTH, Recipe
from longmind.context.render import render
from longmind.context.surrogates import read_surrogates
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.search.results import SearchResults
from longmind.search.timeline import sense_of_time
from longmind.store.frames import fetch, stored
from longmind.store.store import Store
from longmind.store.transaction import Snapshot, Transaction
from longmind.text.query import plan_text

_STORED: Final = "context.recipe."
_DIGITS: Final = 12
"""Of the name of a context."""


@dataclass(frozen=True, slots=True)
class Recall:
    """A checked call of `recall`."""

    search: SearchRequest
    recipe: Recipe
    budget: int
    session: str | None


class ContextBuilder:
    """Makes contexts from one store; sub-memories register their lanes with it."""

    def __init__(self, store: Store, search: SearchEngine, *, facts: FactSource | None = None) -> None:
        self._store = store
        self._search = search
        self._lanes: dict[str, ContextLane] = {
            "expansion": Hits("expansion"),
            "snippets": Hits("snippets"),
            "surrogates": Hits("surrogates"),
            GROWTH: Hits(GROWTH),
            "exchanges": Exchanges(),
            "recent": Recent(store),
        }
        if facts is not None:
            self._lanes["facts"] = Facts(facts)
        self._later: dict[str, Callable[[], ContextLane]] = {}

    def register(self, kind: str, load: Callable[[], ContextLane]) -> None:
        """Let recipes use a further lane; it is made when a recipe first asks for it."""
        self._later[check_label(kind, "lane kind")] = load

    def _lane(self, kind: str) -> ContextLane | None:
        if kind in self._later:
            self._lanes[kind] = self._later.pop(kind)()
        return self._lanes.get(kind)

    # Recipes

    def recipe(self, name: str | Recipe | Mapping[str, Any]) -> Recipe:
        """A recipe as given, by its name in the store, or one of the defaults."""
        if isinstance(name, Recipe):
            return name
        if isinstance(name, Mapping):
            return Recipe.from_json(name)
        known = check_label(name, "recipe")
        with self._store.read() as snapshot:
            saved = self._store.setting(snapshot.db, _STORED + known)
        if saved is not None:
            return Recipe.from_json(saved)
        if known not in DEFAULTS:
            raise NotFound(f"There is no recipe {known!r}.", hint=f"Known are {', '.join(self.recipes())}.")
        return DEFAULTS[known]

    def recipes(self) -> tuple[str, ...]:
        with self._store.read() as snapshot:
            rows = snapshot.db.all("SELECT name FROM store_setting WHERE name LIKE ?", (_STORED + "%",))
        return tuple(sorted({*DEFAULTS, *(str(row[0])[len(_STORED) :] for row in rows)}))

    def save_recipe(self, tx: Transaction, recipe: Recipe) -> None:
        self._store.set_setting(tx, _STORED + recipe.name, recipe.to_json())

    # Contexts

    def recall(self, call: Recall) -> Context:
        with self._store.one_state() as snapshot:
            results = self._search.search(replace(call.search, limit=call.recipe.depth))
            return self._build(call, _answers(call, results), snapshot)

    def replay(self, receipt: Receipt) -> Replay:
        """Make a receipt's text again from the frames it names, and compare.

        At the same revision the whole is done anew; at a later one the ranking's drift is reported apart.
        """
        call = recall_from(receipt.request, Recipe.from_json(receipt.recipe), receipt.budget)
        with self._store.one_state() as snapshot:
            if receipt.store_id != self._store.id:
                raise InvalidInput("The receipt is of another store.", hint="Open the store that issued it.")
            items, changes = self._again(receipt, call, snapshot)
            altered = self._altered(receipt, call)
            changes += altered
            text = render(items, mark=receipt.mark, order=receipt.order) if items else ""
            drift: tuple[str, ...] = ()
            fresh = self.recall(call)
            same = hash_text(text) == receipt.sha256 and not altered
            if snapshot.revision != receipt.revision:
                drift = _drift(receipt, fresh)
            elif hash_text(fresh.text) != receipt.sha256:
                same = False
            if not same and not changes:
                changes = [
                    "the same request gives another text; the code, a model or the receipt has changed"
                ]
        return Replay(same, text, tuple(changes), drift)

    def _build(self, call: Recall, results: SearchResults, snapshot: Snapshot) -> Context:
        hits = [whole(hit.frame, "search", rank) for rank, hit in enumerate(results.hits, 1)]
        request = RecallRequest(call.search.query, call.search.view, call.search.where, call.session, hits)
        tokenizer = open_tokenizer(call.recipe.tokenizer)
        notes = [f"{lane.name} did not run: {lane.detail}" for lane in results.missing]
        notes += results.notes
        candidates: dict[str, Sequence[Item]] = {}
        for lane in call.recipe.lanes:
            source = self._lane(lane.kind)
            if source is None:
                notes.append(f"the lane {lane.kind} is not there")
                continue
            if lane.kind == "recent" and call.session is None:
                notes.append("the lane recent did not run: no session was named")
            candidates[lane.kind] = source.items(request, lane, results=results, snapshot=snapshot)
        asked = _asked(call)
        mark = self._mark(snapshot.revision, asked)
        shrinker = Shrinker(
            call.search.query, lambda: read_surrogates(snapshot.db, _frames_of(candidates)), tokenizer
        )
        packed = pack(
            candidates,
            recipe=call.recipe,
            budget=call.budget,
            tokenizer=tokenizer,
            mark=mark,
            shrink=shrinker,
        )
        if packed.dropped and not packed.items:
            notes.append(f"a budget of {call.budget} tokens has no room for anything that was found")
        receipt = Receipt(
            store_id=self._store.id,
            revision=snapshot.revision,
            request=asked,
            recipe=call.recipe.to_json(),
            recipe_hash=call.recipe.hash,
            mark=mark,
            order=call.recipe.order,
            tokenizer=call.recipe.tokenizer,
            budget=call.budget,
            items=receipt_items(packed.items),
            tokens=packed.tokens,
            sha256=hash_text(packed.text),
        )
        return Context(
            text=packed.text,
            items=_shown(packed),
            total_tokens=packed.tokens,
            budget=call.budget,
            receipt=receipt,
            dropped=packed.dropped,
            notes=tuple(notes),
        )

    def _mark(self, revision: int, asked: Mapping[str, Any]) -> str:
        """Names the context, so that it is known again wherever it turns up.

        In digits, which take the same number of tokens whatever they are: what fits must not hang on a name.
        """
        whole = f"{self._store.id}\0{revision}\0{canonical_json(asked)}"
        return f"{int(hashlib.sha256(whole.encode()).hexdigest(), 16) % 10**_DIGITS:0{_DIGITS}}"

    def _altered(self, receipt: Receipt, call: Recall) -> list[str]:
        """Fields of a receipt that do not fit the rest of it: no context was ever given with them."""
        asked = _asked(call)
        fits = {
            "request": canonical_json(asked) == canonical_json(dict(receipt.request)),
            "recipe": receipt.recipe_hash == call.recipe.hash,
            "mark": receipt.mark == self._mark(receipt.revision, asked),
            "order": receipt.order == call.recipe.order,
            "tokenizer": receipt.tokenizer == call.recipe.tokenizer,
        }
        return [f"the receipt's {name} does not fit the rest of it" for name, fit in fits.items() if not fit]

    def _again(self, receipt: Receipt, call: Recall, snapshot: Snapshot) -> tuple[list[Item], list[str]]:
        ids = [frame_id for item in receipt.items for frame_id in item.frame_ids]
        rows = stored(snapshot.db, ids)
        # As it was seen then: what was forgotten since is still shown as it was given.
        asked = call.search.view
        seen = min(receipt.revision, asked.as_of.system)
        view = View(asked.spaces, AsOf(system=seen, valid=asked.as_of.valid))
        frames = {frame.id: frame for frame in fetch(snapshot.db, self._store.engine.dialect, ids, view)}
        items: list[Item] = []
        changes: list[str] = []
        for item in receipt.items:
            gone = [frame_id for frame_id in item.frame_ids if frame_id not in rows]
            changes += [f"frame {frame_id} was erased" for frame_id in gone]
            changes += [
                f"frame {frame_id} was forgotten or superseded since"
                for frame_id in item.frame_ids
                if frame_id in rows and (rows[frame_id].retired_at or 0) > receipt.revision
            ]
            again = _remade(item, frames)
            # A card stands as long as one of the frames that say so does.
            if again is not None and (not gone or set(item.frame_ids) & rows.keys()):
                items.append(again)
        return items, list(dict.fromkeys(changes))


def check_recall(search: SearchRequest, *, recipe: Recipe, budget: int, session: str | None) -> Recall:
    check_limit(budget, "budget", most=10_000_000)
    # A receipt holds the question, and is JSON: what cannot be written there cannot be looked for either.
    query = search.query.replace("\0", "\ufffd").encode(errors="replace").decode()
    search = replace(search, query=query)
    return Recall(search, recipe, budget, None if session is None else check_label(session, "session"))


def recall_from(asked: Mapping[str, Any], recipe: Recipe, budget: int) -> Recall:
    """The call that a receipt's request describes."""
    try:
        spaces = ALL if asked["spaces"] == "all" else tuple(asked["spaces"])
        search = SearchRequest.of(
            asked["query"],
            View.of(spaces, AsOf(system=asked["as_of"][0], valid=asked["as_of"][1])),
            where=asked["where"],
            limit=recipe.depth,
            lanes=tuple(asked["lanes"]),
            fusion=asked["fusion"],
            reference=asked["reference"],
            times=asked["times"],
            zone=_zone(asked["zone"]),
        )
        return check_recall(search, recipe=recipe, budget=budget, session=asked["session"])
    except (KeyError, TypeError, IndexError):
        raise InvalidInput("This is no receipt: what was asked is not in it.") from None


def _answers(call: Recall, results: SearchResults) -> SearchResults:
    """Without the newest frames that a search gives where no lane found what the question names.

    Whoever asks for the latest, or for nothing in particular, gets them.
    """
    if not results.hits or any(set(hit.lanes) != {"timeline"} for hit in results.hits):
        return results
    sense = sense_of_time(call.search)
    if sense.range is not None or sense.recency is not None or not plan_text(call.search.query).terms:
        return results
    notes = (*results.notes, "nothing was found that the question names")
    return replace(results, hits=(), notes=notes)


def _asked(call: Recall) -> dict[str, Any]:
    search = call.search
    return {
        "query": search.query,
        "spaces": "all" if search.view.spaces is ALL else list(search.view.spaces),
        "as_of": [search.view.as_of.system, search.view.as_of.valid],
        "where": search.where.to_mapping(),
        "lanes": list(search.lanes),
        "fusion": search.fusion,
        "reference": search.reference,
        "times": search.times,
        "zone": str(search.zone),
        "session": call.session,
        "recipe": call.recipe.hash,
        "budget": call.budget,
    }


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidInput(f"The receipt's time zone {name!r} is not known here.") from None


def _remade(item: ReceiptItem, frames: Mapping[int, Any]) -> Item | None:
    if item.card is not None:
        return Card(item.card, item.lane, item.rank, item.frame_ids)
    frame = frames.get(item.frame_ids[0])
    if frame is None:
        return None
    return Piece(frame, item.lane, item.rank, item.tier, item.ranges)  # type: ignore[arg-type]


def _frames_of(candidates: Mapping[str, Sequence[Item]]) -> list[int]:
    return sorted(
        {item.frame.id for items in candidates.values() for item in items if isinstance(item, Piece)}
    )


def _shown(packed: Packed) -> tuple[ContextItem, ...]:
    shown = []
    for item, line, tokens in zip(packed.items, packed.lines, packed.sizes, strict=True):
        tier = item.tier if isinstance(item, Piece) else "card"
        ranges = item.ranges if isinstance(item, Piece) else ()
        shown.append(ContextItem(line, item.lane, tier, item.rank, item.frame_ids, ranges, tokens))
    return tuple(shown)


def _drift(receipt: Receipt, fresh: Context) -> tuple[str, ...]:
    before = [frame_id for item in receipt.items for frame_id in item.frame_ids]
    after = [frame_id for item in fresh.items for frame_id in item.frame_ids]
    lost = [f"frame {frame_id} would no longer be in" for frame_id in before if frame_id not in after]
    new = [f"frame {frame_id} would be in now" for frame_id in after if frame_id not in before]
    return tuple(dict.fromkeys([*lost, *new]))
