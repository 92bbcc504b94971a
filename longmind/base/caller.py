"""Who is calling, through which interface, and what for: what the audit log says of a commit.

Each interface names itself with `calling`. The public classes of the API name their methods with `audited`;
the outermost one counts, so that an operation made of several steps is one action.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, TypeVar

from longmind.base.errors import InvalidInput

FACES: Final = ("python", "cli", "http", "mcp", "hooks", "sm")
"""The interfaces, as the audit log calls them."""

LOCAL: Final = "local"
"""The actor where nobody was named. Not the name of the system's user: that would be stored unasked."""

UNNAMED: Final = "write"
"""The action of a commit outside of any method of the API."""

_MOST_BYTES: Final = 256

T = TypeVar("T", bound=type)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls in this thread or task."""

    face: str = "python"
    actor: str | None = None
    """A name that was checked, such as that of a key; it wins over the actor of the open store."""
    claim: str | None = None
    """A name that the caller gave itself, such as that of an MCP client: used where there is no other."""

    def name(self, own: str | None) -> str:
        """The actor of a commit; `own` is that of the open store."""
        return self.actor or own or self.claim or LOCAL


_NOBODY: Final = Caller()
_caller: ContextVar[Caller] = ContextVar("longmind_caller", default=_NOBODY)
_action: ContextVar[str | None] = ContextVar("longmind_action", default=None)


def caller() -> Caller:
    return _caller.get()


def action() -> str:
    """What is being done, by the name of the outermost method of the API."""
    return _action.get() or UNNAMED


@contextmanager
def calling(face: str | None = None, *, actor: str | None = None, claim: str | None = None) -> Iterator[None]:
    """What is done inside is done through this interface and by this actor; what is not given stays."""
    before = _caller.get()
    token = _caller.set(
        replace(
            before,
            face=before.face if face is None else face,
            actor=before.actor if actor is None else check_actor(actor),
            claim=before.claim if claim is None else shortened(claim),
        )
    )
    try:
        yield
    finally:
        _caller.reset(token)


def set_face(face: str) -> None:
    """For the rest of this process, for a command that does one thing and ends."""
    _caller.set(replace(_caller.get(), face=face))


@contextmanager
def acting(name: str) -> Iterator[None]:
    """Name what is done inside, unless it is a step of something that has a name already."""
    if _action.get() is not None:
        yield
        return
    token = _action.set(name)
    try:
        yield
    finally:
        _action.reset(token)


def check_actor(name: object) -> str:
    """A name for an actor, or an error."""
    text = name.strip() if isinstance(name, str) else ""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        size = 0
    if not 0 < size <= _MOST_BYTES or not text.isprintable():
        raise InvalidInput(
            "The actor is not a valid name.",
            hint=f"Use 1 to {_MOST_BYTES} bytes of printable text, such as LONGMIND_ACTOR=nightly-job.",
        )
    return text


def shortened(name: str) -> str | None:
    """A name from outside, made fit to be stored; None if nothing is left of it."""
    text = "".join(character for character in name[:64] if character.isprintable()).strip()
    return text.encode("utf-8", "ignore").decode() or None


def audited(prefix: str) -> Callable[[T], T]:
    """Name what the public methods of a class do: the prefix and the name of the method."""

    def name_methods(kind: T) -> T:
        for name, method in list(vars(kind).items()):
            if inspect.isfunction(method) and not name.startswith("_"):
                setattr(kind, name, _named(method, prefix + name.rstrip("_")))
        return kind

    return name_methods


def _named(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    if inspect.isgeneratorfunction(method):
        return method  # its body runs later; the methods it calls have names of their own

    @wraps(method)
    def run(*arguments: Any, **options: Any) -> Any:
        if _action.get() is not None:
            return method(*arguments, **options)
        token = _action.set(name)
        try:
            return method(*arguments, **options)
        finally:
            _action.reset(token)

    return run
