"""What was so before, and for how long: "after ten years as a clerk"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import OCCUPATIONS
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording

_DATE: Final = r"(?:(?:early|late|mid|spring|summer|autumn|winter|[A-Z][a-z]+)[ -]?(?:of )?)?(?:19|20)\d\d"
_NUMBER: Final = (
    r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|many|some|a few|"
    r"several|thirty)"
)


_IN_WORDS: Final = {
    word: number
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
} | {"fifteen": 15, "twenty": 20}


def _years(written: str) -> int:
    return int(written) if written.isdigit() else _IN_WORDS[written]


def _until_then(match: re.Match[str]) -> Iterator[Edit]:
    """ "I bought a bakery in 2022, after ten years as a clerk": what one was until then."""
    words = match["role"].lower().split()
    if words[-1] in OCCUPATIONS or " ".join(words[-2:]) in OCCUPATIONS:
        yield *match.span("after"), f". I was {match['role']} until {match['date']}"


def _then_there(match: re.Match[str]) -> Iterator[Edit]:
    """ "I was in Doha from 2016 to 2019, then Muscat till 2023": the next place, from when the last one "
    "ends."""
    yield *match.span("was"), "lived in" if match["was"] != "lived in" else match["was"]
    yield *match.span("then"), f". I lived in {match['place']} from {match['end']} until {match['until']}"


def _until_that_time(match: re.Match[str]) -> Iterator[Edit]:
    """ "In Ghent since 2015. From 2009 until then I was in Lille": lived there, where the talk is of that."""
    yield *match.span("then"), match["date"]
    if match["lived"] and match["was"]:
        yield *match.span("was"), "lived"


def _from_then_to(match: re.Match[str]) -> Iterator[Edit]:
    """ "Since 2019. Before that it was Oslo, from 2012 on": from then until the later time."""
    yield *match.span("since_that"), f"from {match['from']} until {match['date']}"


def _so_long_before(match: re.Match[str]) -> Iterator[Edit]:
    """ "Since 2009. Drove buses for six years before that": from 2003 until then."""
    first = int(match["year"]) - _years(match["years"])
    yield *match.span("long"), f"from {first} to {match['date']}"


def _worked_until(match: re.Match[str]) -> Iterator[Edit]:
    """ "I was at Farrow until 2022 and joined Quillon that April": two employers, each with its time."""
    yield *match.span("was"), "worked"
    if match["that"]:
        yield *match.span("that"), f" in {match['month']} {match['year']}"


def _another_car_since(match: re.Match[str]) -> Iterator[Edit]:
    """ "I drove a Saab up to May. Since then it's been a Skoda": one car, and then another."""
    whose = "my" if match["drove"].startswith("I") else "our"
    yield *match.span("drove"), f"{whose} car was"
    yield *match.span("until"), " until "
    yield *match.span("since"), f"Since {match['date']} {whose} car has been"


