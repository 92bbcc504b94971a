"""From a text to the statements in it: sentences, clauses, then the rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from longmind.base.errors import InvalidInput
from longmind.extract.clauses import Clause, is_conditional, split_clauses
from longmind.extract.offsets import ByteOffsets
from longmind.extract.possessive import about_apposed, find_apposed, find_fixed, find_inverse, find_possessed
from longmind.extract.rule_match import RuleMatch, Subject
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
    matches = list(_find(mask(text), speaker))
    if not matches:
        return ()
    offsets = ByteOffsets(text)
    statements: dict[tuple[str, str, str, bool, bool], Statement] = {}
    for match in sorted(matches, key=lambda match: match.value):
        statement = _statement(text, match, offsets)
        key = (statement.subject, statement.slot, statement.value.casefold())
        statements.setdefault((*key, statement.polarity, statement.ended), statement)
    return tuple(statements.values())


def _statement(text: str, match: RuleMatch, offsets: ByteOffsets) -> Statement:
    slot = slot_named(match.slot)
    start, end = min(match.clause[0], match.value[0]), max(match.clause[1], match.value[1])
    when = None
    if match.when is not None:
        start, end = min(start, match.when[0]), max(end, match.when[1])
        when = TimePhrase(text[match.when[0] : match.when[1]], offsets[match.when[0]], offsets[match.when[1]])
    subject = match.subject
    return Statement(
        subject=subject if isinstance(subject, str) else text[subject[0] : subject[1]],
        slot=match.slot,
        value=text[match.value[0] : match.value[1]],
        kind=slot.kind,
        cardinality=slot.cardinality,
        polarity=match.polarity,
        ended=match.ended,
        start=offsets[start],
        end=offsets[end],
        value_start=offsets[match.value[0]],
        value_end=offsets[match.value[1]],
        rule=match.rule,
        when=when,
    )


def _find(masked: str, speaker: str | None) -> Iterator[RuleMatch]:
    for voiced in own_sentences(masked, speaker=speaker):
        matches = list(_in_sentence(masked, voiced))
        if matches and is_meant(masked, voiced):
            yield from matches


def _in_sentence(masked: str, voiced: Voiced) -> Iterator[RuleMatch]:
    start, end, first_person = voiced.sentence.start, voiced.sentence.end, voiced.first_person
    if first_person is not None:
        yield from find_fixed(masked, start, end, first_person)
        yield from find_apposed(masked, start, end, first_person)
    for clause in split_clauses(masked, start, end, finite_verbs()):
        subject: Subject | None = first_person if clause.name is None else clause.name
        if subject is not None:
            matches = _in_clause(masked, clause, subject, first_person)
            if matches and not is_conditional(masked, clause):
                yield from matches


def _in_clause(masked: str, clause: Clause, subject: Subject, first_person: str | None) -> list[RuleMatch]:
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
