"""Memories follow the ledger: what it holds no longer is put away, and what it holds again comes back.

Only memories that may word one of the facts that changed are looked at: of the hundred things that somebody
likes, a turn changes one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import count
from typing import Final, NamedTuple

from longmind.base.filters import View
from longmind.base.partitions import Partition
from longmind.conversation.assertions import (
    DATED,
    StatedFact,
    facts_among,
    is_held,
    present,
    same_statement,
    says,
    stated_facts,
)
from longmind.conversation.candidates import Candidate, subject_key, value_key
from longmind.conversation.config import config_now
from longmind.conversation.current import contents, newest_versions, statement_of
from longmind.conversation.rows import DecisionRow, VersionRow, select
from longmind.conversation.write import WriteContext, entity_name, put_away, revise
from longmind.extract.statements import SPEAKER, Statement
from longmind.facts import identity
from longmind.facts.canonical import canonical_text
from longmind.facts.rows import GLOBAL, AliasRow, EntityRow, select_among
from longmind.facts.slots import cardinality, group, standard, wordings
from longmind.facts.trust import USER
from longmind.store.engine import Connection
from longmind.store.frames import tags_of
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among, either

NOT_HELD: Final = "no longer held"
_FOLLOWED: Final = frozenset({NOT_HELD, "conflict", "ended"})
"""Why a memory was put away, where it comes back with what it says."""
_FEW: Final = 20
"""As many subjects are looked for in one question, without one before it for those that have memories; and
as many first words."""
_LEAST: Final = 4
_MOST_LISTED: Final = 2000
"""Of so many memories of a ledger the subjects are kept; of more, those of each write are looked for."""
_LISTED_AFTER: Final = 2
"""Writes in a row that left the memories as they are, before it is worth it to read whom they tell of."""
_IN_USE: Final = "status = 'active'"
_PUT_AWAY: Final = "status <> 'active'"
"""As the indexes by value have it."""
_BEHIND: Final = "\U0010ffff"
"""After every character that a word can have."""


@lru_cache(maxsize=1024)
def slots_of(predicate: str) -> tuple[str, ...]:
    """The slots of memories that a predicate has a say in: who dislikes a thing no longer likes it."""
    competing = group(predicate, single=False).predicates
    return tuple({name for other in competing for name in wordings(other)} | {*wordings(predicate)})


class _Touched(NamedTuple):
    """What changed in one ledger: of whom, in which slots, and the facts."""

    subjects: set[str]
    slots: set[str]
    facts: list[StatedFact]

    def values(self) -> set[str]:
        """In normal form; worked out only for subjects that memories tell of, as they do of few."""
        return {value_key(str(item.value.stored)) for item in self.facts}


def follow(store: Store, tx: Transaction, fact_ids: Collection[int]) -> None:
    """Put away memories of what the ledger holds no longer, and bring back those of what it holds again.

    A memory that the ledger never heard of stays as it is, and so does one that faded or was put away by
    hand.
    """
    changed = _read(tx, fact_ids)
    for ledger, touched in _touched(tx, changed).items():
        in_use, put_away = _are_remembered(tx.db, ledger, touched)
        if not (in_use or put_away):
            continue
        statuses = [*(["active"] if in_use else ()), *(["archived"] if put_away else ())]
        worded = _wording(tx.db, ledger, touched, touched.values(), statuses)
        if in_use:
            subjects = {item.fact.subject_entity_id for item in changed if item.fact.ledger == ledger}
            over = _over_by(tx.db, subjects, touched.slots, now=present(tx))
            # Nothing brings such a value back, so that only memories in use are of interest.
            worded |= _wording(tx.db, ledger, touched, over, ["active"]) if over else {}
        memories = _memories(tx.db, worded)
        # One that this very transaction made or worded was checked by who wrote it.
        doubtful = [memory for memory in memories if not memory.is_new(tx)]
        if not doubtful:
            continue
        ctx = WriteContext(store, tx, config_now(store, tx), Partition(ledger))
        current = {memory.memory_id: memory.version for memory in memories if memory.is_active}
        for memory in doubtful:
            _keep_with(ctx, memory, current, changed)


def _keep_with(
    ctx: WriteContext, memory: _Memory, current: dict[int, VersionRow], changed: Sequence[StatedFact]
) -> None:
    memory_id, version = memory.memory_id, memory.version
    db, statement = ctx.tx.db, statement_of(version)
    assert statement is not None
    holds = _is_held(ctx, statement, changed)
    if holds is None:
        return
    is_so = holds == statement.holds
    if memory_id in current:
        if not is_so:
            put_away(ctx, memory_id, "archived", reason=NOT_HELD, inputs={})
            del current[memory_id]
    elif is_so and _comes_back(db, memory_id):
        is_said = any(
            same_statement(statement, other) for other in map(statement_of, current.values()) if other
        )
        if not is_said:
            _bring_back(ctx, memory_id, version, statement)
            current[memory_id] = version


def _is_held(ctx: WriteContext, statement: Statement, changed: Sequence[StatedFact]) -> bool | None:
    """Whether the ledger holds what a memory says; None where it has never heard of it.

    Somebody may have had a hundred homes: what changed is asked for first, and then only what is held.
    """
    db, now = ctx.tx.db, present(ctx.tx)
    slots, subject = wordings(canonical_text(standard(statement.slot))), entity_name(statement.subject)
    named = [
        item
        for item in changed
        if item.fact.ledger == ctx.space
        and item.subject.key_norm == canonical_text(subject)
        and item.predicate.key_norm in slots
        and says(statement, item.value.stored)
    ]
    if (named and is_held(db, named, now=now)) or stated_facts(db, ctx.space, statement, held_at=now):
        return True
    return False if named or stated_facts(db, ctx.space, statement) else None


def _bring_back(ctx: WriteContext, memory_id: int, version: VersionRow, statement: Statement) -> None:
    text = contents(ctx.tx.db, [version.frame_id])[version.frame_id]
    tags = tags_of(ctx.tx.db, [version.frame_id], View.of(ctx.space)).get(version.frame_id, ())
    candidate = Candidate(text, statement, tags=tuple(sorted(tags)), rule=version.rule)
    # Its vector is made by the next `maintain`: nothing is embedded inside a transaction.
    revise(ctx, memory_id, candidate, status="active", prepared=None)


def _comes_back(db: Connection, memory_id: int) -> bool:
    """Whether it was put away because of what was said, and not by hand or because it faded."""
    decisions = select(db, DecisionRow, "x.memory_id = ? ORDER BY x.decision_id DESC LIMIT 1", (memory_id,))
    return bool(decisions) and decisions[0].stored_inputs().get("reason") in _FOLLOWED


def _touched(tx: Transaction, changed: Sequence[StatedFact]) -> dict[str, _Touched]:
    """By ledger, the subjects, slots and values of the memories that some facts may concern, if any do."""
    facts: dict[str, list[StatedFact]] = defaultdict(list)
    for item in changed:
        if item.fact.ledger != GLOBAL:
            facts[item.fact.ledger].append(item)
    touched: dict[str, _Touched] = {}
    for ledger, stated in facts.items():
        names = _names_of(tx, {item.subject.entity_id: item.subject for item in stated})
        if _tell_of_none(tx, ledger, {name for each in names.values() for name in each}):
            continue
        if len(names) > _FEW:
            names = _remembered(tx.db, ledger, names)
        part = _Touched(set(), set(), [])
        for item in stated:
            if item.subject.entity_id in names:
                part.subjects.update(names[item.subject.entity_id])
                part.slots.update(slots_of(item.predicate.key_norm))
                part.facts.append(item)
        if part.subjects:
            touched[ledger] = part
    return touched


def _read(tx: Transaction, fact_ids: Collection[int]) -> list[StatedFact]:
    """Facts with their names: as whoever changed them has left them, else from the store."""
    left = [StatedFact(*tx.fact_rows[fact_id]) for fact_id in fact_ids if fact_id in tx.fact_rows]
    missing = [fact_id for fact_id in fact_ids if fact_id not in tx.fact_rows]
    return [*left, *facts_among(tx.db, "c.fact_id", missing)]


def _tell_of_none(tx: Transaction, ledger: str, subjects: Set[str]) -> bool:
    """Whether the memories are known to tell of none of these; if not, they have to be asked.

    A program that records facts of other people asks with each of them, and memories change with turns alone.
    """
    table = "conversation_version"  # a row of each memory is from a row of these, which are followed
    if not tx.keeps(table):
        return False
    times: Iterator[int] = tx.known(table, ("times asked", ledger), count)
    if next(times) < _LISTED_AFTER:
        return False
    told_of = tx.known(table, ("subjects", ledger), lambda: _subjects(tx.db, ledger))
    return told_of is not None and told_of.isdisjoint(subjects)


def _subjects(db: Connection, ledger: str) -> frozenset[str] | None:
    """Whom the memories of a ledger tell of; None if they are too many to say."""
    sql = (
        "SELECT subject_key FROM conversation_current WHERE space = ? AND slot IS NOT NULL "
        f"LIMIT {_MOST_LISTED + 1}"
    )
    rows = db.all(sql, (ledger,))
    return None if len(rows) > _MOST_LISTED else frozenset(str(row[0]) for row in rows)


def _remembered(db: Connection, ledger: str, names: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Those of some entities that memories speak of, with what these may call them."""
    known: set[str] = set()
    for batch in batched(sorted({name for each in names.values() for name in each})):
        clause = Clause("space = ? AND slot IS NOT NULL", (ledger,)) & among("subject_key", batch)
        sql = f"SELECT DISTINCT subject_key FROM conversation_current WHERE {clause.sql}"
        known.update(str(row[0]) for row in db.all(sql, clause.values))
    return {entity_id: each for entity_id, each in names.items() if not known.isdisjoint(each)}


