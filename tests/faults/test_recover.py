"""A store that another tool has opened, and a restore that is killed: nothing acknowledged is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest

from longmind import Corrupt, Memory
from longmind.store import copies
from tests import commands
from tests.faults.test_log import killed


def test_a_killed_store_that_another_tool_opened_is_recovered_whole(tmp_path: Path) -> None:
    path = tmp_path / "agent.mind"
    acknowledged = killed(path, "agent")
    sqlite3.connect(path).execute("SELECT count(*) FROM frame").connection.close()
    with pytest.raises(Corrupt, match="longmind recover"):
        Memory.open(path, embedder=None)
    done = commands.run([commands.LONGMIND, "recover", str(path)], text=True)
    assert done.returncode == 0, done.stderr
    with Memory.open(path, embedder=None) as memory:
        assert {frame.text for frame in memory.list(limit=1000)} == set(acknowledged)
        assert memory.verify(deep=True)


def test_recover_refuses_a_file_whose_rows_are_damaged_too(tmp_path: Path) -> None:
    path = tmp_path / "agent.mind"
    with Memory.open(path, embedder=None) as memory:
        for number in range(50):
            memory.remember(f"note {number} about something")
    other = sqlite3.connect(path)
    other.execute("DROP TRIGGER frame_text_is_immutable")
    other.execute("UPDATE frame_text SET text = 'forged' WHERE frame_id = 3")
    other.commit()
    other.close()
    before = path.read_bytes()
    done = commands.run([commands.LONGMIND, "recover", str(path)], text=True)
    assert done.returncode != 0
    assert "Nothing was changed" in done.stderr
    assert path.read_bytes() == before


STEPS = ("_second_name", "put_in_place", "sync")
"""What `restore` does one after the other; a kill after each leaves every state there can be."""


def restore_and_die(backup: Path, path: Path, step: str) -> None:
    pid = os.fork()
    if pid == 0:
        original = getattr(copies, step)

        def stopped(*arguments: object) -> None:
            original(*arguments)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(copies, step, stopped)
        with suppress(BaseException):
            Memory.restore(backup, path, overwrite=True)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL


@pytest.mark.parametrize("step", STEPS)
def test_a_restore_killed_at_any_step_loses_neither_store(tmp_path: Path, step: str) -> None:
    path, backup = tmp_path / "agent.mind", tmp_path / "backup.mind"
    with Memory.open(backup, embedder=None) as memory:
        memory.remember("from the backup")
    acknowledged = killed(path, "agent")
    restore_and_die(backup, path, step)
    with suppress(Corrupt), Memory.open(path, embedder=None) as memory:  # refused, or one of the two whole
        texts = [frame.text for frame in memory.list(limit=1000)]
        assert texts in (acknowledged, ["from the backup"])
    Memory.restore(backup, path, overwrite=True)
    with Memory.open(path, embedder=None) as memory:
        assert [frame.text for frame in memory.list()] == ["from the backup"]
    if step != STEPS[0]:  # then the store as it was has its second name, with its log
        with Memory.open(path.with_name(f"{path.name}.before-restore"), embedder=None) as memory:
            assert [frame.text for frame in memory.list(limit=1000)] == acknowledged
