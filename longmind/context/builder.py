"""Recall: search, offer, pack, render, and the receipt to do it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from longmind.base.checks import check_label, check_limit
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.filters import View
from longmind.base.frame import Kind
from longmind.base.times import AsOf
from longmind.base.tokens import open_tokenizer
from longmind.context.items import Context, ContextItem, ContextList, Item, Piece
from longmind.context.lanes import (
    ContextLane,
    Exchanges,
    Facts,
    FactSource,
    Hits,
    RecallRequest,
    Recent,
    whole,
)
from longmind.context.packing import Packed, Packer, pack_lanes
from longmind.context.receipt import (
    Receipt,
    Replay,
    check_store,
    issue,
    mark_of,
    places_of,
    replay,
    spaces_from,
    user_from,
)
from longmind.context.recipe import DEFAULTS, GROWTH, Recipe
from longmind.context.render import renderer_for
from longmind.context.shorten import Shortener
from longmind.context.surrogates import read_surrogates
from longmind.facts.trust import level
from longmind.search.engine import SearchEngine
from longmind.search.pending import PendingEmbedding
from longmind.search.request import SearchRequest
from longmind.search.results import SearchResults
from longmind.search.standing import asks_past
from longmind.search.timeline import sense_of_time
from longmind.store.expiry import settled
from longmind.store.parts import Origin
from longmind.store.store import Store
from longmind.store.transaction import Snapshot, Transaction
from longmind.text.query import plan_text
from longmind.text.words import terms

_STORED: Final = "context.recipe."
_ANYTHING: Final = frozenset(
    terms(
        "happen happened new news thing things anything something everything said say tell told know "
        "remember recall note notes message talk talked discuss discussed conversation update updates "
        "going today yesterday tomorrow latest last newest recent recently week month year day time "
        "please show list"
    )
)
"""Words that name nothing in particular, as index terms."""


@dataclass(frozen=True, slots=True)
class Recall:
    """A checked call of `recall`."""

    search: SearchRequest
    recipe: Recipe
    budget: int
    session: str | None


class ContextBuilder:
    """Builds contexts from one store; sub-memories register their lanes with it."""

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
        self._unloaded: dict[str, Callable[[], ContextLane]] = {}

    def register(self, kind: str, load: Callable[[], ContextLane]) -> None:
        """Let recipes use a further lane; it is loaded when a recipe first names it."""
        self._unloaded[check_label(kind, "lane kind")] = load

    def _lane(self, kind: str) -> ContextLane | None:
        if kind in self._unloaded:
            self._lanes[kind] = self._unloaded.pop(kind)()
        return self._lanes.get(kind)

    # Recipes

    def recipe(self, name: str | Recipe | Mapping[str, Any]) -> Recipe:
        """A recipe passed as it is, saved in the store under a name, or one of the defaults."""
        if isinstance(name, Recipe):
            return name
        if isinstance(name, Mapping):
            return Recipe.from_json(name)
        label = check_label(name, "recipe")
        with self._store.read() as snapshot:
            saved = self._store.setting(snapshot.db, _STORED + label)
        if saved is not None:
            return Recipe.from_json(saved)
        if label not in DEFAULTS:
            raise NotFound(f"There is no recipe {label!r}.", hint=f"Known are {', '.join(self.recipes())}.")
        return DEFAULTS[label]

    def recipes(self) -> tuple[str, ...]:
        with self._store.read() as snapshot:
            rows = snapshot.db.all("SELECT name FROM store_setting WHERE name LIKE ?", (_STORED + "%",))
        return tuple(sorted({*DEFAULTS, *(str(row[0])[len(_STORED) :] for row in rows)}))

    def save_recipe(self, tx: Transaction, recipe: Recipe) -> None:
        self._store.set_setting(tx, _STORED + recipe.name, recipe.to_json())

    # Contexts

    def recall_many(self, calls: Sequence[Recall]) -> ContextList:
        """Many contexts of one state of the store, the questions embedded together."""
        embeddings = self._search.embed_many([call.search for call in calls])
        with self._store.one_state() as snapshot:
            contexts = [
                self.recall(call, embedding) for call, embedding in zip(calls, embeddings, strict=True)
            ]
            return ContextList(tuple(contexts), snapshot.revision)

    def recall(self, call: Recall, embedding: PendingEmbedding | None = None) -> Context:
        with self._store.one_state() as snapshot:
            call = replace(call, search=replace(call.search, view=settled(call.search.view, snapshot.db)))
            results = self._search.search(replace(call.search, limit=call.recipe.depth), embedding)
            return self._build(call, _answers(call, results), snapshot)

    def replay(self, receipt: Receipt) -> Replay:
        """Make a receipt's text again from the frames it names, and compare."""
        check_store(receipt, self._store.id)
        call = recall_from(receipt.request, Recipe.from_json(receipt.recipe), receipt.budget)
        with self._store.one_state() as snapshot:
            fresh = self.recall(call).receipt
            dialect = self._store.engine.dialect
            return replay(receipt, fresh, snapshot=snapshot, dialect=dialect, view=call.search.view)

    def _build(self, call: Recall, results: SearchResults, snapshot: Snapshot) -> Context:
        notes = [f"{lane.name} did not run: {lane.detail}" for lane in results.missing]
        notes += results.notes
        results, left_out = _standing(call, results)
        candidates = self._candidates(call, results, snapshot, notes)
        request = _as_json(call)
        tokenizer = open_tokenizer(call.recipe.tokenizer)
        packer = Packer(
            budget=call.budget,
            tokenizer=tokenizer,
            mark=mark_of(self._store.id, snapshot.revision, request),
            renderer=renderer_for(call.recipe.layout, call.recipe),
        )
        for piece, reason in left_out:
            packer.drop((piece,), piece.lane, reason)
        packed = pack_lanes(
            packer,
            candidates,
            recipe=call.recipe.suited(call.search.query),
            shorten=Shortener(
                call.search.query, lambda: read_surrogates(snapshot.db, _frame_ids(candidates)), tokenizer
            ),
            told_by=self._told_by(candidates, snapshot),
        )
        if packed.dropped and not packed.items:
            notes.append(f"a budget of {call.budget} tokens has no room for anything that was found")
        receipt = issue(
            packed,
            store_id=self._store.id,
            revision=snapshot.revision,
            request=request,
            recipe=call.recipe.to_json(),
            order=call.recipe.layout,
            tokenizer=call.recipe.tokenizer,
            budget=call.budget,
        )
        return Context(
            text=packed.text,
            items=_context_items(packed),
            total_tokens=packed.tokens,
            budget=call.budget,
            receipt=receipt,
            dropped=packed.dropped,
            notes=tuple(notes),
        )

    def _told_by(
        self, candidates: Mapping[str, Sequence[Item]], snapshot: Snapshot
    ) -> dict[int, Sequence[Origin]]:
        """For memories that are offered, the turns that they were made of."""
        pieces = [item for items in candidates.values() for item in items if isinstance(item, Piece)]
        ids = sorted({item.frame.id for item in pieces if item.frame.kind == Kind.MEMORY})
        origins: dict[int, Sequence[Origin]] = {}
        for part in self._store.parts if ids else ():
            origins.update(part.told_by(snapshot.db, ids))
        return origins

    def _candidates(
        self, call: Recall, results: SearchResults, snapshot: Snapshot, notes: list[str]
    ) -> dict[str, Sequence[Item]]:
        """What each lane of the recipe offers; a lane that cannot run is noted."""
        hits = [whole(hit.frame, "search", rank, hit.superseded) for rank, hit in enumerate(results.hits, 1)]
        search = call.search
        request = RecallRequest(
            search.query,
            search.view,
            search.where,
            call.session,
            hits,
            level(search.min_trust),
            _moments_named(search, snapshot),
            call.budget,
        )
        candidates: dict[str, Sequence[Item]] = {}
        for lane in call.recipe.suited(search.query).lanes:
            source = self._lane(lane.kind)
            if source is None:
                notes.append(f"the lane {lane.kind} is not there")
                continue
            if lane.kind == "recent" and call.session is None:
                notes.append("the lane recent did not run: no session was named")
            candidates[lane.kind] = source.items(request, lane, results=results, snapshot=snapshot)
        return candidates


