"""All that is kept of one person as JSON Lines, and back: from every table, and of nobody else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from longmind.base.errors import Conflict, InvalidInput, NotFound
from longmind.base.filters import SpaceLike
from longmind.base.json_text import parse_json
from longmind.base.names import ALL
from longmind.base.partitions import Partition, check_user, split_partition
from longmind.store.engine import Connection, Dialect
from longmind.store.erasure import note_change
from longmind.store.frames import checked_text, load_rows
from longmind.store.partition_rows import OF_THE_STORE, PLACES, count_rows, each_row, users_parts
from longmind.store.scan import columns
from longmind.store.store import Store
from longmind.store.tables import DERIVED, batched, is_sealed
from longmind.store.transaction import Transaction
from longmind.store.transfer import (
    KIND,
    Filling,
    LineReader,
    Moved,
    is_empty,
    json_line,
    row_changed,
    written,
)
from longmind.store.visible import among

_FILLED_IN = ("vectors",)
"""Parts whose derived rows are too costly to make anew after an import: only what is missing is made."""


def person_lines(store: Store, user: str, spaces: SpaceLike = ALL) -> Iterator[str]:
    """One person's rows as lines: a heading, one line a row, and an end with the hash of all before it.

    Neither the store's keys nor its settings are among them: a person may be given this file.
    """
    name = check_user(user)
    digest = hashlib.sha256()
    count = 0
    with store.read() as snapshot:
        db, dialect = snapshot.db, store.engine.dialect
        parts = _existing(db, name, spaces)
        heading = {
            "kind": KIND,
            "format": store.engine.format(),
            "derived": False,
            "user": name,
            "spaces": sorted({split_partition(part)[0] for part in parts}),
            "store": store.setting(db, "store_id"),
            "revision": snapshot.revision,
            "counters": {str(row[0]): int(row[1]) for row in _counters(db)},
        }
        rows = each_row(db, parts, lambda table: columns(db, dialect, table))
        for line in chain(
            [json_line(heading)],
            (json_line({table: {key: written(item) for key, item in row.items()}}) for table, row in rows),
        ):
            digest.update(line.encode())
            count += 1
            yield line
    yield json_line({"end": {"rows": count - 1, "sha256": digest.hexdigest()}})


def is_of_person(heading: str) -> bool:
    """Whether the first line of an export says that it is one person's."""
    try:
        entry = parse_json(heading)
    except ValueError:
        return False
    return isinstance(entry, dict) and "user" in entry


def import_person(store: Store, lines: Iterable[str], *, begin: Callable[[Transaction, str], None]) -> Moved:
    """Put a person's rows back: into an empty store, or into the one they were exported from.

    Only there are the numbers that rows refer to each other by still free. The store must have nothing of
    the person in these spaces: two histories of one person cannot be told apart afterwards. `begin` makes
    the record of a project space that is not there yet.
    """
    counts: dict[str, int] = {}
    changed: set[str] = set()
    reader = LineReader(lines, store.engine.format())
    rows = iter(reader)
    next(rows)
    heading = _checked(reader.heading)
    allowed = {Partition(f"{space}@{heading['user']}") for space in heading["spaces"]}
    with store.write() as tx:
        _check_target(tx.db, store, heading)
        latest = _LATEST if is_empty(tx.db) else max(tx.now, tx.before) + _AHEAD
        if heading["revision"] > latest:
            # The clock of a store never goes back, so that a file must not put it into the far future.
            raise InvalidInput(
                "The export says that it was made in the future.", hint="Check the clock of this machine."
            )
        tx.not_before(heading["revision"])
        assert tx.system
        filling = Filling(tx.db, store.engine.dialect)
        for table, row in rows:
            _check_row(table, row, allowed)
            if not is_sealed(table, row):
                changed.add(table)
            filling.add(table, row)
            counts[table] = counts.get(table, 0) + 1
        filling.finish()
        _raise_counters(tx, heading["counters"])
        _check_placed(tx.db, counts, sorted(allowed))
        if changed:  # said after what is not the person's, which is the worse of the two
            raise row_changed(min(changed))
        _check_texts(tx.db, store.engine.dialect, allowed)
        for (part,) in tx.db.all("SELECT DISTINCT space FROM space_object"):
            begin(tx, str(part))
        note_change(tx)  # rows between those that are there: whatever is in memory is read again
    for part in store.parts:
        if part.name in _FILLED_IN:
            part.fill(store, lambda tx: None)
        else:
            part.rebuild(store)
    return Moved(counts)


