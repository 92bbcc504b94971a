"""The words by which a text may name a time: most texts have none, and need no grammar to be passed over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Literal

from longmind.when import words
from longmind.when.holidays import HOLIDAYS

Relation = Literal["at", "since", "before", "after", "between", "around"]

SAID: dict[str, tuple[Relation, str]] = {
    "since": (
        "since",
        "ever since/since/starting from/starting in/starting on/starting/beginning on/beginning in/beginning",
    ),
    "until": ("before", "no later than/not later than/up until/up to/until/till/til/by"),
    "after": ("after", "later than/after"),
    "before": ("before", "earlier than/prior to/before"),
    "over": ("before", "more than/over"),
    "around": ("around", "around/roughly/approximately/circa"),
    "about": ("around", "about"),
}
"""How the range lies to the time named after these words; only 'until' has that time in the range."""
RELATIONS = sorted(
    (
        (tuple(opening.split()), relation)
        for relation, (_, openings) in SAID.items()
        for opening in openings.split("/")
    ),
    key=lambda entry: -len(entry[0]),
)
FIRST_WORDS = frozenset(opening[0] for opening, _ in RELATIONS)
_NAMES = frozenset(
    name
    for names in (
        words.MONTHS, words.WEEKDAYS, words.SEASONS, words.ONES, words.TENS, words.ORDINALS,
        words.ORDINAL_TENS, words.DECADES, words.DAY_PARTS, HOLIDAYS, words.DAYS,
    )
    for name in names
)  # fmt: skip
OPENERS = frozenset(
    {
        *FIRST_WORDS,
        *_NAMES,
        *(name + "s" for name in HOLIDAYS),
        *words.VAGUE_NUMBERS,
        *words.WHICH,
        *words.THIRDS,
        *words.listed("the a an in at during on from for close between now tonight tonite"),
        *words.listed("half quarter hundred dozen"),
        *words.ENDS,
        *words.listed("week weekend day month year decade earlier later final within right early late"),
    }
)
"""Every word a phrase may begin with."""
_ANCHORS = _NAMES | {
    *words.UNITS,
    *words.ENDS,
    *words.listed("now business tonight tonite weekend fortnight half hundred dozen am pm clock oclock"),
}
ANCHORS = _ANCHORS | {name + "s" for name in _ANCHORS}
"""Words that name a time or count one: a phrase without any digit has at least one of them."""
_LEADS = words.listed("back in on at over for from by around during the almost nearly just less than least")
GLUE = OPENERS | {*_LEADS, *words.listed("of to later until til not no up ever"), "-", ","}
"""All that may stand in a phrase before the first number or anchor of it, or lead to a phrase."""
ALONE = frozenset(
    words.listed(
        "january february july september october november december monday tuesday wednesday thursday friday "
        "saturday sunday mon tue tues weds thu thur thurs fri christmas xmas easter halloween juneteenth "
        "thanksgiving valentine christmass xmass easters halloweens juneteenths thanksgivings valentines "
        "today yesterday tomorrow tmrw tmr now tonight tonite noon midnight cob eod eow eom eoq eoy"
    )
)
"""Those anchors that are a phrase without another word. 'One', 'first', 'may', 'new' and 'day' never are."""
COMPANY = (
    OPENERS
    | GLUE
    | ANCHORS
    | {
        *words.listed("ago and or past thousand through throughout thru onward onwards forward newer older"),
        *words.listed(
            "daily each every other single full whole part time o s t eve fool mayo patrick luther"
        ),
        *words.listed("king mark de academic calendar financial fiscal fy school tax season weekday holiday"),
        *words.listed("commencing short long d h x y o'clock"),
    }
)
"""Every word that makes a phrase together with an anchor which is not one alone."""
LEADING = (
    {*words.ONES, *words.TENS, *words.ORDINALS, *words.ORDINAL_TENS, "half", "hundred", "dozen"}
    | {form for name in HOLIDAYS for form in (name, name + "s")}
) - {*ALONE, *words.UNITS, *words.MONTHS}
"""Anchors that are nothing without the word behind them, whatever stands before: 'the new', 'the first'."""
_DIGIT_OR_FRACTION = re.compile(r"[0-9½¼¾]")
_LETTERS = bytes.maketrans(
    bytes(range(256)),
    bytes(
        byte if byte in ascii_lowercase.encode() else byte + 32 if byte in ascii_uppercase.encode()
        else ord("0") if byte in digits.encode() else ord(" ")
        for byte in range(256)
    ),
)  # fmt: skip
"""For `bytes.translate`: letters in lower case, 0 for every digit, and a space for everything else."""
_WORD = re.compile(r"[^\W\d_]+")
_WORD_OR_DIGIT = re.compile(r"[^\W\d_]+|\d|\S")


def may_name_a_time(text: str) -> bool:
    """Whether `find_times` may find something: most texts have no digit, and no word of time in its place."""
    if text.isascii():  # as most texts are, and then five times as quick
        raw = text.encode().translate(_LETTERS)
        if b"0" in raw:
            return True
        letters = raw.decode("ascii").split()
    elif _DIGIT_OR_FRACTION.search(text) is not None:
        return True
    else:
        letters = _WORD.findall(text.lower())
    return not ANCHORS.isdisjoint(letters) and may_hold_a_phrase(letters)


def may_hold_a_phrase(letters: Sequence[str]) -> bool:
    """Whether one may begin at one of these words, the only ones of a text without digits.

    `_beginnings` says the same of tokens. Marks are left out here: they only ever divide. An anchor between
    two words that the grammar does not know ('the new one works') is none, unless it is a time alone.
    """
    leads_to_time = False
    after = ""
    for position in range(len(letters) - 1, -1, -1):
        word = letters[position]
        if word in ANCHORS:
            has_company = after in COMPANY or (
                position > 0 and letters[position - 1] in COMPANY and word not in LEADING
            )
            leads_to_time = has_company or word in ALONE
        else:
            leads_to_time = leads_to_time and word in GLUE
        if leads_to_time and word in OPENERS:
            return True
        after = word
    return False


def may_begin(text: str, start: int, end: int) -> bool:
    """The same of a position in a text that has not been cut into tokens."""
    for match in _WORD_OR_DIGIT.finditer(text, start, end):
        word = match[0].lower()
        if word in ANCHORS or word.isdigit():
            return True
        if word not in GLUE:
            return False
    return False
