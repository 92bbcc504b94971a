"""Words as every layer compares them: one folded form, and the words that say nothing."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

STOP_WORDS: Final = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below
    between both but by can could d did do does doing don down during each few for from further had has
    have having he her here hers herself him himself his how i if in into is it its itself just ll m me
    more most my myself no nor not now of off on once only or other our ours ourselves out over own re s
    same she should so some such t than that the their theirs them themselves then there these they this
    those through to too under until up ve very was we were what when where which while who whom why
    will with would you your yours yourself yourselves
    """.split()
)

WORD: Final = re.compile(r"[^\W_]+")
"""A run of letters and digits. Index terms (`text/words.py`) and detectors have definitions of their own."""

UNSEGMENTED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana and their like
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # East Asian
    "\U00020000-\U0003ffff]+"
)
"""A run of a script that puts no spaces between words, or joins endings to names."""

_LETTERS = re.compile(r"[^\W\d_]+")
_LETTERS_APART = bytes(
    byte + 32 if 65 <= byte <= 90 else byte if 97 <= byte <= 122 else 32 for byte in range(256)
)
"""For `bytes.translate`: letters in lower case, and a space for everything else."""

_COMBINING = re.compile("[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
_STRIPPED = ("LATIN", "GREEK", "CYRILLIC")


def fold(text: str) -> str:
    """Compatibility forms and case unified; accents dropped after Latin, Greek and Cyrillic letters only."""
    if text.isascii():
        return text.lower()
    folded = text.translate(_FOLDS)
    return _fold_whole(folded) if _COMBINING.search(folded) else folded


def runs_of_letters(text: str) -> list[str]:
    """The runs of letters in a text, in lower case: without digits and marks, which divide them."""
    if text.isascii():  # as most texts are, and then in a fifth of the time
        return text.encode().translate(_LETTERS_APART).decode("ascii").split()
    return _LETTERS.findall(text.lower())


def _fold_whole(text: str) -> str:
    """The rule itself; `fold` applies it to single characters where none of them combines with another."""
    out: list[str] = []
    strip = False
    for character in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold()):
        if unicodedata.combining(character):
            if not strip:
                out.append(character)
            continue
        strip = character.isascii() or unicodedata.name(character, "").startswith(_STRIPPED)
        out.append(character)
    return unicodedata.normalize("NFC", "".join(out))


class _Folds(dict[int, str]):
    """Folded forms of single characters, found as they are met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_whole(chr(code))
        return folded


_FOLDS: Final = _Folds()
