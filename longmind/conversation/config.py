"""The settings of conversation memory: the seed's keys and defaults, checked, kept in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from types import UnionType
from typing import Any, Final, get_args, get_type_hints

from longmind.base.checks import canonical_json, check_choice, check_text, is_number
from longmind.base.errors import Corrupt, InvalidInput
from longmind.base.json_text import parse_json
from longmind.llm.ledger import EACH_PROVIDER, Budgets, BudgetsOf, Cap
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.transaction import Transaction

SETTING: Final = "conversation.config"
MODES: Final = ("heuristic", "llm", "hybrid")
PROVIDERS: Final = ("openai", "anthropic", "google", "hf", "custom", "ollama")


@dataclass(frozen=True, slots=True)
class ShortTerm:
    """The window over a session's last turns."""

    size: int = 100


@dataclass(frozen=True, slots=True)
class Mid:
    """When a mid-term memory rises, and when it goes."""

    capacity: int = 500
    promote_hits: int = 3
    promote_days: float = 7.0
    demote_age_days: float = 30.0
    min_score: float = 0.5
    archive: bool = False
    """Archive what would be deleted."""
    keep_important: bool = True
    """What is important by rule (names, family, health, birthdays, instructions) does not fade: neither by
    its score or age, nor to make room."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The weights of the score; `lambda_` is called `lambda` outside of Python."""

    w_freq: float = 1.0
    w_recency: float = 1.0
    w_importance: float = 2.0
    lambda_: float = 0.05


@dataclass(frozen=True, slots=True)
class Dedupe:
    """From which Jaccard overlap on two texts are one memory."""

    threshold: float = 0.6


@dataclass(frozen=True, slots=True)
class ExtractorSettings:
    """Who reads the turns."""

    mode: str = "hybrid"


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model; none is called while `model` is empty."""

    provider: str = "openai"
    model: str = ""
    timeout_s: float = 8.0
    retries: int = 1
    max_tokens: int | None = None
    """Tokens that all spaces together may spend with one provider; None means no limit, 0 means no calls."""
    max_cost: float | None = None
    """Dollars that all spaces together may spend with one provider; None means no limit, 0 means no calls."""
    input_price: float = 0.0
    """Per million tokens; for a model whose price is not known otherwise."""
    output_price: float = 0.0
    breaker_failures: int = 5
    breaker_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Fts:
    """Whether memories are searched by the store's search, or by LIKE."""

    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set."""

    short_term: ShortTerm = field(default_factory=ShortTerm)
    mid: Mid = field(default_factory=Mid)
    scoring: Scoring = field(default_factory=Scoring)
    dedupe: Dedupe = field(default_factory=Dedupe)
    extractor: ExtractorSettings = field(default_factory=ExtractorSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    fts: Fts = field(default_factory=Fts)

    def to_mapping(self) -> dict[str, dict[str, Any]]:
        """As the seed writes it, for export."""
        return {
            section: {_outside(name): value for name, value in values.items()}
            for section, values in asdict(self).items()
        }

    def merged(self, values: Mapping[str, Any]) -> Config:
        """With some keys set: nested as in `to_mapping`, or dotted ("mid.capacity")."""
        if not isinstance(values, Mapping):
            raise InvalidInput("The configuration is an object of sections, such as {'mid': {...}}.")
        changes: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            section, dot, key = str(name).partition(".")
            if section not in _SECTIONS:
                raise InvalidInput(
                    f"The configuration has no section {section!r}.", hint=f"It has {', '.join(_SECTIONS)}."
                )
            inner = {key: value} if dot else value
            if not isinstance(inner, Mapping):
                raise InvalidInput(f"{section} is an object of settings, not {type(inner).__name__}.")
            changes.setdefault(section, {}).update(inner)
        sections = {
            section: _section(getattr(self, section), section, keys) for section, keys in changes.items()
        }
        return replace(self, **sections)


_SECTIONS: Final = {item.name: item for item in fields(Config)}
_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "short_term.size": (1, 100_000),
    "mid.capacity": (0, 100_000_000),
    "mid.promote_hits": (0, 1_000_000),
    "mid.promote_days": (0, 36_500),
    "mid.demote_age_days": (0, 36_500),
    "mid.min_score": (-1e6, 1e6),
    "scoring.w_freq": (0, 1e6),
    "scoring.w_recency": (0, 1e6),
    "scoring.w_importance": (0, 1e6),
    "scoring.lambda": (0, 1e3),
    "dedupe.threshold": (0.05, 1),
    "llm.timeout_s": (0.01, 600),
    "llm.retries": (0, 10),
    "llm.max_tokens": (0, 10**15),
    "llm.max_cost": (0, 1e9),
    "llm.input_price": (0, 1e6),
    "llm.output_price": (0, 1e6),
    "llm.breaker_failures": (1, 1000),
    "llm.breaker_seconds": (0, 86_400),
}
_CHOICES: Final = {"extractor.mode": MODES, "llm.provider": PROVIDERS}
_OF_THE_PROCESS: Final = ("endpoint", "api_key_env")
"""Settings of `llm` that stores held once. A store is untrusted: whoever wrote it must not choose where texts
are sent, or which variable of the environment goes along."""


def read_config(store: Store, db: Connection) -> Config:
    """What the store holds, over the defaults."""
    saved = store.setting(db, SETTING)
    return _DEFAULTS if saved is None else _parsed(saved)


def config_now(store: Store, tx: Transaction) -> Config:
    """The same, inside a transaction."""
    return tx.known("store_setting", SETTING, lambda: read_config(store, tx.db))


def last_config(store: Store) -> tuple[tuple[Any, ...], Config | None]:
    """The configuration in the last state that is known here, with the end of that state's audit log."""
    return store.kept.last("store_setting", SETTING, None)


