"""Regular expressions that users give, run by an engine whose time grows with the text and never explodes.

RE2 has no references back and does not look around. What it cannot run is refused where the pattern is set.
Patterns are written as for Python: `\\w` means letters of every script, and `{,3}` counts from zero.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from longmind.base.checks import check_text
from longmind.base.errors import InvalidInput

if TYPE_CHECKING:
    import re2

MOST_CHARACTERS: Final = 500
_MOST_PROGRAM: Final = 20_000
"""Instructions of a compiled pattern: more would be slow on every text, though never explosive."""

_WIDE: Final = 65_536
_NARROW: Final = 1_024
_SPENT: Final = 100_000_000
"""One search looks at so many bytes at once, and after so much work in one text, at fewer. RE2 finds one
match in linear time, but each further one may read to the end again: `x[^y]*y|x` does in a text without y."""

_LETTER: Final = b"\xc0"
_OTHER: Final = b"\xa1"
_REFUSALS: Final = (
    ("invalid escape sequence: \\", "refers back to a group, or uses an escape that is not known"),
    ("(?=", "looks ahead"),
    ("(?!", "looks ahead"),
    ("(?<", "looks behind"),
    ("bad repetition operator", "has a repetition that never gives back what it took"),
    ("invalid repetition size", "repeats something more than 1,000 times"),
    ("too large", "is too large"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern that was checked and compiled."""

    text: str
    _program: re2._Regexp[Any]
    _one_byte: bool
    """Whether it runs on one byte for each character, which is quicker and all that most patterns need."""

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it matches, in order and without overlaps; empty matches are left out."""
        if self._one_byte:
            yield from _spans(self._program, _bytes_of(text))
            return
        data = text.encode("utf-8", "replace")
        position = character = 0
        for start, end in _spans(self._program, data):
            first = character + len(data[position:start].decode("utf-8", "replace"))
            character = first + len(data[start:end].decode("utf-8", "replace"))
            position = end
            yield first, character


@lru_cache(maxsize=256)
def check_pattern(text: str) -> Pattern:
    """Compile a pattern, or say why it is not taken."""
    check_text(text, "pattern", empty=True)
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(
            f"A pattern has at most {MOST_CHARACTERS} characters.", hint="Split it into several patterns."
        )
    one_byte = text.isascii() and not re.search(r"\\[pPuUxN]", text)
    written = "(?m)" + _translated(text, one_byte=one_byte)
    import re2

    options = re2.Options()
    options.log_errors = False
    encodings = re2.Options.Encoding
    options.encoding = encodings.LATIN1 if one_byte else encodings.UTF8
    try:
        program = re2.compile(written.encode("latin-1" if one_byte else "utf-8"), options=options)
    except re2.error as error:
        raise _refused(text, error) from None
    if program.programsize > _MOST_PROGRAM:
        raise InvalidInput(
            f"The pattern {text!r} is too large to run quickly.", hint="Write it as several simpler patterns."
        )
    if program.match(b"") or program.search(b""):
        raise InvalidInput(
            f"{text!r} matches the empty text.", hint="Change it so that it matches only what is meant."
        )
    return Pattern(text, program, one_byte)


def _refused(text: str, error: Exception) -> InvalidInput:
    raw = error.args[0] if error.args else ""
    reason = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    for mark, why in _REFUSALS:
        if mark in reason:
            return InvalidInput(
                f"The pattern {text!r} {why}, which cannot be run in bounded time.",
                hint="Write it without, as several simpler patterns, or name a detector.",
            )
    return InvalidInput(f"{text!r} is not a valid regular expression: {reason.replace('(?m)', '')}.")


def _spans(program: re2._Regexp[Any], data: bytes) -> Iterator[tuple[int, int]]:
    position, size, spent = 0, len(data), 0
    while position < size:
        window = min(size, position + (_WIDE if spent < _SPENT else _NARROW))
        spent += window - position
        match = program.search(data, position, window)
        if match is None:
            if window == size:
                return
            position = window - _NARROW // 2  # what begins here may end behind the window
            continue
        start, end = match.span()
        if end == window < size and start > position:
            position = start  # cut off by the window: look again with room behind it
            continue
        if end > start:
            yield start, end
        position = max(end, start + 1)


def _bytes_of(text: str) -> bytes:
    """One byte for each character: itself, or what stands for letters, or for anything else."""
    if text.isascii():
        return text.encode()
    return text.translate(_BYTES).encode("latin-1")


class _Bytes(dict[int, str]):
    """Filled as characters are met: most texts use few of them."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 128:
            byte = character
        elif character.isspace():
            byte = " "
        elif character.isalnum() or unicodedata.category(character).startswith("M"):
            byte = _LETTER.decode("latin-1")
        else:
            byte = _OTHER.decode("latin-1")
        self[code] = byte
        return byte


_BYTES: Final = _Bytes()

_TOKEN = re.compile(
    r"\\[Qq].*?(?:\\E|\Z)|\\u(?P<u>[0-9a-fA-F]{4})|\\U(?P<big>[0-9a-fA-F]{8})|\\.|\[\^?\]?|\]|\{,(?P<most>\d+)\}|.",
    re.DOTALL,
)
_ONE_BYTE: Final = {
    "w": r"\w\xc0",
    "d": r"\d",
    "s": r"\s\x0b",
}
_UNICODE: Final = {
    "w": r"\p{L}\p{N}\p{M}_",
    "d": r"\p{Nd}",
    "s": r"\s\p{Z}\x0b\x{85}",
}


def _translated(text: str, *, one_byte: bool) -> str:
    """Python's pattern as RE2 means it, where the two differ."""
    classes = _ONE_BYTE if one_byte else _UNICODE
    # Word boundaries know ASCII alone: beside any other letter of the pattern they would never hold.
    text = re.sub(r"(?<!\\)\\b(?=[^\x00-\x7f])|(?<=[^\x00-\x7f])\\b", "", text)
    pieces: list[str] = []
    inside = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        escaped = token[1] if len(token) == 2 and token[0] == "\\" else ""
        if escaped == "C":
            # RE2 alone has it, and it divides characters: what it finds has no place in the text.
            raise InvalidInput(
                f"The pattern {text!r} has \\C, a single byte.", hint="Write . for any character."
            )
        if match["u"] or match["big"]:
            token = rf"\x{{{match['u'] or match['big']}}}"
        elif escaped in classes:
            token = classes[escaped] if inside else f"[{classes[escaped]}]"
        elif escaped and escaped.lower() in classes and not inside:
            token = f"[^{classes[escaped.lower()]}]"
        elif escaped == "Z" and not inside:
            token = r"\z"
        elif match["most"] is not None and not inside:
            token = f"{{0,{match['most']}}}"
        elif token.startswith("[") and not inside:
            inside = True
        elif token == "]":
            inside = False
        elif token.startswith("[") and inside:
            # Python takes a bracket in a class as itself, and so does RE2 unless a colon follows.
            token = "\\[" + token[1:]
            inside = not token.endswith("]")
        pieces.append(token)
    return "".join(pieces)
