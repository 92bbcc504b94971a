"""What stands with a noun: "Weir Dairy, who supply our milk, have …", "the truck I drive is …"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.kin import is_relation
from longmind.extract.lexicon import OCCUPATIONS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_START: Final = r"(?:^|(?<=[.!?;:,] )|(?<=\band )|(?<=\bbut )|(?<=\n))"
_VEHICLE: Final = (
    r"car|van|truck|lorry|bike|motorbike|scooter|phone|laptop|computer|tablet|console|camera|boat|"
    r"watch|bus|tractor"
)
_HAVE: Final = r"(?:I|we)(?:'ve got|'ve| have(?: got)?| drive| ride| own| use| run| fly| sail| play| work on)"
_GIVEN: Final = (
    r"(?:they(?:'ve)?|work|(?:my|our|the) (?:boss|work|company|firm|school|office))(?: has| have|'s)? "
    r"(?:given|gave|issued|assigned|lent|bought|got) (?:me|us)"
)
_USED: Final = (
    r"(?:(?:I|we) (?:(?:now|currently|usually|mostly|always) )?(?:drive|ride|own|use|play|support|follow|"
    r"wear|"
    r"sleep on|work on|run|fly|sail|rent|read|study|go to|train at|bank with|shop at|target|have)"
    r"|(?:I|we)'ve (?:got|hired|chosen|picked|booked)|(?:I|we) have (?:hired|chosen|picked|booked))"
)


def _two_sentences(match: re.Match[str]) -> Iterator[Edit]:
    """ "Weir Dairy, who supply our milk, have moved": what they do, and then what they are said to do."""
    yield *match.span("who"), " "
    if match["seat"]:
        yield match.start("comma"), match.end("seat"), f". {match['name']} is based"
    else:
        yield *match.span("comma"), f". {match['name']} "


def _the_speakers(match: re.Match[str]) -> Iterator[Edit]:
    """ "The truck I drive is a Scania": the speaker's truck."""
    who = "our" if re.search(r"\b(?:we|us)\b", match["whose"], re.IGNORECASE) else "my"
    yield *match.span("the"), who
    yield *match.span("whose"), ""


def _beside_me(match: re.Match[str]) -> Iterator[Edit]:
    """ "Fenella, my line manager.": who the name is."""
    words = match["what"].lower().replace("-", "_").split()
    if is_relation(words[-1]) or words[-1] in OCCUPATIONS or " ".join(words[-2:]) in OCCUPATIONS:
        yield match.start("name"), match.start("name"), f"{match['my'].lower()} {match['what']} "
        yield *match.span("tie"), ""


def _is_my(match: re.Match[str]) -> Iterator[Edit]:
    """ "I talked to Abena, she's my sister": who Abena is."""
    if is_relation(match["what"]) or match["what"] in OCCUPATIONS:
        yield match.start("name"), match.start("name"), f"{match['tied']} "
        yield *match.span("tie"), ""


def _each_aged(match: re.Match[str]) -> Iterator[Edit]:
    """ "My wife, Mateus who's 12 and Clara who's 7": each of them is so old."""
    if match["link"] in (", ", ": ") and _LISTED_BEFORE.search(match.string[: match.start()]) is None:
        return  # "my mentor, Wendy, who's 80": she is the mentor
    yield *match.span("link"), ". "
    yield *match.span("who"), " is "
    after = match.string[match.end() : match.end() + 14]
    if re.match(r",? and an? ", after):
        yield match.end(), match.end() + len(re.match(r",? and ", after)[0]), ". We have "  # type: ignore[index]


_LISTED_BEFORE: Final = pattern(r"(?:\bme|\bhome|\bus|who(?:'s| is) (?:only |just )?\w+|, [A-Z]\w+)$")


def _that_is_mine(match: re.Match[str]) -> Iterator[Edit]:
    """ "Tyres for a Skoda Fabia? That's the car I've got": the speaker's car is one."""
    which = "our" if match["who"].lower().startswith("we") else "my"
    yield *match.span("that"), f"{which} {match['kind']} is a {match['thing']}"


def _works_in(match: re.Match[str]) -> Iterator[Edit]:
    """ "Tomasz is in support": where somebody works."""
    low = match["who"].lower()
    of_name = low not in ("i", "he", "she", "we", "they") and not low.startswith(("my ", "our "))
    if of_name and match["what"].lower() in _STAGES:
        return  # "Heron is in production"
    yield *match.span("be"), " work in" if low in ("i", "we", "they") else " works in"


