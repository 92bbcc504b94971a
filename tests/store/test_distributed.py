"""What a cluster needs of a store on PostgreSQL, tested on one server.

Statements go one by one, functions know their schema, and a call makes few round trips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from longmind import Memory
from longmind.store.migrations import migrations, split_statements

psycopg = pytest.importorskip("psycopg")

CEILINGS = {"remember": 68, "search": 48, "search again": 20, "recall": 33, "facts.about": 10, "list": 8}
"""Statements that a call may send at most: on a cluster each one is a round trip between two machines."""


def test_a_migration_is_cut_at_the_ends_of_its_statements_and_nowhere_else() -> None:
    for migration in migrations("postgres"):
        for statement in migration.statements:
            assert statement.count("$$") % 2 == 0
            begins = statement.lstrip()
            while begins.startswith("--"):
                begins = begins.partition("\n")[2].lstrip()
            verbs = (
                "CREATE",
                "ALTER",
                "INSERT",
                "UPDATE",
                "DELETE",
                "DROP",
                "DO",
                "SELECT",
                "PRAGMA",
                "WITH",
            )
            assert begins.startswith(verbs), statement[:80]


def test_semicolons_in_texts_comments_and_bodies_end_no_statement() -> None:
    script = """
    -- a comment; with a semicolon, and it's an apostrophe
    CREATE TABLE "odd;name" (a TEXT DEFAULT 'x;''y');
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $b$ BEGIN PERFORM '$$;'; RETURN NEW; END $b$;
    ;
    SELECT 1 -- the last one needs no end;
    """
    assert [text.split()[0] for text in split_statements(script)] == ["--", "CREATE", "SELECT"]


def test_guards_hold_in_a_session_that_looks_elsewhere(new_location: Callable[[str], str]) -> None:
    location = new_location("postgresql")
    url, _, store = location.rpartition("&store=")
    with Memory.open(location, embedder=None) as memory:
        memory.remember("Ana lives in Lisbon.")
        with psycopg.connect(url, autocommit=True) as session:
            session.execute("SET search_path TO pg_catalog")
            for table in ("frame", "frame_text"):
                with pytest.raises(psycopg.Error, match="removed by erase alone"):
                    session.execute(f"DELETE FROM {store}.{table}")
        memory.forget(memory.list()[0].id)
        assert memory.verify(deep=True)


@contextmanager
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is sent to the server; a batch of rows is one round trip."""
    sent: list[str] = []
    execute, many = psycopg.Connection.execute, psycopg.Cursor.executemany

    def executed(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        sent.append(str(query))
        return execute(self, query, *arguments, **options)

    def executed_many(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        sent.append(str(query))
        return many(self, query, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", executed)
        patch.setattr(psycopg.Cursor, "executemany", executed_many)
        yield sent


def test_calls_send_few_statements(
    new_location: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(new_location("postgresql"), embedder="hash") as memory:
        memory.remember("Ana lives in Lisbon.")
        memory.recall("Where does Ana live?")
        calls: dict[str, Callable[[], Any]] = {
            "remember": lambda: memory.remember("Ana likes trains."),
            "search": lambda: memory.search("Where does Ana live?"),
            "search again": lambda: memory.search("How does Ana travel?"),
            "recall": lambda: memory.recall("Where does Ana live now?"),
            "facts.about": lambda: memory.facts.about("Ana"),
            "list": lambda: memory.list(),
        }
        counts: dict[str, int] = {}
        for name, call in calls.items():
            with statements(monkeypatch) as sent:
                call()
            counts[name] = len(sent)
        assert {name: count for name, count in counts.items() if count > CEILINGS[name]} == {}, counts
        with statements(monkeypatch) as sent:
            memory.search("Where does Ana live?")
        assert len(sent) == len(set(sent)) or max(map(sent.count, sent)) <= 2, "the same question twice"
