"""What a migration cannot say in SQL: rows that move to another table need new checksums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from longmind.base.errors import Corrupt
from longmind.base.hashing import checksum
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction, read_clock


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
                hint="Restore a backup: longmind restore BACKUP TO.",
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


STEPS: Final[Mapping[int, Callable[[Connection], None]]] = {10: join_ledgers}
"""By the number of the migration whose statements they follow, in the same transaction."""
