"""A memory that states something is a view of what the ledger holds: what is done to one is done to both.

A memory and a fact are one statement when they are about the same entity, their predicates say the same of a
thing, and their values are the same. The rules that read a turn write both; from then on `follow` keeps the
memories with the ledger, and `take_back` the ledger with the memories.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from longmind.base.errors import Conflict
from longmind.base.filters import View
from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.config import read_config
from longmind.conversation.current import contents, newest_versions, statement_of
from longmind.conversation.extraction import BY_MODEL, Reading
from longmind.conversation.rows import DecisionRow, MemoryRow, VersionRow, select
from longmind.conversation.rows import select_among as select_memories
from longmind.conversation.write import WriteContext, entity_name, put_away, revise
from longmind.extract.statements import SPEAKER, Statement
from longmind.facts import identity, names
from longmind.facts import write as ledger_write
from longmind.facts.canonical import ObjectKind, canonical_text
from longmind.facts.extraction import Extraction
from longmind.facts.part import FactsPart
from longmind.facts.removal import erase_facts
from longmind.facts.results import Retracted
from longmind.facts.rows import (
    GLOBAL,
    AliasRow,
    AssertionRow,
    EntityRow,
    FactRow,
    PredicateRow,
    SpanRow,
    join,
    load_qualifiers,
    select_among,
    stored_object,
)
from longmind.facts.slots import group, standard, wordings
from longmind.facts.statements import Claim
from longmind.facts.trust import USER
from longmind.facts.values import Entity, Predicate, Typed
from longmind.store.drafts import Draft
from longmind.store.engine import Connection
from longmind.store.frames import tags_of
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, both
from longmind.store.write import Prepared

_COLUMNS: Final = join((FactRow, "c"), (EntityRow, "e"), (PredicateRow, "p"), (EntityRow, "o"))
_DATED: Final = frozenset({"event", "plans", "did"})
"""Slots whose value the ledger tells with its date."""
NOT_HELD: Final = "no longer held"
_FOLLOWED: Final = frozenset({NOT_HELD, "conflict", "ended"})
"""Why a memory was put away, where it comes back with what it says."""


class StatedFact(NamedTuple):
    """A fact of the ledger that a memory words."""

    fact: FactRow
    subject: EntityRow
    predicate: PredicateRow
    entity: EntityRow | None

    @property
    def value(self) -> Typed:
        return Typed(ObjectKind(self.fact.object_kind), stored_object(self.fact, self.entity))


def slots_of(predicate: str) -> tuple[str, ...]:
    """The slots of memories that a predicate has a say in: who dislikes a thing no longer likes it."""
    competing = group(predicate, single=False).predicates
    return tuple({name for other in competing for name in wordings(other)} | {*wordings(predicate)})


def stated_facts(db: Connection, ledger: str, statement: Statement) -> list[StatedFact]:
    """The facts of the ledger that say what a statement says."""
    try:
        subjects = names.meant(db, ledger, Entity(entity_name(statement.subject)))
    except Conflict:  # a name that may mean two people is not taken for either
        return []
    if not subjects:
        return []
    predicates = wordings(canonical_text(standard(statement.slot)))
    clause = among("c.subject_entity_id", subjects) & among("p.key_norm", predicates)
    sql = (
        f"SELECT {_COLUMNS.sql} FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
        "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
        "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
        f"WHERE {clause.sql} ORDER BY c.fact_id"
    )
    stated = [StatedFact(*_COLUMNS.read(row)) for row in db.all(sql, clause.values)]
    return [item for item in stated if _same_value(statement, item)]


def _same_value(statement: Statement, item: StatedFact) -> bool:
    wording, stored = value_key(statement.value), value_key(str(item.value.stored))
    if wording == stored:
        return True
    new_words, stored_words = set(wording.split()), set(stored.split())
    if statement.slot in _DATED:
        return bool(new_words) and new_words <= stored_words
    # "Lisbon" and "Lisbon, Portugal" are one memory.
    return (
        statement.cardinality == "one"
        and bool(new_words and stored_words)
        and (new_words <= stored_words or stored_words <= new_words)
    )


def present(tx: Transaction) -> int:
    """The clock's reading, and never earlier than the last commit: a clock may be set back."""
    return max(tx.now, tx.before + 1)


def is_held(db: Connection, facts: Iterable[StatedFact], *, now: int) -> bool:
    """Whether the ledger holds one of the facts, now or from a time to come."""
    fact_ids = {item.fact.fact_id for item in facts}
    open_spans = Clause("x.system_to IS NULL AND (x.valid_to IS NULL OR x.valid_to > ?)", (now,))
    return bool(select_among(db, SpanRow, "fact_id", fact_ids, also=open_spans))


