"""Bonuses for what agrees with the question (identifiers, entities, phrases, dates), and reranking models.

A bonus is bounded, so that it decides between frames that answer and never replaces answering.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import isfinite
from typing import Final, Protocol, runtime_checkable

from longmind.base.arrays import BoolArray, Float64Array, Int64Array, np
from longmind.base.errors import InvalidInput, LongmindError
from longmind.base.filters import View
from longmind.base.ordering import positions_among
from longmind.base.words import STOP_WORDS, WORD, fold
from longmind.rerank import Reranker
from longmind.search import constants
from longmind.search.candidates import Candidates
from longmind.search.question import Question
from longmind.search.request import SearchRequest
from longmind.search.results import Hit, Step
from longmind.search.state import SearchState
from longmind.search.timeline import TimeSense
from longmind.search.wording import asking_part
from longmind.store.catalog import CatalogView, Corpus
from longmind.store.frames import fetch
from longmind.store.transaction import Snapshot
from longmind.text.lane import Measured
from longmind.text.query import TextQuery, said_phrases
from longmind.text.times import Spoken
from longmind.text.vocabulary import QuestionTerms
from longmind.text.words import ASKS, terms

_COMPOUND: Final = re.compile(r"=[a-z]+(?:-+[a-z]+)+")
"""Words joined by hyphens: an index term for an identifier, but in prose just words."""


@dataclass(frozen=True, slots=True)
class Bonus:
    """What an agreement added, and which."""

    name: str
    amount: float
    reason: str


@runtime_checkable
class NamesEntities(Protocol):
    """A facts lane that can tell what a question names."""

    def entity_names(self, query: str, *, snapshot: Snapshot, view: View) -> Sequence[tuple[str, ...]]: ...


def agreements(
    request: SearchRequest,
    question: Question,
    state: SearchState,
    candidates: Candidates,
    scores: Float64Array,
    *,
    lengths: Measured,
    spoken: Spoken | None,
    scale: float,
) -> dict[int, list[Bonus]]:
    """Bonuses by position among the candidates."""
    bonuses: dict[int, list[Bonus]] = defaultdict(list)
    _identifiers(bonuses, question.terms, candidates.ids, state, lengths, scale)
    if "facts" in request.lanes and isinstance(state.facts, NamesEntities):
        _entities(bonuses, state.facts, request, state, candidates.ids, lengths, scale)
    if question.terms.phrases:
        _phrases(bonuses, question.terms, request, state, candidates, scores, scale)
    if request.times == "boost" and question.time.range is not None:
        occurred_at = state.catalog.columns.occurred_at[candidates.ids]
        speaks_of_it = np.isin(candidates.ids, () if spoken is None else spoken.ids)
        _dates(bonuses, question.time, occurred_at, speaks_of_it, scale)
    for frame_id, reason in candidates.lanes.personal.items():
        # Why it is among the candidates; what it says of the asker does not make it fit this request.
        bonuses[int(candidates.ids.searchsorted(frame_id))].append(Bonus("preference", 0.0, reason))
    for frame_id, link in candidates.lanes.linked.items():
        position = int(candidates.ids.searchsorted(frame_id))
        bonuses[position].append(Bonus("linked", link.amount, link.reason))
    if not _ABOUT_QUESTIONS.intersection(question.terms.terms):
        _only_asking(bonuses, candidates.ids, scores, state, lengths)
    return bonuses


_ABOUT_QUESTIONS: Final = frozenset({"question", "ask"})


def _only_asking(
    bonuses: dict[int, list[Bonus]],
    ids: Int64Array,
    scores: Float64Array,
    state: SearchState,
    lengths: Measured,
) -> None:
    """A text that only asks is most like the question, and is no answer to it."""
    if not lengths.asking:
        lengths.asking.append(_terms(state, lengths).frame_ids(ASKS))
    asking = positions_among(lengths.asking[0], ids) >= 0
    for position in np.flatnonzero(asking & (scores > 0)).tolist():
        amount = -constants.ONLY_ASKS * float(scores[position])
        bonuses[position].append(Bonus("only asks", amount, "a question, which answers nothing"))


def rerank_by_model(reranker: Reranker, query: str, hits: Sequence[Hit]) -> tuple[list[Hit], str]:
    """The first few in the model's order, ties as they were; or all as they were, and why."""
    head, tail = list(hits[: constants.MODEL_DEPTH]), list(hits[constants.MODEL_DEPTH :])
    if not head:
        return list(hits), ""
    try:
        scores = [float(score) for score in reranker.score(query, [hit.frame.text for hit in head])]
    except LongmindError as error:
        return list(hits), f"the reranker could not run: {error}"
    if len(scores) != len(head) or not all(map(isfinite, scores)):
        raise InvalidInput(
            f"The reranker gave {len(scores)} scores for {len(head)} texts, or one that is not a number."
        )
    order = sorted(range(len(head)), key=lambda index: (-scores[index], index))
    reranked = [
        replace(
            head[index],
            steps=(*head[index].steps, Step("reranker", scores[index], "the cross-encoder's score")),
        )
        for index in order
    ]
    return reranked + tail, ""


