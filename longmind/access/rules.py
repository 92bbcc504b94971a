"""What an operation needs of a key: a role, and whether it is about one space or the store as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from longmind.access.grants import Grant, Role
from longmind.operations.operation import Operation

SETTINGS: Final = frozenset({"recipes", "space.backend"})
"""Operations that read what the owner set for the whole store; nothing in them comes from a space."""

STORE_READ: Final = frozenset({"inspect.store", "stats", "verify_erasure"})
"""Reads that tell something of every space, so that only a key for all spaces and users may ask.

`verify_erasure` is one of them because a certificate can be made up, to ask whether a text is anywhere.
"""

SPACE_ADMIN: Final = frozenset(
    {
        "memories.gc",
        "space.audit",
        "space.delete",
        "space.gc",
        "space.import",
        "space.import_text",
        "space.set_policy",
    }
)
"""Upkeep of one space: its rules, its log, and what removes more than one thing."""

EVERY_USER: Final = frozenset({"users"})
"""Operations that tell who the users of a space are; only for keys that may name any of them."""

SPACE_ARGUMENTS: Final = ("space", "repo")
"""Arguments that name spaces, in every operation that has them."""

SECOND_SPACE: Final = "to_space"
"""The argument that names a further space: a key must be for that one, too."""

_OTHER_SPACE_ARGUMENTS: Final[Mapping[str, str]] = {"use_context": "project"}
_RECEIPT: Final = "receipt"
_ONE_THING: Final[Mapping[str, str]] = {"erase": "frame", "facts.erase": "value"}
"""Erasing one thing is a write; without the argument that says which, everything that matches goes."""


def space_argument(operation: Operation) -> str | None:
    """The argument that names the space or the spaces; None if there is none."""
    named = _OTHER_SPACE_ARGUMENTS.get(operation.name)
    if named is not None:
        return named
    names = {item.name for item in operation.parameters}
    return next((name for name in SPACE_ARGUMENTS if name in names), None)


def takes_receipt(operation: Operation) -> bool:
    return any(item.name == _RECEIPT for item in operation.parameters)


def is_store_wide(operation: Operation) -> bool:
    """Whether it acts on, or tells of, more than the spaces it names.

    An operation is store-wide unless something says otherwise, so that a new one is closed to keys for
    single spaces until somebody has thought about it.
    """
    if operation.name in SETTINGS or operation.name == "space.list":
        return False
    return space_argument(operation) is None and not takes_receipt(operation)


def is_offered(grant: Grant, operation: Operation) -> bool:
    """Whether a key may call it at all, with some arguments."""
    one_thing = dict.fromkeys(_ONE_THING.values(), 0)
    return grant.may(role_for(operation, one_thing)) and (grant.is_everywhere or not is_store_wide(operation))


def role_for(operation: Operation, inputs: Mapping[str, Any]) -> Role:
    """The least role that may do it with these arguments."""
    if is_store_wide(operation):
        return "read" if operation.name in STORE_READ else "admin"
    if operation.name in SPACE_ADMIN:
        return "admin"
    named = _ONE_THING.get(operation.name)
    if named is not None and inputs.get(named) is None:
        return "admin"
    return "read" if operation.effect == "read" else "write"