def _moments_named(search: SearchRequest, snapshot: Snapshot) -> tuple[int, ...]:
    """The middle of the time that the question names, and its end, which is now where that time goes on.

    "Where did I live in 2012?" means most of that year; what began in autumn counts too. "Where will I live
    in July?" is not answered by what was announced for September.
    """
    if search.view.as_of.valid != AsOf.LATEST.valid:
        return ()  # the caller says as of when
    bounds = sense_of_time(search).range
    if bounds is None or bounds[0] is None or bounds[1] is None:
        return ()
    now = snapshot.revision if search.reference is None else search.reference
    end = min(bounds[1], now) if bounds[0] < now else bounds[1]
    return (bounds[0] + end) // 2, end - 1


def check_recall(search: SearchRequest, *, recipe: Recipe, budget: int, session: str | None) -> Recall:
    check_limit(budget, "budget", most=10_000_000)
    # A receipt holds the question, and is JSON: what cannot be written there cannot be searched for either.
    query = search.query.replace("\0", "\ufffd").encode(errors="replace").decode()
    search = replace(search, query=query)
    return Recall(search, recipe, budget, None if session is None else check_label(session, "session"))


def recall_from(request: Mapping[str, Any], recipe: Recipe, budget: int) -> Recall:
    """The call that a receipt's request describes."""
    try:
        spaces = spaces_from(request["spaces"])
        search = SearchRequest.of(
            request["query"],
            View.of(
                spaces,
                AsOf(system=request["as_of"][0], valid=request["as_of"][1]),
                user_from(request),
                now=request.get("expired_by"),
            ),
            where=request["where"],
            limit=recipe.depth,
            lanes=tuple(request["lanes"]),
            fusion=request["fusion"],
            reference=request["reference"],
            times=request["times"],
            zone=_zone(request["zone"]),
            min_trust=request.get("min_trust"),
            min_score=request.get("min_score"),
        )
        return check_recall(search, recipe=recipe, budget=budget, session=request["session"])
    except (KeyError, TypeError, IndexError):
        raise InvalidInput(
            "This is not a receipt of a recall.",
            hint="Pass the receipt of a recall; a brief replays with experience.replay.",
        ) from None