def _identifiers(
    bonuses: dict[int, list[Bonus]],
    query: TextQuery,
    ids: Int64Array,
    state: SearchState,
    lengths: Measured,
    scale: float,
) -> None:
    """The rarer an identifier, the more it says.

    A question that is nothing but identifiers asks for the frames that say them, not for any like them.
    """
    names = [name for name in query.identifiers if not _COMPOUND.fullmatch(name)]
    for name in names:
        saying = _terms(state, lengths).frame_ids(name)
        rarity = 1 - math.log1p(len(saying)) / math.log1p(lengths.documents + 1)
        weight = constants.ONLY_IDENTIFIER if query.names_only else constants.IDENTIFIER * rarity**2
        amount = scale * weight / len(names)
        for position in np.flatnonzero(np.isin(ids, saying)).tolist():
            bonuses[position].append(Bonus("identifier", amount, f"says {name[1:]!r} exactly"))


def _entities(
    bonuses: dict[int, list[Bonus]],
    facts: NamesEntities,
    request: SearchRequest,
    state: SearchState,
    ids: Int64Array,
    lengths: Measured,
    scale: float,
) -> None:
    """A text that names what the question names, by that or another of its names; the rarer, the more."""
    query = asking_part(request.query)
    entities = facts.entity_names(query, snapshot=state.snapshot, view=request.view)
    for names in entities:
        saying = np.unique(np.concatenate([_saying(state, lengths, name) for name in names]))
        rarity = 1 - math.log1p(len(saying)) / math.log1p(lengths.documents + 1)
        amount = scale * constants.ENTITY * max(rarity, 0.0) ** 2 / len(entities)
        for position in np.flatnonzero(np.isin(ids, saying)).tolist() if amount > 0 else ():
            bonuses[position].append(Bonus("entity", amount, f"names {names[0]!r}"))


def _terms(state: SearchState, lengths: Measured) -> QuestionTerms:
    return state.vocabulary.terms(state.snapshot, {}, lengths.corpus)


def _saying(state: SearchState, lengths: Measured, name: str) -> Int64Array:
    """The frames that say every word of a name."""
    words = terms(name)
    if not words:
        return np.zeros(0, dtype=np.int64)
    vocabulary = _terms(state, lengths)
    return reduce(np.intersect1d, [vocabulary.frame_ids(word) for word in dict.fromkeys(words)])


def _phrases(
    bonuses: dict[int, list[Bonus]],
    query: TextQuery,
    request: SearchRequest,
    state: SearchState,
    candidates: Candidates,
    scores: Float64Array,
    scale: float,
) -> None:
    """The texts are read for this, so only those of the first candidates are."""
    # First by words, not by fused score: whatever says the phrase has its words.
    by_words = np.lexsort((candidates.ids, -scores, -candidates.signals.words))
    first = by_words[: request.limit + constants.PHRASE_DEPTH]
    frames = fetch(state.snapshot.db, state.dialect, candidates.ids[first].tolist(), request.view)
    texts: Mapping[int, str] = {frame.id: f"{frame.title or ''}\n{frame.text}" for frame in frames}
    for position in first.tolist():
        text = texts.get(int(candidates.ids[position]), "")
        for phrase in said_phrases(text, query.phrases):
            amount = scale * constants.PHRASE / len(query.phrases)
            bonuses[position].append(Bonus("phrase", amount, f"says {phrase!r}"))


def _dates(
    bonuses: dict[int, list[Bonus]],
    time: TimeSense,
    occurred_at: Int64Array,
    speaks_of_it: BoolArray,
    scale: float,
) -> None:
    """A text of the time that is meant, or one that speaks of that time."""
    assert time.range is not None
    since, until = time.range
    inside = np.ones(len(occurred_at), dtype=bool)
    if since is not None:
        inside &= occurred_at >= since
    if until is not None:
        inside &= occurred_at < until
    for position in np.flatnonzero(inside | speaks_of_it).tolist():
        reason = time.described if inside[position] else f"speaks of that time: {time.described}"
        bonuses[position].append(Bonus("date", scale * constants.DATE, reason))


def speaker_bonus(
    query: str, side: str | None, catalog: CatalogView, corpus: Corpus, ids: Int64Array, is_turn: BoolArray
) -> Float64Array:
    """What each candidate gains; zero where the question points to nobody."""
    bonus = np.zeros(len(ids))
    words = {fold(word) for word in WORD.findall(asking_part(query))}
    speakers = {code for word in words - STOP_WORDS for code in catalog.voices.get(word, ())}
    if corpus.speakers is not None:
        speakers &= corpus.speakers
    # A question that names both speakers of a conversation says nothing about which of them answers it.
    if len(speakers) == 1:
        bonus += constants.SPEAKER * (is_turn & (catalog.columns.speaker[ids] == speakers.pop()))
    # "What did you suggest?" asks for the assistant's words, "Where did I park?" for the user's own.
    code = None if side is None else catalog.code("role", side)
    if code is not None:
        bonus += constants.SPEAKER * (is_turn & (catalog.columns.role[ids] == code))
    return bonus
