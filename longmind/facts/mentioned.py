"""What is known of an entity that a question names: all of it, or what shares words with the question."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from longmind.facts.fact_index import FactIndex, FactWords, fact_text, word_stems
from longmind.facts.hits import ORDER, SOURCE
from longmind.store.engine import Connection
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among

_AT_ONCE: Final = 64
_LOOKED_AT: Final = 512


class NamedEntity(NamedTuple):
    """An entity that the query names: its canonical key, the name used, its rows in the view's ledgers."""

    norm: str
    alias: str
    ids: tuple[int, ...]


class MentionedFact(NamedTuple):
    """A span, its fact in words, and the name that led to it."""

    span_id: int
    fact_id: int
    fact: str
    alias: str


def words_of_facts(snapshot: Snapshot, entity: NamedEntity, index: FactIndex | None) -> FactWords:
    """The facts of an entity of which much is known, as they are kept or else read."""
    if index is not None:
        return index.of(snapshot, entity.ids)
    words = FactWords(entity.ids)
    words.advance(snapshot, -1)
    return words


def best_of(
    db: Connection,
    entity: NamedEntity,
    words: FactWords,
    condition: Clause,
    stems: frozenset[str],
    limit: int,
    *,
    only: bool = False,
) -> list[MentionedFact]:
    """Of much that is known, what shares words with a question, and then the rest; `only` if none does."""
    shared = words.shared(stems)
    found = first_held(db, entity, words.ranked(shared), condition, limit=limit)
    if len(found) < limit and not (only and found):
        others = (fact_id for fact_id in words.in_order() if fact_id not in shared)
        found += first_held(db, entity, others, condition, limit=limit - len(found))
    return found


def first_held(
    db: Connection, entity: NamedEntity, fact_ids: Iterable[int], condition: Clause, *, limit: int
) -> list[MentionedFact]:
    """The first of some facts, in the order given, that fulfil a condition.

    Where few do, such as in a search of one kind of frames, not all facts are looked at.
    """
    found: dict[int, MentionedFact] = {}
    waiting = islice(fact_ids, max(_LOOKED_AT, 4 * limit))
    while len(found) < limit and (batch := list(islice(waiting, max(_AT_ONCE, limit)))):
        place = {fact_id: number for number, fact_id in enumerate(batch)}
        clause = among("c.fact_id", batch) & condition
        sql = (
            f"SELECT s.span_id, c.fact_id, e.key, p.key, coalesce(o.key, c.object_text) FROM {SOURCE} "
            f"WHERE {clause.sql} ORDER BY {ORDER}"
        )
        rows = sorted(db.all(sql, clause.values), key=lambda row: place[row[1]])
        for span_id, fact_id, *words in rows:
            found.setdefault(span_id, MentionedFact(span_id, fact_id, fact_text(*words), entity.alias))
    return list(found.values())[:limit]


def said_of(db: Connection, entity: NamedEntity, condition: Clause, *, limit: int) -> list[MentionedFact]:
    """What is so of an entity, then what has it as its value, in the ledger's fixed order."""
    mentions: dict[int, MentionedFact] = {}
    for side in ("c.subject_entity_id", "c.object_entity_id"):
        if len(mentions) >= limit:
            break
        clause = among(side, entity.ids) & condition
        sql = (
            f"SELECT s.span_id, c.fact_id, e.key, p.key, coalesce(o.key, c.object_text) FROM {SOURCE} "
            f"WHERE {clause.sql} ORDER BY {ORDER} LIMIT {limit - len(mentions)}"
        )
        for span_id, fact_id, subject, predicate, value in db.all(sql, clause.values):
            fact = fact_text(subject, predicate, value)
            mentions.setdefault(span_id, MentionedFact(span_id, fact_id, fact, entity.alias))
    return list(mentions.values())


def overlap(question: frozenset[str], text: str) -> int:
    """How many of the question's words a fact shares; its own words are split at underscores too."""
    return len(question & word_stems(text.replace("_", " "))) if question else 0
