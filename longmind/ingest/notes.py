"""What readers could not do, collected for the report: each kind once, with how many files it concerns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

_MOST_KINDS: Final = 20
"""A report of a million files must stay readable; the rest is in the metadata of the frames."""


class Notes:
    """Counts notes by their first line; what follows it is about one file alone."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[str, int]] = {}
        self._others = 0

    def add(self, uri: str, notes: Iterable[str]) -> None:
        for kind in sorted({note.partition("\n")[0].strip() for note in notes}):
            first, count = self._files.get(kind, (uri, 0))
            if count == 0 and len(self._files) >= _MOST_KINDS:
                self._others += 1
                continue
            self._files[kind] = (first, count + 1)

    def lines(self) -> tuple[str, ...]:
        """`talk.mp4: …` for one file, `12 files, talk.mp4 first: …` for more."""
        lines = [
            f"{_name(first)}: {kind}" if count == 1 else f"{count} files, {_name(first)} first: {kind}"
            for kind, (first, count) in self._files.items()
        ]
        if self._others:
            lines.append(f"{self._others} further notes: see `warnings` in the metadata of the frames.")
        return tuple(lines)


def _name(uri: str) -> str:
    return unquote(uri.rsplit("/", 1)[-1]) or "the text"