# From memories to the ledger


def take_back(
    ctx: WriteContext, statement: Statement | None, *, action: Literal["end", "retract"], reason: str
) -> int:
    """Let the ledger hold no longer what a memory said: from now on, or as if it had never been said.

    What a memory denies is not held, so there is nothing to take back. Returns how many periods were ended.
    """
    if statement is None or not statement.holds:
        return 0
    tx = ctx.tx
    claims = [
        Claim(
            Entity(item.subject.key),
            Predicate(item.predicate.key),
            item.value,
            load_qualifiers(item.fact.qualifiers),
            action=action,
            reason=reason,
            lenient=True,
            keep=False,
        )
        for item in stated_facts(tx.db, ctx.space, statement)
    ]
    if not claims:
        return 0
    results = ledger_write.write(tx, claims, ledger=ctx.space, space=ctx.space).results
    return sum(result.spans for result in results if isinstance(result, Retracted))


def is_past(ctx: WriteContext, statement: Statement | None) -> bool:
    """Whether what was just said is of a time that is over by now, such as an earlier home."""
    if statement is None or statement.when is None or not statement.holds:
        return False
    facts = stated_facts(ctx.tx.db, ctx.space, statement)
    return bool(facts) and not is_held(ctx.tx.db, facts, now=present(ctx.tx))


def end_opposed(ctx: WriteContext, old: Statement | None, new: Statement | None) -> None:
    """End what a new statement rules out, where the two do not compete in the ledger.

    Where they do, the ledger decides by their periods which of them holds.
    """
    if old is None or new is None or not old.holds or _compete(old, new):
        return
    take_back(ctx, old, action="end", reason="contradicted")


def _compete(one: Statement, other: Statement) -> bool:
    groups = [
        group(canonical_text(standard(item.slot)), single=item.cardinality == "one") for item in (one, other)
    ]
    same_thing = not groups[0].by_thing or value_key(one.value) == value_key(other.value)
    return groups[0].name == groups[1].name and same_thing


def erase_statements(tx: Transaction, memory_ids: Sequence[int]) -> dict[str, int]:
    """Remove from the ledger what some memories say, whoever said it; inside an erase."""
    db = tx.db
    spaces = {row.memory_id: row.space for row in select_memories(db, MemoryRow, "memory_id", memory_ids)}
    doomed: dict[int, AssertionRow] = {}
    for memory_id, version in newest_versions(db, memory_ids).items():
        statement = statement_of(version)
        facts = [] if statement is None else stated_facts(db, spaces[memory_id], statement)
        fact_ids = {item.fact.fact_id for item in facts}
        doomed.update((row.assertion_id, row) for row in select_among(db, AssertionRow, "fact_id", fact_ids))
    return erase_facts(tx, [doomed[number] for number in sorted(doomed)]) if doomed else {}


def since(ctx: WriteContext, statement: Statement | None) -> int | None:
    """From when the ledger holds what a memory says."""
    if statement is None or not statement.holds:
        return None
    fact_ids = {item.fact.fact_id for item in stated_facts(ctx.tx.db, ctx.space, statement)}
    also = Clause("x.system_to IS NULL AND (x.valid_to IS NULL OR x.valid_to > ?)", (present(ctx.tx),))
    spans = select_among(ctx.tx.db, SpanRow, "fact_id", fact_ids, also=also)
    return min((span.valid_from for span in spans), default=None)


def with_facts(store: Store, item: Draft, statement: Statement | None, prepared: Prepared) -> Prepared:
    """What was prepared for the frame of a memory, with what the memory states for the ledger."""
    part = facts_part(store)
    if part is None:
        return prepared
    whole = [] if statement is None else [_of_whole(statement, item.text)]
    return {**prepared, "facts": [part.told(item, whole)]}


def with_told(store: Store, item: Draft, reading: Reading, prepared: Prepared) -> Prepared:
    """What was prepared for a turn, with what a language model read in it.

    A model that reads alone takes the place of the rules; beside them, it adds to what they found.
    """
    part = facts_part(store)
    if part is None or "facts" not in prepared or reading.extractor not in ("llm", "hybrid"):
        return prepared
    statements = [
        _of_whole(candidate.statement, item.text)
        for candidate in reading.candidates
        if candidate.rule == BY_MODEL and candidate.statement is not None and not candidate.archives
    ]
    extraction = part.told(item, statements, read_by=BY_MODEL)
    first, *chunks = prepared["facts"]
    if reading.extractor == "llm":
        return {**prepared, "facts": [extraction, *(Extraction() for _ in chunks)]}
    if not isinstance(first, Extraction) or not isinstance(extraction, Extraction):
        return prepared
    entities = (*first.entities, *(entity for entity in extraction.entities if entity not in first.entities))
    facts = (*first.facts, *(fact for fact in extraction.facts if fact not in first.facts))
    return {**prepared, "facts": [replace(first, entities=entities, facts=facts), *chunks]}


