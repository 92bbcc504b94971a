"""Real processes for the tests: started, told by lines, listened to, stopped and killed."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]


class Child:
    """A running act of `tests.store.worker`; killed at the latest when the `with` ends."""

    def __init__(self, verb: str, location: str, *arguments: str) -> None:
        pipes = [os.pipe() for _ in range(4)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1]]
        nursery = _nursery()
        socket.send_fds(nursery, [json.dumps([verb, location, *arguments]).encode()], theirs)
        self.pid = int.from_bytes(nursery.recv(4), "little")
        assert self.pid > 1, "the nursery is gone"
        for stream in theirs:
            os.close(stream)
        self._input = os.fdopen(pipes[0][1], "w")
        self._output, self._errors, self._ending = (os.fdopen(pipe[0], "r") for pipe in pipes[1:])
        self._status: int | None = None

    def tell(self, line: str = "go") -> None:
        self._input.write(line + "\n")
        self._input.flush()

    def hear(self, event: str | None = None) -> dict[str, Any]:
        """The next line; it must be the event expected."""
        line = self._output.readline()
        if not line:
            raise AssertionError(f"the child ended: {self._errors.read()}")
        heard: dict[str, Any] = json.loads(line)
        if event is not None and heard["event"] != event:
            raise AssertionError(f"expected {event}, heard {heard}")
        return heard

    def rest(self) -> list[dict[str, Any]]:
        """All whole lines until the child ends."""
        return [json.loads(line) for line in self._output if line.endswith("\n")]

    def end(self) -> None:
        """Close its input and wait for a clean exit."""
        self._input.close()
        if self._wait():
            raise AssertionError(f"the child failed: {self._errors.read()}")

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        if self._status is None:
            with suppress(ProcessLookupError):  # it may have ended by itself
                self.send(signal.SIGKILL)
            self._wait()

    def _wait(self) -> int:
        """Until the child is gone, and its number free again."""
        if self._status is None:
            self._status = int(self._ending.read())
        return self._status

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        for stream in (self._output, self._errors, self._ending):
            stream.close()
        try:
            self._input.close()
        except BrokenPipeError:  # something was still to be told
            return


@cache
def _nursery() -> socket.socket:
    """One for the whole run: it loads the package once and forks for each child."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen([sys.executable, "-m", "tests.store.nursery"], cwd=ROOT, stdin=theirs.fileno())
    theirs.close()

    def close() -> None:
        ours.close()
        process.wait()

    atexit.register(close)
    return ours
