"""Postal addresses: a street with its number, and what follows it on the envelope."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longmind.extract.detectors.match import Match
from longmind.extract.patterns import pattern

_STREET_WORD = (
    r"(?:street|st|avenue|ave|av|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq"
    r"|terrace|ter|way|parkway|pkwy|highway|hwy|circle|cir|trail|trl|crescent|cres|close|gardens|grove|mews"
    r"|row|hill|heights|route|pike|plaza|alley|walk|loop|ridge|point|view|crossing|quay|wharf|gate|park"
    r"|green|rise)\.?"
)
_WORD = r"[^\W\d_][\w'.\u2019-]{0,40}"
_CAPITAL = r"[^\W\d_a-z\u00df-\u00f6\u00f8-\u00ff][\w'.\u2019-]{0,40}"
_UNIT = r"(?:,?\s{1,3}(?:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|#)\.?\s?#?[\w-]{1,6})"
_POSTCODE = (
    r"(?:[A-Z]{2}\s{1,2}\d{5}(?:-\d{4})?|\d{4,6}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}"
    r"|[A-Z]\d[A-Z]\s?\d[A-Z]\d|\d{4}\s?[A-Z]{2})"
)

_NUMBER_FIRST = pattern(
    rf"(?<![\w.,:$\u20ac\u00a3/-])\d{{1,5}}[A-Za-z]?(?:[-/]\d{{1,4}})?[ ](?:(?:[NSEW]|North|South|East"
    rf"|West)\.?[ ])?(?:{_WORD}[ ]){{1,4}}?{_STREET_WORD}(?![\w'])",
    re.IGNORECASE,
)
_SMALL = r"(?:de|da|do|dos|das|di|del|della|du|des|la|le|les|los|las|el|al|van|von|der|den)"
_NAME_FIRST = pattern(
    r"(?<![\w-])(?:Rua|Rue|Via|Viale|Calle|Avenida|Piazza|Praça|Paseo|Camino|Corso|Largo|Travessa|Chemin|Ulica"
    rf"|ul\.|C/)(?:[ ](?:{_SMALL}[ ]){{0,2}}{_CAPITAL}){{1,4}}"
    r",?[ ](?:n[.º°][ ]?)?\d{1,4}[A-Za-z]?(?![\w-])"
)
_STREET_SUFFIXES = tuple(
    "straße strasse str. weg platz allee gasse straat laan plein kade gatan vägen gade vej veien gata katu "
    "utca ulica allé steig damm ufer".split()
)
_HOUSE_NUMBER = pattern(r",?[ ]\d{1,4}[ ]?[A-Za-z]?(?![\w/:-]|\.\d)")
_NAMED = pattern(
    rf"(?:\baddress(?: is|:)|\blives? at|\blocated at"
    rf"|\bdeliver(?:ed)? to|\bship (?:it |this )?to"
    rf"|\bsend (?:it |this )?to)\s{{1,3}}(?P<street>\d{{1,6}}[A-Za-z]?\s{_CAPITAL}(?:[ ]{_CAPITAL}){{0,3}}?"
    rf"(?:[ ]\d{{1,4}}[a-z]?)?)"
    r"(?=$|[,.;\n]|[ ](?:apt|suite|unit)\b)",
)
_BOX = pattern(
    r"\b(?:P\.?\s?O\.?\s?Box|Post Office Box|PSC|Unit)\s{1,2}\d{1,6}(?:,?\s{1,2}(?:Box|Unit)\s{1,2}\d{1,6})?"
    r"(?:[,\s]{1,3}[A-Z]\w{1,20}(?:\s[A-Z]\w{1,20})?,?\s{1,2}[A-Z]{2}\s{1,2}\d{5}(?:-\d{4})?)?",
    re.IGNORECASE,
)
_TOWN_BREAK = r"(?:,[ ]?\n?|[ ]?\n)[ ]{0,4}"
_AFTER_STREET = pattern(
    rf"{_UNIT}{{0,2}}(?:(?:{_TOWN_BREAK}|[ ])(?-i:{_CAPITAL})(?:[ ](?-i:{_CAPITAL})){{0,3}}){{0,3}}"
    rf"(?:,?\s{{1,3}}{_POSTCODE}(?!\w))?",
    re.IGNORECASE,
)
_CITY_WITH_CODE = pattern(
    rf"{_UNIT}{{0,2}}{_TOWN_BREAK}{_WORD}(?:[ ]{_WORD}){{0,3}},?\s{{1,3}}{_POSTCODE}(?!\w)"
    rf"(?:,?[ ]{_CAPITAL})?"
)
_YEAR_LAST = pattern(r"(?:19|20)\d\d$")
_NOT_A_STREET = pattern(
    r"\d+\s(?:years?|months?|days?|hours?|minutes?|people|percent|times|of|in|and|or|the|on|at|is|was|to"
    r"|more|million|billion|thousand)\s",
    re.IGNORECASE,
)


def find_addresses(text: str) -> Iterator[Match]:
    """Streets with a house number before or after, and the town that follows; post boxes."""
    for match in _NUMBER_FIRST.finditer(text):
        if _is_street(match.group()):
            yield Match("address", match.start(), _end(text, match.end()), "number street")
    for match in _NAME_FIRST.finditer(text):
        if not _YEAR_LAST.search(match.group()):
            yield Match("address", match.start(), _end(text, match.end()), "street number")
    for match in _HOUSE_NUMBER.finditer(text):
        start = _word_start(text, match.start())
        suffix = next(
            (end for end in _STREET_SUFFIXES if text[start : match.start()].lower().endswith(end)), None
        )
        if (
            suffix is not None
            and match.start() - start >= len(suffix) + 2
            and not _YEAR_LAST.search(match.group())
        ):
            yield Match("address", start, _end(text, match.end()), "street number")
    for match in _NAMED.finditer(text):
        yield Match("address", match.start("street"), _end(text, match.end("street")), "named")
    for match in _BOX.finditer(text):
        if match.group()[0] not in "Uu" or re.search(r"\d{5}", match.group()):
            yield Match("address", match.start(), match.end(), "post box")


def _word_start(text: str, position: int) -> int:
    start = position
    while start > 0 and position - start < 40 and (text[start - 1].isalpha() or text[start - 1] in "-.'"):
        start -= 1
    return start


def _is_street(street: str) -> bool:
    """Each word begins with a capital, and nothing is being counted ("2 people on the way")."""
    if _NOT_A_STREET.match(street):
        return False
    words = re.findall(r"[^\W\d_][\w'.-]*", street)
    return (
        all(word[0].isupper() or word.lower() in ("of", "the", "de", "la") for word in words)
        and len(words) >= 2
    )


def _end(text: str, position: int) -> int:
    """How far the address goes on after the street: unit, town, region, postal code; no stop at the end."""
    match = _CITY_WITH_CODE.match(text, position) or _AFTER_STREET.match(text, position)
    end = position if match is None else match.end()
    while text[end - 1] in " ,.\n":
        end -= 1
    return end
