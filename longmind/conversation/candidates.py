"""What a turn gives to remember: statements as sentences, with slot, value and polarity."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from longmind.conversation.similarity import words_of
from longmind.conversation.values import PII
from longmind.extract.conflicts import normal_value
from longmind.extract.finder import find_statements
from longmind.extract.personal import find_personal
from longmind.extract.statements import ANY, INSTRUCTIONS, SPEAKER, Statement
from longmind.extract.wording import render

_USER: Final = re.compile(r"^(?:the\s+)?user\b", re.IGNORECASE)
_LASTING: Final = frozenset(
    (
        "name nickname pronouns birthday born_on allergic_to has_condition has_relative "
        "married_to engaged_to marital_status address email work_email phone work_phone "
        "wife husband spouse partner girlfriend boyfriend fiance fiancee mother father stepmother stepfather "
        "mother_in_law father_in_law sister brother sibling twin son daughter child stepson stepdaughter "
        "stepsister stepbrother niece nephew cousin aunt uncle grandmother grandfather grandson "
        "granddaughter sister_in_law brother_in_law godson goddaughter godmother godfather baby"
    ).split()
)
"""What is not said often and does not change: names, family, health, birthdays, and how to reach somebody."""
_HEALTH: Final = frozenset(
    "allergy allergies blood condition diagnosis disability illness medication medicine".split()
)


def is_lasting(slot: str) -> bool:
    """Whether a statement of this slot is important by rule, however seldom it is said."""
    return slot in _LASTING or slot in INSTRUCTIONS or not _HEALTH.isdisjoint(slot.split("_"))


_STAND_IN: Final = "Alex"
"""A plain name in the place of "User", so that the rules for sentences about people read them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may become a memory; without a statement it is a free text."""

    content: str
    statement: Statement | None = None
    importance: int = 0
    tags: tuple[str, ...] = ()
    rule: str = ""
    start: int | None = None
    end: int | None = None
    archives: bool = False
    """True: it names a memory to put away, not one to keep."""

    @property
    def words(self) -> frozenset[str]:
        return words_of(self.content)


def _as_ending(statement: Statement) -> Statement:
    """What is denied in words of its own ends whatever memory says so, in whichever slot.

    So does what is said against an order: who is bored of "Kind regards" asks for nothing by it.
    """
    if (
        (statement.free or statement.slot in INSTRUCTIONS)
        and not statement.holds
        and statement.action == "record"
        and not _is_relative(statement)
    ):
        return replace(statement, slot=ANY, action="end")
    return statement


def _is_relative(statement: Statement) -> bool:
    """Whether it is about somebody who is known only by what they are to the user."""
    return statement.subject.startswith(f"{SPEAKER}/") and statement.action == "record"


def from_turn(
    text: str, *, speaker: str | None = None, said_at: int | None = None, notes: list[str] | None = None
) -> list[Candidate]:
    """What the rules find in the words of a user; of several users, each by name is someone else.

    With the moment it was said, "yesterday" is told as a date.
    """
    return [
        Candidate(
            content=content,
            statement=statement if speaker is None else _named(statement, speaker),
            importance=int(is_lasting(statement.slot)),
            archives=statement.action == "end",
            tags=(statement.kind, *pii_tags(content)),
            rule=statement.rule,
            start=statement.start,
            end=statement.end,
        )
        for statement in map(_as_ending, find_statements(text, speaker=speaker, notes=notes))
        if statement.rule != "starts_at"  # it is not so yet: the ledger knows from when
        if not statement.free or statement.old or statement.action == "end" or _is_relative(statement)
        for content in [render(statement, speaker=speaker, said_at=said_at)]
    ]


def from_text(
    text: str, *, importance: int = 0, tags: Sequence[str] = (), rule: str, archives: bool = False
) -> Candidate:
    """A memory that someone worded: if it makes one statement, it fills that statement's slot."""
    statement = stated(text)
    lasting = statement is not None and is_lasting(statement.slot)
    return Candidate(
        content=text,
        statement=statement,
        importance=max(importance, int(lasting)),
        tags=(*tags, *pii_tags(text)),
        rule=rule,
        archives=archives,
    )


def said_by(candidate: Candidate, speaker: str | None) -> Candidate:
    """The same, where the first person is somebody with a name."""
    if speaker is None or candidate.statement is None:
        return candidate
    return replace(candidate, statement=_named(candidate.statement, speaker))


def stated(text: str) -> Statement | None:
    """The one statement that a text makes; "User likes tea" is said of the speaker."""
    turned, count = _USER.subn(_STAND_IN, text)
    statements = find_statements(turned, free=False)
    if len(statements) != 1:
        return None
    statement = statements[0]
    if count and statement.subject == _STAND_IN:
        return replace(statement, subject=SPEAKER)
    return statement if not count else None


def pii_tags(text: str) -> tuple[str, ...]:
    """The tag, if there is personal data in the text."""
    return (PII,) if find_personal(text) else ()


@lru_cache(maxsize=1024)
def subject_key(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def value_key(value: str) -> str:
    return normal_value(value)


def _named(statement: Statement, speaker: str) -> Statement:
    return replace(statement, subject=speaker) if statement.subject == SPEAKER else statement
