"""A process that extracts facts for another one: sources come in on its standard input, extractions go out.

A message is its length and a pickle. Both ends are this module, in a process and in the child that it started
with its own interpreter and its own search path; nothing else can write to their pipes.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from longmind.facts.checked_extraction import extract_checked
from longmind.facts.extraction import (
    Extraction,
    ExtractionLimits,
    FoundEntity,
    FoundFact,
    ReferenceExtractor,
    Source,
)
from longmind.store.parts import Failed

IDLE_SECONDS: Final = 30.0
"""A process that was asked nothing for so long ends by itself."""

Extracted = list[Extraction | Failed]
_LENGTH: Final = struct.Struct("<Q")
_AT_ONCE: Final = 2**20
_START: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from longmind.facts.extraction_process import main; main(float(sys.argv[2]))"
)
_PRIVATE: Final = "LONGMIND_"
"""Settings of a store, its key among them: reading texts needs none."""


class Ended(Exception):
    """The other process is gone, or does not answer as one of these does."""


class ExtractionProcess:
    """A child that extracts facts, as the process that started it sees it."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self.is_ready = False
        """Whether it has begun: until then, it is asked nothing, so that nobody waits for it."""
        try:
            search_path = [str(Path(entry or ".").resolve()) for entry in sys.path]
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps(search_path), str(idle_seconds)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if not name.startswith(_PRIVATE)},
            )
        except (OSError, ValueError) as error:
            raise Ended(str(error)) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._back = self._process.stdin.fileno(), self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def fileno(self) -> int:
        """Ready to be read when it has begun, and when an answer comes."""
        return self._back

    def send(self, job: bytes) -> None:
        try:
            _write(self._to, job)
        except OSError as error:
            raise Ended(str(error)) from error

    def receive(self) -> Extracted:
        try:
            answer = pickle.loads(_read(self._back))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError, AttributeError, ImportError) as error:
            raise Ended(str(error)) from error
        if not isinstance(answer, list):
            raise Ended(f"An answer is a {type(answer).__name__}.")
        return answer

    def begin(self) -> None:
        """Take note that it has begun."""
        if self.receive():
            raise Ended("It answered before it was asked.")
        self.is_ready = True

    def end(self) -> None:
        """End it, whatever it is doing."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.kill()
        process.wait()


def job(sources: Sequence[Source], limits: ExtractionLimits) -> bytes:
    """A message that asks for the facts of some sources."""
    return _packed((list(sources), limits))


def main(idle_seconds: float) -> None:
    """Answer until the other end is closed, or has asked nothing for so long."""
    # Ctrl-C in a terminal reaches all processes of a command: the one that was interrupted decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    to = os.dup(1)
    # What a library prints must not get between the answers.
    os.dup2(2, 1)
    extractor = ReferenceExtractor()
    extractor.extract(
        Source("I live in Rome.", "default", "text")
    )  # loads what is loaded with the first text
    with suppress(EOFError, OSError):
        _write(to, _packed([]))
        while select.select([0], [], [], idle_seconds)[0]:
            sources, limits = pickle.loads(_read(0))
            _write(to, _packed([extract_checked(extractor, source, limits) for source in sources]))


class _Pickler(pickle.Pickler):
    """Takes records apart in C: what a dataclass does by itself takes as long as reading a short text."""

    dispatch_table: Any


def _parts(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    fields = attrgetter(*kind.__dataclass_fields__)
    return lambda record: (kind, fields(record))


_Pickler.dispatch_table = {
    kind: _parts(kind) for kind in (Source, Extraction, FoundEntity, FoundFact, ExtractionLimits, Failed)
}


def _packed(message: object) -> bytes:
    out = BytesIO()
    _Pickler(out, pickle.HIGHEST_PROTOCOL).dump(message)
    return out.getvalue()


def _write(pipe: int, message: bytes) -> None:
    rest = memoryview(_LENGTH.pack(len(message)) + message)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _read(pipe: int) -> bytes:
    (size,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, size)


def _exactly(pipe: int, size: int) -> bytes:
    pieces = []
    while size:
        piece = os.read(pipe, min(size, _AT_ONCE))
        if not piece:
            raise EOFError("The pipe was closed.")
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
