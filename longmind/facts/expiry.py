"""Facts that expire: those recorded for a time, and those that rest on frames which have expired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from longmind.base.filters import View
from longmind.facts.rows import AssertionRow, LapseRow, insert, select_among
from longmind.store.parts import Budget
from longmind.store.store import Store
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause

REASON: Final = "expired"

_GONE: Final = (
    "SELECT u.span_id FROM fact_expiry fx CROSS JOIN fact_support u "
    "WHERE u.assertion_id = fx.assertion_id AND fx.expires_at <= ? "
    "UNION SELECT u.span_id FROM frame_expiry fe CROSS JOIN fact_evidence v CROSS JOIN fact_support u "
    "WHERE v.frame_id = fe.frame_id AND u.assertion_id = v.assertion_id AND fe.expires_at <= ? "
    "UNION SELECT vs.span_id FROM frame_expiry fe CROSS JOIN fact_evidence v CROSS JOIN fact_span vs "
    "WHERE v.frame_id = fe.frame_id AND vs.fact_id = v.fact_id AND fe.expires_at <= ?"
)
"""Spans that rest on something which has expired. From there to the spans, which SQLite would otherwise go
through from the other end: where nothing has expired, it costs a look at two indexes."""

_EVIDENCE: Final = (
    "EXISTS (SELECT 1 FROM fact_evidence w JOIN frame wf ON wf.frame_id = w.frame_id WHERE {} "
    "AND wf.retired_at IS NULL AND NOT EXISTS "
    "(SELECT 1 FROM frame_expiry we WHERE we.frame_id = w.frame_id AND we.expires_at <= ?))"
)
_LASTS: Final = (
    "SELECT 1 FROM fact_support y JOIN fact_assertion z ON z.assertion_id = y.assertion_id "
    "WHERE y.span_id = {span}.span_id AND z.action <> 'end' AND NOT EXISTS "
    "(SELECT 1 FROM fact_expiry ze WHERE ze.assertion_id = z.assertion_id AND ze.expires_at <= ?) "
    f"AND (z.by_hand = 1 OR {_EVIDENCE.format('w.assertion_id = z.assertion_id')} "
    f"OR {_EVIDENCE.format('w.fact_id = z.fact_id')})"
)
"""Something that a span rests on and that has not expired."""


def lasting(view: View, span: str = "s") -> Clause:
    """Spans of which something that they rest on had not expired at the view's instant."""
    moment = view.expiry_moment
    if moment is None:
        return Clause("1 = 1")
    return Clause(
        f"({span}.span_id NOT IN ({_GONE}) OR EXISTS ({_LASTS.replace('{span}', span)}))", (moment,) * 6
    )


def stands(view: View) -> Clause:
    """Assertions `x` that had not expired at the view's instant, nor all that they rest on."""
    moment = view.expiry_moment
    if moment is None:
        return Clause("1 = 1")
    own, general = (
        _EVIDENCE.replace(" AND wf.retired_at IS NULL", "").format(f"w.{column} = x.{column}")
        for column in ("assertion_id", "fact_id")
    )
    return Clause(
        "NOT EXISTS (SELECT 1 FROM fact_expiry xe WHERE xe.assertion_id = x.assertion_id "
        f"AND xe.expires_at <= ?) AND (x.by_hand = 1 OR {own} OR {general})",
        (moment,) * 3,
    )


def lapse(tx: Transaction, numbers: Sequence[int]) -> None:
    """Let assertions whose time is over count no longer; what is held is worked out again without them."""
    from longmind.facts.removal import refresh

    insert(tx.db, [LapseRow(number, tx.system, None, REASON) for number in numbers])
    refresh(tx, select_among(tx.db, AssertionRow, "assertion_id", numbers), reason=REASON)


def erase_expired(store: Store, budget: Budget) -> Mapping[str, int]:
    """Remove assertions whose time is over; part of maintenance."""
    from longmind.facts import removal
    from longmind.store import erasure

    limit = "" if budget.frames is None else f" LIMIT {max(budget.frames, 0)}"
    sql = f"SELECT assertion_id FROM fact_expiry WHERE expires_at <= ? ORDER BY expires_at, 1{limit}"
    now = store.now()
    with store.read() as snapshot:
        if snapshot.db.one(sql, (now,)) is None:
            return {}
    with store.write(makes_room=True) as tx:
        numbers = [int(row[0]) for row in tx.db.all(sql, (now,))]
        assert tx.system
        tx.db.run(erasure.OPEN_GATE)
        counts = removal.erase_facts(tx, select_among(tx.db, AssertionRow, "assertion_id", numbers))
        tx.db.run("DELETE FROM store_erasing")
        number = erasure.mark(tx)
    erasure.scrub(store, number)
    budget.spend(len(numbers))
    return {"expired_facts": len(numbers), **removal.counted(counts)}
