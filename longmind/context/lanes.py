"""Lanes of a recall, which offer candidates: hits of the search, recent turns, fact cards."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, Final, Protocol

from longmind.base.filters import EVERYTHING, View, Where
from longmind.base.frame import Frame
from longmind.base.times import AsOf
from longmind.context.items import Card, Item, Piece
from longmind.context.recipe import LaneRecipe
from longmind.context.surrogates import LONG_BYTES
from longmind.search.results import SearchResults
from longmind.store.frames import timeline
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.store.visible import visible
from longmind.text.query import plan_text
from longmind.text.words import terms


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The request that every lane of one recall gets."""

    query: str
    view: View
    where: Where
    session: str | None
    hits: Sequence[Piece] = ()
    """The hits of the search, as whole frames."""
    min_trust: int | None = None
    """Only facts that rest on a source of at least this trust."""
    moments: tuple[int, ...] = ()
    """Instants of the past time that the question asks about, if it names one."""
    budget: int | None = None
    """Tokens of the whole context."""


class ContextLane(Protocol):
    """A source of candidates, best first. The sub-memories register theirs with the builder."""

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]: ...


class FactSource(Protocol):
    """Facts that a question names, in words, each with the frames it rests on."""

    def cards(
        self, query: str, *, snapshot: Snapshot, view: View, limit: int, min_trust: int | None = None
    ) -> Sequence[tuple[str, tuple[int, ...]]]: ...


class Hits:
    """The frames that the search found: whole, or the sentences that answer, or their short form."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        return request.hits[: lane.items] if self._kind == "expansion" else request.hits


_EXCHANGED: Final = 10
"""So many turns at the beginning are hits with their neighbours, in small budgets fewer:"""
_TOKENS_OF_EACH: Final = 100


class Exchanges:
    """The short hits, best first, and with the best turns their neighbours that the search found too.

    An answer follows its question, and neighbouring turns are mostly about the same matter. Whole, a short
    text takes no more room than an extract of a long one.
    """

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        short = {
            piece.frame.id: piece
            for position, piece in enumerate(request.hits)
            if piece.ranges[0][1] <= _most_bytes(piece.frame, position, request.budget)
        }
        positions: dict[tuple[str, str | None], list[tuple[int, int, int]]] = {}
        for frame in (piece.frame for piece in short.values() if _is_turn(piece.frame)):
            positions.setdefault((frame.partition, frame.session), []).append(_position(frame))
        leading = min(lane.items, _EXCHANGED)
        if request.budget is not None:
            leading = min(leading, max(1, request.budget // _TOKENS_OF_EACH))
        best = iter([piece.frame for piece in islice(short.values(), leading)])
        chosen: dict[int, Piece] = {}
        # Each hit brings neighbours along, so that half of the hits are mostly enough.
        while len(chosen) < leading and (batch := list(islice(best, (leading + 1) // 2))):
            turns = [frame for frame in batch if _is_turn(frame)]
            neighbours = _neighbours(turns, positions, request.view, lane, snapshot)
            for frame in batch:
                if len(chosen) < leading:
                    exchange = (frame.id, *without_gap(neighbours.get(frame.id, ()), short))
                    chosen.update((hit, short[hit]) for hit in exchange if hit not in chosen)
        return list({**chosen, **short}.values())


def _most_bytes(frame: Frame, position: int, budget: int | None) -> int:
    """What is longer is left to the lanes that shorten.

    Of the best turns that is what takes more than a quarter of the budget, which in prose has about as many
    bytes as the budget has tokens.
    """
    if budget is None or position >= _EXCHANGED or not _is_turn(frame):
        return LONG_BYTES
    return max(LONG_BYTES, budget)


def without_gap(sides: Sequence[Sequence[int]], shown: Container[int]) -> Iterator[int]:
    """The neighbours on each side up to the first that is not to be shown: what follows it answers that."""
    for side in sides:
        yield from takewhile(shown.__contains__, side)


def _position(frame: Frame) -> tuple[int, int, int]:
    """Where a turn stands in its conversation."""
    return frame.occurred_at, frame.ordinal or 0, frame.id


def _neighbours(
    frames: Sequence[Frame],
    positions: Mapping[tuple[str, str | None], Sequence[tuple[int, int, int]]],
    view: View,
    lane: LaneRecipe,
    snapshot: Snapshot,
) -> dict[int, tuple[list[int], list[int]]]:
    """The turns after and before each, the nearest first; later ones are more often the answer.

    A side is read only if `positions`, those of the turns that were found, has any on it.
    """
    seen = visible(view, EVERYTHING)
    parts: list[str] = []
    values: list[Any] = []
    # By side and not by frame: the statements differ less, so that fewer have to be prepared.
    for side, (sign, order, limit) in enumerate(((">", "ASC", lane.after), ("<", "DESC", lane.before))):
        by = f"f.occurred_at {order}, coalesce(f.ordinal, 0) {order}, f.frame_id {order}"
        for frame in frames:
            at = _position(frame)
            hits = positions[frame.partition, frame.session]
            if limit and (max(hits) > at if sign == ">" else min(hits) < at):
                parts.append(
                    f"SELECT * FROM (SELECT CAST(? AS BIGINT) AS hit, {side} AS side, f.frame_id "
                    "FROM frame f "
                    f"WHERE f.session = ? AND f.space = ? AND {seen.sql} "
                    "AND f.start_byte IS NULL AND (f.speaker IS NOT NULL OR f.role IS NOT NULL) "
                    f"AND f.occurred_at {sign}= ? "
                    f"AND (f.occurred_at, coalesce(f.ordinal, 0), f.frame_id) {sign} (?, ?, ?) "
                    f"ORDER BY {by} LIMIT {limit}) beside"
                )
                values += (frame.id, frame.session, frame.partition, *seen.values, at[0], *at)
    neighbours: dict[int, tuple[list[int], list[int]]] = {}
    for hit, side, frame_id in snapshot.db.all(" UNION ALL ".join(parts), values) if parts else ():
        neighbours.setdefault(int(hit), ([], []))[int(side)].append(int(frame_id))
    return neighbours


class Recent:
    """The last turns of the session that the question is asked in."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        if request.session is None:
            return []
        if request.where.session and request.session not in request.where.session:
            return []
        where = Where.of({**request.where.to_mapping(), "session": request.session})
        dialect = self._store.engine.dialect
        # A session of the same name that all share is another one.
        frames = timeline(snapshot.db, dialect, request.view.own(), where, limit=lane.items)
        return [whole(frame, "recent", rank) for rank, frame in enumerate(frames, 1)]


