"""Verbs that mostly tell of the moment, where what they tell lasts: "I manage a bakery", "I read Arabic"."""

from __future__ import annotations

from typing import Final

from longmind.extract.clauses import When
from longmind.extract.grammar import ParsedClause
from longmind.extract.lexicon import LANGUAGES, POINTING
from longmind.extract.verbs import forms_by_word
from longmind.extract.words import Words

_DEEDS: Final = frozenset(
    "come bring put help check turn manage get read open type copy see hear hang sit stand wait pray "
    "show".split()
)
"""What is done, and not only thought or felt: told with "every Sunday", it is a habit."""
_SENSED: Final = frozenset({"see", "hear", "come", "get", "turn", "wait"})
_USUAL: Final = frozenset({"always", "usually", "normally", "mostly", "regularly"})
_OF_PLENTY: Final = frozenset("read post help wait".split())
"""With many things of a kind as their object: "I read crime novels", "I help refugees"."""
_AT_WORK: Final = frozenset({"manage", "tend"})
_HEALERS: Final = frozenset(
    "therapist psychotherapist physiotherapist physio counsellor counselor psychologist psychiatrist "
    "chiropractor osteopath podiatrist dietitian dietician nutritionist acupuncturist cardiologist "
    "neurologist dermatologist endocrinologist rheumatologist oncologist midwife tutor mentor coach".split()
)
_AIDS: Final = frozenset(
    "glasses crutches wheelchair walker insulin dialysis inhaler stick cane oxygen subtitles captions "
    "orthotics pacemaker".split()
)
_DAILY: Final = frozenset({"up", "home", "off", "in", "back"})
_CLOCK: Final = frozenset("at around about before by early late".split())
_OWN: Final = frozenset("my our an a the".split())
_NO_OFFICE: Final = frozenset(
    "time stress anxiety expectations emotions finances money smile bit feelings moods symptoms".split()
)
"""What anybody manages, and no place or people."""


def lasts(words: Words, clause: ParsedClause, time: When) -> bool:
    """Whether the present of a verb that mostly tells of the moment tells a habit, a job or a skill."""
    verb = clause.verb
    lemma, at, end = verb.lemma, verb.after, clause.end
    if at >= end or words.low[at] in POINTING or "you" in words.low[at:end]:
        return False
    if _is_of_kind(words, lemma, at, end):
        return True
    if lemma in _DEEDS and not (lemma in _SENSED or _USUAL.isdisjoint(words.low[verb.first : at])):
        return words.tags[at] in ("D", "N", "U", "V") and words.low[at] not in ("that", "a", "an")
    when = time() if lemma in _DEEDS else None
    if when is None:
        return lemma == "get" and _is_rhythm(words, at, end)
    if when.kind == "repeated":
        return words.low[at] not in ("to", "that", "so")
    return False


def _is_rhythm(words: Words, at: int, end: int) -> bool:
    """ "I get up at five", "I get home late"."""
    return at + 1 < end and words.low[at] in _DAILY and words.low[at + 1] in _CLOCK


def _is_of_kind(words: Words, lemma: str, at: int, end: int) -> bool:
    """Whether the object is one with which the verb tells something lasting."""
    low, tags = words.low, words.tags
    first, last = low[at], low[_head(words, at, end)]
    if lemma in _AT_WORK:
        placed = tags[at] in ("D", "M") or (tags[at] in ("N", "V") and last.endswith("s"))
        return placed and last not in _NO_OFFICE
    if lemma in ("know", "understand", "read"):
        after = at + 2 if f"{first} {low[at + 1]}" in LANGUAGES else at + (first in LANGUAGES)
        if after > at and (after >= end or tags[after] not in ("N", "V")):
            return True  # and no "German people"
    if lemma == "help" and first == "out":
        return low[at + 1] in ("at", "in", "with", "on")
    if lemma == "know":
        return first == "how" and low[at + 1] == "to" and at + 3 < end
    if lemma in _OF_PLENTY:
        return tags[at] in ("N", "V") and last.endswith("s") and not last.endswith("ss")
    if lemma in ("see", "need"):
        known = _HEALERS if lemma == "see" else _AIDS
        return last in known and "new" not in low[at:end] and (lemma == "need" or first in _OWN)
    if lemma == "type":
        return first in ("on", "with") and tags[at + 1] == "D"
    if lemma == "care":
        return first == "for" and (low[at + 1] in _OWN or low[at + 1].endswith("s"))
    if lemma == "believe":
        return (
            first == "in" and tags[at + 1] in ("N", "U") and at + 2 == min(end, _head(words, at + 1, end) + 1)
        )
    return lemma == "get" and first.endswith("sick") and first != "sick"


