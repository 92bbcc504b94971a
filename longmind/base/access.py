"""What the process that opens a store lets it reach: models, embedders, folders, and how much to spend.

A store, a bundle and a request are written by somebody else. They may name a model or an embedder, and no
more than that. Where it is, which key opens it, and whether it may be used at all is decided here: by an
argument of `Memory.open`, by the environment, or by a configuration file of the user.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from longmind.base.checks import is_number
from longmind.base.errors import Forbidden, InvalidInput, Unavailable

MODELS_VARIABLE: Final = "LONGMIND_MODELS"
EMBEDDERS_VARIABLE: Final = "LONGMIND_EMBEDDERS"
MAX_USD_VARIABLE: Final = "LONGMIND_MAX_USD"
MAX_TOKENS_VARIABLE: Final = "LONGMIND_MAX_TOKENS"
CONFIG_VARIABLE: Final = "LONGMIND_CONFIG"
"""Another place for the configuration file."""
_MOST_BYTES: Final = 1 << 20
_SEPARATORS: Final = re.compile(r"[\s,]+")
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "models": ("allow",),
    "embedders": ("allow",),
    "exports": ("folders",),
    "spending": ("max_usd", "max_tokens"),
    "prices": (),
}


@dataclass(frozen=True, slots=True)
class Access:
    """What this process allows. By default nothing: no model, no embedder server, no folder.

    `models` and `embedders` list what a store or a request may name: `openai:gpt-4o-mini`, `ollama:*`, or
    with an address and the variable that holds the key, `openai:m@https://host/v1?key_env=VARIABLE`. An
    embedder always has its address: a request uses the name in front of it. `export_folders` are the folders
    in which a space's policy may choose a place. `prices` are dollars for a million tokens of input and of
    output, by `provider:model`. `max_usd` and `max_tokens` limit what all spaces of a store spend together.
    """

    models: Iterable[str] = ()
    embedders: Iterable[str] = ()
    export_folders: Iterable[str | os.PathLike[str]] = ()
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    max_usd: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("models", "embedders"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        folders = self.export_folders
        if isinstance(folders, str | os.PathLike):
            raise InvalidInput("export_folders is a list of folders.", hint='Write ["/srv/exports"].')
        object.__setattr__(self, "export_folders", tuple(Path(item).expanduser() for item in folders))
        object.__setattr__(self, "prices", _prices(self.prices))
        _check_limit(self.max_usd, "max_usd", whole=False)
        _check_limit(self.max_tokens, "max_tokens", whole=True)

    @classmethod
    def of_process(cls, environment: Mapping[str, str]) -> Access:
        """What the environment allows, and what the user's configuration file says beside it."""
        grants: dict[str, Any] = {}
        for name, variable in (("models", MODELS_VARIABLE), ("embedders", EMBEDDERS_VARIABLE)):
            if listed := environment.get(variable, "").strip():
                grants[name] = tuple(filter(None, _SEPARATORS.split(listed)))
        for name, variable, kind in (
            ("max_usd", MAX_USD_VARIABLE, float),
            ("max_tokens", MAX_TOKENS_VARIABLE, int),
        ):
            if written := environment.get(variable, "").strip():
                try:
                    grants[name] = kind(written)
                except ValueError:
                    raise InvalidInput(
                        f"{variable} is {written!r}, which is not a limit.", hint="Write a number, 0 or more."
                    ) from None
        return replace(read_config(config_path(environment)), **grants)


def config_path(environment: Mapping[str, str]) -> Path:
    """Where the user's configuration file is. Never in the working folder: that may be anybody's."""
    if chosen := environment.get(CONFIG_VARIABLE):
        return Path(chosen).expanduser()
    folder = environment.get("XDG_CONFIG_HOME", "")
    # As the specification of these folders says, a relative path is ignored.
    base = Path(folder) if Path(folder).is_absolute() else Path("~/.config").expanduser()
    return base / "longmind" / "config.toml"


def read_config(path: Path) -> Access:
    """The configuration file; nothing is allowed where there is none."""
    import tomllib  # most users have no such file

    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InvalidInput(
                f"The configuration file {path} is larger than {_MOST_BYTES >> 20} MiB.",
                hint="Shorten it, or name another one in LONGMIND_CONFIG.",
            )
        document = tomllib.loads(content.decode())
    except (FileNotFoundError, NotADirectoryError):
        return NOTHING
    except OSError as error:
        denied = isinstance(error, PermissionError)
        raise (Forbidden if denied else Unavailable)(
            f"The configuration file {path} cannot be read: {error.strerror}.",
            hint="Check its permissions." if denied else "Try again.",
        ) from None
    except ValueError as error:
        raise InvalidInput(
            f"The configuration file {path} is not valid TOML: {error}.", hint="Correct that line."
        ) from None
    try:
        return _access(document)
    except InvalidInput as error:
        raise InvalidInput(f"The configuration file {path}: {error.message}", hint=error.hint) from None


def _access(document: Mapping[str, Any]) -> Access:
    for section, values in document.items():
        if section not in _SECTIONS or not isinstance(values, Mapping):
            raise InvalidInput(f"there is no section [{section}].", hint=f"It has {', '.join(_SECTIONS)}.")
        allowed_keys = _SECTIONS[section]
        if allowed_keys and (unknown := sorted(set(values) - set(allowed_keys))):
            raise InvalidInput(
                f"[{section}] has no setting {unknown[0]!r}.", hint=f"It has {', '.join(allowed_keys)}."
            )
    spending = document.get("spending", {})
    return Access(
        models=document.get("models", {}).get("allow", ()),
        embedders=document.get("embedders", {}).get("allow", ()),
        export_folders=document.get("exports", {}).get("folders", ()),
        prices={name: _pair(name, price) for name, price in document.get("prices", {}).items()},
        max_usd=spending.get("max_usd"),
        max_tokens=spending.get("max_tokens"),
    )


def _pair(name: str, price: Any) -> tuple[float, float]:
    if not isinstance(price, Mapping) or set(price) != {"input", "output"}:
        raise InvalidInput(
            f"the price of {name!r} needs input and output.", hint="Write { input = 0.15, output = 0.60 }."
        )
    return price["input"], price["output"]


def _names(values: Iterable[str], name: str) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} is a list of names.", hint='Write ["openai:gpt-4o-mini"].')
    names = tuple(values)
    for item in names:
        if not isinstance(item, str) or ":" not in item:
            raise InvalidInput(
                f"{item!r} in {name} does not name one.", hint='Write "openai:gpt-4o-mini" or "ollama:*".'
            )
    return names


def _prices(prices: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    checked: dict[str, tuple[float, float]] = {}
    for name, price in prices.items():
        if len(price) != 2 or not all(_is_amount(item) for item in price):
            raise InvalidInput(f"The price of {name!r} must be two numbers, 0 or more: input and output.")
        checked[name.casefold()] = (float(price[0]), float(price[1]))
    return checked


def _check_limit(value: object, name: str, *, whole: bool) -> None:
    if value is None or (_is_amount(value) and not (whole and value != int(value))):  # type: ignore[call-overload]
        return
    raise InvalidInput(f"{name} must be a {'whole ' if whole else ''}number, 0 or more, not {value!r}.")


def _is_amount(value: object) -> bool:
    return is_number(value) and value >= 0


NOTHING: Final = Access()
"""No model, no embedder server, no folder; and no limit on spending."""
