"""Every error of a PostgreSQL server and of its driver is one of ours, with a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from longmind import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    LongmindError,
    NotFound,
    OverBudget,
    Unavailable,
    Unsupported,
)
from longmind.store.postgres_errors import translate
from longmind.vectors.pgvector import PgVector
from tests.faults.servers import Server
from tests.store.opening import open_memory


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(autovacuum="off") as running:
        yield running


@pytest.fixture
def store_url(server: Server, request: pytest.FixtureRequest) -> str:
    return server.url(f"s{abs(hash(request.node.name))}")


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
                    snapshot.db.run(f"DO $$ BEGIN RAISE 'made up' USING ERRCODE = '{state}'; END $$")
                wrong.append(f"{state} was not raised")
            except LongmindError as error:
                if not error.hint or type(error) is not MEANT.get(state, type(error)):
                    wrong.append(f"{state} became {type(error).__name__}: {error}")
            except psycopg.Error as error:
                wrong.append(f"{state} is raw: {type(error).__name__}")
    assert not wrong, wrong


def test_every_error_the_driver_raises_itself_is_one_of_ours() -> None:
    kinds = [psycopg.Error]
    for kind in kinds:
        kinds += [sub for sub in kind.__subclasses__() if sub not in kinds]
    for kind in kinds:
        error = translate(kind("made up"), "The store")
        assert isinstance(error, LongmindError), kind
        assert error.hint, kind


PROVOKED: dict[str, tuple[Callable[[Any], Any], type[LongmindError]]] = {
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
        with pytest.raises(LongmindError) as caught, memory.store.write() as tx:
            act(tx.db)
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
        errors: list[LongmindError] = []
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
            except LongmindError as error:
                errors.append(error)
        assert errors
        assert all(error.hint for error in errors), errors


def test_the_disk_of_the_server_is_full(store_url: str) -> None:
    with open_memory(store_url) as memory:
        with pytest.raises(OverBudget, match="disk is full") as caught, memory.store.write() as tx:
            tx.db.run("DO $$ BEGIN RAISE disk_full; END $$")
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


def test_vectors_too_long_for_the_servers_index_are_searched_in_memory(store_url: str) -> None:
    with open_memory(store_url) as memory:
        PgVector().begin(memory.store, 3072, above=-1)
        with memory.store.read() as snapshot:
            assert not PgVector().exists(snapshot.db)
