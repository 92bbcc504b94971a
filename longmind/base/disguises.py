"""Views of a text in which disguised characters stand as themselves, each with its place in the original.

Full-width letters, percent-encoding, soft hyphens or thin spaces hide a secret from a pattern, but not from a
reader. So patterns also look at these views, and what they find there is known by its range in the original.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

Edit = tuple[int, int, str]
"""From and to in a text, and what stands there instead."""

_ROUNDS: Final = 3
"""Encodings of encodings are followed so far."""

_ENTITIES: Final = {
    "commat": "@",
    "period": ".",
    "nbsp": " ",
    "shy": "",
    "hyphen": "-",
    "dash": "-",
    "lowbar": "_",
}
_ENCODED = re.compile(
    r"(?:%[0-9A-Fa-f]{2})+"
    r"|&#(?P<decimal>\d{1,7});|&#[xX](?P<hexadecimal>[0-9A-Fa-f]{1,6});"
    rf"|&(?P<entity>{'|'.join(_ENTITIES)});"
    r"|\w[\u0300-\u034e\u0350-\u036f]+|[^\x00-\x7f]"
)
_SPELLED = re.compile(
    r"[ \t]{0,3}(?:\[[ \t]{0,3}(?P<square>at|dot)[ \t]{0,3}\]|\([ \t]{0,3}(?P<round>at|dot)[ \t]{0,3}\)"
    r"|\{[ \t]{0,3}(?P<curly>at|dot)[ \t]{0,3}\})[ \t]{0,3}",
    re.IGNORECASE,
)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.·•∙](?=\d)")
_LETTERS_APART = re.compile(
    r"(?<![^\W_])[^\W_](?:(?P<gap>[ .·•∙_-])(?:[^\w\s.](?P=gap))?[^\W_](?![^\W_])){2,}"
)
_THIN: Final = frozenset(map(chr, (*range(0x2000, 0x200B), 0x202F, 0x205F)))


@dataclass(frozen=True, slots=True)
class TextView:
    """A text, and for each of its characters the range of the original that it stands for."""

    text: str
    _shifts: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None
    """Where pieces of the view begin, and the range of the original that each piece stands for; a piece as
    long as its range stands for it character by character. None where the view is the original."""

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that a range of the view, not empty, stands for."""
        return self._place(start)[0], self._place(end - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        if self._shifts is None:
            return position, position + 1
        begins, starts, ends = self._shifts
        piece = bisect_right(begins, position) - 1
        following = begins[piece + 1] if piece + 1 < len(begins) else len(self.text)
        if following - begins[piece] == ends[piece] - starts[piece]:
            offset = position - begins[piece]
            return starts[piece] + offset, starts[piece] + offset + 1
        return starts[piece], ends[piece]

    def rewritten(self, edits: Iterable[Edit]) -> TextView:
        """The view with some ranges replaced, in order and without overlaps."""
        pieces: list[str] = []
        begins: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        size = done = 0

        def add(text: str, start: int, end: int) -> None:
            nonlocal size
            if text:
                pieces.append(text)
                begins.append(size)
                starts.append(start)
                ends.append(end)
                size += len(text)

        for start, end, instead in edits:
            self._copy(done, start, add)
            if instead:
                first, last = self.origin(start, end)
                # One character at a time, so that a piece is never taken for one that stands as it is.
                for character in instead:
                    add(character, first, last)
            done = end
        if done == 0 and not pieces:
            return self
        self._copy(done, len(self.text), add)
        return TextView("".join(pieces), (tuple(begins), tuple(starts), tuple(ends)))

    def _copy(self, start: int, end: int, add: Callable[[str, int, int], None]) -> None:
        """The part between two edits, piece by piece of this view."""
        if start >= end:
            return
        if self._shifts is None:
            add(self.text[start:end], start, end)
            return
        begins = self._shifts[0]
        piece = bisect_right(begins, start) - 1
        while start < end:
            following = begins[piece + 1] if piece + 1 < len(begins) else len(self.text)
            stop = min(end, following)
            first, last = self._place(start)[0], self._place(stop - 1)[1]
            add(self.text[start:stop], first, last)
            start, piece = stop, piece + 1


def views(text: str) -> Iterator[TextView]:
    """The text as it stands, and where they differ: without disguises, and with its letters together."""
    view = TextView(text)
    yield view
    plain = undisguised(view)
    if plain is not view:
        yield plain
    tight = undisguised(view, tight=True) if _is_thin(text) else plain
    together = tight.rewritten(sorted(_gaps(tight.text)))
    if together is not plain:
        yield together


def undisguised(view: TextView, *, tight: bool = False) -> TextView:
    """With every encoded, wide, invisible or spelled-out character as the one that it means.

    `tight` leaves out thin spaces too, which may stand between words or inside one.
    """
    for _ in range(_ROUNDS):
        before = view.text
        view = view.rewritten(_decoded(before, tight=tight))
        if view.text == before:
            break
    return view.rewritten(_spelled(view.text))


def without_disguises(text: str) -> str:
    """The text as a reader takes it, for comparing."""
    return undisguised(TextView(text)).text


def _is_thin(text: str) -> bool:
    return not text.isascii() or "%" in text or "&" in text


def _decoded(text: str, *, tight: bool) -> Iterator[Edit]:
    if not _is_thin(text):
        return
    plain = _tight_form if tight else plain_form
    for match in _ENCODED.finditer(text):
        escape = match[0]
        if escape[0] == "%":
            yield from _percent(escape, match.start(), plain)
            continue
        if match["decimal"] or match["hexadecimal"]:
            code = int(match["decimal"]) if match["decimal"] else int(match["hexadecimal"], 16)
            usable = code < 0x110000 and not 0xD800 <= code < 0xE000 and code not in (0, 10, 13)
            instead = plain(chr(code)) if usable else escape
        elif match["entity"]:
            instead = _ENTITIES[match["entity"]]
        else:
            instead = plain(escape)
        if instead != escape:
            yield match.start(), match.end(), instead


def _percent(escape: str, start: int, plain: Callable[[str], str]) -> Iterator[Edit]:
    data = bytes.fromhex(escape.replace("%", ""))
    position = 0
    while position < len(data):
        for size in (1, 2, 3, 4):
            try:
                character = data[position : position + size].decode()
            except UnicodeDecodeError:
                continue
            if character and character not in "\0\r\n":
                yield start + 3 * position, start + 3 * (position + size), plain(character)
            break
        else:
            size = 1
        position += size


@lru_cache(maxsize=4096)
def plain_form(character: str) -> str:
    """A character, or one with its accents, as it is usually written; nothing for what cannot be seen."""
    if len(character) == 1:
        code = ord(character)
        category = unicodedata.category(character)
        if (
            category == "Cf"
            or code == 0x34F
            or 0xFE00 <= code <= 0xFE0F
            or code in (0x115F, 0x1160, 0x3164, 0xFFA0)
        ):
            return ""
        if category == "Zs":
            return " "
        if category == "Nd":
            return str(unicodedata.decimal(character))
        if category == "Pd" and code > 127:
            return "-"
    return unicodedata.normalize("NFKC", character)


def _tight_form(character: str) -> str:
    return "" if character in _THIN else plain_form(character)


def _spelled(text: str) -> Iterator[Edit]:
    for match in _SPELLED.finditer(text):
        word = match["square"] or match["round"] or match["curly"]
        yield match.start(), match.end(), "@" if word.lower() == "at" else "."


def _gaps(text: str) -> set[Edit]:
    """What stands between letters set apart ("s e c r e t") and between the digits of a number ("12.34")."""
    edits = {(match.start(), match.end(), "") for match in _BETWEEN_DIGITS.finditer(text)}
    for match in _LETTERS_APART.finditer(text):
        gap = match["gap"]
        for position in range(match.start() + 1, match.end()):
            if text[position] == gap:
                edits.add((position, position + 1, ""))
    return edits
