"""Answers as agents read them: times written out, nothing that is empty, and the schema that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from longmind.base.times import format_ms
from longmind.mcp.truncate import CUT

_TIMES: Final = ("valid_from", "valid_to")
_ACCOUNTS: Final = frozenset(
    {"content_hash", "dropped", "durations", "receipt", "rejected", "revision", "steps"}
)
"""Fields by which an answer can be checked and explained; without them it costs half the tokens."""

_MOMENT: Final = {"type": "string", "format": "date-time"}


class Shape:
    """How the answers of one operation are written; `lean` leaves out what only an audit needs."""

    def __init__(self, schema: Mapping[str, Any], *, lean: bool) -> None:
        self._whole = dict(schema)
        self._kinds: Mapping[str, Any] = schema.get("$defs", {})
        self._lean = lean

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of what is written; a field that is empty or had no room is absent."""
        schema = self._loose(self._whole)
        if self._kinds:
            used = _named(schema)
            kinds = {name: self._loose(kind) for name, kind in self._kinds.items()}
            while more := {name for at in used for name in _named(kinds[at])} - used:
                used |= more
            schema["$defs"] = {name: kind for name, kind in kinds.items() if name in used}
        text = "Only there if something was left out: what to do about it."
        notice = {"type": "string", "description": text}
        schema["properties"] = {**schema.get("properties", {}), CUT: notice}
        return {**schema, "type": "object"}

    def written(self, answer: Any) -> Any:
        """A plain answer as it is given back."""
        return self._shaped(answer, self._whole)

    def _loose(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        loose: dict[str, Any] = {}
        for key, value in schema.items():
            if key in ("required", "minItems", "$defs"):
                continue
            if key == "properties":
                loose[key] = {
                    name: _MOMENT if _is_time(name, kind) else self._loose(kind)
                    for name, kind in value.items()
                    if not self._left_out(name)
                }
            elif key in ("anyOf", "prefixItems"):
                loose[key] = [self._loose(kind) for kind in value]
            elif isinstance(value, Mapping):
                loose[key] = self._loose(value)
            else:
                loose[key] = value
        return loose

    def _shaped(self, value: Any, schema: Mapping[str, Any]) -> Any:
        schema = self._meant(value, schema)
        if isinstance(value, dict):
            properties, others = schema.get("properties", {}), schema.get("additionalProperties")
            rest: Mapping[str, Any] = others if isinstance(others, Mapping) else {}
            return {
                key: format_ms(item)
                if isinstance(item, int) and _is_time(key, properties.get(key))
                else shaped
                for key, item in value.items()
                if not (key in properties and self._left_out(key))
                and (shaped := self._shaped(item, properties.get(key, rest))) is not None
                and shaped not in ([], {})
            }
        if isinstance(value, list):
            items, first = schema.get("items", {}), schema.get("prefixItems", ())
            kinds = [*first, *[items] * (len(value) - len(first))]
            return [self._shaped(item, kind) for item, kind in zip(value, kinds, strict=False)]
        return value

    def _meant(self, value: Any, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema behind references and choices: of records, the one with the value's fields."""
        while "$ref" in schema:
            schema = self._kinds.get(schema["$ref"].rpartition("/")[2], {})
        if "anyOf" not in schema:
            return schema
        choices = [self._meant(value, kind) for kind in schema["anyOf"]]
        if isinstance(value, dict):
            fields = set(value)
            return next((kind for kind in choices if fields == set(kind.get("properties", ()))), choices[0])
        kind_name = "array" if isinstance(value, list) else None
        return next((kind for kind in choices if kind.get("type") == kind_name), {})

    def _left_out(self, name: str) -> bool:
        return self._lean and name in _ACCOUNTS


def _is_time(name: str, schema: Mapping[str, Any] | None) -> bool:
    """A field that holds an instant in unix milliseconds."""
    if schema is None or not (name.endswith("_at") or name in _TIMES):
        return False
    return any(kind.get("type") == "integer" for kind in (schema, *schema.get("anyOf", ())))


def _named(schema: Any) -> set[str]:
    """The shared shapes that a schema refers to."""
    if isinstance(schema, Mapping):
        own = {schema["$ref"].rpartition("/")[2]} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*(_named(item) for item in schema.values())) if schema else own
    if isinstance(schema, list):
        return set().union(*(_named(item) for item in schema)) if schema else set()
    return set()
