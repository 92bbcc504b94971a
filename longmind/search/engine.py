"""The one search: lanes under one filter, fused, reranked, explained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from longmind.base.errors import Corrupt
from longmind.base.filters import View, Where
from longmind.base.names import ALL
from longmind.base.times import format_ms
from longmind.search.candidates import (
    DEPTH,
    QUERY_CHARACTERS,
    Embedding,
    RankedFrame,
    beginning,
    best_of,
    early_cosines,
    gather,
    pieces_asked,
    talk_of,
)
from longmind.search.classify import classify
from longmind.search.embedding import EmbedderBinding
from longmind.search.fusion import add_talk, fuse_ranks, fuse_scores, order
from longmind.search.ranking import (
    UNRANKED,
    Ranking,
    best_ranks,
    lane_ranks,
    lanes_of,
    rank_bonuses,
    steps_of,
)
from longmind.search.request import SearchRequest
from longmind.search.rerank import Reranker, agreements, rerank_by_model
from longmind.search.results import Hit, LaneReport, SearchResults, WhyNot
from longmind.search.speakers import voice_bonus
from longmind.search.timeline import TimeSense, newest, sense_of_time
from longmind.store.catalog import Catalog, CatalogView
from longmind.store.frames import fetch, stored
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.text.lane import Lengths, Measured, TextScores, score_text
from longmind.text.postings import Common
from longmind.text.query import TextQuery, plan_text
from longmind.text.vocabulary import Vocabulary
from longmind.vectors.nearest import VectorHits
from longmind.vectors.quantized import PendingScan, VectorQuery
from longmind.vectors.threads import one_thread

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ids = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Ids = Mask = Any

RANKED_LIMIT: Final = 50
_REACH: Final = 60
"""How many of the fused order are looked at by the bonuses, beyond the limit asked for."""


class RankingLane(Protocol):
    """A lane that ranks without scores, such as the facts'."""

    def rank(
        self, query: str, *, snapshot: Snapshot, view: View, where: Where, limit: int
    ) -> Sequence[RankedFrame]: ...


