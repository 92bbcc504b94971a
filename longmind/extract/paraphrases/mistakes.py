"""What leads up to what is right: "sorry, told you wrong yesterday, the flat's on the third floor"."""

from __future__ import annotations

from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Rewording, put

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
)
