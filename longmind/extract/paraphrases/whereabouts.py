"""Where somebody lives and stays now, and numbers of theirs: "we've moved: 3 Tannery Row"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.lexicon import NO_PLACE
from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording, cut, put

_ROADS: Final = (
    r"(?:Street|St|Road|Rd|Lane|Ln|Row|Avenue|Ave|Close|Court|Drive|Way|Place|Square|Terrace|Gardens|"
    r"Grove|Hill|"
    r"Crescent|Mews|Walk|Park|Parade|Quay|Wharf|Boulevard|Blvd|Green|View|Rise|Yard|Gate|House|Cottage|"
    r"Bridge)"
)
_ADDRESS: Final = (
    rf"(?:(?:(?:[Ff]lat|[Uu]nit|[Aa]pt\.?|[Aa]partment|[Ss]uite) \w+,? )?\d+\w?,? (?:[A-Z][\w'-]+ "
    rf"){{1,3}}{_ROADS}\b"
    r"|(?:[Rr]ue|[Vv]ia|[Cc]alle|[Ii]m|[Aa]m|[Rr]ua|[Cc]orso|[Pp]iazza) (?:[\w'-]+ ){1,3}\d+\w?"
    r"|[A-Z][\w-]+(?:gate|gata|veien|vegen|gatan|straße|strasse|weg|allee|platz|straat|laan|gasse|utca|"
    r"vej) \d+\w?)"
)
_TOWNS: Final = r"(?:,? (?:\d{4,5} )?[A-Z][\w-]+(?: [A-Z\d][\w-]*)*(?=\s*(?:[.,;!\n]|$| now\b))){0,3}"
_TIE: Final = (
    r"(?:son|daughter|sister|brother|mum|mom|mother|dad|father|wife|husband|partner|boyfriend|girlfriend|"
    r"twin|nan|gran|grandma|grandpa|granddad|uncle|aunt|cousin|nephew|niece)"
)
_MOVED: Final = r"(?:[Ww]e|I)(?:'ve| have)?(?: just| finally| recently)? moved(?: house| home| flat| flats)?"


def _lives_at(match: re.Match[str]) -> Iterator[Edit]:
    """ "We've moved: 3 Tannery Row, Norwich": that is the new address."""
    yield *match.span("lead"), f"{match['said']}. My new address is "
    if match["now"]:
        yield *match.span("now"), ""


def _moved_again(match: re.Match[str]) -> Iterator[Edit]:
    """ "We moved again, whitstable this time": to Whitstable."""
    place = match["place"]
    if _NOWHERE.isdisjoint(place.lower().split()) and NO_PLACE.isdisjoint(place.lower().split()):
        yield *match.span("to"), " to "
        yield *match.span("place"), place if place[0].isupper() else place.title()


_NOWHERE: Final = frozenset(
    "this that it same for just only all so but and not no yes good bad big small hard easy fun new last "
    "next first second third up down out in on at by off over back here there my our the his her its a an "
    "closer nearer further sooner later forward upstairs downstairs permanently temporarily online remotely "
    "hopefully sadly finally luckily properly kitchen office bedroom nights days earlies lates marketing "
    "sales finance support hr home abroad somewhere nowhere cheaper bigger smaller better worse".split()
)
"""Words of how, when and into which room or team, and no town."""


def _of_blood(match: re.Match[str]) -> Iterator[Edit]:
    """ "My son Eirik is A positive": that is his blood type."""
    who = match["who"]
    whose = "my" if who in ("I", "i") else f"{who}'s"
    yield *match.span("whole"), f"{whose} blood type is {match['group']}-{match['sign']}"


def _of_each(match: re.Match[str]) -> Iterator[Edit]:
    """ "Birthdays: Kuba 3 November, Zosia 19 June": whose each of them is."""
    what = match["what"].lower().removesuffix("s")
    told = [f"{one['who']}'s {what} is {one['value']}." for one in _EACH.finditer(match["list"])]
    yield *match.span("whole"), " ".join(told)


def _mine(match: re.Match[str]) -> Iterator[Edit]:
    """ "Mum's birthday is 3 May. Mine is 8 June": my birthday."""
    yield *match.span("mine"), f"{'M' if match['mine'][0] == 'M' else 'm'}y {match['what']} is"


_DATE: Final = (
    r"(?:(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
    r"(?:,? \d{4})?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?"
    r"(?:,? \d{4})?|\+?\d[\d ./-]*\d|\d+)"
)
_FULL: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
_NO_MONTH: Final = (
    r"(?!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|January|February|March|April|June|July|"
    r"August|"
    r"September|October|November|December)\b)"
)
_PAIR: Final = rf"{_NO_MONTH}{_FULL}(?:'s)?(?: is| -|:)? {_DATE}"
_EACH: Final = pattern(rf"(?P<who>{_NO_MONTH}{_FULL}?)(?:'s)?(?: is| -|:)? (?P<value>{_DATE})(?![\w])")

WHEREABOUTS: Final = (
    # "We've moved: 3 Tannery Row, Norwich", "I moved last week, I'm at 22 Rose Lane now".
    Rewording(
        "moved",
        ((":", ",", " - ", " –", ". ", "!", ";"),),
        pattern(
            rf"(?:^|(?<=[.!?] )|(?<=, )|(?<=\band ))(?P<lead>(?P<said>{_MOVED}(?: (?:last|this|on|in|"
            rf"over|at) "
            r"[^,.:;!?\n]{2,25}| yesterday| today| again)?)"
            r"(?:[:;,.!]| -| –| —)(?: (?:so |and )?(?:(?:[Ww]e're|[Ww]e are|I'm|I am|it's|[Ii]t is)(?: "
            r"now)?(?: at)?|"
            r"(?:(?:[Mm]y|[Oo]ur|[Tt]he) )?(?:[Nn]ew )?address(?: is)?(?: now)?:?|now at))? )"
            rf"(?={_ADDRESS}{_TOWNS}(?P<now> now)?)"
        ),
        _lives_at,
        part=pattern(r"\bmoved\b[^?\n]{0,60}\d"),
    ),
    # "We moved again lol, whitstable this time."
    Rewording(
        "moved",
        ((" this time",), ("moved again", "moved house", "moved home", "moved flat", "moved once")),
        pattern(
            r"(?:^|(?<=[.!?,;] )|(?<=\n))(?:(?:so+|well|ok|and|but|omg|guess what)[,!]* )?"
            r"(?:(?:we|I)(?:'ve| have)? )?(?:just |finally )?"
            r"\bmoved\b(?P<to>(?: (?:house|home|flats?))?(?: once)?(?: again)?(?: lol| haha)*"
            r"(?:,| -| –|:|\.\.+|!)(?: (?:to|in|it's))? )"
            r"(?P<place>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?|[a-z]{3,})"
            r"(?= this time\b(?! (?:on|next|at|for|last|it)\b))",
            re.IGNORECASE,
        ),
        _moved_again,
    ),
    # "My son Eirik is A positive."
    Rewording(
        "positive negative",
        ((" positive", " negative"),),
        pattern(
            rf"(?:^|[.!?;]\s+|, |\b(?:and|but|while) )(?P<whole>(?P<who>[Mm]y (?:[a-z]+ )?{_TIE}(?: "
            rf"{NAME})?|{NAME}|I)"
            r"(?:'s| is|'m| am) (?P<group>A|B|AB|O) (?:rh(?:esus)? )?(?P<sign>positive|negative))"
            r"(?=\s*(?:[.,;!\n]|$)| and | but | so )"
        ),
        _of_blood,
    ),
    # "Write down the birthdays please: Kuba 3 November, Zosia 19 June."
    Rewording(
        "birthdays ages numbers",
        ((":",),),
        pattern(
            r"(?:^|[.!?]\s+)(?P<whole>(?:[A-Za-z' ]{0,40}? )?(?P<what>[Bb]irthdays|[Aa]ges|[Pp]hone numbers)"
            rf"(?: (?:please|again|are|for [a-z ]{{2,20}}|of [a-z ]{{2,20}}))?: (?P<list>{_PAIR}"
            rf"(?:(?:,|;| and|, and) {_PAIR}){{1,7}}))(?=\s*(?:[.;!\n]|$))"
        ),
        _of_each,
    ),
    # "The shop's address for the label: Fiskegata 7, Tromsø."
    Rewording(
        "address number email postcode birthday size code password extension",
        (("'s ",), (": ",)),
        pattern(
            rf"(?:^|[.!?]\s+)(?:[Tt]he [a-z]+(?: [a-z]+)?|[Mm]y [a-z]+|{NAME})'s (?:[a-z]+ )?"
            r"(?:address|number|email|postcode|birthday|size|code|password|extension)\b"
            r"(?P<colon>(?: for (?:the|my|your|our) [a-z ]{2,30})?:)(?= [\w+])"
        ),
        put("colon", " is"),
    ),
    # "My sister's shoe size is 38, mine is 41."
    Rewording(
        "mine",
        (("mine is ", "mine's ", "mine was "),),
        pattern(
            rf"(?:{NAME}|[Mm]y [a-z]+(?: {NAME})?)(?:'s|s') (?P<what>[a-z]+(?: [a-z]+)?)(?: is|'s| was) "
            r"[^.;,!?\n]{1,40}[.;,!] (?:(?:and|but|while) )?(?P<mine>[Mm]ine(?: is|'s))(?= [A-Z\d])"
        ),
        _mine,
    ),
    # "I'm the one who is allergic to wasps", "she's the one that drives".
    Rewording(
        "one",
        (("the one who", "the one that"),),
        pattern(
            r"(?:^|[.!?;:]\s+|, |\b(?:and|but|because|so) )(?:I'm|I am)(?P<one> the (?:only )?one (?:here )?"
            r"(?:who|that)(?:'s| is))(?= [a-z])"
        ),
        cut("one"),
    ),
    # "She lives two hours away in Ankara."
    Rewording(
        "away",
        ((" away in ", " away, in "),),
        pattern(
            r"\b(?:live|lives|living|lived|is|are|works|work|based)(?P<far> (?:(?:about|around|only|just|"
            r"nearly) )?"
            r"(?:far|(?:an?|one|two|three|four|five|six|ten|twenty|half an|\d+)(?:[ -](?:and a half ))?"
            r"(?: (?:hour|hours|minute|minutes|min|mins|mile|miles|km|kilometres|day|days|street|streets)"
            r"(?:'s?)?)(?: (?:drive|walk|flight|ride))?) away,?)(?= in [A-Z])"
        ),
        cut("far"),
    ),
    # "My sister lives in Hull and my brother in Leeds, while I stayed in York".
    Rewording(
        "stayed remained",
        (("stayed ", "remained "), ("moved", "lives", "live ", "emigrated", "relocated")),
        pattern(
            rf"\b(?:moved|lives?|emigrated|relocated) [^.;:!?\n]{{2,80}}?(?:,? (?:while|but|whereas|and)|"
            rf",) (?:I|[Mm]y {_TIE}|dad|mum|mom|[Dd]ad|[Mm]um|he|she|{NAME})"
            r"(?P<stayed> (?:stayed|remained)(?: (?:on|behind|put))?)(?= in [A-Z])"
            r"(?! in [A-Z][\w-]+(?: [A-Z][\w-]+)? (?:for|until|till|with|at|overnight|on) )"
        ),
        lambda match: iter([(*match.span("stayed"), " live" if match[0].split()[-2] == "I" else " lives")]),
    ),
    # "Parents' evening is on 8 May."
    Rewording(
        "parents teachers visitors members students founders",
        (("s' ",),),
        pattern(
            r"(?:^|[.!?]\s+|[Tt]he |[Oo]ur )(?:[Pp]arents|[Tt]eachers|[Vv]isitors|[Mm]embers|[Ss]tudents|"
            r"[Ff]ounders)"
            r"(?P<mark>')(?= (?:evening|day|meeting|night|week|council|conference|dinner|lunch)(?: is|'s) )"
        ),
        cut("mark"),
    ),
)
"""Rewordings of what is somebody's, in this order."""
