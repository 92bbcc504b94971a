"""The rules about what belongs to whom: "my name is", "Ana's husband is", "my sister Beth"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from longmind.extract.clauses import Clause, clause_range, is_name
from longmind.extract.kin import COUNTED, is_relation, relation_in, relation_slot
from longmind.extract.needed_words import Gated
from longmind.extract.patterns import pattern
from longmind.extract.phrases.names import is_people
from longmind.extract.rule_match import RuleMatch, Subject
from longmind.extract.rule_types import FixedRule, OwnRule
from longmind.extract.rules import APPOSITION, FIXED_RULES, OWN_RULES, RELATION
from longmind.extract.words import Words

_NAME_AFTER = pattern(
    r"((?:(?:Professor|Prof\.?|Doctor|Dr\.?|Mrs?\.?|Ms\.?|Miss|Father|Sister|Captain) )?"
    r"[^\W\d_a-z][\w-]+(?: [^\W\d_a-z][\w-]+)?)(?='s\b|[.,;:!?)]|$| (?=[a-z(]))"
)
_PLURAL_KIND = pattern(r"(?:colors|foods|books|movies|songs|bands|authors|games|cities|sports)$")
_BEFORE_NAMES = frozenset({"called", "named", ",", ":"})
_NO_KIND = frozenset(
    {"favorite_too", "favorite_thing", "favorite_part", "favorite_one", "favorite_now", "favorite_again"}
)


@cache
def _own_rules() -> tuple[tuple[OwnRule, re.Pattern[str], re.Pattern[str]], ...]:
    flag = re.IGNORECASE
    return tuple((rule, pattern(f"(?:{rule.thing})", flag), pattern(rule.link, flag)) for rule in OWN_RULES)


def find_possessed(
    masked: str, clause: Clause, position: int, subject: Subject, *, own: bool
) -> Iterator[RuleMatch]:
    """What is said of a thing that begins at `position` and belongs to the subject."""
    for rule, thing_pattern, link in _own_rules():
        if not own and not rule.of_others:
            continue
        thing = thing_pattern.match(masked, position, clause.end)
        linked = None if thing is None else link.match(masked, thing.end(), clause.end)
        spans = None if linked is None else rule.value(masked, linked.end(), clause.end)
        if thing is not None and spans is not None:
            for span in spans:
                yield RuleMatch(
                    subject, _slot(rule.slot, thing), span, clause_range(masked, clause), rule.name
                )
            return


def _slot(slot: str, thing: re.Match[str]) -> str:
    if slot == "{relation}":
        return relation_slot(thing.group("relation"))
    return _favourite_slot(thing.group("kind")) if slot == "favorite_{kind}" else slot


def _favourite_slot(kind: str) -> str:
    name = re.sub(r"[ -]", "_", kind.lower()).replace("colour", "color")
    if _PLURAL_KIND.search(name):
        name = name.removesuffix("ies") + "y" if name.endswith("cities") else name.removesuffix("s")
    return f"favorite_{name}"


@cache
def _apposition() -> Gated:
    return Gated(APPOSITION, re.IGNORECASE, at_word=True, part=f"{RELATION},? ")


def find_apposed(words: Words, start: int, end: int, subject: Subject) -> Iterator[RuleMatch]:
    """Who "my sister Beth" is, wherever it stands."""
    if not _apposition().may_match(words.letters):
        return
    masked = words.masked
    for relation in _apposition().shape.finditer(masked, start, end):
        name = _NAME_AFTER.match(masked, relation.end(), end)
        if (
            name is not None
            and relation.group().rstrip().endswith(",")
            and masked[name.end(1) : name.end(1) + 1]
            not in (
                ",",
                ".",
                ";",
                "!",
                "?",
                ")",
                "",
            )
        ):
            continue
        if name is not None and is_name(name.group(1)) and not is_people(name.group(1)):
            slot = relation_slot(relation.group("relation"))
            yield RuleMatch(subject, slot, name.span(1), (relation.start(), name.end(1)), "apposition")


_TO_BE_NAMED: Final = pattern(
    r"\b(?:call|name|rename|nickname|christen|is|was|are|be|if|or) $", re.IGNORECASE
)


def find_taken_for_known(words: Words, start: int, end: int, subject: Subject) -> Iterator[RuleMatch]:
    """What a question takes for known: "Can you suggest a gift for my sister Anna?".

    Not where the name itself is asked for: "Should we call our dog Rex?", "Is my teacher Smith or Jones?".
    """
    for match in find_apposed(words, start, end, subject):
        is_open = words.masked.startswith(" or ", match.value[1])
        if not is_open and _TO_BE_NAMED.search(words.masked, start, match.clause[0]) is None:
            yield match


@cache
def _former() -> re.Pattern[str]:
    return pattern(
        r"\b[Mm]y first (?:day|week|month|shift|morning) (?:at|with) "
        r"(?P<started>St\.? [A-Z][\w'-]+(?: [Hh]ospital| [Ss]chool)?|[A-Z][\w&-]+(?: [A-Z][\w&-]+)*)|"
        rf"\b[Mm]y (?:ex-?|former |previous ){RELATION},? (?P<name>[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
        r"|\b[Mm]y (?:old|former|previous|last|ex-?) ?(?:job|gig|position|employer|company)"
        r"(?: at| with| for)? (?P<employer>[A-Z][\w&-]+(?: [A-Z][\w&-]+)?)"
        rf"|\b(?:have|got) a new {RELATION.replace('<relation>', '<tie>')}(?:,|, called| called| named)? "
        r"(?P<successor>[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
    )


FORMER = frozenset("ex former previous old last new first".split())
"""Words without one of which nobody is told to be somebody's former anything, or their new one."""


