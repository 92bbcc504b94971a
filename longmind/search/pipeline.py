"""One search, from the question to the order of its candidates: each step a function, in the order they run.

    question → filter → lanes (text, facts, vectors, timeline) → candidates → ranks → fusion → bonuses → order

`collect` runs the lanes, `rank` puts what they found in order. With tools for photos, `images` is a lane,
too. What runs on other threads meanwhile is in `pending.py`, every number that decides something in
`constants.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.columns import Mask
from longmind.base.filters import Where
from longmind.base.frame import Kind
from longmind.search import constants
from longmind.search.candidates import (
    Candidates,
    Lanes,
    Link,
    best_by_words,
    gather,
    neighbourhood,
    with_neighbours,
)
from longmind.search.confidence import CosineScale, confidences, known_from, scale_of
from longmind.search.explain import lane_reports
from longmind.search.fusion import Cues, Fused, add_neighbourhood, fuse_ranks, fuse_scores, order
from longmind.search.late import familiarity, weighted_pieces
from longmind.search.links import links_from
from longmind.search.pending import PendingEmbedding, PendingVectors, begin_vectors, readable
from longmind.search.question import Question
from longmind.search.ranking import UNRANKED, Ranking, best_ranks, lane_ranks, rank_bonuses
from longmind.search.request import SearchRequest
from longmind.search.rerank import Bonus, agreements, speaker_bonus
from longmind.search.results import LaneReport, RankedFrame
from longmind.search.standing import asks_past, superseded, told_twice
from longmind.search.state import KnowsPersons, SearchState
from longmind.search.timeline import TimeSense, newest
from longmind.search.wording import speaks_of_oneself
from longmind.store.catalog import CatalogView
from longmind.store.frames import fetch
from longmind.text.lane import Measured, TextScores, score_text
from longmind.text.times import Spoken
from longmind.vectors.nearest import VectorHits


def run(
    request: SearchRequest, state: SearchState, embedding: PendingEmbedding, begun: Begun | None = None
) -> Ranking:
    """The whole pipeline; the frames are fetched afterwards, for the hits alone."""
    question = Question(request) if begun is None else begun.question
    return rank(request, question, state, collect(request, question, state, embedding, begun))


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """A search whose scan for the nearest vectors is under way."""

    question: Question
    where: Where
    mask: Mask
    pending: PendingVectors


def begin(
    request: SearchRequest, question: Question, state: SearchState, embedding: PendingEmbedding
) -> Begun:
    """Apply the filter, and start what runs on other threads."""
    where = narrowed(request, question)
    mask = state.catalog.visible(request.view, where)
    return Begun(question, where, mask, begin_vectors(request, state, embedding, mask, where))


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """What the lanes found, before anything is weighed."""

    candidates: Candidates
    widened: Callable[[Mapping[int, Link]], Candidates]
    """The candidates, and others that the first hits lead to, with every signal filled in."""
    lengths: Measured
    reports: tuple[LaneReport, ...]
    familiar: float
    """How far the embedder knows the question's language, from 0 to 1."""
    scale: CosineScale | None
    """What the embedder's cosines are worth; None where that cannot be told."""
    spoken: Spoken | None
    """The frames whose texts speak of the time in the question; None where it names none."""


