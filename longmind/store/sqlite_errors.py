"""SQLite's errors as ours."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from longmind.base.errors import (
    RESTORE_HINT,
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    OverBudget,
    Unavailable,
)
from longmind.store.engine import unsendable

_FILES_OF_A_STORE = 8
"""The file, its log and shared memory for a reader and the writer, a copy in the making, and its folder."""


def held_too_long(timeout: float) -> Busy:
    return Busy(f"Another writer held the store for {timeout:g} s.", hint="Try again, or allow more time.")


def out_of_descriptors() -> bool:
    """Whether a store's files could not all be opened: SQLite says of that only that it cannot open it.

    Several are tried: of the files that it needs, SQLite has closed those it could open before it failed.
    """
    opened: list[int] = []
    try:
        while len(opened) < _FILES_OF_A_STORE:
            opened.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return False


@contextmanager
def translated(location: str = "The store") -> Iterator[None]:
    """SQLite's errors as ours; what is not a fault of the store passes through."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy(
            "Another writer held the store too long.", hint="Try again, or allow more time."
        ) from error
    except apsw.NotADBError as error:
        raise Corrupt(
            f"{location} is not a Longmind file, or its header is damaged.",
            hint=RESTORE_HINT,
        ) from error
    except UnicodeEncodeError as error:
        raise unsendable() from error
    except (apsw.CorruptError, apsw.FormatError, UnicodeDecodeError) as error:
        raise Corrupt(f"{location} is damaged: {error}.", hint=RESTORE_HINT) from error
    except (apsw.PermissionsError, apsw.ReadOnlyError, apsw.AuthError) as error:
        raise Forbidden(f"{location} cannot be written: {error}.", hint="Check its permissions.") from error
    except apsw.CantOpenError as error:
        if out_of_descriptors():
            raise Unavailable(
                f"{location} cannot be opened: this process has no file descriptor left.",
                hint="Close what is not needed, or allow more (ulimit -n).",
            ) from error
        raise Forbidden(
            f"{location} cannot be opened.", hint="Check the permissions of the file and its folder."
        ) from error
    except apsw.FullError as error:
        raise OverBudget(f"{location} cannot grow: the disk is full.", hint="Free some space.") from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA:
            raise Corrupt(
                f"{location} is damaged: {error}.",
                hint=f"{RESTORE_HINT} If another SQLite tool has opened the "
                "file, its rows may be whole: longmind recover STORE checks them.",
            ) from error
        raise Unavailable(
            f"Reading or writing {location} failed: {error}.",
            hint="Check the disk; then: longmind verify --deep.",
        ) from error
    except (apsw.ConstraintError, apsw.MismatchError) as error:
        raise Conflict(
            f"The store refused a row: {error}.",
            hint="Nothing was written. Run verify if this happens again.",
        ) from error
    except apsw.TooBigError as error:
        raise InvalidInput(
            f"A value is too large for the store: {error}.",
            hint="Split the text, or ingest it as a file, which cuts it into chunks.",
        ) from error
    except apsw.ConnectionClosedError as error:
        raise Unavailable(f"{location} was closed.", hint="Open it again.") from error
    except apsw.SQLError as error:
        # Our SQL is fixed: a statement that does not compile means the schema is not the one we made.
        raise Corrupt(f"{location} lacks a table or column: {error}.", hint="Run verify.") from error
