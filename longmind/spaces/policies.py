"""The rules of a space: retention, redaction, deletion, pins, visibility, budgets; checked when set."""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from longmind.base.checks import canonical_json, check_choice, check_label
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.base.patterns import check_pattern
from longmind.base.places import PLACES
from longmind.llm.ledger import Cap
from longmind.spaces.values import RELEVANCES


@cache
def detectors() -> Mapping[str, tuple[str, ...]]:
    """Names that `pii_redaction` knows; everything else in that list is a regular expression."""
    from longmind.extract.personal import KINDS  # most spaces redact nothing, and it takes a while

    return {
        **{kind: (kind,) for kind in KINDS},
        "emails": ("email",),
        "keys": ("key",),
        "api_keys": ("key",),
        "secrets": ("key",),
        "phones": ("phone",),
        "cards": ("card",),
        "credit_cards": ("card",),
        "ips": ("ip",),
        "addresses": ("address",),
        "all": KINDS,
    }


_MOST_DAYS: Final = 36_500
_REGEX_PREFIX: Final = "regex:"


def _composed(pattern: str) -> str:
    """A pattern in the form that paths are stored in."""
    return unicodedata.normalize("NFC", pattern).removeprefix("./")


@dataclass(frozen=True, slots=True)
class Match:
    """Conditions on an object, at least one; all of them must hold."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    relevance: tuple[str, ...] = ()

    def covers(self, *, kind: str, tags: Iterable[str], path: str, relevance: str) -> bool:
        names = set(tags)
        return (
            (not self.kinds or kind in self.kinds)
            and (not self.tags or not names.isdisjoint(self.tags))
            and (not self.relevance or relevance in self.relevance)
            and (not self.paths or any(fnmatch.fnmatchcase(path, _composed(name)) for name in self.paths))
        )

    @classmethod
    def of(cls, value_of: object, name: str) -> Match:
        if not isinstance(value_of, Mapping):
            raise InvalidInput(f"{name} is a list of conditions such as {{'kinds': ['decision']}}.")
        unknown = sorted(set(value_of) - {"kinds", "tags", "paths", "relevance"})
        if unknown or not value_of:
            raise InvalidInput(
                f"{name} has a condition without kinds, tags, paths or relevance"
                + (f": {', '.join(map(repr, unknown))}." if unknown else "."),
            )
        match = cls(**{key: _names(value, f"{name}.{key}") for key, value in value_of.items()})
        if match == cls():  # stored as it is, it could not be read again, and it would cover everything
            raise InvalidInput(
                f"{name} has a condition whose lists are empty.", hint="Name what it is for, or leave it out."
            )
        if bad := [value for value in match.relevance if value not in RELEVANCES]:
            raise InvalidInput(f"{name}.relevance: {bad[0]!r} is none of {', '.join(RELEVANCES)}.")
        return match

    def to_dict(self) -> dict[str, list[str]]:
        pairs = {"kinds": self.kinds, "tags": self.tags, "paths": self.paths, "relevance": self.relevance}
        return {key: list(value) for key, value in pairs.items() if value}


_EVERYTHING: Final = Match()


@dataclass(frozen=True, slots=True)
class Policy:
    """All rules of one space; the defaults are those of a space that never set any."""

    ttl_days: float | None = None
    pii_redaction: tuple[str, ...] = ()
    export_path: str | None = None
    allow_delete: bool = False
    auto_pin: tuple[Match, ...] = ()
    visibility: tuple[Match, ...] = ()
    """Objects that one of these covers are kept and exported, and left out of what is recalled."""
    budgets: Mapping[str, Cap] = field(default_factory=dict)
    places: str = "keep"
    """What is kept of where photos and videos were taken: keep, coarse or drop."""

    @property
    def detectors(self) -> tuple[str, ...]:
        if not self.pii_redaction:
            return ()
        by_name = detectors()
        kinds = {kind for item in self.pii_redaction for kind in by_name.get(item.casefold(), ())}
        return tuple(kind for kind in by_name["all"] if kind in kinds)

    @property
    def patterns(self) -> tuple[str, ...]:
        return tuple(
            item.removeprefix(_REGEX_PREFIX)
            for item in self.pii_redaction
            if item.casefold() not in detectors()
        )

    @classmethod
    def stored(cls, text: str) -> Policy:
        """A policy as it was stored: one that an older version took can still be read and mended."""
        try:
            return cls()._with(text, _STORED_READERS)
        except InvalidInput as error:
            raise InvalidInput(
                f"The rules of this space cannot be read: {error.message}",
                hint="Set all of them anew with set_policy(..., replace=True).",
            ) from None

    def changed(self, changes: Mapping[str, Any] | str) -> Policy:
        """This policy with the given keys set; null sets a key back to its default."""
        policy = self._with(changes, _READERS)
        for name in ("auto_pin", "visibility"):
            if _EVERYTHING in getattr(policy, name):  # kept by an older version, and not changed here
                raise InvalidInput(
                    f"{name} has a stored condition without content, which covers every object.",
                    hint=f'Take it away in the same call: {{"{name}": []}}, or name what it is for.',
                )
        return policy

    def _with(self, changes: Mapping[str, Any] | str, readers: Mapping[str, Any]) -> Policy:
        if isinstance(changes, str):
            try:
                changes = parse_json(changes)
            except ValueError:
                raise InvalidInput(
                    "The policy is not valid JSON.",
                    hint="Start from the one that longmind space policy shows.",
                ) from None
        if not isinstance(changes, Mapping):
            raise InvalidInput("A policy is a JSON object.", hint='Write {"ttl_days": 30}.')
        unknown = sorted(str(key) for key in set(changes) - set(_READERS))
        if unknown:
            raise InvalidInput(
                f"A policy has no {', '.join(unknown)}.", hint=f"Choose from {', '.join(_READERS)}."
            )
        values = {name: getattr(self, name) for name in _READERS}
        default = Policy()
        for name, value in changes.items():
            values[name] = getattr(default, name) if value is None else readers[name](value, name)
        return Policy(**values)

    def to_dict(self) -> dict[str, Any]:
        return {
            "allow_delete": self.allow_delete,
            "auto_pin": [rule.to_dict() for rule in self.auto_pin],
            "budgets": {
                name: {
                    key: value
                    for key, value in (("tokens", cap.tokens), ("usd", cap.usd))
                    if value is not None
                }
                for name, cap in sorted(self.budgets.items())
            },
            "export_path": self.export_path,
            "pii_redaction": list(self.pii_redaction),
            "ttl_days": self.ttl_days,
            "visibility": [rule.to_dict() for rule in self.visibility],
            # Left out where it is not set: exported spaces keep their bytes.
            **({} if self.places == "keep" else {"places": self.places}),
        }

    def to_json(self) -> str:
        return canonical_json(self.to_dict(), "policy")


def _names(value: object, name: str) -> tuple[str, ...]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        raise InvalidInput(f"{name} must be a list of strings.")
    return tuple(check_label(item, name) for item in items)


def check_days(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_DAYS:
        raise InvalidInput(f"{name} must be a number of days from 0 to {_MOST_DAYS}, or null for never.")
    return value


def _redaction(value: object, name: str) -> tuple[str, ...]:
    items = _names(value, name)
    for item in items:
        if item.casefold() in detectors():
            continue
        if item.isidentifier() and not item.startswith(_REGEX_PREFIX):
            raise InvalidInput(
                f"{name}: there is no detector {item!r}.",
                hint=f"Choose from {', '.join(detectors())}; write 'regex:{item}' for that very word.",
            )
        check_pattern(item.removeprefix(_REGEX_PREFIX))
    return items


def _path(value: object, name: str) -> str:
    return check_label(value, name)


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false, not {value!r}.")
    return value


def _place_rule(value: object, name: str) -> str:
    return check_choice(value, name, PLACES)


def _rules(value: object, name: str) -> tuple[Match, ...]:
    items = [value] if isinstance(value, Mapping) else value
    if not isinstance(items, list | tuple):
        raise InvalidInput(f"{name} must be a list of conditions.")
    return tuple(Match.of(item, name) for item in items)


def _stored_rules(value: object, name: str) -> tuple[Match, ...]:
    """Also conditions without content, which an older version took: they cover everything, as there."""
    items = value if isinstance(value, list) else [value]
    return tuple(_EVERYTHING if item == {} else Match.of(item, name) for item in items)


def _budgets(value: object, name: str) -> dict[str, Cap]:
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} must map a provider ('*' for any) to {{'usd': …, 'tokens': …}}.")
    budgets = {}
    for provider, cap in value.items():
        if not isinstance(cap, Mapping) or set(cap) - {"usd", "tokens"}:
            raise InvalidInput(f"{name}.{provider} must have usd, tokens or both.")
        for key, amount in cap.items():
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < 2**53:
                raise InvalidInput(f"{name}.{provider}.{key} must be a number, 0 or more.")
            if key == "tokens" and amount != int(amount):
                raise InvalidInput(f"{name}.{provider}.tokens must be a whole number, not {amount!r}.")
        tokens = cap.get("tokens")
        budgets[check_label(provider, name)] = Cap(cap.get("usd"), None if tokens is None else int(tokens))
    return budgets


_READERS: Final[Mapping[str, Any]] = {
    "ttl_days": check_days,
    "pii_redaction": _redaction,
    "export_path": _path,
    "allow_delete": _flag,
    "auto_pin": _rules,
    "visibility": _rules,
    "budgets": _budgets,
    "places": _place_rule,
}
_STORED_READERS: Final[Mapping[str, Any]] = {
    **_READERS,
    "pii_redaction": _names,
    "auto_pin": _stored_rules,
    "visibility": _stored_rules,
}