def collect(
    request: SearchRequest,
    question: Question,
    state: SearchState,
    embedding: PendingEmbedding,
    begun: Begun | None = None,
) -> Collected:
    """Run every lane under one filter, and gather what each knows about any frame found."""
    begun = begin(request, question, state, embedding) if begun is None else begun
    where, mask, pending = begun.where, begun.mask, begun.pending
    pending.hand_over()
    lengths = state.lengths.at(state.snapshot, state.catalog.size, state.catalog.corpus(request.view))
    text = text_lane(request, question, state, lengths, mask)
    facts = facts_lane(request, state, where)
    personal = about_who_asks(request, question, state, where)
    # Whatever needs no vectors is done before the scan is waited for.
    time = question.time
    text_ids = None if text is None else best_by_words(text, _depth(request), _content(state.catalog))
    query = embedding.result()
    late_query = None
    if request.fusion == "score":
        late_query = weighted_pieces(query, state.binding.basis, () if text is None else text.terms)
    early = None
    if text_ids is not None:
        early = pending.early_cosines(lambda: with_neighbours(text_ids, state.catalog, mask))
    spoken = spoken_of(request, state, time, mask)
    images = images_lane(request, state, where)
    scale = None
    if pending.is_under_way and query.encoding is not None:
        scale = scale_of(state, query.encoding.vectors[0], mask)
    vectors = pending.hits()
    nothing_else = not personal and is_silent(text, vectors)
    timeline = timeline_lane(request, state.catalog, mask, time, spoken, unprompted=nothing_else)
    by_name = {"facts": facts, "timeline": timeline, "images": None if isinstance(images, str) else images}
    ranked = {name: items for name, items in by_name.items() if items is not None}
    lanes = Lanes(text, text_ids, vectors, ranked, personal)

    def widened(links: Mapping[int, Link]) -> Candidates:
        linked = replace(lanes, linked=links) if links else lanes
        return gather(linked, state, mask, encoding=query.encoding, late_query=late_query, early=early)

    candidates = widened({})
    reports = lane_reports(
        request,
        question,
        state,
        lanes,
        vector_problem=pending.problem,
        images_problem=images if isinstance(images, str) else "",
        lengths=lengths,
    )
    return Collected(candidates, widened, lengths, reports, familiarity(query), scale, spoken)


def rank(request: SearchRequest, question: Question, state: SearchState, collected: Collected) -> Ranking:
    """Put the candidates in order, and once more with what the first of them lead to, if they may."""
    ranking = rank_once(request, question, state, collected)
    if not question.may_lead_on or "text" not in request.lanes:
        return ranking
    links = links_from(request, state, ranking, collected.lengths)
    if not links:
        return ranking
    return rank_once(request, question, state, replace(collected, candidates=collected.widened(links)))


def rank_once(
    request: SearchRequest, question: Question, state: SearchState, collected: Collected
) -> Ranking:
    """Fuse the lanes, add what agrees with the question, and put the candidates in order."""
    candidates = collected.candidates
    content = _content(state.catalog)[candidates.ids]
    ranks = lane_ranks(candidates, content)
    fused, scores = fuse(request, question, state, collected, ranks)
    bonuses = agreements(
        request,
        question,
        state,
        candidates,
        scores,
        lengths=collected.lengths,
        spoken=collected.spoken,
        # Reciprocal ranks are small numbers; a bonus is a share of the best of them.
        scale=float(scores.max(initial=0.0)) if request.fusion == "rrf" else 1.0,
    )
    best_rank = best_ranks(ranks, len(candidates.ids))

    def ordered_by(bonuses: Mapping[int, Sequence[Bonus]]) -> tuple[Float64Array, Int64Array]:
        # As `order` compares them, so that the scores shown fall with the rank.
        total = np.round(with_bonuses(scores, bonuses), 12)
        return total, order(total, best_rank, content, candidates.ids)

    total, ordered = ordered_by(bonuses)
    outdated = replaced(request, state, candidates.ids[ordered])
    if outdated and "facts" in request.lanes and not asks_past(request.query):
        give_way(bonuses, outdated, candidates.ids, total)
        total, ordered = ordered_by(bonuses)
    is_answer = _may_answer(candidates, best_rank)
    confidence = confidences(
        candidates,
        question,
        bonuses,
        order=ordered,
        own=said_by_asker(request, state, candidates, ordered) if question.is_request else None,
        scale=collected.scale,
        familiar=collected.familiar,
        total=collected.lengths.total,
    )
    if request.min_score is not None:
        is_answer &= confidence >= request.min_score
    ordered = ordered[is_answer[ordered]]
    repeated = said_twice(request, state, candidates.ids[ordered])
    if repeated:
        ordered = ordered[~np.isin(candidates.ids[ordered], list(repeated))]
    return Ranking(
        candidates=candidates,
        fused=fused,
        scores=total,
        order=ordered,
        ranks=ranks,
        bonuses=bonuses,
        confidence=confidence,
        known_from=known_from(
            collected.scale, collected.familiar, names_somebody=bool(candidates.lanes.ranked.get("facts"))
        ),
        question=question,
        reports=collected.reports,
        superseded=outdated,
        repeated=repeated,
    )