class SearchEngine:
    """Holds what search keeps in memory of one store; safe to share between threads."""

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
        self._reranker = reranker
        self._catalog = Catalog(store.mirrors)
        self._lengths = Lengths(store.mirrors)
        self._vocabulary = Vocabulary(store.mirrors, store.engine.dialect)
        self._common: Common = {}
        self._pool: Executor | None = None

    def search(self, request: SearchRequest) -> SearchResults:
        query = self._embed(request)
        notes: list[str] = []
        with self._store.read() as snapshot:
            catalog = self._catalog.at(snapshot)
            with one_thread():
                scored = self._score(request, snapshot, catalog, query)
            chosen = scored.placed[: request.limit]
            hits = self._hits(request, snapshot, scored, chosen)
        if self._reranker is not None:
            hits, problem = rerank_by_model(self._reranker, request.query, hits)
            notes += [problem] if problem else []
        return SearchResults(
            hits=tuple(hits),
            query=request.query,
            query_type=scored.kind.type,
            query_reason=scored.kind.reason,
            lanes=tuple(scored.candidates.reports),
            fusion=request.fusion,
            revision=snapshot.revision,
            truncated=scored.plan.truncated
            or (len(request.query) > QUERY_CHARACTERS and request.lanes != ("text",)),
            notes=(*scored.sense.notes, *notes),
        )

    def why_not(self, request: SearchRequest, frame_id: int) -> WhyNot:
        """Follow one frame through the same search, and say where it was lost."""
        query = self._embed(request)
        with self._store.read() as snapshot:
            lost = self._outside(request, snapshot, frame_id)
            if lost is not None:
                return lost
            catalog = self._catalog.at(snapshot)
            with one_thread():
                scored = self._score(request, snapshot, catalog, query)
            positions = scored.candidates.ids[scored.placed].tolist()
            if frame_id not in positions:
                reasons = "; ".join(
                    f"{lane.name}: {'not among its ' + str(lane.found) if lane.ran else lane.detail}"
                    for lane in scored.candidates.reports
                )
                return WhyNot(frame_id, False, "no lane", f"No lane brought it in ({reasons}).")
            rank = positions.index(frame_id) + 1
            chosen = scored.placed[rank - 1 : rank]
            if rank <= request.limit and self._reranker is not None:
                chosen = scored.placed[: request.limit]
            hits = self._hits(request, snapshot, scored, chosen)
        if rank > request.limit:
            text = f"It came at place {rank} of {len(positions)}, below the limit of {request.limit}."
            return WhyNot(frame_id, False, "below limit", text, rank, hits[0])
        if self._reranker is not None:
            hits, _ = rerank_by_model(self._reranker, request.query, hits)
            rank = next(place for place, hit in enumerate(hits, 1) if hit.frame.id == frame_id)
        hit = next(hit for hit in hits if hit.frame.id == frame_id)
        return WhyNot(frame_id, True, "found", f"It is hit {rank}.", rank, hit)

    # Steps

    def _embed(self, request: SearchRequest) -> Embedding:
        if "vector" not in request.lanes:
            return Embedding.none("not asked for")
        if not request.query.strip():
            return Embedding.none("the question is empty")
        return Embedding(self.embedding.embedder, self.embedding.problem, request.query, self._threads)

    def _threads(self) -> Executor:
        """For what needs no Python; its threads end with the engine."""
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            import numpy as np  # noqa: F401  (two threads that first import it at once get half of it)

            self._pool = ThreadPoolExecutor(thread_name_prefix="longmind-search")
        return self._pool

    def _score(
        self, request: SearchRequest, snapshot: Snapshot, catalog: CatalogView, embedding: Embedding
    ) -> Ranking:
        filtering = sense_of_time(request) if request.times == "filter" else None
        where = request.where if filtering is None else _narrowed(request, filtering)
        mask = catalog.visible(request.view, where)
        looking = self._begin_vectors(request, embedding, snapshot, catalog, mask, where)
        # The other thread begins when this one first reads; so what only thinks comes later.
        lengths = self._lengths.at(snapshot, catalog.size)
        reports: list[LaneReport] = []
        plan = plan_text(request.query)
        text = self._text_lane(request, plan, snapshot, catalog, lengths, mask, reports)
        known = self._known(request, snapshot, where)
        sense = filtering or sense_of_time(request)
        kind = classify(request.query)
        # All that needs no neighbours comes before they are waited for.
        said = None if text is None else best_of(text, _depth(request), catalog.columns.content)
        query = embedding.result()
        late = None
        if request.fusion == "score":
            late = pieces_asked(query, self.embedding.basis, () if text is None else text.terms)
        early = None
        if said is not None and isinstance(looking, PendingScan) and self.embedding.neighbours is not None:
            early = early_cosines(said, catalog, mask, self.embedding.neighbours, query, snapshot)
        near = self._vector_lane(request, query.problem or looking, lengths.documents, reports)
        ranked = self._ranked_lanes(request, catalog, mask, sense, known, (text, near), reports)
        candidates = gather(
            catalog=catalog,
            snapshot=snapshot,
            mask=mask,
            text=text,
            said=said,
            near=near,
            ranked=ranked,
            neighbours=self.embedding.neighbours,
            query=query,
            early=early,
            late=late,
        )
        candidates.reports = reports
        content = catalog.columns.content[candidates.ids]
        ranks = lane_ranks(candidates, near, content)
        if request.fusion == "rrf":
            fused = fuse_ranks(ranks, kind.type)
            scores = fused.scores.copy()
        else:
            fused = fuse_scores(candidates.signals(), most_words=candidates.most_words)
            fused = fused.plus(
                "voice", voice_bonus(request.query, catalog, candidates.ids, candidates.is_turn)
            )
            fused = add_talk(fused, talk_of(candidates, catalog, lengths.words), candidates.is_turn)
            scores = fused.scores + rank_bonuses(candidates)
        best_rank = best_ranks(ranks, len(candidates.ids))
        # A turn beside a hit may be an answer by itself, but only if its meaning was looked at.
        found = (best_rank < UNRANKED) | (near is not None)
        bonuses = agreements(
            plan=plan,
            sense=sense if request.times == "boost" else None,
            candidates=candidates,
            scores=scores,
            catalog=catalog,
            snapshot=snapshot,
            view=request.view,
            dialect=self._store.engine.dialect,
            reach=request.limit + _REACH,
            scale=float(scores.max(initial=0.0)) if request.fusion == "rrf" else 1.0,
        )
        for place, given in bonuses.items():
            scores[place] += sum(bonus.amount for bonus in given)
        placed = order(scores, best_rank, content, candidates.ids)
        placed = placed[found[placed]]
        return Ranking(candidates, fused, scores, placed, ranks, bonuses, plan, kind, sense)

    def _text_lane(
        self,
        request: SearchRequest,
        plan: TextQuery,
        snapshot: Snapshot,
        catalog: CatalogView,
        lengths: Measured,
        mask: Mask,
        reports: list[LaneReport],
    ) -> TextScores | None:
        if "text" not in request.lanes:
            return None
        text = score_text(
            plan,
            snapshot=snapshot,
            dialect=self._store.engine.dialect,
            catalog=catalog,
            vocabulary=self._vocabulary,
            common=self._common,
            lengths=lengths,
            mask=mask,
        )
        used = [use.term for use in text.terms if use.used]
        left = [f"{use.term} ({use.note})" for use in text.terms if not use.used]
        detail = f"looked for {', '.join(used)}" if used else "no word to look for"
        if left:
            detail += f"; left out {', '.join(left)}"
        reports.append(LaneReport("text", True, len(text.found), detail))
        return text

    def _begin_vectors(
        self,
        request: SearchRequest,
        embedding: Embedding,
        snapshot: Snapshot,
        catalog: CatalogView,
        mask: Mask,
        where: Where,
    ) -> PendingScan | str:
        """The look for what is near, begun, or why there is none."""
        neighbours = self.embedding.neighbours
        if neighbours is None or not embedding.may_come:
            return embedding.result().problem
        problem = self.embedding.mismatch(snapshot)
        if problem:
            return problem

        def question() -> VectorQuery:
            encoding = embedding.result().encoding
            assert encoding is not None
            return VectorQuery(encoding.vectors[0], mask, request.view, where, catalog.columns.content)

        return neighbours.begin(question, snapshot, _depth(request), pool=self._threads)

    def _vector_lane(
        self, request: SearchRequest, looking: PendingScan | str, indexed: int, reports: list[LaneReport]
    ) -> VectorHits | None:
        if "vector" not in request.lanes:
            return None
        if isinstance(looking, str) or self.embedding.neighbours is None:
            reports.append(LaneReport("vector", False, 0, str(looking)))
            return None
        near = self.embedding.neighbours.end(looking)
        covered = self.embedding.neighbours.covered(looking.snapshot)
        partly = f"; vectors for {covered} of {indexed} frames" if covered < indexed else ""
        reports.append(LaneReport("vector", True, len(near.ids), near.method + partly))
        return near

    def _known(
        self, request: SearchRequest, snapshot: Snapshot, where: Where
    ) -> Sequence[RankedFrame] | None:
        if "facts" not in request.lanes or self._facts is None:
            return None
        query = beginning(request.query)
        return self._facts.rank(query, snapshot=snapshot, view=request.view, where=where, limit=RANKED_LIMIT)

    def _ranked_lanes(
        self,
        request: SearchRequest,
        catalog: CatalogView,
        mask: Mask,
        sense: TimeSense,
        known: Sequence[RankedFrame] | None,
        scored: tuple[TextScores | None, VectorHits | None],
        reports: list[LaneReport],
    ) -> dict[str, Sequence[RankedFrame]]:
        ranked: dict[str, Sequence[RankedFrame]] = {}
        if known is not None:
            ranked["facts"] = known
            reports.append(LaneReport("facts", True, len(known), "known names in the question"))
        if "timeline" in request.lanes:
            text, near = scored
            silent = (text is None or not len(text.found)) and (near is None or not len(near.ids))
            most = max(RANKED_LIMIT, request.limit)
            ranked["timeline"] = newest(catalog, mask, sense, limit=most, asked=silent)
            found = ranked["timeline"]
            lack = (
                "the question does not ask about time" if sense.range is None else "no frame is of that time"
            )
            detail = found[0].reason if found else lack
            reports.append(LaneReport("timeline", True, len(found), detail))
        return ranked

    def _hits(self, request: SearchRequest, snapshot: Snapshot, scored: Ranking, places: Ids) -> list[Hit]:
        ids = scored.candidates.ids[places].tolist()
        frames = fetch(snapshot.db, self._store.engine.dialect, ids, request.view)
        if len(frames) != len(ids):
            missing = sorted(set(ids) - {frame.id for frame in frames})
            raise Corrupt(
                f"The index lists frame {missing[0]}, which is not there.",
                hint="Run verify, then reindex or restore a backup.",
            )
        return [
            Hit(frame, score, lanes, steps)
            for frame, score, lanes, steps in zip(
                frames,
                scored.scores[places].tolist(),
                lanes_of(scored, places),
                steps_of(scored, places),
                strict=True,
            )
        ]

    def _outside(self, request: SearchRequest, snapshot: Snapshot, frame_id: int) -> WhyNot | None:
        row = stored(snapshot.db, [frame_id]).get(frame_id)
        if row is None:
            return WhyNot(frame_id, False, "missing", "There is no such frame; it may have been erased.")
        spaces = request.view.spaces
        if spaces is not ALL and row.space not in spaces and row.scope != "global":
            return WhyNot(frame_id, False, "space", f"It is in the space {row.space}, which was not asked.")
        if not fetch(snapshot.db, self._store.engine.dialect, [frame_id], request.view):
            reason = "At the instant asked for it was not known or not yet so."
            if row.retired_at is not None and row.retired_at <= request.view.as_of.system:
                by = "" if row.superseded_by is None else f", superseded by frame {row.superseded_by}"
                reason = f"It was retired at {format_ms(row.retired_at)}{by}."
            return WhyNot(frame_id, False, "instant", reason)
        catalog = self._catalog.at(snapshot)
        if not catalog.visible(request.view, request.where)[frame_id]:
            return WhyNot(frame_id, False, "filter", "The conditions in where= leave it out.")
        sense = sense_of_time(request)
        if not catalog.visible(request.view, _narrowed(request, sense))[frame_id]:
            return WhyNot(
                frame_id, False, "filter", f"The time in the question leaves it out: {sense.described}."
            )
        if snapshot.db.one("SELECT 1 FROM text_doc WHERE frame_id = ?", (frame_id,)) is None:
            return WhyNot(frame_id, False, "not indexed", "It is found through its chunks, not as a whole.")
        return None


def _depth(request: SearchRequest) -> int:
    return max(DEPTH, request.limit)


def _narrowed(request: SearchRequest, sense: TimeSense) -> Where:
    """The caller's conditions, and the question's own time where that is to filter."""
    if request.times != "filter" or sense.range is None:
        return request.where
    return request.where.within(since=sense.range[0], until=sense.range[1])
