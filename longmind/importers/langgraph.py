"""The stores of LangGraph: a file of SqliteStore, or a database of PostgresStore."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, ClassVar, Final

from longmind.importers.databases import Database, is_sqlite, postgres_rows, sqlite_rows
from longmind.importers.files import Files
from longmind.importers.items import item_fields
from longmind.importers.records import Batch, Importer, Item, Options, text_hash
from longmind.importers.values import kept, moment, text_of, unknown_fields
from longmind.ingest.report import Skip

_COLUMNS: Final = ("prefix", "key", "value", "created_at", "updated_at", "expires_at", "ttl_minutes")


class LangGraphImporter:
    name: ClassVar[str] = "langgraph"
    about: ClassVar[str] = "A file of LangGraph's SqliteStore, or postgresql://… of its PostgresStore."

    def read(self, files: Files, options: Options) -> Iterator[Batch | Skip]:
        if isinstance(files, Database):
            yield from _items(postgres_rows(files.address, "store", _COLUMNS, ("prefix", "key")))
            return
        read = False
        for name in files.names():
            path = files.local(name)
            if path is None or not is_sqlite(files, name):
                yield Skip(name, "unknown_file", "it is not a SQLite database")
                continue
            with sqlite_rows(path) as tables:
                if tables.has("store"):
                    read = True
                    yield from _items(tables.rows("store", _COLUMNS, "prefix, key"))
                else:
                    yield Skip(name, "unknown_file", "the database has no table store")
        if not read:
            yield Skip(str(files.path), "nothing_found", "there is no store of LangGraph in it")


def _items(rows: Iterable[Mapping[str, Any]]) -> Iterator[Batch | Skip]:
    for row in rows:
        prefix, key = text_of(row["prefix"]), text_of(row["key"])
        where = f"{prefix}/{key}"
        try:
            raw = row["value"]
            value = json.loads(raw) if isinstance(raw, str | bytes) else raw
        except (ValueError, RecursionError):
            yield Skip(where, "invalid_json", "its value is not valid JSON")
            continue
        if not isinstance(value, Mapping):
            yield Skip(where, "unknown_value", "its value is not an object")
            continue
        # LangGraph allows no '.' in a part of a namespace, so that this is not ambiguous.
        namespace = tuple(prefix.split(".")) if prefix else ()
        fields = item_fields(namespace, key, kept(value))
        updated = _moment(row["updated_at"])
        expires = _moment(row["expires_at"])
        if expires is not None:
            fields["metadata"]["expires_at"] = expires
            fields["metadata"]["ttl_minutes"] = row["ttl_minutes"]
        fields["metadata"]["created_at"] = _moment(row["created_at"])
        item = Item(
            f"{where}:{text_hash(json.dumps(value, sort_keys=True, default=str))[:32]}",
            replaces=True,
            occurred_at=updated,
            unknown=unknown_fields(row, _COLUMNS),
            **fields,
        )
        yield Batch(where, (item,))


def _moment(value: object) -> int | None:
    return moment(value.isoformat()) if isinstance(value, datetime) else moment(value)


IMPORTERS: Final[Mapping[str, Importer]] = {"langgraph": LangGraphImporter()}
