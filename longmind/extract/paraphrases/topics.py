"""What notes name before they tell of it: "Kestrel project: builds run on Jenkins", "for the app, ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.patterns import pattern
from longmind.extract.rewording import NAME, Edit, Rewording

_KIND_WORDS: Final = (
    "project programme program app service team site website system platform appeal club trip event festival "
    "committee campaign fund shop office house flat garden allotment choir band"
)
_KINDS: Final = f"(?:{'|'.join(_KIND_WORDS.split())})"
_STATE: Final = (
    r"(?:is|are|runs?|lives?|go(?:es)? out|happens?|ships?|starts?|ends?|closes?|opens?|comes? out|sits?|"
    r"costs?|uses?|lasts?|takes?)"
)
_OFFICE: Final = (
    r"(?:treasurer|secretary|chair|chairman|chairwoman|chairperson|president|captain|lead|coordinator|"
    r"organiser|organizer|editor|manager|director|owner|maintainer|coach|head coach|contact|"
    r"(?:tech|team|project|design|product) lead)"
)
_NO_TOPIC: Final = (
    r"(?!(?i:i|we|my|our|you|he|she|they|it|this|that|there|here|not?|yes|note|update|reminder|fyi|news|ps|"
    r"question|todo|warning|tip|edit|re|subject)\b)"
)
_FURTHER: Final = pattern(
    rf"(?P<link>[,;] (?:and )?|,? and )(?P<the>(?:the )?)"
    rf"(?=(?!(?:i|we|my|our|you|he|she|they|it|this|that|there|the|an?|who|which|what)\b)[a-z-]+(?: "
    rf"[a-z-]+){{0,2}} "
    rf"{_STATE}\b)"
)


_WORKS: Final = (
    r"(?:run|runs|live|lives|happen|happens|go|goes|ship|ships|sit|sits|is kept|are kept|"
    r"is stored|are stored)"
)
_OF_PROJECTS: Final = (
    r"(?:credentials|passwords?|logs?|builds?|releases?|deploys?|deployments?|backups?|docs|database|repo|"
    r"keys?|secrets?|configs?|tickets|invoices|budget|deadline|pipeline|tests|jobs|images|artefacts|"
    r"artifacts|"
    r"migrations?|dashboards?|alerts)"
)
_NO_OWNER: Final = (
    r"(?!(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|"
    r"September|October|November|December|[A-Z][a-z]+(?:ish|ese|ian|ean)|Greek|Dutch|French|German|I|My|Our|"
    r"This|That|These|Those|All|Some|New|Old|First|Next|Last)\b)"
)


_DONE_FOR: Final = pattern(
    rf"[,;] (?:and )?{NAME} (?:owns|runs|leads|manages|handles|signs off|approves|maintains|reviews|"
    rf"writes|covers|"
    r"coordinates|tests|pays)(?P<at> (?:the )?)(?=[a-z]+(?: [a-z]+)?\s*(?:[.,;!\n]|$))"
)


def _of_owner(match: re.Match[str]) -> Iterator[Edit]:
    yield *match.span("whole"), f"{match['owner']}'s {match['noun'][0].lower()}{match['noun'][1:]}"


def _of_topic(match: re.Match[str]) -> Iterator[Edit]:
    """Each thing that is named after it, with "the" or without, is the topic's."""
    owner = match["owner"]
    yield match.start("lead"), match.start("noun"), f"{owner}'s "
    stop = re.compile(r"[.!?\n]|$").search(match.string, match.end())
    end = len(match.string) if stop is None else stop.start()
    for further in _FURTHER.finditer(match.string, match.end(), end):
        yield *further.span("the"), f"{owner}'s "
    for done in _DONE_FOR.finditer(match.string, match.end(), end):
        yield *done.span("at"), f" {owner} "  # "Ingrid signs off invoices"


def _office_of(match: re.Match[str]) -> Iterator[Edit]:
    """ "Roof appeal: Moira Tench is treasurer": of the roof appeal."""
    topic = match["topic"]
    named = topic[:1].isupper() and topic[1:] != topic[1:].lower()
    yield *match.span("lead"), ""
    yield *match.span("end"), f" of {topic if named else 'the ' + topic[0].lower() + topic[1:]}"


