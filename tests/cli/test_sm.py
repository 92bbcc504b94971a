"""Each command of `sm` in a real process, and its server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.cli import sm
from tests import commands

Sm = Callable[..., Any]
COMMAND = [sys.executable, "-m", "longmind.cli.sm"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Without settings of whoever runs the tests, and without models, which take time to load."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SM_", "LONGMIND_"))}
    return {**kept, "LONGMIND_CACHE": str(tmp_path / "no-models")}


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*given: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        return commands.run([commands.SM, *given], cwd=tmp_path, env=environment, stdin=text or "", text=True)

    return call


def test_a_conversation_from_the_shell(run: Sm, tmp_path: Path) -> None:
    def call(*given: str) -> Any:
        done = run(*given, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    told = call("add-turn", "--session", "s1", "--role", "user", "--text", "I like JRPGs and my name is Alex")
    assert [item["content"] for item in told["extracted_memories"]] == [
        "User likes JRPGs",
        "User's name is Alex",
    ]
    assert (tmp_path / "data" / "symbiosis.db").exists()
    silent = call("add-turn", "--session", "s1", "--role", "user", "--text", "I like tea", "--no-extract")
    assert silent["extracted_memories"] == []
    kept = call("remember", "--text", "Standup is at nine", "--importance", "1", "--tags", "work, daily")
    assert (kept["importance"], kept["tags"]) == (1, ["daily", "work"])
    context = call("get-context", "--session", "s1", "--k", "20")
    assert [turn["text"] for turn in context["short_term"]][1] == "I like tea"
    # A name is important by rule, and as important as what was said to be.
    assert kept["id"] in [item["id"] for item in context["mid_term"][:2]]
    listed = call("list", "--layer", "mid", "--sort", "score")["memories"]
    assert kept["id"] in [item["id"] for item in listed[:2]]
    assert next(item["id"] for item in call("search", "standup")["memories"]) == kept["id"]
    why = call("explain", "--id", str(kept["id"]))
    assert why["score"]["importance"] == 2.0
    assert call("gc", "--dry-run")["dry_run"] is True
    assert call("gc")["counts"]["scored"] == 3
    assert call("forget", "--id", str(kept["id"]))["id"] == kept["id"]
    assert call("forget", "--text", "User likes JRPGs")["id"] == told["extracted_memories"][0]["id"]
    again = call("add-turn", "--session", "s1", "--role", "user", "--text", "I like JRPGs")
    assert [item["action"] for item in again["extracted_memories"]] == ["suppressed"]
    assert call("stats")["by_status"] == {"active": 1}
    assert call("config", "mid.capacity", "7") == 7
    assert call("config")["mid"]["capacity"] == 7


def test_people_get_tables(run: Sm) -> None:
    shown = run("remember", "--text", "Standup is at nine")
    assert "Standup is at nine" in shown.stdout
    assert "score 1.0000 = frequency 0.0000 + recency" in run("explain", "--id", "1").stdout


@pytest.mark.parametrize(
    ("given", "code", "word"),
    [
        (("explain", "--id", "99"), 3, "99"),
        (("forget",), 2, "--id"),
        (("forget", "--text", "never said"), 3, "memory"),
        (("remember", "--text", "x", "--importance", "5"), 2, "importance"),
        (("config", "mid.capacity", "lots"), 2, "mid.capacity"),
        (("config", "mid.nothing"), 2, "mid.nothing"),
        (("add-turn", "--session", "s", "--role", "robot", "--text", "x"), 2, "role"),
        (("add-turn", "--session", "s", "--role", "user"), 2, "--text"),
        (("list", "--sort", "size"), 2, "sort"),
        (("gc", "--now", "someday"), 2, "--now"),
        (("nonsense",), 2, "nonsense"),
        (("serve", "--host", "0.0.0.0"), 11, "token"),
    ],
)
def test_an_error_has_a_message_and_a_code(
    given: tuple[str, ...],
    code: int,
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGMIND_CACHE", str(tmp_path / "no-models"))
    (tmp_path / "data").mkdir()
    Memory.open(tmp_path / "data" / "symbiosis.db", embedder=None).close()  # reads do not create one
    with pytest.raises(SystemExit) as ended:
        sm.run(given)
    assert ended.value.code == code
    assert word in capsys.readouterr().err


def test_the_server_answers_on_its_port(tmp_path: Path, environment: dict[str, str]) -> None:
    pytest.importorskip("uvicorn")
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*COMMAND, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as server:
        try:
            deadline = time.monotonic() + 60
            while True:
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/memories", timeout=5) as answer:
                        assert json.loads(answer.read())["memories"] == []
                    break
                except OSError:
                    assert server.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


def test_looking_at_a_store_never_creates_it(run: Sm, tmp_path: Path) -> None:
    for command in (["list"], ["get-context", "--session", "s1"], ["stats"], ["gc"], ["forget", "--id", "1"]):
        done = run(*command, "--db", "typo/notes.db")
        assert done.returncode == 3, command
        assert "typo/notes.db does not exist." in done.stderr
        assert "sm add-turn" in done.stderr
    assert list(tmp_path.iterdir()) == []