_LAPSED: Final = "s.system_to IS NULL AND s.valid_to > s.system_from AND s.valid_to <= ?"
"""Over by now, and not when it was written; as the index by its end has it."""
_FEW_LAPSED: Final = 200


def _over_by(db: Connection, subjects: Collection[int], predicates: Collection[str], *, now: int) -> set[str]:
    """The values that some subjects had of some predicates until a time before now.

    Nothing was written when they ended, so what memories say of them is looked at with the next change. What
    was over when it was written was looked at then.
    """
    rows = db.all(
        f"SELECT s.fact_id FROM fact_span s WHERE {_LAPSED} LIMIT {_FEW_LAPSED + 1}",
        (now,),
    )
    lapsed = {int(row[0]) for row in rows}
    if len(rows) > _FEW_LAPSED:
        # Of everybody in the store so many that those of the subjects are looked for among their facts.
        ids = among("c.subject_entity_id", sorted(subjects))
        sql = f"SELECT s.fact_id FROM fact c JOIN fact_span s ON s.fact_id = c.fact_id WHERE {ids.sql} AND "
        lapsed = {int(row[0]) for row in db.all(sql + _LAPSED, (*ids.values, now))}
    return {
        value_key(str(item.value.stored))
        for item in facts_among(db, "c.fact_id", lapsed)
        if item.fact.subject_entity_id in subjects and item.predicate.key_norm in predicates
    }


