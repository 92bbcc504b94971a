"""What people say offhand: "on my break at Spar", "that's my usual", "sold the Ford got a Seat"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.kin import is_relation
from longmind.extract.lexicon import LANGUAGES
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, put

_START: Final = r"(?:^|(?<=[.!?;:,] )|(?<=\n)|(?<=\band )|(?<=\bso )|(?<=\bbut ))"


def _works_there(match: re.Match[str]) -> Iterator[Edit]:
    """ "On my break at Spar": where somebody works."""
    # In the place of the name, so that this is what the statement rests on.
    yield *match.span("where"), f"{match['where']}. I work at {match['where']}"


def _lives_there(match: re.Match[str]) -> Iterator[Edit]:
    """ "I must ring my brother in Asmara": where he lives."""
    if is_relation(match["kin"]):
        yield *match.span("place"), f"{match['place']}. My {match['kin']} lives in {match['place']}"


def _grew_up(match: re.Match[str]) -> Iterator[Edit]:
    """ "At home we only spoke Tagalog": what somebody grew up with."""
    if match["language"].lower() in LANGUAGES:
        yield *match.span("whole"), "I grew up speaking"


def _my_child(match: re.Match[str]) -> Iterator[Edit]:
    """ "My lad Alfie": a son."""
    child = "son" if match["child"].lower().split()[-1] in ("lad", "boy") else "daughter"
    yield *match.span("child"), child
    if match["he"]:
        yield *match.span("he"), f". {match['name']}"


_PETS: Final = (
    "puppy", "kitten", "dog", "cat", "rabbit", "bunny", "hamster", "parrot", "budgie", "pony", "horse",
    "gecko", "tortoise", "guinea pig", "ferret", "snake",
)  # fmt: skip


_OURS: Final = pattern(r"\b(?:I|we)(?:'ve| have)? (?:just |finally |recently |also )?$", re.IGNORECASE)


def _pet_called(match: re.Match[str]) -> Iterator[Edit]:
    """ "A puppy, he's called Biscuit he's a pug": the animal's name, and what the animal is."""
    if _OURS.search(match.string[max(0, match.start() - 14) : match.start()]) is not None:
        return  # "we got a puppy. He's called Biscuit": whose it is, is read without this
    yield *match.span("called"), " called"
    if match["then"]:
        yield *match.span("then"), f". {match['name'].title()} is"


def _the_usual(match: re.Match[str]) -> Iterator[Edit]:
    """ "An oat latte please, that's my usual": what one has as a rule."""
    yield match.start("whole"), match.end(), f"my usual{match['sort'] or ''} is {match['what']}"


