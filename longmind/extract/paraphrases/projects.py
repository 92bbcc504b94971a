"""What a team settles on, when its things happen and who has them: "for the kiosk we went with Flutter"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import PASSED_ALONG
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_BEGIN: Final = r"(?:^|[.!?;:]\s+|, (?:and |but |so )?|\b(?:and|but|so) )"
_TOOL: Final = r"[A-Z](?:[\w.+#-]*[\w+#])?(?: (?:[A-Z](?:[\w.+#-]*[\w+#])?|\d(?:[\w.]*\w)?)){0,2}"
_BUILT: Final = (
    r"(?:project|app|site|website|back ?end|front ?end|service|server|api|database|hosting|newsletter|"
    r"payments|"
    r"invoicing|billing|bookings?|shop|kiosk|platform|pipeline|builds?|tests|docs|documentation|monitoring|"
    r"logging|alerts|deploys?|deployments?|dashboard|portal|prototype|pilot|game|analytics|search|cache|"
    r"queue|"
    r"client|firmware|accounting|payroll|store|blog|wiki|forum|tool|system|module|plugin|bot|migration|"
    r"tracker|"
    r"intranet|landing page|demo|terminal|checkout|chat|UI|API)"
)
_THING: Final = rf"(?:[\w-]+ ){{0,2}}?{_BUILT}"
"""What is built with something, or run on it."""
_STOP: Final = r"(?=\s*(?:[.,;!?\n]|$)| (?:and|but|so|because|since|after|now|this|last|today)\b)"
_SETTLED: Final = (
    r"(?:settled on|went with|decided on|opted for|agreed on|going with|gone with|picked|chose|chosen|"
    r"sticking with|landed on)"
)
_DAY: Final = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|day|night|morning|evening|week|month|quarter|hour|year"
)
_REPEATED: Final = (
    rf"(?:on (?:a )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    rf"|every (?:other |second |third |two |three |first |last )?(?:{_DAY})s?\b|(?:daily|weekly|monthly|"
    rf"nightly)\b)"
)
_OWNED: Final = (
    r"(?!(?:part|place|charge|note|time|care|turns|responsibility|issue|it|them|him|her|me|us|a|an|my|"
    r"his|their|off|from|as|for)\b)[a-z][\w-]*(?: [a-z][\w-]*){0,3}?"
)
_AS_OF: Final = (
    r"(?: (?:as of|from|starting|with effect from) [^.,;!?\n]{2,30}?| next (?:week|month)| today| now| "
    r"this (?:week|month)| (?:on|in) [A-Z0-9][^.,;!?\n]{1,20})?"
)


def _used_for(match: re.Match[str]) -> Iterator[Edit]:
    """ "For the kiosk we settled on Flutter": the kiosk uses Flutter."""
    yield *match.span("whole"), f"the {match['what']} uses {match['tool']}"


def _dropped(match: re.Match[str]) -> Iterator[Edit]:
    """ "We dropped React for Svelte on the kiosk": the kiosk uses Svelte instead of React."""
    what = match["what"] or match["first"]
    if what is not None:
        yield *match.span("whole"), f"the {what} uses {match['new']} instead of {match['old']}"


def _handed(match: re.Match[str]) -> Iterator[Edit]:
    """ "Lena has handed the newsletter over to Tom": Tom owns it now."""
    lasting = match["over"] or match["of"] or match["when"] or "ing" in match["gave"]
    if lasting and PASSED_ALONG.isdisjoint(match["what"].split()):
        yield *match.span("whole"), f"{match['new']} owns {match['what']} now"
        then = _GIVER.match(match.string, match.end())
        of_it = then is not None and set(match["what"].split()) & set(then["said"].split()) - {"the", "our"}
        if then is not None and not of_it and match["who"] not in _UNNAMED:
            yield *then.span("pronoun"), match["who"]  # "Lena passed billing on to Tom, she owns search now"


_UNNAMED: Final = frozenset({"I", "We", "we", "He", "he", "She", "she"})
_GIVER: Final = pattern(
    r"\s*[.,;]?\s+(?:and |but |because |so )?(?P<pronoun>[Ss]he|[Hh]e)(?=(?:'s)? )(?P<said>[^.,;!?\n]*)"
)
"""Who handed something over is who does something in the next clause."""


def _is_lead(match: re.Match[str]) -> Iterator[Edit]:
    """ "The Aurora site opens in May. Ann is the editor": Aurora's editor is Ann."""
    yield *match.span("whole"), f"{match['thing']}'s {match['role']} is {match['name']}"


def _is_in(match: re.Match[str]) -> Iterator[Edit]:
    verb = {"written": "is written", "built": "is built", "hosted": "is hosted", "": "is"}
    yield *match.span("be"), verb[(match["how"] or "").strip()]


_LAUNCH: Final = {
    "goes live": "launches",
    "go live": "launch",
    "is going live": "launches",
    "are going live": "launch",
    "will go live": "launches",
    "went live": "launched",
}

