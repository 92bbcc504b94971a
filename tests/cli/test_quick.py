"""Commands that read, answered by the resident process: the same output, without the start."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from longmind import Memory
from longmind.cli import quick
from longmind.cli.resident import _listening, serve
from longmind.hooks import resident

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs sockets of the file system")

ROOT = Path(__file__).parents[2]
_CODE = """
import sys
from longmind.cli.entry import run
try:
    run(sys.argv[1:])
finally:
    print('longmind.memory' in sys.modules, file=sys.stderr)
"""


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    # A short path: that of a socket may have some 100 bytes.
    with tempfile.TemporaryDirectory(prefix="lm") as folder:
        monkeypatch.delenv("LONGMIND_HELPER")
        for name, value in {
            "XDG_RUNTIME_DIR": folder,
            "LONGMIND_CACHE": folder,
            "PYTHONPATH": str(ROOT),
        }.items():
            monkeypatch.setenv(name, value)
        yield dict(os.environ)


@contextmanager
def _running(store: Path, environment: dict[str, str]) -> Iterator[threading.Thread]:
    """The process, as a thread of this one."""
    address = resident.address(str(store), environment)
    assert address is not None
    thread = threading.Thread(target=serve, args=(str(store), address), kwargs={"idle": 60.0})
    folder = Path.cwd()
    thread.start()
    try:
        while thread.is_alive() and not address.exists():
            thread.join(0.02)
        yield thread
    finally:
        store.unlink(missing_ok=True)  # which ends it
        thread.join(60)
        os.chdir(folder)
    assert not address.exists()
    assert not address.with_suffix(".lock").exists()


def _shell(environment: dict[str, str], folder: Path, *words: str) -> tuple[int, str, str, bool]:
    """Exit code, output, errors, and whether the process loaded what searching needs."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    errors, _, heavy = done.stderr.rstrip().rpartition("\n")
    output = re.sub(r"<longmind id=\d+>", "<longmind>", done.stdout)  # made of the time, too
    return done.returncode, output, errors, heavy == "True"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".longmind").mkdir()
    with Memory.open(tmp_path / ".longmind" / "memory.mind", embedder=None) as memory:
        memory.remember("Ana lives in Porto – “perto do rio”.", tags=["home"])
        memory.remember("The deploy key is rotated every Monday.")
    return tmp_path


def test_every_reading_command_answers_alike_with_the_process_and_without(
    project: Path, environment: dict[str, str]
) -> None:
    store = project / ".longmind" / "memory.mind"
    commands: list[tuple[str, ...]] = [
        ("search", "where does Ana live?"),
        ("search", "where does Ana live?", "--json", "--tag", "home"),
        ("search", "deploy", "--explain"),
        ("recall", "Where does Ana live?", "--budget", "120"),
        ("get", "1"),
        ("get", "99"),
        ("get", "99", "--json"),
        ("list", "--json"),
        ("timeline",),
        ("stats", "--all"),
        ("search", "--store", str(store), "Monday"),
        ("search", "x", "--lane", "nonsense"),
        ("search", "x", "--nonsense"),
    ]
    alone = {words: _shell({**environment, "LONGMIND_HELPER": "off"}, project, *words) for words in commands}
    assert all(heavy for *_, heavy in alone.values() if _[0] == 0)
    with _running(store, environment):
        for words in commands:
            code, out, err, heavy = _shell(environment, project, *words)
            assert (code, out, err) == alone[words][:3], words
            assert not heavy, f"{words}: it was done here"
        # What was written meanwhile by another process is found.
        with Memory.open(store, embedder=None) as memory:
            memory.remember("Bruno plays the cello.")
        found = _shell(environment, project, "search", "Bruno")
        assert "cello" in found[1], found


