"""A backup put back in the place of a store."""

from __future__ import annotations

import os
import secrets
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw

from longmind.base.addresses import shown_location
from longmind.base.errors import Conflict, Corrupt, InvalidInput, NotFound, Unsupported
from longmind.base.partial import partial_file
from longmind.base.secret import KeyLike, Secret, secret_of
from longmind.base.store_files import check_target
from longmind.base.times import Clock, SystemClock
from longmind.store import pages
from longmind.store.audit import note
from longmind.store.cipher import Kind, read_header
from longmind.store.copies import check_replaceable, copy_snapshot, replace_store
from longmind.store.files import check_path
from longmind.store.migrations import migrations
from longmind.store.sqlite import SqliteEngine
from longmind.store.sqlite_errors import translated
from longmind.store.sqlite_transactions import SqliteConnection
from longmind.store.store import Store, file_path, open_store
from longmind.store.upkeep import verify

_ANOTHER: Final = "Restore another backup."


@dataclass(frozen=True, slots=True)
class Restored:
    """What `restore` did."""

    path: str
    bytes: int
    kept: str | None
    """Where the file that was there before is now."""


def restore(
    backup: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    deep: bool = False,
    actor: str | None = None,
    key: KeyLike | None = None,
) -> Restored:
    """Put a checked copy of a backup in the place of a store that nobody has open.

    Works over a store that is damaged, killed or missing. What is there is replaced only with `overwrite`,
    and is kept beside it, with its log, as NAME.before-restore. `deep` checks every row of the backup first.
    `key` opens an encrypted backup, and then the store.
    """
    source, target = _named(backup), _named(to)
    check_path(source, must_exist=False)
    if not source.exists():
        raise NotFound(f"There is no backup at {source}. Nothing was changed.", hint="Check the path.")
    check_path(target, must_exist=False, may_be_damaged=True)
    if target.exists():
        if target.samefile(source):
            raise InvalidInput(
                "A store cannot be restored from itself.", hint="Name the backup, then the store."
            )
        if not overwrite:
            raise Conflict(
                f"{target} exists.", hint="Restore to another path, or replace it (it is kept): --overwrite."
            )
        if key is None and read_header(os.path.realpath(target)).kind is Kind.ENCRYPTED:
            raise Conflict(
                f"{target} is encrypted, and the restored store would not be. Nothing was changed.",
                hint="Give the key of an encrypted backup. To restore a plain one, name another path, and "
                "encrypt it then: longmind encrypt STORE",
            )
        check_replaceable(target)
    check_target(target)
    with partial_file(Path(os.path.realpath(target))) as partial:
        secret = None if key is None else secret_of(key)
        is_current = _copy_checked(source, partial, deep=deep, secret=secret)
        replaced = replace_store(partial, target, keep=True)
    if is_current:  # one of an earlier format begins its log when it is next opened for writing
        with closing(open_store(target, create=False, actor=actor, key=key)) as store:
            note(store, "restore", detail={"replaced": replaced is not None})
    return Restored(str(target), target.stat().st_size, None if replaced is None else str(replaced))


def reseal(store: str | os.PathLike[str]) -> Restored:
    """Put a copy with fitting page checksums in the place of a file that another SQLite tool has written to.

    Such a tool moves the log of a killed store into the file when it closes it, and knows nothing of our
    checksums. Every row of the copy is checked against its own checksum, and the rows of every table against
    their account, before it takes the place of the file, which is kept as NAME.before-restore.
    """
    target = _named(store)
    check_path(target, must_exist=True)
    check_target(target)
    real = Path(os.path.realpath(target))
    log = real.with_name(f"{real.name}-wal")
    if log.exists() and log.stat().st_size:
        raise Corrupt(f"{target} is damaged, and has a log. Nothing was changed.", hint=_ANOTHER)
    if read_header(real).kind is Kind.ENCRYPTED:
        raise Corrupt(
            f"{target} is damaged, and its cipher confirms no page that was changed. Nothing was changed.",
            hint=_ANOTHER,
        )
    check_replaceable(target)
    with partial_file(real) as partial:
        with translated(str(target)):
            source = pages.connect(str(real), apsw.SQLITE_OPEN_READWRITE, checked=False)
            try:
                copy_snapshot(source, partial, secrets.token_bytes)
            finally:
                pages.close(source)
        with closing(_opened(partial, SystemClock())) as engine:
            _check(engine, f"{target} is damaged", deep=True)
        replaced = replace_store(partial, target, keep=True)
    return Restored(str(target), target.stat().st_size, None if replaced is None else str(replaced))


def _check(engine: SqliteEngine, what: str, *, deep: bool) -> None:
    problems = [detail for _, detail in engine.check(deep=deep).problems]
    if not problems and engine.format() == len(migrations("sqlite")):  # an earlier one has other rows
        report = verify(Store(engine, clock=SystemClock()), deep=deep)
        problems = [problem.detail for problem in report.problems if not problem.derived]
    if problems:
        detail = problems[0].removeprefix("The store is damaged: ").rstrip(".")
        raise Corrupt(f"{what}: {detail}. Nothing was changed.", hint=_ANOTHER)


def _copy_checked(source: Path, partial: Path, *, deep: bool, secret: Secret | None) -> bool:
    """Copy a backup that is sound; returns whether it has the format of this version."""
    clock = SystemClock()
    with closing(_opened(source, clock, secret)) as engine:
        _check(engine, f"The backup {source} is damaged", deep=deep)
        with engine.read() as db, translated(str(source)):
            assert isinstance(db, SqliteConnection)
            db.one("SELECT 1 FROM store_clock")  # fixes the snapshot before the copy begins
            copy_snapshot(db.connection, partial, secrets.token_bytes, key=engine.key)
        return engine.format() == len(migrations("sqlite"))


def _opened(source: Path, clock: Clock, secret: Secret | None = None) -> SqliteEngine:
    """The hints of opening are for a store in use, and would send the user round in a circle."""
    try:
        return SqliteEngine(
            str(source), clock=clock, read_only=True, create=False, durability="normal", key=secret
        )
    except Corrupt as error:
        raise Corrupt(
            f"The backup cannot be read. {error.message}",
            hint=f"{_ANOTHER} If this one is a plain copy of a store in use, it also needs the log: "
            f"{source.name}-wal",
        ) from error
    except Unsupported as error:
        raise Unsupported(
            f"This is not a backup. {error.message}", hint="Name a file that `longmind backup` wrote."
        ) from error


def _named(location: str | os.PathLike[str]) -> Path:
    if isinstance(location, str) and ("://" in location or location == ":memory:"):
        raise InvalidInput(
            f"{shown_location(location)} is not a file, and only files are restored.",
            hint="To move a backup to a server, use: longmind copy BACKUP postgresql://…?store=name",
        )
    return file_path(location)
