"""What a rule found, by positions in the string: a statement before they become bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from longmind.extract.clauses import Clause

Subject: TypeAlias = str | tuple[int, int]
"""A name known beforehand, or where in the text the name stands."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """`value`, `clause` and `when` are ranges of the text."""

    subject: Subject
    slot: str
    value: tuple[int, int]
    clause: tuple[int, int]
    rule: str
    polarity: bool = True
    ended: bool = False
    when: tuple[int, int] | None = None


def clause_range(masked: str, clause: Clause) -> tuple[int, int]:
    """The clause without what only separates it from the next."""
    end = clause.end
    while end > clause.start and masked[end - 1] in " ,;:-\n":
        end -= 1
    return clause.start, end
