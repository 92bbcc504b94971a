"""What somebody changed of theirs or told wrongly: "changed gyms and go to PureGym now"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording

_BEGIN: Final = r"(?:^|[.!?;:]\s+|, (?:and |but |so )?|\b(?:and|but|so|because) )"
_SWITCHED: Final = r"(?:changed|switched|swapped|moved)"
_NOT_SWITCHED: Final = (
    r"(?!(?:[a-z-]+ )?(?:sides|places|trains|jobs|seats|clothes|minds|plans|topics|subjects|hands|gears|"
    r"lanes|"
    r"tyres|tires|nappies|sheets|times|dates|shifts|tunes|buses|flights|positions|directions|roles|careers|"
    r"homes|houses|flats|countries|cities|towns|things|lots|colours|colors|planes|tracks|is|was|his|this|"
    r"courses|majors|stations|channels|words|names|numbers|rooms|tables)\b)"
)
"""What is changed for the moment, or is no thing that has a name."""
_THERE: Final = (
    r"(?:with|at|on|to|go(?:ing)? to|see(?:ing)?|us(?:e|ing)|train(?:ing)? (?:with|at)|bank(?:ing)? with|"
    r"shop(?:ping)? at|sing(?:ing)? (?:with|in)|play(?:ing)? (?:for|with)|run(?:ning)? with)"
)
_NAMED: Final = r"(?:[A-Z][\w'&.+-]*(?: (?:[A-Z&][\w'&.+-]*|\d+))*)"
_STOP: Final = r"(?=\s*(?:[.,;!\n]|$)| (?:because|so|and|but|since|as|now|not)\b)"
_DATED: Final = (
    r"(?:on )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: (?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|"
    r"Nov|Dec)"
    r"[a-z]*)?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?)(?:,? "
    r"\d{4})?"
)


def _single(noun: str) -> str:
    """One of several: "gyms" are of the sort gym."""
    if noun.endswith("ies"):
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    return noun[:-1]


def _now_there(match: re.Match[str]) -> Iterator[Edit]:
    """ "Changed gyms and go to PureGym now": my gym is now PureGym."""
    yield *match.span("whole"), f"my {_single(match['what'].lower())} is now {match['new']}"


def _rightly(match: re.Match[str]) -> Iterator[Edit]:
    """ "I had Zosia's birthday wrong, it's 29 June": told again, as a correction."""
    lead = "A" if match["whole"][0].isupper() else "a"
    yield *match.span("whole"), f"{lead}ctually, {match['whose']} {match['what']} is"


def _the_wrong(match: re.Match[str]) -> Iterator[Edit]:
    """ "I gave you the wrong day for Zosia, she's the 29th of June": her birthday."""
    what = match["what"].lower()
    if what in ("day", "date"):
        what = "birthday"
    yield *match.span("whole"), f"Actually, {match['whose']}'s {what} is"


def _studies(match: re.Match[str]) -> Iterator[Edit]:
    """ "I've changed my major to law": I study law now."""
    yield *match.span("whole"), " now study" if match["who"] == "I" else " now studies"


SWITCHED: Final = (
    # "I've changed my major to industrial design."
    Rewording(
        "changed switched",
        ((" to ",), ("major", "course", "degree", "subject", "field of study", "program")),
        pattern(
            r"\b(?P<who>I|[Ss]?[Hh]e|[A-Z][\w'-]+)(?P<whole>(?:'ve| have|'s| has)?"
            r"(?: just| recently| now| also)? "
            r"(?:changed|switched) (?:my |his |her )?(?:major|course|degree|subject|field of study|"
            r"program(?:me)?)s?(?: from [a-z][a-z ]{2,40}?)? to)(?= [a-zA-Z])"
        ),
        _studies,
    ),
    # "I changed running clubs and am with Bakkeløperne now."
    Rewording(
        "changed switched swapped moved",
        ((" now", " these days", "i'm with", "we're with"),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:(?:I|[Ww]e)(?:'ve| have|'d)?(?: just| recently| finally| also)? "
            rf"{_SWITCHED}|"
            rf"[Cc]hanged|[Ss]witched) {_NOT_SWITCHED}(?P<what>(?:[a-z-]+ )?[a-z]+s)"
            r"(?: (?:last|this|in|over) [^,.;:!?\n]{2,20}?| again| recently)?"
            r"(?:,? and|,|;| -|\.|,? so)(?: (?:I|[Ww]e|I'm|[Ww]e're|I am|[Ww]e are|am|are|it's))?"
            rf"(?: now)? {_THERE} (?P<new>{_NAMED})(?: now| these days)?){_STOP}"
        ),
        _now_there,
        part=pattern(rf"(?i:\b{_SWITCHED}) (?:[a-z-]+ )?[a-z]+s\b"),
    ),
    # "I had Zosia's birthday wrong, it's the 29th of June."
    Rewording(
        "wrong",
        ((" wrong",), ("it's", "it is", "that's", "its", "they're")),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=, ))(?P<whole>I(?:'d|'ve| had| have)? (?:had|got|put|gave|wrote|"
            rf"noted|told you|said)"
            rf"(?: you| down)? (?P<whose>{NAME}'s|my(?: [a-z]+'s)?|our|the) (?P<what>[a-z]+(?: "
            rf"[a-z]+){{0,2}}) wrong"
            r"(?:[,;.:]| -| –)(?: (?:so|and|sorry),?)? (?i:it's|its|it is|that's|they're)(?: actually| "
            r"really)?)"
            r"(?= [A-Z\d]| the \d| on )"
        ),
        _rightly,
    ),
    # "I had the wrong day for Zosia, she's the 29th of June."
    Rewording(
        "wrong",
        (("wrong ",), (" for ",)),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=, ))(?P<whole>I(?:'d|'ve| had| have)? (?:had|got|put|gave you|wrote|"
            rf"noted|told you|"
            rf"gave) (?:down )?the wrong (?P<what>day|date|birthday|age) for (?P<whose>{NAME}|[Mm]y [a-z]+)"
            r"(?:[,;.:]| -| –)(?: (?:so|and|sorry),?)? (?i:she|he|it|they)(?:'s| is|'re| are)(?: "
            r"actually| really)?)"
            rf"(?= {_DATED}(?:\s*[.,;!\n]|$))"
        ),
        _the_wrong,
    ),
)
"""Rewordings of what was changed, in this order."""