PROJECTS: Final = (
    # "For the kiosk project we settled on React Native."
    Rewording(
        "settled went decided opted agreed going gone picked chose chosen sticking landed",
        ((" for ", "for the ", "for our "),),
        pattern(
            rf"(?:^|(?<=[.!?;] )|(?<=, )|(?<=\band ))(?P<whole>(?:[Ff]or|[Oo]n) (?:the|our) "
            rf"(?P<what>{_THING}),? "
            rf"(?:we|I)(?:'ve|'re| have| are)?(?: now| just| finally| all| in the end)? {_SETTLED} "
            rf"(?P<tool>{_TOOL})(?: in the end| at last)?){_STOP}"
        ),
        _used_for,
        part=pattern(rf"{_BUILT},? (?:we|I)\b[^.,;!?\n]{{0,20}} {_SETTLED} [A-Z]"),
    ),
    Rewording(
        "settled went decided opted agreed going gone picked chose chosen sticking landed",
        ((" for the ", " for our ", " on the "),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?:[Ww]e|I)(?:'ve|'re| have| are)?(?: now| just| finally| all)? {_SETTLED} "
            rf"(?P<tool>{_TOOL}) (?:for|on) (?:the|our) (?P<what>{_THING})(?: in the end| at last)?){_STOP}"
        ),
        _used_for,
        part=pattern(rf"\b{_SETTLED} {_TOOL} (?:for|on) (?:the|our) "),
    ),
    # "After the spike we dropped React Native for Flutter on the kiosk."
    Rewording(
        "dropped ditched swapped binned abandoned scrapped",
        (
            (" for ", " in favour of ", " in favor of "),
            ("on the ", "on our ", "for the ", "for our ", "in the "),
        ),
        pattern(
            rf"{_BEGIN}(?:(?:[Aa]fter|[Ff]ollowing|[Ii]n) (?:the|our|a) [\w -]{{2,30}}?,? )?"
            rf"(?P<whole>(?:(?:[Oo]n|[Ff]or) (?:the|our) (?P<first>{_THING}),? )?[Ww]e(?:'ve| have)?"
            r"(?: now| just| finally)? "
            rf"(?:(?:dropped|ditched|swapped|binned|abandoned|scrapped) (?P<old>{_TOOL})"
            rf" (?:for|in favou?r of)) (?P<new>{_TOOL})(?: (?:on|for|in) (?:the|our) (?P<what>{_THING}))?)"
            rf"{_STOP}"
        ),
        _dropped,
        part=pattern(rf"\b[Ww]e(?:'ve| have)?(?: \w+)? \w+ {_TOOL} (?:for|in favou?r of) [A-Z]"),
    ),
    # "The Heron backend will be in Rust rather than Python", "we'll write the backend in Rust".
    Rewording(
        "be",
        ((" rather than ", " instead of ", " and not ", ", not "), (" will be ", "'ll be ", "going to be ")),
        pattern(
            rf"{_BEGIN}(?:[Tt]he|[Oo]ur) (?:[\w-]+ ){{0,3}}[\w-]+ (?P<be>(?:will(?: now)?|is going to) be"
            r"(?P<how> (?:written|built|hosted))?)"
            r"(?= (?:in|on|with|by) [A-Z][^.,;!?\n]{0,30}?,? (?:rather than|instead of|and not|not) [A-Z])"
        ),
        _is_in,
    ),
    # "Releases for the kiosk go out every second Tuesday."
    Rewording(
        "go come",
        ((" go out ", " come out "),),
        pattern(
            rf"{_BEGIN}(?!(?i:i|we|you|they)\b)(?:(?:[Tt]he|[Oo]ur|my) )?(?:[\w-]+ ){{1,3}}"
            rf"(?:for|to|of) (?:the|our|my) [a-z-]+(?P<go> (?:go|come) out) (?={_REPEATED})",
            re.IGNORECASE,
        ),
        put("go", " are"),
        part=pattern(rf"\b(?:go|come) out {_REPEATED}", re.IGNORECASE),
    ),
    # "The Aurora website goes live on 3 July."
    Rewording(
        "live",
        (("goes live", "go live", "going live", "went live"),),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but|so|that) )(?!(?:i|we|you|they|he|she)\b)(?:[\w'-]+ ){1,4}?"
            r"(?P<live>goes live|go live|is going live|are going live|will go live|went live)"
            r"(?= (?:on|in|at|next|this|from|the|tomorrow|today)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("live"), _LAUNCH[match["live"].lower()])]),
    ),
    # "The logs may only be kept for 30 days."
    Rewording(
        "be",
        (("only be ", "must be ", "have to be ", "has to be ", "should be ", "can be "),),
        pattern(
            rf"(?:{_BEGIN}|\b(?:says|said|say) (?:that )?)(?:(?:the|our|all) )?(?:[\w-]+ "
            rf"){{0,2}}[a-z-]*[a-z](?P<may> (?:(?:may|can|must|"
            r"should)(?: now)? only|must(?: now)?|(?:have|has)(?: now)? to|(?:now )?(?:have|has)(?: "
            r"only)? to) be)"
            r"(?P<kept> (?:kept|stored|held|hosted|saved|retained|archived|deleted))"
            r"(?= (?:(?:for|on|in|at|within|after) (?:[A-Z0-9]|(?:one|two|three|four|five|six|seven|ten)\b)|"
            r"(?P<long>\d+ (?:hours|days|weeks|months|years)\b)))",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                (*match.span("may"), " are" if match.string[match.start("may") - 1] == "s" else " is"),
                (match.end("kept"), match.end("kept"), " for" if match["long"] else ""),
            ]
        ),
    ),
    # "Legal says the logs have to go after 30 days": who says it has the last word on it.
    Rewording(
        "says say said",
        (("legal sa", "compliance sa", "hr sa", "council sa", "auditors sa", "auditor sa", "insurers sa"),),
        pattern(
            r"(?:^|(?<=[.!?] ))(?P<who>(?:Legal|Compliance|HR|The (?:council|auditors?|insurers)) (?:now )?"
            r"(?:says?|said)(?: that)? )(?=(?:the|our|all|we|every) )"
        ),
        cut("who"),
    ),
    # "I'm handing the drone footage over to Kwabena", "Lena has passed billing on to Tom".
    Rewording(
        "handed handing passed passing hand pass transferred given",
        ((" to ",),),
        pattern(
            rf"{_BEGIN}(?P<whole>(?P<who>I|[Ww]e|[Ss]he|[Hh]e|{NAME})"
            r"(?:'m|'ve|'s|'re| am| is| are| have| has)? "
            r"(?:now |just |officially )?(?P<gave>(?:handed|handing|passed|passing|transferred)(?: over| "
            r"on)?) "
            rf"(?P<what>(?:the |our )?{_OWNED})(?P<of> (?:for|of|on) (?:the|our) [\w-]+(?: [\w-]+)?)?"
            rf"(?P<over> over| on)? to (?P<new>(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b){NAME}))"
            rf"(?P<when>{_AS_OF})(?=\s*(?:[.,;!\n]|$)| and | because | so )"
        ),
        _handed,
        part=pattern(r"\b(?:hand|pass|transferr)(?:ed|ing) [^.,;!?\n]{2,60}? to [A-Z]"),
    ),
    # "Tom is taking over the newsletter from Lena."
    Rewording(
        "taking takes took taken take",
        ((" taking over ", " takes over ", " took over ", " taken over ", " take over "), (" from ",)),
        pattern(
            rf"{_BEGIN}(?P<new>(?!(?:I|We|He|She|They)\b){NAME})(?P<took>(?:'s| is| has|'ll| will)?"
            r"(?: now| just)? (?:taking |takes |took |taken |take )over) "
            rf"(?P<what>(?:the |our )?{_OWNED})(?P<old> from {NAME}){_AS_OF}(?=\s*(?:[.,;!\n]|$)| and )"
        ),
        lambda match: iter([(*match.span("took"), " owns"), (*match.span("old"), " now")]),
        part=pattern(r" (?:taking|takes|took|taken|take) over [^.,;!?\n]{2,60}? from [A-Z]"),
    ),
    # "Our wifi is Harbour and the password is kelp": of the same house.
    Rewording(
        "postcode zip password pin code rent gate seat serial login username extension",
        ((" and the ", ", the "), ("my ", "our ")),
        pattern(
            r"(?:^|[.!?]\s+)(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){1,4}(?:is|'s) [^.!?\n]{2,60}?(?:, and|,| and) "
            r"(?P<the>the)"
            r"(?= (?:postcode|zip code|password|pin|code|rent|gate|seat|serial(?: number)?|"
            r"login|username|extension)(?: number)?(?: is|'s) )"
        ),
        put("the", "my"),
        part=pattern(
            r"\bthe (?:postcode|zip code|password|pin|code|rent|gate|seat|serial|login|username|"
            r"extension)(?: number)?(?: is|'s) "
        ),
    ),
    # "The Aurora website launches on 3 July. Valentina is the project lead."
    Rewording(
        "lead manager owner treasurer coordinator director maintainer designer editor organiser producer",
        ((" is the ", "'s the "), (". ", "; ")),
        pattern(
            r"\b(?:[Tt]he|[Oo]ur) (?P<thing>(?-i:[A-Z])[\w-]+)(?: (?:project|website|app|site|service|"
            r"campaign|team|"
            rf"festival|platform|system|programme|launch|migration|launches))[^.!?\n]{{2,80}}[.;] "
            rf"(?P<whole>(?P<name>{NAME})"
            r"(?: is|'s) the (?P<role>(?:(?:project|tech|team|product|design) )?(?:lead|manager|owner|"
            r"treasurer|"
            r"coordinator|director|maintainer|designer|editor|organiser|producer)\b))(?! (?:of|at|for|on)\b)"
        ),
        _is_lead,
    ),
)
"""Rewordings of what is said of projects, in this order."""
