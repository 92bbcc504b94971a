"""The ledger of what language models cost: money is reserved before a call and settled after it.

There is one ledger for the whole store. Whoever calls a model on behalf of a space, to read a turn or to file
a note, spends from the same budgets. Reserving and settling are one write transaction each, so budgets hold
across threads and processes: two callers can never both take what is left for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from longmind.base.errors import OverBudget
from longmind.base.partitions import split_partition
from longmind.llm.prices import Price
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.tables import Tables

ALL_PROVIDERS: Final = "*"
"""The budget for everything a space spends."""
EACH_PROVIDER: Final = "each"
"""The budget for what a space spends with any one provider."""
RESERVED: Final = "reserved"
"""The outcome of a call that has not come back. A process that is killed leaves it so, and the estimate stays
counted: the provider may have charged for it."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that a space may spend, or all spaces together; None means no limit, and 0 means no calls."""

    usd: float | None = None
    tokens: int | None = None
    all_spaces: bool = False


Budgets = Mapping[str, Cap]
"""By provider, `ALL_PROVIDERS` or `EACH_PROVIDER`."""

BudgetsOf = Callable[[Connection, str], Budgets]
"""Reads the budgets of a space, inside the transaction that reserves."""


class CallRow(NamedTuple):
    """One call: what was asked, how it went, what it cost (in millionths of a dollar)."""

    call_id: int
    space: str
    provider: str
    model: str
    outcome: str
    input_tokens: int
    output_tokens: int
    cost_micros: int
    millis: int
    at: int
    recorded_at: int


