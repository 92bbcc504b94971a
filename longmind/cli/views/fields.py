"""Any answer, for people: where no view was written for it, its fields as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longmind.cli.output import Block, Table, one_line
from longmind.operations.values import plain


def blocks(answer: Any) -> Iterator[Block]:
    """Fields as a table of two columns, lists of records as tables of their own."""
    value = plain(answer)
    if not isinstance(value, Mapping):
        yield from (
            _listed("", value) if isinstance(value, Sequence) and not isinstance(value, str) else [str(value)]
        )
        return
    simple = [(name, _cell(item)) for name, item in value.items() if not _is_table(item)]
    if simple:
        yield Table(("field", "value"), simple)
    for name, item in value.items():
        if _is_table(item):
            yield ""
            yield from _listed(name.replace("_", " "), item)


def _is_table(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(row, Mapping) for row in item)


def _listed(title: str, items: Sequence[Any]) -> Iterator[Block]:
    if not items:
        yield "Nothing was found."
    elif all(isinstance(row, Mapping) for row in items):
        names = [name for name in items[0] if any(row.get(name) not in (None, [], {}, "") for row in items)]
        rows = [[_cell(row.get(name)) for name in names] for row in items]
        yield Table(tuple(name.replace("_", " ") for name in names), rows, title or None)
    else:
        yield from (_cell(item) for item in items)


def _cell(item: Any) -> str:
    if item is None:
        return ""
    if isinstance(item, str):
        return one_line(item)
    if isinstance(item, list) and all(isinstance(part, str | int | float) for part in item):
        return ", ".join(map(str, item))
    return one_line(json.dumps(item, ensure_ascii=False))
