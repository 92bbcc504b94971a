"""Where candidates come from: hits of the search, recent turns, fact cards, and what is registered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.base.filters import View, Where
from recollect.base.frame import Frame
from recollect.base.tokens import Tokenizer
from recollect.context.items import Card, Item, Piece
from recollect.context.recipe import LaneRecipe
from recollect.context.sentences import answering
from recollect.context.surrogates import LONG_BYTES, Surrogate, make_surrogate
from recollect.search.results import SearchResults
from recollect.store.frames import timeline
from recollect.store.store import Store
from recollect.store.transaction import Snapshot
from recollect.text.query import plan_text

_SNIPPET_WORDS = 90
_CUT_TOKENS = 60


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


class Recent:
    """The last turns of the session the question is asked in."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        if request.session is None:
            return []
        where = Where(session=request.session)
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
        found = self._source.cards(request.query, snapshot=snapshot, view=request.view, limit=lane.items)
        return [Card(text, "facts", rank, frames) for rank, (text, frames) in enumerate(found, 1)]


def whole(frame: Frame, lane: str, rank: int) -> Piece:
    return Piece(frame, lane, rank, "full", ((0, len(frame.text.encode())),))


class Shrinker:
    """Smaller forms of a piece: the sentences that answer, the gist, the shortest, the beginning."""

    def __init__(self, query: str, surrogates: dict[int, Surrogate], tokenizer: Tokenizer) -> None:
        plan = plan_text(query)
        self._wanted = plan.terms
        self._specific = bool(plan.identifiers or plan.phrases) or len(plan.terms) >= 2
        self._surrogates = surrogates
        self._tokenizer = tokenizer

    def __call__(self, piece: Piece) -> list[Piece]:
        text = piece.frame.text
        if piece.tier != "full" or piece.ranges[0][1] <= LONG_BYTES:
            return []
        short = self._surrogates.get(piece.frame.id) or make_surrogate(text)
        assert short is not None
        answer = tuple(answering(text, self._wanted, words=_SNIPPET_WORDS))
        snippet = Piece(piece.frame, piece.lane, piece.rank, "snippet", answer)
        gist = Piece(piece.frame, piece.lane, piece.rank, "gist", short.gist)
        micro = Piece(piece.frame, piece.lane, piece.rank, "micro", short.micro)
        # A pointed question wants the sentences that answer; a wide one, what the frame is about.
        forms = [snippet, gist, micro] if self._specific else [gist, snippet, micro]
        beginning = len(self._tokenizer.truncate(text, _CUT_TOKENS).encode())
        return [*forms, Piece(piece.frame, piece.lane, piece.rank, "cut", ((0, beginning),))]
