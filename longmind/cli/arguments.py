"""What a person typed, as values: which store, which moment, which text."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from longmind.base.addresses import shown_location
from longmind.base.checks import check_text
from longmind.base.errors import Conflict, Forbidden, InvalidInput, LongmindError, NotFound
from longmind.base.filters import SpaceLike
from longmind.base.names import ALL, DEFAULT_SPACE
from longmind.base.partitions import partition_name
from longmind.base.secret import environment_secret
from longmind.base.store_files import (
    OLD_PROJECT_STORE,
    how_to_move,
    in_family,
    open_user_file,
    read_user_file,
)
from longmind.base.times import FOREVER, AsOf, SystemClock
from longmind.cli import telemetry
from longmind.when.arguments import parse_moment

if TYPE_CHECKING:
    from longmind.memory import Memory

DEFAULT_STORE: Final = ".longmind/memory.mind"
DEVICE_VARIABLE: Final = "LONGMIND_DEVICE"
PROCESSES_VARIABLE: Final = "LONGMIND_EXTRACTION_PROCESSES"
MEMORY_LIMIT_VARIABLE: Final = "LONGMIND_MEMORY_LIMIT"
ORDERING_VARIABLE: Final = "LONGMIND_MEMORY_BACKEND"
SEMANTIC_MODEL_VARIABLE: Final = "LONGMIND_MEMORY_SEMANTIC_MODEL"
RERANKER_VARIABLE: Final = "LONGMIND_RERANKER"
STORE_VARIABLE: Final = "LONGMIND_STORE"
USER_VARIABLE: Final = "LONGMIND_USER"
_ANY_SPACE: Final = "*"
_LOOKED_AT: Final = 512
_SIZE = re.compile(r"(\d{1,19})\s*(?:([KMG])(?:i?B)?)?", re.IGNORECASE)

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        envvar=STORE_VARIABLE,
        metavar="PATH|URL",
        show_default=DEFAULT_STORE,
        help="The memory: a file, or postgresql://…?store=name.",
    ),
]
SpaceOption = Annotated[str, typer.Option("--space", metavar="NAME", help="The space to write to.")]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user", envvar=USER_VARIABLE, metavar="NAME", help="Whose memory it is, besides what all share."
    ),
]
MemoryLimitOption = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        envvar=MEMORY_LIMIT_VARIABLE,
        metavar="BYTES",
        show_default="256MB",
        help="How much of the store to keep in memory between calls, in bytes or as 64MB.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON for programs.")]
MOMENT: Final = "MOMENT"
"""How a time is called in the help; `moment` reads it."""


_open_memory: ContextVar[Memory | None] = ContextVar("longmind_open_memory", default=None)


@contextmanager
def opened_already(memory: Memory) -> Iterator[None]:
    """Let commands that read use this memory instead of opening the store that they name."""
    token = _open_memory.set(memory)
    try:
        yield
    finally:
        _open_memory.reset(token)


@contextmanager
def reading(
    store: str | None,
    *,
    space: str = DEFAULT_SPACE,
    user: str | None = None,
    memory_limit: str | None = None,
    keyed: bool = True,
    read_only: bool = False,
) -> Iterator[Memory]:
    """An existing store; one that may not be written is opened read-only. Not `keyed`: without its key."""
    memory = _open_memory.get()
    if memory is not None:
        yield memory
        return
    from longmind.memory import Memory

    location = store or DEFAULT_STORE
    _check_moved(store)
    _check_not_text(location)
    try:
        memory = Memory.open(
            location,
            space=space,
            create=False,
            read_only=read_only or not _may_write(location),
            **_opening_options(memory_limit, user) | ({} if keyed else {"key": None}),
        )
    except NotFound as error:
        raise _nothing_there(store, error) from None
    with memory:
        yield memory


@contextmanager
def writing(
    store: str | None,
    *,
    space: str = DEFAULT_SPACE,
    user: str | None = None,
    memory_limit: str | None = None,
    registry: Any = None,
) -> Iterator[Memory]:
    """A store to write to, created if it is not there; the default one gets its folder too.

    `registry` is a Prometheus registry, where project spaces count what is done in them.
    """
    from longmind.memory import Memory

    options = _opening_options(memory_limit, user, registry)
    partition_name(space, options["user"])  # refused before a folder is created
    _check_moved(store)
    _check_not_text(store or DEFAULT_STORE)
    if store is None:
        try:
            Path(DEFAULT_STORE).parent.mkdir(exist_ok=True)
        except OSError as error:
            raise Forbidden(
                f"The folder {Path(DEFAULT_STORE).parent} cannot be made here: {error.strerror}.",
                hint=f"Name another place with --store or {STORE_VARIABLE}.",
            ) from None
    with Memory.open(store or DEFAULT_STORE, space=space, **options) as memory:
        yield memory


def _check_moved(store: str | None) -> None:
    """Refuse to begin a second memory beside one that lies here under the old name."""
    command = how_to_move(Path()) if store is None else None
    if command is not None:
        raise Conflict(
            f"This folder has a memory under its old name, {OLD_PROJECT_STORE}.",
            hint=f"Move it first: {command}",
        )


def _opening_options(memory_limit: str | None, user: str | None, registry: Any = None) -> dict[str, Any]:
    """Options of `Memory.open` from the environment; what is on the command line wins."""
    options: dict[str, Any] = {}
    limit = memory_limit or os.environ.get(MEMORY_LIMIT_VARIABLE)
    if limit:
        options["memory_limit"] = byte_count(limit)
    return options | {
        "user": os.environ.get(USER_VARIABLE) or None if user is None else user,
        "reranker": os.environ.get(RERANKER_VARIABLE) or None,
        "ordering": os.environ.get(ORDERING_VARIABLE) or None,
        "semantic_model": os.environ.get(SEMANTIC_MODEL_VARIABLE) or None,
        "telemetry": telemetry.of_spaces(registry),
        "key": environment_secret(os.environ),
        "device": os.environ.get(DEVICE_VARIABLE) or "auto",
        "extraction_processes": _processes(os.environ.get(PROCESSES_VARIABLE) or "auto"),
    }


def _processes(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def byte_count(text: str) -> int:
    """A number of bytes, also as 64MB; a kilobyte is 1024 bytes, as in the default limit."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(
            f"{text!r} is not a number of bytes.",
            hint=f"Write 64MB in --memory-limit or {MEMORY_LIMIT_VARIABLE}.",
        )
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[(match[2] or "").upper()]


