"""What a correction mends: the value said last that it fits, the slot that it names, or what it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.dating import with_dates
from longmind.extract.statements import ANY
from longmind.facts.anew import takes_the_place_of
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doings import doing_of
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.kinds import kinds_of
from longmind.facts.similarity import alike, mended, no_hour, spelled_alike
from longmind.facts.slots import DISLIKING, LIKING
from longmind.facts.told_otherwise import same_unit, sort_of, values_of
from longmind.facts.trust import USER
from longmind.facts.values import Entity, Value
from longmind.facts.words import words_of

_RIGHT_AFTER: Final = 3_600_000
"""Milliseconds after which nobody mends a word in what they have said."""
_OF_LATE: Final = 24 * 3_600_000
"""Milliseconds within which a correction in common words means what was said before it."""


def corrections(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """The last thing held of the subject whose value is of the same shape is what was meant."""
    value = str(fact.value)
    best: CurrentFact | None = None
    if fact.replaces:
        yield from _instead(current, fact, frame)
        return
    for belief in (*current.just_said(), *current.latest()):
        if str(belief.value).casefold() == value.casefold():
            return
        if spelled_alike(str(belief.value), value):
            best = belief
            break
        if best is None and alike(str(belief.value), value):
            best = belief
    is_open = fact.replaces == "" and (best is None or sort_of(value)[0] not in ("", "name"))
    if is_open and (mended_in := _in_the_last(current, value, frame)) is not None:
        belief, corrected = mended_in
        yield _correction(replace(fact, subject=belief.subject), belief, corrected)
        return
    if best is None and fact.replaces == "":
        best = _last_said(current, frame)
        best = None if best is not None and no_hour(str(best.value), value) else best
    if best is None:
        return
    fact = replace(fact, subject=best.subject)
    yield _correction(fact, best, mended(str(best.value), value))


def _instead(current: CurrentFacts, fact: FoundFact, frame: Frame) -> Iterator[FoundFact]:
    """ "It's Leeds, not Hull": whatever was told of late and has Hull for its value."""
    wrong = words_of(str(fact.replaces))
    is_telling = any(sign.isupper() or sign.isdigit() for sign in str(fact.replaces))
    for belief in (*current.just_said(), *current.latest()):
        if not is_telling and not 0 <= frame.occurred_at - belief.said <= _OF_LATE:
            continue  # "it's a dog, not a cat" may be said of anything
        said, old, new = str(belief.value), str(fact.replaces), str(fact.value)
        apart = said.replace("-", " ")  # "A-positive" is "A positive"
        is_all = is_telling and apart.casefold() == old.casefold()
        is_alike = alike(said, new) or (is_telling and alike(old, new))
        if is_all or (wrong and wrong <= words_of(said) and is_alike):
            fact = replace(fact, subject=belief.subject)
            at = apart.casefold().find(old.casefold())
            in_it = is_telling and at >= 0 and not words_of(new) & words_of(said)
            value = f"{said[:at]}{new}{said[at + len(old) :]}" if in_it or is_all else mended(said, new)
            yield _correction(fact, belief, value)
            return


_VAGUE: Final = frozenset("doing does did is has taking takes going_for goes_for got".split())
"""Verbs under which anything may be told."""
_FELT: Final = frozenset({*LIKING, *DISLIKING, "prefers", "avoids", "plans", "event", "did"})
_CHANGED: Final = re.compile(
    r"\b(?:now|any ?more|any longer|these days|instead|since|from|switched|changed)\b", re.IGNORECASE
)


def not_the_other(current: CurrentFacts, fact: FoundFact, frame: Frame) -> FoundFact | None:
    """ "He's doing geography, not geology": what is held of him with the value that is denied is mended.

    None where nothing is held so, or where the text speaks of a change and denies nothing.
    """
    wrong = str(fact.replaces or "")
    is_told = fact.action == "correct" or (fact.action == "record" and fact.polarity)
    if not is_told or not isinstance(fact.value, str) or not words_of(wrong) or fact.predicate == ANY:
        return None
    if fact.action != "correct" and fact.predicate not in _VAGUE:
        return None
    clause = frame.text.encode()[fact.start : fact.end].decode(errors="ignore")
    if _CHANGED.search(clause) is not None or not _is_denied(wrong, clause):
        return None
    for belief in current.sharing(fact.subject, words_of(wrong)):
        said = re.sub(r"^(?:the|an?) ", "", str(belief.value))
        rest = said[len(wrong) :]
        whole = said.casefold().startswith(wrong.casefold()) and rest[:1] in ("", " ")
        if belief.predicate in _FELT or belief.predicate == fact.predicate or not whole:
            continue
        if not rest or _FURTHER.match(rest) is not None:
            return _correction(fact, belief, f"{fact.value}{rest}")
    return None


_FURTHER: Final = re.compile(r" (?:at|in|on|with|for) ")


def _is_denied(value: str, clause: str) -> bool:
    """Of what somebody replaced or left, the old was so until then; only what is denied never was."""
    return re.search(rf"(?:\bnot\b|n't\b)(?: \w+)? {re.escape(value)}", clause, re.IGNORECASE) is not None


def _in_the_last(current: CurrentFacts, value: str, frame: Frame) -> tuple[CurrentFact, str] | None:
    """The last thing told of late that has one value of the same sort, and it with the right one.

    "I fly out of Luton on the 9th." "The ticket says Heathrow."
    """
    sort, right = sort_of(value)
    for belief in (*current.just_said(), *current.latest()) if sort else ():
        if not 0 <= frame.occurred_at - belief.recorded <= _OF_LATE:
            continue
        values = values_of(belief, sort)
        if len(values) == 1 and values[0][1].casefold() != right.casefold():
            at, wrong = values[0]
            if sort == "amount" and not same_unit(wrong, right):
                continue
            said = str(belief.value)
            if sort == "date":
                right = with_dates(right, frame.occurred_at)
            return belief, f"{said[:at]}{right}{said[at + len(wrong) :]}"
    return None


def _last_said(current: CurrentFacts, frame: Frame) -> CurrentFact | None:
    """What was said right before, if it is in a word or two: "I play the viola." "*violin"."""
    last = next(iter((*current.just_said(), *current.latest())), None)
    if last is None or not 0 <= frame.occurred_at - last.said <= _RIGHT_AFTER:
        return None
    value = re.sub(r"^(?:the|an?|my) ", "", str(last.value))
    return last if value.islower() and len(value.split()) <= 2 else None


def _correction(fact: FoundFact, held: CurrentFact, value: Value) -> FoundFact:
    if isinstance(held.value, Entity) and isinstance(value, str):
        value = Entity(value)
    return replace(
        fact,
        action="correct",
        predicate=held.predicate,
        value=value,
        replaces=str(held.value),
        valid_from=held.said,
        cardinality=None,
    )


def corrected_slot(
    current: CurrentFacts, fact: FoundFact, frame: Frame, slots: Sequence[str]
) -> Iterator[FoundFact]:
    """A correction that names its slot: what that held, or what was told of the same in other words."""
    if fact.value is None:
        yield replace(fact, action="record")
        return
    value = str(fact.value)
    held = [
        belief
        for belief in current.held(fact.subject, tuple(slots))
        if belief.predicate in slots and str(belief.value) != value
    ]
    meant = _meant_of(held, value, frame)
    if meant is not None:
        yield _correction(fact, meant, fact.value)
        return
    new = doing_of(fact.predicate, value)
    for belief in (*current.just_said(), *current.latest()):
        said = str(belief.value)
        if belief.subject == fact.subject and takes_the_place_of(new, doing_of(belief.predicate, said)):
            yield _correction(fact, belief, _said_alike(belief, fact.value, fact.predicate))
            return
    about = _about(fact.subject, fact.predicate)
    for belief in (*current.just_said(), *current.latest()):
        said = str(belief.value)
        number, before = _NUMBER.search(value), _NUMBER.search(said)
        if said == value or about.isdisjoint(_about(belief.subject, f"{belief.predicate} {said}")):
            continue
        if number is not None and before is not None:
            in_it = f"{said[: before.start()]}{number[0]}{said[before.end() :]}"
            yield _correction(replace(fact, subject=belief.subject), belief, in_it)
            break
    yield replace(fact, action="record")


def _said_alike(belief: CurrentFact, value: Value, predicate: str) -> Value:
    """ "Take 50 mg" is mended by "100 mg" as a habit is told: with its verb. Of a plan, the rest stays."""
    link = predicate.rpartition("_")[2]
    if belief.predicate == "plans" and isinstance(value, str):
        before = re.search(
            rf" {re.escape(link)} (?P<old>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)(?= |$)", str(belief.value)
        )
        if before is not None:
            said = str(belief.value)
            return f"{said[: before.start('old')]}{value}{said[before.end('old') :]}"
    verb = str(belief.value).partition(" ")[0]
    if belief.predicate != "habit" or not isinstance(value, str) or value.startswith(verb):
        return value
    return f"{verb} {value}"


_NUMBER: Final = re.compile(r"\d[\d.,:]*")


def _about(subject: str, said: str) -> frozenset[str]:
    """The words of what something is said of."""
    named = "" if subject == USER else subject.partition("/")[2] or subject
    return words_of(f"{named} {said.replace('_', ' ')}")


def _meant_of(beliefs: Sequence[CurrentFact], value: str, frame: Frame) -> CurrentFact | None:
    """What a slot holds that a value mends: what is most like it, or all there is; else nothing is sure."""
    if any(belief.cardinality == "one" for belief in beliefs):
        return beliefs[0]
    words = words_of(value)
    like = [belief for belief in beliefs if words & words_of(str(belief.value))]
    like = like or [belief for belief in beliefs if alike(str(belief.value), value)]
    sorts = kinds_of("", value)
    like = like or [belief for belief in beliefs if sorts & kinds_of("", str(belief.value))]
    if like:
        return like[0]
    if len(beliefs) != 1:
        return None
    of_late = 0 <= frame.occurred_at - beliefs[0].said <= _OF_LATE
    return beliefs[0] if of_late or _WRONG.search(frame.text) is not None else None


_WRONG: Final = re.compile(
    r"\b(?:wrong|mistaken?|mixed|muddled|confused|incorrect|misremembered|misread|misheard|"
    r"not (?:right|true|correct)|typo|correction)\b",
    re.IGNORECASE,
)
"""Something that was said was not so, however long ago."""
