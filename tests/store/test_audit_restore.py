"""A restored store has the log of its backup, and says that it was restored."""

from __future__ import annotations

from pathlib import Path

from longmind import ALL, Memory
from tests.store.opening import open_memory


def test_a_restore_is_an_entry_after_those_of_the_backup(tmp_path: Path) -> None:
    path, backup = tmp_path / "a.mind", tmp_path / "backup.mind"
    with open_memory(path) as memory:
        memory.remember("first")
        memory.backup(backup)
        before = memory.audit(space=ALL).entries
        memory.remember("second")
        head = memory.audit_head()
    Memory.restore(backup, path, overwrite=True)
    with open_memory(path) as memory:
        [restored, *others] = memory.audit(space=ALL)
        assert (restored.action, dict(restored.detail)) == ("restore", {"replaced": True})
        assert tuple(others) == before
        assert memory.verify(deep=True)
        assert not memory.audit_check(head)
