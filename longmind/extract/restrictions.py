"""Which of a kind is meant: what "that have leather seats" says of the cars that somebody avoids."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rule_match import RuleMatch

_TASTE_SLOTS: Final = frozenset(
    "likes dislikes prefers avoids refuses_to requires needs wants hates loves".split()
)
"""Slots whose value would be false without its restriction: who avoids noisy hotels does not avoid hotels."""
_LONGEST: Final = 160
_RESTRICTS: Final = pattern(r"\s(?:that|which|who|whose|where)\s+(?!(?:said|being|is why|was why)\b)\w")
_UP_TO: Final = pattern(
    r"[,;:!?()\n\ue000\u2014]|\.(?:\s|$)|\s(?:because|since|due to|but|although|though|while|whereas"
    r"|so (?:i|we|it)|as (?:i|they|it|we|he|she)|which"
    r"|and (?:i|we|he|she|they|prefer|my|our|it|this|that)|when (?:i|we))\b",
    re.IGNORECASE,
)
RESTRICTED: Final = pattern(r"(?<=\w)\s(?:that|which|who|whose|where)\s(?=\w)")
"""Where a restriction begins inside a value."""


def restricted(masked: str, match: RuleMatch, end: int) -> RuleMatch:
    """The same with what tells which of a kind is meant, where that comes right behind the value."""
    if match.slot not in _TASTE_SLOTS:
        return match
    start, stop = match.value
    if _RESTRICTS.match(masked, stop, end) is None:
        return match
    limit = _UP_TO.search(masked, stop + 6, end)
    after = end if limit is None else limit.start()
    while after > stop and masked[after - 1] in " .!":
        after -= 1
    if after - start > _LONGEST:
        return match
    return match._replace(value=(start, after), clause=(match.clause[0], max(match.clause[1], after)))
