"""As people write to friends: "left Brightly yaar, now im at Zenith same role", "back training at Oak"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, cut
from longmind.extract.verbs import verb_forms

_BACK: Final = (
    "train work live bank shop study use play volunteer rent commute teach swim climb row run".split()
)
_ING: Final = {
    word: lemma
    for word, forms in verb_forms().items()
    for lemma, which in forms
    if which == "ing" and lemma in _BACK
}


def _again(match: re.Match[str]) -> Iterator[Edit]:
    """ "I'm back training at Oak": who trains there again."""
    if match["who"].lower() == "im":  # which the spelling mends by itself
        yield *match.span("back"), ""
        return
    who = "I" if match["who"].lower().startswith("i") else "we"
    yield *match.span("whole"), f"{who} {_ING[match['doing'].lower()]}{match['where']} again"


MESSAGED: Final = (
    # "left Brightly yaar now im at Zenith"
    Rewording(
        "yaar yar bhai bro bruv dude fam lah",
        (("left ", "quit ", "joined ", "moved ", " at ", " in ", "switched "),),
        pattern(
            r"(?<![^\w\s])(?<!\bmy)(?<!\bhis)(?<!\bher)(?<!\bour)(?<!\byour)(?<!\bthe)(?<!\ba)(?<!\bbig)"
            r"(?<!\blittle)(?P<call> (?:yaar|yar|bhai|bro|bruv|dude|fam|lah))"
            r"(?= (?:and |so |but )?(?:now|im|i'm|i am|we|i)\b|\s*$)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("call"), ",")]),
    ),
    # "now im at Zenith same role only"
    Rewording(
        "same",
        ((" at ", " with ", " for ", " to "),),
        pattern(
            r"\b(?:at|with|for|to|joined) (?:[\w&.'-]+ ){1,3}?(?:[A-Z][\w&.'-]+ )?"
            r"(?P<tail>(?<= )(?:but |and |in |with |on )*(?:the )?"
            r"same (?:role|position|job|title|team|post|work|designation|salary|pay)"
            r"(?: only| itself| though| as before| tho)?)(?=\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        cut("tail"),
    ),
    # "so I'm back training at Oak"
    Rewording(
        "back",
        (tuple(f" back {word}" for word in _ING),),
        pattern(
            rf"\b(?P<whole>(?P<who>I'm|I am|we're|we are|im)(?P<back> back) (?P<doing>{'|'.join(_ING)})"
            r"(?P<where> (?:(?:at|with|in|for) )?(?!(?:at|with|in|for|on|to|and|the|my|from|out|as)\b)"
            r"[\w&'.-]+(?: [A-Z][\w&'.-]+)*)(?: again| now)?)"
            r"(?=\s*(?:[.,;!\n]|$)| (?:and|but|since|because|after)\b)",
            re.IGNORECASE,
        ),
        _again,
    ),
)
