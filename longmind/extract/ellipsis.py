"""What a sentence leaves out because the one before said it: "no longer with Vodafone, it's O2 now"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import RuleMatch
from longmind.extract.statements import ANY, slot_named
from longmind.extract.words import Words
from longmind.when.mentions import find_mention

_NOW: Final = pattern(
    r"\b(?:now|these days|nowadays|from now on|for me|since|instead|before that|until then|then|"
    r"used to be)\b",
    re.IGNORECASE,
)
_DEATH: Final = pattern(r"\b(?:died|passed away|was put down|had to put|put to sleep)\b", re.IGNORECASE)
_PETS: Final = frozenset("dog cat pet rabbit hamster horse parrot puppy kitten guinea_pig budgie".split())


def follows(match: RuleMatch) -> bool:
    """Whether "it's X now" after this can only mean another value of the same slot."""
    if match.slot == ANY:
        return match.action == "end"
    return match.one or slot_named(match.slot).cardinality == "one" or match.slot in ("is_with", "banks_with")


def find_successor(words: Words, clause: ParsedClause, last: RuleMatch | None) -> RuleMatch | None:
    """The other value that "it's O2 now", "now it's Turin" and "before that it was Leiria" give."""
    verb = clause.verb
    if last is None or words.low[clause.begin] != "it" or verb.lemma != "be":
        return None
    if verb.denied or verb.unreal or verb.passive or verb.after >= clause.end:
        return None
    first = words.tags[verb.after]
    end = verb.after
    while end < clause.end and (words.tags[end] in ("U", "M") or words.low[end] in ("of", "de")):
        end += 1
    start = max(0, clause.begin - 12)
    around = (words.starts[start], words.end(clause.end - 1))
    if first not in ("U", "M") or end == verb.after or _NOW.search(words.masked, *around) is None:
        return None
    value = words.span(verb.after, end)
    whole = words.clause(clause)
    if verb.tense == "past":
        when = find_mention(words.masked, *around)
        if last.slot == ANY or when is None:
            return None
        return last._replace(
            value=value,
            clause=whole,
            ended=True,
            polarity=True,
            action="record",
            when=when[:2],
            old=None,
        )
    if last.slot == ANY:
        return RuleMatch(
            last.subject,
            "switched_to",
            value,
            whole,
            "replacement",
            old=last.value,
            free=True,
            names=last.names,
        )
    return last._replace(
        value=value, clause=whole, ended=False, polarity=True, action="record", when=None, old=None
    )


def after_a_death(matches: Sequence[RuleMatch], masked: str, span: tuple[int, int]) -> Iterator[RuleMatch]:
    """ "Our dog Rex died": the tie that the name tells of is over."""
    died = bool(matches) and _DEATH.search(masked, *span) is not None
    for match in matches:
        if died and match.slot in _PETS and match.action == "record":
            match = match._replace(ended=True, polarity=False)
        yield match


_GAPPED: Final = pattern(r"(?P<who>[A-Z][a-z]+) [a-z]{3,}")
_ORIGIN: Final = ("ish", "ian", "ean", "ese", "an", "ch", "ic", "k", "i", "ss")
"""How words for where something comes from end: "Turkish coffee" is no Turkish who likes coffee."""


def is_gapped(masked: str, match: RuleMatch) -> bool:
    """ "Anna likes tea and Ben coffee": the second value is another's, whose verb is left out."""
    start, end = match.value
    before = masked[match.clause[0] : start].rstrip()
    found = _GAPPED.fullmatch(masked, start, end)
    if found is None or not before.endswith((" and", ",", ";", " but")):
        return False
    return not found["who"].lower().endswith(_ORIGIN)
