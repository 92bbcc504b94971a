"""The sources of one batch on their way between this process and others that extract for it."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Sequence
from typing import Final

from longmind.facts.checked_extraction import extract_checked
from longmind.facts.extraction import Extraction, ExtractionLimits, Extractor, Source
from longmind.facts.extraction_process import Ended, ExtractionProcess, job
from longmind.store.parts import Failed

_PIECE: Final = (1_000, 8_000)
"""Characters that one process is sent at a time: less when little is left, so that all end together."""
_ON_THE_WAY: Final = 2
"""Pieces that a process has, so that it never waits for the next one."""
_PIPE: Final = 16_384
"""A message this long fits a pipe on every system. A longer one goes to a process that waits for it: while
one writes an answer and the other a message, neither would read."""


class Batch:
    """Sources on their way between this process and others."""

    def __init__(
        self,
        extractor: Extractor,
        sources: Sequence[Source],
        limits: ExtractionLimits,
        helpers: Sequence[ExtractionProcess],
    ) -> None:
        self._extractor, self._sources, self._limits = extractor, sources, limits
        self._results: list[Extraction | Failed | None] = [None] * len(sources)
        self._next = 0
        self._left = sum(len(source.text) for source in sources)
        self._returned: deque[range] = deque()
        """Pieces of a process that ended before it answered."""
        self._sent: dict[ExtractionProcess, deque[range]] = {helper: deque() for helper in helpers}
        self._poll = select.poll()
        self._by_pipe = {helper.fileno(): helper for helper in helpers}
        for pipe in self._by_pipe:
            self._poll.register(pipe, select.POLLIN)

    def extracted(self, *, here: bool) -> list[Extraction | Failed]:
        """Share out the sources; `here` lets this process read some of them even if others can."""
        try:
            for helper in list(self._sent):
                self._send_on(helper)
            while not self._is_done:
                others = any(helper.is_ready for helper in self._sent)
                piece = self._piece() if here or not others else None
                for index in piece or ():
                    source = self._sources[index]
                    self._results[index] = extract_checked(self._extractor, source, self._limits)
                    self._take_answers(wait=False)
                if piece is None:
                    for helper in list(self._sent):
                        self._send_on(helper)  # what another left behind
                    self._take_answers(wait=True)
        except BaseException:
            # An answer that nobody takes would be taken for that to the next question.
            for helper, pieces in self._sent.items():
                if pieces:
                    helper.end()
            raise
        return [result for result in self._results if result is not None]

    @property
    def _is_done(self) -> bool:
        return not self._returned and self._next >= len(self._sources) and not any(self._sent.values())

    def _piece(self) -> range | None:
        """The next sources that nobody reads yet."""
        if self._returned:
            return self._returned.popleft()
        start, taken = self._next, 0
        least, most = _PIECE
        enough = min(most, max(least, self._left // (4 * (len(self._sent) + 1))))
        while self._next < len(self._sources) and taken < enough:
            taken += len(self._sources[self._next].text)
            self._next += 1
        self._left -= taken
        return range(start, self._next) if self._next > start else None

    def _send_on(self, helper: ExtractionProcess) -> None:
        """Let a process have as much as it can take."""
        sent = self._sent[helper]
        while helper.is_ready and len(sent) < _ON_THE_WAY:
            piece = self._piece()
            if piece is None:
                return
            message = job([self._sources[index] for index in piece], self._limits)
            if sent and len(message) > _PIPE:
                self._returned.append(piece)
                return
            sent.append(piece)
            try:
                helper.send(message)
            except Ended:
                self._leave(helper)
                return

    def _take_answers(self, *, wait: bool) -> None:
        for pipe, _ in self._poll.poll(None if wait else 0):
            helper = self._by_pipe[pipe]
            try:
                if helper.is_ready:
                    self._take(helper)
                else:
                    helper.begin()
            except Ended:
                self._leave(helper)
            else:
                self._send_on(helper)

    def _take(self, helper: ExtractionProcess) -> None:
        answer = helper.receive()
        pieces = self._sent[helper]
        if not pieces or len(answer) != len(pieces[0]):
            raise Ended("An answer is not of what was asked.")
        for index, result in zip(pieces.popleft(), answer, strict=True):
            self._results[index] = result

    def _leave(self, helper: ExtractionProcess) -> None:
        """Go on without a process: what it was sent is read by others, or here."""
        self._poll.unregister(helper.fileno())
        helper.end()
        self._returned.extend(self._sent.pop(helper))
