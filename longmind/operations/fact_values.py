"""Facts as JSON writes them, read into what the ledger takes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.times import from_ms
from longmind.facts.values import OPEN, Entity, Evidence, Open, Value
from longmind.operations import values

_OPEN: Final = "open"


def value(raw: Any, name: str = "value") -> Value:
    """The value of a fact; the ledger checks the rest."""
    if not isinstance(raw, Mapping):
        simple: Value = raw
        return simple
    form, inner = next(iter(raw.items())) if len(raw) == 1 else (None, None)
    if form == "entity" and isinstance(inner, str):
        return Entity(inner)
    if form == "datetime" and isinstance(inner, str | int):
        moment = values.moment(inner, name)
        assert moment is not None
        return from_ms(moment)
    if form == "bytes" and isinstance(inner, str):
        try:
            return base64.b64decode(inner, validate=True)
        except binascii.Error:
            raise InvalidInput(
                "The bytes of the value are not valid base64.",
                hint='Encode them with the standard alphabet, as in {"base64": "aGk="}.',
            ) from None
    raise InvalidInput(
        f"{raw!r} is not a valid value of a fact.",
        hint='An object is {"entity": KEY}, {"datetime": TIME} or {"bytes": BASE64}.',
    )


def qualifiers(raw: Mapping[str, Any], name: str = "qualifiers") -> dict[str, Value]:
    if not isinstance(raw, Mapping):
        raise InvalidInput(
            f"{name} must be an object of keys with values.", hint='Write it as {"key": "value"}.'
        )
    return {key: value(item) for key, item in raw.items()}


def evidence(raw: Iterable[int | Mapping[str, Any]], name: str = "evidence") -> list[Evidence | int]:
    if not isinstance(raw, list | tuple):
        raise InvalidInput(f"{name} must be a list.", hint="Write [12] for frame 12.")
    return [_piece(item) if isinstance(item, Mapping) else item for item in raw]


def until(raw: str | int | None, name: str = "valid_to") -> int | Open | None:
    return OPEN if raw == _OPEN else values.moment(raw, name)


def assertions(items: Iterable[Mapping[str, Any]], name: str) -> list[dict[str, Any]]:
    """Several facts, each with the arguments of `facts.record`."""
    return [_assertion(item) for item in items]


def _assertion(item: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise InvalidInput(
            "A fact is an object with subject, predicate and value.",
            hint='Write it as {"subject": "ana", "predicate": "lives_in", "value": "Porto"}.',
        )
    return {
        name: _READ[name](raw, name) if name in _READ else raw
        for name, raw in item.items()
        if raw is not None
    }


_READ: Final[Mapping[str, Callable[[Any, str], Any]]] = {
    "value": value,
    "qualifiers": qualifiers,
    "evidence": evidence,
    "valid_from": values.moment,
    "valid_to": until,
    "expires_at": values.moment,
}


def _piece(item: Mapping[str, Any]) -> Evidence:
    try:
        return Evidence(**item)
    except TypeError:
        raise InvalidInput(
            f"{dict(item)!r} is not valid evidence.",
            hint="It has frame, start, end, chunk, extractor, version, confidence, asserted_at.",
        ) from None