def _of_thing(match: re.Match[str]) -> Iterator[Edit]:
    """ "For the booking app, releases go out on Thursdays": the booking app's releases."""
    yield match.start("lead"), match.start("noun"), f"{match['topic']} "


TOPICS: Final = (
    # "Kestrel project: builds run on Jenkins", "about the Heron project: the budget is 9,000 euros".
    Rewording(
        _KIND_WORDS,
        ((": ",),),
        pattern(
            rf"(?:^|[.!?\n]\s*)(?P<lead>(?:(?:[A-Z][^.:!?,\n]{{0,40}}? )?(?:[Aa]bout|[Ff]or|[Oo]n) "
            rf")?(?:the |our )?"
            rf"(?:(?P<owner>{NAME}) (?i:{_KINDS})|[Pp]roject (?P<other>{NAME})): )"
            rf"(?:the |The |our |Our )?(?P<noun>(?!(?:the|my|our|we|you|he|she|they|it|this|that|there)\b)"
            rf"[a-z-]+(?: [a-z-]+){{0,2}}) {_STATE}\b"
        ),
        lambda match: _of_topic(match) if match["owner"] else _of_project(match),
        part=pattern(r"[A-Za-z]: "),
    ),
    # "Village hall roof appeal: Moira Tench is treasurer".
    Rewording(
        "is",
        ((": ",), (" is ",)),
        pattern(
            rf"(?:^|[.!?\n]\s+)(?P<lead>{_NO_TOPIC}(?:[Tt]he |[Oo]ur )?(?P<topic>[A-Za-z][\w'-]+(?: "
            rf"[\w'-]+){{0,3}}): )"
            rf"{NAME} is (?:the |our )?(?:new |current |acting )?{_OFFICE}(?P<end>)"
            r"(?=\s*(?:[.,;!\n]|$| now\b| and\b))"
        ),
        _office_of,
        part=pattern(rf": {NAME} is "),
    ),
    # "The builds for Heron run on Jenkins".
    Rewording(
        "run runs live lives happen happens go goes ship ships sit sits kept stored",
        ((" for ", " of ", " on "),),
        pattern(
            rf"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<whole>(?:[Tt]he |[Aa]ll (?:the "
            rf")?)?(?P<noun>(?:[A-Za-z][a-z-]+ )"
            rf"{{0,2}}{_OF_PROJECTS}) (?:for|of|on) (?:the )?(?P<owner>{NAME})(?: (?:project|app|service))?)"
            rf"(?= {_WORKS} )"
        ),
        _of_owner,
        part=pattern(rf"(?:for|of|on) (?:the )?{NAME}(?: [a-z]+)? {_WORKS} "),
    ),
    # "The Atlas staging credentials live in the vault".
    Rewording(
        "run runs live lives happen happens go goes ship ships sit sits kept stored",
        (("the ",),),
        pattern(
            rf"(?:^|[.!?;:,]\s+|\b(?:and|but|so) )(?P<whole>[Tt]he {_NO_OWNER}(?P<owner>[A-Z][\w'-]+) "
            rf"(?P<noun>(?:[a-z][a-z-]+ ){{0,2}}{_OF_PROJECTS}))(?= {_WORKS} )"
        ),
        _of_owner,
        part=pattern(rf"[Tt]he [A-Z][\w'-]+ [a-z -]+ {_WORKS} "),
    ),
    # "For the booking app, releases go out on Thursdays".
    Rewording(
        "for on in",
        (
            (", ",),
            ("for the ", "on the ", "in the ", "for our ", "on our ", "in our "),
            tuple(f" {word}" for word in _KIND_WORDS.split()),
        ),
        pattern(
            rf"(?:^|[.!?\n]\s*)(?P<lead>(?:[Ff]or|[Oo]n|[Ii]n) (?:the|our) (?P<topic>(?:[A-Za-z][\w-]+ "
            rf"){{0,2}}"
            rf"{_KINDS}),? )(?P<noun>(?!(?:the|my|our|we|i|you|he|she|they|it|this|that|there|please)\b)"
            rf"[a-z-]+(?: [a-z-]+)?) {_STATE}\b",
        ),
        _of_thing,
    ),
)


def _of_project(match: re.Match[str]) -> Iterator[Edit]:
    yield match.start("lead"), match.start("noun"), f"{match['other']}'s "
