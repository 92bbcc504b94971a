"""A whole store as rows: written to JSON Lines, read back, or copied to another store of either engine.

The order of tables and rows is fixed, so one state is one sequence of bytes, whichever engine holds it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from longmind.base.checks import check_text
from longmind.base.errors import Conflict, Corrupt, Forbidden, InvalidInput, NotFound, Unsupported
from longmind.base.hashing import checksum
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_file, put_in_place, writing
from longmind.base.paths import check_path
from longmind.base.secret import Secret
from longmind.base.store_files import StoreFile, check_target, in_family, open_user_file
from longmind.store.encrypted_stream import MAGIC, EncryptedReader, EncryptedWriter
from longmind.store.engine import Connection, Dialect, Value
from longmind.store.files import fold_log
from longmind.store.scan import PAGE, columns, rows_in_order
from longmind.store.store import Store
from longmind.store.tables import (
    CANONICAL,
    DERIVED,
    DERIVED_SETTINGS,
    IMPORTED,
    LOG,
    OWN_SETTINGS,
    is_sealed,
    put_setting,
)
from longmind.store.transaction import Transaction, read_clock

KIND: Final = "longmind-export"
_KINDS: Final = (KIND, "recollect-export")
"""How exports are headed: as they are written, and as they were before the product had its name."""
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
        heading = {"kind": KIND, "format": store.engine.format(), "derived": derived}
        for line in _lines(snapshot.db, store.engine.dialect, heading, derived):
            digest.update(line.encode())
            count += 1
            yield line
    yield json_line({"end": {"rows": count - 1, "sha256": digest.hexdigest()}})


def import_lines(store: Store, lines: Iterable[str]) -> Moved:
    """Fill an empty store; anything missing, changed or out of place is refused, and nothing is written.

    One transaction writes the rows, makes what the parts derive of them, and notes which export it was. So a
    killed import is absent or whole, but for vectors: they take too long for a transaction, `finish_import`
    makes them, and until then every search says how many there are. The same import again finds the note,
    and goes on from there.
    """
    counts: dict[str, int] = {}
    with store.write() as tx:
        reader = LineReader(lines, store.engine.format())
        if not is_empty(tx.db):
            return _repeated(tx.db, store, reader.check())
        filling = Filling(tx.db, store.engine.dialect)
        rows = iter(reader)
        derived = next(rows)[1][0]
        filling.clear(settings=bool(derived))
        while batch := list(islice(rows, PAGE)):
            for table, row in batch:
                if not is_sealed(table, row):
                    raise row_changed(table)
                filling.add(table, row)
                counts[table] = counts.get(table, 0) + 1
        filling.finish()
        if not any(counts.get(table) for table in DERIVED):
            for part in store.parts:
                part.derive(tx)
        tx.log_was_replaced = True
        _note_import(tx.db, reader.digest, counts)
    return Moved(counts)


def copy_rows(source: Store, target: Store) -> Moved:
    """Everything of one store, derived rows too, into an empty one, in one transaction."""
    counts: dict[str, int] = {}
    with source.read() as snapshot, target.write() as tx:
        name = f"copy of {source.setting(snapshot.db, 'store_id')} at {snapshot.revision}"
        if not is_empty(tx.db):
            return _repeated(tx.db, target, name)
        filling = Filling(tx.db, target.engine.dialect)
        filling.clear(settings=True)
        for table in (*CANONICAL, *DERIVED):
            names = columns(snapshot.db, source.engine.dialect, table)
            for row in rows_in_order(snapshot.db, table, names):
                if table == "store_setting" and _stays(row[0], derived=True):
                    continue
                filling.add(table, dict(zip(names, row, strict=True)))
                counts[table] = counts.get(table, 0) + 1
        filling.finish()
        tx.log_was_replaced = True
        _note_import(tx.db, name, counts)
    return Moved(counts)


def finish_import(store: Store) -> None:
    """Make what the import left to be made, and let the store be of the revision that was imported.

    Each transaction notes the clock it leaves: only while nobody else has written is the clock set back.
    """
    with store.read() as snapshot:
        noted = _noted(snapshot.db)
        if noted is None or noted["clock"] != snapshot.revision:
            return

    def follow(tx: Transaction) -> None:
        now = _noted(tx.db)
        if now is not None and now["clock"] == tx.before:
            put_setting(tx.db, IMPORTED, json.dumps({**now, "clock": tx.system}))

    for part in store.parts:
        part.fill(store, follow)
    while _settle_vectors(store):
        pass
    with store.write() as tx:
        noted = _noted(tx.db)
        if noted is None or noted["clock"] != tx.before or noted["clock"] == noted["revision"]:
            return
        revision = noted["revision"]
        tx.db.run(
            "UPDATE store_clock SET last_system = ?, checksum = ? WHERE one = 1",
            (revision, checksum("clock", revision)),
        )
        for (name,) in tx.db.all("SELECT name FROM store_setting WHERE name LIKE '%.rebuilt'"):
            put_setting(tx.db, str(name), str(revision))
        put_setting(tx.db, IMPORTED, json.dumps({**noted, "clock": revision}))


def _settle_vectors(store: Store) -> int:
    """Let some vectors be of the revision that was imported, too.

    With a time after the clock's they would be loaded again, as new, after the next write.
    """
    with store.write() as tx:
        noted = _noted(tx.db)
        if noted is None or noted["clock"] != tx.before:
            return 0
        late = f"SELECT frame_id FROM frame_vector WHERE written_at > ? LIMIT {PAGE}"
        return tx.db.run(
            f"UPDATE frame_vector SET written_at = ? WHERE frame_id IN ({late})",
            (noted["revision"], noted["revision"]),
        )


def _note_import(db: Connection, source: str, counts: Mapping[str, int]) -> None:
    revision = read_clock(db)
    noted = {"source": source, "revision": revision, "clock": revision, "rows": dict(counts)}
    put_setting(db, IMPORTED, json.dumps(noted))


def _noted(db: Connection) -> dict[str, Any] | None:
    row = db.one("SELECT value, checksum FROM store_setting WHERE name = ?", (IMPORTED,))
    if row is None or row[1] != checksum(IMPORTED, row[0]):
        return None
    note: dict[str, Any] = json.loads(row[0])
    return note


def _repeated(db: Connection, store: Store, source: str) -> Moved:
    """The answer to an import that was done before and whose answer may not have arrived."""
    noted = _noted(db)
    if noted is None or noted["source"] != source:
        raise Conflict(f"{store.engine.location} is not empty.", hint="Name a store that does not exist yet.")
    if noted["clock"] != read_clock(db):
        raise Conflict(
            f"{store.engine.location} was filled from this already, and has been written to since.",
            hint="Nothing is missing; to import it once more, name a store that does not exist yet.",
        )
    return Moved(noted["rows"])


class Filling:
    """Writes rows into an empty store in batches, table after table."""

    def __init__(self, db: Connection, dialect: Dialect) -> None:
        self._rows = db
        self._dialect = dialect
        self._table = ""
        self._names: list[str] = []
        self._batch: list[list[Value]] = []
        self._late: list[list[Value]] = []

    def clear(self, *, settings: bool) -> None:
        """Take out what a new store has of its own; settings of derived rows only with those rows."""
        self._rows.run("DELETE FROM store_clock")
        self._rows.run("DELETE FROM store_counter")
        for table in LOG:
            self._rows.run(f"DELETE FROM {table}")
        patterns = [*OWN_SETTINGS, *(() if settings else (f"{start}%" for start in DERIVED_SETTINGS))]
        unlike = " AND ".join("name NOT LIKE ?" for _ in patterns)
        self._rows.run(f"DELETE FROM store_setting WHERE {unlike}", patterns)

    def add(self, table: str, row: Mapping[str, Value]) -> None:
        if table != self._table:
            self._flush()
            if self._table == "frame":
                self._fill_in()
            self._table = table
            self._names = columns(self._rows, self._dialect, table)
        if set(row) != set(self._names):
            unlike = sorted(set(row) ^ set(self._names))
            raise InvalidInput(
                f"A row of {table} has other columns: {', '.join(unlike)}.",
                hint="Export it again with the version that reads it.",
            )
        values = [row[name] for name in self._names]
        if table == "frame" and row["retired_at"] is not None:
            self._late.append([row["retired_at"], row["superseded_by"], row["frame_id"]])
            values = [None if name in _LATE else row[name] for name in self._names]
        self._batch.append(values)
        if len(self._batch) >= PAGE:
            self._flush()

    def finish(self) -> None:
        self._flush()
        if self._table == "frame":
            self._fill_in()

    def _flush(self) -> None:
        if self._batch:
            placeholders = ", ".join("?" for _ in self._names)
            self._rows.many(
                f"INSERT INTO {self._table} ({', '.join(self._names)}) VALUES ({placeholders})", self._batch
            )
            self._batch = []

    def _fill_in(self) -> None:
        self._rows.many("UPDATE frame SET retired_at = ?, superseded_by = ? WHERE frame_id = ?", self._late)
        self._late = []


def _lines(db: Connection, dialect: Dialect, heading: Mapping[str, Any], derived: bool) -> Iterator[str]:
    yield json_line(heading)
    for table in (*CANONICAL, *DERIVED) if derived else CANONICAL:
        names = columns(db, dialect, table)
        for row in rows_in_order(db, table, names):
            if table == "store_setting" and _stays(row[0], derived):
                continue
            yield json_line({table: {name: written(item) for name, item in zip(names, row, strict=True)}})


def _stays(name: str, derived: bool) -> bool:
    """Whether a setting is not moved."""
    return name in OWN_SETTINGS or (not derived and name.startswith(DERIVED_SETTINGS))


class LineReader:
    """The heading's facts, then tables with rows; ends only where the hash says that all was there."""

    def __init__(self, lines: Iterable[str], own_format: int) -> None:
        self._lines = lines
        self._known = own_format
        self.heading: dict[str, Any] = {}
        """The first line, once it was read."""
        self.digest = ""
        """The hash over all rows, once they were read."""

    def check(self) -> str:
        """Read all of it, and give the hash."""
        for _ in self:
            pass
        return self.digest

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        digest = hashlib.sha256()
        order = {table: position for position, table in enumerate((*CANONICAL, *DERIVED))}
        count = -1
        last = 0
        for number, line in enumerate(self._lines, 1):
            entry = _parsed(line, number)
            if number == 1:
                self.heading = entry
                yield "", (_heading(entry, self._known),)
            elif "end" in entry:
                _check_end(entry["end"], count, digest.hexdigest())
                self.digest = digest.hexdigest()
                return
            else:
                [(table, row)] = entry.items() if len(entry) == 1 else [("", None)]
                if table not in order or not isinstance(row, dict):
                    raise InvalidInput(
                        f"Line {number} is not a row of an export.",
                        hint="Export the store again: longmind export.",
                    )
                if order[table] < last:
                    raise InvalidInput(
                        f"Line {number}: {table} is out of order.",
                        hint="Export the store again: longmind export.",
                    )
                last = order[table]
                yield table, {name: _read(item, number) for name, item in row.items()}
            digest.update(line.encode() if line.endswith("\n") else f"{line}\n".encode())
            count += 1
        raise InvalidInput("The export is cut off: its last line is missing.", hint="Export it again.")