def _may_answer(candidates: Candidates, best_rank: Int64Array) -> BoolArray:
    """A turn beside a hit, ranked by no lane, may answer too, but only where its meaning was compared."""
    if candidates.lanes.vectors is not None:
        return np.ones(len(candidates.ids), dtype=bool)
    may_answer = best_rank < UNRANKED
    if candidates.lanes.personal or candidates.lanes.linked:
        may_answer |= np.isin(candidates.ids, [*candidates.lanes.personal, *candidates.lanes.linked])
    return may_answer


# The steps of `collect`


def narrowed(request: SearchRequest, question: Question) -> Where:
    """The caller's conditions, and the time in the question where that is to filter."""
    if request.times != "filter" or question.time.range is None:
        return request.where
    since, until = question.time.range
    return request.where.within(since=since, until=until)


def text_lane(
    request: SearchRequest, question: Question, state: SearchState, lengths: Measured, mask: Mask
) -> TextScores | None:
    """BM25 scores of every visible frame that says a word of the question."""
    if "text" not in request.lanes:
        return None
    return score_text(
        question.terms,
        snapshot=state.snapshot,
        dialect=state.dialect,
        catalog=state.catalog,
        vocabulary=state.vocabulary,
        common=state.common,
        lengths=lengths,
        mask=mask,
    )


def facts_lane(request: SearchRequest, state: SearchState, where: Where) -> Sequence[RankedFrame] | None:
    """The evidence of facts about what the question names."""
    if "facts" not in request.lanes or state.facts is None:
        return None
    return state.facts.rank(
        readable(request.query),
        snapshot=state.snapshot,
        view=request.view,
        where=where,
        limit=constants.DEPTH,
        **({} if request.min_trust is None else {"min_trust": request.min_trust}),
    )


def about_who_asks(
    request: SearchRequest, question: Question, state: SearchState, where: Where
) -> dict[int, str]:
    """Of a request, the frames that say what its asker likes, avoids, owns and is, and what they say.

    They need not share a word with it: what somebody eats decides which restaurant is good.
    """
    if not question.is_request or "facts" not in request.lanes or not isinstance(state.facts, KnowsPersons):
        return {}
    trust = {} if request.min_trust is None else {"min_trust": request.min_trust}
    frames = state.facts.personal(snapshot=state.snapshot, view=request.view, where=where, **trust)
    return {frame.id: frame.reason for frame in frames}


def is_silent(text: TextScores | None, vectors: VectorHits | None) -> bool:
    """Whether neither words nor meaning find anything at all."""
    return (text is None or not len(text.found)) and (vectors is None or not len(vectors.ids))


def timeline_lane(
    request: SearchRequest,
    catalog: CatalogView,
    mask: Mask,
    time: TimeSense,
    spoken: Spoken | None,
    *,
    unprompted: bool,
) -> Sequence[RankedFrame] | None:
    """The newest frames, for a question about time, or one in which the other lanes find nothing at all."""
    if "timeline" not in request.lanes:
        return None
    return newest(catalog, mask, time, limit=_depth(request), unprompted=unprompted, spoken=spoken)


def images_lane(
    request: SearchRequest, state: SearchState, where: Where
) -> Sequence[RankedFrame] | str | None:
    """Photos that show what the question says; a text says why photos cannot be compared with it."""
    if "images" not in request.lanes or state.images is None or not request.query.strip():
        return None
    return state.images.rank(
        readable(request.query),
        snapshot=state.snapshot,
        view=request.view,
        where=where,
        limit=constants.IMAGES_DEPTH,
    )


def spoken_of(request: SearchRequest, state: SearchState, time: TimeSense, mask: Mask) -> Spoken | None:
    """The visible frames whose texts speak of the time in the question."""
    if time.range is None:
        return None
    return state.times.within(state.snapshot, request.view, *time.range, mask)


# The steps of `rank`


