"""Everything that is wrong with a request, reported at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from longmind.base.errors import InvalidInput, NotFound

Value = TypeVar("Value")


class Validation:
    """Collects the errors of one request; `raise_if_any` refuses it."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._wrong: list[str] = []
        self._missing: list[str] = []

    def __len__(self) -> int:
        return len(self._wrong) + len(self._missing)

    def add(self, error: str) -> None:
        self._wrong.append(f"{self._prefix}{error}")

    def missing(self, error: str) -> None:
        """The request names something that does not exist."""
        self._missing.append(f"{self._prefix}{error}")

    def check(self, test: Callable[..., Value], *arguments: Any, **named: Any) -> Value | None:
        """The result of the test, or None and one more error if it refuses its arguments."""
        try:
            return test(*arguments, **named)
        except InvalidInput as error:
            self.add(str(error))
            return None

    def extend(self, other: Validation) -> None:
        self._wrong += other._wrong
        self._missing += other._missing

    def raise_if_any(self) -> None:
        """`NotFound` if the only errors are things that do not exist, else `InvalidInput`."""
        if self._wrong:
            raise InvalidInput(_joined([*self._wrong, *self._missing]))
        if self._missing:
            raise NotFound(
                _joined(self._missing), hint="It may be forgotten, erased, or of another repository."
            )


def _joined(errors: list[str]) -> str:
    distinct = list(dict.fromkeys(errors))
    if len(distinct) == 1:
        return distinct[0]
    return f"{len(distinct)} problems: " + " ".join(
        f"({number}) {text}" for number, text in enumerate(distinct, 1)
    )
