"""The numbered schema changes, and which of them a store still needs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from longmind.base.errors import Corrupt, Unsupported

_NAME = re.compile(r"(\d{4})_(\w+)\.sql")

LEDGER = """
CREATE TABLE IF NOT EXISTS migration (
  number       INTEGER PRIMARY KEY,
  name         TEXT NOT NULL,
  sha256       TEXT NOT NULL,
  applied_at   BIGINT NOT NULL
)
"""
"""The table, on both engines, that says which migrations a store has seen."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from the format before to the format `number`."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@cache
def migrations(engine: str) -> tuple[Migration, ...]:
    """All migrations of one engine, in order; the numbers run from 1 without a gap."""
    numbered = []
    for entry in files("longmind.store").joinpath("schema", engine).iterdir():
        match = _NAME.fullmatch(entry.name)
        if match:
            numbered.append(Migration(int(match[1]), match[2], entry.read_text("utf-8")))
    numbered.sort(key=lambda migration: migration.number)
    if [migration.number for migration in numbered] != list(range(1, len(numbered) + 1)):
        raise Corrupt(f"The migrations of {engine} are not numbered from 1 without a gap; reinstall.")
    return tuple(numbered)


def pending(engine: str, seen: Mapping[int, str], *, declared: int, location: str) -> list[Migration]:
    """The migrations still to run on a store of format `declared` that has `seen` these numbers."""
    available = migrations(engine)
    latest = max([declared, *seen])
    if latest > len(available):
        raise Unsupported(
            f"{location} has format {latest}; this version of Longmind knows formats up to {len(available)}.",
            hint="Upgrade Longmind.",
        )
    if sorted(seen) != list(range(1, declared + 1)):
        raise Corrupt(
            f"{location} says it has format {declared}, but has seen the migrations {sorted(seen)}.",
            hint="Restore a backup: longmind restore BACKUP TO.",
        )
    for migration in available[:declared]:
        if seen[migration.number] != migration.sha256:
            raise Corrupt(
                f"Migration {migration.number} of {location} is not the one this version has.",
                hint="Restore a backup (longmind restore BACKUP TO), or use the version that wrote it.",
            )
    return list(available[declared:])
