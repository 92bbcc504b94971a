"""From a text to the statements in it: sentences, clauses, then the rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from longmind.base.errors import InvalidInput
from longmind.extract.clauses import Clause, is_conditional, split_clauses
from longmind.extract.offsets import ByteOffsets
from longmind.extract.possessive import about_apposed, find_apposed, find_fixed, find_inverse, find_possessed
from longmind.extract.rule_match import Found, Subject
from longmind.extract.sentences import mask
from longmind.extract.slots import slot_named
from longmind.extract.statements import Statement, TimePhrase
from longmind.extract.verbal import find_by_verb, finite_verbs
from longmind.extract.voice import Voiced, is_meant, own_sentences

DEFAULT_LIMIT = 100_000


def find_statements(text: str, *, speaker: str | None = None, limit: int = DEFAULT_LIMIT) -> list[Statement]:
    """What the text says, in the order it says it.

    Statements in the first person have the subject "speaker". `speaker` is the name of whoever wrote the
    text, so that a transcript's label ("Ana: I moved") is known to be theirs. Text beyond the first `limit`
    characters is not read.
    """
    if limit < 0:
        raise InvalidInput(f"limit must not be negative: {limit}.")
    return list(_read(text[:limit], speaker))


@lru_cache(maxsize=4)  # a turn is read for facts and for memories, one right after the other
def _read(text: str, speaker: str | None) -> tuple[Statement, ...]:
    found = list(_find(mask(text), speaker))
    if not found:
        return ()
    offsets = ByteOffsets(text)
    statements: dict[tuple[str, str, str, bool, bool], Statement] = {}
    for entry in sorted(found, key=lambda entry: entry.value):
        statement = _statement(text, entry, offsets)
        said = (statement.subject, statement.slot, statement.value.casefold())
        statements.setdefault((*said, statement.polarity, statement.ended), statement)
    return tuple(statements.values())


def _statement(text: str, found: Found, offsets: ByteOffsets) -> Statement:
    slot = slot_named(found.slot)
    start, end = min(found.clause[0], found.value[0]), max(found.clause[1], found.value[1])
    when = None
    if found.when is not None:
        start, end = min(start, found.when[0]), max(end, found.when[1])
        when = TimePhrase(text[found.when[0] : found.when[1]], offsets[found.when[0]], offsets[found.when[1]])
    subject = found.subject
    return Statement(
        subject=subject if isinstance(subject, str) else text[subject[0] : subject[1]],
        slot=found.slot,
        value=text[found.value[0] : found.value[1]],
        kind=slot.kind,
        cardinality=slot.cardinality,
        polarity=found.polarity,
        ended=found.ended,
        start=offsets[start],
        end=offsets[end],
        value_start=offsets[found.value[0]],
        value_end=offsets[found.value[1]],
        rule=found.rule,
        when=when,
    )


def _find(masked: str, speaker: str | None) -> Iterator[Found]:
    for voiced in own_sentences(masked, speaker=speaker):
        found = list(_in_sentence(masked, voiced))
        if found and is_meant(masked, voiced):
            yield from found


def _in_sentence(masked: str, voiced: Voiced) -> Iterator[Found]:
    start, end, first_person = voiced.sentence.start, voiced.sentence.end, voiced.first_person
    if first_person is not None:
        yield from find_fixed(masked, start, end, first_person)
        yield from find_apposed(masked, start, end, first_person)
    for clause in split_clauses(masked, start, end, finite_verbs()):
        subject: Subject | None = first_person if clause.name is None else clause.name
        if subject is not None:
            found = _in_clause(masked, clause, subject, first_person)
            if found and not is_conditional(masked, clause):
                yield from found


def _in_clause(masked: str, clause: Clause, subject: Subject, first_person: str | None) -> list[Found]:
    if clause.person == "my":
        possessed = list(find_possessed(masked, clause, clause.after, subject, own=True))
        apposed = None if possessed else about_apposed(masked, clause)
        if apposed is None or apposed.name is None:
            return possessed
        return find_by_verb(masked, apposed, apposed.name)
    if clause.name is not None and masked.startswith("'s ", clause.after):
        possessed = list(find_possessed(masked, clause, clause.after + 3, subject, own=False))
        if possessed:
            return possessed
    if first_person is not None and (inverse := find_inverse(masked, clause, first_person)) is not None:
        return [inverse]
    return find_by_verb(masked, clause, subject)
