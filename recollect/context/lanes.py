"""Where candidates come from: hits of the search, recent turns, fact cards, and what is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

from recollect.base.filters import EVERYTHING, View, Where
from recollect.base.frame import Frame
from recollect.base.tokens import Tokenizer
from recollect.context.items import Card, Item, Piece, Tier
from recollect.context.recipe import LaneRecipe
from recollect.context.sentences import Range, answering
from recollect.context.surrogates import LONG_BYTES, Surrogate, make_surrogate
from recollect.search.results import SearchResults
from recollect.store.frames import timeline
from recollect.store.store import Store
from recollect.store.transaction import Snapshot
from recollect.store.visible import visible
from recollect.text.query import plan_text
from recollect.text.words import terms

_SNIPPET_WORDS: Final = 90
_WORDS_PER_TOKEN: Final = 0.75
_CUT_TOKENS: Final = 60


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What a context is asked for."""

    query: str
    view: View
    where: Where
    session: str | None


class ContextLane(Protocol):
    """A source of candidates, best first. Those of the sub-memories are registered from above."""

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]: ...


class FactSource(Protocol):
    """Facts that a question touches, in words."""

    def cards(
        self, query: str, *, snapshot: Snapshot, view: View, limit: int
    ) -> Sequence[tuple[str, tuple[int, ...]]]: ...


class Hits:
    """The frames that the search found: whole, or the sentences that answer, or their short form."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        taken = results.hits[: lane.items] if self._kind == "expansion" else results.hits
        return [whole(hit.frame, self._kind, rank) for rank, hit in enumerate(taken, 1)]


class Exchanges:
    """The best hits of a conversation, each with the turns beside it that were found too.

    An answer stands beside its question, and two turns that both touch on the matter are rarely apart.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        # A long turn is left to the lanes that shrink.
        pieces = [whole(hit.frame, "exchanges", rank) for rank, hit in enumerate(results.hits, 1)]
        turns = {
            piece.frame.id: piece
            for piece in pieces
            if _is_turn(piece.frame) and piece.ranges[0][1] <= LONG_BYTES
        }
        chosen: dict[int, Piece] = {}
        for frame_id, piece in turns.items():
            if len(chosen) >= lane.items:
                break
            beside = self._beside(piece.frame, request.view, lane, snapshot)
            for found in (frame_id, *beside):
                if found in turns:
                    chosen.setdefault(found, turns[found])
        return list(chosen.values())

    def _beside(self, frame: Frame, view: View, lane: LaneRecipe, snapshot: Snapshot) -> list[int]:
        """What followed comes first: it is more often the answer than what went before."""
        found: list[int] = []
        at = (frame.occurred_at, frame.ordinal or 0, frame.id)
        seen = visible(view, EVERYTHING)
        for sign, order, limit in ((">", "ASC", lane.after), ("<", "DESC", lane.before)):
            if limit:
                sql = (
                    f"SELECT f.frame_id FROM frame f WHERE f.session = ? AND f.space = ? AND {seen.sql} "
                    "AND f.start_byte IS NULL AND (f.speaker IS NOT NULL OR f.role IS NOT NULL) "
                    f"AND f.occurred_at {sign}= ? "
                    f"AND (f.occurred_at, coalesce(f.ordinal, 0), f.frame_id) {sign} (?, ?, ?) ORDER BY "
                    f"f.occurred_at {order}, coalesce(f.ordinal, 0) {order}, f.frame_id {order} LIMIT {limit}"
                )
                values = (frame.session, frame.space, *seen.values, at[0], *at)
                found += [int(row[0]) for row in snapshot.rows.all(sql, values)]
        return found


class Recent:
    """The last turns of the session the question is asked in."""

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
        frames = timeline(snapshot.rows, dialect, request.view, where, limit=lane.items)
        return [whole(frame, "recent", rank) for rank, frame in enumerate(frames, 1)]


class Facts:
    """Fact cards."""

    def __init__(self, source: FactSource) -> None:
        self._source = source

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        limit = 100 if lane.shared else lane.items
        found = self._source.cards(request.query, snapshot=snapshot, view=request.view, limit=limit)
        asked = set(plan_text(request.query).terms)
        least = lane.shared if len(asked) > lane.shared else 0
        told = [(text, frames) for text, frames in found if len(asked.intersection(terms(text))) >= least]
        return [Card(text, "facts", rank, frames) for rank, (text, frames) in enumerate(told, 1)]


def whole(frame: Frame, lane: str, rank: int) -> Piece:
    return Piece(frame, lane, rank, "full", ((0, len(frame.text.encode())),))


def _is_turn(frame: Frame) -> bool:
    return frame.session is not None and frame.start is None and bool(frame.speaker or frame.role)


class Shrinker:
    """Smaller forms of a piece: the sentences that answer, the gist, the shortest, the beginning."""

    def __init__(self, query: str, surrogates: Callable[[], Mapping[int, Surrogate]], tokenizer: Tokenizer):
        plan = plan_text(query)
        self._wanted = plan.terms
        self._specific = bool(plan.identifiers or plan.phrases) or len(plan.terms) >= 2
        self._surrogates = cache(surrogates)
        self._tokenizer = tokenizer

    def __call__(self, piece: Piece, room: int) -> Iterator[Piece]:
        if piece.tier != "full" or piece.ranges[0][1] <= LONG_BYTES or room <= 0:
            return
        # A pointed question wants the sentences that answer; a wide one, what the frame is about.
        tiers: tuple[Tier, ...] = ("snippet", "gist") if self._specific else ("gist", "snippet")
        for tier in (*tiers, "micro", "cut"):
            ranges = self._ranges(piece.frame, tier, room)
            if ranges:
                yield Piece(piece.frame, piece.lane, piece.rank, tier, ranges)

    def _ranges(self, frame: Frame, tier: Tier, room: int) -> tuple[Range, ...]:
        if tier == "snippet":
            words = min(_SNIPPET_WORDS, int(room * _WORDS_PER_TOKEN))
            return tuple(answering(frame.text, self._wanted, words=words)) if words else ()
        if tier == "cut":
            beginning = self._tokenizer.truncate(frame.text, min(_CUT_TOKENS, room))
            return ((0, len(beginning.encode())),) if beginning.strip() else ()
        short = self._surrogates().get(frame.id) or make_surrogate(frame.text)
        assert short is not None
        return short.gist if tier == "gist" else short.micro
