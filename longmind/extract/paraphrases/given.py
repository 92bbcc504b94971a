"""What a question or a condition stands beside: "since I'm on warfarin, may I …?", "I'm a vet, so if I …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import Edit, Rewording, put
from longmind.extract.verbs import forms_by_word

_OWN: Final = (
    r"(?:I'm|I am|im|I've|I have|I live|I work|I take|I don't|I can't|we're|we are|we've|we have|we live|"
    r"my [a-z]+(?: [a-z]+)?(?:'s| is| has| lives| works| hates| loves))"
)


def _apart(match: re.Match[str]) -> Iterator[Edit]:
    """ "Since I'm on warfarin, may I drink?": what is so, and then what is asked."""
    yield *match.span("lead"), ""
    yield *match.span("comma"), "."


def _each_doing(match: re.Match[str]) -> Iterator[Edit]:
    """ "I make soap, sell it at fairs and post it with Evri": each of the things that one does."""
    first = match["first"].lower()
    if first in _MEANT or "base" not in forms_by_word().get(first, {}):
        return
    if _OF_OTHERS.search(match["rest"]) is not None:
        return  # "I love films, they're an escape and get me going"
    start = match.start("rest")
    for link in _NEXT_VERB.finditer(match["rest"]):
        if link["verb"] in _REFUSING or "base" in forms_by_word().get(link["verb"], {}):
            yield start + link.start("link"), start + link.end("link"), f". {match['who']} "
            for borne in _BORNE.finditer(match["rest"], link.end("link")):
                yield start + borne.start("bear"), start + borne.end("bear"), "stand"
                break


_MEANT: Final = frozenset(
    "think guess know hope want need plan try believe feel wish intend mean say have do should".split()
)
_OF_OTHERS: Final = pattern(
    r"\b(?:I|I'\w+|they|they're|he|he's|she|she's|it's|we|we're|you|who|which|that|to)\b"
)
_BORNE: Final = pattern(r"(?<=can't )(?P<bear>abide|bear)\b")
_REFUSING: Final = frozenset({"can't", "don't", "never"})
_NEXT_VERB: Final = pattern(
    r"(?P<link>,? and |, (?:and |but )?)(?=(?P<verb>can't|don't|never|(?!(?:like|please|just|then|even|"
    r"also)\b)[a-z]+) "
    r"(?:(?:it|them|that|these|the|an?|my|our|his|her|everything|all|most|some)\b|(?-i:[A-Z]|[a-z]+ing\b)|"
    r"(?<=can't )|(?<=don't )|(?<=never )|(?<=work )|(?<=live )|(?<=teach )|(?<=study )|(?<=volunteer )|"
    r"(?<=train )|(?<=swim )|"
    r"(?<=sing )|(?<=commute )|(?<=go )))"
)


def _the_other_way_round(match: re.Match[str]) -> Iterator[Edit]:
    """ "Swimming is my favourite exercise now": "my favourite exercise is now swimming"."""
    end = match.end("now" if match["now"] else "mine")
    yield match.start("what"), end, f"{match['mine']} is now {match['what']}"


def _held_on(match: re.Match[str]) -> Iterator[Edit]:
    """ "We're having the launch on 3 May": our launch is then."""
    yield *match.span("having"), "our " if match["having"].lower().startswith("we") else "my "
    yield *match.span("on"), " is on "


GIVEN: Final = (
    # "I'm a paramedic, so if I write at four in the morning, that's why."
    Rewording(
        "if when whenever",
        ((" so if ", " so when", ", if ", " but if ", " and if "),),
        pattern(
            rf"(?:^|(?<=[.!?:;] )|(?<=\n)){_OWN}[^.!?\n]{{3,90}}?(?P<so>,? (?:so|but) )(?=(?:if|when|"
            rf"whenever) "
            r"(?:I|my|you|we|anyone|somebody|the|it|there)\b)",
            re.IGNORECASE,
        ),
        put("so", ". "),
    ),
    # "Since I'm on methotrexate for the arthritis, am I allowed wine?"
    Rewording(
        "because considering given now seeing since what",
        ((", ",), ("?",)),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<lead>(?:since|because|given(?: that)?|seeing (?:as|that|how)|"
            rf"considering(?: that)?|"
            rf"now that|what with) )(?={_OWN})(?![^?]*\b(?:if|would|could)\b)[^.!?,\n]{{4,90}}(?P<comma>,) "
            rf"(?:(?:so|then) )?(?:am|is|are|can|could|"
            r"do|does|should|what|which|how|where|when|who|any|may|would|will|have|shall)\b[^.!\n]*\?",
            re.IGNORECASE,
        ),
        _apart,
    ),
    # "I make soaps at home, sell them on Etsy and post everything with Evri."
    Rewording(
        "i we",
        ((" and ",), (", ",)),
        pattern(
            r"(?:^|(?<=[.!?:;] )|(?<=\n))(?P<who>I|[Ww]e) (?P<first>[a-z]+) (?P<rest>[^.!?;:,\n]{3,60}, "
            r"(?:[^.!?;:,\n]{2,90}, )?"
            r"[^.!?;:,\n]{0,60}?\band [a-z']+ [^.!?;:,\n]{2,60})(?=[.!;,\n]|$)"
        ),
        _each_doing,
    ),
    # "Swimming is my favourite exercise these days", "Nomad is my preferred way to run services".
    Rewording(
        "favourite favorite preferred usual main",
        ((" is my ", "'s my "),),
        pattern(
            r"(?:^|(?<=[.!?;] )|(?<=\n))(?P<what>(?!(?:it|this|that|he|she|what|which|there|"
            r"who)\b)[A-Za-z][\w'-]*(?: [\w'-]+){0,2})"
            r"(?P<is>(?:'s| is) )(?P<mine>my (?:favou?rite|preferred|main) (?!these\b|nowadays\b|now\b|"
            r"at\b|from\b|of\b)(?:[a-z]+ ){0,5}?[a-z]+)"
            r"(?P<now> these days| nowadays| now| at the moment| from here on| from now on| of all(?: "
            r"time)?)?(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        _the_other_way_round,
    ),
    # "HbA1c came back at 7.4."
    Rewording(
        "came back",
        ((" came back ", " come back "),),
        pattern(
            r"(?:^|(?<=[.!?;:] )|(?<=\n))(?P<what>(?:my |the |latest )*(?P<name>[A-Za-z][\w-]*\d?\w*(?: "
            r"[a-z]+){0,2}?))"
            r"(?P<came>(?: (?:test|result|level|reading))?(?: has|'s)? c[ao]me back (?:at|as) "
            r")(?=(?:around |about )?\d)",
            re.IGNORECASE,
        ),
        lambda match: iter([(match.start("what"), match.end("came"), f"my {match['name']} is ")]),
    ),
    # "New lab result: HbA1c 6.8!"
    Rewording(
        "blood bloods reading readings result results",
        ((": ",),),
        pattern(
            r"(?:^|(?<=[.!?;] )|(?<=\n))(?P<lead>(?:(?:my|the|new|latest|today's|lab|blood|test|bloods?) "
            r")+(?:results?|readings?|bloods?)"
            r"(?: (?:is|are) (?:in|back))?: )(?P<what>[A-Za-z][\w-]*(?: [a-z]+){0,2}) "
            r"(?P<value>\d[\d.,/]*)(?=[.,;!\n ]|$)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("lead"), ""), (*match.span("what"), f"my {match['what']} is")]),
    ),
    # "My federation number, so I stop asking: BWF-20917."
    Rewording(
        "my our",
        ((": ",), (", ",)),
        pattern(
            r"(?:^|(?<=[.!?;] )|(?<=\n))(?:my|our) (?:[a-z-]+ ){0,3}?(?:number|code|pin|id|reference|ref|"
            r"address|postcode|password|"
            r"birthday|size|plate|registration|account|iban)(?P<aside>, (?:so|for|in case|before|if|"
            r"because|since|as)\b[^.:!?\n]{2,50}: )"
            r"(?=\S*\d)",
            re.IGNORECASE,
        ),
        put("aside", " is "),
    ),
    # "My sister's wedding is on 20 September, in Kendal": when, and where.
    Rewording(
        "in at on for",
        ((", in ", ", at "),),
        pattern(
            r"\b(?:(?:my|our|the|Mum's|Dad's) [^.!?,;\n]{2,50}? (?:is|are|was)|[A-Z][\w-]+'s)(?: booked| "
            r"set| fixed| scheduled| planned)?(?: in)? (?:on|for) "
            r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: "
            r"of)? [a-z]+|[a-z]+ \d{1,2})(?:,? (?:19|20)\d\d)?"
            r"(?:,? (?:at )?(?:\d[\d:.]*(?: ?[ap]m)?|(?:quarter|half|ten|twenty) (?:past|to) [a-z]+|[a-z]+ "
            r"o'clock)(?: in the [a-z]+)?)?"
            r"(?P<comma>,) (?=(?:in|at) (?:the )?(?-i:[A-Z]))",
            re.IGNORECASE,
        ),
        put("comma", ""),
    ),
    # "We're having the housewarming on 5 October."
    Rewording(
        "having",
        ((" the ", " our ", " my ", " a "), (" on ",)),
        pattern(
            r"(?:^|(?<=[.!?;,] )|(?<=\n))(?P<having>(?:we're|we are|I'm|I am|im) having (?:the|our|my|an?) "
            r")(?P<what>housewarming|christening|"
            r"wedding|funeral|barbecue|bbq|baby shower|leaving do|reunion|launch party|launch|birthday "
            r"party|party|baptism|"
            r"operation|surgery|scan|mri|biopsy|interview|viva|exam)(?P<on> (?:on|at) )(?=(?:the )?(?:\d|"
            r"[A-Z]))",
            re.IGNORECASE,
        ),
        _held_on,
    ),
)  # fmt: skip