def no_model_note(problem: str | None = None) -> str:
    """That search has to do without meaning, and what to type."""
    because = f"The embedding model could not be installed: {problem} " if problem else ""
    state = "" if because else "No embedding model is installed. "
    return f"{because}{state}Search goes by words only. To search by meaning: longmind models install"


def _check_not_text(location: str) -> None:
    """A text file is a mistyped path, not a damaged memory: say so before anything looks at it as one."""
    path = Path(location).expanduser()
    if "://" in location or location == ":memory:" or in_family(path.name) or not path.is_file():
        return
    try:
        with open_user_file(path) as file:
            beginning = file.read(_LOOKED_AT)
    except (OSError, LongmindError):
        return
    if beginning and beginning.isascii() and b"\x00" not in beginning:
        raise InvalidInput(
            f"{location} is a text file, not a memory.",
            hint=f"Check the path in --store or {STORE_VARIABLE}.",
        )


def is_new(store: str | None) -> bool:
    """Whether the store is a file that is not there yet."""
    location = store or DEFAULT_STORE
    return "://" not in location and not os.path.lexists(Path(location).expanduser())


def text_from(text: str | None, file: Path | None, name: str) -> str:
    """A text that was given, or read from a file, or from standard input for `-`."""
    if text is not None and file is not None:
        raise InvalidInput("Both a text and --file were given.", hint="Give one of them.")
    if file is not None:
        return _decoded(_file_bytes(file), str(file))
    if text is None:
        raise InvalidInput(
            f"There is no {name}.",
            hint='Give a text in quotes, --file PATH, or "-" to read standard input.',
        )
    if text == "-":
        # The line break that ends a piped line is the shell's, not the text's.
        text = re.sub(r"\r?\n\Z", "", _decoded(sys.stdin.buffer.read(), "Standard input"))
    return check_text(text, name)  # refused before a file is created


def moment(text: str | None, name: str) -> int | None:
    """A time in ISO 8601 or unix milliseconds; a date is its first instant, and UTC where it says no zone."""
    return None if text is None else parse_moment(text, name)


def as_of(text: str | None) -> AsOf:
    """What is known and valid now, or what was at the moment given."""
    chosen = moment(text, "--as-of")
    return AsOf(system=FOREVER, valid=SystemClock().now()) if chosen is None else AsOf.at(chosen)


def spaces(names: Iterable[str] | None) -> SpaceLike | None:
    chosen = list(names or ())
    return ALL if _ANY_SPACE in chosen else chosen or None


def pairs(texts: Iterable[str] | None, option: str = "--metadata") -> dict[str, Any]:
    """`key=value` pairs; a value that is JSON is taken as such, anything else as text."""
    values: dict[str, Any] = {}
    for pair in texts or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"{option}: expected key=value, got {pair!r}.")
        try:
            values[key.strip()] = json.loads(value)
        except ValueError:
            values[key.strip()] = value
    return values


def _nothing_there(store: str | None, error: NotFound) -> NotFound:
    """The same error with the way on that a person at the command line has."""
    if store is None:
        return NotFound(
            f"Longmind found no memory in this folder ({DEFAULT_STORE}).",
            hint=f'Create one with: longmind remember "…", or name another with --store or {STORE_VARIABLE}.',
        )
    if "://" not in store and not Path(store).expanduser().parent.is_dir():
        return NotFound(error.message, hint=f"Check the path in --store or {STORE_VARIABLE}.")
    return NotFound(
        error.message,
        hint=f'Check it, or begin it with: longmind remember "…" --store {shown_location(store)}',
    )


def _may_write(location: str) -> bool:
    if "://" in location or location == ":memory:":
        return True
    path = Path(location).expanduser()
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _file_bytes(file: Path) -> bytes:
    try:
        return read_user_file(file.expanduser())
    except FileNotFoundError:
        raise NotFound(f"{file} does not exist.", hint="Check the path.") from None
    except PermissionError:
        raise Forbidden(f"{file} may not be read.", hint="Check its permissions.") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}.") from None


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} is not UTF-8 text: byte {error.start} cannot be read.", hint="Convert it first."
        ) from None