OFFHAND: Final = (
    # "On my break at Spar again", "so done with my job at Spar".
    Rewording(
        "my",
        ((" my break at ", " my shift at ", " my lunch break at ", " my job at ", " my tea break at ",
          " my shifts at "),),
        pattern(
            r"\b(?:on|between|after|from|before|during|with|w|of) my (?:(?:lunch |tea |night |late |early "
            r")?(?:break|shifts?) at|"
            r"(?<=done with my )job at|(?<=done w my )job at|(?<=sick of my )job at|(?<=tired of my )job "
            r"at|(?<=bored of my )job at|"
            r"(?<=fed up with my )job at|(?<=happy with my )job at) (?:the "
            r")?(?P<where>(?-i:[A-Z][\w'&.-]+(?: [A-Z][\w'&.-]+)*)|"
            r"[a-z]{3,}(?=\s*(?:[,.;!\n]|$)| (?:again|agen|rn|right now|now|today|tonight)\b))(?: (?:again|"
            r"agen|rn|right now|now|"
            r"today|tonight))?(?=\s*(?:[,.;!\n]|$)| and\b| so\b)",
            re.IGNORECASE,
        ),
        _works_there,
    ),
    # "An oat latte for me please, that's my usual."
    Rewording(
        "usual",
        (("that's my usual", "thats my usual", "it's my usual", "my usual"),),
        pattern(
            rf"{_START}(?P<whole>(?P<what>(?:an?|the) [^,.;:!?\n]{{3,40}}?)(?: for me)?(?:,? please)?(?:,| "
            rf"-|;) "
            r"(?:that's|thats|that is|it's) my usual)(?P<sort> (?:order|drink|coffee|breakfast|lunch|"
            r"pizza))?(?=[.,;!\n]|$)",
            re.IGNORECASE,
        ),
        _the_usual,
    ),
    # "Sold the Ford got a Seat for my birthday."
    Rewording(
        "sold traded binned",
        ((" got a", " bought a"),),
        pattern(
            r"\b(?:sold|traded in|binned) (?:the|my|our|me) [^.,;!?\n]{2,30}?(?P<and>,? (?:and |then |n "
            r")?)(?P<got>got|bought)(?= an? )",
            re.IGNORECASE,
        ),
        lambda match: iter([(match.start("and"), match.end("got"), f". I {match['got'].lower()}")]),
    ),
    # "A list for my lad Alfie he's in year 4."
    Rewording(
        "lad boy girl",
        (("my lad ", "my boy ", "my girl ", "my little boy ", "my little girl ", "our lad "),),
        pattern(
            r"\b(?:[Mm]y|[Oo]ur) (?P<child>(?:little )?(?:lad|boy|girl)),? (?P<name>[A-Z][\w'-]+)(?P<he>,? "
            r"(?:he|she)(?='s | is ))?"
        ),
        _my_child,
    ),
    # "My sister Mo she's a nurse": two sentences with no mark between them.
    Rewording(
        "he she",
        ((" he's ", " she's ", " he is ", " she is "),),
        pattern(
            r"\b(?:[Mm]y|[Oo]ur) (?:(?!lad |boy |girl )[a-z-]+ ){1,2}(?P<name>[A-Z][\w'-]+)(?P<he> "
            r"(?:he|she))(?='s | is )"
        ),
        put("he", r". \g<name>"),
    ),
    # "Don't put mushrooms in it i hate em."
    Rewording(
        "em",
        ((" em",),),
        pattern(
            r"(?<=[a-z])(?P<i>,? (?:cos |because |as |cuz )?)(?P<what>(?:i|I) (?:really |just )?(?:hate|"
            r"love|can't stand|cant stand|"
            r"like|don't like|dont like|detest) )(?P<em>'?em)\b"
        ),
        lambda match: iter([(*match.span("i"), ", "), (*match.span("em"), "them")]),
    ),
    # "My brother got a puppy, he's called Biscuit": not the brother.
    Rewording(
        "called named",
        ((" a ", " an ", " new "), _PETS),
        pattern(
            r"\b(?:got|bought|adopted|rescued|has|getting) (?:us |me |him |her )?"
            r"(?:an?|another) (?:[a-z-]+ ){0,2}"
            rf"(?:{'|'.join(_PETS)})(?P<called>\s?(?:[.!,;]+|\band\b)?\s?(?:he|she|it)(?:'s| is|s) "
            r"(?:called|named)) (?P<name>[A-Za-z][\w'-]*)"
            r"(?P<then>,? (?:and )?(?:hes|shes|its|he's|she's|it's|he is|she is|it is)(?= an? ))?",
            re.IGNORECASE,
        ),
        _pet_called,
    ),
    # "omg just got a kitten": who got one.
    Rewording(
        "omg omfg yay woohoo",
        (("got ", "bought ", "adopted ", "moved ", "started ", "passed ", "sold ", "joined ", "quit "),),
        pattern(
            r"(?:^|(?<=[.!?] )|(?<=\n))(?P<oh>(?:omg|omfg|yay|woohoo)[,!]* )(?=(?:just |finally |only )?"
            r"(?:got|bought|adopted|moved|started|passed|sold|joined|quit)\b)",
            re.IGNORECASE,
        ),
        put("oh", "I "),
    ),
    # "At home we only spoke Tagalog."
    Rewording(
        "spoke",
        (("home", "growing up", "as a child", "as a kid", "as kids", "childhood"),),
        pattern(
            rf"{_START}(?P<whole>(?:at home|growing up|as a (?:child|kid)|as kids|in my childhood),? (?:we|"
            rf"I) "
            r"(?:only |mostly |always |just )?spoke)(?= (?P<language>[A-Z][a-z]+)\b)",
            re.IGNORECASE,
        ),
        _grew_up,
    ),
    # "Declan and I are getting married in May."
    Rewording(
        "married",
        ((" and i are getting married", " and i are going to get married", " and i get married"),),
        pattern(
            rf"(?:^|(?<=[.!?;,] )|(?<=\n))(?P<who>{NAME}) and I(?= (?:are getting|are going to get|get) "
            r"married\b)"
        ),
        put("who", r"I'm engaged to \g<who>. \g<who>"),
    ),
    # "Then I ring my brother in Asmara."
    Rewording(
        "call ring phone text email write skype facetime",
        ((" my ",), (" in ",)),
        pattern(
            r"\b(?:call|ring|phone|text|email|skype|facetime|write to) my (?:(?:older|younger|little|big|"
            r"twin) )?(?P<kin>[a-z-]+) in "
            r"(?P<place>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?=[.,;!\n]|$| (?:about|tonight|today|tomorrow|"
            r"later|and|on|every)\b)"
        ),
        _lives_there,
    ),
    # "Our parrot won't touch anything except sunflower seeds."
    Rewording(
        "anything",
        ((" anything except ", " anything but ", " anything other than ", " anything apart from "),),
        pattern(
            r"(?<=\w)(?P<comma>,)?(?P<only> (?:won't|will not|doesn't|does not|refuses to) (?:touch|eat) "
            r"anything "
            r"(?:except|but|other than|apart from))(?= (?!it\b|this\b|that\b|the )\w)",
            re.IGNORECASE,
        ),
        put("only", " eats only"),
    ),
    # "The rewrite finally has a codename, Heron."
    Rewording(
        "code codename name title",
        ((" has a ", " have a ", " has got a ", " has its ", " got a "),),
        pattern(
            rf"\b(?P<has>(?:(?:finally|now|at last|already) )?(?:has|have)(?: got)?(?: finally| now)? "
            rf"(?:an?|its) (?:new |final |working )?"
            rf"(?:code ?name|name|title)(?:,|:| at last,| now,))(?= {NAME}(?=[.,;!\n]|$| and\b))"
        ),
        put("has", "is called"),
    ),
)  # fmt: skip
