"""The arguments of an operation as a key allows them: only its spaces, only its user, no files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from longmind.access.grants import Denied, Grant, check_user
from longmind.access.rules import (
    EVERY_USER,
    SECOND_SPACE,
    SETTINGS,
    is_store_wide,
    role_for,
    space_argument,
    takes_receipt,
)
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.names import canonical_space
from longmind.base.parameters import Mark
from longmind.operations.operation import Operation
from longmind.operations.values import ANY_SPACE
from longmind.spaces.values import LinkList, SpaceList
from longmind.store.audit import AuditPage

_ALL_IN_RECEIPT: Final = "all"
_GLOBAL: Final = "global"
_BATCHES: Final = ("items", "facts", "turns", "object")
"""Arguments with objects in them, each of which may name a space, a user or a scope of its own."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """Arguments that may be passed on, and the spaces they name."""

    inputs: dict[str, Any]
    spaces: tuple[str, ...]


def admit(grant: Grant, operation: Operation, inputs: Mapping[str, Any], *, home: str) -> Admitted:
    """The arguments with space and user filled in; `Denied` if they reach beyond the key.

    `home` is the server's own space, which is meant where neither the request nor the key says another.
    """
    role = role_for(operation, inputs)
    if not grant.may(role):
        raise Denied(
            "role",
            f"This key may {grant.role}; {operation.name} needs the role {role}.",
            hint="Use a key with that role.",
        )
    if grant.is_everywhere:
        return Admitted(dict(inputs), tuple(_named(operation, inputs, home)))
    if is_store_wide(operation):
        raise Denied(
            "space",
            f"{operation.name} is about the whole store, and this key is not.",
            hint="Use a key for all spaces and any user.",
        )
    admitted = dict(inputs)
    _check_files(operation, admitted)
    spaces = _confine_spaces(grant, operation, admitted, home)
    if admitted.get(SECOND_SPACE) is not None:
        admitted[SECOND_SPACE] = check_space(grant, admitted[SECOND_SPACE])
    if takes_receipt(operation):
        spaces = _check_receipt(grant, admitted.get("receipt"))
    _check_batches(grant, admitted)
    if operation.effect != "read":
        _check_scope(admitted)
    _confine_user(grant, operation, admitted)
    return Admitted(admitted, spaces)


def visible_part(grant: Grant, operation: Operation, answer: Any) -> Any:
    """An answer without the spaces and the users that are not the key's."""
    if operation.name == "space.list" and isinstance(answer, SpaceList) and not grant.is_everywhere:
        return replace(answer, spaces=tuple(item for item in answer.spaces if grant.covers(item.name)))
    if isinstance(answer, LinkList) and not grant.is_everywhere:
        return replace(answer, links=tuple(link for link in answer.links if grant.covers(link.space)))
    if isinstance(answer, AuditPage) and not grant.any_user and grant.user is None:
        # Entries about users say who they are. A page may be shorter for it, and still have a next one.
        return replace(answer, entries=tuple(entry for entry in answer.entries if not entry.users))
    return answer


def check_space(grant: Grant, name: Any) -> str:
    """The canonical name of a space of the key's own."""
    space = canonical_space(name)
    if not grant.covers(space):
        raise _foreign()
    return space


def home_of(grant: Grant, home: str) -> str:
    """The space that is meant where none is named."""
    if grant.home is not None:
        return grant.home
    if not grant.covers(home):
        raise Denied(
            "space", "This key has several spaces, and none was named.", hint="Name one of them as space."
        )
    return home


def _confine_spaces(grant: Grant, operation: Operation, inputs: dict[str, Any], home: str) -> tuple[str, ...]:
    argument = space_argument(operation)
    if argument is None:
        return ()
    named = inputs.get(argument)
    if isinstance(named, str):
        inputs[argument] = check_space(grant, named)
        return (inputs[argument],)
    several = _takes_several(operation, argument)
    names = list(named) if isinstance(named, list) else []
    if ANY_SPACE in names:
        names = list(_every_own(grant))
    spaces = [check_space(grant, name) for name in names] or [home_of(grant, home)]
    inputs[argument] = spaces if several else spaces[0]
    return tuple(spaces)


