"""The history of memories against raw SQL, on both engines: refused, or found by verify."""

from __future__ import annotations

import pytest

from longmind import Conflict, FrozenClock, LongmindError, Memory
from longmind.conversation.rows import DecisionRow, LinkRow, RunRow, StateRow, VersionRow, insert
from longmind.store.transaction import Transaction


@pytest.fixture
def world(memory: Memory, clock: FrozenClock) -> Memory:
    """Two spaces with a memory each, one sweep, and an erased memory."""
    for space in ("default", "other"):
        talk = memory.conversation("s", space=space)
        talk.add_turn("user", "I like tea")
        talk.add_turn("user", "I live in Porto")
        memory.memories.gc(now=clock.advance(days=3), space=space)
        talk.add_turn("user", "I like tea")
    gone = memory.memories.remember("The door code is 1234")
    memory.memories.erase(gone.id)
    assert memory.verify(deep=True)
    return memory


def run(memory: Memory, sql: str, *values: object) -> None:
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run(sql, values)


REFUSED = [
    "UPDATE conversation_link SET frame_id = (SELECT max(frame_id) FROM frame)",
    "UPDATE conversation_link SET reason = 'invented'",
    "UPDATE conversation_link SET recorded_at = recorded_at + 1",
    "DELETE FROM conversation_link",
    "UPDATE conversation_decision SET action = 'created'",
    "DELETE FROM conversation_decision",
    "UPDATE conversation_version SET value = 'coffee'",
    "DELETE FROM conversation_version",
    "UPDATE conversation_state SET hits = hits + 1 WHERE until IS NULL",
    "UPDATE conversation_state SET status = 'deleted' WHERE until IS NULL",
    "UPDATE conversation_state SET last_seen_at = NULL WHERE until IS NULL",
    "UPDATE conversation_state SET until = NULL WHERE until IS NOT NULL",
    "DELETE FROM conversation_state WHERE until IS NOT NULL",
    "UPDATE conversation_memory SET space = 'other'",
    "DELETE FROM conversation_memory",
    "UPDATE conversation_run SET summary = '{}'",
    "DELETE FROM conversation_run",
    "UPDATE conversation_tombstone SET space = 'other'",
    "DELETE FROM conversation_tombstone",
]


def test_history_is_not_edited_and_not_removed(world: Memory) -> None:
    before = world.revision
    for sql in REFUSED:
        with pytest.raises(LongmindError):
            run(world, sql)
        assert world.revision == before, sql
    assert world.verify(deep=True)


def _foreign_link(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    insert(tx.db, [LinkRow(mine, turn, "invented", "x", None, None, tx.system)])


def _link_to_no_bytes(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    [(own,)] = tx.db.all("SELECT min(frame_id) FROM conversation_link WHERE memory_id = ?", (mine,))
    insert(tx.db, [LinkRow(mine, int(own), "invented", "x", 9, 3, tx.system)])


def _foreign_decision(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    [(sweep,)] = tx.db.all("SELECT run_id FROM conversation_run WHERE space = 'other'")
    insert(tx.db, [DecisionRow(9_000, mine, int(sweep), "created", tx.now, "{}", tx.system)])


def _decision_from_before(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    insert(tx.db, [DecisionRow(9_001, mine, None, "created", 1, "{}", 1)])


def _foreign_version(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    row = (mine, 99, turn, None, None, None, 1, 0, "many", "x", tx.system)
    insert(tx.db, [VersionRow(*row)])


def _history_with_a_gap(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    insert(tx.db, [StateRow(mine, tx.system - 1, tx.system, "long", "active", 9, 1, None, 9.0, 1)])


def _gate_left_open(tx: Transaction, mine: int, foreign: int, turn: int) -> None:
    tx.db.run("INSERT INTO store_erasing (one) VALUES (1)")


@pytest.mark.parametrize(
    ("forge", "where"),
    [
        (_foreign_link, "conversation_link"),
        (_link_to_no_bytes, "conversation_link"),
        (_foreign_decision, "conversation_decision"),
        (_decision_from_before, "conversation_decision"),
        (_foreign_version, "conversation_version"),
        (_history_with_a_gap, "conversation_state"),
        (_gate_left_open, "store_erasing"),
    ],
)
def test_rows_forged_with_right_checksums_are_found(world: Memory, forge: object, where: str) -> None:
    with world.store.write() as tx:
        assert tx.system
        [(mine,)] = tx.db.all("SELECT min(memory_id) FROM conversation_memory WHERE space = 'default'")
        [(foreign,)] = tx.db.all("SELECT min(memory_id) FROM conversation_memory WHERE space = 'other'")
        [(turn,)] = tx.db.all("SELECT min(frame_id) FROM frame WHERE space = 'other' AND kind = 'turn'")
        forge(tx, int(mine), int(foreign), int(turn))  # type: ignore[operator]
    report = world.verify()
    assert not report
    assert where in {problem.code for problem in report.problems}


def test_a_gate_that_was_left_open_is_closed_by_the_next_erase(world: Memory) -> None:
    run(world, "INSERT INTO store_erasing (one) VALUES (1)")
    gone = world.remember("A note to be erased.")
    world.erase(gone.id)
    assert world.verify(deep=True)
    with pytest.raises(LongmindError):
        run(world, "DELETE FROM conversation_link")


def test_rows_are_not_replaced_either(world: Memory) -> None:
    with world.store.read() as snapshot:
        [(memory_id, frame_id, reason)] = snapshot.db.all(
            "SELECT memory_id, frame_id, reason FROM conversation_link ORDER BY 1, 2, 3 LIMIT 1"
        )
    with pytest.raises(Conflict), world.store.write() as tx:
        insert(tx.db, [LinkRow(int(memory_id), int(frame_id), str(reason), "x", None, None, tx.system)])
    with pytest.raises(Conflict), world.store.write() as tx:
        insert(tx.db, [RunRow(1, "default", 1, "{}", "{}", tx.system)])