def _known_as(match: re.Match[str]) -> Iterator[Edit]:
    """ "Kit, as everyone calls Christopher Ward, skis": one person by two names."""
    other = match["called"] or match["paper"]
    yield match.start("name"), match.start("name"), f"{other} goes by "
    yield *match.span("aside"), f". {other}"


_STAGES: Final = frozenset(
    "production testing design maintenance operations ops security it pr admin legal compliance engineering "
    "dispatch".split()
)
"""Where a project may be as well as somebody."""
_DEPARTMENT: Final = (
    r"(?:customer |technical |tech |it |inside |field )?(?:support|sales|marketing|finance|accounts|"
    r"accounting|"
    r"payroll|hr|human resources|legal|procurement|purchasing|logistics|operations|ops|engineering|qa|"
    r"quality assurance|testing|devops|design|production|maintenance|dispatch|compliance|it|pr|admin|"
    r"radiology|paediatrics|pediatrics|oncology|cardiology|a&e|geriatrics|housekeeping|catering|security)"
)


_DEPARTMENTS: Final = (
    "support", "sales", "marketing", "finance", "account", "payroll", "in hr", "human res", "legal",
    "procure",
    "purchas", "logistic", "operations", "in ops", "engineering", "in qa", "quality", "testing", "devops",
    "design",
    "production", "maintenance", "dispatch", "compliance", "in it", "in pr", "in admin", "radiology",
    "iatrics",
    "oncology", "cardiology", "a&e", "housekeeping", "catering", "security",
)  # fmt: skip

