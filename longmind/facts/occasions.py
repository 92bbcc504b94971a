"""When and where something is now, told by another name for it: "my yoga class is on Mondays now".

Before, it was told as a doing ("I go to yoga every Tuesday", "our choir rehearses in the hall"), and the
rules that compare one doing with another do not see that both are about the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.statements import is_slot
from longmind.extract.verbs import verb_forms
from longmind.facts.anew import is_to_come, is_told_anew
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doings import Doing, doing_of
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_DAY: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?|weekends?)\b", re.IGNORECASE
)
_CLOCK: Final = re.compile(
    r"\bat (?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|noon|midnight|half past \w+|quarter (?:past|to) \w+)(?= (?:on|in|every)\b|$)",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(r"\b(?:in|at) (?:the |a |an |our |my )?[^\W\d_]", re.IGNORECASE)
_GENERIC: Final = frozenset(
    "class course lesson session day time club night evening morning afternoon group slot appointment".split()
)
"""What is said or left out: "yoga class" and "yoga"."""
_LIGHT: Final = frozenset("go do have attend be take get hold happen run play get".split())
"""Verbs that say no more than that it takes place."""
_STATED: Final = re.compile(r"(?:is|are|happens?|meets?|takes?_place|runs?|moved)(?:_(?:on|in|at|to))?|plans")
_ENDING: Final = re.compile(r"(?:als?|ings?|ions?|ers?|ments?|es|e|ed)")


def elsewhen(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """The ends of what was told of the same occasion for another day, hour or place."""
    if fact.action != "record" or not fact.polarity or not isinstance(fact.value, str) or fact.valid_to:
        return
    topic = _topic_of(fact)
    if not topic:
        return
    preposition = fact.predicate.rpartition("_")[2]
    sorts = _sorts_of(f"{preposition} {fact.value}" if preposition in ("on", "in", "at") else fact.value)
    if not sorts or not is_told_anew(fact, frame):
        return
    over = [
        belief
        for belief in current.speaking_of(USER, _with_stems(topic))
        if (belief.recorded < frame.occurred_at or is_to_come(fact, frame))
        and belief.predicate != fact.predicate
        and _is_of(topic, belief)
        and not sorts.isdisjoint(_held_sorts(belief))
        and words_of(str(belief.value)) != words_of(fact.value)
    ]
    if len({belief.predicate for belief in over}) == 1:  # of two choirs it is not said which rehearses there
        for belief in over:
            yield FoundFact(
                belief.subject,
                belief.predicate,
                belief.value,
                fact.start,
                fact.end,
                action="end",
                valid_to=fact.valid_from,
            )


def _topic_of(fact: FoundFact) -> frozenset[str]:
    """What an occasion is called; nothing for what somebody does, or for what is somebody else's."""
    if fact.subject == USER:
        words = words_of(fact.predicate.replace("_", " "))
        return frozenset() if _is_doing(fact.predicate) else _told_apart(words)
    if "/" in fact.subject or len(fact.subject.split()) > 3 or _STATED.fullmatch(fact.predicate) is None:
        return frozenset()
    return _told_apart(words_of(fact.subject))


def _told_apart(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_stem, words - _GENERIC or words))


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """ "Rehearsals" and "rehearse", "swimming" and "swim" by what they share."""
    for size in range(4, 0, -1):
        if len(word) - size >= 3 and _ENDING.fullmatch(word, len(word) - size) is not None:
            word = word[:-size]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _with_stems(topic: frozenset[str]) -> set[str]:
    return {form for word in topic for form in (word, f"{word}e", f"{word}{word[-1]}ing", f"{word}ing")}


def _is_doing(predicate: str) -> bool:
    first = predicate.partition("_")[0]
    return any(form == "third" for _, form in verb_forms().get(first, ())) or predicate in ("habit", "plans")


def _is_of(topic: frozenset[str], belief: CurrentFact) -> bool:
    """Whether a fact tells of the occasion and of nothing else."""
    if _is_doing(belief.predicate):
        own, doing = frozenset[str](), doing_of(belief.predicate, str(belief.value))
    else:
        own = words_of(belief.predicate.replace("_", " "))
        doing = doing_of("habit", str(belief.value))
    return _core(own, doing) == topic or (bool(doing.verb) and topic == {_stem(doing.verb)})


def _core(own: frozenset[str], doing: Doing) -> frozenset[str]:
    verb = () if doing.verb in _LIGHT or not doing.verb else (doing.verb,)
    things = words_of(" ".join((*doing.thing, *doing.rest.get("to", ()))))
    things = frozenset(word for word in things if _DAY.fullmatch(word) is None)
    if own and doing.verb:
        verb = ()  # "our book club meets on": named by what stands before the verb
    return _told_apart(own | things | frozenset(verb))


