"""What the ledger holds now, for reading a text: by subject, by name, and what was recorded last."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from longmind.base.frame import Frame
from longmind.facts.canonical import alias_norm
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import LATEST, CurrentFact, ended_of, latest_of, once_told_of
from longmind.facts.held_mirror import HeldMirror
from longmind.facts.rows import AliasRow, EntityRow, join
from longmind.facts.subject_facts import SubjectFacts
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import stems_of, words_of
from longmind.store.engine import Connection
from longmind.store.visible import among

_MOST_THINGS: Final = 200
_NAMES: Final = join((AliasRow, "a"), (EntityRow, "e"))


class CurrentFacts:
    """What the ledger holds, looked up once for each subject that is asked for."""

    def __init__(self, db: Connection, ledger: str, mirror: HeldMirror | None = None) -> None:
        self.db, self.ledger = db, ledger
        self._mirror = mirror
        self._subjects: dict[str, SubjectFacts] = {}
        """Read here, where no mirror is."""
        self._stored: dict[tuple[str, ...], list[CurrentFact]] = {}
        self._said: dict[str, list[CurrentFact]] = {}
        self._noted: list[CurrentFact] = []
        self._latest: list[CurrentFact] | None = None

    def held(self, subject: str, predicates: tuple[str, ...] = ()) -> list[CurrentFact]:
        """What is held of a subject now, the newest first; of some predicates, where they are named."""
        norm = Entity(subject).norm
        key = (norm, *predicates)
        stored = self._stored.get(key)
        if stored is None:
            facts = self._facts(norm, predicates)
            rows = facts.of(predicates) if predicates else facts.newest()
            stored = self._stored[key] = [row.fact for row in rows]
        said = self._said_of(norm, predicates)
        return [*said, *stored] if said else stored

    def sharing(
        self,
        subject: str,
        words: Collection[str],
        predicates: tuple[str, ...] = (),
        or_of: Collection[str] = (),
    ) -> list[CurrentFact]:
        """Of what `held` gives, what may have one of some words in its value.

        Also what is `or_of` some predicates, and what the same text has just said, whatever their words are.
        """
        norm = Entity(subject).norm
        rows = self._facts(norm, predicates).sharing(words, predicates, or_of)
        return [*self._said_of(norm, predicates), *(row.fact for row in rows)]

    def speaking_of(self, subject: str, words: Collection[str]) -> list[CurrentFact]:
        """The same of words that may be in the value or in the predicate."""
        named = []
        for predicate in self.predicates(subject):
            own = words_of(predicate.replace("_", " "))
            if not own.isdisjoint(words) or not stems_of(own).isdisjoint(words):
                named.append(predicate)
        return self.sharing(subject, words, or_of=named)

    def predicates(self, subject: str) -> set[str]:
        """Those of all that is held of a subject."""
        norm = Entity(subject).norm
        return {*self._facts(norm).predicates(), *(belief.predicate for belief in self._said.get(norm, ()))}

    def _said_of(self, norm: str, predicates: tuple[str, ...]) -> list[CurrentFact]:
        return [
            belief
            for belief in reversed(self._said.get(norm, ()))
            if not predicates or belief.predicate in predicates
        ]

    def _facts(self, norm: str, predicates: tuple[str, ...] = ()) -> SubjectFacts:
        if self._mirror is not None:
            return self._mirror.subject(self.ledger, norm, predicates)
        facts = self._subjects.get(norm)
        if facts is None:
            facts = self._subjects[norm] = SubjectFacts(self.ledger, norm)
            facts.load(self.db)
        facts.load_predicates(self.db, facts.missing(predicates))
        return facts

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

    def latest(self) -> list[CurrentFact]:
        """What was recorded last, of whatever subject, the newest first."""
        if self._latest is None:
            mirror = self._mirror
            rows = latest_of(self.db, self.ledger, LATEST) if mirror is None else mirror.latest(self.ledger)
            self._latest = [row.fact for row in rows]
        return self._latest

    def just_said(self) -> list[CurrentFact]:
        """What the same text has said so far, the newest first."""
        return [belief for belief in reversed(self._noted) if belief.predicate not in ("session_id", "title")]

    def known(self, names: Iterable[str]) -> dict[str, set[str]]:
        """By normal form of a name, the keys of the entities that are called so."""
        return self.known_norms({alias_norm(name) for name in names})

    def once_held(self, subject: str, value: str) -> CurrentFact | None:
        """What was held of a subject last, by a value, and is no more."""
        rows = ended_of(self.db, self.ledger, Entity(subject).norm, words_of(value))
        return rows[0].fact if rows else None

    def once_told(self, subject: str, words: frozenset[str]) -> list[tuple[CurrentFact, int]]:
        """What was held of a subject and speaks of some words, and until when; the last first."""
        return once_told_of(self.db, self.ledger, Entity(subject).norm, words) if words else []

    def keys_among(self, norms: Collection[str]) -> Collection[str]:
        """Those of some normal forms that may be keys of entities."""
        return norms if self._mirror is None else self._mirror.names(self.ledger).keys_among(norms)

    def names_among(self, norms: Collection[str]) -> Collection[str]:
        """Those of some normal forms that may be names of entities."""
        return norms if self._mirror is None else self._mirror.names(self.ledger).names_among(norms)

    def things_with(self, words: Collection[str]) -> list[str]:
        """The keys of things whose name has one of some words, in small letters: "app launch" for "launch".

        All names are looked through, so ask only where a text is likely to speak of one.
        """
        if not words:
            return []
        like = " OR ".join("key_norm LIKE ?" for _ in words)
        sql = f"SELECT key FROM fact_entity WHERE ledger = ? AND ({like}) ORDER BY key LIMIT {_MOST_THINGS}"
        rows = self.db.all(sql, (self.ledger, *(f"%{word}%" for word in sorted(words))))
        keys = [str(key) for (key,) in rows]
        return [key for key in keys if key != USER and "/" not in key and not words_of(key).isdisjoint(words)]

    def known_norms(self, norms: Collection[str]) -> dict[str, set[str]]:
        """The same, for names in normal form."""
        norms = self.names_among(norms)
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
