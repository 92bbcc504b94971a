"""Values that are names: of places, organisations, people and products."""

from __future__ import annotations

import re

from longmind.extract import lexicon
from longmind.extract.lexicon import CITIES, PLACES, REGIONS
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import CAPITAL, Spans, known_entry, may_follow, time_follows

_LINK = (
    r"(?:of|de|da|do|del|della|di|la|le|los|las|el|al|upon|on|the|and|&|y|e|von|van|der|den|für|for|sur|dos"
    r"|das|du|des)"
)
SETTLEMENT = (
    r"(?:(?:an?|the) (?:[\w-]+ ){0,2}?(?:town|village|city|island|farm|suburb|part) "
    r"(?:in|near|outside|of|on) )?"
)
"""Before the name of where somebody is from: "a fishing village in"."""
_CAPITALISED = pattern(
    rf"(?:[Tt]he )?(?:{CAPITAL}|\d+[A-Z]\w*)(?: (?:{_LINK} (?:(?:the|la|los|las|der|den) )?)?(?:{CAPITAL})"
    rf"| \d+\b)*"
)
_NO_PLACE = pattern(
    r"(?:the )?(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|winter|christmas"
    r"|easter|english|god|hope|i|i'm|i've)\b",
    re.IGNORECASE,
)
_WORKPLACES = frozenset(
    "hospital clinic bakery bank school university college restaurant cafe café bar pub shop store "
    "supermarket library museum gallery theater theatre hotel hostel farm factory warehouse plant startup "
    "start-up company firm agency studio lab laboratory nonprofit non-profit ngo charity church office "
    "consultancy publisher newspaper magazine station airport airline gym salon spa garage dealership "
    "nursery kindergarten daycare preschool brewery winery foundation government ministry council court "
    "prison police army navy military institute bookstore bookshop pharmacy zoo practice center centre "
    "corporation retailer manufacturer bureau department city state county district shelter".split()
)
_ENDS_WORKPLACE = frozenset(
    "and as in with for since that where who which but to on near so because at from called".split()
)
_GOES_ON = pattern(r"\s+(?:or|is|are|was|an?|will|than)\b", re.IGNORECASE)
_COMMA = pattern(r",\s*")
_KIND_OF_PLACE = pattern(r"(?:an?|the|our|one of the)(?: [\w'&-]+){1,6}", re.IGNORECASE)
_WORD = pattern(r"[\w'&-]+")
_PEOPLES = lexicon.NATIONALITIES | lexicon.RELIGIONS


def _capitalised(text: str, start: int, end: int, *, never_across: str) -> int | None:
    """Where a capitalised name ends; it is cut before the given small words."""
    match = _CAPITALISED.match(text, start, end)
    if match is None or match.group().lower() in ("the", "i", "a") or _NO_PLACE.match(match.group()):
        return None
    stop = match.end()
    if (joined := re.search(rf" (?:{never_across}) .*$", match.group())) is not None:
        stop = start + joined.start()
    while stop > start and text[stop - 1] in ".'&+-" and not text[stop - 4 : stop].isupper():
        stop -= 1
    return stop if stop > start else None


_NO_TOWN = frozenset(
    "school college university academy primary elementary secondary kindergarten hospital ltd inc plc gmbh "
    "llc".split()
)
"""How names end that are of no place to live in."""


def place(text: str, start: int, end: int) -> Spans | None:
    """A named place, with the region after a comma: "Split, Croatia"."""
    stop = _capitalised(text, start, end, never_across="and|for|on|e|y") or known_entry(
        text, start, end, PLACES
    )
    if stop is None or not may_follow(text, stop, end):
        return None
    words = text[start:stop].lower().removeprefix("the ").split()
    if (
        words[-1] in _NO_TOWN
        or words[0] in lexicon.NO_PLACE
        or (words[-1].isdigit() and words[0] not in CITIES)
    ):
        return None
    if _GOES_ON.match(text, stop, end) and not time_follows(text, stop, end):
        return None
    for _ in range(2):
        stop = _region_after_comma(text, stop, end) or stop
    return [(start, stop)]


def home(text: str, start: int, end: int) -> Spans | None:
    """A place that somebody lives in, also one in small letters: "i live in falkirk"."""
    return place(text, start, end) or _in_small_letters(text, start, end, _NO_HOME)