def test_what_differs_for_the_caller_is_not_asked_of_the_process(
    project: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = project / ".longmind" / "memory.mind"
    monkeypatch.chdir(project)
    asks: Callable[..., str | None] = quick.store_of
    assert asks(["search", "Ana"]) == ".longmind/memory.mind"
    assert asks(["search", "Ana", "--store", str(store)]) == str(store)
    assert asks(["search", "--", "--store", "other.mind"]) == ".longmind/memory.mind"
    for words in (
        ["search", "-"], ["search", "--file=q.txt"], ["search", "--help"], ["remember", "Ana"], [],
        ["search", "Ana", "--store", "absent.mind"], ["search", "Ana", "--store=postgresql://h/d?store=s"],
    ):  # fmt: skip
        assert asks(words) is None, words
    monkeypatch.setenv("LONGMIND_KEY", "a passphrase")
    assert asks(["search", "Ana"]) is None
    here = resident.address(str(store), environment)
    for changed in ({"LONGMIND_USER": "ana"}, {"LC_ALL": "C"}, {"OPENAI_API_KEY": "k"}, {"TZ": "Asia/Tokyo"}):
        assert resident.address(str(store), environment | changed) != here, changed
    assert resident.address(str(store), environment | {"PWD": "/", "LONGMIND_KEY": "k"}) == here


def test_who_has_another_key_than_the_process_or_none_gets_no_answer(
    project: Path, environment: dict[str, str]
) -> None:
    store = project / ".longmind" / "memory.mind"
    asked = {"question": "Where does Ana live?", "session": "s", "space": None, "user": None}
    with _running(store, environment):
        assert "Porto" in resident.ask(str(store), asked, environment, seconds=20)["text"]  # type: ignore[index]
        for key in ({"LONGMIND_KEY": "a passphrase"}, {"LONGMIND_KEY_FILE": "/a/file"}):
            # The process has no key: whoever has one must open the store with it, and the other way round.
            assert resident.address(str(store), environment | key) == resident.address(
                str(store), environment
            )
            assert resident.ask(str(store), asked, environment | key, seconds=20) is None
        # Nothing that is sent ends the process for those who ask next.
        path = str(resident.address(str(store), environment))
        words = {"words": [], "proof": resident.key_proof(environment), "store": str(store)}
        for sent in (b"\n", b"[]\n", b'"words"\n', b"\xff\n", json.dumps(words).encode() + b"\n", b"{"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.connect(path)
                connection.sendall(sent)
        assert resident.ask(str(store), asked, environment, seconds=20) is not None


def test_who_finds_the_process_is_never_turned_away() -> None:
    done = threading.Event()
    busy = [threading.Thread(target=_keep_busy, args=(done,)) for _ in range(3)]
    with tempfile.TemporaryDirectory(prefix="lm") as folder, ThreadPoolExecutor(1) as pool:
        path = Path(folder) / "s.sock"
        for thread in busy:  # so that whoever listens is held up between two steps
            thread.start()
        try:
            for _ in range(20):
                refused = pool.submit(_is_refused, path)
                with _listening(path):
                    assert not refused.result(timeout=60)
                path.unlink()
        finally:
            done.set()
            for thread in busy:
                thread.join()


def _keep_busy(done: threading.Event) -> None:
    while not done.is_set():
        pass


def _is_refused(path: Path) -> bool:
    """Whether connecting fails as soon as there is something to connect to."""
    while not path.exists():
        pass
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(path))
        except ConnectionRefusedError:
            return True
    return False


def test_a_store_that_was_replaced_is_not_answered_from_memory(
    project: Path, environment: dict[str, str]
) -> None:
    store = project / ".longmind" / "memory.mind"
    with Memory.open(project / "other.mind", embedder=None) as memory:
        memory.remember("Quite another memory of Ana.")
    with _running(store, environment) as thread:
        (project / "other.mind").replace(store)
        out = _shell({**environment, "LONGMIND_HELPER": ""}, project, "search", "Ana")[1]
        assert "another memory" in out
        assert "Porto" not in out
        thread.join(60)
        assert not thread.is_alive()


def test_the_first_command_starts_the_process_for_the_next(
    project: Path, environment: dict[str, str]
) -> None:
    store = project / ".longmind" / "memory.mind"
    address = resident.address(str(store), environment)
    assert address is not None
    assert _shell(environment, project, "search", "Ana")[3]
    _wait_for(address.exists)
    assert not _shell(environment, project, "search", "Ana")[3]
    store.unlink()
    _wait_for(lambda: not address.exists())
    assert not address.exists(), "it ends when its store is gone"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and /proc")
def test_writing_at_a_terminal_starts_the_process_before_the_first_search(
    project: Path, environment: dict[str, str]
) -> None:
    from tests.cli.test_interrupts import Terminal

    store = project / ".longmind" / "memory.mind"
    in_terminal = {**environment, "LONGMIND_CACHE": str(project / "cache")}
    address = resident.address(str(store), in_terminal)
    assert address is not None
    assert _shell(in_terminal, project, "remember", "Bruno plays the cello.")[0] == 0
    assert not address.exists(), "a script is not followed by a search"
    assert Terminal(project, "remember", "Carla paints.").end() == 0
    _wait_for(address.exists)
    code, out, _, heavy = _shell(in_terminal, project, "search", "Carla")
    assert (code, heavy) == (0, False)
    assert "Carla paints." in out
    store.unlink()
    _wait_for(lambda: not address.exists())
    assert not address.exists()


def _wait_for(happens: Callable[[], bool]) -> None:
    for _ in range(600):
        if happens():
            break
        threading.Event().wait(0.05)
