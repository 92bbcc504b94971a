"""A settings file of an agent: our entries put in, and the original restored byte for byte."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from longmind.base.errors import Forbidden, InvalidInput, LongmindError
from longmind.base.json_text import parse_json
from longmind.base.partial import partial_file, put_in_place, writing
from longmind.base.store_files import read_user_file, refuse_store

BACKUP: Final = ".longmind-backup"
"""Suffix of the file that keeps the original."""

Status = Literal["changed", "unchanged", "restored", "removed", "absent"]
Edit = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done to one file."""

    path: str
    status: Status
    note: str = ""


@dataclass(frozen=True, slots=True)
class Backup:
    """What a file was before we changed it."""

    original: bytes | None
    """None: there was no file."""
    installed: str
    """The hash of what we wrote: as long as the file has it, nobody changed the file since."""
    folders_made: int
    """How many folders we made for it, from its own one upwards."""


def install(path: Path, *, without: Edit, with_ours: Edit, dry_run: bool) -> Outcome:
    """Put our entries into a file; `without` takes them out of a text, `with_ours` puts them in."""
    before = _read(path)
    text = _decoded(before, path)
    try:
        edited = with_ours(text)
        cleaned = without(text)
    except LongmindError as error:
        raise InvalidInput(f"{path}: {error.message}", hint=error.hint) from None
    if edited == text:
        return Outcome(str(path), "unchanged")
    if not dry_run:
        backup = _read_backup(path)
        original = before if cleaned == text else cleaned.encode()
        if backup is not None and before is not None and backup.installed == _hash(before):
            original = backup.original
        created = _make_folders(path) or (0 if backup is None else backup.folders_made)
        _write_backup(path, Backup(original, _hash(edited.encode()), created))
        _write(path, edited.encode())
    return Outcome(str(path), "changed")


def uninstall(path: Path, *, without: Edit, dry_run: bool) -> Outcome:
    """The file as it was before; if it was changed since, only our entries are taken out."""
    before = _read(path)
    backup = _read_backup(path)
    if before is None:
        if backup is not None and not dry_run:
            _backup_path(path).unlink(missing_ok=True)
        return Outcome(str(path), "absent")
    if backup is not None and backup.installed == _hash(before):
        if not dry_run:
            _restore(path, backup)
        return Outcome(str(path), "restored" if backup.original is not None else "removed")
    try:
        cleaned = without(_decoded(before, path))
    except LongmindError as error:
        raise InvalidInput(f"{path}: {error.message}", hint=error.hint) from None
    changed = cleaned.encode() != before
    if not dry_run:
        if changed:
            _write(path, cleaned.encode())
        _backup_path(path).unlink(missing_ok=True)
    if not changed:
        return Outcome(str(path), "unchanged")
    note = "it was changed since it was set up, so only Longmind's entries were taken out"
    return Outcome(str(path), "changed", note if backup is not None else "")


def _restore(path: Path, backup: Backup) -> None:
    if backup.original is not None:
        _write(path, backup.original)
    else:
        path.unlink(missing_ok=True)
    _backup_path(path).unlink(missing_ok=True)
    for folder in list(path.parents)[: backup.folders_made]:
        if not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()


def _backup_path(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)


def _read_backup(path: Path) -> Backup | None:
    try:
        raw = parse_json(read_user_file(_backup_path(path)))
        original = None if raw["original"] is None else base64.b64decode(raw["original"], validate=True)
        return Backup(original, str(raw["installed"]), int(raw["folder_made"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_backup(path: Path, backup: Backup) -> None:
    original = None if backup.original is None else base64.b64encode(backup.original).decode()
    raw = {"original": original, "installed": backup.installed, "folder_made": backup.folders_made}
    _write(_backup_path(path), (json.dumps(raw, indent=2) + "\n").encode())


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path) -> bytes | None:
    try:
        return read_user_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Forbidden(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None


def _decoded(content: bytes | None, path: Path) -> str:
    try:
        return "" if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text.", hint="Convert it first.") from None


def _make_folders(path: Path) -> int:
    """Make the folder of a file, and those around it; how many were made."""
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Forbidden(f"{path.parent} cannot be made: {error.strerror}.") from None
    return len(missing)


def _write(path: Path, content: bytes) -> None:
    """All of it or nothing; a link stays a link, and the permissions stay what they were."""
    target = Path(os.path.realpath(path))
    refuse_store(target)
    # A new one is as readable as any file that the user makes; an old one may hold secrets.
    mode = 0o600 if target.exists() else 0o666
    with partial_file(target, mode=mode) as partial:
        with writing(target):
            partial.write_bytes(content)
        put_in_place(partial, target)
