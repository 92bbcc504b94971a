"""Cutting text where a byte-pair vocabulary never merges: its published pattern, on the standard library.

The patterns speak of Unicode classes, which `re` does not know. So text outside ASCII is first translated,
character by character, into a few Latin-1 letters that stand for the classes; ASCII stands for itself. One
pattern then serves both, and the places where it cuts are the places in the text. Representatives are of
Latin-1 because `re` tests a class of such characters by a bitmap.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

Split = Callable[[str], list[str]]

_UPPER, _LOWER, _CASELESS, _LONG_S = "ÅåªÞ"
_MARK, _NUMBER, _SPACE, _OTHER = "¨²\xa0·"
_REPRESENTATIVE: Final = {
    **dict.fromkeys(("Lu", "Lt"), _UPPER),
    "Ll": _LOWER,
    **dict.fromkeys(("Lm", "Lo"), _CASELESS),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("Nd", "Nl", "No"), _NUMBER),
}
# The Unicode property White_Space, which is neither `str.isspace` nor a category.
_WHITE_SPACE: Final = frozenset("\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000").union(
    map(chr, range(0x2000, 0x200B))
)

_L = f"A-Za-z{_UPPER}{_LOWER}{_CASELESS}{_LONG_S}"
_UP = f"A-Z{_UPPER}{_CASELESS}{_MARK}"
_LOW = f"a-z{_LOWER}{_LONG_S}{_CASELESS}{_MARK}"
_N = f"0-9{_NUMBER}"
_S = rf"\t-\r {_SPACE}"
# Case is folded as Unicode does, by which the long s is an s.
_ENDING = f"'(?i:[sdmt{_LONG_S}]|ll|ve|re)"

_PATTERNS: Final = {
    "cl100k_base": (
        rf"{_ENDING}|[^\r\n{_L}{_N}]?+[{_L}]++|[{_N}]{{1,3}}+| ?[^{_S}{_L}{_N}]++[\r\n]*+"
        rf"|[{_S}]++\Z|[{_S}]*[\r\n]|[{_S}]+(?![^{_S}])|[{_S}]"
    ),
    "o200k_base": (
        rf"[^\r\n{_L}{_N}]?[{_UP}]*[{_LOW}]+(?:{_ENDING})?|[^\r\n{_L}{_N}]?[{_UP}]+[{_LOW}]*(?:{_ENDING})?"
        rf"|[{_N}]{{1,3}}| ?[^{_S}{_L}{_N}]+[\r\n/]*|[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}])|[{_S}]+"
    ),
}


def splitter(name: str) -> Split:
    """The function that cuts text for the vocabulary of that name."""
    pattern = re.compile(_PATTERNS[name])
    whole, pieces_at = pattern.findall, pattern.finditer

    def split(text: str) -> list[str]:
        if text.isascii():
            return whole(text)
        text = without_surrogates(text)
        return [text[match.start() : match.end()] for match in pieces_at(text.translate(_CLASSES))]

    return split


def without_surrogates(text: str) -> str:
    """Pairs joined and lone ones replaced, as UTF-8 demands; other text as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class _Classes(dict[int, str]):
    """What stands for each character; those met for the first time are added."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if character == "ſ":
            code = _LONG_S
        elif character in _WHITE_SPACE:
            code = _SPACE
        else:
            code = _REPRESENTATIVE.get(unicodedata.category(character), _OTHER)
        self[point] = code
        return code


_CLASSES: Final = _Classes({point: chr(point) for point in range(128)})
