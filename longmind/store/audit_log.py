"""The audit log: one entry for each commit that changed canonical rows, chained by hashes.

An entry says who did what, when, through which interface, in which spaces, and how many rows it added and
removed. It holds a hash over all canonical rows after the commit, and its own hash covers the entry before.
It holds no content: erased rows leave the chain as it was. Users appear as keyed digests, whose names are
kept beside the log until the user is erased.

Whoever can write to the store can also write a new chain. Only a head that was exported and signed before,
and is kept elsewhere, shows that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from longmind.base.caller import action, caller
from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.base.partitions import split_partition
from longmind.store import accounting
from longmind.store.accounting import HINT, Accounts
from longmind.store.changes import TABLES, Changes, plus, state_of
from longmind.store.engine import Connection, Dialect, Row
from longmind.store.parts import Problem
from longmind.store.tables import batched, stored_names
from longmind.store.transaction import HEAD, Transaction, read_clock
from longmind.store.visible import among

if TYPE_CHECKING:
    from longmind.store.store import Store

EMPTY: Final = bytes(32)
"""What the first entry has in place of the hash before it."""

_PAGE: Final = 1000


class Entry(NamedTuple):
    """One row of the log, in the order of its columns."""

    entry_id: int
    recorded_at: int
    at: int
    actor: str
    face: str
    action: str
    spaces: str
    changes: str
    detail: str
    state: bytes
    hash: bytes = b""

    def sealed(self, before: bytes) -> Entry:
        """With the hash over this entry and the hash of the one before."""
        fields = ascii((before, *self[:-1]))  # injective over plain values, and the same everywhere
        return Entry._make((*self[:-1], sha256(fields.encode()).digest()))


class Head(NamedTuple):
    """The end of the chain, the sum that the next commit adds to, and the accounts of the tables as JSON."""

    entries: int
    hash: bytes
    total: bytes
    accounts: str

    def checksum(self) -> int:
        seal = blake2b(self.hash + self.total + self.accounts.encode(), digest_size=16)
        return checksum("head", self.entries, seal.hexdigest())


@dataclass(frozen=True, slots=True)
class Note:
    """Something to put down that changes no row, or more than the rows of a transaction say."""

    action: str | None = None
    spaces: tuple[str, ...] = ()
    detail: Mapping[str, Any] | None = None


_COLUMNS: Final = ", ".join(Entry._fields)
_INSERT: Final = f"INSERT INTO audit_entry ({_COLUMNS}) VALUES ({', '.join('?' * len(Entry._fields))})"
_SET_HEAD: Final = f"UPDATE store_clock SET {HEAD.replace(',', ' = ?,')} = ? WHERE one = 1"
_READ: Final = f"SELECT {_COLUMNS} FROM audit_entry"


_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class AuditLog:
    """Appends to the log of one open store."""

    def __init__(self) -> None:
        self._head: Head | None = None
        """The end as last written here: while it is the end, nobody else has written."""
        self._accounts = Accounts({})
        """What its accounts say."""

    def append(self, store: Store, tx: Transaction) -> None:
        """Account for what a transaction changed, as the last thing before its commit."""
        db, dialect = tx.db, store.engine.dialect
        if not store.engine.has_log:
            return
        changes = store.engine.changes(db)
        if not changes.touched and tx.note is None and not tx.log_was_replaced:
            return
        names = changes.spaces(db).union(tx.note.spaces if tx.note else ())
        spaces = self._spaces(store, db, names, erased=changes.removals("frame") > 0)
        who, note = caller(), tx.note
        about = (
            tx.revision,
            tx.now,
            who.name(store.actor),
            who.face,
            (note.action if note else None) or action(),
            _listed(tuple(spaces)),
            changes.counts(),
        )
        if tx.log_was_replaced:
            self._adopt(db, dialect, about)
            return
        head = _head(tx.head, sound=self._head)
        total, accounts = self._after(db, head, changes, dialect)
        if note is None and not changes.is_exact() and total == head.total:
            return  # a statement that could not be followed has changed nothing
        detail = _json(note.detail) if note and note.detail else "{}"
        entry = Entry(head.entries + 1, *about, detail, state_of(total)).sealed(head.hash)
        self._write(db, dialect, entry, total, accounts)
        tx.head_after = (entry.entry_id, entry.hash)
        left = {
            table: said.answers
            for table, said in tx.left.items()
            if said.changed == tuple(changes.sums[table][:2])
        }
        store.kept.committed(tx.head_before, tx.head_after, changes.touched, left)

    def _spaces(self, store: Store, db: Connection, names: Iterable[str], *, erased: bool) -> list[str]:
        """The spaces as the log holds them: those of a user with a digest in place of the name."""
        if not any("@" in name for name in names):
            return sorted(names)
        users = _Users(db, store.entropy)
        spaces = users.written(names)
        if erased:
            users.drop_erased(names)
        store.engine.changes(db)  # counts the rows of users, too
        return spaces

    def _after(
        self, db: Connection, head: Head, changes: Changes, dialect: Dialect
    ) -> tuple[bytes, Accounts]:
        """The sum over all rows and the accounts of the tables, as they are now."""
        if not changes.is_exact():
            # A statement failed half-way and was undone. Everything is added up anew: rare, and as dear as a
            # look at every row.
            return accounting.added_up(db, dialect)
        if head != self._head:
            self._accounts = Accounts.read(head.accounts)
        total = plus(head.total, sum(changes.sums[table][2] for table in changes.touched))
        return total, self._accounts.changed(changes)

    def _adopt(self, db: Connection, dialect: Dialect, about: Any) -> None:
        """Go on with the log that an import or a copy has brought along.

        Where its rows agree with it, the log stays as it is: the copy is the store. Where they do not, as in
        a copy made to save what is left of a damaged store, an entry says so.
        """
        total, accounts = accounting.added_up(db, dialect)
        last = last_entry(db)
        if last is not None and last.state == state_of(total):
            self._write(db, dialect, last, total, accounts, is_new=False)
            return
        number, before = (0, EMPTY) if last is None else (last.entry_id, last.hash)
        note = "the rows do not agree with the log that came with them" if last else "came without a log"
        entry = Entry._make((number + 1, *about, _json({"note": note}), state_of(total), b""))
        self._write(db, dialect, entry.sealed(before), total, accounts)

    def _write(
        self,
        db: Connection,
        dialect: Dialect,
        entry: Entry,
        total: bytes,
        accounts: Accounts,
        *,
        is_new: bool = True,
    ) -> None:
        self._head = Head(entry.entry_id, entry.hash, total, accounts.text())
        self._accounts = accounts
        if is_new and dialect.name == "postgresql":  # in one trip to the server
            db.run(f"WITH entry AS ({_INSERT}) {_SET_HEAD}", (*entry, *self._head, self._head.checksum()))
            return
        if is_new:
            db.run(_INSERT, entry)
        write_head(db, self._head)


def begin(db: Connection, dialect: Dialect, *, at: int, before: int) -> None:
    """Start the log of a store that has none, with an entry over all rows that are there.

    `before` is the format that the store had; 0 for a new one.
    """
    # The format that begins the log may have fewer tables than today's.
    existing = {str(name) for (name,) in db.all(dialect.tables)}
    total, accounts = accounting.added_up(db, dialect, [table for table in TABLES if table in existing])
    changes = {table: [accounts.count(table), 0] for table in TABLES if accounts.count(table)}
    name, detail = ("upgrade", {"format": before}) if before else ("create", {})
    about = (
        1,
        read_clock(db),
        at,
        caller().name(None),
        caller().face,
        name,
        "[]",
        _json(changes),
        _json(detail),
    )
    entry = Entry(*about, state_of(total)).sealed(EMPTY)
    db.run(_INSERT, entry)
    write_head(db, Head(1, entry.hash, total, accounts.text()))


# The end of the chain


def read_head(db: Connection) -> Head:
    """The end of the log as it was written."""
    return _head(db.one(f"SELECT {HEAD} FROM store_clock WHERE one = 1"), sound=None)


def _head(row: Row | None, *, sound: Head | None) -> Head:
    """One that is `sound` need not be checked again."""
    if row is not None:
        with suppress(ValueError, TypeError):  # a column may hold a value of another type
            head = Head(int(row[0]), bytes(row[1]), bytes(row[2]), str(row[3]))
            if head == sound or head.checksum() == row[4]:
                return head
    raise Corrupt("The end of the audit log is not what was written.", hint=HINT)


def write_head(db: Connection, head: Head) -> None:
    db.run(_SET_HEAD, (*head, head.checksum()))


def check_on_opening(db: Connection) -> None:
    """What can be asked of the rows without reading the tables."""
    Accounts.read(read_head(db).accounts).check_on_opening(db)


def last_entry(db: Connection) -> Entry | None:
    row = db.one(f"{_READ} ORDER BY entry_id DESC LIMIT 1")
    return None if row is None else _entry(row)


def entry_at(db: Connection, number: int) -> Entry | None:
    row = db.one(f"{_READ} WHERE entry_id = ?", (number,))
    return None if row is None else _entry(row)


# Reading


def entries_before(
    db: Connection, number: int | None, conditions: str = "", values: Iterable[Any] = ()
) -> Iterator[Entry]:
    """Entries from the newest to the oldest, those before an entry of that number."""
    before = 2**62 if number is None else number
    while True:
        sql = f"{_READ} WHERE entry_id < ?{conditions} ORDER BY entry_id DESC LIMIT {_PAGE}"
        page = [_entry(row) for row in db.all(sql, (before, *values))]
        yield from page
        if len(page) < _PAGE:
            return
        before = page[-1].entry_id


def row_counts_since(
    tx: Transaction, head: tuple[Any, ...], *, most: int
) -> dict[str, tuple[int, int]] | None:
    """By table, how many rows were added and taken out since the log ended there; a changed one is both.

    None where the log cannot tell: it ended otherwise then, or more than so many commits came since.
    """
    if not head or not tx.head_before or not 0 <= tx.head_before[0] - head[0] <= most:
        return None
    rows = tx.db.all(
        "SELECT entry_id, hash, changes FROM audit_entry WHERE entry_id BETWEEN ? AND ? ORDER BY entry_id",
        (head[0], tx.head_before[0]),
    )
    if len(rows) != tx.head_before[0] - head[0] + 1 or bytes(rows[0][1]) != bytes(head[1]):
        return None
    counts: dict[str, tuple[int, int]] = {}
    for _, _, changes in rows[1:]:
        for table, (added, removed) in json.loads(changes).items():
            before = counts.get(table, (0, 0))
            counts[table] = (before[0] + added, before[1] + removed)
    return counts


def _entry(row: tuple[Any, ...]) -> Entry:
    entry = Entry(*row)
    return entry._replace(state=bytes(entry.state), hash=bytes(entry.hash))


def user_names(db: Connection) -> dict[str, str]:
    """The names of users by their digests; erased ones are not among them."""
    return {seen: name for seen, name, is_sound in _users(db) if is_sound}


def _users(db: Connection) -> Iterator[tuple[str, str, bool]]:
    """Digests with names, and whether both are what was written."""
    for seen, salt, name, seal in db.all("SELECT digest, salt, name, checksum FROM audit_user"):
        yield seen, name, checksum("audit_user", seen, salt, name) == seal and _digest(salt, name) == seen


def logged_name(db: Connection, partition: str) -> str | None:
    """What the log calls a partition; None for that of a user whom it does not know."""
    space, user = split_partition(partition)
    if user is None:
        return space
    row = db.one("SELECT digest FROM audit_user WHERE name = ?", (user,))
    return None if row is None else f"{space}@{row[0]}"


def erased_partitions(db: Connection, revision: int) -> set[str] | None:
    """Of which partitions something was erased since, as the log calls them; None where it does not tell."""
    # No more of them than entries are looked at below: with more, the log does not tell.
    latest = db.all(f"SELECT erased_at FROM erasure ORDER BY erasure_id DESC LIMIT {_PAGE + 1}")
    moments = {int(moment) for (moment,) in latest if int(moment) > revision}
    rows = db.all(f"SELECT recorded_at, spaces FROM audit_entry ORDER BY entry_id DESC LIMIT {_PAGE}")
    told = [(int(at), str(spaces)) for at, spaces in rows if int(at) in moments]
    if {at for at, _ in told} != moments:
        return None
    return {str(name) for _, spaces in told for name in stored_names(spaces, "audit_entry")}


# Checking


def problems(db: Connection, dialect: Dialect, *, deep: bool) -> Iterator[Problem]:
    """What does not agree: the entries with each other, the last one with the rows."""
    try:
        head = read_head(db)
    except Corrupt as error:
        yield Problem("audit", error.message)
        return
    last = last_entry(db)
    if last is None or last.entry_id != head.entries or last.hash != head.hash:
        number = 0 if last is None else last.entry_id
        yield Problem("audit", f"the log ends with entry {number}; {head.entries} were written")
    if deep:
        yield from _broken_links(db)
        total, actual = accounting.added_up(db, dialect)
        for detail in Accounts.read(head.accounts).differences(actual):
            yield Problem("rows", detail)
    else:
        total = head.total
    if total != head.total or (last is not None and last.state != state_of(total)):
        yield Problem("audit", "the rows are not those that the last entry of the audit log accounts for")
    if deep and not all(is_sound for _, _, is_sound in _users(db)):
        yield Problem("audit", "the name of a user in the log is not what was written")


def _broken_links(db: Connection) -> Iterator[Problem]:
    before, expected = EMPTY, 1
    while True:
        page = [
            _entry(row)
            for row in db.all(f"{_READ} WHERE entry_id >= ? ORDER BY entry_id LIMIT {_PAGE}", (expected,))
        ]
        for entry in page:
            if entry.entry_id != expected:
                yield Problem("audit", f"entries {expected} to {entry.entry_id - 1} of the log are missing")
            elif entry.sealed(before).hash != entry.hash:
                yield Problem("audit", f"entry {entry.entry_id} of the log is not what was written")
            before, expected = entry.hash, entry.entry_id + 1
        if len(page) < _PAGE:
            return


# Users


class _Users:
    """Writes names of users as digests that can be severed from the name."""

    def __init__(self, db: Connection, entropy: Any) -> None:
        self._db = db
        self._entropy = entropy

    def written(self, partitions: Iterable[str]) -> list[str]:
        """The spaces as the log holds them: those of a user with a digest in place of the name."""
        parts = [split_partition(name) for name in partitions]
        digests = self._digests(sorted({user for _, user in parts if user is not None}))
        return sorted(space if user is None else f"{space}@{digests[user]}" for space, user in parts)

    def _digests(self, users: Sequence[str]) -> dict[str, str]:
        """A digest for each user; those met for the first time get one."""
        digests: dict[str, str] = {}
        for batch in batched(users):
            clause = among("name", batch)
            rows = self._db.all(f"SELECT name, digest FROM audit_user WHERE {clause.sql}", clause.values)
            digests.update((str(name), str(seen)) for name, seen in rows)
        new: list[tuple[str, str, str, int]] = []
        for user in users:
            if user not in digests:
                salt = self._entropy(16).hex()
                digests[user] = seen = _digest(salt, user)
                new.append((seen, salt, user, checksum("audit_user", seen, salt, user)))
        if new:
            insert = "INSERT INTO audit_user (digest, salt, name, checksum) VALUES (?, ?, ?, ?)"
            self._db.many(insert, new)
        return digests

    def drop_erased(self, partitions: Iterable[str]) -> None:
        """Forget the names of users of whom the last frame was just removed."""
        emptied = {
            user
            for name in partitions
            if (user := split_partition(name)[1]) is not None
            and self._db.one("SELECT 1 FROM frame WHERE space = ? LIMIT 1", (name,)) is None
        }
        if not emptied:  # as after most erasures: looking through all partitions is for the others
            return
        rows = self._db.all("SELECT DISTINCT space FROM frame WHERE space LIKE ?", ("%@%",))
        left = {split_partition(str(name))[1] for (name,) in rows}
        for user in sorted(emptied - left):
            self._db.run("DELETE FROM audit_user WHERE name = ?", (user,))


def _digest(salt: str, name: str) -> str:
    return sha256(f"longmind user\0{salt}\0{name}".encode()).hexdigest()[:32]


@lru_cache(maxsize=256)
def _listed(names: tuple[str, ...]) -> str:
    return _json(names)
