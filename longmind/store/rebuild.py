"""A rebuild that may be killed at any moment: made beside the old rows, switched in one commit.

An index that cannot be mended row by row (the text index, vectors of another embedder) is built in
tables of its own, named like those that answer with `_next` behind. Nothing reads them. They are filled
in transactions of bounded size, each of which also notes in `rebuild` how far it has come; none of these
takes a system time, so that for everyone else the store has not changed. One last transaction adds what
was written meanwhile, replaces the old rows by the new ones, and changes the settings that speak of
them. Then the `_next` tables are emptied, again in bounded transactions.

- A kill before the switch leaves the old index as it was, and rows in `_next` that the next rebuild by the
  same rules goes on from. A kill after it leaves rows in `_next` that the next rebuild or `maintain` deletes.
- Who erases a frame takes it out of `_next` as well: foreign keys and the parts' `erased` see to that.
- New frames are not written to `_next`: ids only rise, so they are what comes after `done_to`.
- A second rebuild takes over from the first, which notices at its next transaction and ends with an error.
- `maintain` deletes what a rebuild left whose process is gone (or has not been heard of for an hour, where
  it ran on another machine), and leaves one at work alone.

A rebuild of rows that each follow from one frame alone (surrogates, vectors of the same embedder) needs none
of this: each row is compared with what it should be and replaced where it differs, so none is ever missing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from longmind.base.errors import Conflict, LongmindError
from longmind.base.hashing import checksum
from longmind.base.processes import host_name, is_alive
from longmind.store.engine import Connection, Engine, scalar
from longmind.store.store import Store
from longmind.store.tasks import advance
from longmind.store.transaction import Transaction

_SILENT_MS: Final = 3_600_000
"""A batch takes seconds; who has not finished one in an hour is gone."""

_CLEARED: Final = 5000
"""Rows deleted in one transaction: some megabytes of log."""


@dataclass(slots=True)
class Progress:
    """A rebuild under way: by which rules, and up to which frame it has come."""

    name: str
    rules: str
    detail: str
    done_to: int
    owner: str

    def check(self, tx: Transaction) -> None:
        """Refuse to go on if another rebuild has taken over."""
        progress = read_progress(tx.db, self.name)
        if progress is None or progress.owner != self.owner:
            raise Conflict(
                f"Another process has taken over the rebuild of the {self.name} index.",
                hint="Let it finish; nothing is lost.",
            )

    def advance(self, store: Store, tx: Transaction, done_to: int) -> None:
        """Note in the transaction that wrote the rows how far they reach."""
        sealed = checksum(self.name, self.rules, self.detail, done_to, self.owner)
        tx.db.run(
            f"UPDATE rebuild SET done_to = ?, beat = {store.engine.dialect.wall_ms}, checksum = ? "
            "WHERE name = ?",
            (done_to, sealed, self.name),
        )
        advance(done_to)

    def finish(self, tx: Transaction) -> None:
        """In the transaction that switches: what is in `_next` from now on is waste."""
        tx.db.run("DELETE FROM rebuild WHERE name = ?", (self.name,))


def read_progress(db: Connection, name: str) -> Progress | None:
    """The rebuild under way; one whose row is damaged counts as none, and is begun anew."""
    row = db.one("SELECT name, rules, detail, done_to, owner, checksum FROM rebuild WHERE name = ?", (name,))
    if row is None or checksum(*row[:-1]) != row[-1]:
        return None
    return Progress(*row[:-1])


@contextmanager
def rebuilding(
    store: Store, name: str, rules: str, *, detail: str = "", tables: Sequence[tuple[str, str]] = ()
) -> Iterator[Progress]:
    """Begin a rebuild, or take over one by the same rules where it was left.

    `tables` are those to build in, each with its first key column; what an older rebuild left in them is
    deleted first. An error inside leaves the rebuild to be taken up by the next.
    """
    owner = store.entropy(8).hex()
    while True:
        with store.write(makes_room=True) as tx:
            earlier = read_progress(tx.db, name)
            if earlier is not None and earlier.rules == rules:
                work = Progress(name, rules, earlier.detail, earlier.done_to, owner)
                _own(store, tx, work)
                break
            tx.db.run("DELETE FROM rebuild WHERE name = ?", (name,))
            if not _holds_rows(tx.db, tables):
                work = Progress(name, rules, detail, 0, owner)
                _own(store, tx, work)
                break
        clear(store, name, tables)
    try:
        yield work
    except BaseException:  # also Ctrl-C: the next process should not wait for this one
        # Best effort: where this fails too, the dead process tells the next one the same.
        with suppress(LongmindError), store.write(makes_room=True) as tx:
            progress = read_progress(tx.db, name)
            if progress is not None and progress.owner == owner:
                _own(store, tx, Progress(name, rules, progress.detail, progress.done_to, ""))
        raise


def clear(store: Store, name: str, tables: Sequence[tuple[str, str]]) -> int:
    """Delete what a rebuild left, a bounded number of rows at a time; stops where another has begun."""
    total = 0
    for table, key in tables:
        while True:
            with store.write(makes_room=True) as tx:
                if read_progress(tx.db, name) is not None:
                    return total
                page = f"SELECT {key} AS first FROM {table} ORDER BY {key} LIMIT {_CLEARED}"
                count = tx.db.run(
                    f"DELETE FROM {table} WHERE {key} <= (SELECT max(first) FROM ({page}) AS page)"
                )
                total += count
            if not count:
                break
    return total


def clear_abandoned(store: Store, name: str, tables: Sequence[tuple[str, str]]) -> int:
    """For `maintain`: delete what no living rebuild will use; return how many rows."""
    with store.read() as snapshot:
        if not _holds_rows(snapshot.db, tables) and _owner(snapshot.db, name) is None:
            return 0
        if not is_abandoned(snapshot.db, store.engine, name):
            return 0
    with store.write(makes_room=True) as tx:
        if not is_abandoned(tx.db, store.engine, name):
            return 0
        tx.db.run("DELETE FROM rebuild WHERE name = ?", (name,))
    return clear(store, name, tables)


def is_abandoned(db: Connection, engine: Engine, name: str) -> bool:
    """Whether nobody is at work on it: it ended with an error, or its process is gone."""
    row = _owner(db, name)
    if row is None:
        return True
    owner, host, pid, beat = row
    now = db.one(f"SELECT {engine.dialect.wall_ms}")
    silent = now is not None and int(now[0]) - int(beat) > _SILENT_MS
    return not owner or silent or (host == host_name() and not is_alive(int(pid)))


@dataclass(frozen=True, slots=True)
class Rebuild:
    """A rebuild that some process began and has not finished."""

    name: str
    done_to: int
    beat: int
    """When its process last wrote, by the clock of the machine or the server."""
    abandoned: bool


def unfinished_rebuilds(db: Connection, engine: Engine) -> tuple[Rebuild, ...]:
    """Rebuilds of any process, as far as they are known from the store itself."""
    rows = db.all("SELECT name, done_to, beat FROM rebuild ORDER BY name")
    return tuple(Rebuild(name, done_to, beat, is_abandoned(db, engine, name)) for name, done_to, beat in rows)


def left_over(db: Connection, name: str, table: str) -> str:
    """What `verify` notes of an unfinished rebuild; empty where there is none."""
    if not _holds_rows(db, [(table, "")]):
        return ""
    count = scalar(db, f"SELECT count(*) FROM {table}")
    return (
        f"An unfinished rebuild of the {name} index holds {count} frames, which no answer uses; "
        "`reindex` finishes it, `maintain` deletes it."
    )


def _owner(db: Connection, name: str) -> tuple[str, str, int, int] | None:
    row = db.one("SELECT owner, host, pid, beat FROM rebuild WHERE name = ?", (name,))
    return None if row is None else (str(row[0]), str(row[1]), int(row[2]), int(row[3]))


def _own(store: Store, tx: Transaction, work: Progress) -> None:
    sealed = checksum(work.name, work.rules, work.detail, work.done_to, work.owner)
    tx.db.run(
        "INSERT INTO rebuild (name, rules, detail, done_to, owner, host, pid, beat, checksum) "
        f"VALUES (?, ?, ?, ?, ?, ?, ?, {store.engine.dialect.wall_ms}, ?) ON CONFLICT (name) DO UPDATE SET "
        "owner = excluded.owner, host = excluded.host, pid = excluded.pid, beat = excluded.beat, "
        "checksum = excluded.checksum",
        (work.name, work.rules, work.detail, work.done_to, work.owner, host_name(), os.getpid(), sealed),
    )


def _holds_rows(db: Connection, tables: Sequence[tuple[str, str]]) -> bool:
    return any(db.one(f"SELECT 1 FROM {table} LIMIT 1") is not None for table, _ in tables)
