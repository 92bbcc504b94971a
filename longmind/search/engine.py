"""The one search: what it keeps in memory of a store, and its two questions, `search` and `why_not`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Final

from longmind.base.arrays import Int64Array
from longmind.base.errors import Corrupt
from longmind.base.filters import View, Where
from longmind.base.times import format_ms
from longmind.facts.fact_index import FactIndex
from longmind.facts.lane import LaneOptions, about_who_asks, candidates, names_in
from longmind.facts.names import NameIndex
from longmind.facts.trust import level
from longmind.rerank import Reranker
from longmind.search import constants, pipeline
from longmind.search.embedding import EmbedderBinding
from longmind.search.explain import lanes_of, steps_of
from longmind.search.pending import (
    PendingEmbedding,
    SearchThreads,
    begin_embedding,
    begin_embeddings,
)
from longmind.search.question import Question
from longmind.search.ranking import Ranking
from longmind.search.request import SearchRequest
from longmind.search.rerank import rerank_by_model
from longmind.search.results import Hit, LaneReport, RankedFrame, SearchResults, WhyNot
from longmind.search.state import ImagesLane, RankingLane, SearchState
from longmind.store.follower import Mirrors
from longmind.store.frames import fetch, stored
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.text.lane import Lengths
from longmind.text.postings import Common
from longmind.text.times import SaidTimes
from longmind.text.vocabulary import Vocabulary
from longmind.vectors.samples import VectorSamples
from longmind.vectors.threads import one_thread

_SCANS: Final = 32
"""Scans for nearest vectors that are under way at once."""


class SearchEngine:
    """Keeps the small columns and the vocabulary of one store in memory; safe to share between threads."""

    def __init__(
        self,
        store: Store,
        *,
        embedding: EmbedderBinding | None = None,
        facts: RankingLane | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.embedding = embedding or EmbedderBinding()
        self._store = store
        self._facts = facts
        self.images: ImagesLane | None = None
        """Set by whoever has the tools that compare photos with texts."""
        self._reranker = reranker
        self._lengths = Lengths(store.mirrors)
        self._vocabulary = Vocabulary(store.mirrors, store.engine.dialect)
        self._common: Common = {}
        self._times = SaidTimes(store.mirrors)
        self._samples = VectorSamples()
        self.threads = SearchThreads()

    @property
    def fact_index(self) -> FactIndex | None:
        """What is kept in memory of entities of which much is known, if there is a ledger."""
        return self._facts.index if isinstance(self._facts, FactsLane) else None

    def state(self, snapshot: Snapshot, view: View) -> SearchState:
        """What the pipeline reads, as of a snapshot: only the parts of the store that the view names."""
        return SearchState(
            snapshot,
            self._store.engine.dialect,
            self._store.catalog.at(snapshot, view),
            self._lengths,
            self._vocabulary,
            self._common,
            self._times,
            self.embedding.within(view),
            self._samples,
            self._facts,
            self.images,
            self.threads,
        )

    def search_many(self, requests: Sequence[SearchRequest]) -> list[SearchResults]:
        """Many searches of one state of the store, the questions embedded together."""
        embeddings = begin_embeddings(requests, self.embedding, self.threads)
        asked = list(zip(requests, embeddings, strict=True))
        results: list[SearchResults] = []
        with self._store.one_state() as snapshot:
            for first in range(0, len(asked), _SCANS):
                part = asked[first : first + _SCANS]
                # All scans of a part begin before the first is waited for: a GPU answers them in one pass.
                with one_thread():
                    begun = [self._begin(snapshot, request, embedding) for request, embedding in part]
                results += [self.search(*pair, each) for pair, each in zip(part, begun, strict=True)]
        return results

    def _begin(
        self, snapshot: Snapshot, request: SearchRequest, embedding: PendingEmbedding
    ) -> pipeline.Begun:
        state = self.state(snapshot, request.view)
        return pipeline.begin(request, Question(request), state, embedding)

    def embed_many(self, requests: Sequence[SearchRequest]) -> list[PendingEmbedding]:
        """Encodings for searches to come, made together."""
        return begin_embeddings(requests, self.embedding, self.threads)

    def search(
        self,
        request: SearchRequest,
        embedding: PendingEmbedding | None = None,
        begun: pipeline.Begun | None = None,
    ) -> SearchResults:
        """One search; `embedding` is that of its question, and `begun` its scan, if they began before."""
        if embedding is None:
            embedding = begin_embedding(request, self.embedding, self.threads)
        with self._store.read() as snapshot:
            state = self.state(snapshot, request.view)
            with _threads(request):
                ranking = pipeline.run(request, state, embedding, begun)
            hits = self._hits(request, snapshot, ranking, ranking.order[: request.limit])
        notes = (*ranking.question.time.notes, *_vector_notes(ranking.reports))
        if self._reranker is not None:
            hits, problem = rerank_by_model(self._reranker, request.query, hits)
            notes = (*notes, problem) if problem else notes
        kind = ranking.question.type
        return SearchResults(
            hits=tuple(hits),
            query=request.query,
            query_type=kind.type,
            query_reason=kind.reason,
            lanes=ranking.reports,
            fusion=request.fusion,
            revision=snapshot.revision,
            truncated=_is_truncated(request, ranking.question),
            notes=notes,
            known_from=ranking.known_from,
        )

    def why_not(self, request: SearchRequest, frame_id: int) -> WhyNot:
        """Follow one frame through the same search, and say where it dropped out."""
        embedding = begin_embedding(request, self.embedding, self.threads)
        with self._store.read() as snapshot:
            state = self.state(snapshot, request.view)
            outside = self._outside(request, state, frame_id)
            if outside is not None:
                return outside
            with one_thread():
                ranking = pipeline.run(request, state, embedding)
            ids = ranking.candidates.ids[ranking.order].tolist()
            if frame_id in ranking.repeated:
                reason = f"It says the same as frame {ranking.repeated[frame_id]}, which is shown instead."
                return WhyNot(frame_id, False, "repeated", reason)
            if frame_id not in ids and (sure := _left_out_as_unsure(request, ranking, frame_id)) is not None:
                reason = f"Its confidence is {sure:.2f}, below min_score."
                return WhyNot(frame_id, False, "confidence", reason)
            if frame_id not in ids:
                reasons = "; ".join(
                    f"{lane.name}: {'not among its ' + str(lane.found) if lane.ran else lane.detail}"
                    for lane in ranking.reports
                )
                return WhyNot(frame_id, False, "no lane", f"No lane brought it in ({reasons}).")
            rank = ids.index(frame_id) + 1
            is_hit = rank <= request.limit
            # A reranker compares all hits, so that one rank depends on all of them.
            first = 0 if is_hit and self._reranker is not None else rank - 1
            last = request.limit if first == 0 and is_hit else rank
            hits = self._hits(request, snapshot, ranking, ranking.order[first:last])
        if not is_hit:
            text = f"It came at place {rank} of {len(ids)}, below the limit of {request.limit}."
            return WhyNot(frame_id, False, "below limit", text, rank, hits[0])
        if self._reranker is not None:
            hits, _ = rerank_by_model(self._reranker, request.query, hits)
            rank = next(index for index, hit in enumerate(hits, 1) if hit.frame.id == frame_id)
        hit = next(hit for hit in hits if hit.frame.id == frame_id)
        return WhyNot(frame_id, True, "found", f"It is hit {rank}.", rank, hit)

    def _hits(
        self, request: SearchRequest, snapshot: Snapshot, ranking: Ranking, positions: Int64Array
    ) -> list[Hit]:
        ids = ranking.candidates.ids[positions].tolist()
        # Under the view again: what the catalog let through is checked when it is read.
        frames = fetch(snapshot.db, self._store.engine.dialect, ids, request.view)
        if len(frames) != len(ids):
            missing = sorted(set(ids) - {frame.id for frame in frames})
            raise Corrupt(
                f"The index lists frame {missing[0]}, which is not there.",
                hint="Run verify, then reindex or restore a backup.",
            )
        scores = ranking.scores[positions].tolist()
        lanes, steps = lanes_of(ranking, positions), steps_of(ranking, positions)
        sure = ranking.confidence[positions].tolist()
        old = [ranking.superseded.get(frame_id) for frame_id in ids]
        return [Hit(*parts) for parts in zip(frames, scores, lanes, steps, sure, old, strict=True)]

    def _outside(self, request: SearchRequest, state: SearchState, frame_id: int) -> WhyNot | None:
        """Why no lane may show the frame, or None if one may."""
        db = state.snapshot.db
        row = stored(db, [frame_id]).get(frame_id)
        missing = WhyNot(frame_id, False, "missing", "There is no such frame in the spaces asked for.")
        # Of a frame elsewhere, not even its existence is told.
        if row is None or not request.view.sees(row.space, row.scope):
            return missing
        if not fetch(db, state.dialect, [frame_id], request.view):
            reason = "At the instant asked for it was not known or not yet so."
            if row.retired_at is not None and row.retired_at <= request.view.as_of.system:
                by = "" if row.superseded_by is None else f", superseded by frame {row.superseded_by}"
                reason = f"It was retired at {format_ms(row.retired_at)}{by}."
            return WhyNot(frame_id, False, "instant", reason)
        if not state.catalog.visible(request.view, request.where)[frame_id]:
            return WhyNot(frame_id, False, "filter", "The conditions in where= leave it out.")
        question = Question(request)
        if not state.catalog.visible(request.view, pipeline.narrowed(request, question))[frame_id]:
            described = question.time.described
            return WhyNot(frame_id, False, "filter", f"The time in the question leaves it out: {described}.")
        if db.one("SELECT 1 FROM text_doc WHERE frame_id = ?", (frame_id,)) is None:
            return WhyNot(frame_id, False, "not indexed", "It is found through its chunks, not as a whole.")
        return None


def _vector_notes(reports: Sequence[LaneReport]) -> Iterator[str]:
    for report in reports:
        if report.lacking:
            frames = "frame has" if report.lacking == 1 else "frames have"
            yield (
                f"{report.lacking:,} {frames} no vectors yet and can only be found by words. "
                "Fill them in with: longmind maintain"
            )


def _left_out_as_unsure(request: SearchRequest, ranking: Ranking, frame_id: int) -> float | None:
    """The confidence of a candidate that does not reach the least that was asked for; None of any other."""
    positions = (ranking.candidates.ids == frame_id).nonzero()[0]
    if request.min_score is None or not len(positions):
        return None
    sure = float(ranking.confidence[positions[0]])
    return sure if sure < request.min_score else None


def _threads(request: SearchRequest) -> AbstractContextManager[None]:
    """One thread for products of matrices, which words alone do without: to set that takes a while, too."""
    return nullcontext() if _NO_MATRICES.issuperset(request.lanes) else one_thread()


_NO_MATRICES: Final = frozenset({"text", "facts", "timeline"})


def _is_truncated(request: SearchRequest, question: Question) -> bool:
    """Whether a lane read only the beginning of the question; the text lane reads further than the others."""
    others = request.lanes != ("text",)
    least = constants.LONG_QUESTION if others else constants.LONG_TEXT
    return question.terms.truncated or len(request.query) > least


class FactsLane:
    """Ranks frames by the facts they are evidence for."""

    def __init__(self, mirrors: Mirrors, options: LaneOptions | None = None) -> None:
        self._names = NameIndex(mirrors)
        self.index = FactIndex(mirrors)
        self._options = options or LaneOptions(max_evidence_frames=constants.DEPTH)
        self._naming = replace(self._options, first_person=None)

    def rank(
        self,
        query: str,
        *,
        snapshot: Snapshot,
        view: View,
        where: Where,
        limit: int,
        min_trust: str | None = None,
    ) -> Sequence[RankedFrame]:
        if self.is_empty(snapshot):
            return []
        options = replace(
            self._options,
            max_evidence_frames=min(limit, self._options.max_evidence_frames),
            min_trust=level(min_trust),
        )
        evidence = candidates(snapshot, query, view, where, options, self._names, self.index)
        weight = self._options.weight
        return [RankedFrame(item.frame_id, "; ".join(item.reasons), weight) for item in evidence]

    def is_empty(self, snapshot: Snapshot) -> bool:
        return self._names.is_empty(snapshot)

    def personal(
        self, *, snapshot: Snapshot, view: View, where: Where, min_trust: str | None = None
    ) -> Sequence[RankedFrame]:
        """What the person who asks likes, avoids, owns and is."""
        options = replace(
            self._options, max_evidence_frames=constants.PERSONAL_DEPTH, min_trust=level(min_trust)
        )
        evidence = about_who_asks(snapshot, view, where, options, self.index)
        return [RankedFrame(item.frame_id, "; ".join(item.reasons)) for item in evidence]

    def entity_names(self, query: str, *, snapshot: Snapshot, view: View) -> Sequence[tuple[str, ...]]:
        """What the question names: for each entity the name that was used, and its others."""
        if self.is_empty(snapshot):
            return []
        return names_in(snapshot, query, view, self._naming, self._names)
