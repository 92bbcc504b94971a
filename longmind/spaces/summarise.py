"""What a raw text is about: asked of a language model within the space's budget, or extracted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.checks import check_label, check_limit, check_text
from longmind.base.errors import InvalidInput, LongmindError
from longmind.spaces import semantic, spending
from longmind.spaces.policies import Policy
from longmind.spaces.recall import Recaller
from longmind.spaces.redaction import Redactor
from longmind.spaces.semantic import Model, Raw
from longmind.spaces.telemetry import Telemetry
from longmind.store.store import Store

DEFAULT_MAX_TOKENS: Final = 1200


@dataclass(frozen=True, slots=True)
class SpaceContext:
    """What all spaces of one store share."""

    store: Store
    recaller: Recaller
    telemetry: Telemetry
    backend: Callable[[], str]
    model: Model | None = None
    open_model: Callable[[str], Model] | None = None


class Summariser:
    """One text on its way into a space; attempts at writing it share what the model said."""

    def __init__(self, space: str, ctx: SpaceContext) -> None:
        self._space = space
        self._ctx = ctx
        self._asked_before: dict[bytes, dict[str, Any]] = {}

    def understand(
        self,
        kind: str,
        text: str,
        given: Mapping[str, Any],
        policy: Policy,
        redactor: Redactor,
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
        fields = semantic.plan_extract(raw)
        model, name = self._model(given.get("model"))
        if model is not None:
            try:
                fields, usd = self._asked(model, name, raw, given, policy)
                mark = {"method": "model", "model": name}
            except LongmindError as error:
                if given.get("on_error") == "raise":
                    raise
                mark["reason"] = error.code
                notes.append(f"summarised by extraction: {error.message}")
        else:
            notes.append("summarised by extraction: there is no language model")
        payload = {
            "path": raw.path_hint or fields["path"],
            "kind": raw.kind,
            "raw": raw.text,
            "summary_micro": fields["summary_micro"],
            "summary_short": fields["summary_short"],
            "summary_long": fields["summary_long"],
            "tags": [*raw.tags, *fields["tags"]],
            "metadata": {**metadata, "project": raw.project, semantic.MARK: mark},
            "relevance": "high" if metadata.get("importance") == "high" else fields["relevance"],
        }
        pinned = given.get("auto_pin")
        if pinned is True or (pinned is None and fields.get("auto_pin") is True):
            payload["pinned"] = True
        return payload, notes, usd

    def _asked(
        self,
        model: Model,
        name: str,
        raw: Raw,
        given: Mapping[str, Any],
        policy: Policy,
    ) -> tuple[dict[str, Any], float]:
        """One call inside the space's budget; a repeated attempt at writing asks no second time."""
        known = self._asked_before.get(raw.text.encode())
        if known is not None:
            return known, 0.0
        provider = str(getattr(model, "provider", None) or name.split(":", 1)[0])
        most = check_limit(given.get("max_tokens", DEFAULT_MAX_TOKENS), "max_tokens", most=1_000_000)
        expected = semantic.estimated_tokens(raw.text[: semantic.MOST_RAW]) + most
        with self._ctx.store.read() as snapshot:
            spending.check_budget(snapshot.db, self._space, policy, provider, tokens=expected)
        temperature = float(given.get("temperature", 0.0))
        answer = semantic.ask(model, raw, max_tokens=most, temperature=temperature)
        with self._ctx.store.write() as tx:
            spending.record(tx, self._space, provider, tokens=answer.tokens, usd=answer.usd)
        self._asked_before[raw.text.encode()] = dict(answer.fields)
        return dict(answer.fields), answer.usd

    def _model(self, wanted: str | Model | None) -> tuple[Model | None, str]:
        if isinstance(wanted, str):
            if self._ctx.open_model is None:
                raise InvalidInput(
                    f"No model can be opened by name here: {wanted!r}.", hint="Pass the model itself."
                )
            return self._ctx.open_model(wanted), wanted
        model = wanted if wanted is not None else self._ctx.model
        return model, str(getattr(model, "name", None) or type(model).__name__)
