"""Where a text says that something told before was wrong: the sentence beside it says what is right.

"It's 100 mg I take. I had the wrong dose in my head": the admission may come first, last or in between.
"""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rule_match import Range

_HINT: Final = re.compile(
    r"wrong|mis(?:heard|read|rem|taken|count|calc|meas|typed)|put me|"
    r"set me|correct|not what|in my head|out of habit|"
    r"be (?:accurate|precise|exact)|mixed|muddled|mistake"
)
"""Most texts have none of these."""
_ADMITTED: Final = pattern(
    r"\b(?:I|i)(?:'d| had|'ve| have| must have)? (?:just |only |actually |really |always )?(?:"
    r"(?:got|had|told you|gave you|said|put|written?|wrote|remembered|noted|read)(?: \w+){0,4}? "
    r"wrong(?:ly)?\b|"
    r"(?:(?:miscounted|miscalculated|mismeasured|mistyped)\b(?! (?:the|my|our|some|his|her)\b)|"
    r"misheard|misread|misremembered|misspoke|mixed (?:it|that|them|the \w+) up|muddled|"
    r"(?:was|am) (?:quite |completely |totally |clearly )?(?:wrong|mistaken))\b|stand corrected\b|"
    r"say the other (?:one )?(?:out of|from) habit\b)"
    r"|\b[Tt]old you wrong\b|\b[Tt]he wrong \w+ in (?:my head|mind)\b"
    r"|\b(?:put|set) me (?:right|straight)\b|\bcorrected me\b"
    r"|\bnot what I(?:'d| had)? (?:said|told|wrote|put|thought)\b"
    r"|\b[Mm]y mistake\b|\bbetter be (?:accurate|precise|exact)\b|\bto be (?:accurate|precise|exact)\b"
)
_OF_SOMETHING: Final = re.compile(
    r" (?:about|on|over) (?!it\b|that\b|this\b|the (?:note|form|phone)\b)", re.IGNORECASE
)
"""What was wrong is named, and need not be what is told beside it."""
_BREAK: Final = re.compile(r"[.!?](?=\s)|\n")
_NOT_SO: Final = re.compile(r"\b(?:if|whether|might|may|could|would|in case|worried|afraid)\b", re.IGNORECASE)


def admissions(masked: str) -> tuple[Range, ...]:
    """Where the text says so; nowhere in a question or as a mere possibility."""
    if _HINT.search(masked) is None:
        return ()
    return tuple(match.span() for match in _ADMITTED.finditer(masked) if not _is_open(masked, *match.span()))


def _is_open(masked: str, start: int, end: int) -> bool:
    begin = max((match.end() for match in _BREAK.finditer(masked, 0, start)), default=0)
    stop = _BREAK.search(masked, end)
    asks = stop is not None and masked[stop.start()] == "?"
    if _OF_SOMETHING.match(masked, end) is not None:
        return True
    asks = asks or (stop is None and masked.rstrip().endswith("?"))
    return asks or _NOT_SO.search(masked, begin, start) is not None


def is_beside(masked: str, admitted: tuple[Range, ...], span: Range) -> bool:
    """Whether an admission stands in the same sentence or in the one before or after it."""
    for start, end in admitted:
        low, high = (end, span[0]) if end <= span[0] else (span[1], start)
        if low >= high or sum(1 for _ in _BREAK.finditer(masked, low - 1, high)) <= 1:
            return True
    return False
