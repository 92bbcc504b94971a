"""Where somebody is now who says that they left another place: "left Swiggy, now im at Zomato"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from longmind.extract.statements import ANY
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.trust import USER
from longmind.facts.values import Entity
from longmind.facts.words import words_of

_BELONGS: Final = ("works_at", "studies_at", "trains_at", "banks_with", "volunteers_at")
_IS_THERE: Final = ("is_at", "is_with")
_NAME: Final = re.compile(r"(?:[A-Z][\w&.'-]*(?: [A-Z][\w&.'-]*){0,2}|[a-z][\w&-]+)")
_NO_FIRM: Final = frozenset(
    "home work school uni university college lunch dinner peace rest risk sea".split()
)


def left_for(current: CurrentFacts, facts: Sequence[FoundFact]) -> tuple[FoundFact, ...]:
    """Facts of a text, of which one tells where the speaker is in the place of what another says is left."""
    left = [fact for fact in facts if fact.action == "end" and fact.predicate == ANY and fact.subject == USER]
    if not left or not any(fact.predicate in _IS_THERE for fact in facts):
        return tuple(facts)
    said = words_of(" ".join(str(fact.value) for fact in left))
    over = {
        belief.predicate
        for belief in current.held(USER, _BELONGS)
        if belief.predicate in _BELONGS and words_of(str(belief.value)) <= said
    }
    return tuple(_there(fact, over) for fact in facts)


def _there(fact: FoundFact, over: set[str]) -> FoundFact:
    value = str(fact.value)
    is_firm = _NAME.fullmatch(value) is not None and value.lower() not in _NO_FIRM
    stated = fact.action == "record" and fact.polarity and fact.subject == USER
    if len(over) != 1 or fact.predicate not in _IS_THERE or not is_firm or not stated:
        return fact
    [predicate] = over
    named = Entity(value) if predicate in ("works_at", "studies_at") else value
    return replace(fact, predicate=predicate, value=named, cardinality="one", replaces=None, confidence=None)
