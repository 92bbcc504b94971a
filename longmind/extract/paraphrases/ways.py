"""By which way somebody goes now, and what they are back to: "given up driving to work, I go by bus now"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, put
from longmind.extract.verbs import form, verb_forms

_RIDES: Final = (
    r"(?:car|bus|tram|train|bike|bicycle|foot|ferry|metro|tube|subway|underground|scooter|boat|taxi)"
)
_ROUTINE: Final = (
    r"(?:to|into) (?:work|school|college|uni|university|campus|town|class|"
    r"(?:the|my|our) (?:office|gym|studio|lab|hospital|shop|site|station|library|workshop))"
)
_HINTS: Final = (
    "car", "bus", "tram", "train", "bik", "bicycle", "foot", "ferry", "metro", "tube", "subway", "scooter",
    "boat", "taxi", "cycl", "walk", "driv", "run",
)  # fmt: skip
_NOW: Final = r"(?=(?: (?:now|instead|these days|nowadays|every day|most days))*\s*(?:[.,;!\n]|$))"
_RETURNED: Final = (
    r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"[a-z]*\b|I\b)[A-Z][\w'&.-]*(?: [A-Z\d][\w'&.-]*){0,3}"
)
_SO: Final = r"(?:(?:[Aa]nd|[Ss]o|[Nn]ow|[Tt]hen|O[Kk]|[Oo]k(?:ay)?),? )?"
_ASKS: Final = (
    r"(?:how|what|which|who|where|when|why|can|could|should|would|do|does|did|is|are|will|please)\b"
)


def _there_too(match: re.Match[str]) -> Iterator[Edit]:
    """ "I go by bus now": to where they drove before."""
    yield match.end("go"), match.end("go"), f" {match['to']}"


def _goes_now(match: re.Match[str]) -> Iterator[Edit]:
    """ "I've started cycling to work instead": I now cycle there."""
    lemmas = [lemma for lemma, which in verb_forms().get(match["doing"].lower(), ()) if which == "ing"]
    if lemmas:
        plural = match["who"].lower() in ("i", "we", "they")
        yield *match.span("began"), f" now {lemmas[0] if plural else form(lemmas[0], 'third')}"


WAYS: Final = (
    # "I've given up driving to work, I go by bus now", "I don't drive to the office any more, I walk".
    Rewording(
        "don doesn gave given longer more not quit stopped used",
        ((" to ", " into "), (" i ", " we ", " he ", " she ", " just ", " now "), _HINTS),
        pattern(
            r"\b(?:(?:given|gave) up|stopped|quit|don't|do not|doesn't|does not|no longer|no more|used to) "
            rf"[^.,;!?\n]{{0,30}}?(?P<to>{_ROUTINE})\b[^.,;!?\n]{{0,20}}?"
            r"(?:[,;.]| -| –)?(?: (?:and|so|but|because))?(?: now)?,? "
            r"(?P<go>(?:I|we|he|she)(?:'m| am| is|'s)?(?: (?:now|just|mostly|always|usually))* "
            r"(?:(?:go|goes|going|travel|travels|commute|commutes|come|comes) (?:in )?(?:by|on) "
            rf"(?:the )?{_RIDES}|"
            rf"(?:take|takes|catch|catches|get|gets|ride|rides|taking|getting) (?:the|a|my|his|her) {_RIDES}|"
            r"cycles?|walks?|drives?|bikes?|cycling|walking|driving))"
            rf"{_NOW}",
            re.IGNORECASE,
        ),
        _there_too,
    ),
    # "I've started cycling to work instead of getting the train."
    Rewording(
        "began begun started taken",
        (("instead", "rather than"), (" to ", " into "), _HINTS),
        pattern(
            rf"\b(?P<who>I|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|(?:[Mm]y|[Oo]ur) [a-z]+|{NAME})"
            r"(?P<began>(?:'ve| have|'s| has)?(?: just| now| recently| finally)? "
            r"(?:started|begun|began|taken to) (?P<doing>cycling|driving|walking|biking|running|taking|"
            r"getting|catching|riding|going|commuting))"
            rf"(?= [^.,;!?\n]{{0,30}}?\b{_ROUTINE}\b[^.,;!?\n]{{0,20}}?,? (?:instead|rather than)\b)"
        ),
        _goes_now,
    ),
    # "Back to Hokas for running", "back at PureGym now".
    Rewording(
        "back Back",
        (("back ",),),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<back>{_SO}[Bb]ack)"
            rf"(?= (?:to|using) {_RETURNED} (?:for (?!(?:an?|the|one|two|my)\b)|(?:again|now|these days|"
            r"as my|because|since|after)\b)(?![^.!?\n]*\b(?:only|please)\b)"
            rf"| (?:to|using) {_RETURNED}, (?!{_ASKS}))"
        ),
        put("back", "I've gone back"),
    ),
    Rewording(
        "back Back",
        (("back on ", "back with ", "back at ", "back in "),),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<back>{_SO}[Bb]ack)"
            rf"(?= (?:on|with|at|in) {_RETURNED}(?: (?:again|now|these days|for good|as my|because)\b|[.!]|$)"
            rf"| (?:on|with) {_RETURNED}, (?!{_ASKS}))"
        ),
        put("back", "I'm back"),
    ),
)
"""Rewordings of ways and returns, in this order."""
