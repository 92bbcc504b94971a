"""A small process that keeps a store and its model loaded: how hooks and shell commands find and ask it.

Whoever finds none does the work alone, and starts one for the next time. It listens on a socket that only
the same user may open, writes nothing but vectors that are missing, and ends by itself: when nobody asked
for a while, or when the store is gone or another file. Killing it does no harm. `cli/resident.py` is the
process.

Hooks and commands wait for this module, so it imports little.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from longmind.base.json_text import parse_json

if TYPE_CHECKING:
    from longmind.hooks.events import Turn
    from longmind.hooks.source import Note, Source

OFF_VARIABLE: Final = "LONGMIND_HELPER"
"""Set to `off`, no process is started and none is asked."""
MOST_BYTES: Final = 64 << 20
_CONNECT_SECONDS: Final = 0.1
_HOOK_SECONDS: Final = 1.0
"""More than a search takes, and well within what agents allow a hook."""
_LONGEST_ADDRESS: Final = 100
"""Bytes of a socket's path: systems allow 104 to 108."""
_SETTINGS: Final = ("LONGMIND_", "LC_", "XDG_", "PYTHON")
_SETTING: Final = ("LANG", "TZ", "HOME", "VIRTUAL_ENV", "CUDA_VISIBLE_DEVICES")
_ENDINGS: Final = ("_API_KEY", "_BASE_URL", "_PROXY", "_proxy")
"""Variables that change an answer: a process that was started with others is not asked."""
_KEY: Final = "LONGMIND_KEY"
"""How the variables begin that say where the key of an encrypted store comes from."""
_SECRETS: Final = (_KEY, "LONGMIND_NEW_KEY", "LONGMIND_TOKEN", "LONGMIND_SERVER", "LONGMIND_STORE")
"""Of these, some could be guessed from a hash in a file name, and the others do not matter."""


class Resident:
    """The resident process, asked first; the store itself is opened only if that does not answer."""

    def __init__(
        self,
        opened: Callable[[], Source],
        store: str,
        space: str | None,
        user: str | None,
        environment: Mapping[str, str],
    ) -> None:
        self._opened = opened
        self._store = store
        self._space = space
        self._user = user
        self._environment = environment

    def recall(self, question: str, *, session: str) -> str:
        request = {"question": question, "session": session, "space": self._space, "user": self._user}
        answer = ask(self._store, request, self._environment, seconds=_HOOK_SECONDS)
        if answer is not None and isinstance(answer.get("text"), str):
            return str(answer["text"])
        text = self._opened().recall(question, session=session)
        if _has_model():
            start(self._store, self._environment)
        return text

    def brief(self, topic: str) -> str:
        return self._opened().brief(topic)

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        return self._opened().notes(kinds=kinds, tags=tags, session=session, limit=limit)

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        self._opened().add(session, turns)

    def close(self) -> None:
        """Whoever opened the store closes it."""


def ask(
    store: str, request: Mapping[str, Any], environment: Mapping[str, str] = os.environ, *, seconds: float
) -> dict[str, Any] | None:
    """What the resident process answers; None if there is none, or it does not answer in time."""
    path = address(store, environment)
    if path is None or not path.exists():
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_CONNECT_SECONDS)
            connection.connect(str(path))
            connection.settimeout(seconds)
            connection.sendall(json.dumps({**request, "proof": key_proof(environment)}).encode() + b"\n")
            answer = parse_json(received(connection))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def is_running(store: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether one is there to be asked, as far as can be told without asking."""
    path = address(store, environment)
    return path is not None and path.exists()


def key_proof(environment: Mapping[str, str]) -> str:
    """Shows that a caller has the same key for the store as the process, which may have opened it with one.

    It goes over the socket only: in a name of a file, a passphrase could be guessed from it.
    """
    settings = sorted(item for item in environment.items() if item[0].startswith(_KEY))
    return hashlib.sha256(repr(settings).encode("utf-8", "surrogateescape")).hexdigest()


def start(store: str, environment: Mapping[str, str] = os.environ) -> None:
    """Start one for the next time; failing to is not an error."""
    import subprocess

    path = address(store, environment)
    if path is None:
        return
    full = Path(os.path.realpath(store))
    with suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-P", "-m", "longmind.cli.resident", str(full), str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=full.parent,
            env=dict(environment),
        )


def address(store: str, environment: Mapping[str, str]) -> Path | None:
    """The socket for a store under these settings, in a folder of this user alone; None where that cannot be.

    Another installation, another version or another model has a socket of its own.
    """
    if not hasattr(socket, "AF_UNIX") or "://" in store or environment.get(OFF_VARIABLE) == "off":
        return None
    folder = _folder(environment)
    if folder is None:
        return None
    settings = sorted(
        (name, value)
        for name, value in environment.items()
        if (name.startswith(_SETTINGS) or name in _SETTING or name.endswith(_ENDINGS))
        and not name.startswith(_SECRETS)
    )
    package = Path(__file__).parents[1]
    parts = (os.path.realpath(store), sys.prefix, str(package), package.stat().st_mtime_ns, settings)
    name = hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    path = folder / f"{name}.sock"
    return path if len(os.fsencode(path)) <= _LONGEST_ADDRESS else None


def _folder(environment: Mapping[str, str]) -> Path | None:
    parent = environment.get("XDG_RUNTIME_DIR")
    if not parent:
        import tempfile

        parent = tempfile.gettempdir()
    folder = Path(parent) / f"longmind-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        state = folder.lstat()
    except OSError:
        return None
    # Somebody else's folder of this name, or a link, could lead a question to them.
    if state.st_uid != os.getuid() or not stat.S_ISDIR(state.st_mode) or state.st_mode & 0o077:
        return None
    return folder


def received(connection: socket.socket, most: int = MOST_BYTES) -> bytes:
    """One line of a connection."""
    content = bytearray()
    while block := connection.recv(65536):
        content += block
        if content.endswith(b"\n"):
            break
        if len(content) > most:
            raise ValueError("too much")
    return bytes(content)


def _has_model() -> bool:
    """Without a model, the process would find no more than the hook itself."""
    from longmind.embed.catalogue import MINILM
    from longmind.embed.models import MANIFEST, default_cache

    return (default_cache() / "models" / MINILM.name / MANIFEST).is_file()
