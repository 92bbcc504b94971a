"""Regular expressions that are compiled when first used, so that importing the rules costs nothing."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern; its methods become the pattern's own at the first call."""

    __slots__ = ("_flags", "_source", "findall", "finditer", "fullmatch", "match", "search", "split", "sub")

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Reached only while the slots are empty: filling them makes every later call direct.
        compiled = re.compile(self._source, self._flags)
        for method in ("finditer", "findall", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` would give, later."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