def configured_budgets(store: Store) -> BudgetsOf:
    """The budgets in the configuration, for the ledger: for every provider, of all spaces together.

    Together, because anybody who may write may begin another space: one budget each would limit nothing.
    """

    def read(db: Connection, space: str) -> Budgets:
        llm = read_config(store, db).llm
        return {EACH_PROVIDER: Cap(usd=llm.max_cost, tokens=llm.max_tokens, all_spaces=True)}

    return read


@lru_cache(maxsize=64)
def _parsed(saved: str) -> Config:
    try:
        values = parse_json(saved)
        if isinstance(values, dict) and isinstance(values.get("llm"), dict):
            values["llm"] = _without_addresses(values["llm"])
        return Config().merged(values)
    except ValueError as error:  # InvalidInput is one, too
        detail = error.message if isinstance(error, InvalidInput) else "they are not JSON"
        raise Corrupt(
            f"The settings of conversation memory in this store cannot be used: {detail}",
            hint="Set them again with configure(), or restore a backup.",
        ) from None


def _without_addresses(llm: dict[str, Any]) -> dict[str, Any]:
    """The saved settings of the model, without what only the process may say.

    Settings with an address were saved when 0 meant no limit; now it means no calls.
    """
    if not set(_OF_THE_PROCESS) & set(llm):
        return llm
    allowed = {key: value for key, value in llm.items() if key not in _OF_THE_PROCESS}
    return allowed | {key: None for key in ("max_tokens", "max_cost") if allowed.get(key) == 0}


_DEFAULTS: Final = Config()


def write_config(store: Store, tx: Transaction, config: Config) -> None:
    store.set_setting(tx, SETTING, canonical_json(config.to_mapping(), "config"))


def _section(old: Any, section: str, values: Mapping[str, Any]) -> Any:
    kinds = get_type_hints(type(old))
    checked: dict[str, Any] = {}
    for key, value in values.items():
        name = "lambda_" if key == "lambda" else key
        if section == "llm" and key in _OF_THE_PROCESS:
            raise _not_kept(key)
        if name not in kinds or key == "lambda_":
            allowed = ", ".join(_outside(item) for item in kinds)
            raise InvalidInput(f"{section} has no setting {key!r}.", hint=f"It has {allowed}.")
        checked[name] = _checked(f"{section}.{key}", value, kinds[name])
    return replace(old, **checked)


def _not_kept(key: str) -> InvalidInput:
    return InvalidInput(
        f"llm.{key} is not kept in a store: the process that opens it says where models are.",
        hint='Write allow = ["openai:model@https://host/v1?key_env=VARIABLE"] into [models] of '
        "~/.config/longmind/config.toml, or set LONGMIND_MODELS.",
    )


def _checked(name: str, value: Any, kind: Any) -> Any:
    if isinstance(kind, UnionType):  # a limit that may be left out
        if value is None:
            return None
        kind = get_args(kind)[0]
    if kind is bool:
        if not isinstance(value, bool):
            raise InvalidInput(f"{name} must be true or false, not {value!r}.")
        return value
    if kind is str:
        if name in _CHOICES:
            return check_choice(value.lower() if isinstance(value, str) else value, name, _CHOICES[name])
        return check_text(value, name, most_bytes=2000, empty=True)
    if not is_number(value) or (kind is int and value != int(value)):
        raise InvalidInput(f"{name} must be a {'whole ' if kind is int else ''}number, not {value!r}.")
    least, most = _BOUNDS[name]
    if not least <= value <= most:
        raise InvalidInput(f"{name} must lie between {least:g} and {most:g}, not {value:g}.")
    return int(value) if kind is int else float(value)


def _outside(name: str) -> str:
    return "lambda" if name == "lambda_" else name