def _names_of(tx: Transaction, entities: Mapping[int, EntityRow]) -> dict[int, set[str]]:
    """By entity, what memories may call it: its names, and those of whom it is merged with."""
    db, merged = tx.db, identity.merged_now(tx)
    members = {entity_id: {entity_id} for entity_id in entities}
    if merged:
        members = {
            entity_id: {entity_id, merged.get(entity_id, entity_id)}
            | {other for other, whole in merged.items() if whole == merged.get(entity_id, entity_id)}
            for entity_id in entities
        }
    every = {member for group in members.values() for member in group}
    spelled: dict[int, set[str]] = defaultdict(set)
    for row in (*entities.values(), *select_among(db, EntityRow, "entity_id", every - entities.keys())):
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


class _Memory(NamedTuple):
    """A memory that may word what changed, by its last version."""

    memory_id: int
    version: VersionRow
    is_active: bool

    def is_new(self, tx: Transaction) -> bool:
        """Whether this very transaction made it, or gave it its wording."""
        return self.is_active and self.version.recorded_at == tx.system


def _are_remembered(db: Connection, ledger: str, touched: _Touched) -> tuple[bool, bool]:
    """Whether any memory in use, and whether any that was put away, is of the subjects and slots."""
    about = _about(ledger, touched.subjects, touched.slots)
    there = "EXISTS (SELECT 1 FROM conversation_current WHERE {} AND {})"
    sql = f"SELECT {there.format(about.sql, _IN_USE)}, {there.format(about.sql, _PUT_AWAY)}"
    row = db.one(sql, about.values * 2)
    assert row is not None
    return bool(row[0]), bool(row[1])


