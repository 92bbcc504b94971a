"""Endings and periods in other words: "they made me redundant", "that leaves us with the van"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.kin import RELATION_WORDS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_BEGIN: Final = (
    r"(?:^|(?<=[.!?;:]\s)|(?<=, )|(?<=\band )|(?<=\bbut )|(?<=\bso ))(?:(?:So|And|But|Well|Sadly),? )?"
    r"(?!(?:If|When|Whenever|Unless|Suppose|Supposing|Imagine|Should|Had|Did|Does|Has|Have|Will|Would|Could|"
    r"Once|Until|Because|Although|Though|Maybe|Perhaps|Whether)\b)"
)
"""Where a clause may begin that is meant as it is said."""
_STOP: Final = (
    r"(?i:(?=\s*(?:[.,;!?\n]|$)|\s(?:on (?:mon|tues|wednes|thurs|fri|satur|sun|the \d|\d)|in (?:the )?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter|20\d\d)|last |"
    r"yesterday|today|this (?:week|month|morning|year)|after \w+ years|because |along with |and |"
    r"from (?:my|the|our) (?:job|role))))"
)
_ANYBODY: Final = (
    rf"(?:{NAME}|(?:[Tt]he|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) (?:[a-z]+ ){{0,2}}[a-z]+|"
    r"[Tt]hey|[Hh]e|[Ss]he)"
)
_DISMISSED: Final = {
    "made": " redundant", "let": " go", "laid": " off", "sacked": "", "fired": "", "dismissed": "",
    "gave": " the sack", "given": " the sack", "handed": " the sack",
}  # fmt: skip
"""What follows whoever lost a job, by the verb; "the sack" stands for the boot and the push, too."""
_SACK: Final = r" the (?:sack|boot|push|chop)| (?:my|our|his|her|their) (?:cards|redundancy(?: notice)?)"


_GOES_SOMEWHERE: Final = pattern(
    r"(?: (?!after\b|because\b)[\w']+){0,3}? (?:to|with|for|home|out|and (?!now\b|so\b))\b"
)


def _dismissed(match: re.Match[str]) -> Iterator[Edit]:
    """ "They laid my brother off" is told of the brother."""
    rest = match["rest"] or ""
    if _DISMISSED[match["verb"]] != (" the sack" if re.match(_SACK, rest) else rest):
        return  # "they let us off", "she made me"
    if match["verb"] == "let" and (
        not RELATION_WORDS.isdisjoint(match["who"].lower().split())
        or _GOES_SOMEWHERE.match(match.string, match.end("whole")) is not None
    ):
        return  # "Mum let me go", "they let us go on Friday to the fair"
    whom = match["whom"]
    who = {"me": "I was", "us": "I was"}.get(whom, f"{whom} was")
    yield *match.span("whole"), f"{who} {'made redundant' if 'redundan' in rest else 'laid off'}"


def _until(match: re.Match[str]) -> Iterator[Edit]:
    """ "Until we moved here in 2022 our vet was Ms Lund": until 2022."""
    yield *match.span("lead"), ""
    yield match.end("said"), match.end("said"), f" until {match['year']}"


def _took_over(match: re.Match[str]) -> Iterator[Edit]:
    """ "Our CFO is Ann Lee. She took over in May from Bob Ray, who'd been CFO since 2017": each with a "
    "period."""
    whose = f"{match['whose']} {match['role']}"
    when, since = match["when"] or match["after"], match["since"]
    began = None if when is None else when.strip().removeprefix("in ").removeprefix("on ")
    period = f" until {began}" if since is None else f" from {since} to {began}"
    first = "" if began is None else f" since {began}"
    old = f"{whose[0].upper()}{whose[1:]} was {match['old']}"
    yield *match.span("rest"), f"{first}. {old}{'' if began is None else period}"


_YEAR: Final = (
    r"(?:(?:(?:early|late|mid) )?(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|"
    r"September|October|"
    r"November|December) )?(?:19|20)\d\d"
)
_WAS: Final = (
    r"(?:was|were|had|lived|worked|went|drove|rented|banked|studied|ran|kept|used|taught|played|"
    r"shared|owned|did)"
)
_SOMEBODY: Final = rf"(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|(?:[Mm]y|[Oo]ur|the) [a-z]+|{NAME})"