def _heading(entry: Mapping[str, Any], supported: int) -> bool:
    if entry.get("kind") not in _KINDS:
        raise InvalidInput("This is not the export of a store.", hint="Write one with: longmind export FILE")
    if entry.get("format") != supported:
        raise Unsupported(
            f"The export is of format {entry.get('format')}, this version reads {supported}.",
            hint="Export it with the same version of Longmind.",
        )
    return bool(entry.get("derived"))


def _check_end(end: Any, count: int, digest: str) -> None:
    if not isinstance(end, dict) or end.get("rows") != count or end.get("sha256") != digest:
        raise Corrupt(
            "The export was changed or lacks lines: its hash does not fit.", hint="Export it again."
        )


def _parsed(line: str, number: int) -> dict[str, Any]:
    try:
        entry = parse_json(line)
    except ValueError:
        raise InvalidInput(f"Line {number} is not JSON.", hint="Is this file an export?") from None
    if not isinstance(entry, dict):
        raise InvalidInput(
            f"Line {number} is not a row of an export.", hint="Export the store again: longmind export."
        )
    return entry


def row_changed(table: str) -> Corrupt:
    """Found before anything is made of a row: what parts derive may come after the commit."""
    return Corrupt(f"A row of {table} was changed: its checksum does not fit.", hint="Export it again.")


