"""Canonical names of spaces, and the word for all of them."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final, Literal

from longmind.base.errors import InvalidInput

DEFAULT_SPACE: Final = "default"
_SPACE = re.compile(r"[a-z0-9_-]+(?:/[a-z0-9_-]+)*")
_MOST_CHARACTERS = 200


class _Everything(Enum):
    ALL = "all"

    def __repr__(self) -> str:
        return "ALL"


ALL: Final = _Everything.ALL
"""Given as `space=`, reads every space. Never the default."""

AllSpaces = Literal[_Everything.ALL]


def canonical_space(name: str) -> str:
    """Lower case, white space to `_`; anything else outside `[a-z0-9_-]` and inner slashes is refused."""
    if not isinstance(name, str):
        raise InvalidInput(
            f"A space is named by a string, not {type(name).__name__}.",
            hint="Use lower-case letters, digits, '_', '-' and single slashes.",
        )
    return _canonical(name)


@lru_cache(maxsize=1024)
def _canonical(name: str) -> str:
    canonical = re.sub(r"\s+", "_", name.strip().lower())
    if len(canonical) > _MOST_CHARACTERS:
        raise InvalidInput(
            f"A space's name has at most {_MOST_CHARACTERS} characters.",
            hint="Shorten it; a title can hold the long form.",
        )
    if not _SPACE.fullmatch(canonical):
        raise InvalidInput(
            f"{name!r} is not a valid name for a space.",
            hint="Use letters a to z, digits, '_' and '-', with single slashes inside: 'team/web'.",
        )
    return canonical
