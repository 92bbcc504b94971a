"""What the ledger holds now, for reading a text: by subject, by name, and what was recorded last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.frame import Frame
from longmind.facts.canonical import ObjectKind, alias_norm
from longmind.facts.extraction import FoundFact
from longmind.facts.rows import EntityRow, FactRow, PredicateRow, SpanRow, join, stored_object
from longmind.facts.values import Entity
from longmind.facts.words import words_of
from longmind.store.engine import Connection
from longmind.store.visible import Clause, among

_MOST: Final = 2000
_HELD: Final = join((FactRow, "f"), (SpanRow, "s"), (PredicateRow, "p"), (EntityRow, "e"))


@dataclass(frozen=True, slots=True)
class CurrentFact:
    """A fact that the ledger holds now, to no known end."""

    subject: str
    predicate: str
    value: str | Entity
    cardinality: str
    said: int
    recorded: int

    @property
    def words(self) -> frozenset[str]:
        return words_of(f"{self.predicate.replace('_', ' ')} {self.value!s}")


class CurrentFacts:
    """What the ledger holds, looked up once for each subject that is asked for."""

    def __init__(self, db: Connection, ledger: str) -> None:
        self.db, self.ledger = db, ledger
        self._held: dict[tuple[str, ...], list[CurrentFact]] = {}
        self._said: dict[str, list[CurrentFact]] = {}
        self._noted: list[CurrentFact] = []
        self._latest: list[CurrentFact] | None = None

    def held(self, subject: str, predicates: tuple[str, ...] = ()) -> list[CurrentFact]:
        """What is held of a subject now, the newest first; of some predicates, where they are named."""
        norm = Entity(subject).norm
        key = (norm, *predicates)
        if key not in self._held:
            clause = among("p.key_norm", predicates) if predicates else Clause("1 = 1")
            sql = (
                f"SELECT {_HELD.sql} FROM fact_entity e JOIN fact f ON f.subject_entity_id = e.entity_id "
                "JOIN fact_span s ON s.fact_id = f.fact_id JOIN fact_predicate p ON p.predicate_id = "
                "f.predicate_id "
                "WHERE e.ledger = ? AND e.key_norm = ? AND s.system_to IS NULL AND s.valid_to IS NULL "
                f"AND {clause.sql} ORDER BY s.span_id DESC LIMIT {_MOST}"
            )
            rows = [_HELD.read(row) for row in self.db.all(sql, (self.ledger, norm, *clause.values))]
            objects = self._objects([fact for fact, _, _, _ in rows])
            self._held[key] = [
                CurrentFact(e.key, p.key, objects[f.fact_id], p.cardinality, s.valid_from, s.system_from)
                for f, s, p, e in rows
                if f.fact_id in objects
            ]
            matching = [
                belief
                for belief in self._said.get(norm, [])
                if not predicates or belief.predicate in predicates
            ]
            self._held[key][:0] = reversed(matching)
        return self._held[key]

    def note(self, fact: FoundFact, frame: Frame) -> None:
        """What the same text has just said is held from here on."""
        if fact.action == "record" and fact.value is not None and isinstance(fact.value, str | Entity):
            since = frame.occurred_at if fact.valid_from is None else fact.valid_from
            belief = CurrentFact(
                fact.subject, fact.predicate, fact.value, fact.cardinality or "many", since, frame.occurred_at
            )
            norm = Entity(fact.subject).norm
            self._said.setdefault(norm, []).append(belief)
            self._noted.append(belief)
            for key in [key for key in self._held if key[0] == norm]:
                del self._held[key]

    def latest(self) -> list[CurrentFact]:
        """What was recorded last, of whatever subject, the newest first."""
        if self._latest is not None:
            return self._latest
        sql = (
            f"SELECT {_HELD.sql} FROM fact_span s JOIN fact f ON f.fact_id = s.fact_id "
            "JOIN fact_predicate p ON p.predicate_id = f.predicate_id "
            "JOIN fact_entity e ON e.entity_id = f.subject_entity_id "
            "WHERE f.ledger = ? AND s.system_to IS NULL AND s.valid_to IS NULL AND p.key_norm <> "
            "'session_id' "
            "ORDER BY s.span_id DESC LIMIT 20"
        )
        rows = [_HELD.read(row) for row in self.db.all(sql, (self.ledger,))]
        objects = self._objects([fact for fact, _, _, _ in rows])
        self._latest = [
            CurrentFact(e.key, p.key, objects[f.fact_id], p.cardinality, s.valid_from, s.system_from)
            for f, s, p, e in rows
            if f.fact_id in objects
        ]
        return self._latest

    def just_said(self) -> list[CurrentFact]:
        """What the same text has said so far, the newest first."""
        return [belief for belief in reversed(self._noted) if belief.predicate not in ("session_id", "title")]

    def _objects(self, facts: Sequence[FactRow]) -> dict[int, str | Entity]:
        named = {fact.object_entity_id for fact in facts if fact.object_entity_id is not None}
        keys: dict[int, str] = {}
        if named:
            clause = among("entity_id", sorted(named))
            rows = self.db.all(f"SELECT entity_id, key FROM fact_entity WHERE {clause.sql}", clause.values)
            keys = {int(entity_id): str(key) for entity_id, key in rows}
        objects: dict[int, str | Entity] = {}
        for fact in facts:
            if fact.object_entity_id is not None:
                objects[fact.fact_id] = Entity(keys[fact.object_entity_id])
            elif fact.object_kind == ObjectKind.TEXT:
                objects[fact.fact_id] = str(stored_object(fact, None))
        return objects

    def known(self, names: Iterable[str]) -> dict[str, set[str]]:
        """By normal form of a name, the keys of the entities that are called so."""
        norms = sorted({alias_norm(name) for name in names})
        if not norms:
            return {}
        clause = among("a.alias_norm", norms)
        sql = (
            "SELECT DISTINCT a.alias_norm, e.key FROM fact_alias a JOIN fact_entity e ON e.entity_id = "
            "a.entity_id "
            f"WHERE e.ledger = ? AND a.until IS NULL AND {clause.sql}"
        )
        keys: dict[str, set[str]] = {}
        for norm, key in self.db.all(sql, (self.ledger, *clause.values)):
            keys.setdefault(str(norm), set()).add(str(key))
        return keys
