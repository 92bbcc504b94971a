"""The ledger of facts: recorded, replaced and retracted on two time axes, and read as of any instant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from longmind.base.caller import audited
from longmind.base.checks import check_choice, check_label
from longmind.base.errors import InvalidInput, NotFound
from longmind.base.expiry import ExpiresAt, Ttl
from longmind.base.filters import View
from longmind.base.frame import SCOPES
from longmind.base.garbage import collection_paused
from longmind.base.parameters import Mark, Scope, User, WriteSpace
from longmind.base.partitions import partition_name
from longmind.base.results import Added
from longmind.facts import merging, names, quarantine, removal, suppression, validate, views, write
from longmind.facts.endings import ending, retraction
from longmind.facts.incoming import own_words, redacted, redacted_name
from longmind.facts.names import NewEntity
from longmind.facts.parameters import (
    FactId,
    GivenEvidence,
    GivenValue,
    MaybeValue,
    Premises,
    Qualifiers,
    Relation,
    Subject,
    ValidFrom,
    ValidTo,
)
from longmind.facts.query import MOST, Reader
from longmind.facts.results import Decided, FactErasure, Merged, RecordReport, Removed, Retracted
from longmind.facts.rows import GLOBAL, insert
from longmind.facts.slots import standard
from longmind.facts.values import (
    Assertion,
    Cardinality,
    Entity,
    Evidence,
    FactHit,
    Predicate,
    Recorded,
    Value,
    typed,
)
from longmind.store import erasure
from longmind.store.drafts import check_shared


@audited("facts.")
class Ledger(Reader):
    """What was true, and what did we know?

    Every call takes `space=`; without it, the handle's own space is meant. `user=` is whose facts they are;
    reads see those beside what all users share. `scope="global"` writes what every space sees. Writes name
    entities by key; reads also take an alias that means one entity.
    """

    # Names

    def upsert_entity(
        self,
        key: Annotated[str, "What it is called in facts."],
        *,
        kind: Annotated[str, "What kind of thing it is, such as person."] = "",
        aliases: Annotated[Iterable[str], "Other names for it."] = (),
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Entity:
        """Make an entity, or add a kind and other names to it. Keys that differ only in case are the same."""
        label = check_label(kind, "kind") if kind else ""
        if isinstance(aliases, str):
            raise InvalidInput("aliases must be a list of strings, not one string.")
        home, ledger = self._place(space, scope, user)
        entity = Entity(redacted_name(self.store, key, space=home))
        others = [Entity(redacted_name(self.store, alias, space=home)) for alias in aliases]
        label = redacted_name(self.store, label, space=home)
        with self.store.write() as tx:
            entities = names.find_entities(tx.db, ledger, [entity.norm])
            new = {entity.norm: NewEntity(str(entity), kind=label)}
            row = names.ensure_entities(tx, ledger, new, existing=entities)[entity.norm]
            names.add_aliases(tx, [(row, str(alias)) for alias in others])
        return Entity(row.key)

    def add_alias(
        self,
        key: Annotated[str, "The entity."],
        alias: Annotated[str, "Another name for it."],
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Added:
        """Give an entity another name."""
        home, ledger = self._place(space, scope, user)
        entity, other = (Entity(redacted_name(self.store, name, space=home)) for name in (key, alias))
        with self.store.write() as tx:
            row = names.find_entities(tx.db, ledger, [entity.norm]).get(entity.norm)
            if row is None:
                raise NotFound(f"There is no entity {key!r} here.", hint="Make it with upsert_entity().")
            return Added(names.add_aliases(tx, [(row, str(other))]))

    def merge(
        self,
        key: Annotated[str, "The entity that stands for both."],
        other: Annotated[str, "The entity that is the same."],
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Merged:
        """Hold two entities to be the same: what was said of either is held of the first.

        Nothing that was said changes, so `split` takes it back, and reads as of before show both apart.
        """
        first, second = Entity(key), Entity(other)
        _, ledger = self._place(space, scope, user)
        with self.store.write() as tx:
            return merging.merge(tx, ledger, first, second)

    def split(
        self,
        key: Annotated[str, "The entity that was merged into another."],
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Merged:
        """Take a merge back: the entity stands for itself again, with what was said of it."""
        entity = Entity(key)
        _, ledger = self._place(space, scope, user)
        with self.store.write() as tx:
            return merging.split(tx, ledger, entity)

    def remove_alias(
        self,
        key: Annotated[str, "The entity."],
        alias: Annotated[str, "The name it should no longer go by."],
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Removed:
        """Take a name away from an entity, whoever gave it. Its key stays."""
        entity, other = Entity(key), Entity(alias)
        _, ledger = self._place(space, scope, user)
        with self.store.write() as tx:
            row = names.find_entities(tx.db, ledger, [entity.norm]).get(entity.norm)
            if row is None:
                raise NotFound(
                    f"There is no entity {key!r} here.", hint="resolve() lists the entities of a name."
                )
            return Removed(names.remove_alias(tx, row, str(other)))

    def confirm(
        self,
        assertion: Annotated[int, "The id of an assertion in quarantine."],
        *,
        space: WriteSpace = None,
        user: User = None,
    ) -> Decided:
        """Believe an assertion that is in quarantine, from now on."""
        return self._decide(assertion, space, user, confirmed=True)

    def reject(
        self,
        assertion: Annotated[int, "The id of an assertion in quarantine."],
        *,
        space: WriteSpace = None,
        user: User = None,
    ) -> Decided:
        """Keep an assertion from being believed, and take it off the list of the quarantine."""
        return self._decide(assertion, space, user, confirmed=False)

    def _decide(self, assertion: int, space: str | None, user: str | None, *, confirmed: bool) -> Decided:
        space_name, _ = self._place(space, "space", user)
        with self.store.write() as tx:
            changed = quarantine.decide(tx, View((space_name,)), assertion, confirmed=confirmed)
        return Decided(assertion, confirmed, changed)

    def define_predicate(
        self,
        key: Relation,
        *,
        cardinality: Annotated[
            Cardinality | None, "How many values it has at a time: many, unless it is built in."
        ] = None,
        exact: Annotated[bool, "Texts that differ only in case are different values."] = False,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Predicate:
        """Declare a predicate: `one` value at a time, or `many`; `exact` tells texts apart by their case.

        A space that has not used the predicate yet takes a global declaration over. Built-in predicates, such
        as lives_in and likes, have a fixed cardinality.
        """
        predicate = Predicate(standard(Predicate(key)))
        if cardinality is not None:
            check_choice(cardinality, "cardinality", ("one", "many"))
        home, ledger = self._place(space, scope, user)
        predicate = Predicate(redacted_name(self.store, predicate, space=home))
        with self.store.write() as tx:
            row = names.define_predicate(tx, ledger, predicate, cardinality=cardinality, exact=bool(exact))
        return Predicate(row.key)

    # Writing

    def record(
        self,
        subject: Subject,
        predicate: Relation,
        value: GivenValue,
        *,
        valid_from: ValidFrom = None,
        valid_to: ValidTo = None,
        evidence: GivenEvidence = (),
        qualifiers: Qualifiers = None,
        derived_from: Premises = (),
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Recorded:
        """Record that something is so over a period, by default from now on.

        Use it for a single checkable statement about a person or thing. A new value of a predicate declared
        to have one value at a time supersedes the others for that period, and only for it.
        """
        item = Assertion(
            subject, predicate, value, valid_from, valid_to, qualifiers, evidence, derived_from,
            expires_at=expires_at, ttl=ttl)  # fmt: skip
        return self._record([item], space, scope, user)[0]

    def replace(
        self,
        subject: Subject,
        predicate: Relation,
        value: GivenValue,
        *,
        valid_from: ValidFrom = None,
        valid_to: ValidTo = None,
        evidence: GivenEvidence = (),
        qualifiers: Qualifiers = None,
        derived_from: Premises = (),
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Recorded:
        """Record a fact, and let other values make room even where the predicate holds many."""
        item = Assertion(
            subject, predicate, value, valid_from, valid_to, qualifiers, evidence, derived_from,
            expires_at=expires_at, ttl=ttl)  # fmt: skip
        return self._record([item], space, scope, user, action="replace")[0]

    def correct(
        self,
        subject: Subject,
        predicate: Relation,
        value: GivenValue,
        *,
        valid_from: ValidFrom = None,
        valid_to: ValidTo = None,
        evidence: GivenEvidence = (),
        qualifiers: Qualifiers = None,
        derived_from: Premises = (),
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Recorded:
        """Put a value in the place of the one that is held, for its whole period: the other was never so.

        What was believed before stays visible as of before. Use `record` where something changed.
        """
        item = Assertion(
            subject, predicate, value, valid_from, valid_to, qualifiers, evidence, derived_from,
            expires_at=expires_at, ttl=ttl)  # fmt: skip
        return self._record([item], space, scope, user, action="correct")[0]

    def end(
        self,
        subject: Subject,
        predicate: Relation,
        value: MaybeValue = None,
        *,
        at: Annotated[datetime | int | None, "From when it is no longer so; now, if it is not given."] = None,
        evidence: GivenEvidence = (),
        qualifiers: Qualifiers = None,
        reason: Annotated[str, "Why."] = "ended",
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Retracted:
        """Say that something is over: one value, or whatever the predicate holds.

        It holds again once it is recorded with a later start. What is recorded later of the time before ends
        there too.
        """
        pieces, why = validate.check_evidence(evidence), check_label(reason, "reason")
        # No value means whatever the predicate holds.
        assertion = own_words(Assertion(subject, predicate, value, qualifiers=qualifiers))  # type: ignore[arg-type]
        claim = ending(assertion, at=at, evidence=pieces, reason=why)
        space_name, ledger = self._place(space, scope, user)
        with self.store.write() as tx:
            redactor = self.store.redaction.redactor(space_name, tx)
            if redactor is not None:
                clean = redacted(assertion, redactor)
                claim = ending(clean, at=at, evidence=pieces, reason=redactor.text(why))
            ready = validate.check_frames(tx, [claim], space=space_name, dialect=self.store.engine.dialect)
            [result] = write.write(tx, ready, ledger=ledger, space=space_name).results
        assert isinstance(result, Retracted)
        return result

    def record_many(
        self,
        assertions: Annotated[
            Iterable[Assertion | Mapping[str, Any]],
            "Each with subject, predicate, value and what else facts.record takes.",
            Mark.TEXT,
        ],
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> RecordReport:
        """Record several facts in order and in one transaction: all of them or none."""
        with collection_paused():
            return RecordReport(tuple(self._record(list(assertions), space, scope, user)))

    def retract(
        self,
        subject: str | FactHit,
        predicate: str | None = None,
        value: Value | None = None,
        *,
        valid_to: Annotated[
            datetime | int | None, "It was so until then; only the rest is retracted."
        ] = None,
        qualifiers: Qualifiers = None,
        reason: Annotated[str, "Why."] = "retracted",
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> Retracted:
        """Hold it to be so no longer: one value, all values of a predicate, or just the period of a hit.

        With `valid_to` it was so until then, and only the rest is retracted. Twice changes nothing.
        """
        why = check_label(reason, "reason")
        claim = retraction(subject, predicate, value, qualifiers, valid_to, why)
        if isinstance(subject, FactHit):
            space, scope = space or subject.space, subject.scope
            user = subject.user if user is None else user
        space_name, ledger = self._place(space, scope, user)
        with self.store.write() as tx:
            redactor = self.store.redaction.redactor(space_name, tx)
            if redactor is not None:
                claim = claim._replace(reason=redactor.text(why))
            [result] = write.write(tx, [claim], ledger=ledger, space=space_name).results
        assert isinstance(result, Retracted)
        return result

    def add_evidence(
        self,
        fact: FactId,
        evidence: Annotated[
            Iterable[Evidence | int], "Frames that say it: their ids, or objects with frame, start and end."
        ],
        *,
        space: WriteSpace = None,
        user: User = None,
    ) -> Added:
        """Add evidence for a fact, whatever its period."""
        pieces = validate.check_evidence(evidence)
        fact_id = fact.fact_id if isinstance(fact, FactHit) else fact
        space_name, _ = self._place(space, "space", user)
        view = View((space_name,))
        with self.store.write() as tx:
            views.get(tx.db, view, fact_id, evidence=0)
            placed = validate.located(tx.db, pieces, space=space_name, dialect=self.store.engine.dialect)
            cited = {item.place for item in views.evidence_for(tx.db, view, fact_id, limit=MOST)}
            fresh = {item.place: item for item in placed if item.place not in cited}
            insert(tx.db, write.evidence_rows(tx, [(None, fact_id, item) for item in fresh.values()]))
        return Added(len(fresh))

    def erase(
        self,
        subject: Subject,
        predicate: Annotated[str | None, "Only this predicate."] = None,
        value: MaybeValue = None,
        *,
        scope: Scope = "space",
        space: WriteSpace = None,
        user: User = None,
    ) -> FactErasure:
        """Remove what was said of a subject for good, history included.

        The subject may be named by an alias, and its aliases go with it. What is held is worked out again
        from what is left.
        """
        entity = Entity(subject)
        _, ledger = self._place(space, scope, user)
        relation = None if predicate is None else Predicate(standard(Predicate(predicate))).norm
        only_value = None if value is None else typed(value)
        with self.store.write() as tx:
            whom = names.meant(tx.db, ledger, entity)
            doomed = removal.assertions_of(tx.db, whom, predicate=relation, value=only_value)
            assert not doomed or tx.system
            statements = removal.statements_of(tx.db, doomed)
            facts = {row.fact_id for row in doomed if row.fact_id is not None}
            counts = erasure.remove_wording(self.store, tx, facts)
            tx.db.run(erasure.OPEN_GATE)
            # What went with its memories above is not there any more.
            counts = removal.counted(counts, removal.erase_facts(tx, removal.remaining(tx.db, doomed)))
            if predicate is None and value is None:
                counts = removal.counted(counts, removal.forget_entities(tx.db, whom))
            tx.db.run("DELETE FROM store_erasing")
            suppression.suppress(tx, ledger, statements, entropy=self.store.entropy)
            assert not any(counts.values()) or tx.system
            number = erasure.mark(tx)
        return FactErasure(removal.counted(counts), scrubbed=erasure.scrub(self.store, number))

    def _place(self, space: str | None, scope: str, user: str | None) -> tuple[str, str]:
        """The part of a space that a write is made from, and the ledger it goes to."""
        check_choice(scope, "scope", SCOPES)
        is_global = scope == "global"
        own = None if is_global else self.default_user
        part = partition_name(space or self.default_space, own if user is None else user)
        if is_global:
            check_shared(part)
        return part, GLOBAL if is_global else part

    def _record(
        self,
        items: Sequence[Assertion | Mapping[str, Any]],
        space: str | None,
        scope: str,
        user: str | None,
        *,
        action: validate.Stating = "record",
    ) -> list[Recorded]:
        space_name, ledger = self._place(space, scope, user)
        assertions, now = [own_words(item) for item in items], self.store.now()
        claims = [validate.claim(item, action=action, now=now) for item in assertions]
        if not claims:
            return []
        with self.store.write() as tx:
            redactor = self.store.redaction.redactor(space_name, tx)
            if redactor is not None:
                claims = [
                    validate.claim(redacted(item, redactor), action=action, now=now) for item in assertions
                ]
            validate.check_premises(tx.db, claims, ledger=ledger)
            ready = validate.check_frames(tx, claims, space=space_name, dialect=self.store.engine.dialect)
            results = write.write(tx, ready, ledger=ledger, space=space_name).results
            removal.lift_suppression(tx, ledger, ready)
        return [result for result in results if isinstance(result, Recorded)]
