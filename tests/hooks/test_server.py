from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import Memory
from tests.hooks.conftest import PROGRAM, SAID, Copy, Hook, turns


@pytest.fixture
def server(memory: Memory, project: Path) -> Iterator[str]:
    """`longmind serve` on the memory of the project."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [PROGRAM, "serve", "--port", str(port)],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with socket.socket() as tried:
                if process.poll() is None and tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def test_a_running_server_is_used_and_finds_by_meaning_too(
    hook: Hook, memory: Memory, server: str, transcript: Copy
):
    memory.remember("The orders service uses the queue of the outbox table.", tags=["decision"])

    recalled = hook("claude-code", "UserPromptSubmit", "--verbose", server=server)
    started = hook("claude-code", "SessionStart", "--verbose", server=server)
    kept = hook("claude-code", "Stop", "--verbose", server=server, transcript_path=transcript("claude-code"))

    assert (recalled.err, started.err, kept.err) == ("", "", "")
    assert "outbox table" in recalled.context
    assert "by words and facts" not in recalled.context
    assert "Recent decisions and notes" in started.context
    assert turns(memory) == SAID


def test_a_server_of_another_memory_is_not_asked(
    hook: Hook, memory: Memory, server: str, project: Path, tmp_path: Path
):
    memory.remember("The orders service uses the queue of the outbox table.")
    other = tmp_path / "other.mind"
    with Memory.open(other, embedder="hash") as elsewhere:
        elsewhere.remember("Orders are shipped on Mondays.")

    said = hook("claude-code", "UserPromptSubmit", "--store", str(other), server=server).context

    assert "Mondays" in said
    assert "outbox" not in said
