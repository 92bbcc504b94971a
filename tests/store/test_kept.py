"""What transactions keep of small tables is what the store says, whoever wrote last."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from tests.store.opening import open_memory


class Asked:
    """A setting through what is kept; counts how often the store was asked."""

    def __init__(self, store: Store, name: str = "colour") -> None:
        self._store, self._name = store, name
        self.times = 0

    def __call__(self, tx: Transaction) -> str | None:
        def read() -> str | None:
            self.times += 1
            return self._store.setting(tx.db, self._name)

        return tx.known("store_setting", self._name, read)


def test_a_question_is_asked_once_while_nothing_changes_its_table(memory: Memory) -> None:
    asked = Asked(memory.store)
    for number in range(4):
        memory.remember(f"Note {number}.")
        with memory.store.write() as tx:
            assert asked(tx) is None
            assert asked(tx) is None
    assert asked.times == 1


def test_a_change_of_the_table_counts_at_once_and_after_the_commit(memory: Memory) -> None:
    asked, store = Asked(memory.store), memory.store
    for value in ("red", "green"):
        with store.write() as tx:
            asked(tx)
            store.set_setting(tx, "colour", value)
            assert asked(tx) == value
        with store.write() as tx:
            assert asked(tx) == value


def _paint_and_give_up(store: Store, asked: Asked) -> None:
    with store.write() as tx:
        asked(tx)
        store.set_setting(tx, "colour", "red")
        assert asked(tx) == "red"
        raise RuntimeError("given up")


def test_what_was_given_up_was_never_said(memory: Memory) -> None:
    asked = Asked(memory.store)
    with pytest.raises(RuntimeError, match="given up"):
        _paint_and_give_up(memory.store, asked)
    with memory.store.write() as tx:
        assert asked(tx) is None


def test_what_another_process_wrote_counts(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory, open_memory(location, clock=clock) as other:
        asked = Asked(memory.store)
        with memory.store.write() as tx:
            assert asked(tx) is None
        with other.store.write() as tx:
            other.store.set_setting(tx, "colour", "blue")
        with memory.store.write() as tx:
            assert asked(tx) == "blue"


def _paint_and_leave(store: Store, value: str, *, then: str | None = None) -> None:
    with store.write() as tx:
        store.set_setting(tx, "colour", value)
        tx.leave("store_setting", {"colour": value})
        if then is not None:
            store.set_setting(tx, "colour", then)


def test_what_a_commit_says_of_its_table_is_not_asked_again(memory: Memory) -> None:
    asked = Asked(memory.store)
    with memory.store.write() as tx:
        asked(tx)
    _paint_and_leave(memory.store, "red")
    before = asked.times
    with memory.store.write() as tx:
        assert asked(tx) == "red"
    with memory.store.read() as snapshot:
        assert memory.store.setting(snapshot.db, "colour") == "red"
    # Where rows are counted only at the end of a transaction, nobody can say that none changed since.
    assert asked.times - before in ((0, 1) if memory.store.engine.dialect.name == "postgresql" else (0,))


def test_a_change_after_what_was_said_of_a_table_counts(memory: Memory) -> None:
    asked = Asked(memory.store)
    with memory.store.write() as tx:
        asked(tx)
    _paint_and_leave(memory.store, "red", then="green")
    with memory.store.write() as tx:
        assert asked(tx) == "green"


def test_counters_go_on_from_what_another_process_gave_out(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory, open_memory(location, clock=clock) as other:
        for opened in (memory, other, memory, memory, other):
            opened.remember(f"Note {clock.advance(seconds=1)}.")
            opened.facts.record(f"thing {clock.advance(seconds=1)}", "weighs", clock.now())
        with memory.store.read() as snapshot:
            for table, key in (("frame", "frame_id"), ("fact", "fact_id"), ("fact_entity", "entity_id")):
                sql = f"SELECT count(*), max({key}) FROM {table}"
                assert snapshot.db.all(sql) == [(5, 5)]
        assert memory.verify()


def test_a_predicate_that_another_process_declares_is_taken_over(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory, open_memory(location, clock=clock) as other:
        memory.facts.record("Ana", "plays", "chess")  # so that what is said of predicates is kept
        memory.facts.record("Ana", "rents", "a boat")
        other.facts.define_predicate("steers", cardinality="one", scope="global")
        for value in ("a raft", "a canoe"):
            clock.advance(seconds=1)
            memory.facts.record("Ana", "steers", value)
        assert [hit.fact.object for hit in memory.facts.about("Ana") if hit.fact.predicate == "steers"] == [
            "a canoe"
        ]


def test_no_more_is_kept_than_a_limit(memory: Memory) -> None:
    with memory.store.write() as tx:
        for number in range(3000):
            tx.known("store_setting", number, lambda: None)
    assert max(map(len, memory.store.kept._answers.values())) <= 1000
