"""PostgreSQL stops, dies, refuses and fills up: nothing acknowledged is lost, and no raw error is seen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from recollect import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    Memory,
    NotFound,
    OverBudget,
    RecollectError,
    Unavailable,
    Unsupported,
)
from recollect.store.postgres import PostgresEngine
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


def restarts_under_load(server: Server, url: str, rounds: int, threads: int) -> None:
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
            except (Unavailable, Busy) as error:
                assert error.hint
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
    restarts_under_load(server, store_url, rounds=3, threads=6)


@pytest.mark.soak
def test_sixty_restarts_under_many_writers_lose_nothing(server: Server, store_url: str) -> None:
    restarts_under_load(server, store_url, rounds=60, threads=10)


def test_a_killed_server_that_acknowledges_before_writing_loses_nothing() -> None:
    with Server(synchronous_commit="off", wal_writer_delay="10s") as lazy:
        with open_memory(lazy.url("lazy")) as memory:
            ids = [memory.remember(f"note {number}").id for number in range(20)]
            lazy.stop("kill")
            lazy.start()
            assert [frame.id for frame in memory.list()] == ids


# Connections that die at a bad moment


def end_session(server: Server, rows: Any) -> None:
    server.run(f"SELECT pg_terminate_backend({rows.connection.info.backend_pid}, 5000)")


def test_a_connection_that_dies_inside_a_write_is_unavailable_and_nothing_is_written(
    server: Server, store_url: str
) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(Unavailable, match="stopped answering") as caught, memory.store.write() as tx:
            memory.store.set_setting(tx, "colour", "green")
            end_session(server, tx.rows)
            memory.store.set_setting(tx, "colour", "blue")
        assert caught.value.hint
        with memory.store.read() as snapshot:
            assert memory.store.setting(snapshot.rows, "colour") is None


def test_a_connection_that_dies_before_commit_leaves_the_outcome_open_and_says_so(
    server: Server, store_url: str
) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(Unavailable, match="may or may not have happened") as caught:
            with memory.store.write() as tx:
                memory.store.set_setting(tx, "colour", "green")
                end_session(server, tx.rows)
        assert "idempotency_key" in str(caught.value.hint)


def test_a_connection_that_dies_inside_a_read_is_unavailable(server: Server, store_url: str) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(Unavailable), memory.store.read() as snapshot:
            end_session(server, snapshot.rows)
            snapshot.rows.one("SELECT 1")
        assert memory.remember("and on").id == 1


def test_a_failed_transaction_that_swallows_its_error_is_not_acknowledged(store_url: str) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(Conflict, match="nothing was written"), memory.store.write() as tx:
            memory.store.set_setting(tx, "colour", "green")
            with pytest.raises(RecollectError):
                tx.rows.one("SELECT 1 / 0")
        with memory.store.read() as snapshot:
            assert memory.store.setting(snapshot.rows, "colour") is None


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


def test_a_server_without_a_free_connection_is_busy() -> None:
    with Server(max_connections="8", superuser_reserved_connections="0") as small:
        with open_memory(small.url("small")) as memory:
            memory.remember("one")
            others: list[psycopg.Connection[Any]] = []
            try:
                with pytest.raises(psycopg.OperationalError):
                    while True:
                        others.append(psycopg.connect(small.url()))
                with pytest.raises(Busy, match="no connection left") as caught:
                    open_memory(small.url("small"))
                assert caught.value.hint
                assert memory.remember("two").id == 2
            finally:
                for other in others:
                    other.close()


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


# Every error of the server and of the driver


MEANT = {
    "08006": Unavailable, "0A000": Unsupported, "22001": InvalidInput, "22003": InvalidInput,
    "22021": Corrupt, "23505": Conflict, "25006": Forbidden, "25P02": Conflict, "26000": Unsupported,
    "28000": Forbidden, "28P01": Forbidden, "3D000": NotFound, "3F000": Corrupt, "40001": Busy,
    "40P01": Busy, "42501": Forbidden, "42601": Corrupt, "42703": Corrupt, "42P01": Corrupt,
    "53100": OverBudget, "53200": Unavailable, "53300": Busy, "54000": InvalidInput, "55P03": Busy,
    "55006": Busy, "57014": Busy, "57P01": Unavailable, "57P02": Unavailable, "57P03": Unavailable,
    "58030": Unavailable, "P0001": Conflict, "XX000": Unavailable, "XX001": Corrupt, "XX002": Corrupt,
    "ZZ999": Unavailable,
}  # fmt: skip


def all_states() -> list[str]:
    """Every SQLSTATE that the driver has a class for, less success and warnings."""
    kinds = (kind for kind in vars(psycopg.errors).values() if isinstance(kind, type))
    states = {str(kind.sqlstate) for kind in kinds if issubclass(kind, psycopg.Error) and kind.sqlstate}
    return sorted(state for state in states | MEANT.keys() if state[:2] not in ("00", "01", "02"))


def test_every_sqlstate_is_an_error_of_ours_with_a_hint(store_url: str) -> None:
    wrong: list[str] = []
    with open_memory(store_url) as memory:
        for state in all_states():
            try:
                with memory.store.read() as snapshot:
                    snapshot.rows.run(f"DO $$ BEGIN RAISE 'made up' USING ERRCODE = '{state}'; END $$")
                wrong.append(f"{state} was not raised")
            except RecollectError as error:
                if not error.hint or type(error) is not MEANT.get(state, type(error)):
                    wrong.append(f"{state} became {type(error).__name__}: {error}")
            except psycopg.Error as error:
                wrong.append(f"{state} is raw: {type(error).__name__}")
    assert not wrong, wrong


def test_every_error_the_driver_raises_itself_is_one_of_ours() -> None:
    from recollect.store.postgres_errors import translate

    kinds = [psycopg.Error]
    for kind in kinds:
        kinds += [sub for sub in kind.__subclasses__() if sub not in kinds]
    for kind in kinds:
        error = translate(kind("made up"), "The store")
        assert isinstance(error, RecollectError), kind
        assert error.hint, kind


PROVOKED: dict[str, tuple[Callable[[Any], Any], type[RecollectError]]] = {
    "a missing table": (lambda rows: rows.all("SELECT * FROM nowhere"), Corrupt),
    "a missing column": (lambda rows: rows.all("SELECT nothing FROM frame"), Corrupt),
    "bad syntax": (lambda rows: rows.all("SELEKT 1"), Corrupt),
    "a zero byte": (lambda rows: rows.all("SELECT CAST(? AS TEXT)", ("a\0b",)), InvalidInput),
    "a number out of range": (lambda rows: rows.all("SELECT 300000000000::int"), InvalidInput),
    "a wrong count of values": (lambda rows: rows.all("SELECT ?", (1, 2)), InvalidInput),
    "a value of no SQL type": (lambda rows: rows.all("SELECT ?", (object(),)), InvalidInput),
    "a guarded row": (lambda rows: rows.run("UPDATE frame SET kind = 'x'"), Conflict),
    "a duplicate key": (lambda rows: rows.run("INSERT INTO store_clock VALUES (1, 0, 0)"), Conflict),
    "many in a row": (lambda rows: rows.many("INSERT INTO nowhere VALUES (?)", [(1,), (2,)]), Corrupt),
    "a text too long for an index": (
        lambda rows: rows.run(
            "INSERT INTO store_setting SELECT string_agg(md5(i::text), ''), '', 0 "
            "FROM generate_series(1, 1000) i"
        ),
        InvalidInput,
    ),
    "a cancelled statement": (
        lambda rows: [rows.run("SET LOCAL statement_timeout = 20"), rows.one("SELECT pg_sleep(5)")],
        Busy,
    ),
}


@pytest.mark.parametrize("name", PROVOKED)
def test_an_error_that_a_statement_provokes_is_ours(store_url: str, name: str) -> None:
    act, expected = PROVOKED[name]
    with open_memory(store_url) as memory:
        memory.remember("something")
        with pytest.raises(RecollectError) as caught, memory.store.write() as tx:
            act(tx.rows)
        assert type(caught.value) is expected, caught.value
        assert caught.value.hint
        assert memory.remember("more").id == 2


def test_a_role_without_privileges_is_forbidden(server: Server) -> None:
    server.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    url = server.url("private")
    with open_memory(url) as memory:
        memory.remember("secret")
    guest = url.replace("postgres@", "guest@")
    for options in ({}, {"read_only": True}):
        with pytest.raises(Forbidden) as caught:
            open_memory(guest, **options)
        assert caught.value.hint
    server.run(
        "GRANT USAGE ON SCHEMA private TO guest", "GRANT SELECT ON ALL TABLES IN SCHEMA private TO guest"
    )
    with open_memory(guest, read_only=True) as memory:
        assert len(memory.list()) == 1


@pytest.mark.parametrize("table", ["migration", "store_clock", "frame", "fact_span", "text_posting"])
def test_a_store_that_lost_a_table_is_corrupt_in_every_call(
    server: Server, store_url: str, table: str
) -> None:
    with open_memory(store_url) as memory:
        memory.remember("something")
        schema = memory.store.engine.schema  # type: ignore[attr-defined]
        server.run(f"DROP TABLE {schema}.{table} CASCADE")
        for call in (
            lambda: memory.remember("more"),
            lambda: memory.search("something"),
            lambda: memory.facts.about("Alice"),
            lambda: memory.list(),
            lambda: memory.verify(deep=True),
            lambda: memory.stats(),
            lambda: memory.compact(),
            lambda: open_memory(store_url).close(),
        ):
            try:
                call()
            except RecollectError as error:
                assert error.hint, error


def test_the_disk_of_the_server_is_full(store_url: str) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(OverBudget, match="disk is full") as caught, memory.store.write() as tx:
            tx.rows.run("DO $$ BEGIN RAISE disk_full; END $$")
        assert caught.value.hint


def test_an_address_that_names_nothing_is_told_apart(server: Server) -> None:
    for url, kind in (
        (server.url("s").replace("/postgres?", "/nowhere?"), Unavailable),
        (server.url("s").replace("postgres@", "nobody@"), Unavailable),
        ("postgresql://localhost:1/x", Unavailable),
        ("postgresql://localhost/x?no_such_option=1", InvalidInput),
    ):
        with pytest.raises(kind) as caught:
            open_memory(url)
        assert caught.value.hint


# The size guard


def refuse_writes(url: str, times: int) -> None:
    with open_memory(url) as memory:
        memory.remember_many(f"note {number} {os.urandom(20).hex()}" for number in range(200))
        size = memory.stats().bytes
    with open_memory(url, max_bytes=size + 400_000) as memory:
        for number in range(times):
            with pytest.raises(OverBudget):
                memory.remember_many(f"{number} {item} {os.urandom(2000).hex()}" for item in range(150))
            assert memory.stats().bytes <= size
        for number in range(10):
            memory.remember(f"a small one {number}")
        assert len(memory.list(limit=1000)) == 210


def test_refused_writes_leave_the_store_as_large_as_before(store_url: str) -> None:
    refuse_writes(store_url, 4)


@pytest.mark.soak
def test_fifty_refused_writes_leave_the_store_as_large_as_before(store_url: str) -> None:
    refuse_writes(store_url, 50)


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
            except RecollectError as error:
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
                for row in snapshot.rows.all(
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
            with engine.write(timeout=10) as rows:
                rows.many(
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
