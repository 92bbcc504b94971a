"""A whole store as rows: written to JSON Lines, read back, or copied to another store of either engine.

The order of tables and rows is fixed, so one state is one sequence of bytes, whichever engine holds it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from recollect.base.errors import Conflict, Corrupt, InvalidInput, Unsupported
from recollect.base.hashing import checksum
from recollect.store.engine import Dialect, Row, Rows, Value
from recollect.store.store import Store

CANONICAL: Final = (
    "store_clock",
    "store_counter",
    "store_setting",
    "erasure",
    "frame",
    "frame_text",
    "frame_tag",
    "frame_meta",
    "frame_key",
    "fact_entity",
    "fact_alias",
    "fact_predicate",
    "fact",
    "fact_span",
    "fact_evidence",
    "fact_premise",
    "ingest_source",
    "conversation_memory",
    "conversation_version",
    "conversation_state",
    "conversation_link",
    "conversation_run",
    "conversation_decision",
    "conversation_tombstone",
    "conversation_outcome",
    "llm_call",
    "experience_evidence",
    "experience_record_evidence",
    "experience_record",
    "experience_attempt",
    "experience_fact_update",
    "experience_vote",
    "experience_archive",
    "experience_revision",
    "space_record",
    "space_object",
    "space_audit",
    "space_spending",
)
"""What cannot be made anew, each table after those it refers to."""

DERIVED: Final = (
    "text_doc",
    "text_posting",
    "frame_vector",
    "frame_token",
    "surrogate",
    "conversation_current",
    "conversation_word",
    "space_words",
)
"""What `reindex` makes of the rest."""

PASSING: Final = ("erasure_pending", "store_lease", "store_erasing")
"""What concerns only who has the store open."""

DERIVED_SETTINGS: Final = ("text.", "vectors.")
"""How the names of settings begin that speak of derived rows."""

OWN_SETTINGS: Final = ("schema_hash",)
"""Settings that speak of the file itself, and stay with it."""

_KIND: Final = "recollect-export"
_PAGE: Final = 2000
_LATE: Final = ("retired_at", "superseded_by")
"""Columns of a frame that may name one written after it: they are filled in when all are there."""


@dataclass(frozen=True, slots=True)
class Moved:
    """How many rows of each table were moved."""

    rows: Mapping[str, int]

    @property
    def frames(self) -> int:
        return self.rows.get("frame", 0)


def export_lines(store: Store, *, derived: bool) -> Iterator[str]:
    """The store as lines: a heading, one line a row, and an end with the hash of all before it."""
    digest = hashlib.sha256()
    count = 0
    with store.read() as snapshot:
        heading = {"kind": _KIND, "format": store.engine.format(), "derived": derived}
        for line in _lines(snapshot.rows, store.engine.dialect, heading, derived):
            digest.update(line.encode())
            count += 1
            yield line
    yield _json({"end": {"rows": count - 1, "sha256": digest.hexdigest()}})


def import_lines(store: Store, lines: Iterable[str]) -> Moved:
    """Fill an empty store; anything missing, changed or out of place is refused, and nothing is written."""
    counts: dict[str, int] = {}
    with store.write() as tx:
        _require_empty(tx.rows, store)
        filling = _Filling(tx.rows, store.engine.dialect)
        rows = iter(_checked(lines, store.engine.format()))
        derived = next(rows)[1][0]
        filling.clear(settings=bool(derived))
        while batch := list(islice(rows, _PAGE)):
            for table, row in batch:
                filling.add(table, row)
                counts[table] = counts.get(table, 0) + 1
        filling.finish()
    return Moved(counts)


def copy_rows(source: Store, target: Store) -> Moved:
    """Everything of one store, derived rows too, into an empty one."""
    counts: dict[str, int] = {}
    with source.read() as snapshot, target.write() as tx:
        _require_empty(tx.rows, target)
        filling = _Filling(tx.rows, target.engine.dialect)
        filling.clear(settings=True)
        for table in (*CANONICAL, *DERIVED):
            names = _columns(snapshot.rows, source.engine.dialect, table)
            for row in _rows(snapshot.rows, table, names):
                if table == "store_setting" and _stays(row[0], derived=True):
                    continue
                filling.add(table, dict(zip(names, row, strict=True)))
                counts[table] = counts.get(table, 0) + 1
        filling.finish()
    return Moved(counts)


def settle_clock(store: Store, revision: int) -> None:
    """After derived rows were made for an imported store: let it be of the revision that was imported."""
    with store.write() as tx:
        tx.rows.run(
            "UPDATE store_clock SET last_system = ?, checksum = ? WHERE one = 1",
            (revision, checksum("clock", revision)),
        )
        for (name,) in tx.rows.all("SELECT name FROM store_setting WHERE name LIKE '%.rebuilt'"):
            tx.rows.run(
                "UPDATE store_setting SET value = ?, checksum = ? WHERE name = ?",
                (str(revision), checksum(name, str(revision)), name),
            )


class _Filling:
    """Writes rows into an empty store in batches, table after table."""

    def __init__(self, rows: Rows, dialect: Dialect) -> None:
        self._rows = rows
        self._dialect = dialect
        self._table = ""
        self._names: list[str] = []
        self._batch: list[list[Value]] = []
        self._late: list[list[Value]] = []

    def clear(self, *, settings: bool) -> None:
        """Take out what a new store has of its own; settings of derived rows only with those rows."""
        self._rows.run("DELETE FROM store_clock")
        self._rows.run("DELETE FROM store_counter")
        kept = [*OWN_SETTINGS, *(() if settings else (f"{start}%" for start in DERIVED_SETTINGS))]
        unlike = " AND ".join("name NOT LIKE ?" for _ in kept)
        self._rows.run(f"DELETE FROM store_setting WHERE {unlike}", kept)

    def add(self, table: str, row: Mapping[str, Value]) -> None:
        if table != self._table:
            self._flush()
            if self._table == "frame":
                self._fill_in()
            self._table = table
            self._names = _columns(self._rows, self._dialect, table)
        if set(row) != set(self._names):
            unlike = sorted(set(row) ^ set(self._names))
            raise InvalidInput(f"A row of {table} has other columns: {', '.join(unlike)}.")
        values = [row[name] for name in self._names]
        if table == "frame" and row["retired_at"] is not None:
            self._late.append([row["retired_at"], row["superseded_by"], row["frame_id"]])
            values = [None if name in _LATE else row[name] for name in self._names]
        self._batch.append(values)
        if len(self._batch) >= _PAGE:
            self._flush()

    def finish(self) -> None:
        self._flush()
        if self._table == "frame":
            self._fill_in()

    def _flush(self) -> None:
        if self._batch:
            places = ", ".join("?" for _ in self._names)
            self._rows.many(
                f"INSERT INTO {self._table} ({', '.join(self._names)}) VALUES ({places})", self._batch
            )
            self._batch = []

    def _fill_in(self) -> None:
        self._rows.many("UPDATE frame SET retired_at = ?, superseded_by = ? WHERE frame_id = ?", self._late)
        self._late = []


def _lines(rows: Rows, dialect: Dialect, heading: Mapping[str, Any], derived: bool) -> Iterator[str]:
    yield _json(heading)
    for table in (*CANONICAL, *DERIVED) if derived else CANONICAL:
        names = _columns(rows, dialect, table)
        for row in _rows(rows, table, names):
            if table == "store_setting" and _stays(row[0], derived):
                continue
            yield _json({table: {name: _written(item) for name, item in zip(names, row, strict=True)}})


def _stays(name: str, derived: bool) -> bool:
    """Whether a setting is not moved."""
    return name in OWN_SETTINGS or (not derived and name.startswith(DERIVED_SETTINGS))


def _checked(lines: Iterable[str], known: int) -> Iterator[tuple[str, Any]]:
    """The heading's facts, then tables with rows; ends only where the hash says that all was there."""
    digest = hashlib.sha256()
    order = {table: place for place, table in enumerate((*CANONICAL, *DERIVED))}
    count = -1
    last = 0
    for number, line in enumerate(lines, 1):
        entry = _parsed(line, number)
        if number == 1:
            yield "", (_heading(entry, known),)
        elif "end" in entry:
            _check_end(entry["end"], count, digest.hexdigest())
            return
        else:
            [(table, row)] = entry.items() if len(entry) == 1 else [("", None)]
            if table not in order or not isinstance(row, dict):
                raise InvalidInput(f"Line {number} is no row of an export.")
            if order[table] < last:
                raise InvalidInput(f"Line {number}: {table} is out of order.")
            last = order[table]
            yield table, {name: _read(item, number) for name, item in row.items()}
        digest.update(line.encode() if line.endswith("\n") else f"{line}\n".encode())
        count += 1
    raise InvalidInput("The export is cut off: its last line is missing.", hint="Export it again.")


