"""Many texts are read in several processes: the rules of extraction take one core, and most of a bulk write.

A turn or a note is read where it is written. A batch is shared out, in pieces (`extraction_batch.py`), among
this process and a few others (`extraction_process.py`), which begin when there is enough to read and end by
themselves. To extract is a pure function of a source: what comes back does not depend on who did it, nor on
how many there are.
"""

from __future__ import annotations

import atexit
import os
import select
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from longmind.base.processes import ExtractionProcesses, usable_cores
from longmind.facts.checked_extraction import extract_checked
from longmind.facts.extraction import Extraction, ExtractionLimits, Extractor, ReferenceExtractor, Source
from longmind.store.parts import Failed

if TYPE_CHECKING:
    from longmind.facts.extraction_process import ExtractionProcess

_MOST_BY_ITSELF: Final = 4
"""Each takes about 60 MB; with more, what one process must write at the end is most of the time."""
WORTH_STARTING: Final = 200_000
"""Characters that take this process about half a second or more; a child takes that long to begin."""
_TEXTS_EACH: Final = 8
"""It takes so many texts to occupy one process more."""
_FORGOTTEN_AFTER: Final = 10.0
"""Seconds after which what was read before says nothing of how much there is to read."""

Extracted = Extraction | Failed


class ExtractionPool:
    """The processes that extract facts for this one, for all its stores together."""

    def __init__(self, *, worth_starting: int = WORTH_STARTING) -> None:
        self._worth_starting = worth_starting
        self.begin()

    def begin(self) -> None:
        """As in a new process, which a fork is: the children are those of the process that started them."""
        self._lock = threading.Lock()
        self._idle: list[ExtractionProcess] = []
        self._running = 0
        self._readers = 0
        self._characters = 0
        self._since = 0.0
        self._fails = False

    def extract(
        self,
        extractor: Extractor,
        sources: Sequence[Source],
        limits: ExtractionLimits,
        processes: ExtractionProcesses = "auto",
    ) -> list[Extracted]:
        """What the extractor finds in each source."""
        most = _usable(extractor, processes) if len(sources) > 1 else 0
        if not most:
            return [extract_checked(extractor, source, limits) for source in sources]
        characters = sum(len(source.text) for source in sources)
        helpers, is_alone = self._borrow(characters, min(most, 1 + len(sources) // _TEXTS_EACH))
        try:
            if not helpers:
                return [extract_checked(extractor, source, limits) for source in sources]
            from longmind.facts.extraction_batch import Batch

            return Batch(extractor, sources, limits, helpers).extracted(here=is_alone)
        finally:
            self._give_back(helpers)

    def _borrow(self, characters: int, wanted: int) -> tuple[list[ExtractionProcess], bool]:
        """Processes for so much to read, and whether no other thread of this one reads a batch."""
        with self._lock:
            now = time.monotonic()
            if now - self._since > _FORGOTTEN_AFTER:
                self._characters, self._since = 0, now
            self._characters += characters
            self._readers += 1
            self._idle = [helper for helper in self._idle if self._still_runs(helper)]
            if self._characters >= self._worth_starting:
                self._start(wanted - self._running)
            chosen = self._idle[:wanted]
            del self._idle[:wanted]
            return chosen, self._readers == 1

    def _still_runs(self, helper: ExtractionProcess) -> bool:
        if helper.runs:
            return True
        helper.end()
        self._running -= 1
        self._fails = self._fails or not helper.is_ready
        return False

    def _start(self, count: int) -> None:
        from longmind.facts.extraction_process import Ended, ExtractionProcess

        for _ in range(count):
            if self._fails:
                return
            try:
                self._idle.append(ExtractionProcess())
            except Ended:
                self._fails = True  # nothing is lost but time
                return
            self._running += 1

    def _give_back(self, helpers: Iterable[ExtractionProcess]) -> None:
        with self._lock:
            self._readers -= 1
            for helper in helpers:
                if self._still_runs(helper):
                    self._idle.append(helper)

    def close(self) -> None:
        """End the processes that nobody uses now."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._running -= len(idle)
        for helper in idle:
            helper.end()


POOL: Final = ExtractionPool()
atexit.register(POOL.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.begin)


def _usable(extractor: Extractor, processes: ExtractionProcesses) -> int:
    """How many processes may help; an extractor of somebody else may not be the same in another process."""
    if type(extractor) is not ReferenceExtractor or not _can_start():
        return 0
    return min(_MOST_BY_ITSELF, usable_cores() - 1) if processes == "auto" else processes


def _can_start() -> bool:
    """Whether this is a Python that can be started again, on a system whose pipes can be waited for."""
    is_python = Path(sys.executable or "").name.startswith(("python", "pypy"))
    return hasattr(select, "poll") and is_python and not getattr(sys, "frozen", False)
