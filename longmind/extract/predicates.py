"""What the verb of a clause says: which verb it is, in which tense, whether it is denied or over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longmind.extract.patterns import pattern
from longmind.extract.verbs import Form

Tense = Literal["present", "progressive", "lasting", "perfect", "past", "future", "can", "cannot"]
"""`lasting` is "have been living"; `future` is "going to" and "will"."""

Forms: TypeAlias = dict[str, list[tuple[str, Form]]]


@dataclass(frozen=True, slots=True)
class Predicate:
    """`lemma` in `tense`, from `start`; what the rule reads begins at `after`."""

    lemma: str
    tense: Tense
    denied: bool
    ended: bool
    after: int
    start: int


WORD = pattern(r"[A-Za-z]+(?:'[a-z]+)?")
_ADVERBS = pattern(
    r"(?:(?:currently|now|still|also|really|just|actually|always|absolutely|totally|definitely|recently"
    r"|finally|mostly|only|even|simply|truly|personally|particularly|especially|honestly|generally|mainly"
    r"|very much|usually|both|all|already|originally|happily|previously|once|formerly|officially|completely"
    r"|genuinely|deeply|temporarily|permanently|quite|super|so|too|very|pretty|primarily|typically|normally"
    r"|secretly|myself|kind of|kinda|sort of|extremely|severely|highly|mildly|slightly|fully|firmly|newly"
    r"|basically|technically|proudly|strictly|incredibly|seriously|hugely|fairly|big time|legally"
    r"|born and raised|ethnically)\s+)+",
    re.IGNORECASE,
)


def skip_adverbs(masked: str, position: int, end: int) -> int:
    match = _ADVERBS.match(masked, position, end)
    return match.end() if match else position


_AUXILIARY = pattern(
    r"(?P<used>used to )"
    r"|(?P<been>(?:'ve|have|has|'s|ve) (?:\w+ly |always |just |also |now )?been )"
    r"|(?P<be_not>(?:am|'m|m|is|'s|are|'re) not |(?:isn't|aren't|ain't) )"
    r"|(?P<be>(?:am|'m|m|is|'s|are|'re) )"
    r"|(?P<was_not>(?:was|were) not |(?:wasn't|weren't) )"
    r"|(?P<was>(?:was|were) )"
    r"|(?P<dont>(?:don't|do not|dont|doesn't|does not|doesnt) )"
    r"|(?P<never>never )"
    r"|(?P<no_longer>no longer )"
    r"|(?P<will>(?:will|'ll) )"
    r"|(?P<cannot>(?:can't|cannot|can not|cant) )"
    r"|(?P<can>can )"
    r"|(?P<have_got>(?:'ve|have|has|ve|'s) got(?= ))"
    r"|(?P<perfect>(?:'ve|have|has|ve|'s) )"
    r"|(?P<stop>(?:stopped|quit|gave up|given up) (?=\w+ing\b))"
    r"|(?P<do>do (?!not))",
    re.IGNORECASE,
)
_GOING_TO = pattern(
    r"(?:going to|gonna) (?=[a-z])(?!(?:an?|the|my|our|his|her|this|that|some|their|your|bed|see if)\b)"
)


_NOT = pattern(r"no longer |not |never ", re.IGNORECASE)
_BE = pattern(r"be ", re.IGNORECASE)
_BE_DOING = pattern(r"be (?=\w+ing\b)", re.IGNORECASE)
_DENYING = frozenset({"be_not", "was_not", "dont", "never", "cannot", "no_longer", "stop"})
_ENDING = frozenset({"used", "no_longer", "stop"})
_BEING: dict[str, Tense] = {
    "be": "present",
    "be_not": "present",
    "been": "perfect",
    "was": "past",
    "was_not": "past",
}
# After each auxiliary: which forms of a verb may stand, and in which tense they are.
_TAKES: dict[str, tuple[tuple[Form, ...], Tense]] = {
    "be": (("ing",), "progressive"),
    "be_not": (("ing",), "progressive"),
    "been": (("ing",), "lasting"),
    "was": ((), "past"),
    "was_not": ((), "past"),
    "used": (("base",), "present"),
    "dont": (("base",), "present"),
    "do": (("base",), "present"),
    "never": (("base", "third"), "present"),
    "no_longer": (("base", "third"), "present"),
    "stop": (("ing",), "progressive"),
    "can": (("base",), "can"),
    "cannot": (("base",), "cannot"),
    "perfect": (("participle",), "perfect"),
}


def read_predicates(masked: str, start: int, end: int, *, named: bool, forms: Forms) -> list[Predicate]:
    """Every way to read the verb that begins at `start`: more than one where a form is ambiguous ("quit").

    `named` is for the third person, whose present tense has its own form.
    """
    position = skip_adverbs(masked, start, end)
    auxiliary = _AUXILIARY.match(masked, position, end)
    if auxiliary is None:
        return _finite(masked, position, end, named, forms)
    group = str(auxiliary.lastgroup)
    readings = _after_auxiliary(masked, end, forms, group, auxiliary)
    if group in ("perfect", "do", "stop"):
        readings += _finite(masked, position, end, named, forms)
    return readings


def _after_auxiliary(
    masked: str, end: int, forms: Forms, group: str, auxiliary: re.Match[str]
) -> list[Predicate]:
    start = auxiliary.start()
    after = skip_adverbs(masked, auxiliary.end(), end)
    denied = group in _DENYING
    ended = group in _ENDING
    if group in ("be", "was", "been") and (no := _NOT.match(masked, after, end)) is not None:
        denied, ended = True, no.group().lower() == "no longer "
        after = skip_adverbs(masked, no.end(), end)
    if group == "used" and (be := _BE.match(masked, after, end)) is not None:
        return [Predicate("be", "present", False, True, skip_adverbs(masked, be.end(), end), start)]
    if group == "have_got":
        return [Predicate("have", "present", False, False, auxiliary.end(), start)]
    if group == "will":
        being = _BE_DOING.match(masked, after, end)
        return [Predicate("*", "future", denied, ended, being.end() if being else after, start)]
    readings: list[Predicate] = []
    if group in ("be", "be_not") and (going := _GOING_TO.match(masked, after, end)) is not None:
        return [Predicate("*", "future", denied, ended, going.end(), start)]
    word = WORD.match(masked, after, end)
    allowed, tense = _TAKES[group]
    for lemma, which in () if word is None else forms.get(word.group().lower(), ()):
        if word is not None and which in allowed:
            readings.append(Predicate(lemma, tense, denied, ended, word.end(), start))
    if group in _BEING:
        readings.append(Predicate("be", _BEING[group], denied, ended, after, start))
    return readings


def _finite(masked: str, position: int, end: int, named: bool, forms: Forms) -> list[Predicate]:
    word = WORD.match(masked, position, end)
    present: Form = "third" if named else "base"
    readings: list[Predicate] = []
    for lemma, which in () if word is None else forms.get(word.group().lower(), ()):
        if word is not None and which in (present, "past") and lemma != "be":
            tense: Tense = "past" if which == "past" else "present"
            readings.append(Predicate(lemma, tense, False, False, word.end(), position))
    return readings
