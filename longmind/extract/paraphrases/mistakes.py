"""What leads up to what is right: "sorry, told you wrong yesterday, the flat's on the third floor"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.paraphrases.things import SAID_OF_IT
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_MENDS: Final = (
    r"(?:oh|ah|no|nope|sorry|wait|oops|whoops|actually|apologies|my mistake|my bad|correction|hang on|"
    r"hold on)"
)
_CUES: Final = (
    "sorry", "actually", "oops", "wait", "no,", "no ", "nope", "mistake", "apolog", "correction", "my bad",
    "hold on",
)  # fmt: skip
_OPINES: Final = (
    r"(?:was|were|am|hope|think|thought|guess|believe|fear|worry|wonder|feel|mean|meant|want|miss|need)\b"
)


def _not_the_old(match: re.Match[str]) -> Iterator[Edit]:
    """ "Sorry, 900 was the old rent, it's 950 now": it is 950, and not 900."""
    yield *match.span("whole"), f"it's {match['new']}, not {match['old']}"


MISTAKES: Final = (
    Rewording(
        "wrong misheard misread misremembered right straight corrected mistaken",
        ((",", ":", ";", " - ", " –"),),
        pattern(
            r"(?:^|(?<=[.!?] ))(?:(?:[Oo]h|[Aa]h|[Ss]orry|[Oo]ops|[Ww]ait|[Hh]ang on|[Aa]ctually|"
            r"[Uu]pdate),? )*"
            r"(?:[^.!?,:;\n]{0,60}?\b(?:and|,) )?(?:(?:I(?:'d| had|'ve| have)? |i )?(?:[Tt]old you wrong|"
            r"(?:got|had) (?:it|that|this) wrong|[Mm]isheard|[Mm]isread|[Mm]isremembered|was mistaken)|"
            r"[^.!?,:;\n]{2,40} (?:(?:has |have |'s )?(?:put|set) me (?:right|straight)|corrected me))"
            r"(?: (?!about\b)[a-z]+){0,4}?(?P<stop>[,:;]| [-–])(?= (?:(?:the|my|our|his|her|their|I|we|"
            r"she|he|it|it's)\b|"
            r"[A-Z]))"
        ),
        put("stop", "."),
    ),
    # "Sorry, it's Houston I connect through": what is right, and which of the things told before it is.
    Rewording(
        "is s",
        (
            ("it's ", "it is "),
            _CUES,
        ),
        pattern(
            rf"(?:^|[.!?]\s+)(?:{_MENDS}[,.!… -]+)+(?:[^.!?;:\n]{{2,50}}?, )?it(?:'s| is) "
            r"(?:actually |really )?(?-i:[A-Z]|\d)[\w'.:-]*(?: (?-i:[A-Z]|\d)[\w'.:-]*){0,3}"
            rf"(?P<said> (?:that |which |who |whom )?(?!{SAID_OF_IT})(?:I|we|he|she|they)"
            r"(?:'m|'re|'s| am| are| is)? "
            rf"(?!{_OPINES})[a-z]+(?: (?!now\b)[a-z]+){{0,2}})(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        cut("said"),
    ),
    # "No wait, 29 is our old one. This one's 34 foot."
    Rewording(
        "old previous former last",
        ((" is ", " was "), _CUES),
        pattern(
            rf"(?:^|[.!?]\s+)(?:{_MENDS}[,.!… -]+)+(?P<whole>(?P<old>\d[\w.:/-]*|(?-i:{NAME})) (?:is|was) "
            r"(?:my|our|the|his|her) (?:old|previous|former|last) [a-z]+[.,;!]? (?:and |but )?"
            r"(?:it's|it is|now it's|(?:this|the new|my new|our new) (?:one|[a-z]+)(?:'s| is| has)(?: now)?) "
            rf"(?P<new>\d[\w:/-]*(?:[.,]\d+)*|(?-i:{NAME}))(?: (?!now\b)[a-z]+)?(?: now)?)"
            r"(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        _not_the_old,
    ),
)
