"""What it takes to read a sentence in other words: a shape, and what is read in the place of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

Edit = tuple[int, int, str]
"""A range of the text, and what is read in its place."""

NAME: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
WHO: Final = rf"(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Oo]ur) [a-z-]+(?: {NAME})?|{NAME})"


class Rewording(NamedTuple):
    hints: tuple[tuple[str, ...], ...]
    """Of each of these, one stands in whatever the pattern matches; in lower case."""
    shape: re.Pattern[str]
    edits: Callable[[re.Match[str]], Iterator[Edit]]


def cut(*groups: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Leave out what some groups matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        for group in groups:
            yield match.start(group), match.end(group), ""

    return edits


def put(group: str, text: str) -> Callable[[re.Match[str]], Iterator[Edit]]:
    """Read a text in the place of what a group matched."""

    def edits(match: re.Match[str]) -> Iterator[Edit]:
        yield match.start(group), match.end(group), match.expand(text)

    return edits


def reworded(masked: str, rewordings: tuple[Rewording, ...]) -> Iterator[Edit]:
    """What to read in another way, as ranges of the text."""
    low = masked.lower()
    for hints, shape, edits in rewordings:
        for alternatives in hints:
            for hint in alternatives:
                if hint in low:
                    break
            else:
                break
        else:
            for match in shape.finditer(masked):
                yield from edits(match)