def _held_sorts(belief: CurrentFact) -> frozenset[str]:
    preposition = belief.predicate.rpartition("_")[2]
    said = str(belief.value)
    sorts = _sorts_of(f"{preposition} {said}" if preposition in ("on", "in", "at") else said)
    return sorts or frozenset({"day"} if belief.predicate == "habit" else ())


def _sorts_of(said: str) -> frozenset[str]:
    """Whether a value tells a day, an hour or a place."""
    sorts = {name for name, shape in (("day", _DAY), ("clock", _CLOCK)) if shape.search(said) is not None}
    if not sorts and _PLACE.search(said) is not None:
        sorts.add("place")
    return frozenset(sorts)


_HOURS: Final = re.compile(r"(?P<verb>open|clos|start|begin|end|finish|shut)(?:s|es|e|t?ing|ning)?_at")
_THIRD: Final = {
    "open": "opens", "clos": "closes", "start": "starts", "begin": "begins", "end": "ends",
    "finish": "finishes", "shut": "closes",
}  # fmt: skip
_CLOSES: Final = re.compile(r"(?P<verb>closes|ends|finishes) (?P<when>at .+)")


def by_the_hour(current: CurrentFacts, fact: FoundFact) -> FoundFact:
    """ "The salon is opening at 9 again": said of what the speaker told as theirs.

    When it closes is another slot: a café that closes at 5 now opens when it did.
    """
    if fact.action == "end" or not fact.polarity or not isinstance(fact.value, str):
        return fact
    if fact.subject == USER:
        closes = None if is_slot(fact.predicate) else _CLOSES.fullmatch(fact.value)
        if closes is None:
            return fact
        return replace(fact, predicate=f"{fact.predicate}_{closes['verb']}", value=closes["when"])
    match = _HOURS.fullmatch(fact.predicate)
    if match is None or " " in fact.subject or "/" in fact.subject:
        return fact
    slot, verb = fact.subject.lower(), _THIRD[match["verb"]]
    begins = verb in ("opens", "starts", "begins")
    own = slot if begins else f"{slot}_{verb}"
    if not any(belief.predicate in (slot, own) for belief in current.held(USER, (slot, own))):
        return fact
    value = f"{verb} at {fact.value}" if begins else f"at {fact.value}"
    return replace(fact, subject=USER, predicate=own, value=value, cardinality="one")


_JOURNEYS: Final = (
    r"(?:trip|holidays?|vacation|journey|getaway|city break|weekend away|tour|cruise|honeymoon|flights?|"
    r"travel plans)"
)
_CALLED_OFF: Final = re.compile(
    rf"(?:\b(?:the|our|my|that|this)(?: (?:whole|big|summer|winter|family))? |^|[.!?]\s+){_JOURNEYS}"
    r"(?:'s| is| are|'re| was| were)?(?: now| all| been| has been| have been| had to be)*"
    r" (?:off|cancell?ed|called off|scrapped|not happening)\b(?! (?:to|at|on|season|peak)\b)"
    r"|\b(?:cancell?ed|cancel|scrapped|scrap|called off|call off|knocked|knock) (?:the|our|my)"
    rf"(?: (?:whole|big|summer|winter|family))? {_JOURNEYS}"
    r"(?= on the head|\s*(?:[.,;!\n]|$)| (?:because|as|since)\b)",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:if|unless|might|may|could|should|would|nearly|almost|not)\b|\?", re.IGNORECASE
)
_OFF_WORDS: Final = (" off", "'s off", "cancel", "scrap", "knock", "not happening")
_TRAVELS: Final = re.compile(
    r"(?:be )?(?:fly|flying|go|going|travel|travell?ing|drive|driving|sail|sailing|"
    r"take the (?:train|ferry|bus)|head|heading|off) .*?\bto [A-Z]|"
    r".*\b(?:trip|holiday|flight|cruise|vacation)\b"
)
_SENTENCE: Final = re.compile(r"[^.!?\n]*[.!?]?")


def journeys_off(current: CurrentFacts, frame: Frame) -> Iterator[FoundFact]:
    """ "Trip's off": the end of the one journey that is to come, whatever it was told as."""
    low = frame.text.lower()
    match = _CALLED_OFF.search(frame.text) if any(word in low for word in _OFF_WORDS) else None
    if match is None:
        return
    start = max(frame.text.rfind(mark, 0, match.start() + 1) for mark in ".!?\n") + 1
    sentence = _SENTENCE.match(frame.text, start)
    if sentence is None or _UNSURE.search(sentence[0]) is not None:
        return
    planned = [
        belief
        for belief in current.held(USER, ("plans", "event", "booked_for", "booked"))
        if belief.recorded < frame.occurred_at
        and (belief.predicate == "booked_for" or _TRAVELS.match(str(belief.value)) is not None)
    ]
    if len(planned) == 1:
        yield FoundFact(planned[0].subject, planned[0].predicate, planned[0].value, action="end")
