"""`with` blocks that end whatever is raised, at whatever bytecode; and a queue for one at a time.

An exception may come between any two bytecodes: Ctrl-C, a signal handler that raises, one thread raising in
another. It may come after a lock was taken and before `try`, or at the first bytecode of `__exit__`, so that
nothing of it runs; a generator with `@contextmanager` has both windows. What a `Scope` took is given back
even then: the callable that leaves the block is held by the `with` statement alone, so that it is destroyed
when the block is gone, and its destruction undoes what was not ended.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial, wraps
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, ParamSpec, Self, TypeVar, overload

T = TypeVar("T")
Inner = TypeVar("Inner")
P = ParamSpec("P")
Leave = Callable[[type[BaseException] | None, BaseException | None, TracebackType | None], None]

_WAKE_SECONDS: Final = 0.05
"""So often a waiting thread looks by itself: whoever should have woken it may have been interrupted."""

_forks = [0]
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _forks.append(0))


class _Exit:
    """`__exit__` of a scope: made when the `with` statement begins, before `__enter__` is called."""

    @overload
    def __get__(self, scope: None, owner: type[Scope[Any]]) -> Callable[..., None]: ...

    @overload
    def __get__(self, scope: Scope[Any], owner: type[Scope[Any]]) -> Leave: ...

    def __get__(self, scope: Scope[Any] | None, owner: type[Scope[Any]]) -> Callable[..., None]:
        return owner.leave if scope is None else scope.leaving()


class Scope(ABC, Generic[T]):
    """A context manager in three steps: `begin`, then `end`, or `undo` when that did not come to its end.

    `undo` may be called after any part of the other two, and twice; it raises nothing.
    """

    __exit__ = _Exit()

    _over = True
    """Until it is started: before that there is nothing to undo."""

    @property
    def was_given_up(self) -> bool:
        """Whether another one took its place before it ended."""
        return False

    def __init__(self) -> None:
        self._leaving: weakref.ref[partial[None]] | None = None
        self._outer: weakref.ref[Scope[Any]] | None = None
        self._forks = len(_forks)

    @abstractmethod
    def begin(self) -> T:
        """Take what the block needs; what is returned is bound by `as`."""

    @abstractmethod
    def end(self, error: BaseException | None) -> None:
        """Finish after the block, which may have raised an error; that error is raised again."""

    @abstractmethod
    def undo(self) -> None:
        """Give back whatever the other two had taken by then."""

    def __enter__(self) -> T:
        return self.start()

    def start(self) -> T:
        self._over = False
        return self.begin()

    def leaving(self) -> Leave:
        """Leaves the block when called; when destroyed without that, gives it up.

        A partial has no frame of its own when it is called, so that no traceback, which an interactive
        session keeps for long, keeps it alive: it is destroyed with the `with` statement that holds it.
        """
        leaving = partial(self.leave)
        self._leaving = weakref.ref(leaving, self._forsaken)
        return leaving

    def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(error)
        self._over = True
        # No Python runs when the partial is destroyed now: an exception that came just then would be lost.
        self._leaving = None

    def _forsaken(self, _: weakref.ref[partial[None]]) -> None:
        self.abandon()

    def within(self, outer: Scope[Any]) -> Self:
        """As a step of another scope, which calls `start`, `leave` and `abandon`."""
        self._outer = weakref.ref(outer)
        return self

    @property
    def is_over(self) -> bool:
        """Whether the block was left, even if what leaving it does was interrupted."""
        if self._over or (self._leaving is not None and self._leaving() is None):
            return True
        if self._outer is None:
            return False
        outer = self._outer()
        return outer is None or outer.is_over

    def abandon(self) -> None:
        """Undo what was not ended; for a process that is a fork's child, that is its parent's to do."""
        if not self._over and self._forks == len(_forks):
            self.undo()
            self._over = True


class Mapped(Scope[T], Generic[T, Inner]):
    """Another scope with a value made of its own."""

    def __init__(self, inner: Scope[Inner], value: Callable[[Inner], T]) -> None:
        super().__init__()
        self._inner = inner.within(self)
        self._value = value

    def begin(self) -> T:
        return self._value(self._inner.start())

    def end(self, error: BaseException | None) -> None:
        self._inner.leave(None, error, None)

    def undo(self) -> None:
        self._inner.abandon()


class _Generated(Scope[T]):
    """A generator that yields once, as for `@contextmanager`; given up, it is closed where it stands."""

    def __init__(self, make: Callable[[], Iterator[T]]) -> None:
        super().__init__()
        self._make = make
        self._steps: Iterator[T] | None = None

    def begin(self) -> T:
        self._steps = steps = self._make()
        return next(steps)

    def end(self, error: BaseException | None) -> None:
        steps = self._steps
        assert isinstance(steps, Generator)
        if error is None:
            for _ in steps:
                raise AssertionError("yields once")
            return
        try:
            steps.throw(error)
        except BaseException as raised:  # as in contextlib: only the same error is not raised again
            if raised is not error:
                raise

    def undo(self) -> None:
        if isinstance(self._steps, Generator):
            with suppress(Exception):  # `undo` raises nothing, whatever the generator does
                self._steps.close()


def scoped(function: Callable[P, Iterator[T]]) -> Callable[P, Scope[T]]:
    """As `@contextmanager`, for a generator whose `finally` must run whatever is raised, and whenever."""

    @wraps(function)
    def make(*arguments: P.args, **options: P.kwargs) -> Scope[T]:
        return _Generated(partial(function, *arguments, **options))

    return make


class Turn(Scope[T]):
    """A scope of which there is one at a time, first come, first served, among the threads of a process."""

    def __init__(self, queue: TurnQueue) -> None:
        super().__init__()
        self._queue = queue
        self.thread = threading.get_ident()
        self.wake: SimpleQueue[None] = SimpleQueue()

    def wait(self, seconds: float) -> bool:
        """Queue; False if the turn did not come in time."""
        return self._queue.wait(self, seconds)

    @property
    def has_turn(self) -> bool:
        return self._queue.first is self

    def release(self) -> None:
        """What is to be done before the turn goes to the next; raises nothing."""

    def undo(self) -> None:
        # One thread at a time: one that waits may do this for one that is still at it. `with` on a lock that
        # is not written in Python is safe: no exception is delivered between taking it and the block.
        with self._queue.undoing:
            if self.has_turn:
                self.release()
            self._queue.remove(self)


class TurnQueue:
    """Who is first has the turn.

    A list, and no lock: one call both takes a place and records whose it is, so that no interrupt leaves a
    place that belongs to nobody; and taking one's place away a second time does nothing.
    """

    def __init__(self) -> None:
        self._turns: list[Turn[Any]] = []
        self.undoing = threading.RLock()

    @property
    def first(self) -> Turn[Any] | None:
        for turn in self._turns:
            return turn
        return None

    def wait(self, turn: Turn[Any], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        self._turns.append(turn)
        while (first := self.first) is not turn:
            remaining = deadline - time.monotonic()
            if first is not None and (first.is_over or first.thread == turn.thread):
                # Its block is gone; or a thread would wait for itself, which only what is left over makes it.
                first.abandon()
            elif remaining <= 0:
                return False
            else:
                with suppress(Empty):
                    turn.wake.get(timeout=min(remaining, _WAKE_SECONDS))
        return True

    def remove(self, turn: Turn[Any]) -> None:
        with suppress(ValueError):
            self._turns.remove(turn)
        first = self.first
        if first is not None:
            first.wake.put(None)
