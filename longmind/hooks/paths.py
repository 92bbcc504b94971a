"""The files of a hook: the store of the project, and its log and progress beside the store."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

from longmind.base.errors import LongmindError
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_file, put_in_place
from longmind.base.store_files import (
    OLD_PROJECT_STORE,
    PROJECT_STORE,
    StoreFile,
    read_user_file,
    refuse_store,
)

DEFAULT_STORE: Final = PROJECT_STORE
LOG: Final = "hook.log"
PROGRESS: Final = "hook.json"
STATUS: Final = "hook-status.json"
_MOST_LOG: Final = 256 * 1024
_MOST_TRANSCRIPTS: Final = 50


def find_store(named: str | None, folder: Path) -> str:
    """The store named, or that of the project which the folder belongs to; empty if there is none."""
    if named:
        path = Path(named).expanduser()
        return named if "://" in named else str(path if path.is_absolute() else folder / path)
    for parent in (folder, *folder.parents):
        for store in (DEFAULT_STORE, OLD_PROJECT_STORE):
            if (parent / store).is_file():
                return str(parent / store)
    return ""


def beside(store: str) -> Path | None:
    """The folder of the store, if the store is a file."""
    if not store or "://" in store:
        return None
    return Path(store).parent


def log(store: str, line: str) -> None:
    """Write a line to the log beside the store; of a long log the older half goes."""
    folder = beside(store)
    if folder is None or not folder.is_dir():
        return
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    entry = f"{stamp} {' '.join(line.split())[:2000]}\n"
    path = folder / LOG
    try:
        refuse_store(path)  # a link to the store, under the name of the log
        if path.is_file() and path.stat().st_size > _MOST_LOG:
            path.write_bytes(read_user_file(path)[-_MOST_LOG // 2 :].partition(b"\n")[2])
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(entry)
    except (OSError, StoreFile):
        return


def progress(store: str, transcript: Path) -> int:
    """Up to which byte a transcript was read; 0 if that is not known."""
    return _positions(store).get(str(transcript), 0)


def set_progress(store: str, transcript: Path, position: int) -> None:
    """Saves reading a transcript again. Losing it does no harm: every turn has a key and is stored once."""
    folder = beside(store)
    if folder is None:
        return
    positions = _positions(store)
    positions.pop(str(transcript), None)
    positions[str(transcript)] = position
    newest = dict(list(positions.items())[-_MOST_TRANSCRIPTS:])
    _replace(folder / PROGRESS, json.dumps(newest, indent=0))


def note_event(store: str, agent: str, event: str, *, turns: int = 0, error: str = "") -> None:
    """Note what a hook did last, for `longmind doctor`. Losing it does no harm."""
    folder = beside(store)
    if folder is None or not folder.is_dir():
        return
    states = status(store)
    before = states.get(agent, {})
    states[agent] = {
        "event": event,
        "at": int(time.time() * 1000),
        "turns": int(before.get("turns", 0)) + turns,
        "errors": int(before.get("errors", 0)) + bool(error),
        "error": error[:300] or before.get("error", ""),
    }
    _replace(folder / STATUS, json.dumps(states))


def status(store: str) -> dict[str, dict[str, Any]]:
    """By agent: its last event and when, how many turns were kept, how many errors and the last one."""
    folder = beside(store)
    try:
        raw = parse_json(read_user_file(folder / STATUS)) if folder else {}
    except (OSError, ValueError):
        return {}
    if not isinstance(raw, dict):
        return {}
    return {agent: state for agent, state in raw.items() if isinstance(state, dict)}


def _replace(path: Path, text: str) -> None:
    try:
        refuse_store(path)
        with partial_file(path) as partial:
            partial.write_text(text, encoding="utf-8")
            put_in_place(partial, path)
    except (OSError, LongmindError):
        return


def _positions(store: str) -> dict[str, int]:
    folder = beside(store)
    try:
        raw = parse_json(read_user_file(folder / PROGRESS)) if folder else {}
    except (OSError, ValueError):
        return {}
    if not isinstance(raw, dict):
        return {}
    return {key: value for key, value in raw.items() if isinstance(value, int) and value >= 0}
