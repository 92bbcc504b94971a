"""PostgreSQL's errors as ours: one table from SQLSTATE to error, message and hint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import psycopg

from longmind.base.addresses import Address
from longmind.base.errors import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    LongmindError,
    NotFound,
    OverBudget,
    Unavailable,
    Unsupported,
)
from longmind.store.engine import unsendable


class Translation(NamedTuple):
    """What an SQLSTATE means to a caller; `{store}` and `{reason}` are filled into the message."""

    error: type[LongmindError]
    message: str
    hint: str


_RETRY: Final = "Nothing of this transaction was written. Try again."
_WAIT: Final = "This transaction was not written. Try again once the server accepts connections."
_LOG: Final = "See the server's log, and run verify."
_VERIFY: Final = "Run verify; restore a backup if it finds damage."

_LOST: Final = Translation(Unavailable, "{store} stopped answering: {reason}.", _WAIT)
_REFUSED_ROW: Final = Translation(
    Conflict, "The store refused a row: {reason}.", "Nothing was written. Run verify if this happens again."
)
_BAD_VALUE: Final = Translation(
    InvalidInput, "The server cannot store a value: {reason}.", "Nothing was written. Change the value."
)
_DAMAGED: Final = Translation(Corrupt, "{store} is damaged: {reason}.", _VERIFY)
_NO_RESOURCES: Final = Translation(
    Unavailable, "The server of {store} is out of resources: {reason}.", _RETRY
)
_INTERNAL: Final = Translation(Unavailable, "The server of {store} reported an error: {reason}.", _LOG)
_UNSUPPORTED: Final = Translation(
    Unsupported,
    "The server cannot do this: {reason}.",
    "Use PostgreSQL 14 or later, and connect to it directly or through a pooler in session mode.",
)
_BUSY: Final = Translation(Busy, "Another writer held the store too long.", "Try again, or allow more time.")
_COLLIDED: Final = Translation(Busy, "The server chose another transaction over this one: {reason}.", _RETRY)

MEANINGS: Final[dict[str, Translation]] = {
    # A whole code wins over its class (the first two characters).
    "08": _LOST,
    "0A": _UNSUPPORTED,
    "22": _BAD_VALUE,
    # Our values are checked before they are sent. These two come from cutting a chunk out of its parent's
    # text, which only fails where the stored text or the stored offsets changed.
    "22011": _DAMAGED,
    "22021": _DAMAGED,
    "23": _REFUSED_ROW,
    "25": Translation(Conflict, "The transaction cannot go on: {reason}.", _RETRY),
    "25006": Translation(
        Forbidden,
        "{store} does not accept writes: the server is a standby, or the database is read-only.",
        "Open it with read_only=True, or connect to the primary: name all hosts in the address and add "
        "target_session_attrs=read-write.",
    ),
    "25P03": _LOST,
    "25P04": _LOST,
    "26": _UNSUPPORTED,
    "28": Translation(
        Forbidden, "The server of {store} refused the login: {reason}.", "Check the user and password."
    ),
    "3D": Translation(NotFound, "{reason}.", "Create the database with createdb, or name another one."),
    "3F": Translation(Corrupt, "{store} lacks its schema: {reason}.", "Restore a backup."),
    "40": _COLLIDED,
    "40002": _REFUSED_ROW,
    "40003": _LOST,
    "40P01": _BUSY,
    # Our SQL is fixed: a statement that does not compile means the schema is not the one we made.
    "42": Translation(Corrupt, "{store} lacks a table or column: {reason}.", _VERIFY),
    "42501": Translation(
        Forbidden, "The server refused: {reason}.", "Ask the schema's owner for the privilege, with GRANT."
    ),
    "44": _REFUSED_ROW,
    "53": _NO_RESOURCES,
    "53100": Translation(
        OverBudget, "{store} cannot grow: the server's disk is full.", "Free some space on the server."
    ),
    "53300": Translation(
        Busy,
        "The server of {store} has no connection left: {reason}.",
        "Try again, close other clients, or raise max_connections.",
    ),
    "54": Translation(
        InvalidInput, "A value is too large for the server: {reason}.", "Nothing was written. Shorten it."
    ),
    "55": _UNSUPPORTED,
    "55006": _BUSY,
    "55P03": _BUSY,
    "57": _LOST,
    "57014": Translation(
        Busy,
        "The server cancelled a statement: {reason}.",
        "Try again. If statement_timeout is set for this role or database, raise it.",
    ),
    "58": Translation(Unavailable, "The server of {store} failed: {reason}.", _LOG),
    "58P01": Translation(Corrupt, "The server of {store} misses a file: {reason}.", _LOG),
    "72": _COLLIDED,
    "P0": _REFUSED_ROW,
    "XX": _INTERNAL,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}
"""By SQLSTATE, or by the class of SQLSTATEs; `_INTERNAL` for all others."""

# For errors that the driver raises itself, without an SQLSTATE; the first class that fits counts.
_BY_CLASS: Final[tuple[tuple[type[psycopg.Error], Translation], ...]] = (
    (psycopg.OperationalError, _LOST),
    (psycopg.DataError, _BAD_VALUE),
    (psycopg.IntegrityError, _REFUSED_ROW),
    (psycopg.NotSupportedError, _UNSUPPORTED),
    (psycopg.ProgrammingError, _BAD_VALUE),
)

# A failed login carries no SQLSTATE through the driver, only the server's text. A server that speaks another
# language is still `Unavailable`, with that text.
_AT_CONNECT: Final[tuple[tuple[str, str], ...]] = (
    ("too many clients", "53300"),
    ("too many connections", "53300"),
    ("connection slots are reserved", "53300"),
    ("remaining connection slots", "53300"),
)
_QUOTED: Final = re.compile(r"[\"'].*[\"']", re.DOTALL)
_CONNECT: Final = Translation(
    Unavailable,
    "{store} did not answer: {reason}.",
    "Start the server, or check host, port, database, user and password.",
)


def translate(error: psycopg.Error, location: str = "The store") -> LongmindError:
    """The server's or the driver's error as one of ours."""
    return _filled(_meaning(error), error, location)


def translate_connect(error: psycopg.Error, address: Address) -> LongmindError:
    """Why a connection could not be made."""
    text = str(error)
    if isinstance(error, psycopg.ProgrammingError):
        # What the library quotes may be part of a password that was not written as one.
        reason = _QUOTED.sub("", address.masked(_reason(error))).rstrip(" :=,")
        return InvalidInput(
            f"The address is not valid: {reason}.",
            hint="Write it as postgresql://user@host:port/database?store=name, with %26 for a & in a value.",
        )
    code = next((code for phrase, code in _AT_CONNECT if phrase in text), None)
    failed = _filled(_CONNECT if code is None else MEANINGS[code], error, address.shown)
    return type(failed)(address.masked(failed.message), hint=failed.hint)


@contextmanager
def translated(location: str = "The store") -> Iterator[None]:
    """Every error of the driver as ours; everything else passes."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, location) from error
    except UnicodeEncodeError as error:
        raise unsendable() from error


