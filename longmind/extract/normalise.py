"""Informal spelling made plain, with the way back to the text as it was written: "im", "dont", "2moro"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Set
from functools import cache, lru_cache
from typing import Final

from longmind.base.words import runs_of_letters
from longmind.extract.paraphrases import PARAPHRASES
from longmind.extract.patterns import pattern
from longmind.extract.rewording import Rewordings
from longmind.extract.verbs import verb_forms
from longmind.extract.word_order import WORD_ORDERS
from longmind.extract.words import letters_of

_PLAIN: Final = {
    "im": "I'm", "ive": "I've", "ill": "ill", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't",
    "cant": "can't", "wont": "won't", "isnt": "isn't", "wasnt": "wasn't", "arent": "aren't",
    "werent": "weren't", "havent": "haven't", "hasnt": "hasn't", "hadnt": "hadn't", "couldnt": "couldn't",
    "shouldnt": "shouldn't", "wouldnt": "wouldn't", "aint": "ain't", "thats": "that's", "whats": "what's",
    "theres": "there's", "hes": "he's", "shes": "she's", "theyre": "they're", "youre": "you're",
    "weve": "we've", "theyve": "they've", "youve": "you've", "lets": "let's", "u": "you", "ur": "your",
    "r": "are", "n": "and", "b4": "before", "bf": "boyfriend", "gf": "girlfriend", "bff": "best friend",
    "hubby": "husband", "thx": "thanks", "tnx": "thanks", "ty": "thanks", "pls": "please", "plz": "please",
    "plss": "please", "gonna": "going to", "wanna": "want to", "gotta": "have to", "gimme": "give me",
    "lemme": "let me", "cuz": "because", "coz": "because", "cos": "because", "bc": "because",
    "becuz": "because", "tho": "though", "soz": "sorry", "yr": "year", "yrs": "years", "wk": "week",
    "wks": "weeks", "mins": "minutes", "hrs": "hours", "wen": "when", "agian": "again", "teh": "the",
    "defo": "definitely", "def": "definitely", "probs": "probably", "prob": "probably", "tmrw": "tomorrow",
    "tmr": "tomorrow", "2moro": "tomorrow", "2morrow": "tomorrow", "tomoz": "tomorrow",
    "ment": "meant",
    "tonite": "tonight", "rn": "right now", "atm": "at the moment", "bday": "birthday", "b-day": "birthday",
    "ppl": "people", "fave": "favourite", "fav": "favourite", "favs": "favourites", "w/": "with",
    "w": "with", "abt": "about", "bout": "about", "alot": "a lot", "recieve": "receive", "becuase": "because",
    "definately": "definitely", "seperate": "separate", "untill": "until", "wich": "which", "thier": "their",
    "alergic": "allergic", "allergc": "allergic", "vegitarian": "vegetarian", "adress": "address",
    "luv": "love", "dnt": "don't", "didn": "didn't", "tbf": "to be fair", "idk": "I don't know",
    "movin": "moving", "livin": "living", "workin": "working", "frm": "from",
    "goin": "going", "doin": "doing", "gf's": "girlfriend's", "bf's": "boyfriend's",
    "mums": "mums", "i": "I", "liek": "like", "realy": "really", "finaly": "finally", "freind": "friend",
    "brotha": "brother", "sis": "sister", "bro": "bro", "sth": "something", "smth": "something",
    "nite": "night", "da": "the", "dis": "this", "wrk": "work", "msg": "message", "cld": "could",
    "wld": "would", "shld": "should", "id": "id", "its": "its", "were": "were", "well": "well",
    "restaraunt": "restaurant", "wierd": "weird", "collegue": "colleague", "neice": "niece",
    "beleive": "believe", "buisness": "business", "calender": "calendar", "tommorow": "tomorrow",
    "lmao": "lol", "lmfao": "lol", "rofl": "lol", "lolol": "lol", "hahaha": "haha", "hahahaha": "haha",
    "hehe": "haha", "xd": "lol", "kindly": "please", "tommorrow": "tomorrow", "tomorow": "tomorrow",
    "wensday": "wednesday", "febuary": "february", "nomore": "no more", "swiched": "switched",
    "switchd": "switched", "startd": "started", "aswell": "as well", "girlfreind": "girlfriend",
    "boyfreind": "boyfriend", "freinds": "friends", "cud": "could", "gettin": "getting", "movd": "moved",
    "jus": "just", "agen": "again", "basicly": "basically", "everythin": "everything", "anythin": "anything",
    "nuthin": "nothing", "somethin": "something", "wat": "what", "evry": "every", "everthing": "everything",
    "footie": "football", "footy": "football", "shud": "should", "wud": "would",
    "finsihed": "finished", "stoped": "stopped", "quited": "quit",
}  # fmt: skip
_SPELLED: Final = {word: plain for word, plain in _PLAIN.items() if word != plain.lower() or word == "i"}
_AFTER: Final = {
    "its": pattern(
        r" (?:in|on|at|a|an|the|not|been|called|so|too|very|really|just|now|my|our|his|her|all|near|by|from|"
        r"called|named|actually|still|gone|over|only|"
        r"(?!(?:staging|building|billing|pricing|ceiling|opening|closing|meeting|landing|wiring|lighting|"
        r"king|spring|wing|ring|string|parking|heating|housing|training|testing) (?!now\b))[a-z]+ing)\b",
        re.IGNORECASE,
    ),
    "id": pattern(r" (?:love|like|sleep|say|go|be|have|rather|hate|never|prefer|want)\b", re.IGNORECASE),
    "ill": pattern(r" (?:be|go|have|do|get|take|try|see|never|always|move|start)\b", re.IGNORECASE),
    "2": pattern(
        r" (?!(?:and|or|to|x|of|days|weeks|years|months|hours|kids|dogs|cats|more)\b)[a-z]", re.IGNORECASE
    ),
    "4": pattern(
        r" (?:the|a|my|me|us|you|his|her|our|this|that|work|lunch|dinner|now|fun|life)\b", re.IGNORECASE
    ),
}
"""What must follow these words for them to stand for another: "its" is "it's" in "its raining"."""
_STANDS_FOR: Final = {"its": "it's", "id": "I'd", "ill": "I'll", "2": "to", "4": "for"}
_BEFORE_DIGIT: Final = pattern(r"(?<=[a-z] )[24]", re.IGNORECASE)
_CANDIDATE: Final = pattern(
    r"(?<![\w'/@.#-])[A-Za-z24][A-Za-z0-9/'-]{0,11}(?![\w'@-])(?!\.\w)",
    re.IGNORECASE,
)
_DIGIT_WORD: Final = pattern(r"[24](?<![\w'/@.#-].)(?![\w'@/-])")
"""The same where only digits may stand for words, as in most lists and tables."""
_BEFORE_TO: Final = frozenset(
    "forgot meant want wanted need needed have has had going used me him her them us try trying like love "
    "got able about back moved came come went goes go talk talking listen said over up down ready "
    "switched changed".split()
)
_LOOSE: Final = pattern(r"[a-z0-9/]+(?:[-'][a-z]+)?")
_KEYS: Final = frozenset({*_SPELLED, "its", "id", "ill", "2", "4"} - {"i"})
"""A text with none of these is written plainly enough."""
_FIRST_LETTERS: Final = frozenset(runs_of_letters(key)[0] for key in _KEYS if key not in ("2", "4"))
"""The first run of letters of each of them, but for those that have none."""
_SMALL_I: Final = pattern(r"i(?<![\w'/@.#-].)(?![\w'@-])")

_REWORDINGS: Final = Rewordings((*WORD_ORDERS, *PARAPHRASES))


class Plain:
    """A text in plain spelling; `back` gives the position in the text as it was written."""

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, text: str, changes: list[tuple[int, int, int, int]] | None = None) -> None:
        self.text = text
        # Each change: its range in the plain text, then its range in the written one.
        self._starts = changes or []
        self._ends = [change[1] for change in self._starts]

    @property
    def changed(self) -> bool:
        return bool(self._starts)

    def back(self, position: int, *, end: bool = False) -> int:
        """Inside a word that was changed, its start, or with `end` its end."""
        index = bisect_right(self._ends, position)
        if index < len(self._starts):
            low, high, was_low, was_high = self._starts[index]
            if low < position < high or (position == low and not end):
                return was_high if end and position > low else was_low
        if index == 0:
            return position
        _, high, _, was_high = self._starts[index - 1]
        return position - high + was_high


def _informal_words(masked: str, letters: Set[str]) -> set[str]:
    """The words of a text in lower case that may have to be spelled out; none where it is plainly spelled."""
    has_i = " i " in masked or masked[:2] == "i "
    if not has_i and _FIRST_LETTERS.isdisjoint(letters):
        digits = {digit for digit in "24" if digit in masked}  # as in most texts, and most have neither
        if not digits or (_clipped().isdisjoint(letters) and _SMALL_I.search(masked) is None):
            return digits
    words = set(_LOOSE.findall(masked.lower()))
    if not has_i and _KEYS.isdisjoint(words):
        return set()
    return {word for word in words if word in _KEYS or word == "i" or word[-2:] == "in"}


@cache
def _clipped() -> frozenset[str]:
    """ "Workin" and all its like."""
    words = (word[:-1] for word in verb_forms() if word[-3:] == "ing")
    return frozenset(word for word in words if _plain_word(word) is not None)


def _spelled_out(masked: str, letters: Set[str]) -> Iterator[tuple[int, int, str]]:
    words = _informal_words(masked, letters)
    if not words:
        return
    for match in (_DIGIT_WORD if words <= {"2", "4"} else _CANDIDATE).finditer(masked):
        word = match.group()
        new = _plain_word(word)
        if new is not None:
            if new == "":
                new = _by_context(word.lower(), masked, *match.span())
                if new is None:
                    continue
            yield match.start(), match.end(), new


def plain(masked: str) -> Plain:
    """The text with informal words spelled out; most texts have none and come back as they are."""
    letters = letters_of(masked)
    edits = [*_REWORDINGS.edits(masked, letters), *_spelled_out(masked, letters)]
    if not edits:
        return Plain(masked)
    pieces: list[str] = []
    changes: list[tuple[int, int, int, int]] = []
    at = length = 0
    for start, end, new in sorted(edits):
        if start < at:
            continue
        pieces += [masked[at:start], new]
        length += start - at
        changes.append((length, length + len(new), start, end))
        length += len(new)
        at = end
    pieces.append(masked[at:])
    return Plain("".join(pieces), changes)


@lru_cache(maxsize=20_000)
def _plain_word(word: str) -> str | None:
    """What a word is spelled out as: None for a plain one, "" where that depends on the words around it."""
    low = word.lower()
    if low in _STANDS_FOR:
        return ""
    new = _SPELLED.get(low)
    if new is not None:
        if low in ("n", "w", "r", "u") and word.isupper():
            return None
        if word == new:
            return None
        return new[0].upper() + new[1:] if word[0].isupper() and new[0].islower() else new
    if low.endswith("in") and len(low) > 4 and low + "g" in verb_forms() and low not in verb_forms():
        return word + "g"
    return None


def _by_context(low: str, masked: str, start: int, end: int) -> str | None:
    """What a word stands for that is also one of its own: "its", "id", "ill", "2" and "4"."""
    if _AFTER[low].match(masked, end) is None:
        return None
    if low in ("2", "4") and _BEFORE_DIGIT.match(masked, start) is None:
        return None
    if low == "2":
        before = masked[max(0, start - 14) : start].split()
        if not before or before[-1].lower() not in _BEFORE_TO:
            return None
    return _STANDS_FOR[low]
