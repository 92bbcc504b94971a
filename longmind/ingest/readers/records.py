"""JSON and JSON Lines: each record, or each top-level entry, as `path: value` lines and as a section."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from longmind.ingest.encoding import Decoded, decode
from longmind.ingest.readers.build import Builder, document
from longmind.ingest.source import Document, Limits, Source

_DEEPEST = 24
_LONGEST_KEY = 100  # characters of a key in a path: paths repeat on every line
_Entry = tuple[str, Iterable[str], bool]  # its title, its lines, whether it could be parsed
_LINES = frozenset({"application/jsonl", "application/x-ndjson", "application/x-jsonlines"})


class RecordsReader:
    name = "records"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type == "application/json" or source.media_type in _LINES

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        if source.media_type in _LINES:
            return self._write(_records(decoded.text), decoded, source)
        try:
            value = json.loads(decoded.text)
        except (ValueError, RecursionError) as error:
            why = "nested too deeply" if isinstance(error, RecursionError) else "not valid JSON"
            return document(
                decoded.text,
                source,
                decoded=decoded,
                limits=self._limits,
                warnings=[f"Kept as plain text: {why}."],
            )
        return self._write(_entries(value), decoded, source)

    def _write(self, entries: Iterable[_Entry], decoded: Decoded, source: Source) -> Document:
        builder = Builder(self._limits)
        broken = total = 0
        for title, lines, sound in entries:
            total += 1
            broken += not sound
            if builder.length:
                builder.write("\n")
            builder.begin(title, kind="row")
            for line in lines:
                builder.write(line + "\n")
        warnings = [*decoded.warnings]
        if broken:
            warnings.append(f"{broken} lines are not valid JSON and were kept as text.")
        return builder.finish(
            source, metadata={"entries": total, "encoding": decoded.encoding}, warnings=warnings
        )


def _records(text: str) -> Iterator[_Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield f"row {number}", [line.strip()], False
        else:
            yield f"row {number}", _flat("", value), True


def _entries(value: Any) -> Iterator[_Entry]:
    if isinstance(value, list):
        for number, item in enumerate(value, 1):
            yield f"row {number}", _flat("", item), True
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key, _flat(_key(key), item), True
    else:
        yield "value", _flat("", value), True


def _flat(path: str, value: Any, depth: int = 0) -> Iterator[str]:
    """One line for each scalar; lists of scalars on one line; what is very deep stays JSON."""
    if depth < _DEEPEST and isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flat(f"{path}.{_key(key)}" if path else _key(key), item, depth + 1)
    elif (
        depth < _DEEPEST and isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
    ):
        for index, item in enumerate(value):
            yield from _flat(f"{path}[{index}]", item, depth + 1)
    else:
        text = (
            ", ".join(map(_scalar, value)) if isinstance(value, list) and depth < _DEEPEST else _scalar(value)
        )
        yield f"{path}: {text}" if path else text


def _key(key: str) -> str:
    return re.sub(r"\s+", " ", key[:_LONGEST_KEY])


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return re.sub(r"[^\S\n]+", " ", value).strip()
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply)"
