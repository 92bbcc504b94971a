"""The ledger of language-model calls, in the store."""

from __future__ import annotations

from longmind.conversation.rows import CallRow, insert
from longmind.llm.guard import CallRecord, Spent
from longmind.store.engine import Connection
from longmind.store.store import Store


class StoredLedger:
    """Calls as rows: what was asked, how it went, what it cost."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def spent(self, *, provider: str, space: str) -> Spent:
        with self._store.read() as snapshot:
            row = snapshot.db.one(
                "SELECT CAST(coalesce(sum(input_tokens + output_tokens), 0) AS BIGINT), "
                "CAST(coalesce(sum(cost_micros), 0) AS BIGINT) FROM llm_call "
                "WHERE provider = ? AND space = ?",
                (provider, space),
            )
        return Spent() if row is None else Spent(int(row[0]), int(row[1]))

    def record(self, call: CallRecord) -> None:
        with self._store.write() as tx:
            row = CallRow(
                call_id=tx.allocate("llm_call"),
                space=call.space,
                provider=call.provider,
                model=call.model,
                outcome=call.outcome,
                input_tokens=call.input_tokens,
                output_tokens=call.output_tokens,
                cost_micros=call.cost_micros,
                millis=call.millis,
                at=tx.now,
                recorded_at=tx.system,
            )
            insert(tx.db, [row])


def spending(db: Connection, space: str) -> dict[str, dict[str, float]]:
    """By provider, model and outcome: calls, tokens, money, milliseconds."""
    found = db.all(
        "SELECT provider, model, outcome, count(*), CAST(sum(input_tokens) AS BIGINT), "
        "CAST(sum(output_tokens) AS BIGINT), CAST(sum(cost_micros) AS BIGINT), CAST(sum(millis) AS BIGINT) "
        "FROM llm_call WHERE space = ? GROUP BY provider, model, outcome ORDER BY provider, model, outcome",
        (space,),
    )
    return {
        f"{provider}/{model}/{outcome}": {
            "calls": int(calls),
            "input_tokens": int(asked),
            "output_tokens": int(given),
            "cost": int(cost) / 1_000_000,
            "millis": int(millis),
        }
        for provider, model, outcome, calls, asked, given, cost, millis in found
    }
