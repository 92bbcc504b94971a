"""Raises an exception at the n-th bytecode of a call, as a signal handler or another thread may."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import longmind

PACKAGE = str(Path(longmind.__file__).parent)
STORE = str(Path(longmind.__file__).parent / "store")


class Interrupt(KeyboardInterrupt):
    """What the tests raise."""


class Interrupter:
    """Counts the bytecodes of a call in the files under some folders, and raises at one of them."""

    def __init__(self, *, under: str = PACKAGE, at: int | None = None) -> None:
        self.count = 0
        self.raised = False
        self.position = ""
        self.instructions: dict[tuple[CodeType, int], tuple[int, int]] = {}
        """The first and the last time that each instruction was reached, as counted here."""
        self._under = under
        self._at = at

    def run(self, call: Callable[[], Any]) -> None:
        """The call, until it ends or the exception comes out of it."""
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(self._under) and not name.endswith("/contextlib.py"):
            return None
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event != "opcode" or self.raised or frame.f_lasti in _unreachable(frame.f_code):
            return self._step
        self.count += 1
        if self._at is None:
            first, _ = self.instructions.setdefault((frame.f_code, frame.f_lasti), (self.count, self.count))
            self.instructions[frame.f_code, frame.f_lasti] = first, self.count
        elif self.count == self._at:
            self.raised = True
            self.position = f"{frame.f_code.co_qualname}:{frame.f_lineno}"
            raise Interrupt(self.position)
        return self._step


def count_bytecodes(call: Callable[[], Any], *, under: str = PACKAGE) -> int:
    counter = Interrupter(under=under)
    counter.run(call)
    return counter.count


def each_instruction(call: Callable[[], Any], *, under: str = PACKAGE) -> list[int]:
    """Where to interrupt a call so that every instruction it comes by is hit, at its first and last time."""
    counter = Interrupter(under=under)
    counter.run(call)
    return sorted({at for reached in counter.instructions.values() for at in reached})


def interrupt(call: Callable[[], Any], *, at: int, under: str = PACKAGE) -> Interrupter:
    """Run a call that is interrupted at this bytecode; the exception is gone when it returns."""
    interrupter = Interrupter(under=under, at=at)
    with suppress(Interrupt):
        interrupter.run(call)
    return interrupter


@cache
def _unreachable(code: CodeType) -> frozenset[int]:
    """Where CPython delivers no signal: between the end of a `with` block and the call of `__exit__`.

    For a lock, whose `__exit__` is not Python, these are the only instructions at which it could be left
    locked, so an exception there would show what cannot happen.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "NOP")]
    offsets: set[int] = set()
    for index, first in enumerate(steps):
        window = steps[index : index + 5]
        nones = [step for step in window[:3] if step.opname == "LOAD_CONST" and step.argval is None]
        if first in nones and len(nones) == 3:
            calls = [step for step in window[3:] if step.opname in ("PRECALL", "CALL")]
            offsets.update(step.offset for step in (*nones, *calls))
    return frozenset(offsets)
