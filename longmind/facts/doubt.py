"""What a change puts in doubt: facts in a text's own words that a later text speaks of as changed.

A predicate of the table (lives_in, works_at) says which values exclude each other. "Trains at Ironhold" is
only a verb with its object, so nothing new takes its place by itself. Where the same speaker later says that
something has changed, and names what such a fact is about, the fact ends. To hold nothing is better than to
hold what is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.statements import is_slot
from longmind.facts.extraction import FoundFact
from longmind.facts.ground import Ground, Held
from longmind.facts.trust import USER, channel_of
from longmind.facts.words import words_of

_CHANGED: Final = re.compile(
    r"\b(?:finished|stopped|quit|g[ai]ven? up|switched|(?:mov|transferr)ed (?:my|our)|swapped|"
    r"traded|replaced|"
    r"dropped|ditched|cancelled|canceled|sold|ended|got(?:ten)? (?:over|rid of)|no longer|"
    r"done with|any ?more|"
    r"any longer|instead of|former|thing of the past)\b",
    re.IGNORECASE,
)
"""Said of what the sentence names: it is over."""
_ANEW: Final = re.compile(
    r"\b(?:only|now|from (?:now|here|today) on|these days|nowadays|instead|as of|i was wrong|"
    r"turns out|mistaken)\b",
    re.IGNORECASE,
)
"""What is said of a thing takes the place of what was said of it before."""
_GOES_ON: Final = re.compile(
    r"\b(?:still|also|as well|if|would|might|may|could|should|want|hope|wish|plan|never)\b|\?",
    re.IGNORECASE,
)
"""Nothing is over, or it is not sure."""
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_DAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_OWN_CHANNELS: Final = frozenset({"user_turn", "note", "call"})


def doubted(ground: Ground, frame: Frame, facts: Iterable[FoundFact]) -> Iterator[FoundFact]:
    """The end of what the frame speaks of as changed and says in no slot of the table."""
    if _CHANGED.search(frame.text) is None and _ANEW.search(frame.text) is None:
        return
    channel = channel_of(
        kind=frame.kind, role=frame.role, source=frame.source, uri=frame.uri, speaker=frame.speaker
    )
    if channel not in _OWN_CHANNELS:
        return
    stated = [fact for fact in facts if fact.action == "record" and fact.polarity]
    for match in _SENTENCE.finditer(frame.text):
        sentence = match.group()
        changed, anew = _CHANGED.search(sentence) is not None, _ANEW.search(sentence) is not None
        if not (changed or anew) or _GOES_ON.search(sentence) is not None:
            continue
        words = words_of(sentence)
        subjects = {USER, *(fact.subject for fact in stated), *_named_things(sentence), *_doings(stated)}
        for subject in sorted(subjects):
            for held in ground.held(subject):
                if _is_own_wording(held) and not _is_restated(held, stated):
                    over = changed and _names(words, held)
                    if over or (anew and _takes_its_place(words, held, stated)):
                        yield FoundFact(held.subject, held.predicate, held.value, action="end")


def _is_own_wording(held: Held) -> bool:
    return not is_slot(held.predicate) and held.predicate not in ("did", "event", "session_id", "title")


def _is_restated(held: Held, stated: Iterable[FoundFact]) -> bool:
    return any(
        fact.subject.casefold() == held.subject.casefold()
        and str(fact.value).casefold() == str(held.value).casefold()
        for fact in stated
    )


def _named_things(sentence: str) -> list[str]:
    """Names and plain nouns that a fact may have as its subject."""
    return [word for word in re.findall(r"[\w'-]{3,}", sentence) if word[:1].isupper() or word.endswith("s")]


def _doings(stated: Iterable[FoundFact]) -> list[str]:
    """What somebody does, as the subject of an earlier fact: "we deploy on", and "deploys happen on"."""
    return [fact.predicate.partition("_")[0] for fact in stated if "_" in fact.predicate]


def _names(words: frozenset[str], held: Held) -> bool:
    """Whether the sentence names what the fact is about: its names, or every word of its value."""
    value = str(held.value)
    names = words_of(" ".join(word for word in re.findall(r"[\w'-]+", value) if word[:1].isupper()))
    return bool(names) and names <= words if names else words_of(value) <= words and bool(words_of(value))


def _takes_its_place(words: frozenset[str], held: Held, stated: Iterable[FoundFact]) -> bool:
    """Whether the sentence says something else of the same thing: deploys on Tuesdays, deploys on Fridays."""
    if held.subject == USER or not words_of(held.subject) <= words:
        return False
    return any(
        _DAY.search(str(fact.value)) is not None and _DAY.search(str(held.value)) is not None
        for fact in stated
    )
