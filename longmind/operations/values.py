"""Between JSON and Python: moments, views and filters as they are written down, results as plain values."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.filters import SpaceLike
from longmind.base.names import ALL
from longmind.base.times import FOREVER, AsOf, format_ms
from longmind.operations.operation import Mark
from longmind.when.arguments import parse_moment

if TYPE_CHECKING:
    from longmind.memory import Memory

ANY_SPACE: Final = "*"
_LONGEST_NAME: Final = 255

Space = Annotated[str | None, "The space to write to; the memory's own if it is not given."]
Spaces = Annotated[list[str] | None, "The space to read, or several; '*' for all."]
AsOfMoment = Annotated[str | int | None, "As the memory knew it at that moment, instead of now.", Mark.MOMENT]
ValidAt = Annotated[
    str | int | None, "What was so at that moment, as the memory knows it now or at as_of.", Mark.MOMENT
]
Moment = Annotated[str | int | None, Mark.MOMENT]
Kinds = Annotated[list[str] | None, "Only of this kind, or these."]
Sessions = Annotated[list[str] | None, "Only of this session, or these."]
Tags = Annotated[list[str] | None, "Only with this tag; with all of them, if several."]
Conditions = Annotated[
    dict[str, Any] | None,
    "Further conditions: role, speaker, uri, source, any_tags, since, until, ids, parent, metadata.",
    Mark.PAIRS,
]
Limit = Annotated[int, "At most this many."]
FrameId = Annotated[int, "The id of a frame."]


def moment(value: str | int | None, name: str) -> int | None:
    """A time in ISO 8601 or unix milliseconds; a date is its first instant, and UTC where it says no zone."""
    return None if value is None else parse_moment(value, name)


def path(value: str, name: str) -> str:
    """A path that a file could have; whether one is there is another question."""
    try:
        parts = os.fsencode(value).split(os.sep.encode())
    except UnicodeEncodeError:
        parts = [b"\0"]
    if any(b"\0" in part or len(part) > _LONGEST_NAME for part in parts):
        raise InvalidInput(f"{name}: this is no path.", hint="Check its characters and its length.")
    return value


def stamp(value: str | int | None, name: str) -> str | None:
    """A time as RFC 3339, for what takes it written out."""
    chosen = moment(value, name)
    return None if chosen is None else format_ms(chosen)


def as_of(memory: Memory, value: str | int | None) -> AsOf:
    """What is known and valid now, or what was at the moment given."""
    chosen = moment(value, "as_of")
    return AsOf(system=FOREVER, valid=memory.store.present()) if chosen is None else AsOf.at(chosen)


def both_axes(memory: Memory, system: str | int | None, valid: str | int | None) -> AsOf:
    """As of a moment; what was so at another one, if that is given too."""
    known, at = as_of(memory, system), moment(valid, "valid_at")
    return known if at is None else AsOf(system=known.system, valid=at)


def reference(memory: Memory, value: str | int | None) -> int:
    """The instant from which 'last week' is reckoned: now, or the moment looked back at."""
    chosen = moment(value, "as_of")
    return memory.store.clock.now() if chosen is None else chosen


def spaces(names: Iterable[str] | None) -> SpaceLike | None:
    chosen = list(names or ())
    return ALL if ANY_SPACE in chosen else chosen or None


def where(
    conditions: Mapping[str, Any] | None = None,
    *,
    kinds: Iterable[str] | None = None,
    sessions: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
) -> dict[str, Any]:
    """One filter from the common conditions and the further ones; times in it may be written out."""
    named = {"kind": kinds, "session": sessions, "tags": tags}
    found = {name: value for name, value in (conditions or {}).items() if value is not None}
    for name in ("since", "until"):
        if isinstance(found.get(name), str):
            found[name] = moment(found[name], name)
    found.update({name: list(values) for name, values in named.items() if values is not None})
    return found


def plain(value: Any) -> Any:
    """A result as what JSON knows, under the names it has in Python; bytes as base64, times as ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
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