EARLIER: Final = (
    # "I bought my own bakery in autumn 2022, after ten years as an accountant."
    Rewording(
        "after",
        ((" years as a", " years of being a", " years working as a", " decade as a"), ("19", "20")),
        pattern(
            rf"\bI(?:'ve)? [^.!?\n]{{5,80}}?\b(?:in|since|of) (?P<date>{_DATE})(?P<after>,? after "
            rf"(?:{_NUMBER} years|a decade|"
            rf"decades) (?:as|of being|working as) (?P<role>an? [a-z-]+(?: [a-z-]+){{0,2}}?))(?=[,.;!\n]|$|"
            rf" and\b)"
        ),
        _until_then,
    ),
    # "I was in Doha from 2016 to 2019, then Muscat till June 2023, and I've been back in Kochi ever since."
    Rewording(
        "then",
        ((" then ",), (" till ", " until ", " to ", " up to ")),
        pattern(
            rf"\bI (?P<was>was in|lived in) {NAME} (?:from {_DATE} (?:to|until|till)|until|till|up to) "
            rf"(?P<end>{_DATE})"
            rf"(?P<then>,? (?:and )?then (?:in |it was |to )?(?P<place>{NAME}) (?:until|till|up to|to) "
            rf"(?P<until>{_DATE}))"
            r"(?=[,.;!\n]|$| and\b)"
        ),
        _then_there,
    ),
    # "Lived in Ghent since August 2019. Before that it was Lille, from 2012 right up to the move."
    Rewording(
        "before",
        (("before that", "before then"), ("from ",)),
        pattern(
            rf"\bsince (?P<date>{_DATE})[.,;] (?:and )?[Bb]efore (?:that|then),? (?:it was|I was in|I "
            rf"lived in|we lived in|"
            rf"I was at|I worked (?:at|for)) {NAME},? (?P<since_that>from (?P<from>{_DATE})(?:,? (?:right |"
            rf"all the way )?"
            r"(?:up )?(?:to|until|till) (?:the move|then|that|I moved|we moved))?)(?=[.,;!\n]|$)"
        ),
        _from_then_to,
    ),
    # "I've lived in Ghent since 2015. From 2009 until then I was in Lille."
    Rewording(
        "then",
        ((" until then", " till then", " up to then"),),
        pattern(
            rf"\b(?P<lived>(?:lived|living) in {NAME} )?since (?P<date>{_DATE})[.,;] (?:and )?[Ff]rom "
            rf"{_DATE} "
            r"(?:right )?(?:until|till|up to) (?P<then>then)\b(?:,? (?:I|we) (?P<was>was|were) in(?= [A-Z]))?"
        ),
        _until_that_time,
    ),
    # "Fire brigade since 2009. Drove buses for six years before that."
    Rewording(
        "years",
        ((" before that", " before then"), (" since ",)),
        pattern(
            r"\bsince (?P<date>(?:[A-Z][a-z]+ )?(?P<year>(?:19|20)\d\d))[.,;] (?:and |I "
            r")*(?P<did>[A-Z]?[a-z]+ed|[Dd]rove|[Rr]an|[Tt]aught|"
            r"[Ww]as|[Ss]old|[Bb]uilt|[Mm]ade|[Kk]ept|[Ff]lew|[Ww]rote|[Hh]ad)\b[^.,;!?\n]{3,50}? "
            r"(?P<long>for (?P<years>\d{1,2}|two|three|four|five|"
            r"six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty) years before (?:that|"
            r"then))(?=[.,;!\n]|$)"
        ),
        _so_long_before,
    ),
    # "I was at Farrow until March 2022 and joined Quillon that April."
    Rewording(
        "joined moved went",
        ((" joined ", " moved to ", " went to "), (" until ", " till ")),
        pattern(
            rf"\bI (?P<was>was)(?= (?:at|with) ) (?:at|with) {NAME} (?:until|till) (?:[A-Z][a-z]+ "
            rf")?(?P<year>(?:19|20)\d\d),? "
            r"(?:and |when I |then |before I )+(?:joined|moved to|went to) [A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
            r"(?P<that> that (?P<month>[A-Z][a-z]+))?(?=[.,;!\n]|$| and\b)"
        ),
        _worked_until,
    ),
    # "I drove an old Saab for ages, up to last May. Since then it's been a Skoda."
    Rewording(
        "since",
        ((" drove ",), ("since then it's been ", "since then it has been ", "since then, it's been ")),
        pattern(
            r"\b(?P<drove>I drove|[Ww]e drove)(?= an? ) an? [^.,;!?\n]{3,30}?(?P<until>(?: for (?:ages|"
            r"years|[a-z]+ years))?,? "
            r"(?:up to|until|till) )(?P<date>[^.,;!?\n]{3,25})[.;,] (?P<since>(?:[Aa]nd )?[Ss]ince then,? "
            r"it(?:'s| has) been)(?= an? )"
        ),
        _another_car_since,
    ),
)  # fmt: skip
