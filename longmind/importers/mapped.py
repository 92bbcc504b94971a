"""Any JSON Lines or CSV: a mapping says which field is which."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from typing import Any, ClassVar, Final

from longmind.base.errors import InvalidInput
from longmind.importers.files import Files
from longmind.importers.records import Batch, Importer, Item, Options, text_hash
from longmind.importers.values import label_of, moment, tags_of, text_of, unknown_fields
from longmind.ingest.report import Skip

FIELDS: Final = (
    "id",
    "text",
    "title",
    "kind",
    "session",
    "role",
    "speaker",
    "uri",
    "tags",
    "occurred_at",
    "user",
)
"""What a field of the source can be mapped to."""
_MOST_CELL: Final = 16 * 2**20


class JsonLinesImporter:
    name: ClassVar[str] = "jsonl"
    about: ClassVar[str] = "Any JSON Lines, or a JSON list of objects, with a mapping of its fields."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        mapping = check_mapping(options.mapping)
        for name in files.names(".jsonl", ".ndjson", ".json") if files.is_folder else files.names():
            listed = files.entries(name) if files.is_list(name) else files.lines(name)
            for number, record in listed:
                if isinstance(record, Skip):
                    yield record
                elif not isinstance(record, Mapping):
                    yield Skip(f"{name}:{number}", "unknown_entry", "it is not an object")
                else:
                    yield _row(record, mapping, f"{name}:{number}")


class CsvImporter:
    name: ClassVar[str] = "csv"
    about: ClassVar[str] = "Any CSV with a header, with a mapping of its columns."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        mapping = check_mapping(options.mapping)
        for name in files.names(".csv", ".tsv") if files.is_folder else files.names():
            with files.open(name) as file:
                text = TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
                head = text.readline()
                comma = max(",;\t", key=head.count)
                columns = next(csv.reader([head], delimiter=comma), [])
                try:
                    for number, cells in enumerate(_rows(csv.reader(text, delimiter=comma)), 2):
                        if not any(cells):
                            continue
                        record = dict(zip(columns, cells, strict=False))
                        yield _row(record, mapping, f"{name}:{number}")
                except csv.Error as error:
                    yield Skip(name, "invalid_csv", f"{error}; the rest of the file was not read")
                finally:
                    text.detach()


def _rows(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Its rows. The limit of a cell belongs to the whole process, so it is raised only while one is read."""
    while True:
        before = csv.field_size_limit(_MOST_CELL)
        try:
            cells = next(reader, None)
        finally:
            csv.field_size_limit(before)
        if cells is None:
            return
        yield cells


def check_mapping(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Which field of the source each of ours is: a name, or {"value": …} for the same in every row."""
    for name, source in mapping.items():
        if name not in FIELDS and name != "metadata":
            raise InvalidInput(
                f"The mapping names {name!r}, which is not a field.",
                hint=f"Fields: {', '.join(FIELDS)}.",
            )
        fixed = isinstance(source, Mapping) and set(source) == {"value"}
        many = isinstance(source, list) and all(isinstance(part, str) for part in source)
        if not (isinstance(source, str) or fixed or many):
            raise InvalidInput(
                f"The mapping of {name!r} is {source!r}.",
                hint='Give the name of a field, a list of names, or {"value": …}.',
            )
    return {**{name: name for name in FIELDS}, **mapping}


def _row(record: Mapping[str, Any], mapping: Mapping[str, Any], where: str) -> Batch | Skip:
    values = {name: _value(record, source) for name, source in mapping.items()}
    text = values["text"]
    text = (
        text_of(text)
        if isinstance(text, str)
        else ""
        if text is None
        else json.dumps(text, ensure_ascii=False)
    )
    if not text.strip():
        return Skip(where, "no_text", f"the field {_shown(mapping['text'])} is empty or missing")
    used = {part for source in mapping.values() for part in _names(source)}
    whole = json.dumps(record, sort_keys=True, default=str)
    item = Item(
        label_of(values["id"]) or f"row:{text_hash(whole)}",
        text,
        kind=label_of(values["kind"]) or "text",
        title=label_of(values["title"]),
        session=label_of(values["session"]),
        role=label_of(values["role"]),
        speaker=label_of(values["speaker"]),
        uri=label_of(values["uri"]),
        tags=tags_of(values["tags"]),
        occurred_at=moment(values["occurred_at"]),
        unknown=unknown_fields({key: value for key, value in record.items() if isinstance(key, str)}, used),
    )
    return Batch(where, (item,), user=label_of(values["user"]))


def _value(record: Mapping[str, Any], source: Any) -> Any:
    if isinstance(source, Mapping):
        return source["value"]
    if isinstance(source, list):
        parts = [text_of(part) for part in (_field(record, name) for name in source) if part]
        return "\n\n".join(part for part in parts if part) or None
    return _field(record, source)


def _field(record: Mapping[str, Any], path: str) -> Any:
    """A field, or one inside of another, written with dots."""
    if path in record:
        return record[path]
    value: Any = record
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _names(source: Any) -> list[str]:
    return [] if isinstance(source, Mapping) else source if isinstance(source, list) else [source]


def _shown(source: Any) -> str:
    return " or ".join(repr(name) for name in _names(source)) or "text"


IMPORTERS: Final[Mapping[str, Importer]] = {"jsonl": JsonLinesImporter(), "csv": CsvImporter()}
