"""A small process that keeps the embedding model loaded, so that hooks find by meaning within their time.

A hook that finds none answers by words and facts, and starts one for the next prompt. It listens on a socket
that only the same user may open, reads the store and never writes, and ends by itself: when nobody asked for
a while, or when the store is gone or another file. Killing it does no harm.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.errors import LongmindError
from longmind.base.json_text import parse_json

if TYPE_CHECKING:
    from longmind.hooks.local import Local

OFF_VARIABLE: Final = "LONGMIND_HOOK_HELPER"
"""Set to `off`, no process is started and none is asked."""
_CONNECT_SECONDS: Final = 0.1
_ANSWER_SECONDS: Final = 1.0
"""More than a search takes, and well within what agents allow a hook."""
_IDLE_SECONDS: Final = 600.0
_MOST_BYTES: Final = 1 << 20
_LONGEST_ADDRESS: Final = 100
"""Bytes of a socket's path: systems allow 104 to 108."""


class Resident:
    """The store, with the resident process asked first; without one, a new one is started for next time."""

    def __init__(
        self,
        local: Local,
        store: str,
        space: str | None,
        user: str | None,
        environment: Mapping[str, str],
    ) -> None:
        self.brief, self.notes, self.add, self.close = local.brief, local.notes, local.add, local.close
        self._local = local
        self._store = store
        self._space = space
        self._user = user
        self._environment = environment

    def recall(self, question: str, *, session: str) -> str:
        request = {"question": question, "session": session, "space": self._space, "user": self._user}
        text = ask(self._store, request, self._environment)
        if text is None:
            text = self._local.recall(question, session=session)
            start(self._store, self._environment)
        return text


def ask(store: str, request: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> str | None:
    """What the resident process answers; None if there is none, or it does not answer in time."""
    path = _address(store, environment)
    if path is None or not path.exists():
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_CONNECT_SECONDS)
            connection.connect(str(path))
            connection.settimeout(_ANSWER_SECONDS)
            connection.sendall(json.dumps(request).encode() + b"\n")
            answer = parse_json(_received(connection))
    except (OSError, ValueError):
        return None
    text = answer.get("text") if isinstance(answer, dict) else None
    return text if isinstance(text, str) else None


def start(store: str, environment: Mapping[str, str] = os.environ) -> None:
    """Start one for the next prompt, unless the model is not installed; failing to is not an error."""
    from longmind.embed.catalogue import MINILM
    from longmind.embed.models import MANIFEST, default_cache

    path = _address(store, environment)
    if path is None or not (default_cache() / "models" / MINILM.name / MANIFEST).is_file():
        return
    with suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-P", "-m", "longmind.hooks.resident", store, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=Path(store).parent,
        )


def _address(store: str, environment: Mapping[str, str]) -> Path | None:
    """The socket for a store, in a folder that belongs to this user alone; None where that cannot be."""
    if not hasattr(socket, "AF_UNIX") or "://" in store or environment.get(OFF_VARIABLE) == "off":
        return None
    runtime = environment.get("XDG_RUNTIME_DIR")
    folder = Path(runtime or tempfile.gettempdir()) / f"longmind-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        state = folder.lstat()
    except OSError:
        return None
    # Somebody else's folder of this name, or a link, could lead a question to them.
    if state.st_uid != os.getuid() or not stat.S_ISDIR(state.st_mode) or state.st_mode & 0o077:
        return None
    name = hashlib.sha256(os.path.realpath(store).encode()).hexdigest()[:24]
    path = folder / f"{name}.sock"
    return path if len(os.fsencode(path)) <= _LONGEST_ADDRESS else None


def _received(connection: socket.socket) -> bytes:
    content = bytearray()
    while block := connection.recv(65536):
        content += block
        if content.endswith(b"\n"):
            break
        if len(content) > _MOST_BYTES:
            raise ValueError("too much")
    return bytes(content)


def serve(store: str, path: Path, *, idle: float = _IDLE_SECONDS) -> None:
    """Answer until nobody asks any more. A second one for the same store ends at once."""
    from longmind.base.secret import environment_secret
    from longmind.embed.models import default_cache
    from longmind.hooks.local import Local
    from longmind.search.embedding import AUTO, bind_embedder

    identity = _identity(store)
    with path.with_suffix(".lock").open("a") as lock:
        if not _is_alone(lock.fileno()):
            return
        local = Local(store, space=None, read_only=True, key=environment_secret(os.environ))
        try:
            local.embedding = bind_embedder(local.store, AUTO, cache=default_cache())
            local.recall("Load what the first question would wait for.", session="")
            path.unlink(missing_ok=True)
            before = os.umask(0o177)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
                listener.bind(str(path))
                os.umask(before)
                listener.listen(8)
                listener.settimeout(idle)
                while _identity(store) == identity:
                    try:
                        connection, _ = listener.accept()
                    except TimeoutError:
                        return
                    with connection:
                        _answer(connection, local)
        finally:
            path.unlink(missing_ok=True)
            local.close()


def _answer(connection: socket.socket, local: Local) -> None:
    connection.settimeout(_ANSWER_SECONDS)
    # A hook that gave up, or a question that fails, must not end the process for those who ask next.
    with suppress(OSError, ValueError, LongmindError, KeyError, TypeError):
        request = parse_json(_received(connection))
        text = local.recall(
            str(request["question"]),
            session=str(request["session"]),
            space=request.get("space"),
            user=request.get("user"),
        )
        connection.sendall(json.dumps({"text": text}).encode() + b"\n")


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


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
