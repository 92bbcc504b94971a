"""Raises an exception at a chosen bytecode of a call, as a signal handler or another thread may.

A call is run once to record every place that it comes by: an instruction of a function, and where functions
open and close things, also who called it. Later runs raise at one of these places each, and trace no function
but the one they wait for, so that a run costs little more than the call itself.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import longmind

PACKAGE = str(Path(longmind.__file__).parent)
STORE = str(Path(longmind.__file__).parent / "store")
SCOPES = tuple(
    f"{STORE}/{name}.py"
    for name in "transaction scope store_scopes sqlite_transactions postgres_pool lease store".split()
)
"""What begins, commits, rolls back and returns to the pool: every caller of it is a place of its own."""


class Interrupt(KeyboardInterrupt):
    """What the tests raise."""


class Place(NamedTuple):
    """An instruction, and of functions that others enter and leave, from where they were called."""

    code: CodeType
    offset: int
    caller: CodeType | None

    def __str__(self) -> str:
        lines = [line for offset, line in dis.findlinestarts(self.code) if offset <= self.offset]
        return f"{self.code.co_qualname}:{lines[-1] if lines else self.code.co_firstlineno}+{self.offset}"


class Recorder:
    """Counts how often a call comes by each place in the files under a folder."""

    def __init__(self, under: str) -> None:
        self.times: dict[Place, int] = {}
        self._under = under

    def run(self, call: Callable[[], Any]) -> None:
        _traced(call, self._enter)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not _is_watched(frame.f_code, self._under):
            return None
        return _by_opcode(frame, self._step)

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode" and frame.f_lasti not in _unreachable(frame.f_code):
            place = Place(frame.f_code, frame.f_lasti, _caller(frame))
            self.times[place] = self.times.get(place, 0) + 1
        return self._step


class Interrupter:
    """Raises when a call comes by a place for the n-th time."""

    def __init__(self, place: Place, time: int = 1) -> None:
        self.raised = False
        self._place = place
        self._left = time

    def run(self, call: Callable[[], Any]) -> None:
        """The call, until it ends or the exception comes out of it."""
        _traced(call, self._enter)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code is not self._place.code or self.raised:
            return None
        if self._place.caller is not None and _caller(frame) is not self._place.caller:
            return None
        return _by_opcode(frame, self._step)

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode" and frame.f_lasti == self._place.offset and not self.raised:
            self._left -= 1
            if not self._left:
                self.raised = True
                raise Interrupt(str(self._place))
        return self._step


def places_of(call: Callable[[], Any], *, under: str = PACKAGE) -> dict[Place, int]:
    """Every place that a call comes by, in the order of the first time, and how often it does."""
    recorder = Recorder(under)
    recorder.run(call)
    return recorder.times


def interrupt(call: Callable[[], Any], place: Place, time: int = 1) -> bool:
    """Run a call that is interrupted at a place; whether it came there. The exception is gone then."""
    interrupter = Interrupter(place, time)
    with suppress(Interrupt):
        interrupter.run(call)
    return interrupter.raised


def _traced(call: Callable[[], Any], enter: Callable[[FrameType, str, Any], Any]) -> None:
    # In a context of its own: whatever a raise leaves in context variables would name what later tests do.
    context = copy_context()
    sys.settrace(enter)
    try:
        context.run(call)
    finally:
        sys.settrace(None)


def _by_opcode(frame: FrameType, step: Callable[[FrameType, str, Any], Any]) -> Any:
    frame.f_trace_lines = False
    frame.f_trace_opcodes = True
    return step


@cache
def _is_watched(code: CodeType, under: str) -> bool:
    return code.co_filename.startswith(under) or code.co_filename.endswith("/contextlib.py")


@cache
def _is_scope(code: CodeType) -> bool:
    return code.co_filename in SCOPES or code.co_filename.endswith("/contextlib.py")


def _caller(frame: FrameType) -> CodeType | None:
    back = frame.f_back
    return back.f_code if back is not None and _is_scope(frame.f_code) else None


@cache
def _unreachable(code: CodeType) -> frozenset[int]:
    """Where CPython delivers no signal: between the end of a `with` block and the call of `__exit__`.

    For a lock, whose `__exit__` is not Python, these are the only instructions at which it could be left
    locked, so an exception there would show what cannot happen.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    offsets: set[int] = set()
    for place, first in enumerate(steps):
        window = steps[place : place + 5]
        nones = [step for step in window[:3] if step.opname == "LOAD_CONST" and step.argval is None]
        if first in nones and len(nones) == 3:
            calls = [step for step in window[3:] if step.opname in ("PRECALL", "CALL")]
            offsets.update(step.offset for step in (*nones, *calls))
            # Before that, a block that returns something puts it below `__exit__`; and it may end in nothing.
            before = place - 1
            while steps[before].opname in ("SWAP", "NOP"):
                offsets.add(steps[before].offset)
                before -= 1
    return frozenset(offsets)
