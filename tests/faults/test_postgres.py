"""PostgreSQL stops, dies, refuses and fills up: nothing acknowledged is lost, and no raw error is seen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import psycopg
import pytest

from longmind import (
    Busy,
    Forbidden,
    LongmindError,
    Memory,
    NotFound,
    OverBudget,
    Unavailable,
)
from longmind.store.postgres import PostgresEngine
from longmind.store.transaction import Transaction
from tests.faults.servers import Server
from tests.store.opening import open_memory

STOPS = ("fast", "immediate", "kill")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(autovacuum="off") as running:
        yield running


@pytest.fixture
def store_url(server: Server, request: pytest.FixtureRequest) -> str:
    return server.url(f"s{abs(hash(request.node.name))}")


# Stopped and started again


@pytest.mark.parametrize("mode", STOPS)
def test_after_a_restart_the_next_call_of_an_open_memory_succeeds(
    server: Server, store_url: str, mode: str
) -> None:
    with open_memory(store_url) as memory:
        first = memory.remember("before the restart").id
        fill_pool(memory, 8)
        server.stop(mode)
        server.start()
        assert memory.get(first).text == "before the restart"
        server.stop(mode)
        server.start()
        second = memory.remember("after the restart").id
        assert [frame.id for frame in memory.list()] == [first, second]


def test_while_the_server_is_down_every_call_says_so(server: Server, store_url: str) -> None:
    with open_memory(store_url) as memory:
        frame = memory.remember("here").id
        fill_pool(memory, 4)
        server.stop("fast")
        try:
            for call in (
                lambda: memory.get(frame),
                lambda: memory.remember("there"),
                lambda: memory.search("here"),
                lambda: memory.forget(frame),
                lambda: memory.facts.about("Alice"),
                lambda: memory.compact(),
                lambda: memory.verify(),
                lambda: open_memory(store_url),
            ):
                with pytest.raises(Unavailable) as caught:
                    call()
                assert caught.value.hint
        finally:
            server.start()
        assert [item.text for item in memory.list()] == ["here"]


def fill_pool(memory: Memory, count: int) -> None:
    """Let so many threads hold a connection at once."""
    barrier = threading.Barrier(count)

    def hold() -> None:
        with memory.store.read():
            barrier.wait()

    threads = [threading.Thread(target=hold) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def check_restarts_under_load(server: Server, url: str, rounds: int, threads: int) -> None:
    acknowledged: list[str] = []
    unknown: list[str] = []
    raw: list[BaseException] = []
    done = threading.Event()

    def write(memory: Memory, name: int) -> None:
        number = 0
        while not done.is_set():
            number += 1
            text = f"writer {name} wrote {number}"
            try:
                memory.remember(text)
                acknowledged.append(text)
            except (Unavailable, Busy):
                unknown.append(text)
                time.sleep(0.01)
            except BaseException as error:
                raw.append(error)
                return

    memories = [open_memory(url) for _ in range(2)]
    writers = [
        threading.Thread(target=write, args=(memories[name % 2], name), daemon=True)
        for name in range(threads)
    ]
    for writer in writers:
        writer.start()
    for number in range(rounds):
        least = len(acknowledged) + 5
        while len(acknowledged) < least and not raw:
            time.sleep(0.01)
        server.stop(STOPS[number % len(STOPS)])
        server.start()
    least = len(acknowledged) + 5
    while len(acknowledged) < least and not raw:
        time.sleep(0.01)
    done.set()
    for writer in writers:
        writer.join()
    assert not raw, raw
    with open_memory(url) as memory:
        texts = [frame.text for frame in pages(memory)]
        assert not set(acknowledged) - set(texts)
        assert not set(texts) - set(acknowledged) - set(unknown)
        assert len(texts) == len(set(texts))
        assert memory.verify(deep=True).problems in ((), (unchecked(memory),))
    for memory in memories:
        memory.close()


def unchecked(memory: Memory) -> Any:
    """The one finding that this server may have."""
    return next((item for item in memory.verify(deep=True).problems if "data checksums" in str(item)), None)


def pages(memory: Memory) -> Iterator[Any]:
    cursor = None
    while True:
        page = memory.list(limit=5000, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def test_restarts_under_many_writers_lose_nothing(server: Server, store_url: str) -> None:
    check_restarts_under_load(server, store_url, rounds=3, threads=6)


@pytest.mark.soak
def test_sixty_restarts_under_many_writers_lose_nothing(server: Server, store_url: str) -> None:
    check_restarts_under_load(server, store_url, rounds=60, threads=10)


def test_a_killed_server_that_acknowledges_before_writing_loses_nothing() -> None:
    with (
        Server(synchronous_commit="off", wal_writer_delay="10s") as lazy,
        open_memory(lazy.url("lazy")) as memory,
    ):
        ids = [memory.remember(f"note {number}").id for number in range(20)]
        lazy.stop("kill")
        lazy.start()
        assert [frame.id for frame in memory.list()] == ids


# Connections that die at a bad moment


def end_session(server: Server, rows: Any) -> None:
    server.run(f"SELECT pg_terminate_backend({rows.connection.info.backend_pid}, 5000)")


def write_and_die(memory: Memory, tx: Transaction, server: Server) -> None:
    memory.store.set_setting(tx, "colour", "green")
    end_session(server, tx.db)


def test_a_connection_that_dies_inside_a_write_is_unavailable_and_nothing_is_written(
    server: Server, store_url: str
) -> None:
    with open_memory(store_url) as memory:
        lost = pytest.raises(Unavailable, match="stopped answering")
        with lost as caught, memory.store.write() as tx:
            write_and_die(memory, tx, server)
            memory.store.set_setting(tx, "colour", "blue")
        assert caught.value.hint
        with memory.store.read() as snapshot:
            assert memory.store.setting(snapshot.db, "colour") is None


def test_a_connection_that_dies_before_commit_writes_nothing_and_says_so(
    server: Server, store_url: str
) -> None:
    """The audit log is written right before the commit, so that a dead connection is seen there."""
    with open_memory(store_url) as memory:
        undone = pytest.raises(Unavailable, match="was not written")
        with undone, memory.store.write() as tx:
            write_and_die(memory, tx, server)


def test_a_connection_that_dies_inside_a_read_is_unavailable(server: Server, store_url: str) -> None:
    with open_memory(store_url) as memory:
        lost = pytest.raises(Unavailable, match="stopped answering")
        with lost, memory.store.read() as snapshot:
            end_session(server, snapshot.db)
            snapshot.db.one("SELECT 1")
        assert memory.remember("and on").id == 1


def test_a_failed_transaction_that_swallows_its_error_is_not_acknowledged(store_url: str) -> None:
    with open_memory(store_url) as memory:
        refused = pytest.raises(LongmindError, match=r"(?i)nothing .*was written")
        with refused, memory.store.write() as tx:
            memory.store.set_setting(tx, "colour", "green")
            with pytest.raises(LongmindError):
                tx.db.one("SELECT 1 / 0")
        with memory.store.read() as snapshot:
            assert memory.store.setting(snapshot.db, "colour") is None


def test_more_threads_than_connections_wait_their_turn(store_url: str) -> None:
    with open_memory(store_url) as memory:
        errors: list[BaseException] = []

        def work(name: int) -> None:
            try:
                for number in range(3):
                    memory.remember(f"{name} {number}")
                    memory.search(f"{name}")
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors
        assert len(memory.list()) == 90


def take_all(server: Server, others: ExitStack) -> None:
    with suppress(psycopg.OperationalError):
        while True:
            others.enter_context(psycopg.connect(server.url()))


def test_a_server_without_a_free_connection_is_busy() -> None:
    with (
        Server(max_connections="8", superuser_reserved_connections="0") as small,
        open_memory(small.url("small")) as memory,
        ExitStack() as others,
    ):
        memory.remember("one")
        take_all(small, others)
        with pytest.raises(Busy, match="no connection left") as caught:
            open_memory(small.url("small"))
        assert caught.value.hint
        assert memory.remember("two").id == 2


# Servers that do not accept writes


def test_a_read_only_database_is_refused_for_writing_and_read_otherwise(server: Server) -> None:
    server.run("CREATE DATABASE frozen")
    url = server.url("s").replace("/postgres?", "/frozen?")
    with open_memory(url) as memory:
        memory.remember("kept")
        # The handle was opened before: its next write is refused, with the same words.
        server.run("ALTER DATABASE frozen SET default_transaction_read_only = on")
        server.stop("fast")
        server.start()
        with pytest.raises(Forbidden, match="does not accept writes"):
            memory.remember("more")
    with pytest.raises(Forbidden, match="does not accept writes") as caught:
        open_memory(url)
    assert "read_only=True" in str(caught.value.hint)
    with pytest.raises(Forbidden):
        open_memory(url.replace("store=s", "store=other"))
    with open_memory(url, read_only=True) as memory:
        assert [frame.text for frame in memory.list()] == ["kept"]


def test_a_standby_is_refused_for_writing_and_answers_every_read(server: Server) -> None:
    with open_memory(server.url("led")) as memory:
        ids = memory.remember_many([f"note {number} about tea" for number in range(50)]).ids
        memory.facts.record("Alice", "likes", "tea", evidence=ids[:1])
    with Server(follows=server, hot_standby="on") as standby:
        with pytest.raises(Forbidden) as caught:
            open_memory(standby.url("led"))
        assert "target_session_attrs=read-write" in str(caught.value.hint)
        with pytest.raises(NotFound):
            open_memory(standby.url("nothing"), read_only=True)
        with open_memory(standby.url("led"), read_only=True) as memory:
            assert memory.get(ids[0]).text == "note 0 about tea"
            assert len(memory.search("tea", limit=10)) == 10
            assert memory.recall("tea")
            assert memory.facts.about("Alice")
            assert memory.facts.history("Alice")
            assert len(memory.timeline(limit=5)) == 5
            assert len(memory.list(limit=100)) == 50
            assert memory.stats().live == 50
            memory.verify(deep=True)
            for call in (lambda: memory.remember("more"), memory.compact, lambda: memory.erase(1)):
                with pytest.raises(Forbidden) as refused:
                    call()
                assert refused.value.hint


# The size guard


def refuse_writes(url: str, times: int) -> list[int]:
    """How much larger the store was after each write that was refused."""
    grown = []
    with open_memory(url) as memory:
        memory.remember_many(f"note {number} {os.urandom(20).hex()}" for number in range(200))
        size = memory.stats().bytes
    with open_memory(url, max_bytes=size + 400_000) as memory:
        for number in range(times):
            with pytest.raises(OverBudget):
                memory.remember_many(f"{number} {item} {os.urandom(2000).hex()}" for item in range(150))
            grown.append(memory.stats().bytes - size)
        for number in range(10):
            memory.remember(f"a small one {number}")
        assert len(memory.list(limit=1000)) == 210
    return grown


def test_refused_writes_leave_the_store_as_large_as_before(store_url: str) -> None:
    assert max(refuse_writes(store_url, 4)) <= 0


@pytest.mark.soak
def test_fifty_refused_writes_leave_the_store_as_large_as_before(store_url: str) -> None:
    assert max(refuse_writes(store_url, 50)) <= 0


def test_a_reader_does_not_keep_a_refused_write_waiting(store_url: str) -> None:
    with open_memory(store_url) as memory:
        memory.remember("small")
        size = memory.stats().bytes
    with open_memory(store_url, max_bytes=size + 300_000) as memory, memory.session(mode="read"):
        memory.list()
        errors: list[BaseException] = []

        def write() -> None:
            try:
                memory.remember_many(os.urandom(2000).hex() for _ in range(150))
            except LongmindError as error:
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert [type(error) for error in errors] == [OverBudget]


# Statistics for the planner


def unanalysed(server: Server, url: str) -> dict[str, float]:
    schema = url.partition("store=")[2].partition("&")[0]
    rows = server.run(
        "SELECT relname, reltuples FROM pg_class WHERE relkind = 'r' "
        f"AND relnamespace = to_regnamespace('{schema}') AND pg_relation_size(oid) > 100000"
    )
    return {name: count for name, count in rows if count < 500}


def test_a_store_that_was_just_filled_has_statistics(server: Server, store_url: str) -> None:
    with open_memory(store_url) as memory:
        ids = memory.remember_many(f"note {number} of person{number % 9}" for number in range(1000)).ids
        memory.facts.record_many(
            {"subject": "Alice", "predicate": "likes", "value": f"item {number}", "evidence": [ids[number]]}
            for number in range(1000)
        )
        assert not unanalysed(server, store_url)
        with memory.store.read() as snapshot:
            plan = "\n".join(
                row[0]
                for row in snapshot.db.all(
                    "EXPLAIN SELECT s.span_id FROM fact c JOIN fact_span s ON s.fact_id = c.fact_id "
                    "WHERE c.subject_entity_id = 1 AND s.system_to IS NULL AND s.valid_to IS NULL"
                )
            )
        assert "Hash Join" in plan or "fact_id = c.fact_id" in plan.partition("Index Cond")[2], plan


def test_a_store_filled_by_single_writes_has_statistics(server: Server, store_url: str) -> None:
    with open_memory(store_url) as memory:
        engine = memory.store.engine
        assert isinstance(engine, PostgresEngine)
        for first in range(0, 600, 20):
            with engine.write(timeout=10) as db:
                db.many(
                    "INSERT INTO text_posting VALUES (?, 0, ?)",
                    [(f"t{number}", os.urandom(300)) for number in range(first, first + 20)],
                )
        [(count,)] = server.run(
            f"SELECT reltuples FROM pg_class WHERE oid = '{engine.schema}.text_posting'::regclass"
        )
        assert count >= 200


def test_a_store_filled_without_statistics_gets_them_when_it_is_opened(
    server: Server, store_url: str
) -> None:
    with open_memory(store_url) as memory:
        engine = memory.store.engine
        assert isinstance(engine, PostgresEngine)
        server.run(
            f"INSERT INTO {engine.schema}.text_posting SELECT 't' || i, 0, decode(repeat('ab', 100), 'hex') "
            "FROM generate_series(1, 2000) i"
        )
        assert unanalysed(server, store_url)
    with open_memory(store_url):
        assert not unanalysed(server, store_url)