def dated(prepared: Prepared, start: int) -> Prepared:
    """The same, but what it states for the ledger has been so since `start`."""
    extraction = prepared.get("facts", [None])[0]
    if not isinstance(extraction, Extraction):
        return prepared
    facts = tuple(
        replace(fact, valid_from=start) if fact.action == "record" and fact.polarity else fact
        for fact in extraction.facts
    )
    return {**prepared, "facts": [replace(extraction, facts=facts)]}


def same_statement(one: Statement, other: Statement) -> bool:
    """Whether two wordings say the same."""
    return _key(one) == _key(other)


def _key(statement: Statement) -> tuple[object, ...]:
    subject, value = subject_key(statement.subject), value_key(statement.value)
    return subject, statement.slot, value, statement.polarity, statement.ended


def join_twins(ctx: WriteContext, memory_id: int, statement: Statement | None) -> None:
    """Put away the other memories in use that say what this one says now."""
    if statement is None:
        return
    identity = (ctx.space, subject_key(statement.subject), statement.slot, value_key(statement.value))
    rows = ctx.tx.db.all(
        "SELECT memory_id FROM conversation_current WHERE space = ? AND subject_key = ? AND slot = ? "
        "AND slot IS NOT NULL AND value_key = ? AND status = 'active' AND memory_id <> ?",
        (*identity, memory_id),
    )
    for other, version in newest_versions(ctx.tx.db, [int(row[0]) for row in rows]).items():
        statement_said = statement_of(version)
        if statement_said is not None and same_statement(statement_said, statement):
            put_away(ctx, other, "archived", reason="merged", inputs={"into": memory_id})


def agrees(ctx: WriteContext, memory_id: int) -> bool:
    """Whether the ledger holds what a memory says, or has never heard of it."""
    statement = statement_of(newest_versions(ctx.tx.db, [memory_id])[memory_id])
    if statement is None:
        return True
    facts = stated_facts(ctx.tx.db, ctx.space, statement)
    return not facts or is_held(ctx.tx.db, facts, now=present(ctx.tx)) == statement.holds


def _of_whole(statement: Statement, text: str) -> Statement:
    end = len(text.encode())
    return replace(statement, start=0, end=end, value_start=0, value_end=end, when=None, action="record")


def facts_part(store: Store) -> FactsPart | None:
    part = next((part.loaded for part in store.parts if part.name == FactsPart.name), None)
    return part if isinstance(part, FactsPart) else None


# From the ledger to memories


class _Touched(NamedTuple):
    """What changed in one ledger."""

    subjects: set[str]
    slots: set[str]


def follow(store: Store, tx: Transaction, fact_ids: Collection[int]) -> None:
    """Put away memories of what the ledger holds no longer, and bring back those of what it holds again.

    A memory that the ledger never heard of stays as it is, and so does one that faded or was put away by
    hand.
    """
    config = read_config(store, tx.db)
    for ledger, touched in _touched(tx.db, fact_ids).items():
        ctx = WriteContext(store, tx, config, ledger)
        versions = _memories(tx.db, ledger, touched, ("active", "archived"))
        current = _active(tx.db, versions)
        for memory_id, version in sorted(versions.items()):
            _keep_with(ctx, memory_id, version, current)


def _keep_with(
    ctx: WriteContext, memory_id: int, version: VersionRow, current: dict[int, VersionRow]
) -> None:
    db, statement = ctx.tx.db, statement_of(version)
    assert statement is not None
    facts = stated_facts(db, ctx.space, statement)
    if not facts:
        return
    is_so = is_held(db, facts, now=present(ctx.tx)) == statement.holds
    if memory_id in current:
        # One that this very transaction made or worded was checked by who wrote it.
        if not is_so and version.recorded_at != ctx.tx.system:
            put_away(ctx, memory_id, "archived", reason=NOT_HELD, inputs={})
            del current[memory_id]
    elif is_so and _comes_back(db, memory_id):
        is_said = any(
            same_statement(statement, other) for other in map(statement_of, current.values()) if other
        )
        if not is_said:
            _bring_back(ctx, memory_id, version, statement)
            current[memory_id] = version