def new_home(text: str, start: int, end: int) -> Spans | None:
    """A place that somebody moved to; one in small letters where more is told of living there."""
    named = place(text, start, end)
    if named is not None:
        return named
    if _SETTLED.search(text, start) is None and _WITH_WHOM.match(text, start) is None:
        return None
    small = _in_small_letters(text, start, end, _NO_HOME | _NO_TOWN_MOVED_TO)
    return None if small is None or text[slice(*small[0])] in lexicon.NO_PLACE else small


_SETTLED = pattern(
    r"\b(?:been|living|live|lived|settled|settling|love it|like it|moved) (?:in )?here\b"
    r"|\bhere (?:since|for)\b"
    r"|\b(?:closer|nearer|handier|further|farther) (?:to|from|for) (?:(?:the|my|our) )?(?:work|office|school|"
    r"uni|town|beach|sea|station|family|parents|mum|mom|dad|kids|friends|job|nursery|city)\b"
    r"|\b(?:shorter|longer|quicker) commute\b",
    re.IGNORECASE,
)
_WITH_WHOM = pattern(
    r"[a-z]+ (?:with my (?:girlfriend|boyfriend|wife|husband|partner|family|kids|mum|mom|dad)|"
    r"for (?:work|uni|love|school|a (?:new )?job))\b"
)
"""Said by who lives in a place, and not by who moved to another team or tool."""
_NO_TOWN_MOVED_TO = frozenset(
    "nights days earlies lates linux windows android python rust java mac decaf marketing sales finance "
    "support management teaching nursing design engineering research product accounts admin hr it".split()
)


def _region_after_comma(text: str, stop: int, end: int) -> int | None:
    comma = _COMMA.match(text, stop, end)
    if comma is None:
        return None
    begin = comma.end()
    stop_of_entry = known_entry(text, begin, end, REGIONS | CITIES)
    if (
        stop_of_entry is not None
        and (text[begin].isupper() or stop_of_entry - begin > 2)
        and may_follow(text, stop_of_entry, end)
    ):
        return stop_of_entry
    match = _CAPITALISED.match(text, begin, end)
    if (
        match is not None
        and match.end() == end
        and len(match.group().split()) <= 3
        and match.group()[:2] not in ("I ", "I")
    ):
        return match.end()
    return None


def organisation(text: str, start: int, end: int) -> Spans | None:
    """A named employer or school, or one told by its kind: "a bakery", "the post office"."""
    stop = _capitalised(text, start, end, never_across="on|e|y")
    if stop is not None:
        return [(start, stop)] if may_follow(text, stop, end) else None
    match = _KIND_OF_PLACE.match(text, start, end)
    if match is None:
        return _in_small_letters(text, start, end, _NO_EMPLOYER)
    last = None
    for word in list(_WORD.finditer(match.group()))[1:]:
        if word.group().lower() in _ENDS_WORKPLACE:
            break
        if word.group().lower() in _WORKPLACES:
            last = start + word.end()
    return [(start, last)] if last is not None and may_follow(text, last, end) else None


_SMALL = pattern(r"[a-z][a-z0-9&-]{2,}")
_CAPITAL = pattern(r"[A-Z](?<!\bI)|I(?=\w)")
_NO_EMPLOYER = frozenset(
    "home night nights school uni university college hospital church work sea weekends times all least "
    "present free money cash food peanuts fun myself yourself himself herself ourselves themselves you him "
    "her them this that these those someone somebody anyone people charity change hours days weeks months "
    "years minimum full part lunch dinner breakfast noon midnight dawn dusk once first last heights height "
    "nothing everyone both either any some less more now pay tips commission love life good real sure then "
    "there here".split()
)
"""What people work at or for without being employed there."""
_NO_HOME = frozenset(
    "fear peace sin hope luxury town bed pain denial poverty squalor comfort style limbo halls student "
    "shared separate different rented temporary sheltered hotels hostels tents vans private public social "
    "council suburbs suburbia countryside chaos silence exile isolation harmony debt misery bliss constant "
    "perpetual total complete two three four five one the this that these those his her their our your both "
    "between and fact case general here there".split()
)
"""What people live in without its being a town."""


def _in_small_letters(text: str, start: int, end: int, excluded: frozenset[str]) -> Spans | None:
    """ "i work at tesco": who writes no capital letter writes none in a name either."""
    match = _SMALL.match(text, start, end)
    if match is None or match.group() in excluded or match.group().endswith("ing"):
        return None
    if _CAPITAL.search(text) is not None or not may_follow(text, match.end(), end):
        return None
    return [match.span()]


