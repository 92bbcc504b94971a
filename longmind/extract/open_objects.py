"""Objects of verbs that no rule knows: each a value of its own, or what makes a passing verb last."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.habits import WORKS
from longmind.extract.lexicon import OCCUPATIONS
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import Range
from longmind.extract.subjects import About
from longmind.extract.words import Words

_OBJECTS: Final[dict[str, frozenset[str]]] = {
    "sit": frozenset("board committee council panel bench jury commission parliament senate".split()),
    "stand": frozenset("council parliament mayor election".split()),
    "write": WORKS | {"novels", "column"},
}
"""Of each verb what makes it last: the next words have one of these among them."""
_WISHES: Final = frozenset("want hope".split())
_WISHED: Final = frozenset(
    "study work live move open run learn retire emigrate teach train compete apply "
    "specialise specialize".split()
)
"""What others wish to do with their lives, and not with their evening."""
_BECOMING: Final = frozenset("want hope train study wish".split())


def lasts_by_its_object(words: Words, clause: ParsedClause, about: About) -> bool:
    """Whether what the clause says lasts, though its verb alone says something of the moment."""
    verb = clause.verb
    at = verb.after
    if verb.denied or verb.passive or at >= clause.end or verb.tense in ("past", "perfect"):
        return False
    if verb.lemma in ("turn", "stand"):  # "turns eighteen", "stands six foot five"
        return words.tags[at] == "M" and about.sort == "person"
    objects = _OBJECTS.get(verb.lemma)
    if objects is not None:
        end = at + (verb.lemma != "write")  # "sits on the board", and not "is writing to the book club"
        while end < min(at + 5, clause.end) and words.tags[end] != "P":
            end += 1
        return not objects.isdisjoint(words.low[at:end])
    if verb.lemma == "go":  # "has been going since 1972"
        return about.sort == "thing" and verb.tense == "lasting" and words.low[at] == "since"
    if is_to_become(words, clause):
        return True
    wishes = verb.lemma in _WISHES and about.sort == "person" and words.low[at] == "to"
    return wishes and words.low[at + 1] in _WISHED and at + 2 < clause.end


def is_to_become(words: Words, clause: ParsedClause) -> bool:
    """ "Wants to become a marine biologist", "is training to be a paramedic"."""
    verb = clause.verb
    at = verb.after
    return (
        verb.lemma in _BECOMING
        and verb.tense in ("present", "progressive", "lasting")
        and words.low[at] == "to"
        and words.low[at + 1] in ("be", "become")
        and words.low[at + 2] in ("a", "an")
        and not OCCUPATIONS.isdisjoint(words.low[at + 3 : min(at + 7, clause.end)])
    )


HELD: Final = frozenset(
    "have own keep rent lease run ride drive raise grow use take wear play breed eat drink do teach".split()
)
"""Verbs of which each object is a thing of its own, and may end by itself."""
_COUNTED: Final = r"(?:an?|one|two|three|four|five|six|my|our|some|the)"
_EACH: Final = pattern(rf"(?:,? and|,|,? plus) (?={_COUNTED} )", re.IGNORECASE)
_ONE: Final = pattern(rf"{_COUNTED} ", re.IGNORECASE)


def each_thing(words: Words, piece: Range) -> list[Range]:
    """ "A van and two bikes": two things, of which one may be sold."""
    start, end = piece
    if "and" not in words.lows or _ONE.match(words.masked, start, end) is None:
        return [piece]
    parts: list[Range] = []
    for link in _EACH.finditer(words.masked, start, end):
        parts.append((start, link.start()))
        start = link.end()
    return [*parts, (start, end)]


def told_again(words: Words, piece: Range, preposition: str) -> list[Range]:
    """ "Listens to jazz and to opera": the preposition once more, and so another value."""
    link = f" and {preposition} "
    at = words.masked.find(link, *piece)
    return [piece] if at < 0 else [(piece[0], at), (at + len(link), piece[1])]
