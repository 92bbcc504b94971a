"""The tables of conversation memory as rows: their columns, their checksums, and how they are kept."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from longmind.facts.suppression import TombstoneRow
from longmind.llm.ledger import CallRow
from longmind.store.tables import Tables, stored_json


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

    def stored_inputs(self) -> dict[str, Any]:
        return stored_json(self.inputs, dict, "conversation_decision")


class OutcomeRow(NamedTuple):
    space: str
    extractor: str
    outcome: str
    times: int
    micros: int


TABLES: Final[dict[type[Any], str]] = {
    MemoryRow: "conversation_memory",
    VersionRow: "conversation_version",
    StateRow: "conversation_state",
    LinkRow: "conversation_link",
    RunRow: "conversation_run",
    DecisionRow: "conversation_decision",
    TombstoneRow: "conversation_tombstone",
    OutcomeRow: "conversation_outcome",
    CallRow: "llm_call",  # the ledger has no part of its own: its rows are verified with these
}
KEYS: Final[dict[type[Any], int]] = {StateRow: 2, VersionRow: 2, LinkRow: 3, TombstoneRow: 2, OutcomeRow: 3}
"""How many of the first columns name a row, where it is more than one."""

_SEALED: Final = Tables(TABLES, keys=KEYS)
checked, columns, join = _SEALED.checked, _SEALED.columns, _SEALED.join
select, select_among = _SEALED.select, _SEALED.select_among
insert, upsert, close, verify = _SEALED.insert, _SEALED.upsert, _SEALED.close, _SEALED.verify