def named_organisation(text: str, start: int, end: int) -> Spans | None:
    """An organisation with a name of its own."""
    stop = _capitalised(text, start, end, never_across="on|e|y")
    return [(start, stop)] if stop is not None and may_follow(text, stop, end) else None


_TEAM = pattern(r"[\w-]+(?: [\w-]+)? team\b")


def team(text: str, start: int, end: int) -> Spans | None:
    """A team by what it does: "payments team"."""
    match = _TEAM.match(text, start, end)
    return None if match is None else [match.span()]


def products(text: str, start: int, end: int) -> Spans | None:
    """Things with a name of their own, one by one: capitalised, or written like a product (iOS, vim9)."""
    spans: Spans = []
    position: int | None = start
    while position is not None and (stop := _product_end(text, position, end)) is not None:
        spans.append((position, stop))
        joined = _AND.match(text, stop, end)
        position = joined.end() if joined else None
    return spans or None


_AND = pattern(r"(?:,? and|,? &|,) (?=[A-Z0-9])")
_STYLED = pattern(r"[a-z]+[A-Z0-9][\w.+-]*")


def _product_end(text: str, start: int, end: int) -> int | None:
    stop = _capitalised(text, start, end, never_across="for|on|and|&")
    if stop is None:
        match = _STYLED.match(text, start, end)
        stop = None if match is None else match.end()
    return stop if stop is not None and may_follow(text, stop, end) else None


def product(text: str, start: int, end: int) -> Spans | None:
    """One thing with a name of its own."""
    stop = _product_end(text, start, end)
    return None if stop is None else [(start, stop)]


_PERSON = pattern(
    rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?{CAPITAL}(?: (?:(?:de|da|do|del|van|von|der|den|la|le|bin"
    rf"|al) )*{CAPITAL}){{0,3}}"
)


_MONTH_NAMES = frozenset({"april", "may", "june", "august"})


def is_people(name: str) -> bool:
    """Whether a capitalised word is a nationality or a creed and so no name."""
    return name.lower() in _PEOPLES


def person(text: str, start: int, end: int) -> Spans | None:
    """A person's name, capitalised."""
    match = _PERSON.match(text, start, end)
    if match is None:
        return None
    stop = match.end()
    while text[stop - 1] in ".'&+-":
        stop -= 1
    words = text[start:stop].lower().split()
    if not words or (
        words[0] not in _MONTH_NAMES and words[0] in lexicon.NOT_A_NAME | lexicon.PEOPLE_NOT_NAMED
    ):
        return None
    if words[0] in _PEOPLES or " ".join(words) in _PEOPLES:
        return None
    if text[start:stop].isupper() and stop - start > 3:
        return None
    return [(start, stop)] if may_follow(text, stop, end) else None


_LOWER_NAME = pattern(r"[^\W\d_][^\W\d_'-]{1,19}(?=\s*(?:$|[,.;!)]|\s(?:and|but|from)\s))")


def called(text: str, start: int, end: int) -> Spans | None:
    """A name where the words before leave no doubt ("my name is"), so that lower case will do."""
    spans = person(text, start, end)
    if spans is not None or text[start : start + 1].isupper():
        return spans
    match = _LOWER_NAME.match(text, start, end)
    if match is None or match.group().lower() in lexicon.NOT_A_NAME | lexicon.PEOPLE_NOT_NAMED | _PEOPLES:
        return None
    return [(start, match.end())]


_AFTER_I_AM = pattern(
    r"\s*(?:$|[,.!])|\s+(?:and|but|so|because|from|since|until|as of|as well|too|by the way|here|btw|now|"
    r"nowadays|these days|at the moment|for now|again|instead|though|after all|tbh|lol|haha)\b",
    re.IGNORECASE,
)


def introduced(text: str, start: int, end: int) -> Spans | None:
    """A name after a bare "I'm": capitalised, at most three words, and then nothing that goes on about it."""
    spans = person(text, start, end)
    if spans is None or _AFTER_I_AM.match(text, spans[0][1], end) is None:
        return None
    words = text[spans[0][0] : spans[0][1]].split()
    if len(words) > 3 or any(word.isupper() and len(word) > 2 for word in words):
        return None
    return spans
