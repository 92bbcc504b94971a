"""Memories follow the ledger: what it holds no longer is put away, and what it holds again comes back.

Only memories that may word one of the facts that changed are looked at: of the hundred things that somebody
likes, a turn changes one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.base.filters import View
from longmind.base.partitions import Partition
from longmind.conversation.assertions import (
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
from longmind.facts.slots import group, standard, wordings
from longmind.facts.trust import USER
from longmind.store.engine import Connection
from longmind.store.frames import tags_of
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause, among

NOT_HELD: Final = "no longer held"
_FOLLOWED: Final = frozenset({NOT_HELD, "conflict", "ended"})
"""Why a memory was put away, where it comes back with what it says."""
_FEW: Final = 20
"""As many subjects are looked for in one question, without one before it for those that have memories."""


_LEAST: Final = 4


@lru_cache(maxsize=1024)
def slots_of(predicate: str) -> tuple[str, ...]:
    """The slots of memories that a predicate has a say in: who dislikes a thing no longer likes it."""
    competing = group(predicate, single=False).predicates
    return tuple({name for other in competing for name in wordings(other)} | {*wordings(predicate)})


class _Touched(NamedTuple):
    """What changed in one ledger: of whom, in which slots, and the words of the values."""

    subjects: set[str]
    slots: set[str]
    values: set[frozenset[str]]

    def may_word(self, value: str) -> bool:
        """Whether a memory of this value may say one of the facts: its words are theirs, or some of them."""
        return _may_say(_words_of(value), self.values)


@lru_cache(maxsize=4096)  # every turn looks at all memories in the slots that it touches
def _words_of(value: str) -> frozenset[str]:
    return frozenset(value.split())


def _may_say(words: frozenset[str], values: Collection[frozenset[str]]) -> bool:
    return any(words <= other or other <= words for other in values)


def follow(store: Store, tx: Transaction, fact_ids: Collection[int]) -> None:
    """Put away memories of what the ledger holds no longer, and bring back those of what it holds again.

    A memory that the ledger never heard of stays as it is, and so does one that faded or was put away by
    hand.
    """
    over: set[frozenset[str]] | None = None
    changed = _read(tx, fact_ids)
    for ledger, touched in _touched(tx, changed).items():
        worded = _in_slots(tx.db, ledger, touched, ("active", "archived"))
        if not worded:
            continue
        over = _over_by(tx.db, fact_ids, present(tx)) if over is None else over
        memories = _memories(tx.db, worded, touched, over)
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
        and says(statement, item)
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
        if len(names) > _FEW:
            names = _remembered(tx.db, ledger, names)
        part = _Touched(set(), set(), set())
        for item in stated:
            if item.subject.entity_id in names:
                part.subjects.update(names[item.subject.entity_id])
                part.slots.update(slots_of(item.predicate.key_norm))
                part.values.add(frozenset(value_key(str(item.value.stored)).split()))
        if part.subjects:
            touched[ledger] = part
    return touched


def _read(tx: Transaction, fact_ids: Collection[int]) -> list[StatedFact]:
    """Facts with their names: as whoever changed them has left them, else from the store."""
    left = [StatedFact(*tx.fact_rows[fact_id]) for fact_id in fact_ids if fact_id in tx.fact_rows]
    missing = [fact_id for fact_id in fact_ids if fact_id not in tx.fact_rows]
    return [*left, *facts_among(tx.db, "c.fact_id", missing)]


def _remembered(db: Connection, ledger: str, names: Mapping[int, set[str]]) -> dict[int, set[str]]:
    """Those of some entities that memories speak of, with what these may call them."""
    known: set[str] = set()
    for batch in batched(sorted({name for each in names.values() for name in each})):
        clause = Clause("space = ? AND slot IS NOT NULL", (ledger,)) & among("subject_key", batch)
        sql = f"SELECT DISTINCT subject_key FROM conversation_current WHERE {clause.sql}"
        known.update(str(row[0]) for row in db.all(sql, clause.values))
    return {entity_id: each for entity_id, each in names.items() if not known.isdisjoint(each)}


def _over_by(db: Connection, fact_ids: Collection[int], now: int) -> set[frozenset[str]]:
    """The values that the subjects of some facts had until a time before now.

    Nothing was written when they ended, so what memories say of them is looked at with the next change. What
    was over when it was written was looked at then.
    """
    over: set[frozenset[str]] = set()
    for batch in batched(sorted(fact_ids)):
        clause = among("c.fact_id", batch)
        sql = (
            "SELECT c.fact_id FROM fact c JOIN fact_span s ON s.fact_id = c.fact_id WHERE "
            "c.subject_entity_id IN "
            f"(SELECT c.subject_entity_id FROM fact c WHERE {clause.sql}) "
            "AND s.system_to IS NULL AND s.valid_to <= ? AND s.valid_to > s.system_from"
        )
        ended = {int(row[0]) for row in db.all(sql, (*clause.values, now))}
        over.update(
            frozenset(value_key(str(item.value.stored)).split())
            for item in facts_among(db, "c.fact_id", ended)
        )
    return over


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


class _Worded(NamedTuple):
    """The value of a memory in one of the slots that were touched."""

    memory_id: int
    value: str
    is_active: bool


def _in_slots(db: Connection, ledger: str, touched: _Touched, statuses: Sequence[str]) -> list[_Worded]:
    """The memories of a part of a space in some slots of some subjects."""
    named = among("subject_key", _filled(touched.subjects)) & among("slot", _filled(touched.slots))
    here = Clause("space = ? AND slot IS NOT NULL", (ledger,)) & named
    # Apart, because only the memories in use have an index by what they are about.
    active, others = (
        here & Clause("status = 'active'"),
        here & among("status", [name for name in statuses if name != "active"]),
    )
    sql = "SELECT memory_id, value_key, {} FROM conversation_current WHERE {}"
    both = f"{sql.format(1, active.sql)} UNION ALL {sql.format(0, others.sql)}"
    rows = db.all(both, (*active.values, *others.values))
    return [_Worded(int(number), str(value or ""), bool(is_active)) for number, value, is_active in rows]


def _filled(names: Collection[str]) -> list[str]:
    """In order, the last one several times where they are few: statements of one length are prepared once."""
    listed = sorted(names)
    return listed + listed[-1:] * (_LEAST - len(listed))


def _memories(
    db: Connection, worded: Sequence[_Worded], touched: _Touched, over: Collection[frozenset[str]] = ()
) -> list[_Memory]:
    """Those that may word what changed, in the order of their numbers.

    Of values that are `over` only those in use are of interest: nothing brings such a value back.
    """
    # Of the hundred things that somebody likes, only the memories of the values that changed are looked at.
    active = {
        item.memory_id: item.is_active
        for item in worded
        if touched.may_word(item.value) or (item.is_active and _may_say(_words_of(item.value), over))
    }
    versions = newest_versions(db, list(active))
    return [_Memory(number, version, active[number]) for number, version in sorted(versions.items())]


def wording_of(tx: Transaction, fact_ids: Collection[int]) -> list[int]:
    """The memories, in whatever state, that say one of these facts."""
    memory_ids: list[int] = []
    for ledger, touched in _touched(tx, _read(tx, fact_ids)).items():
        worded = _in_slots(tx.db, ledger, touched, ("active", "archived", "deleted"))
        for memory in _memories(tx.db, worded, touched):
            statement = statement_of(memory.version)
            if statement is not None:
                facts = stated_facts(tx.db, ledger, statement)
                if any(item.fact.fact_id in fact_ids for item in facts):
                    memory_ids.append(memory.memory_id)
    return memory_ids
