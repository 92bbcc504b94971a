"""Who reads a turn: the rules, a language model, or both; and what is done when the model fails."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from longmind.base.errors import InvalidInput, OverBudget
from longmind.conversation.candidates import Candidate, from_text, from_turn
from longmind.conversation.config import Config, LlmSettings
from longmind.conversation.contract import ModelItem, memory_prompt, parse_memories
from longmind.conversation.rows import OutcomeRow, select, upsert
from longmind.llm.guard import ModelGuard
from longmind.llm.models import Models
from longmind.llm.prices import Price
from longmind.llm.protocol import LanguageModel, ModelFailed
from longmind.store.engine import Connection
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
    """Reads turns as the configuration says: by rules, by a language model, or by both.

    `model` is asked whatever the configuration names; without it, `models` opens the configured one when it
    is first needed. A key alone enables nothing.
    """

    def __init__(self, guard: ModelGuard, models: Models, *, model: LanguageModel | None = None) -> None:
        self._guard = guard
        self._models = models
        self._own_model = model

    def read(self, text: str, *, space: str, config: Config, speaker: str | None = None) -> Reading:
        mode = config.extractor.mode
        if mode == "heuristic":
            return _by_rules(text, speaker, "heuristic")
        try:
            model = self._model(config.llm)
        except InvalidInput as error:
            return self._fallen_back(text, speaker, "misconfigured", 0, str(error))
        if model is None:
            return _by_rules(text, speaker, "heuristic (no model)")
        started = time.perf_counter_ns()
        try:
            items = self._ask(model, text, space, config.llm)
        except (ModelFailed, OverBudget) as error:
            outcome = error.outcome if isinstance(error, ModelFailed) else error.code
            return self._fallen_back(text, speaker, outcome, _micros(started), error.message)
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

    def _model(self, settings: LlmSettings) -> LanguageModel | None:
        if self._own_model is not None or not settings.model:
            return self._own_model
        return self._models.configured(
            settings.provider,
            settings.model,
            url=settings.endpoint,
            key_variable=settings.api_key_env,
            timeout=settings.timeout_s,
            retries=settings.retries,
        )

    def _ask(self, model: LanguageModel, text: str, space: str, settings: LlmSettings) -> Sequence[ModelItem]:
        priced = settings.input_price or settings.output_price
        answer = self._guard.ask(
            model,
            memory_prompt(text[:_MOST_CHARACTERS]),
            parse_memories,
            space=space,
            price=Price(settings.input_price, settings.output_price) if priced else None,
            failures=settings.breaker_failures,
            seconds=settings.breaker_seconds,
        )
        return answer.value


def count_outcomes(tx: Transaction, space: str, reading: Reading) -> None:
    """Add how a reading went to what is kept of it."""
    for item in reading.outcomes:
        where = "x.space = ? AND x.extractor = ? AND x.outcome = ?"
        old = select(tx.db, OutcomeRow, where, (space, item.extractor, item.outcome))
        before = old[0] if old else OutcomeRow(space, item.extractor, item.outcome, 0, 0)
        upsert(tx.db, before._replace(times=before.times + 1, micros=before.micros + item.micros))


def extraction_figures(db: Connection, space: str) -> dict[str, dict[str, float]]:
    """By extractor: attempts, the part that succeeded, milliseconds each, and the failures by name."""
    found: dict[str, dict[str, float]] = {}
    taken: dict[str, int] = {}
    for row in select(db, OutcomeRow, "x.space = ? ORDER BY x.extractor, x.outcome", (space,)):
        figures = found.setdefault(row.extractor, {"attempts": 0, "succeeded": 0})
        figures["attempts"] += row.times
        taken[row.extractor] = taken.get(row.extractor, 0) + row.micros
        if row.outcome == "answered":
            figures["succeeded"] += row.times
        else:
            figures[row.outcome] = row.times
    for extractor, figures in found.items():
        figures["success_rate"] = figures["succeeded"] / figures["attempts"]
        figures["latency_ms"] = taken[extractor] / 1000 / figures["attempts"]
    return found


def _by_rules(text: str, speaker: str | None, name: str) -> Reading:
    started = time.perf_counter_ns()
    found = from_turn(text, speaker=speaker)
    return Reading(tuple(found), name, (Outcome("heuristic", "answered", _micros(started)),))


def _once(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Without what rules and model both found: one turn sees a memory once."""
    kept: list[Candidate] = []
    seen: set[object] = set()
    for item in candidates:
        said = item.statement
        keys: set[object] = {(item.archives, item.words)}
        if said is not None:
            keys.add(
                (item.archives, said.subject, said.slot, said.value.casefold(), said.polarity, said.ended)
            )
        if not keys & seen:
            kept.append(item)
        seen |= keys
    return tuple(kept)


def _micros(started: int) -> int:
    return (time.perf_counter_ns() - started) // 1000
