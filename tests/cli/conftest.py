"""The command as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from tests import commands

PROGRAM = Path(sys.executable).with_name("longmind")


@dataclass(frozen=True)
class Outcome:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error as JSON; nothing else may stand on standard error, and nothing on standard output."""
        assert self.out == ""
        found: dict[str, Any] = json.loads(self.err)["error"]
        return found


Longmind = Callable[..., Outcome]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the command is run."""
    return tmp_path


@pytest.fixture
def notes(folder: Path) -> Iterator[Memory]:
    """The memory that the command finds by default in its folder, to prepare and to look into."""
    (folder / ".longmind").mkdir()
    with Memory.open(folder / ".longmind" / "memory.mind") as memory:
        yield memory


@pytest.fixture
def longmind(folder: Path) -> Longmind:
    """Runs `longmind` with the arguments given; `env` adds to the environment."""

    def run(
        *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None, obedient: bool = False
    ) -> Outcome:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("LONGMIND_")}
        kept["LONGMIND_HELPER"] = "off"  # each command by itself, and no process left behind
        words, environment = [str(PROGRAM), *arguments], {**kept, **(env or {})}
        if obedient:
            done = subprocess.run(
                words, input=stdin, cwd=folder, env=environment, capture_output=True, timeout=120,
                preexec_fn=_obey_permissions,
            )  # fmt: skip
        else:
            done = commands.run(words, stdin=stdin, cwd=folder, env=environment)
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in outcome.err, outcome.err
        return outcome

    return run


def _obey_permissions() -> None:
    """Let even root be bound by file permissions: drop the capabilities that override them."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
