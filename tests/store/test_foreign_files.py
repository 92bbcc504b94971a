"""Files and servers that are not ours, or that may not be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import (
    Forbidden,
    InvalidInput,
    NotFound,
    Unavailable,
    Unsupported,
)
from tests import raw
from tests.store.children import Child
from tests.store.opening import open_memory
from tests.store.test_damage import REFUSALS, Original, refused


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return Original(tmp_path_factory.mktemp("damage"))


@pytest.fixture(params=[False, True], ids=["for writing", "read-only"])
def read_only(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_a_file_of_no_bytes_is_made_a_store(tmp_path: Path) -> None:
    path = tmp_path / "empty.mind"
    path.touch()
    refused(path, Unsupported, read_only=True)
    with open_memory(path) as memory:
        memory.remember("first")
    with open_memory(path, read_only=True) as memory:
        assert [frame.text for frame in memory.list()] == ["first"]


@pytest.mark.parametrize("size", [1, 99, 100, 512, 4096, 50_000])
def test_a_text_file_is_refused(tmp_path: Path, size: int, read_only: bool) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(("My notes. " * 5000)[:size])
    assert path.name in refused(path, REFUSALS, read_only=read_only)


def test_a_file_of_zeros_is_refused(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "zeros"
    path.write_bytes(bytes(8192))
    assert path.name in refused(path, REFUSALS, read_only=read_only)


@pytest.mark.parametrize("wal", [False, True])
def test_the_database_of_another_application_is_refused(tmp_path: Path, wal: bool, read_only: bool) -> None:
    path = tmp_path / "browser.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 42")
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE history (url TEXT)")
    connection.commit()
    connection.close()
    assert "another application" in refused(path, Unsupported, read_only=read_only)


def test_a_database_with_tables_and_no_application_id_is_refused(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "plain.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE frame (frame_id INTEGER PRIMARY KEY)")
    connection.commit()
    connection.close()
    assert path.name in refused(path, Unsupported, read_only=read_only)


def test_a_database_with_a_version_of_its_own_is_refused(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "versioned.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 3")
    connection.commit()
    connection.close()
    assert path.name in refused(path, Unsupported, read_only=read_only)


def test_a_newer_format_is_refused_and_says_to_upgrade(
    original: Original, tmp_path: Path, read_only: bool
) -> None:
    path = tmp_path / "newer.mind"
    path.write_bytes(original.bytes)
    connection = raw.connect(path)
    connection.execute("INSERT INTO migration VALUES (9999, 'future', 'abc', 1)")
    connection.execute("PRAGMA user_version = 9999")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    with pytest.raises(Unsupported, match=r"9999.*Upgrade"):
        open_memory(path, read_only=read_only)


def test_a_folder_that_is_missing_is_named(tmp_path: Path, read_only: bool) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        open_memory(tmp_path / "nowhere" / "a.mind", read_only=read_only)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_a_folder_is_refused(tmp_path: Path, read_only: bool) -> None:
    with pytest.raises(InvalidInput, match="folder"):
        open_memory(tmp_path, read_only=read_only)


def test_a_path_through_a_file_is_refused(tmp_path: Path, read_only: bool) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises((InvalidInput, NotFound)):
        open_memory(tmp_path / "file" / "a.mind", read_only=read_only)


def test_a_file_that_is_missing_is_not_made_where_that_was_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(NotFound, match=r"a\.mind"):
            open_memory(path, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("special", ["pipe", "socket"])
def test_a_path_that_is_no_regular_file_is_refused(tmp_path: Path, special: str) -> None:
    path = tmp_path / special
    if special == "pipe":
        os.mkfifo(path)
    else:
        import socket

        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.relpath(path))
    with pytest.raises(InvalidInput):
        open_memory(path)


# Permissions


@pytest.fixture
def public_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that other users can reach, unlike pytest's own."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="longmind-public-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    for entry in folder.iterdir():
        entry.chmod(0o644)
    shutil.rmtree(folder)


def as_another_user(path: Path, mode: str) -> dict[str, Any]:
    with Child("unprivileged", str(path), mode) as child:
        heard = child.hear()
        child.end()
    return heard


def made(path: Path) -> Path:
    with open_memory(path) as memory:
        memory.remember("hello")
    return path


def test_a_file_without_permission_is_forbidden(public_folder: Path) -> None:
    path = made(public_folder / "secret.mind")
    path.chmod(0)
    for mode in ("write", "read"):
        heard = as_another_user(path, mode)
        assert (heard["event"], heard.get("code")) == ("refused", "forbidden"), heard


def test_a_file_that_may_only_be_read_is_forbidden_to_writers_and_open_to_readers(
    public_folder: Path,
) -> None:
    path = made(public_folder / "readable.mind")
    path.chmod(0o444)
    public_folder.chmod(0o555)
    heard = as_another_user(path, "write")
    assert (heard["event"], heard.get("code")) == ("refused", "forbidden"), heard
    heard = as_another_user(path, "read")
    assert heard["texts"] == ["hello"], heard
    assert heard["write"] == "forbidden"
    assert [entry.name for entry in public_folder.iterdir()] == [path.name]


def test_a_folder_without_permission_is_forbidden(public_folder: Path) -> None:
    inner = public_folder / "inner"
    inner.mkdir()
    path = made(inner / "a.mind")
    inner.chmod(0)
    try:
        for mode in ("write", "read"):
            heard = as_another_user(path, mode)
            assert (heard["event"], heard.get("code")) == ("refused", "forbidden"), heard
    finally:
        inner.chmod(0o755)
        shutil.rmtree(inner)


def test_a_folder_in_which_nothing_may_be_made_is_forbidden(public_folder: Path) -> None:
    public_folder.chmod(0o555)
    heard = as_another_user(public_folder / "new.mind", "write")
    assert (heard["event"], heard.get("code")) == ("refused", "forbidden"), heard


def test_a_reader_without_rights_reads_what_a_live_writer_has_committed(public_folder: Path) -> None:
    path = public_folder / "live.mind"
    with open_memory(path) as memory:
        memory.remember("hello")
        for entry in public_folder.iterdir():
            entry.chmod(0o644)
        heard = as_another_user(path, "read")
        assert heard["event"] in ("opened", "refused"), heard
        if heard["event"] == "opened":
            assert heard["texts"] == ["hello"]
        else:
            assert heard["code"] == "forbidden"


def test_a_reader_without_rights_never_misses_what_is_only_in_the_log(public_folder: Path) -> None:
    path = public_folder / "crashed.mind"
    with Child("write", str(path)) as child:
        child.hear("ready")
        child.tell("only in the log")
        child.hear("done")
        child.kill()
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    for entry in public_folder.iterdir():
        entry.chmod(0o644)
    heard = as_another_user(path, "read")
    if heard["event"] == "opened":
        assert heard["texts"] == ["only in the log"]
    else:
        assert heard["code"] == "forbidden", heard


def test_a_read_only_open_leaves_no_trace(tmp_path: Path) -> None:
    path = made(tmp_path / "a.mind")
    before = path.read_bytes()
    with open_memory(path, read_only=True) as memory:
        assert [frame.text for frame in memory.list()] == ["hello"]
        assert memory.verify(deep=True)
        memory.stats()
        forbidden: list[Callable[[], object]] = [
            lambda: memory.remember("no"),
            lambda: memory.forget(1),
            lambda: memory.erase(1),
            lambda: memory.update(1, tags=["no"]),
            lambda: memory.compact(),
        ]
        for act in forbidden:
            with pytest.raises(Forbidden):
                act()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_read_only_memory_notices_what_others_write(tmp_path: Path) -> None:
    path = made(tmp_path / "a.mind")
    with open_memory(path, read_only=True) as reader, Child("write", str(path)) as child:
        child.hear("ready")
        assert len(reader.list()) == 1
        child.tell("more")
        child.hear("done")
        assert len(reader.list()) == 2
        child.end()


# A server that is not there, or not ours


def test_a_server_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="did not answer"):
        open_memory("postgresql://nobody:secret@127.0.0.1:1/none?store=x&connect_timeout=2")


def test_errors_never_show_the_password() -> None:
    for url in (
        "postgresql://nobody:hush-hush@127.0.0.1:1/none",
        "postgresql://nobody@127.0.0.1:1/none?password=hush-hush",
        "postgresql://127.0.0.1:1/none?user=u&password=hush-hush&store=abc",
    ):
        with pytest.raises(Unavailable) as caught:
            open_memory(url)
        assert "hush" not in str(caught.value)


def test_a_schema_of_another_application_is_refused(new_location: Callable[[str], str]) -> None:
    import psycopg

    from longmind.store.postgres import split_url

    url = new_location("postgresql")
    address, schema = split_url(url)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.customers (id INT)")
    for options in ({}, {"read_only": True}, {"create": False}):
        with pytest.raises(Unsupported, match="another application"):
            open_memory(url, **options)


def test_a_schema_that_is_missing_is_not_made_where_that_was_not_asked(
    new_location: Callable[[str], str],
) -> None:
    url = new_location("postgresql")
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(NotFound):
            open_memory(url, **options)
    with open_memory(url) as memory:
        memory.remember("made")
    with open_memory(url, read_only=True) as memory:
        assert len(memory.list()) == 1
        with pytest.raises(Forbidden):
            memory.remember("no")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://[::1/none",
        "postgresql://host/db?store=",
        "postgresql://host/db?store=Upper",
        "postgresql://host/db?store=public",
        "postgresql://host/db?store=pg_catalog",
        "postgresql://host/db?store=1a",
        "postgresql://host/db?store=" + "x" * 64,
        "postgresql://host/db?store=a;drop",
        "postgresql://127.0.0.1:1/db?no_such_option=1",
        "mysql://host/db",
        "sqlite:///a.db",
        "",
        "a\0b",
        5,
        None,
        b"bytes.mind",
    ],
)
def test_an_address_that_means_nothing_is_refused(url: object) -> None:
    with pytest.raises(InvalidInput):
        open_memory(url)


def test_options_in_the_address_reach_the_server(new_location: Callable[[str], str]) -> None:
    url = new_location("postgresql") + "&options=-c%20application_name%3Dhas+plus"
    with open_memory(url) as memory, memory.store.read() as snapshot:
        assert snapshot.db.one("SELECT current_setting('application_name')") == ("has+plus",)
