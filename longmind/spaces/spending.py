"""What language models may cost a space, and what they did."""

from __future__ import annotations

from collections.abc import Mapping

from longmind.base.errors import OverBudget
from longmind.spaces.policies import Cap, Policy
from longmind.spaces.rows import SpendingRow, select, upsert
from longmind.store.engine import Connection
from longmind.store.transaction import Transaction

ANY = "*"


def check_budget(db: Connection, space: str, policy: Policy, provider: str, *, tokens: int) -> None:
    """Refuse the call that would pass a cap: the provider's own, or that of all together."""
    spent = select(db, SpendingRow, "x.space = ?", (space,))
    for name in (provider, ANY):
        cap = policy.budgets.get(name)
        if cap is None:
            continue
        counted = [row for row in spent if name in (ANY, row.provider)]
        _check(cap, name, space, sum(r.tokens for r in counted) + tokens, sum(r.micro_usd for r in counted))


def _check(cap: Cap, name: str, space: str, tokens: int, micro_usd: int) -> None:
    who = "all providers" if name == ANY else name
    if cap.tokens is not None and tokens > cap.tokens:
        raise OverBudget(
            f"The call would take space '{space}' to {tokens} tokens with {who}; allowed are {cap.tokens}.",
            hint="Raise budgets with set_policy.",
        )
    if cap.usd is not None and micro_usd >= cap.usd * 1_000_000:
        raise OverBudget(
            f"Space '{space}' has spent its {cap.usd:g} USD with {who}.",
            hint="Raise budgets with set_policy.",
        )


def record(tx: Transaction, space: str, provider: str, *, tokens: int, usd: float) -> None:
    held = select(tx.db, SpendingRow, "x.space = ? AND x.provider = ?", (space, provider))
    before = held[0] if held else SpendingRow(space, provider, 0, 0, 0)
    after = before._replace(
        calls=before.calls + 1,
        tokens=before.tokens + tokens,
        micro_usd=before.micro_usd + round(usd * 1_000_000),
    )
    assert tx.system
    upsert(tx.db, after)


def spent(db: Connection, space: str) -> Mapping[str, Mapping[str, float]]:
    return {
        row.provider: {"calls": row.calls, "tokens": row.tokens, "usd": row.micro_usd / 1_000_000}
        for row in sorted(select(db, SpendingRow, "x.space = ?", (space,)))
    }
