"""The one way to ask a language model: inside the budgets, not while it keeps failing, and accounted for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from longmind.base.errors import LongmindError
from longmind.llm.ledger import Reservation, SpendingLedger
from longmind.llm.prices import Price, price_of
from longmind.llm.protocol import NOT_CHARGED, LanguageModel, ModelFailed, Prompt, Reply

T = TypeVar("T")
_MOST_TOKENS: Final = 10**9
"""Of one call: a thousand times more than any model takes."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A checked answer, and what it cost in millionths of a dollar."""

    value: T
    cost_micros: int


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
            remaining = self._opened + self._seconds - self._monotonic()
            if remaining > 0:
                raise ModelFailed(
                    f"The model failed {self._failed} times in a row; next try in {remaining:.0f} s.",
                    outcome="circuit_open",
                )
            self._opened = self._monotonic()  # this call may try; the others wait for how it goes

    def succeeded(self) -> None:
        with self._lock:
            self._failed, self._opened = 0, None

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._opened = self._monotonic()


class ModelGuard:
    """Asks language models on behalf of spaces; safe to share between threads."""

    def __init__(self, ledger: SpendingLedger, *, prices: Mapping[str, Price] | None = None) -> None:
        """`prices` are those that the process states, by `provider:model`; they win over the table."""
        self._ledger = ledger
        self._prices = prices or {}
        self._breakers: dict[tuple[str, str, str], Breaker] = {}

    def ask(
        self,
        model: LanguageModel,
        prompt: Prompt,
        parse: Callable[[str], T],
        *,
        space: str,
        price: Price | None = None,
        failures: int = 5,
        seconds: float = 60.0,
    ) -> Answer[T]:
        """One call, its answer through `parse`, which raises `ModelFailed` for one that cannot be used.

        Raises `OverBudget` before anything is sent, and `ModelFailed` for everything else. `price` is one
        that the store states: it counts only where neither the process, the model itself nor the table knows
        the price.
        """
        # Endpoints fail, not names: the same model at another address has a breaker of its own.
        name = (model.provider, model.model, str(getattr(model, "url", "")))
        breaker = self._breakers.setdefault(name, Breaker(failures=failures, seconds=seconds))
        breaker.check()
        own_price = self._prices.get(f"{model.provider}:{model.model}".casefold()) or price_of(model)
        reservation = self._ledger.reserve(
            space=space,
            provider=model.provider,
            model=model.model,
            input_tokens=prompt.input_tokens,
            output_tokens=prompt.max_output_tokens,
            price=own_price or price,
            stored_price=own_price is None,
        )
        started = time.monotonic()
        try:
            reply = _complete(model, prompt)
        except ModelFailed as error:
            breaker.failed()
            self._settle(reservation, error.outcome, *_used_by_failure(error, prompt), started)
            raise
        breaker.succeeded()
        used = _used(reply, prompt)
        try:
            value = parse(reply.text)
        except ModelFailed as error:
            # An answer that cannot be used was paid for all the same.
            self._settle(reservation, error.outcome, *used, started)
            raise
        return Answer(value, self._settle(reservation, "answered", *used, started))

    def _settle(
        self, reservation: Reservation, outcome: str, input_tokens: int, output_tokens: int, started: float
    ) -> int:
        return self._ledger.settle(
            reservation,
            outcome=outcome,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            millis=round((time.monotonic() - started) * 1000),
        )


def _complete(model: LanguageModel, prompt: Prompt) -> Reply:
    try:
        return model.complete(prompt)
    except ModelFailed:
        raise
    except Exception as error:  # a model may be anybody's code, and must not keep a turn from being written
        detail = error.message if isinstance(error, LongmindError) else type(error).__name__
        raise ModelFailed(f"The language model failed: {detail}.", outcome="error") from error


def _used_by_failure(error: ModelFailed, prompt: Prompt) -> tuple[int, int]:
    """What a call that failed is charged: the estimate, unless the provider said more or took nothing."""
    if error.outcome in NOT_CHARGED:
        return 0, 0
    if error.reply is not None:
        return _used(error.reply, prompt)
    return prompt.input_tokens, prompt.max_output_tokens


def _used(reply: Reply, prompt: Prompt) -> tuple[int, int]:
    """The tokens that the server counted, if those are counts; else estimates."""
    return (
        _count(reply.input_tokens, prompt.input_tokens),
        _count(reply.output_tokens, len(reply.text.encode(errors="replace"))),
    )


def _count(value: object, estimate: int) -> int:
    """No text has 0 tokens: servers that do not count say 0, and their calls would never reach a budget.

    Numbers that no call can have are no counts either, and the ledger could not keep them.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_TOKENS:
        return estimate
    return value or estimate
