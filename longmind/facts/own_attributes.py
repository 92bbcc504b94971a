"""What the speaker told as theirs, told again without "my": "the dentist is Dr Okafor", "employee ID is 204".

Whatever the speaker has one of, and the ledger holds, is meant by its bare or definite noun in the speaker's
own words, unless the text has just spoken of somebody else's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.kin import RELATIONS
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.trust import USER, is_own_words
from longmind.facts.values import Entity

_COMMON: Final = re.compile(r"[A-Z]?[a-z]+(?: (?:[a-z]+|[A-Z]{2,4})){0,3}|[A-Z]{2,4}")
"""A noun at the start of its sentence: "Employee ID", "Car insurance"; no name of a thing."""


def own_attribute(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """The same of the speaker, where a fact is told of the noun of what the speaker has one of."""
    noun = None if fact.action == "end" or not fact.polarity else _noun_of(fact)
    if noun is None:
        return fact
    slot = noun.lower().replace(" ", "_")
    if slot in RELATIONS and not isinstance(fact.value, Entity):
        return fact  # who that is, or what they are like, `as_attribute` tells apart
    if fact.predicate == "name" and slot not in RELATIONS:
        return fact
    held = [belief for belief in current.held(USER, (slot,)) if belief.predicate == slot]
    if all(belief.cardinality != "one" for belief in held):
        return fact
    if any(only_describes(fact.value, belief.value) for belief in held):
        return fact
    return replace(fact, subject=USER, predicate=slot, cardinality="one")


def only_describes(value: object, held: object) -> bool:
    """ "The dentist is closed on Mondays", where a dentist is known by name: no other dentist."""
    return _NAMING.match(str(held)) is not None and _NAMING.match(str(value)) is None


_NAMING: Final = re.compile(
    r"(?:(?:now|on|at|by|from|until|to|about|around|over|under|called|an?|the) )*(?:[^\W\d_a-z]|\S*\d)"
)
"""A name, a number or a day, as in "Dr Okafor", "a Volvo", "HX-204", "on the 26th"."""


def _noun_of(fact: FoundFact) -> str | None:
    """Of what a fact is told: "Employee ID", "phone" of "the_phone"."""
    if fact.subject == USER:
        return fact.predicate[4:].replace("_", " ") if fact.predicate.startswith("the_") else None
    told = fact.predicate in ("is", "name") and _COMMON.fullmatch(fact.subject) is not None
    return fact.subject if told else None


_SENTENCE_END: Final = re.compile(r"[.!?]\s+|\n")
_OF_OTHERS: Final = re.compile(
    r"\b(?!(?:It|That|There|What|Who|Where|How|Here|He|She|Let|Today|Tomorrow|This|Everything|Everyone)'s)"
    r"[A-Z][\w-]+(?:'s|s') [a-z]|\b[Mm]y [a-z]+(?:-in-law)?'s [a-z]|\b(?:[Hh]is|[Hh]er|[Tt]heir) [a-z]",
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:in|at|for|of|from) (?:(?:the|a|this|that|my|her|his|our) (?:[a-z]+ )?(?:film|movie|book|novel|"
    r"story|show|series|play|game|dream|sketch|script|episode|joke)\b|(?:my [a-z]+|[A-Z][\w-]+)'s)",
    re.IGNORECASE,
)


def is_of_others(fact: FoundFact, placed: FoundFact, frame: Frame) -> bool:
    """Whether a noun was taken for the speaker's own: "Ana's flat is damp. The landlord is Mr Dudek"."""
    noun = fact.predicate[4:] if fact.subject == USER else fact.subject
    noun = re.sub(r"[_-]", " ", noun.lower())
    taken = placed.subject == USER and placed.predicate.replace("_", " ") == noun
    if not taken or placed is fact:
        return False
    if not is_own_words(frame):
        return True
    before = frame.text.encode()[: fact.start or 0].decode(errors="ignore")
    sentences = _SENTENCE_END.split(before)
    if _ELSEWHERE.search(sentences[-1]) is not None:
        return True
    near = " ".join(sentences[-2:])
    own = re.search(rf"\b(?:my|our) (?:[a-z]+ )?{re.escape(noun)}\b", near, re.IGNORECASE)
    return own is None and _OF_OTHERS.search(near) is not None
