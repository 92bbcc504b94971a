"""Regular expressions of the user's, refused where a hostile text could make them run for hours.

Repetition inside a repetition, alternatives inside one, and references back can take exponential time; more
than two open repetitions in a row that may share their characters take too long as well. What is left is
applied line by line in windows, so that its time is bounded by a small multiple of the text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any, Final

from longmind.base.errors import InvalidInput

_MOST_CHARACTERS: Final = 500
_MOST_REPEATS: Final = 8
_CHAIN: Final = 2
_LONG: Final = 64
_WINDOW: Final = 1000
_OVERLAP: Final = 250
_BEYOND: Final = 256
_ALL: Final = frozenset(range(_BEYOND + 1))


def check_pattern(text: str) -> re.Pattern[str]:
    """Compile, or say why it is not taken."""
    if len(text) > _MOST_CHARACTERS:
        raise InvalidInput(f"A pattern has at most {_MOST_CHARACTERS} characters.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from re import _parser  # type: ignore[attr-defined]

        try:
            compiled = re.compile(text)
            tree = _parser.parse(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise InvalidInput(f"{text!r} is not a regular expression: {error}.") from None
    if compiled.match(""):
        raise InvalidInput(f"{text!r} matches the empty text.", hint="Let it match what is to go, only.")
    _Check(text).sequence(list(tree), inside=False)
    return compiled


def find(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where the pattern matches, in order and without overlaps; no match crosses a line."""
    start = done = 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip("\r\n")
        for first in range(0, max(1, len(body) - _OVERLAP), _WINDOW - _OVERLAP):
            last = min(len(body), first + _WINDOW)
            for match in pattern.finditer(body, first, last):
                if match.end() == last < len(body) and match.start() >= first + _WINDOW - _OVERLAP:
                    continue  # cut off by the window; the next one sees all of it
                begin, end = max(done, start + match.start()), start + match.end()
                if end > begin:
                    yield begin, end
                    done = end
        start += len(line)


class _Check:
    """Walks the parsed pattern once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._repeats = 0
        self._chain = 0
        self._open: frozenset[int] = frozenset()

    def sequence(self, items: list[Any], *, inside: bool) -> None:
        for operation, argument in items:
            name = str(operation)
            if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                self._repeat(argument, inside=inside)
            elif name in ("GROUPREF", "GROUPREF_EXISTS"):
                self._refuse("refers back to a group")
            elif name == "BRANCH":
                if inside:
                    self._refuse("has alternatives inside a repetition")
                for branch in argument[1]:
                    self.sequence(list(branch), inside=inside)
            elif name == "SUBPATTERN":
                self.sequence(list(argument[3]), inside=inside)
            elif name == "ATOMIC_GROUP":
                self.sequence(list(argument), inside=inside)
            elif name in ("ASSERT", "ASSERT_NOT"):
                self.sequence(list(argument[1]), inside=inside)
            elif name != "AT" and not (self._open & _characters(name, argument)):
                self._chain, self._open = 0, frozenset()  # what must stand here ends the repetition before

    def _repeat(self, argument: Any, *, inside: bool) -> None:
        least, most, body = argument
        variable = least != most
        if inside and variable:
            self._refuse("has a repetition inside a repetition")
        self._repeats += variable
        if self._repeats > _MOST_REPEATS:
            self._refuse(f"has more than {_MOST_REPEATS} repetitions")
        if variable and int(most) > _LONG:
            shared = _all_characters(list(body))
            self._chain = self._chain + 1 if self._open & shared or not self._open else 1
            self._open |= shared
            if self._chain > _CHAIN:
                self._refuse(f"has more than {_CHAIN} open repetitions in a row that share characters")
            outer = self._chain, self._open
            self.sequence(list(body), inside=True)
            self._chain, self._open = outer
        else:
            self.sequence(list(body), inside=inside or int(most) > 1)

    def _refuse(self, why: str) -> None:
        raise InvalidInput(
            f"The pattern {self._text!r} {why}, which can take very long on some texts.",
            hint="Write it as several simpler patterns, or name a detector.",
        )


def _all_characters(items: list[Any]) -> frozenset[int]:
    characters: frozenset[int] = frozenset()
    for operation, argument in items:
        name = str(operation)
        if name == "SUBPATTERN":
            characters |= _all_characters(list(argument[3]))
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            characters |= _all_characters(list(argument[2]))
        elif name != "AT":
            characters |= _characters(name, argument)
    return characters


def _characters(name: str, argument: Any) -> frozenset[int]:
    """What one place may hold: code points below 256, and 256 for all beyond."""
    if name == "LITERAL":
        return frozenset((min(argument, _BEYOND),))
    if name == "NOT_LITERAL":
        return _ALL - {argument}
    if name != "IN":
        return _ALL
    codes: set[int] = set()
    negate = False
    for kind, value in argument:
        if str(kind) == "NEGATE":
            negate = True
        elif str(kind) == "LITERAL":
            codes.add(min(value, _BEYOND))
        elif str(kind) == "RANGE":
            codes.update(range(min(value[0], _BEYOND), min(value[1], _BEYOND) + 1))
        else:
            codes |= _category(str(value))
    return _ALL - (codes - {_BEYOND}) if negate else frozenset(codes)


def _category(name: str) -> frozenset[int]:
    letter = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.rsplit("_", 1)[-1]]
    inside = {code for code in range(_BEYOND) if re.match(letter, chr(code))} | {_BEYOND}
    return _ALL - (inside - {_BEYOND}) if "_NOT_" in name else frozenset(inside)