def _heading(entry: Mapping[str, Any], known: int) -> bool:
    if entry.get("kind") != _KIND:
        raise InvalidInput("This is no export of a store.", hint="Write one with: recollect export FILE")
    if entry.get("format") != known:
        raise Unsupported(
            f"The export is of format {entry.get('format')}, this version reads {known}.",
            hint="Export it with the same version of Recollect.",
        )
    return bool(entry.get("derived"))


def _check_end(end: Any, count: int, digest: str) -> None:
    if not isinstance(end, dict) or end.get("rows") != count or end.get("sha256") != digest:
        raise Corrupt(
            "The export was changed or lacks lines: its hash does not fit.", hint="Export it again."
        )


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        raise InvalidInput(f"Line {number} is no JSON.", hint="Is this file an export?") from None
    if not isinstance(entry, dict):
        raise InvalidInput(f"Line {number} is no row of an export.")
    return entry


def _require_empty(rows: Rows, store: Store) -> None:
    for table in ("frame", "fact", "space_record", "erasure"):
        if rows.one(f"SELECT 1 FROM {table} LIMIT 1") is not None:
            raise Conflict(
                f"{store.engine.location} is not empty.", hint="Name a store that does not exist yet."
            )


def _rows(rows: Rows, table: str, names: Sequence[str]) -> Iterator[Row]:
    """All rows in the order of their columns, read a page at a time; no page splits equal first columns."""
    first = names[0]
    order = ", ".join(f"{name} NULLS FIRST" for name in names)
    listed = ", ".join(names)
    after: Value = None
    while True:
        beyond = "" if after is None else f" WHERE {first} > ?"
        given = () if after is None else (after,)
        page = f"SELECT {first} AS place FROM {table}{beyond} ORDER BY {first} LIMIT {_PAGE}"
        bound = rows.one(f"SELECT max(place) FROM ({page}) AS page", given)
        if bound is None or bound[0] is None:
            return
        until = f"{beyond} AND {first} <= ?" if beyond else f" WHERE {first} <= ?"
        yield from rows.all(f"SELECT {listed} FROM {table}{until} ORDER BY {order}", (*given, bound[0]))
        after = bound[0]


def _columns(rows: Rows, dialect: Dialect, table: str) -> list[str]:
    return [str(name) for (name,) in rows.all(dialect.columns, (table,))]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _written(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"base64": base64.b64encode(bytes(value)).decode()}
    return value


def _read(value: Any, number: int) -> Value:
    if isinstance(value, dict):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (KeyError, ValueError, TypeError):
            raise InvalidInput(f"Line {number} holds a value that no export has.") from None
    if isinstance(value, list | bool):
        raise InvalidInput(f"Line {number} holds a value that no export has.")
    return value  # type: ignore[no-any-return]
