"""Wishes for all answers to come, put as a question or as a note: "could you give me miles from now on?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, put

_START: Final = r"(?:^|(?<=[.!?;:] )|(?<=\n))(?:(?:and|also|so|oh|ok|okay|please|right|hi|hey|hello)[,!]? )*"
_FROM_NOW: Final = (
    r"(?:(?:from (?:now|here|today) on(?:wards)?|from (?:here|this point) on|in (?:the )?future|going "
    r"forward|always|"
    r"every time|each time|at all times|by default|whenever you (?:answer|reply|write)|as a rule))"
)
_VERB: Final = (
    r"answer|reply|respond|write|speak|talk|use|keep|give|call|address|explain|stick|sign|format|avoid|show|"
    r"send|put|do|quote|spell|include|leave|skip|drop|stop|start|end|make|convert|state|add"
)
_COUNT: Final = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a couple of|a single|a few)"
_UNIT: Final = r"(?:sentences?|words|lines?|bullet points?|bullets|paragraphs?|points)"
_ANSWER: Final = r"(?:answer|reply|response|message|explanation|summary|e-?mail|question)"
_AT_MOST: Final = r"(?:,? (?:at (?:the )?(?:very )?most|max(?:imum)?|tops|or (?:less|fewer)|no more))"
_SHAPES: Final = (
    r"(?:bullet points?|bullets|a (?:short )?(?:list|table|bulleted list)|tables|lists|paragraphs|"
    r"short sentences|plain text)"
)
_MEASURES: Final = (
    r"(?:kilomet(?:er|re)s|miles|celsius|fahrenheit|metric|imperial|km|kg|pounds|kilos|euros?|dollars|feet|"
    r"metres|"
    r"meters|litres|grams|ounces|24-hour(?: time| format)?|uk time|local time)"
)
_TOPIC: Final = (
    r"(?:distances?|temperatures?|weights?|prices?|amounts?|measurements?|recipes?|times?|dates?|heights?|"
    r"speeds?|"
    r"lengths?|costs?|budgets?)"
)


def _ordered(match: re.Match[str]) -> Iterator[Edit]:
    """ "Could you give me miles from now on?": an order, and one that lasts."""
    yield *match.span("ask"), "Please always "
    yield *match.span("end"), "."


def _each_rule(match: re.Match[str]) -> Iterator[Edit]:
    """ "House rules for Python: tests with pytest, never nose": an order each."""
    yield *match.span("lead"), ""
    start = match.start("rules")
    where = (
        ""
        if match["what"].lower() in ("answers", "replies", "summaries", "mails", "emails")
        else (f" in your {match['what'].removesuffix(' code')} code")
    )
    for part in _LINK.finditer(match["rules"]):
        first = match["rules"][part.end() :].split(" ", 1)[0].lower()
        said = f"{'Never' if part['never'] else 'Always'} {'' if first in _ORDERS else 'use '}"
        yield start + part.start(), start + part.end(), f"{where}. {said}" if part.start() else said
    yield match.end(), match.end(), where


_LINK: Final = pattern(r"(?:^|, and |, | and |; )(?P<never>(?:never|no|not|don't use|don't) )?")
_ORDERS: Final = frozenset(
    "use keep write put avoid stick name indent prefer include add make give run test".split()
)


ASKED: Final = (
    # "Could you give me temperatures in Fahrenheit from now on?"
    Rewording(
        "can could would will",
        (
            (" on?", " on please", " future", " forward", " always", " time", " default", " on ", "onwards"),
            (" you ",),
        ),
        pattern(
            rf"{_START}(?P<ask>(?:can|could|would|will) you (?:please |just |maybe )?(?:(?:always|start|"
            rf"begin) )?)"
            rf"(?={_VERB}|{_VERB.replace('|', 'ing|')}ing)(?:{_VERB})\b[^.?!\n]{{3,90}}?\b{_FROM_NOW}"
            r"(?:,? please)?(?P<end>\?)",
            re.IGNORECASE,
        ),
        _ordered,
    ),
    # "Could you always answer in Welsh?"
    Rewording(
        "can could would will",
        ((" you always ", " you please always ", " you never ", " you please never "), ("?",)),
        pattern(
            rf"{_START}(?P<ask>(?:can|could|would|will) you (?:please )?)(?P<always>always|never) "
            rf"(?:{_VERB})\b"
            r"[^.?!\n]{3,90}?(?:,? please)?(?P<end>\?)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("ask"), "Please "), (*match.span("end"), ".")]),
    ),
    # "Three sentences per answer at the very most, always."
    Rewording(
        "sentence sentences words line lines bullet bullets point points paragraph paragraphs",
        ((" per ", " an ", " a ", " each ", " for each ", " for every ", " in each "),),
        pattern(
            rf"{_START}(?P<whole>(?:no more than |at most |max(?:imum)? |only )?(?P<how>{_COUNT} {_UNIT})"
            rf"(?P<most>{_AT_MOST})? (?:per|an?|each|for (?:each|every|an?)|in (?:each|every|an)) {_ANSWER}"
            rf"(?P<then>{_AT_MOST})?(?:,? (?:please|always|from now on|every time|no matter "
            rf"what))*)(?=\s*(?:[.;!\n]|$))",
            re.IGNORECASE,
        ),
        put("whole", r"Please always keep your answers to \g<how> at most"),
    ),
    # "House rules for any Python you write me: tests with pytest, never nose, and line length 100."
    Rewording(
        "rules conventions rule preferences",
        ((" for ",), (": ",)),
        pattern(
            rf"{_START}(?P<lead>(?:(?:my|our|the|a few|some|two|three|house|a couple of) )*(?:house )?"
            r"(?:rules|conventions|preferences|ground rules) for (?:any |all |the |my |our "
            r")?(?P<what>[\w+#-]+(?: code| scripts?)?)"
            r"(?: (?:that )?you (?:write|give|send|draft|make)(?: (?:me|us|for me|for us))?): )"
            r"(?P<rules>(?=[a-z])(?!i\b|we\b|he\b|she\b|they\b|it\b)[^.:!?\n]{5,160})(?=[.!\n]|$)",
            re.IGNORECASE,
        ),
        _each_rule,
    ),
    # "... so do it in bullet points, five at most, every time."
    Rewording(
        "do give make put format write present send",
        ((" it in ", " them in ", " these in ", " this in ", " everything in ", " things in ", " it as ",
          " them as ", " answers in "),
         (" every time", " always", " from now on", " from here on", " in future", " each time", " please")),
        pattern(
            rf"(?:{_START}|,? so |\band )(?P<whole>(?:please )?(?:do|give|make|put|format|write|present|send)"
            rf"(?: me)? (?:it|them|these|this|everything|things|your answers|answers)(?: to me)? (?:in|as) )"
            rf"(?={_SHAPES}[^.!?\n]{{0,40}}\b(?:every time|always|from (?:now|here) on|in future|each time|"
            rf"please)\b)",
            re.IGNORECASE,
        ),
        put("whole", ". Please always answer in "),
    ),
    # "Do distances in kilometres from here on."
    Rewording(
        "do put give keep make show",
        (
            (" in ",),
            ("distance", "temperature", "weight", "price", "amount", "measure", "recipe", "time", "date",
             "height", "speed", "length", "cost", "budget"),
        ),
        pattern(
            rf"(?:{_START}|(?P<so>,? so )|,? and )(?P<whole>(?:please )?(?:do|put|give|keep|make|show)(?: "
            rf"me)? )"
            rf"(?={_TOPIC} in {_MEASURES}\b[^.!?\n]{{0,20}}\b(?:from (?:now|here|today) on|always|please|"
            rf"every time|"
            r"in future|instead|now)\b)",
            re.IGNORECASE,
        ),
        lambda match: iter(
            [
                *([(*match.span("so"), ". ")] if match["so"] else []),
                (*match.span("whole"), "Please always give me "),
            ]
        ),
    ),
    # "Make that line length 88, please."
    Rewording(
        "make set",
        ((" that ", " the ", " it "), (" length ", " width ", " limit ", " size ")),
        pattern(
            rf"(?:{_START}|,? so |, )(?P<whole>(?:please )?(?:make|set) (?:that|the|it) (?P<what>(?:line|"
            rf"page|tab|indent|"
            r"sentence|answer|word) (?:length|width|limit|size)) (?:to |at )?(?P<much>\d+))(?=(?:,? "
            r"(?:please|now|instead|"
            r"from now on))*\s*(?:[.,;!\n]|$))",
            re.IGNORECASE,
        ),
        put("whole", r". Please always use \g<what> \g<much>"),
    ),
    # "Can you keep this for me, my locker code is 4471": what is to be kept is told.
    Rewording(
        "keep note remember save store write",
        ((" this", " that", " it", " one"),),
        pattern(
            r"(?:^|(?<=[.!?;:] )|(?<=\n))(?P<ask>(?:(?:can|could|would|will) you )?(?:please )?"
            r"(?:keep|save|note|remember|store|write)(?: down)? (?:this|that|it)(?: down)?"
            r"(?: for (?:me|us|later|next time))?(?:,|:| -|;) )(?=(?:my|our|the|I'm|I am|I have|we)\b)",
            re.IGNORECASE,
        ),
        put("ask", ""),
    ),
)  # fmt: skip
