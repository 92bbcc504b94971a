"""The process that keeps the model loaded for hooks, as hooks start and ask it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import Memory
from longmind.cli.resident import serve
from longmind.embed import models
from longmind.hooks import resident
from tests.hooks.conftest import PROGRAM


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    # A short path: that of a socket may have some 100 bytes.
    with tempfile.TemporaryDirectory(prefix="lm") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        monkeypatch.setenv("LONGMIND_SERVER", "http://127.0.0.1:9")
        monkeypatch.delenv("LONGMIND_HELPER")
        yield dict(os.environ)


def test_a_folder_whose_name_is_too_long_for_a_socket_is_passed_over(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    asked = {"question": "x", "session": "s", "space": None, "user": None}
    assert resident.ask(str(tmp_path / "a.mind"), asked, {"XDG_RUNTIME_DIR": str(deep)}, seconds=1) is None


def test_a_prompt_is_answered_by_meaning_and_the_process_ends_by_itself(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    if not any(model.name == "minilm" for model in models.installed(models.default_cache())):
        pytest.skip("the model is not installed: run `longmind models install`")
    project = tmp_path / "shop"
    (project / ".longmind").mkdir(parents=True)
    store = project / ".longmind" / "memory.mind"
    with Memory.open(store) as memory:
        memory.remember("Our cars are painted red.")
        memory.conversation("old").add_turn("user", "Which colour do our automobiles have?", extract=False)
    address = resident.address(str(store), environment)
    assert address is not None
    thread = threading.Thread(target=serve, args=(str(store), address), kwargs={"idle": 8.0})
    thread.start()
    try:
        while thread.is_alive() and not address.exists():
            thread.join(0.05)
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
        serve(str(store), address)  # a second one for the same store ends at once

        def prompt(text: str) -> str:
            payload = {"cwd": str(project), "session_id": "new", "prompt": text}
            done = subprocess.run(
                [PROGRAM, "hook", "UserPromptSubmit", "--agent", "claude-code"],
                input=json.dumps(payload), capture_output=True, text=True, check=True, env=environment,
            )  # fmt: skip
            return done.stdout

        found = prompt("What is the shade of the automobiles?")
        assert "Our cars are painted red." in found
        assert "Which colour do our automobiles have?" not in found, "an old question answers nothing"
        assert "server" not in found
        assert prompt("How do whales sleep?") == "", "nothing stored is about it"
    finally:
        thread.join(60)
    assert not address.exists()


def test_a_dead_socket_and_a_foreign_folder_are_passed_over(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    store = str(tmp_path / "a.mind")
    address = resident.address(store, environment)
    assert address is not None
    code = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(address)], check=True)
    request = {"question": "?", "session": ""}
    assert resident.ask(store, request, environment, seconds=1) is None
    address.parent.chmod(0o777)
    assert resident.address(store, environment) is None
    assert resident.address(store, {**environment, "LONGMIND_HELPER": "off"}) is None
    assert resident.address("postgresql://host/db", environment) is None


def test_the_process_makes_the_vectors_that_hooks_leave_out(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    store = tmp_path / "a.mind"
    with Memory.open(store, embedder="hash") as memory:
        memory.remember("The boiler is serviced in May.")
    with Memory.open(store, embedder=None) as memory:
        memory.remember_many([f"Order {number} goes through the outbox." for number in range(20)])
    address = resident.address(str(store), environment)
    assert address is not None
    thread = threading.Thread(target=serve, args=(str(store), address), kwargs={"idle": 60.0})
    thread.start()
    try:
        with Memory.open(store) as memory:
            assert memory.stats().parts["vectors"]["missing"] == 20
            while thread.is_alive() and memory.stats().parts["vectors"]["missing"]:
                thread.join(0.1)
            assert memory.stats().parts["vectors"]["missing"] == 0
            assert memory.verify(deep=True)
    finally:
        store.unlink()  # which ends it
        thread.join(60)
    assert not thread.is_alive()
