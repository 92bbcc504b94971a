"""A store inside the folder that is read: nothing of it is opened by hand, and no write is lost.

On POSIX, closing any descriptor of a file drops every lock that the process holds on it. A process that
reads its own store as if it were a document therefore stops being seen by others, and the next process to
close the store deletes the log under it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.base.errors import Busy, Conflict, InvalidInput

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks and links of POSIX")


class Holder:
    """Another process with the store open."""

    def __init__(self, store: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "tests.faults.store_holder", str(store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._answer() == "open"

    def __call__(self, *command: object) -> Any:
        self.begin(*command)
        return self._answer()

    def begin(self, *command: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(c) if isinstance(c, Path) else c for c in command]) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def finish(self) -> Any:
        return self._answer()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


@pytest.fixture
def hold() -> Iterator[Callable[[Path], Holder]]:
    holders: list[Holder] = []

    def start(store: Path) -> Holder:
        holders.append(Holder(store))
        return holders[-1]

    yield start
    for holder in holders:
        holder.kill()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".longmind").mkdir(parents=True)
    (folder / "guide.md").write_text("# Guide\n\nThe server listens on port 8080.\n")
    return folder


def quiet(path: Path) -> Memory:
    return Memory.open(path, embedder=None, extractor=None)


def open_and_close(store: Path) -> None:
    """In a process of its own: the last one to close a store deletes its log."""
    code = "import sys; from longmind import Memory; Memory.open(sys.argv[1], embedder=None).close()"
    subprocess.run([sys.executable, "-c", code, str(store)], check=True)


def check_all_there(store: Path, texts: list[str]) -> None:
    with quiet(store) as memory:
        assert memory.verify(deep=True).problems == ()
        kept = {frame.text for frame in memory.list(limit=1000)}
        assert [text for text in texts if text not in kept] == []


WAYS = ("ingest", "sync", "watch", "http")


@pytest.mark.parametrize("way", WAYS)
def test_reading_the_folder_that_holds_the_store_keeps_its_locks(
    way: str, project: Path, hold: Callable[[Path], Holder]
) -> None:
    store = project / ".longmind" / "memory.mind"
    holder = hold(store)
    holder("remember", ["Written before."])
    answer = holder(way, project)
    assert not isinstance(answer, dict), answer
    open_and_close(store)
    texts = [f"Acknowledged write {number}." for number in range(20)]
    assert len(holder("remember", texts)) == 20
    holder.kill()
    check_all_there(store, ["Written before.", *texts])


@pytest.mark.parametrize("name", ["agent.mind", "agent.recollect", "notes.db"])
def test_a_store_beside_the_files_is_skipped_whatever_it_is_called(
    name: str, project: Path, hold: Callable[[Path], Holder]
) -> None:
    store = project / name
    holder = hold(store)
    texts = [f"Note {number}." for number in range(20)]
    holder("remember", texts[:5])
    skipped = dict(holder("ingest", project))
    assert skipped[name] == "store"
    assert skipped[f"{name}-wal"] == "store"
    assert skipped[f"{name}-shm"] == "store"
    open_and_close(store)
    holder("remember", texts[5:])
    holder.kill()
    check_all_there(store, texts)


@pytest.mark.parametrize("link", ["hard", "symbolic"])
def test_a_link_to_the_store_is_not_opened(
    link: str, tmp_path: Path, project: Path, hold: Callable[[Path], Holder]
) -> None:
    store = tmp_path / "kept" / "memory.mind"
    store.parent.mkdir()
    holder = hold(store)
    holder("remember", ["Written before."])
    for name, target in (("notes.md", store), ("log.txt", Path(f"{store}-shm")), (".gitignore", store)):
        if link == "hard":
            (project / name).hardlink_to(target)
        else:
            (project / name).symlink_to(target)
    assert isinstance(holder("ingest", project), list)
    assert isinstance(holder("sync", project), list)
    assert isinstance(holder("ingest", project / "guide.md"), list)
    assert holder("ingest", project / "notes.md")["error"] == "invalid_input"
    open_and_close(store)
    texts = [f"Acknowledged write {number}." for number in range(20)]
    holder("remember", texts)
    holder.kill()
    check_all_there(store, ["Written before.", *texts])


def test_three_processes_on_the_default_layout_lose_nothing(
    project: Path, hold: Callable[[Path], Holder]
) -> None:
    store = project / ".longmind" / "memory.mind"
    server, reader = hold(store), hold(store)
    texts = [f"Acknowledged write {number}." for number in range(40)]
    for first in range(0, 40, 10):
        reader.begin("ingest", project)
        server("remember", texts[first : first + 5])
        open_and_close(store)
        assert isinstance(reader.finish(), list)
        server("ingest", project)
        server("remember", texts[first + 5 : first + 10])
    reader.kill()
    server.kill()
    check_all_there(store, texts)


@pytest.mark.parametrize("name", ["other.mind", "other.recollect", "notes.db"])
def test_a_store_that_nobody_has_open_is_skipped_too(name: str, tmp_path: Path, project: Path) -> None:
    quiet(project / name).close()
    with quiet(tmp_path / "mine.mind") as memory:
        report = memory.ingest(project)
        assert [(skip.uri.rsplit("/", 1)[-1], skip.code) for skip in report.skipped] == [
            (".longmind", "store"),
            (name, "store"),
        ]
        assert report.created == 1
        with pytest.raises(InvalidInput, match="longmind copy"):
            memory.ingest(project / name)


def test_a_database_of_another_program_is_no_store(tmp_path: Path, project: Path) -> None:
    import apsw

    other = apsw.Connection(str(project / "other.db"))
    other.execute("CREATE TABLE t (x)")
    other.close()
    with quiet(tmp_path / "mine.mind") as memory:
        codes = {skip.uri.rsplit("/", 1)[-1]: skip.code for skip in memory.ingest(project).skipped}
    assert codes["other.db"] == "binary"


def test_files_of_the_project_folder_can_still_be_named(tmp_path: Path, project: Path) -> None:
    """Exports of spaces lie there by default."""
    note = project / ".longmind" / "exports" / "note.md"
    note.parent.mkdir()
    note.write_text("A note that was put here on purpose.\n")
    with quiet(tmp_path / "mine.mind") as memory:
        assert memory.ingest(project).created == 1
        assert memory.ingest(note).created == 1


WRITERS: dict[str, Callable[[Memory, Path], object]] = {
    "backup": lambda memory, path: memory.backup(path, overwrite=True),
    "export": lambda memory, path: memory.export(path, overwrite=True),
    "space export": lambda memory, path: memory.spaces.export("code", path),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("target", ["itself", "hard link", "symbolic link", "its log", "another"])
def test_nothing_is_written_over_an_open_store(
    write: Callable[[Memory, Path], object], target: str, tmp_path: Path
) -> None:
    store, other = tmp_path / "agent.mind", tmp_path / "other.db"
    with quiet(store) as memory, quiet(other):
        memory.space("code").remember_raw("note", "The build runs on every push.")
        path = {"itself": store, "its log": Path(f"{store}-wal"), "another": other}.get(
            target, tmp_path / "link.txt"
        )
        if target == "hard link":
            path.hardlink_to(store)
        elif target == "symbolic link":
            path.symlink_to(store)
        before = {entry.name: entry.stat().st_ino for entry in tmp_path.iterdir()}
        with pytest.raises(InvalidInput):
            write(memory, path)
        assert {entry.name: entry.stat().st_ino for entry in tmp_path.iterdir()} == before
        memory.remember("Still here.")
    check_all_there(store, ["Still here."])


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_nothing_is_written_over_a_store_that_another_process_has_open(
    write: Callable[[Memory, Path], object], tmp_path: Path, hold: Callable[[Path], Holder]
) -> None:
    other = tmp_path / "notes.db"
    holder = hold(other)
    holder("remember", ["Written before."])
    with quiet(tmp_path / "agent.mind") as memory:
        memory.space("code").remember_raw("note", "The build runs on every push.")
        with pytest.raises((InvalidInput, Busy, Conflict)):
            write(memory, other)
    holder("remember", ["Written after."])
    holder.kill()
    check_all_there(other, ["Written before.", "Written after."])


def test_an_export_replaces_a_closed_store_only_when_told_to(tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    with quiet(old) as memory:
        memory.remember("Kept until it is replaced.")
    with quiet(tmp_path / "agent.mind") as memory:
        with pytest.raises(RuntimeError, match="overwrite"):
            memory.export(old)
        check_all_there(old, ["Kept until it is replaced."])
        memory.export(old, overwrite=True)
    assert old.read_text().startswith('{"')


def test_a_space_is_not_exported_over_a_file_that_is_no_export(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Mine\n")
    with quiet(tmp_path / "agent.mind") as memory:
        memory.space("code").remember_raw("note", "The build runs on every push.")
        with pytest.raises(RuntimeError, match="exists"):
            memory.spaces.export("code", readme)
        assert readme.read_text() == "# Mine\n"
        first = memory.spaces.export("code", tmp_path / "code.json").read_text()
        assert memory.spaces.export("code", tmp_path / "code.json").read_text() == first


def test_a_backup_leaves_a_neighbour_alone_that_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("My own file.\n")
    (tmp_path / "report-wal").write_text("My own notes.\n")
    with quiet(tmp_path / "agent.mind") as memory, pytest.raises(RuntimeError, match="report-wal"):
        memory.backup(tmp_path / "report", overwrite=True)
    assert (tmp_path / "report-wal").read_text() == "My own notes.\n"
    assert (tmp_path / "report").read_text() == "My own file.\n"


def test_init_keeps_a_gitignore_that_is_there(project: Path) -> None:
    rules = project / ".longmind" / ".gitignore"
    rules.write_text("*.log\n")
    code = "from longmind.cli.entry import run; run()"
    command = [sys.executable, "-c", code, "init", "--gitignore"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)
    assert (project / ".longmind" / "memory.mind").exists()
    assert rules.read_text() == "*.log\n"
