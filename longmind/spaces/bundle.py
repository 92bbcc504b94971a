"""The bundle that a recall gives: options checked and clamped, sections in order, the exact JSON shape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from longmind.base.checks import check_text
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.times import AsOf, format_ms
from longmind.spaces.objects import slugs
from longmind.spaces.values import MemoryObject
from longmind.when.arguments import parse_moment, parse_rfc3339

DEFAULT_LIMIT: Final = 5
KIND_LIMIT: Final = 20
"""Default limit of `recall_kind`."""
MOST: Final = 200
"""A larger `limit` is clamped to this."""


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that decides a bundle besides the store and the topic."""

    limit: int = DEFAULT_LIMIT
    raw_limit: int | None = None
    include_raw: bool = False
    include_metadata: bool = True
    include_hidden: bool = False
    prefer_kinds: tuple[str, ...] = ()
    prefer_tags: tuple[str, ...] = ()
    require_high_relevance: bool = False
    backend: str | None = None
    freeze_clock: int | None = None
    now: int | None = None
    as_of: AsOf = AsOf.LATEST

    @property
    def moment(self) -> int | None:
        return self.now if self.freeze_clock is None else self.freeze_clock


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a space knows of a topic."""

    space: str
    topic: str
    generated_at: str | None
    global_summary: str
    objects: tuple[MemoryObject, ...]
    limit: int
    backend: str
    raw_limit: int | None
    """None: raw texts were not requested."""
    include_metadata: bool = True
    warnings: tuple[str, ...] = ()
    user: str | None = None
    """Whose objects are among them, besides those that all users share."""

    @property
    def sections(self) -> list[dict[str, Any]]:
        return [self._section(item) for item in self.objects]

    @property
    def raw(self) -> list[dict[str, str]]:
        chosen = self.objects[: self.raw_limit or 0]
        return [{"path": item.path, "raw": item.raw, "kind": item.kind} for item in chosen]

    def to_dict(self) -> dict[str, Any]:
        """The bundle in the shape and the order of keys in which it is documented."""
        document: dict[str, Any] = {
            "space": self.space,
            **({} if self.user is None else {"user": self.user}),
            "topic": self.topic,
            "generated_at": self.generated_at,
            "global_summary": self.global_summary,
            "sections": self.sections,
        }
        if self.raw_limit is not None:
            document["raw"] = self.raw
        document["limit"] = self.limit
        if self.warnings:
            document["warnings"] = list(self.warnings)
        return document

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"

    def _section(self, item: MemoryObject) -> dict[str, Any]:
        section: dict[str, Any] = {
            "id": item.id,
            "path": item.path,
            "kind": item.kind,
            "summary_micro": item.summary_micro,
            "summary_short": item.summary_short,
            "summary_long": item.summary_long,
            "relevance": item.relevance,
            "pinned": item.pinned,
            "tags": list(item.tags),
        }
        if self.include_metadata:
            section["metadata"] = dict(item.metadata)
        section["updated_at"] = format_ms(item.updated_at)
        return section


def check_options(options: Mapping[str, Any] | str | None, **named: Any) -> Options:
    """Options as JSON, or by name; the names win. Numbers out of range are clamped."""
    if isinstance(options, str):
        try:
            options = parse_json(options)
        except ValueError:
            raise InvalidInput(
                "The options are not valid JSON.", hint='Write them as {"limit": 10}.'
            ) from None
    if options is not None and not isinstance(options, Mapping):
        raise InvalidInput("Options are a JSON object.", hint='Write {"limit": 3}.')
    values = {**(options or {}), **{key: value for key, value in named.items() if value is not None}}
    unknown = sorted(str(key) for key in set(values) - set(Options.__dataclass_fields__))
    if unknown:
        names = ", ".join(Options.__dataclass_fields__)
        raise InvalidInput(f"There is no option {', '.join(unknown)}.", hint=f"Choose from {names}.")
    checked: dict[str, Any] = {}
    for name, value in values.items():
        if value is not None:
            checked[name] = _CHECKS[name](value, name)
    parsed = Options(**checked)
    raw_limit = parsed.limit if parsed.raw_limit is None else min(parsed.raw_limit, parsed.limit)
    return replace(parsed, raw_limit=raw_limit)


def check_topic(topic: object) -> str:
    return check_text(topic, "topic", most_bytes=100_000, empty=True).strip()


def summarise(topic: str, objects: Sequence[MemoryObject]) -> str:
    summaries = "; ".join(item.summary_micro.rstrip(" .;") for item in objects)
    return f"Context bundle for '{topic}' ({len(objects)} items): {summaries or 'nothing is known of it'}."


def _clamped(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} must be a whole number, not {value!r}.")
    return max(0 if name == "raw_limit" else 1, min(value, MOST))


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false, not {value!r}.")
    return value


def _names(value: object, name: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise InvalidInput(f"{name} must be a list of strings.")
    return slugs(items) if name == "prefer_tags" else tuple(sorted(set(items)))


def _backend(value: object, name: str) -> str:
    return check_text(value, name)


def _frozen(value: object, name: str) -> int:
    return parse_rfc3339(value, name)


def _now(value: datetime | int | str, name: str) -> int:
    return parse_moment(value, name, strict=True)


def _as_of(value: object, name: str) -> AsOf:
    if not isinstance(value, AsOf):
        raise InvalidInput(f"{name} must be an AsOf.", hint="Write AsOf.at(moment).")
    return value


_CHECKS: Final[Mapping[str, Any]] = {
    "limit": _clamped,
    "raw_limit": _clamped,
    "include_raw": _flag,
    "include_metadata": _flag,
    "include_hidden": _flag,
    "prefer_kinds": _names,
    "prefer_tags": _names,
    "require_high_relevance": _flag,
    "backend": _backend,
    "freeze_clock": _frozen,
    "now": _now,
    "as_of": _as_of,
}
