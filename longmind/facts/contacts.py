"""Whose an e-mail address or a telephone number is: the person named beside it, or who signed the message."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.verbs import verb_forms
from longmind.facts.extraction import Source

_NAME: Final = r"[A-Z][\w'’-]+(?: (?:van|von|de|da|der|den) )?(?: [A-Z][\w'’-]+){0,2}"
_BEFORE: Final = re.compile(
    rf"(?P<name>{_NAME})(?:'s (?:e-?mail|number|phone|mobile|address)(?: address| number)?(?: is|:)?|"
    r"(?:,[^\n.]{0,40})?,? ?[(:<]|,(?:[^\n.;]{0,40},)?(?: ?(?:tel|phone|mobile|e-?mail|cell)\.?:?)?|"
    r" (?:at|on|under))\s*[(<]?$"
)
_NEAR: Final = 80
_LABEL: Final = re.compile(
    r"(?:tel|phone|mobile|cell|e-?mail|call me|reach me|number)\.?:?[^\n]{0,12}$", re.IGNORECASE
)
_NOBODY: Final = frozenset(
    "call phone tel email mail write contact reach regards best thanks mobile the please office "
    "reception support "
    "my our your or and at on".split()
)


def owner_of(source: Source, start: int, end: int) -> str | None:
    """The person to whom the bytes from `start` to `end` belong; None where the text does not say."""
    raw = source.text.encode()
    before = raw[max(0, start - _NEAR) : start].decode(errors="ignore")
    match = _BEFORE.search(before)
    if match is not None:
        words = match["name"].split()
        while words and (words[0].lower() in _NOBODY or words[0].lower() in verb_forms()):
            words = words[1:]
        if words:
            return " ".join(words)
    signed = source.channel == "mail" and source.speaker is not None
    return source.speaker if signed and _LABEL.search(before) else None