def _takes_several(operation: Operation, argument: str) -> bool:
    kind = next(item.type for item in operation.parameters if item.name == argument)
    return "list[str]" in str(kind)


def _every_own(grant: Grant) -> Iterable[str]:
    """What '*' means for a key: all of its own spaces."""
    if grant.names is None:
        raise Denied(
            "space", "'*' is not offered to this key.", hint="Name the spaces you want to read as space."
        )
    return grant.names


def _check_receipt(grant: Grant, receipt: Any) -> tuple[str, ...]:
    """A receipt says itself which spaces it is made from, and anybody can write one."""
    try:
        request = parse_json(receipt)["request"]
        named = [request[name] for name in ("spaces", "space", "repo") if name in request]
        user = request.get("user")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InvalidInput(
            "This is not a receipt.", hint="Pass the receipt that recall or a brief returned, unchanged."
        ) from None
    names = [name for value in named for name in (value if isinstance(value, list) else [value])]
    if not names or any(not isinstance(name, str) or name == _ALL_IN_RECEIPT for name in names):
        raise _foreign()
    if user is not None:
        _check_own_user(grant, user)
    return tuple(check_space(grant, name) for name in names)


def _check_batches(grant: Grant, inputs: Mapping[str, Any]) -> None:
    for name in _BATCHES:
        value = inputs.get(name)
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, Mapping):
                continue
            for argument in ("space", "repo"):
                if item.get(argument) is not None:
                    check_space(grant, item[argument])
            if item.get("user") is not None:
                _check_own_user(grant, item["user"])
            _check_scope(item)


def _check_scope(inputs: Mapping[str, Any]) -> None:
    if inputs.get("scope") == _GLOBAL:
        raise Denied(
            "space",
            "What is global is seen from every space, and this key is not for all of them.",
            hint="Leave out scope, or use a key for all spaces and any user.",
        )


def _check_files(operation: Operation, inputs: Mapping[str, Any]) -> None:
    """A file of the server may be an export or a backup, with other spaces in it."""
    for item in operation.parameters:
        if Mark.FILE in item.marks and inputs.get(item.name) is not None:
            raise Denied(
                "files",
                f"{item.name}: files of the server are not offered to this key.",
                hint="Send the text itself, or use a key for all spaces and any user.",
            )


def _confine_user(grant: Grant, operation: Operation, inputs: dict[str, Any]) -> None:
    """A key for a user acts as that user; a key for none sees only the shared part of its spaces."""
    if operation.name in EVERY_USER and not grant.any_user:
        raise Denied("user", "This key may not see who the users are.", hint="Use a key for any user.")
    if any(item.name == "user" for item in operation.parameters):
        if inputs.get("user") is not None:
            _check_own_user(grant, inputs["user"])
        if grant.user is not None:
            inputs["user"] = grant.user
    elif grant.user is not None and operation.effect != "read" and operation.name not in SETTINGS:
        raise Denied(
            "user",
            f"{operation.name} writes for everybody in the space, and this key is for one user.",
            hint="Use a key without a user.",
        )


def _check_own_user(grant: Grant, user: Any) -> None:
    if grant.any_user:
        return
    if not isinstance(user, str) or check_user(user) != grant.user:
        raise Denied("user", "This key is not for that user.", hint="Leave out user, or use another key.")


def _named(operation: Operation, inputs: Mapping[str, Any], home: str) -> Iterator[str]:
    """The spaces that the arguments name, for counting; a name that is not valid is refused later."""
    argument = space_argument(operation)
    if argument is None:
        return
    value = inputs.get(argument)
    for name in [value] if isinstance(value, str) else value or [home]:
        try:
            yield canonical_space(name)
        except InvalidInput:
            continue


def _foreign() -> Denied:
    # The same words whether the space exists or not.
    return Denied("space", "This key is not for that space.", hint="Use one of its own spaces.")
