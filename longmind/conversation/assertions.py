"""A memory that states something is a view of what the ledger holds: what is done to one is done to both.

A memory and a fact are one statement when they are about the same entity, their predicates say the same of a
thing, and their values are the same. The rules that read a turn write both; from then on `take_back` keeps
the ledger with the memories, and `following.py` the memories with the ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from longmind.base.errors import Conflict
from longmind.conversation.candidates import subject_key, value_key
from longmind.conversation.current import newest_versions, statement_of
from longmind.conversation.extraction import BY_MODEL, Reading
from longmind.conversation.rows import MemoryRow
from longmind.conversation.rows import select_among as select_memories
from longmind.conversation.write import WriteContext, entity_name, put_away
from longmind.extract.statements import SPEAKER, Statement
from longmind.facts import names
from longmind.facts import write as ledger_write
from longmind.facts.canonical import canonical_text
from longmind.facts.extraction import Extraction, FoundFact
from longmind.facts.part import FactsPart
from longmind.facts.removal import erase_facts
from longmind.facts.results import Retracted
from longmind.facts.rows import (
    AssertionRow,
    EntityRow,
    FactRow,
    PredicateRow,
    SpanRow,
    join,
    kind_of,
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
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among
from longmind.store.write import Prepared

_COLUMNS: Final = join((FactRow, "c"), (EntityRow, "e"), (PredicateRow, "p"), (EntityRow, "o"))
DATED: Final = frozenset({"event", "plans", "did"})
"""Slots whose value the ledger tells with its date."""


class StatedFact(NamedTuple):
    """A fact of the ledger that a memory words."""

    fact: FactRow
    subject: EntityRow
    predicate: PredicateRow
    entity: EntityRow | None

    @property
    def value(self) -> Typed:
        return Typed(kind_of(self.fact), stored_object(self.fact, self.entity))


_HELD: Final = (
    "EXISTS (SELECT 1 FROM fact_span s WHERE s.fact_id = c.fact_id AND s.system_to IS NULL "
    "AND (s.valid_to IS NULL OR s.valid_to > ?))"
)


def stated_facts(
    db: Connection, ledger: str, statement: Statement, *, held_at: int | None = None
) -> list[StatedFact]:
    """The facts of the ledger that say what a statement says; `held_at`: only those that it holds then."""
    try:
        subjects = names.meant(db, ledger, Entity(entity_name(statement.subject)))
    except Conflict:  # a name that may mean two people is not taken for either
        return []
    if not subjects:
        return []
    predicates = wordings(canonical_text(standard(statement.slot)))
    also = among("p.key_norm", predicates) & _may_say(statement)
    if held_at is not None:
        also &= Clause(_HELD, (held_at,))
    stated = facts_among(db, "c.subject_entity_id", subjects, also=also)
    return [item for item in stated if says(statement, item.value.stored)]


def _may_say(statement: Statement) -> Clause:
    """What every fact fulfils that `says` what a statement does: of thousands, few are read.

    A value that is told as it is begins some word as the statement does, whatever ending the word has. Texts
    beyond ASCII may be written in other letters that mean the same.
    """
    if statement.cardinality == "one" or statement.slot in DATED:
        return Clause("1 = 1")
    words = [word for word in value_key(statement.value).split() if word.isascii() and word.isalpha()]
    longest = max(words, key=len, default="")
    beginning = longest[: min(3, len(longest) - 1)]  # the last letter may stand for another ending
    if not beginning:
        return Clause("1 = 1")
    text = "coalesce(o.key, c.object_text)"
    return Clause(
        f"({text} IS NULL OR lower({text}) LIKE ? OR octet_length({text}) <> length({text}))",
        (f"%{beginning}%",),
    )


def facts_among(
    db: Connection, column: str, values: Collection[int], also: Clause | None = None
) -> list[StatedFact]:
    """Facts of which a column has one of many values."""
    stated: list[StatedFact] = []
    for batch in batched(sorted(values)):
        clause = among(column, batch) if also is None else among(column, batch) & also
        sql = (
            f"SELECT {_COLUMNS.sql} FROM fact c JOIN fact_entity e ON e.entity_id = c.subject_entity_id "
            "JOIN fact_predicate p ON p.predicate_id = c.predicate_id "
            "LEFT JOIN fact_entity o ON o.entity_id = c.object_entity_id "
            f"WHERE {clause.sql} ORDER BY c.fact_id"
        )
        stated += [StatedFact(*items) for items in _COLUMNS.read_all(db.all(sql, clause.values))]
    return stated


def says(statement: Statement, value: object) -> bool:
    """Whether a statement has the value of a fact of its subject and slot."""
    wording, stored = value_key(statement.value), value_key(str(value))
    if wording == stored:
        return True
    new_words, stored_words = set(wording.split()), set(stored.split())
    if statement.slot in DATED:
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
    """Whether what was just said is not so by now: an earlier home, or what the same turn corrected."""
    if statement is None or not statement.holds:
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


def as_placed(statement: Statement, facts: Iterable[FoundFact]) -> Statement:
    """A statement under the predicate that the ledger has for it, so that its memory follows that fact.

    "Switched to WhatsApp for messages" may be held as what is used for them.
    """
    if statement.action != "record" or not statement.holds or statement.old:
        return statement
    if statement.slot in DATED and statement.when is not None:
        return statement  # "married on 5 June 2020" is told with its day, which "married" would lose
    of_it = [
        fact
        for fact in facts
        if (fact.start, fact.end) == (statement.start, statement.end)
        and fact.action == "record"
        and fact.polarity
        and fact.value is not None
    ]
    predicates = wordings(canonical_text(standard(statement.slot)))
    if not of_it or any(canonical_text(fact.predicate) in predicates for fact in of_it):
        return statement
    alike = [fact for fact in of_it if says(statement, fact.value)]
    if len(alike) != 1:
        return statement
    [fact] = alike
    subject = SPEAKER if fact.subject == USER else statement.subject
    cardinality = fact.cardinality or statement.cardinality
    return replace(
        statement, subject=subject, slot=fact.predicate, value=str(fact.value), cardinality=cardinality
    )


def corrects_itself(prepared: Prepared) -> bool:
    """Whether a turn corrects something, in itself or in an earlier one."""
    read = [item for item in prepared.get("facts", ()) if isinstance(item, Extraction)]
    return any(fact.action == "correct" for item in read for fact in item.facts)


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