def find_former(masked: str, start: int, end: int, subject: Subject) -> Iterator[RuleMatch]:
    """ "My ex-girlfriend Mei", "my old job at Siemens", "I have a new therapist, Olga"."""
    for match in _former().finditer(masked, start, end):
        if match["started"] is not None:
            yield RuleMatch(subject, "works_at", match.span("started"), match.span(), "started_at")
            continue
        if match["name"] is not None:
            slot, value = relation_slot(match["relation"]), match.span("name")
        elif match["employer"] is not None:
            slot, value = "works_at", match.span("employer")
        else:
            value = match.span("successor")
            old = (value[0], value[0])
            yield RuleMatch(subject, relation_slot(match["tie"]), value, match.span(), "renewed", old=old)
            continue
        yield RuleMatch(subject, slot, value, match.span(), "former", False, True, action="end")


HOMES = frozenset("place flat house home apartment room studio cottage condo".split())


@cache
def _new_home() -> re.Pattern[str]:
    return pattern(
        r"\b(?:(?:[Mm]y|[Oo]ur) (?:(?P<relation>[a-z][a-z-]*)'s )?"
        r"|(?P<name>[A-Z][\w-]+)'s )"
        rf"(?:new|own|current) (?:{'|'.join(sorted(HOMES))}) in "
        r"(?P<where>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
    )


def find_home(masked: str, start: int, end: int, speaker: str) -> Iterator[RuleMatch]:
    """ "My new place in Whitby has a lift": where somebody lives, told in passing."""
    for match in _new_home().finditer(masked, start, end):
        relation, name = match["relation"], match["name"]
        kin = relation_in([name.lower()]) if name is not None else None
        if name is not None and kin is None:
            subject: Subject = match.span("name")
        else:
            whose = kin or (None if relation is None else relation_in([relation]))
            if whose is None and relation is not None:
                continue
            subject = speaker if whose is None else f"{speaker}/{whose}"
        yield RuleMatch(subject, "lives_in", match.span("where"), match.span(), "new_home")


_LISTED_NAME: Final = r"[^\W\d_a-z][\w-]+(?: [^\W\d_a-z][\w-]+)?"


@cache
def _listed() -> re.Pattern[str]:
    name, full = r"[^\W\d_a-z][\w-]+", _LISTED_NAME
    return pattern(
        r"\b(?:[Mm]y|[Oo]ur|(?:[Ii]|[Ww]e)(?:'ve| have)(?: got)?)(?: (?:an?|one|two|three|four|five|six|\d))?"
        rf"(?: (?:[a-z]+er|little|big|twin|grown|adult|teenage))? (?P<relation>{'|'.join(sorted(COUNTED))})"
        rf"(?:,? (?:called|named)|,|:) (?P<names>{full}(?:, {full})*,? (?:and|&) {full}|{name}(?:, {name})*)"
        r"(?=[.,;!?)]|$| [a-z-])"
    )


def find_listed(words: Words, start: int, end: int, subject: Subject) -> Iterator[RuleMatch]:
    """Relatives by name after what they are: "two sons, Filip and Oskar"."""
    if _BEFORE_NAMES.isdisjoint(words.lows):
        return
    for match in _listed().finditer(words.masked, start, end):
        slot = relation_in([_singular(match.group("relation"))])
        for name in re.finditer(_LISTED_NAME, match.group("names")):
            if slot is not None and is_name(name.group()) and not is_people(name.group()):
                low = match.start("names") + name.start()
                yield RuleMatch(subject, slot, (low, low + len(name.group())), match.span(), "listed")


def _singular(word: str) -> str:
    return {"children": "child", "wives": "wife"}.get(
        word, word if is_relation(word) else word.removesuffix("s")
    )


_TITLES = (
    "lead|manager|director|head|chief|captain|president|chair|chairman|chairwoman|chairperson|secretary|treasurer|"
    "principal|dean|ceo|cto|cfo|coo|pm|po|maintainer|scrum master|product owner"
)


