"""Commands that only read, answered by the resident process where one runs: it has everything loaded.

The process runs the same command on the same store, so the answer is the same; only the start is spared.
Whatever it cannot answer exactly as this process would (other settings, another version, a key, text from
standard input) is done here.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from longmind.base.store_files import PROJECT_STORE
from longmind.hooks import resident

COMMANDS: Final = frozenset(("search", "recall", "get", "list", "timeline", "stats"))
"""The first word of what may be asked of the process: everyday commands that read, and take a moment."""
_BEFORE_READING: Final = frozenset(("init", "remember", "ingest", "add"))
"""Commands after which somebody at a terminal reads next: the process is then ready by that time."""
TERMINAL: Final = (
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TTY_COMPATIBLE",
)
"""Variables that say how to write; they may differ from one call to the next."""
_ALONE: Final = frozenset(("--help", "-h", "--file", "-"))
"""With one of these words, a command needs this process: its terminal, its standard input, its files."""
_SECONDS: Final = 5.0


def store_of(words: Sequence[str]) -> str | None:
    """The file that a command reads, if the resident process may read it instead."""
    if not words or words[0] not in COMMANDS or any(word.split("=")[0] in _ALONE for word in words):
        return None
    return _store(words)


def store_to_prepare(words: Sequence[str]) -> str | None:
    """The file that a person at a terminal has just written to and has no resident process yet."""
    if not words or words[0] not in _BEFORE_READING or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    store = _store(words)
    return None if store is None or resident.is_running(store) else store


def _store(words: Sequence[str]) -> str | None:
    if any(name.startswith("LONGMIND_KEY") for name in os.environ):
        return None  # an encrypted store is opened by those who have its key, each for itself
    if any(name.endswith("_COMPLETE") for name in os.environ):
        return None
    store = os.environ.get("LONGMIND_STORE") or str(PROJECT_STORE)
    options = words[: words.index("--")] if "--" in words else words
    for position, word in enumerate(options):
        if word.startswith("--store="):
            store = word.partition("=")[2]
        elif word == "--store":
            store = options[position + 1] if position + 1 < len(options) else ""
    path = Path(store).expanduser()
    return str(path) if "://" not in store and path.is_file() else None


def answered(store: str, words: Sequence[str]) -> int | None:
    """Print what the resident process answers, and return its exit code; None if it does not answer."""
    size = shutil.get_terminal_size()
    request = {
        "words": list(words),
        "folder": str(Path.cwd()),
        "store": os.path.realpath(store),
        "terminals": [sys.stdout.isatty(), sys.stderr.isatty()],
        "encoding": sys.stdout.encoding,
        "terminal": {name: os.environ.get(name) for name in TERMINAL}
        | {"COLUMNS": str(size.columns), "LINES": str(size.lines)},
    }
    answer = resident.ask(store, request, seconds=_SECONDS)
    if answer is None or not isinstance(answer.get("code"), int):
        return None
    for stream, name in ((sys.stdout, "out"), (sys.stderr, "err")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        stream.write(str(answer[name]))
        stream.flush()
    return int(answer["code"])


def prepare(store: str) -> None:
    """Start a resident process for the next command."""
    resident.start(store)
