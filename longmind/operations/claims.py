"""Facts as JSON says them, made into what the ledger takes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from longmind.base.errors import InvalidInput
from longmind.operations import values

if TYPE_CHECKING:
    from longmind.facts.values import Evidence, Open, Value

_OPEN = "open"


def value(given: Any) -> Value:
    """What JSON says as the value of a fact; the ledger checks the rest."""
    from longmind.base.times import from_ms
    from longmind.facts.values import Entity

    if not isinstance(given, Mapping):
        plain: Value = given
        return plain
    form, inner = next(iter(given.items())) if len(given) == 1 else (None, None)
    if form == "entity" and isinstance(inner, str):
        return Entity(inner)
    if form == "datetime" and isinstance(inner, str | int):
        moment = values.moment(inner, "value")
        assert moment is not None
        return from_ms(moment)
    if form == "bytes" and isinstance(inner, str):
        try:
            return base64.b64decode(inner, validate=True)
        except binascii.Error:
            raise InvalidInput("The bytes of the value are no base64.") from None
    raise InvalidInput(
        f"{given!r} is no value of a fact.",
        hint='An object is {"entity": KEY}, {"datetime": TIME} or {"bytes": BASE64}.',
    )


def qualifiers(given: Mapping[str, Any] | None) -> dict[str, Value] | None:
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput("qualifiers must be an object of keys with values.")
    return None if given is None else {key: value(item) for key, item in given.items()}


def evidence(given: Iterable[int | Mapping[str, Any]] | None) -> list[Evidence | int]:
    from longmind.facts.values import Evidence

    if given is not None and not isinstance(given, list | tuple):
        raise InvalidInput("evidence must be a list.", hint="Write [12] for frame 12.")
    found: list[Evidence | int] = []
    for item in given or ():
        if isinstance(item, Mapping):
            try:
                found.append(Evidence(**item))
            except TypeError:
                raise InvalidInput(
                    f"{dict(item)!r} is no evidence.",
                    hint="It has frame, start, end, chunk, extractor, version, confidence, asserted_at.",
                ) from None
        else:
            found.append(item)
    return found


def until(given: str | int | None) -> int | Open | None:
    from longmind.facts.values import OPEN

    return OPEN if given == _OPEN else values.moment(given, "valid_to")


def assertion(item: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `facts.record` as the ledger takes them."""
    if not isinstance(item, Mapping):
        raise InvalidInput("A fact is an object with subject, predicate and value.")
    found = {name: given for name, given in item.items() if given is not None}
    for name, read in (("value", value), ("qualifiers", qualifiers), ("evidence", evidence)):
        if name in found:
            found[name] = read(found[name])
    if isinstance(found.get("valid_from"), str):
        found["valid_from"] = values.moment(found["valid_from"], "valid_from")
    if isinstance(found.get("valid_to"), str):
        found["valid_to"] = until(found["valid_to"])
    return found