GOOD_OR_BAD: Final = frozenset(
    "good great brilliant excellent decent bad terrible awful rubbish hopeless useless lousy better".split()
)
_NO_SKILL: Final = frozenset(
    "home work school night noon first last least best once times present this that it what words".split()
)


def is_skill(words: Words, at: int, end: int) -> bool:
    """ "Good" "at mental arithmetic", "bad" "with numbers": what somebody is good or bad at, and no time."""
    if at + 1 >= end or words.low[at] not in ("at", "with"):
        return False
    return words.tags[at + 1] in ("N", "V", "U") and words.low[at + 1] not in _NO_SKILL


WORKS: Final = frozenset(
    "book novel novella thesis dissertation cookbook memoir memoirs autobiography biography screenplay "
    "script play textbook guidebook opera symphony album musical documentary film podcast comic".split()
)
"""What takes somebody months to write or to make."""


def makes_a_work(words: Words, clause: ParsedClause) -> bool:
    """ "I'm writing a novel": what takes months, unlike a letter."""
    if clause.verb.lemma not in ("write", "make") or clause.verb.denied:
        return False
    end = clause.end
    at = clause.verb.after + (clause.verb.after < end and words.tags[clause.verb.after] in ("D", "M"))
    return at < end and words.low[_head(words, at, end)] in WORKS


_NO_LESSON: Final = frozenset(
    "appreciate accept live love like enjoy hate trust let cope be have embrace value manage deal say see "
    "take get do make keep not stop".split()
)


def frame_of(words: Words, clause: ParsedClause) -> tuple[str, int] | None:
    """The slot of what is told with "to" and a verb, and where its value begins: "I know how to weld"."""
    verb, at = clause.verb, clause.verb.after
    if verb.passive or verb.denied or at + 1 >= clause.end:
        return None
    if verb.lemma in ("know", "learn") and words.low[at] == "how":
        at += 1
    if words.low[at] != "to" or at + 2 >= clause.end + (verb.lemma == "learn"):
        return None  # "a place I've always wanted to visit"
    if words.tags[at + 2] == "X":
        return None  # "a place I've always wanted to visit is Rome"
    if verb.lemma == "know" and words.low[at - 1] == "how":
        return "knows_how_to", words.starts[at + 1]
    if verb.lemma == "want" and verb.tense == "perfect":
        return "always_wanted_to", words.starts[at + 1]
    if verb.lemma == "learn" and verb.tense in ("past", "perfect"):
        return ("learned_to", words.starts[at + 1]) if is_lesson(words, clause) else None
    return None


def is_lesson(words: Words, clause: ParsedClause) -> bool:
    """ "I learned to weld": a skill, and not what somebody came to think."""
    at = clause.verb.after + (words.low[clause.verb.after] == "how")
    if words.low[at] != "to" or at + 1 >= clause.end or words.low[at + 1] in _NO_LESSON:
        return False
    return "base" in forms_by_word().get(words.low[at + 1], {})


_DEGREES: Final = frozenset(
    "degree phd doctorate masters master's mba bachelor's bachelors thesis dissertation apprenticeship "
    "internship residency traineeship a-levels gcses".split()
)
_OPERATED: Final = frozenset({"removed", "replaced", "amputated", "pierced", "fused", "transplanted"})


def is_done_for(words: Words, clause: ParsedClause) -> bool:
    """ "I had my car washed": what was done by somebody else."""
    at = clause.verb.after
    if words.low[at] not in _OWN:
        return False
    known = forms_by_word()
    return any("participle" in known.get(word, {}) for word in words.low[at + 2 : min(at + 5, clause.end)])


def is_milestone(words: Words, clause: ParsedClause) -> bool:
    """ "I did my PhD on bridges", "I had my appendix removed", "I learned to weld"."""
    verb, end = clause.verb, clause.end
    if verb.denied or verb.passive or verb.after + 1 >= end:
        return False
    if verb.lemma == "learn":
        return is_lesson(words, clause)
    if verb.lemma == "do":
        return words.low[_head(words, verb.after + 1, end)] in _DEGREES
    if verb.lemma == "have" and words.low[verb.after] in _OWN:
        return not _OPERATED.isdisjoint(words.low[verb.after + 2 : verb.after + 5])
    return verb.lemma == "want" and frame_of(words, clause) is not None


def _head(words: Words, at: int, end: int) -> int:
    """The last word of the noun phrase that begins here."""
    stop = at
    while stop + 1 < end and words.tags[stop + 1] in ("N", "V", "U", "M"):
        stop += 1
    return stop
