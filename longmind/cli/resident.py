"""The resident process: it keeps a store and its model loaded, and answers hooks and commands that read.

Hooks write without a model, so when nobody asks, it makes the vectors that are missing, a few at a time.

`python -m longmind.cli.resident STORE SOCKET`; `hooks/resident.py` says how it is found and started.
"""

from __future__ import annotations

import hmac
import io
import json
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import LongmindError
from longmind.base.json_text import parse_json
from longmind.cli import arguments
from longmind.cli.quick import COMMANDS, TERMINAL
from longmind.hooks.local import Local
from longmind.hooks.resident import key_proof, received
from longmind.store.parts import Budget

if TYPE_CHECKING:
    from longmind.memory import Memory

_IDLE_SECONDS: Final = 600.0
_LOOK_SECONDS: Final = 2.0
"""How often it looks whether its store is still there."""
_RECEIVE_SECONDS: Final = 1.0
_MOST_BYTES: Final = 1 << 20
"""Of one question."""
_EMBEDDED_AT_ONCE: Final = 8
"""Frames, between two looks for a question: a hook waits one second at most."""


class Declined(Exception):
    """This process cannot answer as the caller would; the caller does it alone."""


class Captured(io.StringIO):
    """What a command writes, for a terminal that another process has."""

    def __init__(self, *, is_terminal: bool, encoding: str) -> None:
        super().__init__()
        self._is_terminal = is_terminal
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._is_terminal


def serve(store: str, path: Path, *, idle: float = _IDLE_SECONDS) -> None:
    """Answer until nobody asks any more. A second one for the same store ends at once."""
    identity, began = _identity(store), time.time()
    with path.with_suffix(".lock").open("a") as lock:
        if not _is_alone(lock.fileno()):
            return
        with arguments.reading(store) as memory:
            local, filled_at = Local.over(memory), -1
            local.recall("Load what the first question would wait for.", session="")
            try:
                with _listening(path) as listener:
                    asked = time.monotonic()
                    while time.monotonic() - asked < idle and _identity(store) == identity:
                        try:
                            connection, _ = listener.accept()
                        except TimeoutError:
                            filled_at = _fill_vectors(memory, filled_at)
                            continue
                        with connection:
                            # Looked at again: a store that was replaced meanwhile is not the one asked about.
                            if _identity(store) != identity or _changed_since(began):
                                return
                            _answer(connection, memory, local)
                        asked = time.monotonic()
            finally:
                path.unlink(missing_ok=True)
                Path(lock.name).unlink(missing_ok=True)


def _fill_vectors(memory: Memory, filled_at: int) -> int:
    """Make a few of the vectors that are missing; returns the revision at which none were, once it is so."""
    index, store = memory._search.embedding.index, memory.store
    # Somebody who writes, or a store that was damaged or taken away meanwhile, must not end the process.
    with suppress(LongmindError):
        revision = memory.revision
        if index is None or store.engine.read_only or revision == filled_at:
            return filled_at
        if not index.embed_missing(store, Budget(frames=_EMBEDDED_AT_ONCE)).get("embedded"):
            return revision
    return filled_at


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    # It gets its name once it can answer: who connects between `bind` and `listen` is turned away.
    unnamed = path.with_suffix(".new")
    unnamed.unlink(missing_ok=True)
    before = os.umask(0o177)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            listener.bind(str(unnamed))
        finally:
            os.umask(before)
        listener.listen(8)
        listener.settimeout(_LOOK_SECONDS)
        unnamed.replace(path)
        yield listener


def _answer(connection: socket.socket, memory: Memory, local: Local) -> None:
    connection.settimeout(_RECEIVE_SECONDS)
    # Somebody who gave up, or a question that fails, must not end the process for those who ask next.
    with suppress(OSError, ValueError, LongmindError, LookupError, TypeError, AttributeError, Declined):
        request = parse_json(received(connection, _MOST_BYTES))
        if not hmac.compare_digest(str(request["proof"]), key_proof(os.environ)):
            raise Declined  # without the key, or with a wrong one, the store is to be refused
        answer = _command(request, memory) if "words" in request else _recalled(request, local)
        connection.sendall(json.dumps(answer).encode() + b"\n")


def _recalled(request: Mapping[str, Any], local: Local) -> dict[str, Any]:
    text = local.recall(
        str(request["question"]),
        session=str(request["session"]),
        space=request.get("space"),
        user=request.get("user"),
    )
    return {"text": text}


def _command(request: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    """Run a command as the caller would, on the store that is open here."""
    from longmind.cli.app import outcome

    words = [str(word) for word in request["words"]]
    if words[0] not in COMMANDS or request["store"] != memory.store.engine.location:
        raise Declined
    streams = [
        Captured(is_terminal=bool(terminal), encoding=str(request["encoding"]))
        for terminal in request["terminals"]
    ]
    terminal = {name: request["terminal"].get(name) for name in (*TERMINAL, "COLUMNS", "LINES")}
    os.chdir(request["folder"])
    with (
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
        _variables(terminal),
        arguments.opened_already(memory),
    ):
        code = outcome(words)
    return {"code": code, "out": streams[0].getvalue(), "err": streams[1].getvalue()}


@contextmanager
def _variables(values: Mapping[str, str | None]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    _set_variables(values)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _is_alone(descriptor: int) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _identity(store: str) -> tuple[int, int] | None:
    try:
        state = Path(store).stat()
    except OSError:
        return None
    return state.st_dev, state.st_ino


def _changed_since(moment: float) -> bool:
    """Whether Longmind itself was upgraded or edited: this process still has the code of before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("longmind") and getattr(module, "__file__", None):
            try:
                if Path(str(module.__file__)).stat().st_mtime > moment:
                    return True
            except OSError:
                return True
    return False


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