def _bring_back(ctx: WriteContext, memory_id: int, version: VersionRow, statement: Statement) -> None:
    text = contents(ctx.tx.db, [version.frame_id])[version.frame_id]
    tags = tags_of(ctx.tx.db, [version.frame_id], View.of(ctx.space)).get(version.frame_id, ())
    candidate = Candidate(text, statement, tags=tuple(sorted(tags)), rule=version.rule)
    # Its vector is made by the next `maintain`: nothing is embedded inside a transaction.
    revise(ctx, memory_id, candidate, status="active", prepared=None)


def _comes_back(db: Connection, memory_id: int) -> bool:
    """Whether it was put away because of what was said, and not by hand or because it faded."""
    decisions = select(db, DecisionRow, "x.memory_id = ? ORDER BY x.decision_id DESC LIMIT 1", (memory_id,))
    return bool(decisions) and json.loads(decisions[0].inputs).get("reason") in _FOLLOWED


def _touched(db: Connection, fact_ids: Collection[int]) -> dict[str, _Touched]:
    """By ledger, the subjects and slots of memories that some facts may concern."""
    facts = select_among(db, FactRow, "fact_id", fact_ids, also=Clause(f"x.ledger <> '{GLOBAL}'"))
    if not facts:
        return {}
    predicates = {
        row.predicate_id: row.key_norm
        for row in select_among(db, PredicateRow, "predicate_id", {row.predicate_id for row in facts})
    }
    subjects = _names_of(db, {row.subject_entity_id for row in facts})
    touched: dict[str, _Touched] = defaultdict(lambda: _Touched(set(), set()))
    for fact in facts:
        item = touched[fact.ledger]
        item.subjects.update(subjects[fact.subject_entity_id])
        item.slots.update(slots_of(predicates[fact.predicate_id]))
    return touched


def _names_of(db: Connection, entity_ids: set[int]) -> dict[int, set[str]]:
    """By entity, what memories may call it: its names, and those of whom it is merged with."""
    merged = identity.current(db)
    members = {
        entity_id: {entity_id, merged.get(entity_id, entity_id)}
        | {other for other, whole in merged.items() if whole == merged.get(entity_id, entity_id)}
        for entity_id in entity_ids
    }
    every = {member for group in members.values() for member in group}
    spelled: dict[int, set[str]] = defaultdict(set)
    for row in select_among(db, EntityRow, "entity_id", every):
        spelled[row.entity_id].add(row.key)
    for alias in select_among(db, AliasRow, "entity_id", every, also=Clause("x.until IS NULL")):
        spelled[alias.entity_id].add(alias.alias)
    return {
        entity_id: {subject_key(_speaker(name)) for member in group for name in spelled[member]}
        for entity_id, group in members.items()
    }


def _speaker(name: str) -> str:
    """The reverse of `entity_name`."""
    norm = canonical_text(name)
    return SPEAKER + name[len(USER) :] if norm == USER or norm.startswith(f"{USER}/") else name


def _memories(
    db: Connection, ledger: str, touched: _Touched, statuses: Sequence[str]
) -> dict[int, VersionRow]:
    """The memories of a part of a space in some slots of some subjects, by their last version."""
    clause = both(
        [
            Clause("space = ? AND slot IS NOT NULL", (ledger,)),
            among("slot", sorted(touched.slots)),
            among("subject_key", sorted(touched.subjects)),
            among("status", statuses),
        ]
    )
    rows = db.all(f"SELECT memory_id FROM conversation_current WHERE {clause.sql}", clause.values)
    return newest_versions(db, [int(row[0]) for row in rows])


def _active(db: Connection, versions: dict[int, VersionRow]) -> dict[int, VersionRow]:
    active: dict[int, VersionRow] = {}
    for batch in batched(sorted(versions)):
        clause = among("memory_id", batch)
        sql = f"SELECT memory_id FROM conversation_current WHERE status = 'active' AND {clause.sql}"
        active.update((int(row[0]), versions[int(row[0])]) for row in db.all(sql, clause.values))
    return active


def wording_of(db: Connection, fact_ids: Collection[int]) -> list[int]:
    """The memories, in whatever state, that say one of these facts."""
    memory_ids: list[int] = []
    for ledger, touched in _touched(db, fact_ids).items():
        for memory_id, version in _memories(db, ledger, touched, ("active", "archived", "deleted")).items():
            statement = statement_of(version)
            if statement is not None:
                facts = stated_facts(db, ledger, statement)
                if any(item.fact.fact_id in fact_ids for item in facts):
                    memory_ids.append(memory_id)
    return memory_ids
