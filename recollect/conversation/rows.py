"""The tables of conversation memory as rows: their columns, their checksums, and how they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from recollect.base.errors import Corrupt
from recollect.base.hashing import checksum
from recollect.store.engine import Row, Rows, Value
from recollect.store.visible import Clause, among


class MemoryRow(NamedTuple):
    memory_id: int
    space: str
    created_at: int
    recorded_at: int


class VersionRow(NamedTuple):
    memory_id: int
    number: int
    frame_id: int
    subject: str | None
    slot: str | None
    value: str | None
    polarity: int
    ended: int
    cardinality: str
    rule: str
    recorded_at: int


class StateRow(NamedTuple):
    memory_id: int
    since: int
    until: int | None
    layer: str
    status: str
    hits: int
    importance: int
    last_seen_at: int | None
    score: float
    scored_at: int


class LinkRow(NamedTuple):
    memory_id: int
    frame_id: int
    reason: str
    rule: str
    start_byte: int | None
    end_byte: int | None
    recorded_at: int


class RunRow(NamedTuple):
    run_id: int
    space: str
    now: int
    weights: str
    summary: str
    recorded_at: int


class DecisionRow(NamedTuple):
    decision_id: int
    memory_id: int
    run_id: int | None
    action: str
    at: int
    inputs: str
    recorded_at: int


class TombstoneRow(NamedTuple):
    space: str
    name: bytes
    recorded_at: int


class OutcomeRow(NamedTuple):
    space: str
    extractor: str
    outcome: str
    times: int
    micros: int


class CallRow(NamedTuple):
    call_id: int
    space: str
    provider: str
    model: str
    outcome: str
    input_tokens: int
    output_tokens: int
    cost_micros: int
    millis: int
    at: int
    recorded_at: int


Item = TypeVar("Item", bound=tuple[Any, ...])

TABLES: Final[dict[type[Any], str]] = {
    MemoryRow: "conversation_memory",
    VersionRow: "conversation_version",
    StateRow: "conversation_state",
    LinkRow: "conversation_link",
    RunRow: "conversation_run",
    DecisionRow: "conversation_decision",
    TombstoneRow: "conversation_tombstone",
    OutcomeRow: "conversation_outcome",
    CallRow: "llm_call",
}
KEYS: Final[dict[type[Any], int]] = {StateRow: 2, VersionRow: 2, LinkRow: 3, TombstoneRow: 2, OutcomeRow: 3}
"""How many of the first columns name a row, where it is more than one."""

BATCH: Final = 500
_ALWAYS: Final = Clause("1 = 1")


def checked(kind: type[Item], row: Row) -> Item:
    """The columns of one row, if they are what was written."""
    shape: Any = kind
    found: Item = shape._make(row[: len(shape._fields)])
    if checksum(TABLES[kind], *found) != row[len(found)]:
        raise Corrupt(
            f"A row of {TABLES[kind]} ({found[0]}) is not what was written.",
            hint="Restore a backup; see verify.",
        )
    return found


def columns(kind: type[Any], alias: str = "x") -> str:
    return ", ".join(f"{alias}.{name}" for name in (*kind._fields, "checksum"))


def select(rows: Rows, kind: type[Item], condition: str, values: Iterable[Value] = ()) -> list[Item]:
    """Checked rows of one table, called `x` in the condition."""
    return [checked(kind, row) for row in rows.all(_selection(kind) + condition, tuple(values))]


def select_among(
    rows: Rows, kind: type[Item], column: str, wanted: Sequence[Value], also: Clause = _ALWAYS
) -> list[Item]:
    """Checked rows whose column has one of many values."""
    found: list[Item] = []
    for batch in batched(wanted):
        clause = among(f"x.{column}", batch) & also
        found += select(rows, kind, clause.sql, clause.values)
    return found


def insert(rows: Rows, items: Sequence[Item]) -> None:
    if not items:
        return
    kind = type(items[0])
    table = TABLES[kind]
    rows.many(_insertion(kind), [(*item, checksum(table, *item)) for item in items])


def upsert(rows: Rows, item: Item) -> None:
    """Write a row in the place of the one with the same key."""
    kind = type(item)
    rows.run(_insertion(kind, replaces=True), (*item, checksum(TABLES[kind], *item)))


@lru_cache(maxsize=64)
def _selection(kind: type[Any]) -> str:
    return f"SELECT {columns(kind)} FROM {TABLES[kind]} x WHERE "


@lru_cache(maxsize=64)
def _insertion(kind: type[Any], *, replaces: bool = False) -> str:
    names, key = (*kind._fields, "checksum"), KEYS.get(kind, 1)
    sql = f"INSERT INTO {TABLES[kind]} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    if not replaces:
        return sql
    changed = ", ".join(f"{name} = excluded.{name}" for name in names[key:])
    return f"{sql} ON CONFLICT ({', '.join(names[:key])}) DO UPDATE SET {changed}"


def batched(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    for first in range(0, len(values), BATCH):
        yield values[first : first + BATCH]
