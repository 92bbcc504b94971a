"""What a fact tells, taken apart: a verb, what it is done to, where and how; and by which way one goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.extract.verbs import verb_forms
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.words import words_of

_WORD: Final = re.compile(r"[\w'.:/&+#-]*[\w+#]")
_PREPOSITIONS: Final = frozenset(
    "in on at to for with from by of about over via through under as into onto near during".split()
)
_SMALL: Final = frozenset(
    "a an the my our his her their its your this that some now again back still just only also too always "
    "usually mostly instead nowadays".split()
)
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
}
_WAYS: Final = frozenset(
    "car bus tram train bike bicycle foot ferry metro tube subway scooter boat taxi".split()
)
_RIDES: Final = {
    "cycle": "bike", "bike": "bike", "walk": "foot", "drive": "car", "ride": "bike", "row": "boat",
}  # fmt: skip
WORKPLACE: Final = frozenset("work office job".split())
COMMUTES: Final = frozenset({"commute", "commutes", "commutes_by", "commutes_on"})


class Doing(NamedTuple):
    """What a fact tells, taken apart: a verb, what it is done to, and the rest by preposition."""

    verb: str
    thing: tuple[str, ...]
    rest: dict[str, tuple[str, ...]]


@lru_cache(maxsize=4096)
def doing_of(predicate: str, value: str) -> Doing:
    """A fact, taken apart; with no verb where the predicate is a noun."""
    said = value if predicate in ("habit", "plans") else f"{predicate.replace('_', ' ')} {value}"
    words = _WORD.findall(said)
    verb = lemma_of(words[0].lower()) if words else ""
    segments: list[tuple[str, list[str]]] = [("", [])]
    for word in words[1:]:
        low = word.lower()
        if low in _PREPOSITIONS:
            segments.append((low, []))
        elif low not in _SMALL:
            segments[-1][1].append(_NUMBERS.get(low, word))
    rest = {preposition: tuple(inside) for preposition, inside in reversed(segments[1:]) if inside}
    return Doing(verb, tuple(segments[0][1]), rest)


def lemma_of(word: str) -> str:
    if word in ("is", "are", "am", "be", "was"):
        return "be"
    return next((lemma for lemma, which in forms_of(word) if which in ("third", "ing", "base")), "")


def forms_of(word: str) -> Collection[tuple[str, str]]:
    return verb_forms().get(word.lower(), ())


def folded(words: tuple[str, ...]) -> frozenset[str]:
    return words_of(" ".join(words)) or frozenset(word.lower() for word in words)


def way_of(doing: Doing) -> tuple[frozenset[str], str] | None:
    """Where somebody goes, and how: "cycles to work", "the tram to the office", "work by car"."""
    to = doing.rest.get("to", ())
    at_work = doing.verb == "commute" or not WORKPLACE.isdisjoint(word.lower() for word in to)
    where = frozenset({"work"}) if at_work else folded(to)
    if not where:
        return None
    for preposition in ("by", "on"):
        how = [word.lower() for word in doing.rest.get(preposition, ())]
        if how and how[0] in _WAYS:
            return where, how[0]
    ridden = [word.lower() for word in doing.thing if word.lower() in _WAYS]
    if doing.verb in ("take", "ride", "catch", "get", "commute") and ridden:
        return where, ridden[0]
    if doing.verb in _RIDES and not doing.thing:
        return where, _RIDES[doing.verb]
    return None


def same_way(belief: CurrentFact, fact: FoundFact) -> bool:
    """Whether both lead to one place: the tram to the gym is no word on the bike to work."""
    before = way_of(doing_of(belief.predicate, str(belief.value)))
    now = way_of(doing_of(fact.predicate, str(fact.value)))
    if before is None and now is None:
        return True
    return before is not None and now is not None and before[0] == now[0]


def way_over(current: CurrentFacts, fact: FoundFact) -> Iterator[FoundFact]:
    """ "I've given up driving to work": nor does anybody go there by car, in whichever words it was told."""
    over = way_of(doing_of("habit" if fact.predicate == "*" else fact.predicate, str(fact.value)))
    if over is None:
        return
    for belief in current.sharing(fact.subject, over[0] | WORKPLACE, or_of=COMMUTES):
        same = (belief.predicate, str(belief.value)) == (fact.predicate, str(fact.value))
        if not same and way_of(doing_of(belief.predicate, str(belief.value))) == over:
            yield replace(fact, predicate=belief.predicate, value=belief.value, cardinality=None)
