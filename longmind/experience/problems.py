"""Everything that is wrong with a request, said at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from longmind.base.errors import InvalidInput, NotFound

Value = TypeVar("Value")


class Problems:
    """Collects the problems of one request; `settle` refuses it if there is any."""

    def __init__(self, place: str = "") -> None:
        self._place = place
        self._wrong: list[str] = []
        self._missing: list[str] = []

    def __len__(self) -> int:
        return len(self._wrong) + len(self._missing)

    def note(self, problem: str) -> None:
        self._wrong.append(f"{self._place}{problem}")

    def missing(self, problem: str) -> None:
        """A named thing that is not there."""
        self._missing.append(f"{self._place}{problem}")

    def check(self, test: Callable[..., Value], *given: Any, **named: Any) -> Value | None:
        """What the test makes of its arguments; None, and a problem more, where it refuses them."""
        try:
            return test(*given, **named)
        except InvalidInput as error:
            self.note(str(error))
            return None

    def add(self, other: Problems) -> None:
        self._wrong += other._wrong
        self._missing += other._missing

    def settle(self) -> None:
        """Raise for what was found: `NotFound` where no more is wrong than that something is not there."""
        if self._wrong:
            raise InvalidInput(_together([*self._wrong, *self._missing]))
        if self._missing:
            raise NotFound(
                _together(self._missing), hint="It may be forgotten, erased, or of another repository."
            )


def _together(problems: list[str]) -> str:
    distinct = list(dict.fromkeys(problems))
    if len(distinct) == 1:
        return distinct[0]
    return f"{len(distinct)} problems: " + " ".join(
        f"({number}) {text}" for number, text in enumerate(distinct, 1)
    )
