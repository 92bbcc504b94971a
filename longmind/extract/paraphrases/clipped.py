"""Sentences that leave out who does it, or their verb: "Line cook at the Ritz here"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.kin import is_relation
from longmind.extract.lexicon import LANGUAGES, OCCUPATIONS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, put

_START: Final = (
    r"(?:^|(?<=[.!?;:] )|(?<=\n))(?:(?:hi|hiya|hey|hello|morning|evening|ok|so|well)(?: all)?[,!.]* )?"
)
_YEARS: Final = r"(?:first|second|third|fourth|fifth|final|1st|2nd|3rd|4th|last)[- ]year"
_MONTH: Final = (
    r"(?:early |late |mid-?|spring |summer |autumn |winter |the end of )?"
    r"(?:[A-Z][a-z]+ )?(?:19|20)\d\d"
)
_BOOKED: Final = (
    r"booked|scheduled|set|planned|fixed|confirmed|pencilled in|moved|pushed|put back|put off|postponed|"
    r"brought forward|rescheduled|delayed|been|now|on|at|due|gone|changed"
)
_OWN: Final = (
    "appointment biopsy birthday boiler checkup choir christening deadline delivery desk dissertation exam "
    "exams ferry flat flight haircut honeymoon housewarming interview landline laptop locker mobile mortgage "
    "mot mri operation passcode physio pin postcode practice rehearsal removal rent rota scan shift surgery "
    "thesis training ultrasound vaccination viva wedding"
)
"""What people have and speak of without a word on whose it is; a name at the start of a sentence is none."""
_SPEAKING: Final = r"(?:speak|play|teach|drink|eat|never eat|never drink|don't eat|don't drink|can't eat)"


def _article(word: str) -> str:
    return "an" if word[:1].lower() in "aeiou" else "a"


def _is_trade(words: list[str]) -> bool:
    """Whether these words name what somebody does for a living."""
    lows = [word.lower().strip(",") for word in words]
    return bool(lows) and (lows[-1] in OCCUPATIONS or " ".join(lows[-2:]) in OCCUPATIONS)


def _who_here(match: re.Match[str]) -> Iterator[Edit]:
    """ "Line cook at the Ritz here": what somebody does who tells of it."""
    words = match["role"].split()
    if _is_trade(words):
        low = words[0] if words[0].isupper() else words[0].lower()
        yield match.start("role"), match.start("role") + len(words[0]), f"I'm {_article(low)} {low}"
        yield *match.span("here"), ""


def _in_a_nutshell(match: re.Match[str]) -> Iterator[Edit]:
    """ "Retired vet, widower, living in Oban": who one is, in a row of words."""
    words = match["role"].split()
    if _is_trade(words):
        low = words[0] if words[0].isupper() else words[0].lower()
        yield match.start("role"), match.start("role") + len(words[0]), f"I'm {_article(low)} {low}"


def _was_and_is(match: re.Match[str]) -> Iterator[Edit]:
    """ "Deputy head at Larch until 2019, head at Fir since then": the posts that somebody held."""
    posts = list(_POST.finditer(match["posts"]))
    if not all(_is_trade(post["role"].split()) for post in posts):
        return
    if match["lead"] is not None:
        yield *match.span("lead"), ""
    start = match.start("posts")
    for post in posts:
        word = post["role"].split()[0]
        low = word if word.isupper() else word.lower()
        said = "I've been" if post["link"] == "since" else "I was"
        yield (
            start + post.start(),
            start + post.start("role") + len(word),
            (f"{'. ' if post['next'] else ''}{said} {low}"),
        )


_WHO: Final = frozenset("i we you he she they it who that all everything anything".split())


def _fronted(match: re.Match[str]) -> Iterator[Edit]:
    """ "Polish I speak fluently": what one speaks, and then that one does."""
    what, verb = match["what"], match["verb"]
    low = what.lower()
    if not _WHO.isdisjoint(re.split(r"[ ',]+", low)):
        return  # "I track the food I eat"
    spoken = all(word in LANGUAGES for word in re.split(r",? and |, ", low))
    if verb == "speak" and not spoken:
        return
    yield match.start("what"), match.start("what"), f"I {verb} "
    yield *match.span("said"), ""


def _mine(match: re.Match[str]) -> Iterator[Edit]:
    """ "MRI's booked for May": the speaker's, since it is nobody's name."""
    thing = match["thing"]
    low = thing if thing.isupper() else thing[0].lower() + thing[1:]
    yield *match.span("whole"), f"my {low} is"


def _my_new_one(match: re.Match[str]) -> Iterator[Edit]:
    """ "New tutor for chem, Ms Obi": who it is now."""
    who = match["who"].lower()
    if is_relation(who) or who in OCCUPATIONS or who.split()[-1] in OCCUPATIONS:
        of = f"{match['of']} " if match["of"] else ""
        yield *match.span("whole"), f"my new {of}{who} is "


def _kin_called(match: re.Match[str]) -> Iterator[Edit]:
    """ "Hubby's called Gaz": whose husband needs no word."""
    who = match["who"].lower()
    if is_relation(who):
        yield *match.span("whole"), f"my {who} is called "


_NEXT: Final = r"(?:,? (?:and |then )+|[,;] (?:and |then )*)"
_ONE_POST: Final = (
    rf"[A-Za-z][a-z-]+(?: [a-z-]+){{0,2}} (?:at|with|for|in) (?:the )?{NAME}(?: {NAME})? "
    rf"(?:until|till|from|since|up to) {_MONTH}(?: (?:to|until|till) {_MONTH})?"
)
_POST: Final = pattern(
    rf"(?P<next>{_NEXT})?(?P<role>[A-Za-z][a-z-]+(?: [a-z-]+){{0,2}}) (?:at|with|for|in) "
    rf"(?:the )?{NAME}(?: {NAME})? (?P<link>until|till|from|since|up to) {_MONTH}(?: (?:to|until|till) "
    rf"{_MONTH})?"
)


CLIPPED: Final = (
    # "Line cook at the Ritz here, just off a double."
    Rewording(
        "here",
        ((" here",), (" at ", " in ", " for ", " with ", " on ")),
        pattern(
            rf"{_START}(?P<role>(?-i:[A-Za-z])[a-z-]+(?: [a-z-]+){{0,3}}?) (?:at|in|for|with|on) "
            rf"(?:the |a |an )?(?:[\w'&.-]+ ){{0,3}}?[\w'&.-]+(?P<here> here)(?=[,.;!\n]|$| and\b| -)",
            re.IGNORECASE,
        ),
        _who_here,
    ),
    # "Second year marine biology at Exeter here": what somebody studies.
    Rewording(
        "year",
        ((" at ",), (" here",)),
        pattern(
            rf"{_START}(?P<whole>{_YEARS} )(?:student )?(?:of |doing |in )?(?:[a-z]+ ){{1,3}}at "
            r"(?:[\w'&.-]+ ){0,3}?[\w'&.-]+(?P<here> here)(?=[,.;!\n]|$| and\b)",
            re.IGNORECASE,
        ),
        lambda match: iter([(*match.span("whole"), "I study "), (*match.span("here"), "")]),
    ),
    # "Retired vet, widower, living in Oban with my son."
    Rewording(
        "living based working married",
        ((", living in ", ", based in ", ", working ", ", married to "),),
        pattern(
            r"\A(?:(?:hi|hiya|hey|hello|ok|about me|me)[,!:.]* )?(?P<role>[A-Za-z][a-z-]+(?: [a-z-]+){0,3}?),"
            r"(?: (?:[a-z0-9'-]+ ){0,4}[a-z0-9'-]+,){0,3}?(?: and)? "
            r"(?:living in|based in|working (?:at|in|for)|married to)\b",
            re.IGNORECASE,
        ),
        _in_a_nutshell,
    ),
    # "Deputy head at Larch Primary until July 2021, head teacher at Fir Lane since September 2021."
    Rewording(
        "until till since from up",
        ((" at ", " with ", " for ", " in "), ("19", "20")),
        pattern(
            rf"{_START}(?P<lead>(?i:for my (?:bio|cv|profile|resume)|my (?:cv|bio|career|jobs?)(?: so far)?|"
            rf"(?:my )?(?:work|job) history): )?(?P<posts>{_ONE_POST}(?:{_NEXT}{_ONE_POST})*)(?=[.;!\n]|$)"
        ),
        _was_and_is,
    ),
    # "Polish and Ukrainian I speak fluently": the object first.
    Rewording(
        "i",
        ((" i speak", " i play", " i teach", " i drink", " i eat", " i never", " i don't", " i can't",
          " i really", " i just", " i absolutely", " i simply"),),
        pattern(
            rf"{_START}(?P<what>(?!(?:what|how|why|where|when|that|this|it|so|and|but|because|if|then|now|"
            rf"which|"
            r"who|whatever|the (?:way|thing|fact|one|ones|only|more)|if|as|like|since|while|although|"
            r"though)\b)"
            r"(?:[\w'-]+,? ){0,4}?[\w'-]+)(?P<said>,? (?-i:I) "
            rf"(?:(?:really|just|absolutely|simply) )?(?P<verb>{_SPEAKING}))(?= fluently| well|[,.;!\n]|$| "
            rf"but\b)",
            re.IGNORECASE,
        ),
        _fronted,
    ),
    # "MRI's booked for 11 March", "locker's 9026 now".
    Rewording(
        _OWN,
        (("'s ",),),
        pattern(
            rf"{_START}(?P<whole>(?P<thing>(?:[a-z-]+ )?(?:{_OWN.replace(' ', '|')}))'s) "
            rf"(?=(?!booked in\b)(?:{_BOOKED})\b|(?:#|no\.? |number )?[A-Z-]*\d[\w-]*\b)",
            re.IGNORECASE,
        ),
        _mine,
    ),
    # "New tutor for chem btw, Ms Obi": who does it now.
    Rewording(
        "new",
        (("new ",),),
        pattern(
            rf"{_START}(?P<whole>(?:(?:a|got a|we've a|we have a|there's a) )?new "
            r"(?P<who>[a-z]+(?: [a-z]+)?)(?: (?:for|in) (?P<of>[a-z]+))?(?: btw| by the way)?"
            r"(?:,|:| -| is called| called) )"
            r"(?=(?-i:(?:[Mm]rs?|[Mm]s|[Mm]iss|[Dd]r)\.? [A-Za-z][\w'-]+|[A-Z][\w'-]+(?: "
            r"[A-Z][\w'-]+)?)(?=[,.;!\n]|$))",
            re.IGNORECASE,
        ),
        _my_new_one,
    ),
    # "Hubby's called Gaz", "sister's called Una".
    Rewording(
        "called",
        (("s called ",),),
        pattern(
            rf"(?:{_START}|\b(?:and|also|btw|oh|,) )(?P<whole>(?<!my )(?<!our )(?<!his )(?<!her )(?<!your )"
            r"(?P<who>hubby|husband|wife|sister|brother|mum|mom|dad|boss|manager|partner|girlfriend|"
            r"boyfriend|"
            r"fiance|daughter|son|flatmate|roommate|landlord|dog|cat|tutor|gf|bf)(?:'s|s) called )"
            r"(?=[a-z])",
            re.IGNORECASE,
        ),
        _kin_called,
    ),
    # "First week at Greenfield hospital and I'm home by four": whose it is needs no word.
    Rewording(
        "first",
        ((" at ", " with "),),
        pattern(
            r"(?:^|(?<=[.!?] )|(?<=\n))(?P<first>First)(?= (?:day|week|month|shift|morning) (?:in the "
            r"[a-z]+ )?"
            r"(?:at|with) (?:St\.? )?[A-Z])(?P<rest> (?:day|week|month|shift|morning) )(?P<place>in the "
            r"[a-z]+ )?"
        ),
        lambda match: iter(
            [(*match.span("first"), "My first"), *([(*match.span("place"), "")] if match["place"] else [])]
        ),
    ),
    # "Locker 204 is mine."
    Rewording(
        "mine",
        ((" is mine", "'s mine"),),
        pattern(
            r"\b(?P<whole>(?P<what>locker|desk|room|seat|bay|plot|flat|unit|berth|garage|parking space|space|"
            r"pitch|bed|bunk|peg) (?:number |no\.? )?(?P<which>[A-Z]?-?\d+[A-Z]?)(?:'s| is) mine)(?= now|"
            r"[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        put("whole", r"my \g<what> is \g<which>"),
    ),
)  # fmt: skip
