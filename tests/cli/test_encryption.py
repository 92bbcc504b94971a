"""Encrypted stores through every command: the key comes from the environment, and from nowhere else."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind.base.store_files import is_encrypted_header
from tests.store.encrypted import KEY, OTHER_KEY, needs_cipher
from tests.store.opening import open_memory

MARKER = "pelicanmarker"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    file.write_text(KEY.hex() + "\n")
    return file


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store" / "a.mind"


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LONGMIND_")}
    return {**kept, "LONGMIND_HELPER": "off", **variables}


def run(*words: str, module: str = "longmind", given: str = "", **variables: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        env=environment(**variables),
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
    )


def encrypted(path: Path) -> bool:
    raw = path.read_bytes()
    return is_encrypted_header(raw[:100]) and MARKER.encode() not in raw


@needs_cipher
def test_commands_take_the_key_from_the_environment(store: Path, key_file: Path) -> None:
    key = {"LONGMIND_KEY_FILE": str(key_file), "LONGMIND_STORE": str(store)}
    assert run("remember", f"The {MARKER} sleeps.", **key).returncode == 0
    assert encrypted(store)
    assert MARKER in run("search", MARKER, **key).stdout
    stats = run("stats", "--json", **key)
    assert json.loads(stats.stdout)["live"] == 1
    assert KEY.hex() not in stats.stdout
    backup = store.parent / "backup.mind"
    assert run("backup", str(backup), **key).returncode == 0
    assert encrypted(backup)
    assert run("restore", str(backup), str(store), "--overwrite", **key).returncode == 0
    assert run("copy", str(store), str(store.parent / "copy.mind"), **key).returncode == 0
    assert encrypted(store.parent / "copy.mind")
    lines = store.parent / "lines"
    assert run("export", str(lines), "--encrypt", **key).returncode == 0
    assert MARKER.encode() not in lines.read_bytes()
    other = {**key, "LONGMIND_STORE": str(store.parent / "imported.mind")}
    assert run("import", str(lines), **other).returncode == 0
    assert MARKER in run("search", MARKER, **other).stdout
    assert run("recover", str(store), **key).returncode == 0


@needs_cipher
@pytest.mark.parametrize("variables", [{}, {"LONGMIND_KEY": OTHER_KEY.hex()}])
def test_without_the_right_key_a_command_says_so_and_shows_no_key(
    store: Path, key_file: Path, variables: dict[str, str]
) -> None:
    run("remember", f"The {MARKER} sleeps.", LONGMIND_KEY_FILE=str(key_file), LONGMIND_STORE=str(store))
    done = run("search", MARKER, LONGMIND_STORE=str(store), **variables)
    assert done.returncode != 0
    assert "encrypted" in done.stderr
    assert "Traceback" not in done.stderr
    assert OTHER_KEY.hex() not in done.stdout + done.stderr


@needs_cipher
def test_a_store_is_encrypted_rekeyed_and_decrypted_by_commands(store: Path, key_file: Path) -> None:
    with open_memory(store) as memory:
        memory.remember(f"The {MARKER} sleeps.")
    new = {"LONGMIND_NEW_KEY": OTHER_KEY.hex()}
    done = run("encrypt", str(store), LONGMIND_KEY_FILE=str(key_file))
    assert "is now encrypted" in done.stdout
    assert "already encrypted" in run("encrypt", str(store), LONGMIND_KEY_FILE=str(key_file)).stdout
    assert encrypted(store)
    done = run("rekey", str(store), "--json", LONGMIND_KEY_FILE=str(key_file), **new)
    assert json.loads(done.stdout)["encrypted"]
    assert run("decrypt", str(store), LONGMIND_KEY_FILE=str(key_file)).returncode != 0
    assert run("decrypt", str(store), LONGMIND_KEY=OTHER_KEY.hex()).returncode == 0
    with open_memory(store) as memory:
        assert memory.search(MARKER)


def test_without_a_key_and_a_terminal_the_command_says_what_to_set(store: Path) -> None:
    open_memory(store).close()
    for command, variable in (
        ("encrypt", "LONGMIND_KEY"),
        ("rekey", "LONGMIND_KEY"),
        ("decrypt", "LONGMIND_KEY"),
    ):
        done = run(command, str(store))
        assert done.returncode == 2
        assert variable in done.stderr


@needs_cipher
def test_conversation_memory_and_hooks_take_the_key_from_the_environment(store: Path, key_file: Path) -> None:
    key = {"LONGMIND_KEY_FILE": str(key_file)}
    turn = ("add-turn", "--session", "s", "--role", "user", "--text", f"My nickname is {MARKER}.")
    assert run(*turn, "--db", str(store), module="longmind.cli.sm", **key).returncode == 0
    assert encrypted(store)
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "t", "prompt": f"Who is {MARKER}?"}
    hook = ("hook", "UserPromptSubmit", "--store", str(store))
    done = run(*hook, given=json.dumps({**event, "cwd": str(store.parent)}), **key)
    assert MARKER in done.stdout, done.stderr
    assert MARKER not in run(*hook, given=json.dumps({**event, "cwd": str(store.parent)})).stdout
    assert not [file for file in store.parent.iterdir() if MARKER.encode() in file.read_bytes()]


@needs_cipher
def test_the_server_takes_the_key_from_the_environment_and_hides_it(store: Path, key_file: Path) -> None:
    with open_memory(store, key=KEY) as memory:
        memory.remember(f"The {MARKER} sleeps.")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "longmind", "serve", "--store", str(store), "--port", str(port)]
    variables = environment(LONGMIND_KEY_FILE=str(key_file))
    server = subprocess.Popen(
        words, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        body = json.dumps({"query": MARKER}).encode()
        answer = _ask(f"http://127.0.0.1:{port}/v1/search", body)
        assert MARKER in answer
        command = Path(f"/proc/{server.pid}/cmdline")
        if command.exists():
            assert KEY.hex().encode() not in command.read_bytes()
    finally:
        server.terminate()
        output, _ = server.communicate(timeout=30)
    assert KEY.hex() not in output


def _ask(url: str, body: bytes) -> str:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    for _ in range(300):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return str(response.read().decode())
        except ConnectionError:
            time.sleep(0.1)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    raise AssertionError("the server did not start")


@needs_cipher
def test_the_mcp_server_takes_the_key_from_the_environment(store: Path, key_file: Path) -> None:
    with open_memory(store, key=KEY) as memory:
        memory.remember(f"The {MARKER} sleeps.")
    client = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    words = [sys.executable, "-m", "longmind", "mcp", "--store", str(store)]
    variables = environment(LONGMIND_KEY_FILE=str(key_file))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, env=variables, text=True, **pipes) as server:  # type: ignore[call-overload]
        _send(server, id=1, method="initialize", params=hello)
        server.stdout.readline()
        _send(server, method="notifications/initialized")
        _send(server, id=2, method="tools/call", params={"name": "search", "arguments": {"query": MARKER}})
        answer = server.stdout.readline()
        server.stdin.close()
    assert "sleeps" in answer


def _send(server: Any, **message: Any) -> None:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()
