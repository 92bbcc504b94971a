"""A person's part of a space: how a user is named, and how the part is named in the tables.

What one user says is kept apart from what everybody of a space knows, in the way one space is kept apart
from another: the column `space` of a table holds the name of a *partition*. `work` is the part of the space
`work` that all its users share, and `work@ana` is the part of the user `ana`. Names of spaces never hold an
`@`, so the first one ends the space's name, whatever the user is called.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from longmind.base.checks import check_text
from longmind.base.errors import InvalidInput
from longmind.base.names import canonical_space

MAX_USER_BYTES: Final = 256
MARK: Final = "@"
"""Stands between the space and the user in the name of a partition."""


class Partition(str):
    """The name of a partition, already checked.

    A type of its own, so that only our code can name a user's part: as a plain string `work@ana` is refused
    like any other wrong name of a space, and nobody gets into another's part through `space=`.
    """

    __slots__ = ()


def check_user(user: object) -> str:
    """Any string of 1 to 256 bytes, exact but for Unicode's NFC: `ana@example.org`, `auth0|5f7c8e`."""
    text = check_text(user, "user", empty=True)
    name = text if text.isascii() else unicodedata.normalize("NFC", text)
    if not name:
        raise InvalidInput(
            "user is empty.", hint="Name the user, or leave user= out for what all users share."
        )
    size = len(name.encode())
    if size > MAX_USER_BYTES:
        raise InvalidInput(
            f"user has {size} bytes; the most is {MAX_USER_BYTES}.", hint="Give an id or an address instead."
        )
    return name


def partition_name(space: str, user: str | None = None) -> Partition:
    """The name under which a space's shared part, or one user's part of it, is kept."""
    if isinstance(space, Partition) and user is None:
        return space
    if user is not None and not isinstance(user, str):
        raise InvalidInput(f"user must be a string, not {type(user).__name__}.")
    return _partition(canonical_space(space), user)


def split_partition(name: str) -> tuple[str, str | None]:
    """The space and the user of a partition's name; no user for the part that all share."""
    space, mark, user = name.partition(MARK)
    return space, user if mark else None


def parts_seen(partition: str) -> tuple[str, ...]:
    """From where a part of a space is read: with what all share, which comes first, if it is a user's."""
    space, user = split_partition(partition)
    return (space,) if user is None else (space, partition)


@lru_cache(maxsize=32_768)
def _partition(space: str, user: str | None) -> Partition:
    return Partition(space if user is None else f"{space}{MARK}{check_user(user)}")