def _wording(
    db: Connection, ledger: str, touched: _Touched, values: Set[str], statuses: Sequence[str]
) -> dict[int, bool]:
    """The memories that may word one of some values, by number, with whether each is in use."""
    by_word: dict[str, list[frozenset[str]]] = defaultdict(list)
    for value in values:
        words = frozenset(value.split())
        for word in words:
            by_word[word].append(words)
    found: dict[int, bool] = {}
    for clause in _clauses(ledger, touched, values):
        here = [
            clause & Clause(_IN_USE if status == "active" else f"{_PUT_AWAY} AND status = '{status}'")
            for status in statuses
        ]
        sql = " UNION ALL ".join(
            f"SELECT memory_id, value_key, status FROM conversation_current WHERE {each.sql}" for each in here
        )
        for number, value, status in db.all(sql, [value for each in here for value in each.values]):
            spoken = frozenset(str(value or "").split())
            alike = (other for word in spoken for other in by_word.get(word, ()))
            if value in values or any(spoken <= other or other <= spoken for other in alike):
                found[int(number)] = status == "active"
    return found


def _clauses(ledger: str, touched: _Touched, values: Set[str]) -> Iterator[Clause]:
    """Conditions of which one holds of each memory that says one of the facts; see `says`.

    A value that is one of many is worded as it is, and found by it. Of a thing that has one value, all
    memories are looked at: they are few. What happened is worded without its date, and begins with some word
    of what the ledger has.
    """
    exact = {slot for slot in touched.slots if cardinality(slot) == "many"}
    dated = (touched.slots - exact) & DATED
    if exact:
        about = _about(ledger, touched.subjects, exact)
        for batch in batched(sorted(values)):
            yield about & _among("value_key", batch)
    first_words = sorted({word for value in values for word in value.split()}) if dated else []
    if len(first_words) > _FEW:
        yield _about(ledger, touched.subjects, dated)
    elif first_words:
        begins = either(
            [Clause("value_key >= ? AND value_key < ?", (word, f"{word}{_BEHIND}")) for word in first_words]
        )
        yield _about(ledger, touched.subjects, dated) & begins
    if touched.slots - exact - dated:
        yield _about(ledger, touched.subjects, touched.slots - exact - dated)


def _about(ledger: str, subjects: Collection[str], slots: Collection[str]) -> Clause:
    here = Clause("space = ? AND slot IS NOT NULL", (ledger,))
    return here & _among("subject_key", subjects) & _among("slot", slots)


def _among(column: str, names: Collection[str]) -> Clause:
    """The last name several times where they are few: statements of one length are prepared once."""
    listed = sorted(names)
    return among(column, listed + listed[-1:] * (_LEAST - len(listed)))


def _memories(db: Connection, found: Mapping[int, bool]) -> list[_Memory]:
    """Memories in the order of their numbers, with whether each is in use."""
    versions = newest_versions(db, list(found))
    return [_Memory(number, version, found[number]) for number, version in sorted(versions.items())]


def wording_of(tx: Transaction, fact_ids: Collection[int]) -> list[int]:
    """The memories, in whatever state, that say one of these facts."""
    memory_ids: list[int] = []
    for ledger, touched in _touched(tx, _read(tx, fact_ids)).items():
        worded = _wording(tx.db, ledger, touched, touched.values(), ["active", "archived", "deleted"])
        for memory in _memories(tx.db, worded):
            statement = statement_of(memory.version)
            if statement is not None:
                facts = stated_facts(tx.db, ledger, statement)
                if any(item.fact.fact_id in fact_ids for item in facts):
                    memory_ids.append(memory.memory_id)
    return memory_ids