RELATIVE: Final = (
    # "Weir Dairy, who supply our milk, have their head office in Cork."
    Rewording(
        "who which",
        ((", who ", ", which "),),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<name>{NAME}(?: {NAME})?)(?P<who>, (?:who|which) )"
            r"(?:(?:now|currently|also|usually) )?(?P<does>[a-z]+) (?:our|my|all our|most of our|the|for|"
            r"in|at|as|with) "
            r"[^,.;:!?\n]{2,50}(?P<comma>, )(?:(?P<seat>(?:has|have) (?:its|their) "
            r"(?:head ?office|headquarters|main office|base)(?= in ))|(?=(?:is|are|was|were|has|have|had|"
            r"will|can|"
            r"does|do|went|got|moved|lives?|works?|plays?|[a-z]+s|[a-z]+ed)\b))"
        ),
        _two_sentences,
    ),
    # "The truck they've given me is a Kenworth", "the oldest Python we support is 3.9".
    Rewording(
        "i we me us",
        (
            ("the ",),
            (" is ", " are "),
            (" i drive", " i ride", " i own", " i use", " i play", " i support", " i wear", " i rent",
             " i read", " i study", " i go to", " i have", " i work", " i've ", " i now", " i currently",
             " i mostly", " i always", " i usually", " we ", " we've", " me ", " us "),
        ),
        pattern(
            rf"(?:{_START}|\b[Ii]n (?:our|my) [a-z]+,? )(?P<the>[Tt]he) (?:(?!one\b|ones\b|thing\b|"
            rf"things\b|way\b|only\b|reason\b|first\b|last\b|"
            r"best\b|worst\b|problem\b|time\b|day\b|moment\b|more\b|point\b|question\b|part\b|bit\b|word\b)"
            rf"[\w.-]+ ){{1,3}}?(?P<whose>(?:(?:that|which) )?(?:{_GIVEN}|{_USED}) )"
            r"(?:(?:for|to|at|on|in) (?:the |my |our )?[\w' -]{2,40}? )?(?:is|are)(?= (?:now |currently |"
            r"still )?"
            r"(?:called |named )?(?:an? |the |number )?(?:[A-Z]|[a-z-]*\d|[a-z]+ [A-Z]))"
        ),
        _the_speakers,
    ),
    # "The dentist at our health centre is called Dr Nyberg."
    Rewording(
        "at in",
        ((" at our ", " at my ", " in our ", " in my "),),
        pattern(
            rf"{_START}(?P<the>[Tt]he) (?P<what>doctor|gp|dentist|vet|head|headteacher|head teacher|"
            rf"teacher|midwife|"
            r"nurse|pharmacist|coach|trainer|manager|boss|caretaker|concierge|landlord|priest|vicar|imam|"
            r"rabbi)"
            r"(?P<at> (?:at|in) (?:our|my) [a-z]+(?: [a-z]+)?)(?=(?:'s| is)(?: now)? (?:called |named )?"
            r"(?:Mrs?|Ms|Miss|Dr|Sister|Father)?\.? ?[A-Z])"
        ),
        lambda match: iter([(*match.span("the"), "our"), (*match.span("at"), "")]),
    ),
    # "Help me word a note to Fenella, my line manager."
    Rewording(
        "my our",
        ((", my ", ", our "),),
        pattern(
            rf"(?<=[a-z] )(?P<name>{NAME})(?P<tie>, (?P<my>my|our) (?P<what>(?:new )?[a-z][a-z-]+(?: "
            rf"[a-z-]+){{0,2}}))"
            r"(?=[.;!?\n]|$)"
        ),
        _beside_me,
    ),
    # "My wife and me, Mateus who's 12 and Clara who's 7."
    Rewording(
        "who",
        ((" who's ", " who is "),),
        pattern(
            r"(?<=[\w)])(?P<link>,? and |, |: )(?=[A-Z])[A-Z][\w'-]+(?P<who>,? who(?:'s| is) (?:only |just "
            r"|nearly |"
            r"almost |now )?)(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
            r"thirteen|"
            r"fourteen|fifteen|sixteen)(?: years old)?(?=,|\.|;|!|\n|$| and\b)"
        ),
        _each_aged,
    ),
    # "Weir Dairy's head office has shifted to Limerick."
    Rewording(
        "moved shifted relocated transferred gone",
        (("'s head office ", "'s headquarters ", "'s main office ", "'s hq "), (" to ",)),
        pattern(
            r"(?P<office>(?<=\w)'s (?:head ?office|headquarters|main office|hq|HQ)(?: has| have|'s|'ve| is)? "
            r"(?:now )?(?:moved|shifted|relocated|transferred|gone))(?= (?:over |across )?to [A-Z])"
        ),
        put("office", " has moved"),
    ),
    # "A deaf cat by the name of Beethoven."
    Rewording(
        "name",
        ((" by the name of ", " that goes by the name ", " who goes by the name "),),
        pattern(
            r"\b(?:a|an|the|my|our|his|her) (?:[a-z-]+ ){0,3}[a-z]+(?P<by> (?:by the name of|(?:that|who) "
            r"goes by the "
            r"name(?: of)?))(?= [A-Z])",
            re.IGNORECASE,
        ),
        put("by", " called"),
    ),
    # "Is a new clutch worth it in a Skoda Fabia? That's the car I've got."
    Rewording(
        "that it which",
        ((" i ", " i've", " we ", " we've"),),
        pattern(
            r"\b(?:an?|the|my) (?P<thing>(?:(?:19|20)\d\d )?(?-i:[A-Z])[\w.+-]*(?: (?-i:[A-Z]|\d)[\w.+-]*)*)"
            r"[^.!?\n]{0,60}?[.!?,] (?P<that>(?:and )?(?:that's|that is|it's|which is) (?:the|what|the "
            r"kind of) "
            rf"(?P<kind>{_VEHICLE}) (?P<have>{_HAVE.replace('(?:I|we)', '(?P<who>I|we)', 1)}))(?= now|"
            rf"[,.;!\n]|$)",
            re.IGNORECASE,
        ),
        _that_is_mine,
    ),
    # "Tomasz, he's in support", "my brother is in sales".
    Rewording(
        "in",
        ((" in ", ), _DEPARTMENTS),
        pattern(
            rf"\b(?P<who>I|[Hh]e|[Ss]he|[Ww]e|[Tt]hey|{NAME}|(?:[Mm]y|[Oo]ur) [a-z-]+)(?P<be>(?:'s|'m|'re| "
            rf"is| am| are) in) "
            rf"(?P<what>(?i:{_DEPARTMENT}))(?= now\b| here\b| at [A-Z]|[.,;!\n]|$)"
        ),
        _works_in,
    ),
    # "Kit, as everyone calls Christopher Ward, skis."
    Rewording(
        "calls call paper officially legally",
        ((", ",),),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?P<name>[A-Z][\w'-]+)(?P<aside>, (?:as (?:everyone|everybody|we "
            rf"all|people|they) "
            rf"calls? (?P<called>{NAME})|(?:on paper|officially|legally) (?:(?:he|she)(?:'s| is) "
            rf")?(?P<paper>{NAME})),)"
            r"(?= [a-z])"
        ),
        _known_as,
    ),
    # "If a ticket's unclear I ask Tomasz, he's in support": what is said of him holds without the condition.
    Rewording(
        "he she",
        ((", he", ", she"), ("if ", "when ")),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=\n))(?:[Ii]f|[Ww]hen(?:ever)?) [^.!?\n]{{5,80}} "
            rf"(?P<name>{NAME})(?P<comma>, (?:he|she))"
            r"(?=(?:'s| is| works| runs| knows| lives)\b)"
        ),
        put("comma", r". \g<name>"),
    ),
    # "I talked to Abena for an hour, she's my sister."
    Rewording(
        "he hes she shes",
        ((", he's my ", ", she's my ", ", he is my ", ", she is my ", ", hes my ", ", shes my "),),
        pattern(
            rf"(?<=[a-z] )(?P<name>{NAME})(?: [a-z][\w' ]{{0,28}}\w)?"
            r"(?P<tie>, (?:hes|shes|he's|she's|he is|she is) (?P<tied>my (?:[a-z]+ )?(?P<what>[a-z-]+)))"
            r"(?=[.,;!\n]|$| and\b)"
        ),
        _is_my,
    ),
    # "My cousin is Bartholomew Quist on paper, but everybody calls him Barty."
    Rewording(
        "birth legally officially paper passport",
        ((" is ", "'s "),),
        pattern(
            rf"\b(?:[Mm]y|[Oo]ur) [a-z-]+(?:'s| is) {NAME}(?P<paper> (?:on paper|officially|legally|in "
            rf"(?:his|her|the) "
            r"passport|by birth))(?=[,.;!\n]|$| but\b| and\b)"
        ),
        cut("paper"),
    ),
    # "Yusuf from my team has been made head of audit": whom one means.
    Rewording(
        "from",
        ((" from my ", " from our ", " from work "),),
        pattern(
            rf"(?:^|(?<=[.!?,] )|(?<=\n)){NAME}(?P<whence> from (?:(?:my|our) (?:old )?(?:team|work|class|"
            rf"course|office|"
            r"choir|club|band|church|street|road|gym|school|department|building|shift|ward|crew|year)|work))"
            r"(?= (?:has|is|was|had|just|got|lives|works|plays|moved|left|joined|bought|became|will|speaks|"
            r"drives)\b|'s )"
        ),
        cut("whence"),
    ),
    # "Leila was born on 9 May 2021, her brother Arash on 30 January 2018."
    Rewording(
        "born",
        ((" was born ", "'s born "),),
        pattern(
            rf"\bwas born (?P<how>on|in) [^.;!?\n]{{3,30}}?(?:,? and |, |; )(?:(?:my|our|his|her|their) "
            rf"[a-z-]+ )?{NAME}"
            r"(?P<here>)(?= (?:on|in) (?:the )?(?:\d|[A-Z]))"
        ),
        put("here", " was born"),
    ),
    # "Any pools near Leeds? We live here."
    Rewording(
        "here",
        ((" live here", " lives here", " i'm based here"),),
        pattern(
            rf"\b(?:in|for|from|at|around|near|about|of) (?P<place>{NAME})[^.?!\n]{{0,40}}[.?!]\s+"
            r"(?:I|[Ww]e)(?: (?:now|still|both|all|actually|currently))? live(?P<here> here)(?=[.,;!\n]|$| "
            r"and\b| with\b)"
        ),
        put("here", r" in \g<place>"),
    ),
    # "Hanneke is the fencer and Jolien the one who does origami."
    Rewording(
        "one",
        ((" the one who ",),),
        pattern(
            rf"\b{NAME}(?:'s| is) (?:the|an?) [^.,;!?\n]{{3,30}}?,? (?:and|,) [A-Z][\w'-]+(?P<one>(?:'s| "
            rf"is)? the one who)(?= [a-z]+s )"
        ),
        cut("one"),
    ),
)  # fmt: skip
