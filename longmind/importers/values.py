"""Values of other programs as ours: texts and labels that can be stored, times, fields kept as they were."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from longmind.base.checks import cut_label, is_number
from longmind.base.errors import InvalidInput
from longmind.base.times import from_ms, to_ms
from longmind.ingest.encoding import clean

_DEEPEST: Final = 32
_MOST_KEPT: Final = 256 * 1024
"""Bytes of unknown fields that are kept with one frame; its metadata holds four times as much."""
_MILLISECONDS: Final = 1e11
"""Numbers above it are milliseconds: as seconds they would lie beyond the year 5000."""
_MICROSECONDS: Final = 1e14


def text_of(value: object) -> str:
    """A text that can be stored; empty for what is not a text."""
    return clean(value)[0] if isinstance(value, str) else ""


def label_of(value: object) -> str | None:
    """A short text in one line; None if there is nothing in it."""
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else text_of(value)
    return cut_label(" ".join(text.split())) or None


def list_of(value: object) -> list[Any]:
    """A list; none for what is not one, as in a file that was damaged or written by hand."""
    return list(value) if isinstance(value, list | tuple) else []


def tags_of(value: object) -> tuple[str, ...]:
    """Tags from a list, or from a text with commas."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    labels = (label_of(part) for part in parts)
    return tuple(dict.fromkeys(label.lstrip("#") for label in labels if label and label.lstrip("#")))[:200]


def moment(value: object) -> int | None:
    """Unix milliseconds of an ISO 8601 text or a unix time; None where it is neither.

    A text without a zone is UTC, as the tools whose files are read write it.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        try:
            number = float(text)
        except ValueError:
            return _from_text(text)
        return moment(number)
    if is_number(value):
        scale = 1000 if abs(value) < _MILLISECONDS else 1 if abs(value) < _MICROSECONDS else 0.001
        return _in_calendar(round(value * scale))
    return None


def _from_text(text: str) -> int | None:
    try:
        parsed = datetime.fromisoformat(text)
        return to_ms(parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC))
    except (ValueError, OverflowError, InvalidInput):
        return None


def _in_calendar(milliseconds: int) -> int | None:
    try:
        from_ms(milliseconds)
    except InvalidInput:
        return None
    return milliseconds


def unknown_fields(record: Mapping[str, Any], known_names: Collection[str]) -> dict[str, Any]:
    """The fields of a record that its importer has no place for; empty ones are not worth keeping."""
    rest = {
        key: value
        for key, value in record.items()
        if key not in known_names and value not in (None, "", [], {})
    }
    return kept(rest)


def kept(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as metadata can hold them. What is too much of it is named, with its size."""
    result: dict[str, Any] = {}
    room = _MOST_KEPT
    for key, value in fields.items():
        name = label_of(key)
        if name is None or name in result:
            continue
        plain = _plain(value, 0)
        size = len(json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")) + len(name.encode())
        result[name] = plain if size <= room else f"(left out: {size} bytes)"
        room -= min(size, room)
    return result


def _plain(value: object, depth: int) -> Any:
    if depth > _DEEPEST:
        return "(nested too deeply)"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)[:4000] if abs(value) < 10**4000 else "(too large)"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, Mapping):
        return {text_of(str(key)): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in value]
    return f"({type(value).__name__})"
