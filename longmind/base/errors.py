"""The one tree of errors: ten categories, each with a stable code, each also the built-in it means.

```
LongmindError             error           Exception
├── InvalidInput          invalid_input   ValueError
│   ├── NeedsReference        a time phrase such as "last week", and no time it counts from
│   ├── StoreFile             a file of a store where another file was expected
│   └── Unreadable            a source that no document can be made of
├── NotFound              not_found       LookupError
├── Conflict              conflict        RuntimeError
├── Busy                  busy            TimeoutError
│   └── QueueFull             a server with as many requests waiting as it lets wait
├── OverBudget            over_budget     RuntimeError
├── Unavailable           unavailable     ConnectionError
│   ├── HttpFailed            a server that did not answer, or not usably
│   └── ModelFailed           a language model that gave no usable answer
├── MissingExtra          missing_extra   ImportError
├── Unsupported           unsupported     NotImplementedError
├── Corrupt               corrupt         OSError
└── Forbidden             forbidden       PermissionError
    └── Denied                a request that its key does not allow
        └── TooOften              more requests than its key has in a minute
```

A subclass has the code of its category: callers tell errors apart by category, and only code inside the
package, which has something else to try, by subclass. Exit codes and HTTP statuses are given at the edge, in
`cli/errors.py` and `http/errors.py`.
"""

from __future__ import annotations

from typing import ClassVar, Final

_MOST_CHARACTERS: Final = 4000
"""In a message; logs and answers are not for what was sent."""

RESTORE_COMMAND: Final = "longmind restore BACKUP TO --overwrite"
"""With `--overwrite`, because the damaged store is still there; `restore` keeps it under another name."""
RESTORE_HINT: Final = f"Restore a backup: {RESTORE_COMMAND} (what is there now is kept)."


class LongmindError(Exception):
    """Root of every error this package raises on purpose.

    `message` says what was wrong, `hint` what to do about it; `str()` gives both.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        if len(message) > _MOST_CHARACTERS:  # a message may quote an argument, and an argument may be large
            message = message[:_MOST_CHARACTERS] + "…"
        super().__init__(message if hint is None else f"{message} {hint}")
        self.message = message
        self.hint = hint


class InvalidInput(LongmindError, ValueError):
    """An argument that cannot be taken; nothing was written."""

    code = "invalid_input"


class NotFound(LongmindError, LookupError):
    """A named thing that is not there, or not visible from where it was asked for."""

    code = "not_found"


class Conflict(LongmindError, RuntimeError):
    """A request that contradicts what the store already holds."""

    code = "conflict"


class Busy(LongmindError, TimeoutError):
    """Another writer held the store for longer than the caller was willing to wait."""

    code = "busy"


class OverBudget(LongmindError, RuntimeError):
    """A limit the caller set would be passed."""

    code = "over_budget"


class Unavailable(LongmindError, ConnectionError):
    """Something outside the process did not answer: a server, an endpoint, a disk; or a closed store."""

    code = "unavailable"


def install_command(extra: str) -> str:
    """What to type for an optional part: the one form of it, everywhere."""
    return f"pip install 'longmind[{extra}]'"


def run_install(extra: str) -> str:
    """The same as a hint."""
    return f"Run: {install_command(extra)}"


REINSTALL: Final = "Run: pip install --force-reinstall longmind"
"""Where a package is missing that comes with every installation."""


class MissingExtra(LongmindError, ImportError):
    """An optional package is needed and not installed; `extra` names the extra that brings it."""

    code = "missing_extra"

    def __init__(self, message: str, *, extra: str | None = None, hint: str | None = None) -> None:
        super().__init__(message, hint=hint or (run_install(extra) if extra else None))


class Unsupported(LongmindError, NotImplementedError):
    """A sensible request that this engine, file or version cannot serve."""

    code = "unsupported"


class Corrupt(LongmindError, OSError):
    """Stored bytes that are not what was written."""

    code = "corrupt"


class Forbidden(LongmindError, PermissionError):
    """The operation is not allowed: file permissions, a read-only handle, a policy."""

    code = "forbidden"
