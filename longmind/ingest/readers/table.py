"""Tables (CSV, TSV): each row as `column: value` lines and as a section of its own."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from longmind.ingest.encoding import Decoded, decode
from longmind.ingest.readers.build import Builder, document
from longmind.ingest.source import Document, Limits, Source

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+]?[\d.,]+%?$")
_MOST_COLUMNS = 1000


class TableReader:
    name = "table"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in {"text/csv", "text/tab-separated-values"}

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        tabs = source.media_type == "text/tab-separated-values"
        delimiter = "\t" if tabs else _delimiter(decoded.text)
        try:
            return self._rows(decoded, source, delimiter)
        except csv.Error as error:
            return document(
                decoded.text,
                source,
                decoded=decoded,
                limits=self._limits,
                warnings=[f"Not a regular table ({error}): kept as plain text."],
            )

    def _rows(self, decoded: Decoded, source: Source, delimiter: str) -> Document:
        rows = csv.reader(_lines(decoded.text), delimiter=delimiter)
        first = next((row for row in rows if any(cell.strip() for cell in row)), [])
        names = first if _is_header(first) else []
        builder = Builder(self._limits)
        number = 0
        for row in _chain([] if names else first, rows):
            lines = list(_cells(names, row))
            if not lines:
                continue
            number += 1
            if builder.length:
                builder.write("\n")
            builder.begin(f"row {number}", kind="row")
            builder.write("\n".join(lines) + "\n")
        columns = [name.strip() for name in names[:_MOST_COLUMNS]]
        return builder.finish(
            source,
            metadata={"columns": columns, "rows": number, "encoding": decoded.encoding},
            warnings=decoded.warnings,
        )


def _lines(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def _chain(first: list[str], rows: Iterator[list[str]]) -> Iterator[list[str]]:
    if first:
        yield first
    yield from rows


def _cells(names: list[str], row: list[str]) -> Iterator[str]:
    for index, cell in enumerate(row[:_MOST_COLUMNS]):
        value = re.sub(r"\s+", " ", cell).strip()
        if value:
            name = names[index].strip() if index < len(names) else ""
            yield f"{name or f'column {index + 1}'}: {value}"
    if len(row) > _MOST_COLUMNS:
        yield "more: " + re.sub(r"\s+", " ", " ".join(row[_MOST_COLUMNS:])).strip()


def _delimiter(text: str) -> str:
    """The one that the first lines agree on most: same count on each, and not none."""
    lines = [line for line in text[:65536].split("\n")[:20] if line.strip()]
    if not lines:
        return ","
    counts = {mark: [line.count(mark) for line in lines] for mark in _DELIMITERS}
    return max(
        _DELIMITERS, key=lambda mark: (min(counts[mark]) > 0, sum(counts[mark]), -_DELIMITERS.index(mark))
    )


def _is_header(row: list[str]) -> bool:
    """Names: all there, all different, none a number."""
    names = [cell.strip() for cell in row]
    return (
        bool(names)
        and all(names)
        and len({name.lower() for name in names}) == len(names)
        and not any(_NUMBER.match(name) for name in names)
    )