def _answers(call: Recall, results: SearchResults) -> SearchResults:
    """The results, or none of them where the store knows nothing of what is asked.

    Who names their own least confidence gets what reaches it. A question that names nothing in particular
    ("what's new", "what happened last week") is answered by whatever is there.
    """
    least = call.search.min_score
    if not results.hits and least:
        note = (
            f"nothing stored seems to be about this: no text has a confidence of {least:.2f}; "
            f"a lower min_score shows more, and without one it is {results.known_from:.2f}"
        )
        return replace(results, notes=(*results.notes, note))
    if not results.hits or least is not None or not _names_something(call.search):
        return results
    best = max(hit.confidence for hit in results.hits)
    if best >= results.known_from:
        return results
    note = (
        f"nothing stored seems to be about this: the nearest text has a confidence of {best:.2f}, "
        f"below {results.known_from:.2f}; min_score=0 shows it all the same"
    )
    return replace(results, hits=(), notes=(*results.notes, note))


def _standing(call: Recall, results: SearchResults) -> tuple[SearchResults, list[tuple[Piece, str]]]:
    """The hits without what was replaced, and that, each with the reason.

    What was replaced stays, with a mark, where the question is about the past, or where what holds now is not
    among the hits.
    """
    if asks_past(call.search.query):
        return results, []
    shown = {hit.frame.id for hit in results.hits if hit.superseded is None}
    left_out = [
        (
            whole(hit.frame, "search", rank),
            f"superseded: frame {hit.superseded} says what holds now",
        )
        for rank, hit in enumerate(results.hits, 1)
        if hit.superseded in shown
    ]
    if not left_out:
        return results, []
    standing_hits = tuple(hit for hit in results.hits if hit.superseded not in shown)
    return replace(results, hits=standing_hits), left_out


def _names_something(search: SearchRequest) -> bool:
    """Whether a question says what it is about, beside a time and words for anything at all."""
    text, sense = search.query, sense_of_time(search)
    for phrase in filter(None, (*sense.phrases, sense.recency)):
        text = text.replace(phrase, " ")
    return any(term not in _ANYTHING for term in plan_text(text).terms)


def _as_json(call: Recall) -> dict[str, Any]:
    search = call.search
    return {
        "query": search.query,
        **places_of(search.view),
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
        **({} if search.min_trust is None else {"min_trust": search.min_trust}),
        **({} if search.min_score is None else {"min_score": search.min_score}),
        **({} if search.view.now is None else {"expired_by": search.view.now}),
    }


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidInput(
            f"The receipt's time zone {name!r} is not known here.",
            hint="Install the package tzdata, which has the time zones.",
        ) from None


def _frame_ids(candidates: Mapping[str, Sequence[Item]]) -> list[int]:
    return sorted(
        {item.frame.id for items in candidates.values() for item in items if isinstance(item, Piece)}
    )


def _context_items(packed: Packed) -> tuple[ContextItem, ...]:
    return tuple(
        ContextItem(line, item.lane, item.tier, item.rank, item.frame_ids, item.ranges, tokens)
        for item, line, tokens in zip(packed.items, packed.lines, packed.sizes, strict=True)
    )