def fuse(
    request: SearchRequest,
    question: Question,
    state: SearchState,
    collected: Collected,
    ranks: Mapping[str, Int64Array],
) -> tuple[Fused, Float64Array]:
    """One score for each candidate: with the parts it adds up from, and with the lanes that only rank."""
    if request.fusion == "rrf":
        chosen = {
            lane: items[0].weight
            for lane, items in collected.candidates.lanes.ranked.items()
            if items and items[0].weight is not None
        }
        fused = fuse_ranks(ranks, question.type.type, chosen)
        return fused, fused.scores
    candidates, catalog = collected.candidates, state.catalog
    corpus, is_turn = collected.lengths.corpus, candidates.signals.is_turn
    fused = fuse_scores(candidates.signals, Cues(collected.familiar, question.names, question.is_request))
    speaker = speaker_bonus(request.query, question.side, catalog, corpus, candidates.ids, is_turn)
    fused = fused.plus("speaker", speaker)
    around = neighbourhood(candidates.ids, catalog, collected.lengths.words)
    fused = add_neighbourhood(fused, around, is_turn, from_session=not question.wants_several)
    return fused, fused.scores + rank_bonuses(candidates)


def with_bonuses(scores: Float64Array, bonuses: Mapping[int, Sequence[Bonus]]) -> Float64Array:
    raised = scores.copy()
    for position, awarded in bonuses.items():
        raised[position] += sum(bonus.amount for bonus in awarded)
    return raised


def replaced(request: SearchRequest, state: SearchState, ids: Int64Array) -> dict[int, int]:
    """Of the first of the frames, those that no longer hold, each with the one that says what does."""
    if state.facts is None or state.facts.is_empty(state.snapshot):
        return {}
    first = ids[: request.limit + constants.STANDING_DEPTH].tolist()
    return superseded(state.snapshot.db, first, request.view)


def give_way(
    bonuses: dict[int, list[Bonus]], outdated: Mapping[int, int], ids: Int64Array, scores: Float64Array
) -> None:
    """What holds now takes the place of what was replaced, which falls behind it."""
    positions = {int(frame_id): position for position, frame_id in enumerate(ids.tolist())}
    highest: dict[int, tuple[float, int]] = {}
    for old, new in outdated.items():
        score = float(scores[positions[old]])
        if score > 0:
            lost = -constants.SUPERSEDED * score
            bonuses[positions[old]].append(Bonus("superseded", lost, f"frame {new} says what holds now"))
        if new in positions and score > scores[positions[new]]:
            highest[positions[new]] = max((score, old), highest.get(positions[new], (score, old)))
    for position, (score, old) in highest.items():
        amount = score - float(scores[position])
        bonuses[position].append(Bonus("current", amount, f"holds now instead of frame {old}"))


def said_by_asker(
    request: SearchRequest, state: SearchState, candidates: Candidates, ordered: Int64Array
) -> BoolArray:
    """Of the first candidates, those in which whoever asks speaks of themselves.

    "I" is the asker in the user's turns and in notes that name nobody else as their author.
    """
    first = ordered[: request.limit + constants.STANDING_DEPTH]
    own = np.zeros(len(candidates.ids), dtype=bool)
    for frame in fetch(state.snapshot.db, state.dialect, candidates.ids[first].tolist(), request.view):
        is_asker = frame.role == "user" or (
            frame.role is None and frame.kind in _NOTES and frame.speaker in (None, request.view.user)
        )
        if frame.id in candidates.lanes.personal or (is_asker and speaks_of_oneself(frame.text)):
            own[candidates.ids.searchsorted(frame.id)] = True
    return own


_NOTES: Final = (Kind.TEXT, Kind.MEMORY, Kind.TURN)


def said_twice(request: SearchRequest, state: SearchState, ids: Int64Array) -> dict[int, int]:
    """Memories beside the turns they were made of, among the first of the frames."""
    memory = state.catalog.code("kind", Kind.MEMORY)
    first = ids[: request.limit + constants.STANDING_DEPTH]
    if memory is None or not (state.catalog.columns.kind[first] == memory).any():
        return {}
    return told_twice(state.snapshot.db, first.tolist())


def _depth(request: SearchRequest) -> int:
    return max(constants.DEPTH, request.limit)


def _content(catalog: CatalogView) -> Int64Array:
    """A number for each frame that decides ties, the same whatever was written first."""
    return catalog.columns.content
