"""What a raw text is about: asked of a language model within the space's budgets, or extracted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.checks import check_label, check_limit, check_text
from longmind.base.errors import InvalidInput, OverBudget
from longmind.llm.guard import ModelGuard
from longmind.llm.ledger import Budgets
from longmind.llm.models import Models, name_of
from longmind.llm.protocol import LanguageModel, ModelFailed
from longmind.spaces import rows
from longmind.spaces.recall import Recaller
from longmind.spaces.redaction import Redactor
from longmind.spaces.semantic import MARK, Raw, filing_prompt, parse_filing, plan_extract
from longmind.spaces.telemetry import Telemetry
from longmind.store.engine import Connection
from longmind.store.store import Store

DEFAULT_MAX_TOKENS: Final = 1200


@dataclass(frozen=True, slots=True)
class SpaceContext:
    """What all spaces of one store share."""

    store: Store
    recaller: Recaller
    telemetry: Telemetry
    backend: Callable[[], str]
    models: Models
    guard: ModelGuard


class Summariser:
    """One text on its way into a space; attempts at writing it share what the model said."""

    def __init__(self, space: str, ctx: SpaceContext) -> None:
        self._space = space
        self._ctx = ctx
        self._answers: dict[str, dict[str, Any]] = {}

    def understand(
        self, kind: str, text: str, given: Mapping[str, Any], redactor: Redactor
    ) -> tuple[dict[str, Any], list[str], float]:
        """The object's fields, by a model if there is one. Nothing unredacted reaches it."""
        metadata = dict(given.get("metadata") or {})
        project = str(given.get("project") or metadata.get("project") or self._space)
        hint = given.get("path_hint")
        raw = Raw(
            kind=redactor.text(kind),
            text=redactor.text(text),
            project=redactor.text(project),
            path_hint=None if hint is None else redactor.text(check_text(hint, "path_hint")),
            tags=tuple(redactor.text(check_label(tag, "tag")) for tag in given.get("tags") or ()),
        )
        notes: list[str] = []
        usd = 0.0
        mark: dict[str, Any] = {"method": "extractive"}
        fields = plan_extract(raw)
        try:
            model = self._model(given.get("model"))
            if model is None:
                notes.append("summarised by extraction: there is no language model")
            else:
                fields, usd = self._ask(model, raw, given)
                mark = {"method": "model", "model": name_of(model)}
        except (ModelFailed, OverBudget) as error:
            if given.get("on_error") == "raise":
                raise
            mark["reason"] = error.code
            notes.append(f"summarised by extraction: {error.message}")
        payload = {
            "path": raw.path_hint or fields["path"],
            "kind": raw.kind,
            "raw": raw.text,
            "summary_micro": fields["summary_micro"],
            "summary_short": fields["summary_short"],
            "summary_long": fields["summary_long"],
            "tags": [*raw.tags, *fields["tags"]],
            "metadata": {**metadata, "project": raw.project, MARK: mark},
            "relevance": "high" if metadata.get("importance") == "high" else fields["relevance"],
        }
        pinned = given.get("auto_pin")
        if pinned is True or (pinned is None and fields.get("auto_pin") is True):
            payload["pinned"] = True
        return payload, notes, usd

    def _ask(self, model: LanguageModel, raw: Raw, given: Mapping[str, Any]) -> tuple[dict[str, Any], float]:
        """One call inside the space's budgets, and its cost; a second attempt at writing asks nothing."""
        answered = self._answers.get(raw.text)
        if answered is not None:
            return answered, 0.0
        most = check_limit(given.get("max_tokens", DEFAULT_MAX_TOKENS), "max_tokens", most=1_000_000)
        prompt = filing_prompt(raw, max_tokens=most, temperature=_temperature(given.get("temperature", 0.0)))
        answer = self._ctx.guard.ask(model, prompt, parse_filing, space=self._space)
        self._answers[raw.text] = answer.value
        return answer.value, answer.cost_micros / 1_000_000

    def _model(self, named: str | LanguageModel | None) -> LanguageModel | None:
        """The model of this call, or of this process; one that is named is opened, never another."""
        if named is None:
            return self._ctx.models.default()
        return self._ctx.models.named(named) if isinstance(named, str) else named


def space_budgets(db: Connection, space: str) -> Budgets:
    """The budgets in a space's policy, for the ledger."""
    record = rows.find_space(db, space)
    return {} if record is None else record.rules().budgets


def _temperature(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2:
        raise InvalidInput(f"temperature must be a number from 0 to 2, not {value!r}.")
    return float(value)
