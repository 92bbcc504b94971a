"""Hooks as an agent calls them: a process of its own, with the agent's JSON on standard input."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from tests import commands

PROGRAM = Path(sys.executable).with_name("longmind")
PAYLOADS = Path(__file__).with_name("payloads")
NOBODY = "127.0.0.1:9"
"""Where no server listens: a hook of the tests must not find one that happens to run."""


@dataclass(frozen=True)
class Said:
    """What a hook answered."""

    code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """The text that the agent puts before its model."""
        found: dict[str, Any] = json.loads(self.out)
        if "hookSpecificOutput" in found:
            return str(found["hookSpecificOutput"]["additionalContext"])
        return str(found["additional_context"])


Hook = Callable[..., Said]
Copy = Callable[[str], Path]

SAID = [
    ("user", "We decided to use an outbox table for the orders service."),
    ("assistant", "Noted: orders go through an outbox table."),
    ("user", "My name is Ana, and I live in Porto."),
]
"""The turns of the recorded transcript of Claude Code."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    """The memory of the project, to prepare and to look into."""
    (project / ".longmind").mkdir()
    with Memory.open(project / ".longmind" / "memory.mind", embedder="hash") as opened:
        yield opened


@pytest.fixture
def transcript(tmp_path: Path) -> Copy:
    """A copy of a recorded transcript, which may grow."""

    def copy(agent: str) -> Path:
        return Path(shutil.copy(PAYLOADS / f"{agent}.transcript.jsonl", tmp_path / f"{agent}.jsonl"))

    return copy


@pytest.fixture
def hook(project: Path) -> Hook:
    """Runs a hook with a recorded payload, whose folder and transcript are those of the test."""

    def run(
        agent: str, event: str, *options: str, raw: bytes | None = None, server: str = NOBODY, **changed: Any
    ) -> Said:
        if raw is None:
            payload = json.loads((PAYLOADS / f"{agent}.{event}.json").read_text(encoding="utf-8"))
            place = "workspace_roots" if agent == "cursor" else "cwd"
            payload[place] = [str(project)] if agent == "cursor" else str(project)
            payload |= {
                key: str(value) if isinstance(value, Path) else value for key, value in changed.items()
            }
            raw = json.dumps(payload).encode()
        done = commands.run(
            [str(PROGRAM), "hook", event, "--agent", agent, *options],
            stdin=raw,
            cwd=project.parent,
            env={**os.environ, "LONGMIND_SERVER": f"http://{server}", "LONGMIND_HELPER": "off"},
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def turns(memory: Memory) -> list[tuple[str | None, str]]:
    """Everything that was said, oldest first."""
    found = memory.timeline(where={"kind": "turn"}, newest_first=False)
    return [(frame.role, frame.text) for frame in sorted(found, key=lambda frame: frame.id)]
