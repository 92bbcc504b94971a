"""What small tables say, kept from one transaction of this process to the next.

The rules of a space, a setting, whether anything was ever merged or rolled back: every write asks, and hardly
any write changes it. What is kept counts while the end of the audit log, a hash over all that was ever
written, is the one that the last commit here has left, and for as long as no commit has touched its table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any, Final, TypeVar

_MOST: Final = 1000
"""Answers of one table; beyond it they are asked for anew."""

T = TypeVar("T")
End = tuple[Any, ...]
"""Number and hash of the last entry of the audit log."""


class Kept:
    """The answers of one open store; used by whoever writes."""

    def __init__(self) -> None:
        self._end: End = ()
        self._answers: dict[str, dict[Hashable, Any]] = {}
        """By table."""

    def answer(self, end: End, table: str, question: Hashable, read: Callable[[], T]) -> T:
        """What a table says in the state that has this end; it is read if that is not known."""
        if end != self._end:
            self._answers, self._end = {}, end
        answers = self._answers.get(table)
        if answers is None:
            answers = self._answers[table] = {}
        if question not in answers:
            if len(answers) >= _MOST:
                answers.clear()
            answers[question] = read()
        answer: T = answers[question]
        return answer

    def last(self, table: str, question: Hashable, missing: T) -> tuple[End, Any | T]:
        """What a table said in the last state that is known here, with the end of that; or `missing`.

        Others may have written since: whoever goes by it compares the end when a transaction has begun.
        """
        end, answers = self._end, self._answers.get(table, {})
        return end, answers.get(question, missing)

    def all_of(self, end: End, table: str) -> Mapping[Hashable, Any]:
        """All that is known of a table in the state that has this end, by question."""
        return self._answers.get(table, {}) if end == self._end else {}

    def committed(
        self,
        before: End,
        after: End,
        touched: Collection[str],
        left: Mapping[str, Mapping[Hashable, Any]],
    ) -> None:
        """Go on with what a commit has left as it was, and with what it says of tables that it changed."""
        if before == self._end:
            for table in touched:
                self._answers.pop(table, None)
            self._answers.update((table, dict(answers)) for table, answers in left.items())
            self._end = after
