"""Around a language model: a budget, a circuit breaker, and a ledger of what was spent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from longmind.base.errors import LongmindError
from longmind.llm.protocol import LanguageModel, ModelFailed, Prompt, Reply


@dataclass(frozen=True, slots=True)
class Budget:
    """What one space may spend with one provider, and what tokens cost (per million); 0 is no limit."""

    max_tokens: int = 0
    max_cost: float = 0.0
    input_price: float = 0.0
    output_price: float = 0.0

    def cost_micros(self, input_tokens: int, output_tokens: int) -> int:
        """Millionths of the currency, rounded up."""
        exact = input_tokens * self.input_price + output_tokens * self.output_price
        return int(exact) + (exact > int(exact))


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent so far."""

    tokens: int = 0
    cost_micros: int = 0


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call, for the ledger."""

    space: str
    provider: str
    model: str
    outcome: str
    input_tokens: int
    output_tokens: int
    cost_micros: int
    millis: int


class SpendingLedger(Protocol):
    """Where calls are recorded."""

    def spent(self, *, provider: str, space: str) -> Spent: ...

    def record(self, call: CallRecord) -> None: ...


class Breaker:
    """Stops calling a model that failed too often in a row; after a pause, one call may try again."""

    def __init__(
        self, *, failures: int = 5, seconds: float = 60.0, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._monotonic = monotonic
        self._failed = 0
        self._opened: float | None = None
        self._lock = threading.Lock()

    def check(self) -> None:
        with self._lock:
            if self._opened is None:
                return
            left = self._opened + self._seconds - self._monotonic()
            if left > 0:
                raise ModelFailed(
                    f"The model failed {self._failed} times in a row and rests for {left:.0f} s more.",
                    outcome="circuit_open",
                )
            self._opened = self._monotonic()  # this one may try; the others wait for how it goes

    def succeeded(self) -> None:
        with self._lock:
            self._failed, self._opened = 0, None

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._opened = self._monotonic()


class GuardedModel:
    """A model that keeps to its budget, is left alone while it fails, and accounts for every call."""

    def __init__(
        self, model: LanguageModel, *, space: str, budget: Budget, ledger: SpendingLedger, breaker: Breaker
    ) -> None:
        self.provider = model.provider
        self.model = model.model
        self._model = model
        self._space = space
        self._budget = budget
        self._ledger = ledger
        self._breaker = breaker

    def complete(self, prompt: Prompt) -> Reply:
        self._check_budget(prompt)
        self._breaker.check()
        started = time.monotonic()
        try:
            reply = self._model.complete(prompt)
        except ModelFailed as error:
            self._breaker.failed()
            self._record(error.outcome, None, started)
            raise
        except Exception as error:  # foreign code must not keep a turn from being written
            self._breaker.failed()
            self._record("error", None, started)
            detail = error.message if isinstance(error, LongmindError) else type(error).__name__
            raise ModelFailed(f"The model failed: {detail}.", outcome="error") from error
        self._breaker.succeeded()
        counted = Reply(
            reply.text,
            _count(reply.input_tokens, prompt.estimated_tokens - prompt.max_output_tokens),
            _count(reply.output_tokens, len(reply.text.encode()) // 3 + 1),
        )
        self._record("answered", counted, started)
        return counted

    def _check_budget(self, prompt: Prompt) -> None:
        budget = self._budget
        if not budget.max_tokens and not budget.max_cost:
            return
        spent = self._ledger.spent(provider=self.provider, space=self._space)
        asked = prompt.estimated_tokens - prompt.max_output_tokens
        cost = budget.cost_micros(asked, prompt.max_output_tokens)
        if budget.max_tokens and spent.tokens + prompt.estimated_tokens > budget.max_tokens:
            raise ModelFailed(
                f"The budget of {budget.max_tokens} tokens is used up ({spent.tokens}).",
                outcome="over_budget",
            )
        if budget.max_cost and spent.cost_micros + cost > budget.max_cost * 1_000_000:
            raise ModelFailed(
                f"The budget of {budget.max_cost:g} is used up ({spent.cost_micros / 1e6:g}).",
                outcome="over_budget",
            )

    def _record(self, outcome: str, reply: Reply | None, started: float) -> None:
        asked = 0 if reply is None else reply.input_tokens or 0
        given = 0 if reply is None else reply.output_tokens or 0
        self._ledger.record(
            CallRecord(
                space=self._space,
                provider=self.provider,
                model=self.model,
                outcome=outcome,
                input_tokens=asked,
                output_tokens=given,
                cost_micros=self._budget.cost_micros(asked, given),
                millis=round((time.monotonic() - started) * 1000),
            )
        )


def _count(given: object, estimated: int) -> int:
    """What the server counted, if that is a count; else the estimate."""
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else estimated