_SERVICES: Final = (
    r"au pair|nanny|babysitter|childminder|cleaner|window cleaner|gardener|accountant|lawyer|solicitor|"
    r"notary|therapist|physio|physiotherapist|(?:personal |fitness )?trainer|hairdresser|barber|plumber|"
    r"electrician|mechanic|vet|optician|midwife|(?:driving|yoga|swimming|ski) (?:instructor|teacher)|"
    r"(?:maths?|music|piano|guitar|violin|english|german|french|spanish) (?:tutor|teacher)|tutor|"
    r"(?:estate |insurance |travel )?agent|broker|(?:tax |financial )?advis[eo]r|dog walker|handyman|builder|"
    r"caretaker|dentist|doctor|gp|podiatrist|dietitian|osteopath|chiropractor"
)
"""Whoever does something for somebody, of whom there is one at a time."""


@cache
def _inverse_patterns() -> tuple[re.Pattern[str], ...]:
    be = r"(?:'s|is|are|became|has become)\s+(?:(?:\w+ly|now|still|also)\s+)?"
    end = (
        r"(?=\s*(?:$|[,.;:!]|-\s|(?:and|but|so|because|now|today|already|finally|these|nowadays|again|since|"
        r"until|as of|as well|too|at the moment|for now|after all|though|btw|tbh|lol|haha)\b))"
    )
    which = "(?:older |younger |elder |little |big |twin |oldest |youngest |line |direct )?"
    return (
        pattern(rf"{be}(?:my|our) (?:new )?{which}{RELATION}{end}", re.IGNORECASE),
        pattern(
            rf"{be}my (?:all-time )?favou?rite (?P<kind>[a-z-]+(?: (?!now\b)[a-z-]+)?){end}", re.IGNORECASE
        ),
        pattern(rf"{be}(?P<owner>[A-Z][\w-]+)'s {which}{RELATION}{end}"),
        pattern(rf"{be}(?:my|our) (?:new |current )?(?P<title>{_SERVICES}){end}", re.IGNORECASE),
        pattern(
            rf"{be}our (?:new |current )?(?P<title>(?:[a-z-]+ ){{0,2}}(?:{_TITLES})){end}", re.IGNORECASE
        ),
    )


_AHEAD: Final = ("from ", "until ", "till ", "up to ", "as of ", "starting ")


def _ahead(masked: str, clause: Clause) -> tuple[int, int] | None:
    """ "Ana is our head coach until June": from when or till when, and not for how long."""
    span = clause.when.range()
    return span if span is not None and masked[slice(*span)].lower().startswith(_AHEAD) else None


def find_inverse(masked: str, clause: Clause, first_person: Subject) -> RuleMatch | None:
    """ "Maria is my sister", "Dune is my favourite book", "Jonas is Mira's brother"."""
    if clause.name is None:
        return None
    for inverse in _inverse_patterns():
        match = inverse.match(masked, clause.after, clause.end)
        if match is None:
            continue
        groups = match.groupdict()
        if "title" in groups:
            slot = re.sub(r"[ -]", "_", groups["title"].lower())
            where = (clause.start, match.end())
            return RuleMatch(
                first_person,
                slot,
                clause.name,
                where,
                "inverse",
                when=_ahead(masked, clause),
                free=True,
                one=True,
            )
        slot = _favourite_slot(groups["kind"]) if "kind" in groups else relation_slot(groups["relation"])
        subject = match.span("owner") if "owner" in groups else first_person
        if slot not in _NO_KIND:
            return RuleMatch(
                subject,
                slot,
                clause.name,
                (clause.start, match.end()),
                "inverse",
                when=_ahead(masked, clause),
            )
    return None


@cache
def _fixed_rules() -> tuple[tuple[FixedRule, re.Pattern[str]], ...]:
    lead = r"(?:(?:and|so|but|or|also|hi|hey),? )?"
    return tuple((rule, pattern(lead + rule.lead, re.IGNORECASE)) for rule in FIXED_RULES)


_FIXED_START = pattern(r"[,;]\s*(?:and |but )?|\s(?:and|but) ", re.IGNORECASE)


def find_fixed(masked: str, start: int, end: int, subject: Subject) -> Iterator[RuleMatch]:
    """Set phrases about the speaker, at the start of the sentence or of a part of it."""
    starts = [start, *(match.end() for match in _FIXED_START.finditer(masked, start, end))]
    for rule, phrase in _fixed_rules():
        for begin in starts:
            lead = phrase.match(masked, begin, end)
            spans = None if lead is None else rule.value(masked, lead.end(), end)
            if spans is not None:
                yield from (
                    RuleMatch(subject, rule.slot, span, (begin, span[1]), rule.name) for span in spans
                )
                break