_HAD_TO: Final = {
    "stop": "stopped", "quit": "quit", "give up": "gave up", "leave": "left", "drop": "dropped",
    "close": "closed",
}  # fmt: skip

ENDINGS: Final = (
    # "My brother had to stop playing hockey": and so he did.
    Rewording(
        "had",
        (("had to ",),),
        pattern(
            rf"\b{_SOMEBODY}(?P<had> (?:sadly |finally |recently |eventually )?had to "
            rf"(?P<verb>{'|'.join(_HAD_TO)}))"
            r"(?= (?:my|our|his|her|their|the|[a-z]+ing|[A-Z]))"
        ),
        lambda match: iter([(*match.span("had"), f" {_HAD_TO[match['verb']]}")]),
    ),
    # "Acme made me redundant in May", "the bank let my sister go".
    Rewording(
        "made let laid sacked fired dismissed gave given handed",
        (
            (
                " redundan",
                " go",
                " off",
                "sacked ",
                "fired ",
                "dismissed ",
                " sack",
                " boot",
                " push",
                " chop",
                " cards",
            ),
        ),
        pattern(
            rf"{_BEGIN}(?P<whole>(?P<who>{_ANYBODY})(?:'ve|'s| have| has| had)?"
            r"(?: just| finally| then| both)? "
            rf"(?P<verb>{'|'.join(_DISMISSED)}) (?P<whom>me|us|my [a-z]+(?: {NAME})?|{NAME})"
            rf"(?P<rest> redundant| go| off|{_SACK})?){_STOP}"
        ),
        _dismissed,
        part=pattern(rf"\b(?:{'|'.join(_DISMISSED)}) (?:(?:me|us|my)\b|[A-Z])"),
    ),
    # "The boat's sold, which leaves us with the caravan".
    Rewording(
        "leaves left down",
        (("leaves me ", "leaves us ", "left with "),),
        pattern(
            r"(?P<whole>(?:^|(?<=[.!?] )|,? (?:so|and|which|and that) |, )(?:(?:[Aa]nyway|[Ss]o),? )?"
            r"(?:(?:(?:[Tt]hat|[Tt]his|[Ww]hich) )?(?:only |just )?leaves (?:me|us)|(?:I'm|we're|we are|I "
            r"am)(?: now)? left)"
            r" with (?:just |only )?)(?=(?:the|my|our) (?!(?:feeling|impression|problem|question|choice|"
            r"task|job|bill|"
            r"bills|mess|rest|same|decision|task|option|issue|cost|costs|kids|children)\b)[A-Za-z][\w-]*(?: "
            r"[A-Z][\w'-]+)?"
            r"(?:\s*[.,;!?\n]|$| and | now))"
        ),
        put("whole", ". We have "),
    ),
    # "Ana and Rui's divorce came through".
    Rewording(
        "divorce",
        (("divorce ",),),
        pattern(
            rf"{_BEGIN}(?P<who>(?:[Mm]y [a-z]+(?: [A-Z][\w-]+)?|[A-Z][\w-]+)(?: and (?:his|her) (?:wife|"
            rf"husband)| and "
            rf"[A-Z][\w'-]+)?)(?P<whole>(?:'s)? divorce (?:finally |just |has |has finally )?(?:came through|"
            rf"come through|went through|gone through|(?:is|was|got) (?:now )?(?:final|official|"
            rf"finali[sz]ed)))\b"
        ),
        put("whole", " got divorced"),
        part=pattern(r"\bdivorce (?:finally |just |has |is |was |got |came |went |come |gone )"),
    ),
    # "Until we moved here in 2022 our vet was Ms Lund."
    Rewording(
        "until till before",
        (("until ", "till ", "before "), ("19", "20")),
        pattern(
            rf"(?:^|(?<=[.!?] ))(?P<lead>(?:[Uu]ntil|[Tt]ill|[Bb]efore|[Uu]p until) {_SOMEBODY} "
            rf"[^,.;!?\n]{{2,40}}? in "
            rf"(?P<year>{_YEAR}),? )(?P<said>(?:(?:my|our|the) [A-Za-z]+(?: [a-z]+)?|I|we|he|she|{NAME}(?:'s "
            rf"[a-z]+)?) "
            rf"{_WAS} [^,;.!?\n]{{2,60}}?)(?=\s*(?:[,;.!?\n]|$)| and )"
        ),
        _until,
    ),
    # "I was the club's secretary before Norman took that on in 2015."
    Rewording(
        "until till before",
        ((" until ", " till ", " before "), (" in 19", " in 20")),
        pattern(
            rf"{_BEGIN}{_SOMEBODY} (?:was|were|had|lived|worked|studied|taught|ran|rented) "
            rf"[^,;.!?\n]{{2,60}}?"
            rf"(?P<tail> (?:before|until|till) {_SOMEBODY} [^,.;!?\n]{{2,40}}? in (?P<year>(?:19|20)\d\d))"
            r"(?=\s*(?:[,;.!?\n]|$))"
        ),
        lambda match: iter([(*match.span("tail"), f" until {match['year']}")]),
        part=pattern(r" (?:before|until|till) [^,.;!?\n]{3,120}? in (?:19|20)\d\d\b"),
    ),
    # "I lived in Nairobi until 2019 and I've been in Kigali ever since."
    Rewording(
        "since",
        ((" ever since",), (" until ", " till ", " in ")),
        pattern(
            rf"\b(?:until|till|in) (?P<year>{_YEAR})\b[^.!?\n]{{3,80}}?(?P<ever> ever "
            rf"since)(?=\s*(?:[.,;!?\n]|$))"
        ),
        lambda match: iter([(*match.span("ever"), f" since {match['year']}")]),
    ),
    # "Our class teacher this year is Mr Okafor."
    Rewording(
        "this moment now currently these",
        (
            (
                " this year ",
                " this term ",
                " this season ",
                " this semester ",
                " this school year ",
                " at the moment ",
                " right now ",
                " currently ",
                " these days ",
            ),
            (" is ", " are "),
        ),
        pattern(
            r"(?:^|[.!?;:,]\s+|\b(?:and|but) )(?:[A-Z][\w-]+'s|[Mm]y|[Oo]ur|[Tt]he) [a-z]+(?: [a-z]+){0,2}?"
            r"(?P<when> (?:this (?:year|term|season|semester|school year)|at the moment|right now|currently|"
            r"these days))(?= (?:is|are) )"
        ),
        cut("when"),
        part=pattern(
            r" (?:this (?:year|term|season|semester|school year)|at the moment|right now|currently|"
            r"these days) (?:is|are) "
        ),
    ),
    # "Acme's CFO is Ann Lee. She took over in 2022 from Bob Ray, who'd been CFO since 2017."
    Rewording(
        "took succeeded replaced",
        ((" took over", " succeeded ", " replaced "), (" is ", "'s ")),
        pattern(
            rf"(?:^|(?<=[.!?:;,] ))(?P<whose>(?:{NAME}(?:'s|s')|[Mm]y|[Oo]ur)) (?P<role>[A-Za-z][A-Za-z "
            rf"-]{{1,30}}?) is(?: now)? "
            rf"{NAME}(?P<rest>(?:\. (?:She|He|They)|[,;] (?:and )?(?:she|he|they|who)|,? who) (?:took "
            rf"over|succeeded\b|"
            rf"replaced\b)(?P<when> (?:in|on) {_YEAR})?(?: from)? (?P<old>{NAME})"
            rf"(?P<after> (?:in|on) {_YEAR})?"
            rf"(?:,? who(?:'d| had) (?:been|held|run|done)\b[^,.;!?\n]*? since "
            rf"(?P<since>{_YEAR}))?)(?=\s*(?:[.,;!?\n]|$))"
        ),
        _took_over,
    ),
)
