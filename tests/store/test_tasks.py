"""Long work says how far it has come, to whoever looks while it runs."""

from __future__ import annotations

import pytest

from longmind import Memory
from longmind.store.tasks import Task, advance, begin_stage


def test_a_deep_check_and_a_rebuild_tell_their_stages_and_how_far_they_are(memory: Memory) -> None:
    memory.remember_many([f"Note {number} about the export." for number in range(1200)])
    seen: list[Task] = []
    memory.store.tasks.listener = seen.append
    report = memory.verify(deep=True)
    stages = list(dict.fromkeys(task.stage for task in seen))
    assert stages[:3] == ["pages", "audit log", "frames"]
    assert {"text", "facts"} <= set(stages)
    assert [(task.done, task.total) for task in seen if task.stage == "frames"][-1] == (1000, 1200)
    shares = [task.share for task in seen]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert (seen[-1].state, seen[-1].share, seen[-1].result) == ("done", 1.0, report)

    seen.clear()
    counts = memory.reindex()
    text = [task for task in seen if task.stage == "text"]
    assert {task.total for task in text} == {1200}
    assert max(task.done for task in text) == 1200
    assert memory.store.tasks.listed()[0].result == dict(counts)
    assert [task.name for task in memory.store.tasks.listed()] == ["reindex", "verify"]


def test_work_that_fails_says_so_and_what_is_outside_of_work_is_no_task(memory: Memory) -> None:
    begin_stage("nothing")
    advance(3)
    assert memory.store.tasks.listed() == ()

    def work() -> None:
        with memory.store.tasks.running("verify", ["one", "two"]):
            begin_stage("two", 10)
            advance(5)
            assert [task.share for task in memory.store.tasks.listed()] == [0.75]
            raise OSError("the disk is gone")

    with pytest.raises(OSError, match="disk"):
        work()
    [task] = memory.store.tasks.listed()
    assert (task.state, task.error, task.stage) == ("failed", "the disk is gone", "two")