_ASKER: Final = "user "
"""How a card about whoever asks begins."""
_FEW: Final = 4
"""So many facts about somebody are shown though they share no word with a question that names them."""
_ADVICE: Final = re.compile(
    r"\b(?:must|should|shall|can|could|may|would|avoid|consider|need|needs|know|mind|careful|suit|suits|allowed|gift)\b",
    re.IGNORECASE,
)
"""Words of questions about what to do for somebody: whatever is known of them may bear on it."""


_EVIDENT: Final = 50
"""So many first hits are looked at for what a card rests on."""


def _bears_on(card: str, frames: Sequence[int], asked: set[str], found: set[int], least: int) -> bool:
    """Whether a card shares so many words with the question, and is about the same matter.

    Two words that are said of anything ("bought", "new") do not make it so: the card says half of what is
    asked, or it rests on a frame that was found, or on none because it was recorded by hand.
    """
    shared = len(asked.intersection(terms(card)))
    if shared < least:
        return False
    return 2 * shared >= len(asked) or not frames or not found.isdisjoint(frames)


def _found(hits: Sequence[Piece]) -> set[int]:
    """The frames that were found, and the documents that they are chunks of."""
    parents = {piece.frame.parent for piece in hits if piece.frame.parent is not None}
    return parents | {piece.frame.id for piece in hits}


class Facts:
    """Fact cards."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        # More than are shown where some will be filtered out by the words they share.
        limit = 4 * lane.items if lane.shared else lane.items
        cards = self._cards(request, request.view, snapshot, limit)
        past: list[tuple[str, tuple[int, ...]]] = []
        for moment in request.moments:
            then = request.view.at(AsOf(system=request.view.as_of.system, valid=moment))
            known = {*cards, *past}
            past += [card for card in self._cards(request, then, snapshot, limit) if card not in known]
        query_terms = set(plan_text(request.query).terms)
        least = min(lane.shared, len(query_terms))
        found = _found(request.hits[:_EVIDENT])
        near = [card for card in cards if _bears_on(*card, query_terms, found, least)]
        if not near and len(cards) <= _FEW and _ADVICE.search(request.query) is not None:
            # "What must a dinner for Ana avoid?": of somebody who is named, the little that is known.
            near = [card for card in cards if not card[0].startswith(_ASKER)]
        # What is so at the time that is asked for, and not otherwise, need not share a word with it.
        chosen = [*past[: lane.items], *near]
        return [Card(text, "facts", rank, frames) for rank, (text, frames) in enumerate(chosen, 1)]

    def _cards(
        self, request: RecallRequest, view: View, snapshot: Snapshot, limit: int
    ) -> Sequence[tuple[str, tuple[int, ...]]]:
        return self._source.cards(
            request.query, snapshot=snapshot, view=view, limit=limit, min_trust=request.min_trust
        )


def whole(frame: Frame, lane: str, rank: int, superseded: int | None = None) -> Piece:
    text = frame.text
    size = len(text) if text.isascii() else len(text.encode())
    return Piece(frame, lane, rank, "full", ((0, size),), superseded)


def _is_turn(frame: Frame) -> bool:
    return frame.session is not None and frame.start is None and bool(frame.speaker or frame.role)