_AHEAD: Final = 86_400_000
"""Milliseconds that a clock may have been ahead of ours when the export was made."""
_LATEST: Final = 253_402_300_799_999
"""The last millisecond of the year 9999. A new store takes the clock of what it is filled from."""


def _existing(db: Connection, user: str, spaces: SpaceLike) -> list[Partition]:
    parts = users_parts(db, user, spaces)
    if not parts:
        raise NotFound(f"Nothing is kept of user {user!r}.", hint="users() lists the users with stored data.")
    return parts


def _counters(db: Connection) -> list[Any]:
    return db.all("SELECT name, value FROM store_counter ORDER BY name")


def _checked(heading: Mapping[str, Any]) -> dict[str, Any]:
    """What an import goes by; a file from elsewhere may say anything."""
    shapes = {"user": str, "spaces": list, "store": str, "revision": int, "counters": dict}
    fit = all(isinstance(heading.get(name), shape) for name, shape in shapes.items())
    if not fit or not all(isinstance(space, str) and "@" not in space for space in heading["spaces"]):
        raise InvalidInput(
            "This is not the export of a person.", hint="Write one with: longmind export --user."
        )
    return {**heading, "user": check_user(heading["user"])}


def _check_target(db: Connection, store: Store, heading: Mapping[str, Any]) -> None:
    user = heading["user"]
    if users_parts(db, user, heading["spaces"] or ALL):
        raise Conflict(
            f"There is something of user {user!r} here already.",
            hint="Import it into a new store, or erase the user first.",
        )
    if not is_empty(db) and heading["store"] != store.setting(db, "store_id"):
        raise Conflict(
            f"{store.engine.location} is neither empty nor the store that this was exported from.",
            hint="Name a store that does not exist yet.",
        )


def _check_row(table: str, row: Mapping[str, Any], allowed: set[Partition]) -> None:
    """Nothing gets in but rows of the person: a file that says otherwise was not written by us."""
    spaces = [row[column] for column in ("space", "ledger", "repo") if column in row]
    if table in OF_THE_STORE or table in DERIVED or table not in PLACES or set(spaces) - allowed:
        raise InvalidInput(
            f"The export of a person has a row of {table} that is not theirs.",
            hint="Export the person again: longmind export --user.",
        )


def _check_placed(db: Connection, counts: Mapping[str, int], parts: list[Partition]) -> None:
    """Rows that name no place belong to others that do, and those must be the person's, too."""
    for table, count in counts.items():
        if count_rows(db, table, parts) != count:
            raise InvalidInput(
                f"The export of a person has a row of {table} that is not theirs.",
                hint="Export the person again: longmind export --user.",
            )


def _check_texts(db: Connection, dialect: Dialect, allowed: set[Partition]) -> None:
    """Texts are not part of a row with a checksum, and indexes are made of them after the commit."""
    sql = "SELECT frame_id FROM frame WHERE space = ?"
    frame_ids = [int(row[0]) for part in sorted(allowed) for row in db.all(sql, (part,))]
    for batch in batched(frame_ids):
        for row in load_rows(db, dialect, among("f.frame_id", batch)):
            checked_text(row)


def _raise_counters(tx: Transaction, counters: Mapping[str, Any]) -> None:
    """Numbers that the rows have are not given out again."""
    for name, value in sorted(counters.items()):
        if not isinstance(value, int) or not 0 <= value < 2**62:
            raise InvalidInput("This is not the export of a person.", hint="Export it again.")
        if value > tx.last_number(name):
            tx.allocate(name, value - tx.last_number(name))
