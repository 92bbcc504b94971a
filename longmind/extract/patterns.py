"""Regular expressions that are compiled when first used, so that importing the rules costs nothing."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final, cast

_METHODS: Final = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub")


class _Lazy:
    """Stands for a compiled pattern; its methods become the pattern's own at the first call.

    They are plain attributes, and not found by `__getattr__`: a class that has it is read slowly for good.
    """

    __slots__ = ("_flags", "_source", *_METHODS)

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags
        for method in _METHODS:
            setattr(self, method, partial(_first_call, self, method))


def _first_call(lazy: _Lazy, called: str, *arguments: Any, **named: Any) -> Any:
    compiled = re.compile(lazy._source, lazy._flags)
    for method in _METHODS:
        setattr(lazy, method, getattr(compiled, method))
    return getattr(compiled, called)(*arguments, **named)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` would give, later."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


def source_of(shape: re.Pattern[str]) -> tuple[str, int]:
    """What a pattern was made of, without compiling it."""
    if isinstance(shape, _Lazy):
        return shape._source, shape._flags
    return shape.pattern, shape.flags
