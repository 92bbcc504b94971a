"""Real processes for the tests: started, told by lines, listened to, killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]


class Child:
    """A running `tests.store.worker`; killed at the latest when the `with` ends."""

    def __init__(self, verb: str, location: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.worker", verb, location, *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def tell(self, line: str = "go") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self, event: str | None = None) -> dict[str, Any]:
        """The next line; it must be the event expected."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"the child ended: {self._errors()}")
        heard: dict[str, Any] = json.loads(line)
        if event is not None and heard["event"] != event:
            raise AssertionError(f"expected {event}, heard {heard}")
        return heard

    def rest(self) -> list[dict[str, Any]]:
        """All whole lines until the child ends."""
        assert self.process.stdout is not None
        return [json.loads(line) for line in self.process.stdout if line.endswith("\n")]

    def end(self) -> None:
        """Close its input and wait for a clean exit."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        if self.process.wait(60):
            raise AssertionError(f"the child failed: {self._errors()}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def _errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):
                    stream.close()