def is_empty(db: Connection) -> bool:
    tables = ("frame", "fact", "space_record", "erasure")
    return all(db.one(f"SELECT 1 FROM {table} LIMIT 1") is None for table in tables)


def json_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def written(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return {"base64": base64.b64encode(bytes(value)).decode()}
    return value


def _read(value: Any, number: int) -> Value:
    if isinstance(value, dict):
        try:
            return base64.b64decode(value["base64"], validate=True)
        except (KeyError, ValueError, TypeError):
            raise InvalidInput(
                f"Line {number} holds a value that no export has.",
                hint="Export the store again: longmind export.",
            ) from None
    is_wide = isinstance(value, int) and not -(2**63) <= value < 2**63
    if is_wide or isinstance(value, list | bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise InvalidInput(f"Line {number} holds a value that no export has.", hint="Export it again.")
    return value if not isinstance(value, str) else check_text(value, f"Line {number}", empty=True)


# Files of lines


def write_lines(
    path: str | os.PathLike[str], lines: Iterable[str], *, overwrite: bool, secret: Secret | None = None
) -> int:
    """Write beside the file and put it in place when all of it is there; return the bytes written."""
    target = Path(check_path(path))
    check_target(target)
    replaces = target.exists()
    if replaces and not overwrite:
        raise Conflict(f"{target} exists.", hint="Choose another path, or overwrite it: --overwrite.")
    if in_family(target.name):
        raise StoreFile(
            f"{target} is a name for a store, and an export is text.",
            hint="Name it *.jsonl. For a copy that opens as a store: longmind backup.",
        )
    if replaces:
        fold_log(target)  # refuses a store that is in use
    with partial_file(target) as partial:
        with writing(target), partial.open("wb") as file:
            stream = file if secret is None else EncryptedWriter(file, secret)
            for line in lines:
                stream.write(line.encode())
            if isinstance(stream, EncryptedWriter):
                stream.finish()
            size = file.tell()
        if target.exists():
            fold_log(target)  # again: it may have been opened since
        put_in_place(partial, target)
    return size


@contextmanager
def read_lines(path: str | os.PathLike[str], *, secret: Secret | None = None) -> Iterator[Iterator[str]]:
    """The lines of a file, each with its end; `secret` is for one that is encrypted."""
    source = Path(check_path(path))
    if not source.exists():
        raise NotFound(f"{path} does not exist.", hint="Check the path.")
    if not source.is_file() or not os.access(source, os.R_OK):
        raise Forbidden(f"{path} cannot be read.", hint="Check that it is a file that you may read.")
    with open_user_file(source) as raw, _text(raw, str(path), secret) as file:
        try:
            yield iter(file)
        except UnicodeDecodeError as error:
            raise InvalidInput(
                f"{path} is not text: byte {error.start} cannot be read.",
                hint="Name a file that longmind export wrote.",
            ) from None


def _text(raw: io.BufferedReader, name: str, secret: Secret | None) -> io.TextIOWrapper:
    if not raw.peek(len(MAGIC)).startswith(MAGIC):
        return io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    if secret is None:
        raise Forbidden(
            f"{name} is encrypted, and no key was given.",
            hint="Give the key of the store that was exported: key=… in Python, or LONGMIND_KEY.",
        )
    decrypted = io.BufferedReader(EncryptedReader(raw, secret, name))
    return io.TextIOWrapper(decrypted, encoding="utf-8", newline="\n")
