"""The numbered schema changes, which of them a store still needs, and what they cannot say in SQL."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from longmind.base.errors import REINSTALL, RESTORE_COMMAND, RESTORE_HINT, Corrupt, Unsupported
from longmind.base.hashing import checksum
from longmind.store.carry_over import pack_postings, seal_assertions
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction, read_clock

_COMMENT = re.compile(r"--[^\n]*")
_TOKEN = re.compile(
    r"--[^\n]*"  # a comment
    r"|'(?:[^']|'')*'"  # a text
    r'|"(?:[^"]|"")*"'  # a name in quotes
    r"|\$(\w*)\$.*?\$\1\$"  # the body of a function
    r"|;",
    re.DOTALL,
)
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

    @property
    def statements(self) -> list[str]:
        """Those for PostgreSQL one by one: a server that passes them on (Citus) takes one at a time."""
        return split_statements(self.sql)


def split_statements(sql: str) -> list[str]:
    """The statements of a script; a semicolon in a comment, a quoted text or a function's body ends none."""
    statements, start = [], 0
    for match in _TOKEN.finditer(sql):
        if match[0] == ";":
            statements.append(sql[start : match.start()].strip())
            start = match.end()
    statements.append(sql[start:].strip())
    return [text for text in statements if _COMMENT.sub("", text).strip()]


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
        raise Corrupt(
            f"The migrations of {engine} are not numbered from 1 without a gap; reinstall.",
            hint=REINSTALL,
        )
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
            hint=RESTORE_HINT,
        )
    for migration in available[:declared]:
        if seen[migration.number] != migration.sha256:
            raise Corrupt(
                f"Migration {migration.number} of {location} is not the one this version has.",
                hint=f"Restore a backup ({RESTORE_COMMAND}), or use the version that wrote it.",
            )
    return list(available[declared:])


def join_ledgers(db: Connection) -> None:
    """Format 10: what spaces spent, kept as sums by provider, becomes calls in the one ledger.

    As many calls as there were, so that counts stay right; each with its share, and the first with what is
    left over. Which model it was and how the tokens were divided was never written down.
    """
    sql = "SELECT space, provider, calls, tokens, micro_usd, checksum FROM space_spending ORDER BY 1, 2"
    for *row, seal in db.all(sql):
        if checksum("space_spending", *row) != seal:
            raise Corrupt(
                f"What space '{row[0]}' has spent is not what was written.",
                hint=RESTORE_HINT,
            )
        space, provider, calls, tokens, micros = row
        moment = read_clock(db)
        first = Transaction(db, now=moment).allocate("llm_call", calls)
        for number in range(calls):
            share, cost = (
                total // calls + (total % calls if number == 0 else 0) for total in (tokens, micros)
            )
            call = (first + number, space, provider.casefold(), "unknown", "answered", share, 0, cost, 0)
            call_row = (*call, moment, moment)
            marks = ", ".join("?" * (len(call_row) + 1))
            db.run(f"INSERT INTO llm_call VALUES ({marks})", (*call_row, checksum("llm_call", *call_row)))
    db.run("DROP TABLE space_spending")


STEPS: Final[Mapping[int, Callable[[Connection], None]]] = {
    10: join_ledgers,
    11: seal_assertions,
    16: pack_postings,
}
"""By the number of the migration whose statements they follow, in the same transaction."""
