"""Facts that a question touches, in words, with the frames that say so: for a context to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from longmind.base.filters import View
from longmind.base.times import from_ms
from longmind.facts.fact_index import FactIndex, has_many, word_stems
from longmind.facts.hits import RawHit, hits, seen, select_spans, trusted
from longmind.facts.lane import DEFAULT_OPTIONS, ONESELF, LaneOptions, entities_in, speaks_of_oneself
from longmind.facts.mentioned import (
    MentionedFact,
    NamedEntity,
    best_of,
    first_held,
    overlap,
    said_of,
    words_of_facts,
)
from longmind.facts.values import FactHit, shown
from longmind.store.tables import batched
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among

_EVIDENCE_EACH: Final = 3
_LOOKED_AT: Final = 10_000
_SHARED: Final = 2
"""How many words a question without "I" or "my" must share with a fact about the person who asks."""


@dataclass(frozen=True, slots=True)
class FactCards:
    """Fact cards of the entities that a question names, those that share its words first."""

    options: LaneOptions = DEFAULT_OPTIONS
    index: FactIndex | None = None
    """What is kept in memory of entities of which much is known."""

    def cards(
        self, query: str, *, snapshot: Snapshot, view: View, limit: int, min_trust: int | None = None
    ) -> list[tuple[str, tuple[int, ...]]]:
        """The text of each card, and the frames it rests on."""
        db = snapshot.db
        condition = seen(view) & trusted(min_trust)
        mentions: dict[int, MentionedFact] = {}
        query_stems = word_stems(query)
        for entity in entities_in(snapshot, query, view, self.options):
            if has_many(snapshot, entity.ids, self.index):
                words = words_of_facts(snapshot, entity, self.index)
                told = best_of(db, entity, words, condition, query_stems, limit)
            else:
                told = said_of(db, entity, condition, limit=_LOOKED_AT)
            mentions.update((mention.span_id, mention) for mention in told if mention.span_id not in mentions)
        if self.options.first_person is not None and not speaks_of_oneself(query):
            # "How many guests are confirmed?" names nobody, and means what who asks has told.
            for entity in entities_in(snapshot, ONESELF, view, self.options):
                for mention in self._shared(snapshot, entity, condition, query_stems, limit):
                    mentions.setdefault(mention.span_id, mention)
        order = sorted(mentions, key=lambda span_id: -overlap(query_stems, mentions[span_id].fact))[:limit]
        raw: dict[int, RawHit] = {}
        for batch in batched(order):
            clause = among("s.span_id", batch)
            raw.update((hit.span.span_id, hit) for hit in select_spans(db, view, clause, limit=limit))
        chosen = [raw[span_id] for span_id in order]
        return [
            (render(hit), tuple(dict.fromkeys(piece.frame for piece in hit.evidence)))
            for hit in hits(db, view, chosen, evidence=_EVIDENCE_EACH)
        ]

    def _shared(
        self,
        snapshot: Snapshot,
        entity: NamedEntity,
        condition: Clause,
        query_stems: frozenset[str],
        limit: int,
    ) -> list[MentionedFact]:
        """What is known of who asks and shares several words with the question."""
        stems = query_stems - word_stems(entity.alias)
        if has_many(snapshot, entity.ids, self.index):
            words = words_of_facts(snapshot, entity, self.index)
            related = words.ranked(words.shared(stems), least=_SHARED)
            return first_held(snapshot.db, entity, related, condition, limit=limit)
        told = said_of(snapshot.db, entity, condition, limit=_LOOKED_AT)
        return [mention for mention in told if overlap(stems, mention.fact) >= _SHARED]


def render(hit: FactHit) -> str:
    """One line, the same for the same fact: "Ana lives in Porto (since 2021-05-03)"."""
    fact = hit.fact
    aside = [f"{key.replace('_', ' ')}: {shown(value)}" for key, value in fact.qualifiers]
    aside.append(f"since {_day(hit.valid_from)}" + (f" until {_day(hit.valid_to)}" if hit.valid_to else ""))
    aside.append(_source(hit))
    if hit.flagged:
        aside.append("rests on a fact that no longer holds")
    # What somebody did has its own verb: "Ana went to Rome".
    verb = "" if fact.predicate == "did" else f"{fact.predicate.replace('_', ' ')} "
    return f"{fact.subject} {verb}{shown(fact.object)} ({'; '.join(aside)})"


def _source(hit: FactHit) -> str:
    """Where it comes from, for a reader who has to judge it."""
    where = _SOURCES.get(hit.channel, f"from {hit.channel}")
    return where if hit.speaker is None else f"{where} by {hit.speaker}"


_SOURCES: Final = {
    "user_turn": "said by the user",
    "assistant_turn": "said by the assistant",
    "tool": "from a tool",
    "note": "from a note",
    "document": "from a document",
    "mail": "from a mail",
    "web": "from a web page",
    "import": "imported",
    "call": "recorded",
}


def _day(moment: int | None) -> str:
    if moment is None:
        return ""
    try:
        return from_ms(moment).date().isoformat()
    except ValueError:
        return str(moment)