_TABLES: Final = Tables({CallRow: "llm_call"})
_HINT: Final = (
    "Raise budgets in the space's policy, llm.max_tokens and llm.max_cost in the settings, or max_tokens and "
    "max_usd of the process."
)
_USERS: Final = "@"
"""Between the name of a space and that of a user in the name of a user's part of it."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """A call that may be made: what it can cost at most is counted already."""

    row: CallRow
    price: Price | None


class SpendingLedger:
    """The calls of one store, and the budgets they are held to; `budgets` say where limits are written.

    `limit` is what the process lets all spaces together spend. It holds a call to a price that does not come
    from the store.
    """

    def __init__(self, store: Store, budgets: Sequence[BudgetsOf] = (), *, limit: Cap | None = None) -> None:
        self._store = store
        self._budgets = tuple(budgets)
        self._limit = None if limit is None else replace(limit, all_spaces=True)

    def reserve(
        self,
        *,
        space: str,
        provider: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        price: Price | None,
        stored_price: bool = False,
    ) -> Reservation:
        """Count the most that a call can cost, or raise `OverBudget` and count nothing.

        `stored_price` says that the price was taken from the store. What is spent for its users is spent by
        the space: it has the budgets.
        """
        shared, _ = split_partition(space)
        with self._store.write() as tx:
            row = CallRow(
                call_id=tx.allocate("llm_call"),
                space=shared,
                provider=provider.strip().casefold(),  # "OpenAI" and "openai" share one budget
                model=model,
                outcome=RESERVED,
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cost_micros=0 if price is None else price.micros(input_tokens, output_tokens),
                millis=0,
                at=tx.now,
                recorded_at=tx.system,
            )
            priced = price is not None
            if self._limit is not None:
                _check(tx.db, row, ALL_PROVIDERS, self._limit, priced=priced and not stored_price)
            for read_budgets in self._budgets:
                for name, cap in read_budgets(tx.db, shared).items():
                    _check(tx.db, row, name.strip().casefold(), cap, priced=priced)
            _TABLES.insert(tx.db, [row])
        return Reservation(row, price)

    def settle(
        self, reservation: Reservation, *, outcome: str, input_tokens: int, output_tokens: int, millis: int
    ) -> int:
        """Replace the estimate by what was used; returns the cost in millionths of a dollar."""
        price = reservation.price
        cost = 0 if price is None else price.micros(input_tokens, output_tokens)
        row = reservation.row._replace(
            outcome=outcome,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_micros=cost,
            millis=millis,
        )
        with self._store.write() as tx:
            assert tx.system  # a change like any other: it gets a place on the system axis
            # An update and not a new row: if the space was deleted in the meantime, nothing comes back.
            tx.db.run(
                "UPDATE llm_call SET outcome = ?, input_tokens = ?, output_tokens = ?, cost_micros = ?, "
                "millis = ?, checksum = ? WHERE call_id = ?",
                (outcome, input_tokens, output_tokens, cost, millis, _TABLES.seal(row), row.call_id),
            )
        return cost


def _check(db: Connection, call: CallRow, name: str, cap: Cap, *, priced: bool) -> None:
    """Refuse a call that could pass one cap."""
    if name not in (call.provider, ALL_PROVIDERS, EACH_PROVIDER):
        return
    if cap.usd is None and cap.tokens is None:
        return
    provider = None if name == ALL_PROVIDERS else call.provider
    who = "this store" if cap.all_spaces else f"space '{_space_of(call.space)}'"
    whose = provider or "all providers"
    if cap.tokens == 0 or cap.usd == 0:
        # Also a call that costs nothing: whoever sets a budget to 0 wants none to be made.
        raise OverBudget(f"The budget of {who} with {whose} is 0: no call is made.", hint=_HINT)
    tokens, micros = _spent(db, None if cap.all_spaces else _space_of(call.space), provider)
    tokens += call.input_tokens + call.output_tokens
    if cap.tokens is not None and tokens > cap.tokens:
        raise OverBudget(
            f"The call could take {who} to {tokens} tokens with {whose}; the budget is {cap.tokens}.",
            hint=_HINT,
        )
    if cap.usd is None:
        return
    if not priced:
        raise OverBudget(
            f"{who[0].upper()}{who[1:]} has a budget of money, and the price of {call.provider}:{call.model} "
            "is not known.",
            hint="Give the model a price in [prices] of the configuration file, or set a budget of tokens.",
        )
    usd = (micros + call.cost_micros) / 1_000_000
    if usd > cap.usd:
        raise OverBudget(
            f"The call could take {who} to {usd:.6g} USD with {whose}; the budget is {cap.usd:g} USD.",
            hint=_HINT,
        )


def _spent(db: Connection, space: str | None, provider: str | None) -> tuple[int, int]:
    """Tokens and millionths of a dollar: of a space with all its users, or of the whole store."""
    sql = (
        "SELECT CAST(coalesce(sum(input_tokens + output_tokens), 0) AS BIGINT), "
        "CAST(coalesce(sum(cost_micros), 0) AS BIGINT) FROM llm_call WHERE 1 = 1"
    )
    values: list[str | int] = []
    if space is not None:
        sql += " AND (space = ? OR substr(space, 1, ?) = ?)"
        values += [space, len(space) + 1, space + _USERS]
    if provider is not None:
        sql += " AND provider = ?"
        values.append(provider)
    [(tokens, micros)] = db.all(sql, tuple(values))
    return int(tokens), int(micros)


def _space_of(space: str) -> str:
    """The space that a user's part belongs to: a budget is the space's, whoever spends it."""
    return space.partition(_USERS)[0]


def spending_by_outcome(db: Connection, space: str) -> dict[str, dict[str, float]]:
    """By provider, model and outcome: calls, tokens, money, milliseconds."""
    rows = db.all(
        "SELECT provider, model, outcome, count(*), CAST(sum(input_tokens) AS BIGINT), "
        "CAST(sum(output_tokens) AS BIGINT), CAST(sum(cost_micros) AS BIGINT), CAST(sum(millis) AS BIGINT) "
        "FROM llm_call WHERE space = ? GROUP BY provider, model, outcome ORDER BY provider, model, outcome",
        (space,),
    )
    return {
        f"{provider}/{model}/{outcome}": {
            "calls": int(calls),
            "input_tokens": int(input_tokens),
            "output_tokens": int(output_tokens),
            "cost": int(cost) / 1_000_000,
            "millis": int(millis),
        }
        for provider, model, outcome, calls, input_tokens, output_tokens, cost, millis in rows
    }


def spending_by_provider(db: Connection, space: str) -> dict[str, dict[str, float]]:
    """By provider: calls, tokens, dollars."""
    rows = db.all(
        "SELECT provider, count(*), CAST(sum(input_tokens + output_tokens) AS BIGINT), "
        "CAST(sum(cost_micros) AS BIGINT) FROM llm_call WHERE space = ? GROUP BY provider ORDER BY provider",
        (space,),
    )
    return {
        str(provider): {"calls": int(calls), "tokens": int(tokens), "usd": int(cost) / 1_000_000}
        for provider, calls, tokens, cost in rows
    }


def erase_spending(db: Connection, space: str) -> None:
    """Take the name of a space that is deleted off its calls.

    What they cost stays: otherwise deleting a space would give money back that is spent.
    """
    for row in _TABLES.select(db, CallRow, "x.space = ?", (space,)):
        unnamed = row._replace(space="")
        db.run(
            "UPDATE llm_call SET space = '', checksum = ? WHERE call_id = ?",
            (_TABLES.seal(unnamed), row.call_id),
        )
