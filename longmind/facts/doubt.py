"""What a change puts in doubt: facts in a text's own words that a later text speaks of as changed.

A predicate of the table (lives_in, works_at) says which values exclude each other. "Trains at Ironhold" is
only a verb with its object, so nothing new takes its place by itself. Where the same speaker later says that
something has changed, and names what such a fact is about, the fact ends. To hold nothing is better than to
hold what is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.statements import is_slot
from longmind.extract.verbs import verb_forms
from longmind.facts.extraction import FoundFact
from longmind.facts.ground import Ground, Held
from longmind.facts.trust import USER, channel_of
from longmind.facts.words import words_of

_CHANGED: Final = re.compile(
    r"\b(?:finished|stopped|quit|g[ai]ven? up|switched|(?:mov|transferr)ed (?:my|our)|swapped|traded|"
    r"replaced|renamed|dropped|ditched|cancelled|canceled|sold|ended|got(?:ten)? (?:over|rid of)|lapsed?|"
    r"hand(?:ed|ing)\b.{0,40}\bover|(?:took|pulled|withdrew|moved)\b.{1,40}\bout of|no longer|no more|"
    r"done with|any ?more|any longer|instead of|former|thing of the past)\b",
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
    r"\b(?:still|also|as well|if|would|might|(?-i:may)|could|should|want|hope|wish|plan|never)\b|\?",
    re.IGNORECASE,
)
"""Nothing is over, or it is not sure."""
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_DAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_GONE: Final = (
    r",? (?:has |have |had |just )?(?:left|moved (?:out|away|on)|retired|resigned|quit|stepped down|"
    r"passed away|died|is gone|was (?:sold|axed|closed|let go))\b(?! (?:my|his|her|their|a|an|some) )"
)
_WENT: Final = re.compile(_GONE.removeprefix(",? "), re.IGNORECASE)
_DIED: Final = r",? (?:has |had )?(?:just )?(?:died|passed away|was put down)\b"
_ROLES: Final = frozenset(
    "flatmate roommate housemate landlord landlady boss manager colleague coworker neighbor dentist gp "
    "doctor therapist trainer coach teacher tutor".split()
)
"""Ties that end when the other one goes; a sister who moves away stays a sister."""
_PETS: Final = frozenset("dog cat pet has_pet rabbit hamster horse parrot puppy kitten guinea_pig".split())
_OWN_CHANNELS: Final = frozenset({"user_turn", "note", "call"})


def doubted(ground: Ground, frame: Frame, facts: Iterable[FoundFact]) -> Iterator[FoundFact]:
    """The end of what the frame speaks of as changed and says in no slot of the table."""
    if not any(cue.search(frame.text) for cue in (_CHANGED, _ANEW, _WENT)):
        return
    channel = channel_of(
        kind=frame.kind, role=frame.role, source=frame.source, uri=frame.uri, speaker=frame.speaker
    )
    if channel not in _OWN_CHANNELS:
        return
    stated = [fact for fact in facts if fact.action == "record" and fact.polarity]
    for match in _SENTENCE.finditer(frame.text):
        sentence = match.group()
        if _GOES_ON.search(sentence) is None:
            for held in _candidates(ground, frame, sentence, stated):
                if not _is_restated(held, stated) and _is_over(sentence, held, stated):
                    yield FoundFact(held.subject, held.predicate, held.value, action="end")


def _candidates(ground: Ground, frame: Frame, sentence: str, stated: Sequence[FoundFact]) -> list[Held]:
    """What was held before of the user, of what the sentence names, and whatever was told last."""
    words = re.findall(r"[\w'-]+", sentence)
    phrases = [" ".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)]
    named = {key for keys in ground.known([*phrases, *_doings(stated)]).values() for key in keys}
    subjects = {USER, *(fact.subject for fact in stated), *named}
    held = [item for subject in sorted(subjects) for item in ground.held(subject)]
    return [item for item in dict.fromkeys([*held, *ground.latest()]) if item.recorded < frame.occurred_at]


def _is_over(sentence: str, held: Held, stated: Sequence[FoundFact]) -> bool:
    words = words_of(sentence)
    if held.predicate in _ROLES or held.predicate in _PETS or _is_own_wording(held):
        gone = _DIED if held.predicate in _PETS else _GONE
        if re.search(rf"(?<!\w){re.escape(str(held.value))}{gone}", sentence, re.IGNORECASE) is not None:
            return True  # "Farid left in May"
    if not _is_own_wording(held):
        return False
    changed, anew = _CHANGED.search(sentence) is not None, _ANEW.search(sentence) is not None
    if changed and _names(words, held):
        return True
    if held.predicate.startswith("lives") and re.search(r"\bmoved out\b", sentence) is not None:
        return any(fact.subject == held.subject for fact in stated)
    return (changed or anew) and _takes_its_place(words, held, stated)


def _is_own_wording(held: Held) -> bool:
    return not is_slot(held.predicate) and held.predicate not in ("did", "event", "session_id", "title")


def _is_restated(held: Held, stated: Iterable[FoundFact]) -> bool:
    return any(
        fact.subject.casefold() == held.subject.casefold()
        and str(fact.value).casefold() == str(held.value).casefold()
        for fact in stated
    )


def _doings(stated: Iterable[FoundFact]) -> list[str]:
    """What somebody does, as the subject of an earlier fact: "we deploy on", and "deploys happen on"."""
    return [fact.predicate.partition("_")[0] for fact in stated if "_" in fact.predicate]


def _names(words: frozenset[str], held: Held) -> bool:
    """Whether the sentence names what the fact is about: its names, or every word of its value."""
    value = str(held.value)
    names = words_of(" ".join(word for word in re.findall(r"[\w'-]+", value) if word[:1].isupper()))
    return bool(names) and names <= words if names else words_of(value) <= words and bool(words_of(value))


def _takes_its_place(words: frozenset[str], held: Held, stated: Sequence[FoundFact]) -> bool:
    """Whether the sentence says something else of the same thing: deploys on Tuesdays, deploys on Fridays."""
    kind = held.predicate.partition("_")[0]
    if _DAY.search(str(held.value)) is not None:
        same = words_of(held.subject) <= words or any(word.startswith(kind.rstrip("s")) for word in words)
        return same and any(_DAY.search(str(fact.value)) is not None for fact in stated)
    is_verb = any(form == "third" for _, form in verb_forms().get(kind, ()))
    return held.subject == USER and not is_verb and bool(stated) and words_of(held.predicate) <= words
