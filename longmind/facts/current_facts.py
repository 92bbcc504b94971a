"""What the ledger holds now, for reading a text: by subject, by name, and what was recorded last."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from longmind.base.frame import Frame
from longmind.facts.canonical import ObjectKind, alias_norm
from longmind.facts.extraction import FoundFact
from longmind.facts.rows import AliasRow, EntityRow, FactRow, PredicateRow, SpanRow, join, stored_object
from longmind.facts.values import Entity
from longmind.facts.words import words_of
from longmind.store.engine import Connection, Value
from longmind.store.visible import Clause, among

_MOST: Final = 2000
_ROWS: Final = join((FactRow, "f"), (SpanRow, "s"), (PredicateRow, "p"), (EntityRow, "e"), (EntityRow, "o"))
_NAMES: Final = join((AliasRow, "a"), (EntityRow, "e"))
_JOINED: Final = (
    "JOIN fact_predicate p ON p.predicate_id = f.predicate_id "
    "LEFT JOIN fact_entity o ON o.entity_id = f.object_entity_id"
)
_HELD: Final = "s.system_to IS NULL AND s.valid_to IS NULL"


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
            named = Clause("1 = 1")
            if predicates:
                clause = among("key_norm", predicates)
                ids = f"SELECT predicate_id FROM fact_predicate WHERE ledger = ? AND {clause.sql}"
                named = Clause(f"f.predicate_id IN ({ids})", (self.ledger, *clause.values))
            sql = (
                f"SELECT {_ROWS.sql} FROM fact_entity e JOIN fact f ON f.subject_entity_id = e.entity_id "
                f"JOIN fact_span s ON s.fact_id = f.fact_id {_JOINED} "
                f"WHERE e.ledger = ? AND e.key_norm = ? AND {_HELD} AND {named.sql} "
                f"ORDER BY s.span_id DESC LIMIT {_MOST}"
            )
            said = [
                belief
                for belief in reversed(self._said.get(norm, []))
                if not predicates or belief.predicate in predicates
            ]
            self._held[key] = [*said, *self._read(sql, (self.ledger, norm, *named.values))]
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
            f"SELECT {_ROWS.sql} FROM fact_span s JOIN fact f ON f.fact_id = s.fact_id "
            f"JOIN fact_entity e ON e.entity_id = f.subject_entity_id {_JOINED} "
            f"WHERE f.ledger = ? AND {_HELD} AND p.key_norm <> 'session_id' "
            "ORDER BY s.span_id DESC LIMIT 20"
        )
        self._latest = self._read(sql, (self.ledger,))
        return self._latest

    def just_said(self) -> list[CurrentFact]:
        """What the same text has said so far, the newest first."""
        return [belief for belief in reversed(self._noted) if belief.predicate not in ("session_id", "title")]

    def _read(self, sql: str, values: Sequence[Value]) -> list[CurrentFact]:
        """Facts whose values are texts or entities."""
        found: list[CurrentFact] = []
        for fact, span, predicate, subject, named in _ROWS.read_all(self.db.all(sql, values)):
            if fact.object_kind not in (ObjectKind.TEXT, ObjectKind.ENTITY):
                continue
            text = str(stored_object(fact, named))
            value = text if named is None else Entity(text)
            found.append(
                CurrentFact(
                    subject.key,
                    predicate.key,
                    value,
                    predicate.cardinality,
                    span.valid_from,
                    span.system_from,
                )
            )
        return found

    def known(self, names: Iterable[str]) -> dict[str, set[str]]:
        """By normal form of a name, the keys of the entities that are called so."""
        return self.known_norms({alias_norm(name) for name in names})

    def known_norms(self, norms: Collection[str]) -> dict[str, set[str]]:
        """The same, for names in normal form."""
        if not norms:
            return {}
        clause = among("a.alias_norm", sorted(norms))
        sql = (
            f"SELECT {_NAMES.sql} FROM fact_alias a JOIN fact_entity e ON e.entity_id = a.entity_id "
            f"WHERE e.ledger = ? AND a.until IS NULL AND {clause.sql}"
        )
        keys: dict[str, set[str]] = {}
        for alias, entity in _NAMES.read_all(self.db.all(sql, (self.ledger, *clause.values))):
            keys.setdefault(alias.alias_norm, set()).add(entity.key)
        return keys
