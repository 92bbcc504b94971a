"""A clause as the rules of the table read it, and which capitalised words may be a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from longmind.extract.lexicon import PEOPLE_NOT_NAMED
from longmind.when.mentions import Mention

Person = Literal["i", "we", "my", "named"]


class When:
    """The time that belongs to a clause, looked for when it is first asked for: few clauses come so far."""

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], Mention | None]) -> None:
        self._find: Callable[[], Mention | None] | None = find
        self._found: Mention | None = None

    def __call__(self) -> Mention | None:
        if self._find is not None:
            self._found, self._find = self._find(), None
        return self._found

    def range(self) -> tuple[int, int] | None:
        """The characters that name it."""
        when = self()
        return None if when is None else when[:2]


class Clause(NamedTuple):
    """From `start` to `end`, about the first person or a named one, with its predicate beginning at `after`.

    `name` is the range of a named subject; `when` is a time phrase that belongs to the clause.
    """

    start: int
    end: int
    person: Person
    name: tuple[int, int] | None
    after: int
    when: When


def is_name(name: str) -> bool:
    """Whether a capitalised run of words may be what somebody or something is called."""
    words = name.replace(".", "").split()
    if not words or len(words) > 5:
        return False
    if words[0].lower() in PEOPLE_NOT_NAMED:
        return False
    return all(len(word) > 1 or word.isupper() for word in words) and not (name.isupper() and len(name) > 4)


def clause_range(masked: str, clause: Clause) -> tuple[int, int]:
    """The clause without what only separates it from the next."""
    end = clause.end
    while end > clause.start and masked[end - 1] in " ,;:-\n":
        end -= 1
    return clause.start, end
