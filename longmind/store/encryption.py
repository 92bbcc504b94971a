"""Encrypting a store, giving it another key, and decrypting it, in place.

Nothing is changed in the file itself. A complete copy is written beside it under the other key, checked, and
put in its place by one rename, while the file is held against every other process. So whenever it is killed,
the store opens with the old key or with the new one, and the same call again does the whole work.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import apsw

from longmind.base.errors import RESTORE_HINT, Busy, Corrupt, Forbidden, InvalidInput, NotFound, Unsupported
from longmind.base.partial import partial_file, sync
from longmind.base.secret import KeyLike, Secret, secret_of
from longmind.base.store_files import claim, is_open_here
from longmind.base.times import SystemClock
from longmind.store import cipher, pages
from longmind.store.audit import note
from longmind.store.cipher import FileKey, Kind
from longmind.store.copies import copy_snapshot, put_in_place_of
from longmind.store.encrypted_files import check_encrypted, file_key, new_key
from longmind.store.files import check_path, check_side_files
from longmind.store.log import WHOLE, read_state, seal_copy
from longmind.store.sqlite import SqliteEngine
from longmind.store.sqlite_errors import translated
from longmind.store.store import POSTGRES_SCHEMES, Store, file_path, open_store
from longmind.store.upkeep import verify


@dataclass(frozen=True, slots=True)
class Reencrypted:
    """What `encrypt`, `rekey` or `decrypt` did."""

    path: str
    bytes: int
    encrypted: bool
    """Whether the store is encrypted now."""
    changed: bool
    """False: it already was as asked for."""


def encrypt(location: str | os.PathLike[str], key: KeyLike) -> Reencrypted:
    """Encrypt a plain store in place. One that is encrypted with this key already is left as it is."""
    path, secret = _named(location), secret_of(key)
    cipher.check_available()
    if _kind(path) is Kind.ENCRYPTED:
        _check_opens(path, secret)  # or it is another key, which is for `rekey`
        return Reencrypted(str(path), path.stat().st_size, encrypted=True, changed=False)
    target = new_key(secret)
    done = _exchange(path, None, lambda source, partial: _copy_encrypted(source, partial, target), target)
    _note(path, "encrypt", secret)
    return done


def rekey(location: str | os.PathLike[str], key: KeyLike, new: KeyLike) -> Reencrypted:
    """Encrypt an encrypted store with another key."""
    path, secret, other = _named(location), secret_of(key), secret_of(new, "new_key")
    target = new_key(other)
    cipher.check_available()
    if _kind(path) is not Kind.ENCRYPTED:
        raise cipher.is_plain(str(path))
    done = _exchange(
        path,
        secret,
        lambda source, partial: copy_snapshot(source, partial, secrets.token_bytes, key=target),
        target,
    )
    _note(path, "rekey", other)
    return done


def decrypt(location: str | os.PathLike[str], key: KeyLike) -> Reencrypted:
    """Make a plain store of an encrypted one, in place. A plain one is left as it is."""
    path, secret = _named(location), secret_of(key)
    if _kind(path) is Kind.PLAIN:
        return Reencrypted(str(path), path.stat().st_size, encrypted=False, changed=False)
    cipher.check_available()
    done = _exchange(path, secret, _copy_plain, None)
    _note(path, "decrypt", None)
    return done


def _note(path: Path, action: str, secret: Secret | None) -> None:
    """Put down in the audit log that it was done: no row says so, and it concerns who may read the file."""
    with closing(open_store(path, create=False, key=secret)) as store:
        note(store, action)


def _exchange(
    path: Path, old: Secret | None, copy: Callable[[apsw.Connection, Path], None], new: FileKey | None
) -> Reencrypted:
    """Put a copy, which `copy` makes with the key `new`, in the place of the store that `old` opens."""
    real = Path(os.path.realpath(path))
    with _held(path, real, old) as source, partial_file(real) as partial:
        with translated(str(path)):
            copy(source, partial)
        if new is not None:
            check_encrypted(partial)
        _check(partial, new, path)
        put_in_place_of(partial, real)
    return Reencrypted(str(path), path.stat().st_size, encrypted=new is not None, changed=True)


@contextmanager
def _held(path: Path, real: Path, secret: Secret | None) -> Iterator[apsw.Connection]:
    """A connection that has the store to itself: without a log, and with every other process shut out."""
    check_side_files(real)
    # Opened and closed once as a store: what a killed process left is mended, and an old format migrated.
    engine = SqliteEngine(
        str(path), clock=SystemClock(), read_only=False, create=False, durability="full", key=secret
    )
    try:
        engine.migrate()
    finally:
        engine.close()
    claimed = claim(real)
    try:
        key = file_key(str(path), secret, None)
        name = f"file:{quote(os.fsencode(real))}"
        with translated(str(path)):
            connection = pages.connect(name, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI, key=key)
        try:
            _take(path, connection)
            claimed.settle()
            yield connection
        finally:
            pages.close(connection)
    finally:
        claimed.release()


def _take(path: Path, connection: apsw.Connection) -> None:
    connection.set_busy_timeout(0)
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        # Leaving the log needs the file alone, and moves into the file what is in it.
        mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")  # in this mode the lock stays
        alone = mode == ("delete",) and read_state(connection).state == WHOLE
    except (apsw.BusyError, apsw.LockedError):
        alone = False
    if not alone:
        raise _in_use(path)


def _copy_encrypted(source: apsw.Connection, partial: Path, key: FileKey) -> None:
    """VACUUM INTO, since SQLite's backup copies between two plain or two encrypted files only.

    The key is in a bound value, so that no trace of statements has it.
    """
    _vacuum_into(source, partial, key.uri_parameters())
    flags = apsw.SQLITE_OPEN_READWRITE
    target = pages.connect(str(partial), flags, key=key)
    try:
        target.execute("PRAGMA journal_mode = MEMORY").fetchall()  # nothing beside the copy
        seal_copy(target)
    finally:
        pages.close(target)
    sync(partial)


def _copy_plain(source: apsw.Connection, partial: Path) -> None:
    """First plain with room for our checksums, then as a copy that has them."""
    with partial_file(partial.with_name(partial.name[1:33])) as between:
        _vacuum_into(source, between, f"key=&reserve={pages.RESERVED}")
        plain = apsw.Connection(str(between), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            copy_snapshot(plain, partial, secrets.token_bytes)
        finally:
            pages.close(plain)


def _vacuum_into(source: apsw.Connection, target: Path, parameters: str) -> None:
    try:
        source.execute("VACUUM INTO ?", (f"file:{quote(os.fsencode(target))}?{parameters}",))
    except apsw.Error as error:
        raise _without_text(error) from None  # its text may quote the name, and the key with it


def _without_text(error: apsw.Error) -> apsw.Error:
    safe = type(error)("copying the store failed")
    for name in ("result", "extendedresult"):
        if hasattr(error, name):
            setattr(safe, name, getattr(error, name))
    return safe


def _check(partial: Path, key: FileKey | None, path: Path) -> None:
    """Every row of the copy, by its own checksum and by the accounts of its table."""
    engine = SqliteEngine(
        str(partial), clock=SystemClock(), read_only=True, create=False, durability="normal", key=key
    )
    with closing(engine):
        problems = [detail for _, detail in engine.check(deep=True).problems]
        if not problems:
            report = verify(Store(engine, clock=SystemClock()), deep=True)
            problems = [problem.detail for problem in report.problems if not problem.derived]
    if problems:
        raise Corrupt(
            f"{path} is damaged: {problems[0].rstrip('.')}. Nothing was changed.",
            hint=RESTORE_HINT,
        )


def _check_opens(path: Path, secret: Secret) -> None:
    try:
        SqliteEngine(
            str(path), clock=SystemClock(), read_only=True, create=False, durability="normal", key=secret
        ).close()
    except Forbidden as error:
        raise Forbidden(
            error.message, hint="It is encrypted with another key; to change that: longmind rekey STORE."
        ) from None


def _kind(path: Path) -> Kind:
    kind = cipher.read_header(os.path.realpath(path)).kind
    if kind is Kind.EMPTY:
        raise Corrupt(f"{path} is empty.", hint=RESTORE_HINT)
    if kind is Kind.OTHER:
        raise cipher.not_ours(str(path))
    return kind


def _named(location: str | os.PathLike[str]) -> Path:
    if isinstance(location, str) and location.startswith(POSTGRES_SCHEMES):
        raise Unsupported(
            "A store on PostgreSQL is not encrypted by Longmind.",
            hint="Encrypt the server's disk: LUKS, or your provider's volume encryption.",
        )
    if isinstance(location, str) and ("://" in location or location == ":memory:"):
        raise InvalidInput(f"{location} is not a file, and only files are encrypted.", hint="Name a file.")
    path = file_path(location)
    try:
        check_path(path, must_exist=True)
    except NotFound as error:
        raise NotFound(error.message, hint="Check the path.") from None
    if is_open_here(path):
        raise _in_use(path)
    return path


def _in_use(path: Path) -> Busy:
    return Busy(
        f"{path} is in use, and must be closed everywhere for this. Nothing was changed.",
        hint="Close it in every program (longmind serve, agents, notebooks), and try again.",
    )
