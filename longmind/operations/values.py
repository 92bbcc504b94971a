"""Between JSON and Python: moments, views and filters as JSON writes them, results as plain values."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from longmind.base.filters import SpaceLike
from longmind.base.names import ALL
from longmind.base.times import FOREVER, AsOf, format_ms
from longmind.when.arguments import parse_moment

if TYPE_CHECKING:
    from longmind.memory import Memory

ANY_SPACE: Final = "*"
_ATOMS: Final = frozenset({str, int, float, bool, type(None)})
"""What JSON knows as it is. Names of entities and spaces are types of their own, and go the longer way."""


def moment(value: str | int | None, name: str) -> int | None:
    """A time in ISO 8601 or unix milliseconds; a date is its first instant, and UTC where it says no zone."""
    return None if value is None else parse_moment(value, name)


def stamp(value: str | int | None, name: str) -> str | None:
    """A time as RFC 3339, for what takes it written out."""
    instant = moment(value, name)
    return None if instant is None else format_ms(instant)


def as_of(memory: Memory, system: str | int | None, valid: str | int | None = None) -> AsOf:
    """What is known and valid now, or what was at a moment; the valid axis may have a moment of its own."""
    known_at, at = moment(system, "as_of"), moment(valid, "valid_at")
    view = AsOf(system=FOREVER, valid=memory.store.present()) if known_at is None else AsOf.at(known_at)
    return view if at is None else AsOf(system=view.system, valid=at)


def reference(memory: Memory, arguments: Mapping[str, Any]) -> int:
    """The instant from which 'last week' is counted: now, or the moment looked back at."""
    instant = moment(arguments.get("as_of"), "as_of")
    return memory.store.clock.now() if instant is None else instant


def now(memory: Memory, arguments: Mapping[str, Any]) -> int:
    """The reading of the store's clock."""
    return memory.store.clock.now()


def spaces(names: Iterable[str] | None, name: str = "space") -> SpaceLike | None:
    """One space or several; a list with '*' in it means all."""
    listed = list(names or ())
    return ALL if ANY_SPACE in listed else listed or None


def where(
    conditions: Mapping[str, Any] | None = None,
    *,
    kinds: Iterable[str] | None = None,
    sessions: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
) -> dict[str, Any]:
    """One filter from the common conditions and the further ones; times in it may be written out."""
    common = {"kind": kinds, "session": sessions, "tags": tags}
    chosen = {name: value for name, value in (conditions or {}).items() if value is not None}
    for name in ("since", "until"):
        if isinstance(chosen.get(name), str):
            chosen[name] = moment(chosen[name], name)
    chosen.update({name: list(values) for name, values in common.items() if values is not None})
    return chosen


def drafts(items: Iterable[Any], name: str) -> list[Any]:
    """Several texts to remember; times in them may be written out."""
    return [dated(item) if isinstance(item, Mapping) else item for item in items]


def dated(item: Mapping[str, Any]) -> dict[str, Any]:
    """One of several things to keep, with its times read."""
    times = {
        key: moment(item[key], key) for key in ("occurred_at", "expires_at") if isinstance(item.get(key), str)
    }
    return {**item, **times}


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Of a dataclass; kept, because an answer may hold thousands of the same."""
    return tuple(item.name for item in fields(kind)) if is_dataclass(kind) else None


def plain(value: Any) -> Any:
    """A result as what JSON knows, under the names it has in Python; bytes as base64, times as ISO 8601."""
    kind: type = type(value)
    if kind in _ATOMS:
        return value
    names = _field_names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(item) for item in value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, PurePath):
        return str(value)
    return value
