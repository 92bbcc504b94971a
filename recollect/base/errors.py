"""The one tree of errors: few categories, each with a stable code, each also the built-in it means."""

from __future__ import annotations

from typing import ClassVar


class RecollectError(Exception):
    """Root of every error this package raises on purpose.

    `message` says what was wrong, `hint` what to do about it; `str()` gives both.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


class InvalidInput(RecollectError, ValueError):
    """An argument that cannot be taken; nothing was written."""

    code = "invalid_input"


class NotFound(RecollectError, LookupError):
    """A named thing that is not there, or not visible from where it was asked for."""

    code = "not_found"


class Conflict(RecollectError, RuntimeError):
    """A request that contradicts what the store already holds."""

    code = "conflict"


class Busy(RecollectError, TimeoutError):
    """Another writer held the store for longer than the caller was willing to wait."""

    code = "busy"


class OverBudget(RecollectError, RuntimeError):
    """A limit the caller set would be passed."""

    code = "over_budget"


class Unavailable(RecollectError, ConnectionError):
    """Something outside the process did not answer: a server, an endpoint, a disk; or a closed store."""

    code = "unavailable"


class MissingExtra(RecollectError, ImportError):
    """An optional package is needed and not installed."""

    code = "missing_extra"


class Unsupported(RecollectError, NotImplementedError):
    """A sensible request that this engine, file or version cannot serve."""

    code = "unsupported"


class Corrupt(RecollectError, OSError):
    """Stored bytes that are not what was written."""

    code = "corrupt"


class Forbidden(RecollectError, PermissionError):
    """The operation is not allowed: file permissions, a read-only handle, a policy."""

    code = "forbidden"
