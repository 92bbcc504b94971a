"""Who reads a turn: the rules, a language model, or both; and what is done when the model fails."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from longmind.conversation.candidates import Candidate, from_text, from_turn
from longmind.conversation.config import Config, LlmSettings
from longmind.conversation.rows import OutcomeRow, select, upsert
from longmind.conversation.spending import StoredLedger
from longmind.llm.contract import memory_prompt, parse_memories
from longmind.llm.endpoint import HttpModel, ModelEndpoint
from longmind.llm.guard import Breaker, Budget, GuardedModel
from longmind.llm.protocol import LanguageModel, ModelFailed
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.transaction import Transaction

_MOST_CHARACTERS = 8000
"""Of a turn, so much is shown to a model."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One attempt of one extractor, to be counted."""

    extractor: str
    outcome: str
    micros: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a turn, by whom, and how that went."""

    candidates: tuple[Candidate, ...]
    extractor: str
    outcomes: tuple[Outcome, ...]
    warnings: tuple[str, ...] = ()


class TurnReader:
    """Reads turns as the configuration says. The model is opened when it is first needed.

    `environment` is where the name in `llm.api_key_env` is looked up; a key alone enables nothing.
    """

    def __init__(
        self,
        store: Store,
        *,
        model: LanguageModel | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._store = store
        self._given = model
        self._environment = environment or {}
        self._breakers: dict[tuple[str, ...], Breaker] = {}

    def read(self, text: str, *, space: str, config: Config, speaker: str | None = None) -> Reading:
        mode = config.extractor.mode
        if mode == "heuristic":
            return _by_rules(text, speaker, "heuristic")
        try:
            model = self._model(space, config.llm)
        except Exception as error:
            return self._fallen_back(text, speaker, "misconfigured", 0, str(error))
        if model is None:
            return _by_rules(text, speaker, "heuristic (no model)")
        started = time.perf_counter_ns()
        try:
            reply = model.complete(memory_prompt(text[:_MOST_CHARACTERS]))
            items = parse_memories(reply.text)
        except ModelFailed as error:
            taken = _micros(started)
            return self._fallen_back(text, speaker, error.outcome, taken, error.message)
        answered = Outcome("llm", "answered", _micros(started))
        told = [
            from_text(
                item.content,
                importance=item.importance,
                tags=item.tags,
                rule="llm",
                archives=item.action == "archive",
            )
            for item in items
        ]
        # What a model wants put away goes first, so that it cannot be what the same turn has just said.
        told.sort(key=lambda item: not item.archives)
        if mode == "llm":
            return Reading(_once(tuple(told)), "llm", (answered,))
        rules = _by_rules(text, speaker, "hybrid")
        archived = sum(item.archives for item in told)
        candidates = (*told[:archived], *rules.candidates, *told[archived:])
        return Reading(_once(candidates), "hybrid", (answered, *rules.outcomes))

    def _fallen_back(self, text: str, speaker: str | None, outcome: str, micros: int, why: str) -> Reading:
        rules = _by_rules(text, speaker, f"heuristic (llm: {outcome})")
        outcomes = (Outcome("llm", outcome, micros), *rules.outcomes)
        return Reading(rules.candidates, rules.extractor, outcomes, (f"llm: {why}",))

    def _model(self, space: str, settings: LlmSettings) -> LanguageModel | None:
        model = self._given
        if model is None:
            if not settings.model:
                return None
            key = self._environment.get(settings.api_key_env) if settings.api_key_env else None
            model = HttpModel(
                ModelEndpoint(
                    provider=settings.provider,
                    model=settings.model,
                    url=settings.endpoint,
                    api_key=key or None,
                    timeout=settings.timeout_s,
                    retries=settings.retries,
                )
            )
        name = (model.provider, model.model, settings.endpoint)
        breaker = self._breakers.setdefault(
            name, Breaker(failures=settings.breaker_failures, seconds=settings.breaker_seconds)
        )
        budget = Budget(settings.max_tokens, settings.max_cost, settings.input_price, settings.output_price)
        ledger = StoredLedger(self._store)
        return GuardedModel(model, space=space, budget=budget, ledger=ledger, breaker=breaker)


def count_outcomes(tx: Transaction, space: str, reading: Reading) -> None:
    """Add how a reading went to what is kept of it."""
    for item in reading.outcomes:
        where = "x.space = ? AND x.extractor = ? AND x.outcome = ?"
        old = select(tx.db, OutcomeRow, where, (space, item.extractor, item.outcome))
        before = old[0] if old else OutcomeRow(space, item.extractor, item.outcome, 0, 0)
        upsert(tx.db, before._replace(times=before.times + 1, micros=before.micros + item.micros))


def extraction_figures(db: Connection, space: str) -> dict[str, dict[str, float]]:
    """By extractor: attempts, the part that succeeded, milliseconds each, and the failures by name."""
    totals: dict[str, dict[str, float]] = {}
    taken: dict[str, int] = {}
    for row in select(db, OutcomeRow, "x.space = ? ORDER BY x.extractor, x.outcome", (space,)):
        figures = totals.setdefault(row.extractor, {"attempts": 0, "succeeded": 0})
        figures["attempts"] += row.times
        taken[row.extractor] = taken.get(row.extractor, 0) + row.micros
        if row.outcome == "answered":
            figures["succeeded"] += row.times
        else:
            figures[row.outcome] = row.times
    for extractor, figures in totals.items():
        figures["success_rate"] = figures["succeeded"] / figures["attempts"]
        figures["latency_ms"] = taken[extractor] / 1000 / figures["attempts"]
    return totals


def _by_rules(text: str, speaker: str | None, name: str) -> Reading:
    started = time.perf_counter_ns()
    candidates = from_turn(text, speaker=speaker)
    return Reading(tuple(candidates), name, (Outcome("heuristic", "answered", _micros(started)),))


def _once(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Without what rules and model both found: one turn sees a memory once."""
    distinct: list[Candidate] = []
    seen: set[object] = set()
    for item in candidates:
        statement = item.statement
        keys: set[object] = {(item.archives, item.words)}
        if statement is not None:
            keys.add(
                (
                    item.archives,
                    statement.subject,
                    statement.slot,
                    statement.value.casefold(),
                    statement.polarity,
                    statement.ended,
                )
            )
        if not keys & seen:
            distinct.append(item)
        seen |= keys
    return tuple(distinct)


def _micros(started: int) -> int:
    return (time.perf_counter_ns() - started) // 1000