@contextmanager
def committing(connection: psycopg.Connection[Any], location: str) -> Iterator[None]:
    """Like `translated`, for COMMIT: a connection lost here leaves the outcome unknown, and that is said."""
    try:
        yield
    except psycopg.Error as error:
        if connection.closed or error.sqlstate == "40003":
            raise Unavailable(
                f"The connection to {location} was lost while committing; "
                "the write may or may not have happened.",
                hint="Look for it, or repeat the call: a text or an idempotency_key that is already stored "
                "is not written twice.",
            ) from error
        raise translate(error, location) from error


def is_lost(connection: psycopg.Connection[Any], error: psycopg.Error) -> bool:
    """Whether the connection is gone, and not just a statement refused."""
    return connection.closed or (error.sqlstate or "08")[:2] in ("08", "57")


def _meaning(error: psycopg.Error) -> Translation:
    code = error.sqlstate
    if code:
        return MEANINGS.get(code) or MEANINGS.get(code[:2]) or _INTERNAL
    return next((meaning for kind, meaning in _BY_CLASS if isinstance(error, kind)), _INTERNAL)


def _filled(meaning: Translation, error: psycopg.Error, location: str) -> LongmindError:
    reason = _reason(error)
    if meaning.message.startswith("{reason}"):
        reason = reason[:1].upper() + reason[1:]
    return meaning.error(meaning.message.format(store=location, reason=reason), hint=meaning.hint)


def _reason(error: psycopg.Error) -> str:
    """The first line of the server's text; the others name our SQL."""
    lines = (error.diag.message_primary or str(error)).strip().splitlines()
    return lines[0].rstrip(".:") if lines else type(error).__name__
