"""The facts of an entity of which much is known, by their words: which of them a question is about.

A person may have told thousands of facts, and a question shows some dozens. To choose them by SQL means to
look at all, with what each rests on. The words and the order of facts never change, so they are kept in
memory, entity by entity; whether a fact is held, visible and supported is asked of the store for those that
come first.
"""

from __future__ import annotations

import re
import threading
from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from longmind.facts.canonical import canonical_text
from longmind.store.engine import Connection, Value, scalar
from longmind.store.follower import Follower, Mirrors
from longmind.store.transaction import Snapshot
from longmind.store.visible import among

MANY: Final = 256
"""Of an entity with no more facts all are looked at."""
_MOST_ENTITIES: Final = 64
_FACT_BYTES: Final = 900
_NEW: Final = 5000
"""So many facts of anybody are gone through to find the new ones of an entity."""
_SHOWN: Final = 60
"""Characters of a value that are compared with a question."""
_WORD: Final = re.compile(r"[^\W_]{3,}")
_ENDINGS: Final = ("ing", "ed", "es", "s", "e")


class FactIndex:
    """The facts of the entities that were asked for last."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._mirrors = mirrors
        self._entities: dict[tuple[int, ...], Follower[FactWords]] = {}
        """The one that was asked for last stands last."""
        self._lock = threading.Lock()
        self._counted: tuple[int, dict[tuple[int, ...], int]] = (-1, {})
        """At a revision of the store, how much was found to be known of entities."""

    def has_many(self, snapshot: Snapshot, entity_ids: tuple[int, ...]) -> bool:
        """Whether so much is known of an entity; asked once for each state of the store."""
        revision, counts = self._counted
        if revision != snapshot.revision:
            counts = {}
            self._counted = (snapshot.revision, counts)
        if entity_ids not in counts:
            counts[entity_ids] = _count(snapshot.db, entity_ids)
        return counts[entity_ids] > MANY

    def of(self, snapshot: Snapshot, entity_ids: tuple[int, ...]) -> FactWords:
        """Of the rows of one entity, in whatever ledger."""
        with self._lock:
            follower = self._entities.pop(entity_ids, None)
            if follower is None:
                follower = Follower(self._mirrors, "facts", lambda: FactWords(entity_ids))
            self._entities[entity_ids] = follower
            if len(self._entities) > _MOST_ENTITIES:
                del self._entities[next(iter(self._entities))]
        return follower.at(snapshot)


def has_many(snapshot: Snapshot, entity_ids: tuple[int, ...], index: FactIndex | None) -> bool:
    """Whether so much is known of an entity that not all of it is looked at."""
    if index is None:
        return _count(snapshot.db, entity_ids) > MANY
    return index.has_many(snapshot, entity_ids)


def _count(db: Connection, entity_ids: Collection[int]) -> int:
    """How many facts have an entity as their subject, or as their value, up to what is many."""
    counts: list[str] = []
    values: list[Value] = []
    for column in ("subject_entity_id", "object_entity_id"):
        clause = among(column, list(entity_ids))
        some = f"SELECT 1 FROM fact WHERE {clause.sql} LIMIT {MANY + 1}"
        counts.append(f"(SELECT count(*) FROM ({some}) AS known)")
        values += clause.values
    row = db.one(f"SELECT {', '.join(counts)}", values)
    assert row is not None
    return int(max(row))


class FactWords:
    """The mirror of `fact` for one entity: what it is the subject of, then what has it as its value."""

    def __init__(self, entity_ids: tuple[int, ...]) -> None:
        self._ids = entity_ids
        self._order: list[tuple[_Key, int]] = []
        self._keys: dict[int, _Key] = {}
        self._by_stem: dict[str, list[int]] = {}
        self._last = 0

    def advance(self, snapshot: Snapshot, since: int) -> None:
        """By the facts that are new: their numbers are never used again."""
        db, last = snapshot.db, self._last
        self._last = max(last, scalar(db, "SELECT coalesce(max(fact_id), 0) FROM fact"))
        if self._last == last:
            return
        marks = ", ".join("?" * len(self._ids))
        # Few new facts are gone through, many are found by whom they are about: "+" takes the index away.
        sign = "+" if self._last - last <= _NEW else ""
        for side, column in enumerate(("subject_entity_id", "object_entity_id")):
            rows = db.all(
                "SELECT c.fact_id, e.key, p.key, coalesce(o.key, c.object_text), p.key_norm, c.object_kind, "
                "coalesce(c.object_norm, c.object_text, o.key_norm), c.object_int, c.object_real, "
                "c.object_bool, c.object_time FROM fact c "
                "JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
                "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
                "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
                f"WHERE c.fact_id > ? AND {sign}c.{column} IN ({marks}) ORDER BY c.fact_id",
                (last, *self._ids),
            )
            for fact_id, subject, predicate, value, norm, kind, text, *others in rows:
                if fact_id not in self._keys:
                    number = next((other for other in others if other is not None), 0)
                    key = (side, str(norm), int(kind), str(text or ""), number)
                    self._add(fact_id, key, fact_text(subject, predicate, value))

    def _add(self, fact_id: int, key: _Key, text: str) -> None:
        self._keys[fact_id] = key
        if self._order and self._order[-1] > (key, fact_id):
            insort(self._order, (key, fact_id))
        else:
            self._order.append((key, fact_id))
        for stem in word_stems(text.replace("_", " ")):
            self._by_stem.setdefault(stem, []).append(fact_id)

    @property
    def nbytes(self) -> int:
        return _FACT_BYTES * len(self._keys)

    def shared(self, stems: Collection[str]) -> Counter[int]:
        """How many words of a question each fact has, of those that have any."""
        counts: Counter[int] = Counter()
        for stem in stems:
            counts.update(self._by_stem.get(stem, ()))
        return counts

    def ranked(self, shared: Mapping[int, int], least: int = 1) -> Iterator[int]:
        """Facts that share as many words, those that share more first, then in their order."""
        for count in sorted(set(shared.values()), reverse=True):
            if count < least:
                return
            same = {fact_id for fact_id, times in shared.items() if times == count}
            if len(same) > MANY:  # a word of the predicate, such as "like": few of them are looked at
                yield from (fact_id for _, fact_id in self._order if fact_id in same)
            else:
                yield from sorted(same, key=lambda fact_id: (self._keys[fact_id], fact_id))

    def in_order(self) -> Iterator[int]:
        """All facts: by predicate, then by value."""
        return (fact_id for _, fact_id in self._order)

    def of_predicates(self, wanted: Collection[str], prefix: str) -> Iterator[int]:
        """In the same order, the facts of some predicates, and of those that begin so."""
        for (_, predicate, *_), fact_id in self._order:
            if predicate in wanted or predicate.startswith(prefix):
                yield fact_id


_Key = tuple[int, str, int, str, Any]


def fact_text(subject: str, predicate: str, value: object) -> str:
    """A fact as it is compared with a question."""
    return f"{subject} {predicate}{'' if value is None else f' {str(value)[:_SHOWN]}'}"


def word_stems(text: str) -> frozenset[str]:
    """Words of three letters or more, without the endings that inflection puts on them."""
    return frozenset(_stem(word) for word in _WORD.findall(canonical_text(text)))


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
