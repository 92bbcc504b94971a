"""Long work on a store: which step it is at, how far it has come, and how the last of each kind ended.

Work says `with store.tasks.running(...)`, and what it calls says `advance` and `begin_stage` from any depth;
outside of such work, both do nothing. Other threads read along: a page that shows progress, a terminal.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Literal

from longmind.base.times import Clock


@dataclass(frozen=True, slots=True)
class Task:
    """One piece of long work as it stands now, or as it ended."""

    name: str
    """verify, reindex, maintain or compact."""
    state: Literal["running", "done", "failed", "running elsewhere", "stopped"]
    """"running elsewhere" in another process; "stopped" where that one is gone."""
    stage: str
    """Which part of it is under way."""
    share: float
    """How much of all is done, from 0 to 1. Stages count alike, though they take different times."""
    done: int
    """Of this stage, such as frames."""
    total: int | None
    started_at: int
    seconds: float = 0.0
    result: Any = None
    """What it returned."""
    error: str = ""


class Tasks:
    """The long work of one store in this process: what is under way, and the last of each kind that ended."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._lock = Lock()
        self._running: list[_Work] = []
        self._ended: dict[str, Task] = {}
        self.listener: Callable[[Task], None] | None = None
        """Called after every step, in the thread that does the work."""

    @contextmanager
    def running(self, name: str, stages: Sequence[str] = ()) -> Iterator[_Work]:
        """Work in the named stages, which it begins one after the other."""
        work = _Work(self, name, list(stages))
        with self._lock:
            self._running.append(work)
        token = _current.set(work)
        try:
            yield work
        except BaseException as error:  # also Ctrl-C: whoever watches the task learns how it ended
            ended = replace(work.task(), state="failed", error=str(error) or type(error).__name__)
            self._end(work, ended)
            raise
        else:
            self._end(work, replace(work.task(), state="done", share=1.0))
        finally:
            _current.reset(token)

    def listed(self) -> tuple[Task, ...]:
        """What is under way, then what ended, the last first."""
        with self._lock:
            return (*(work.task() for work in self._running), *reversed(self._ended.values()))

    def _end(self, work: _Work, task: Task) -> None:
        with self._lock:
            self._running.remove(work)
            self._ended.pop(work.name, None)  # so that the last that ended is the last in the dictionary
            self._ended[work.name] = task
        self._tell(task)

    def _tell(self, task: Task) -> None:
        listener = self.listener
        if listener is not None:
            listener(task)


class _Work:
    """The changing side of a task: written by the thread that works, read by others as a `Task`."""

    def __init__(self, tasks: Tasks, name: str, stages: list[str]) -> None:
        self.name = name
        self.result: Any = None
        self._tasks = tasks
        self._stages = stages
        self._stage = 0
        self._done = 0
        self._total: int | None = None
        self._started_at = tasks.clock.now()
        self._started = time.monotonic()

    def begin(self, stage: str, total: int | None) -> None:
        if stage not in self._stages:
            self._stages.append(stage)
        self._stage = self._stages.index(stage) + 1
        self._done, self._total = 0, total
        self._tasks._tell(self.task())

    def advance(self, done: int) -> None:
        self._done = done
        self._tasks._tell(self.task())

    def task(self) -> Task:
        within = min(1.0, self._done / self._total) if self._total else 0.0
        share = (max(0, self._stage - 1) + within) / max(1, len(self._stages))
        return Task(
            name=self.name,
            state="running",
            stage=self._stages[self._stage - 1] if self._stage else "",
            share=round(share, 4),
            done=self._done,
            total=self._total,
            started_at=self._started_at,
            seconds=round(time.monotonic() - self._started, 2),
            result=self.result,
        )


_current: ContextVar[_Work | None] = ContextVar("task", default=None)


def begin_stage(name: str, total: int | None = None) -> None:
    """The work under way comes to its next part, of `total` steps where that is known."""
    work = _current.get()
    if work is not None:
        work.begin(name, total)


def advance(done: int) -> None:
    """So many steps of the stage are done."""
    work = _current.get()
    if work is not None:
        work.advance(done)
