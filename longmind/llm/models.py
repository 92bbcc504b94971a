"""Which language models this process may call, where they are, and which keys open them.

This is the one place where the address of a model and the name of its key are chosen. Both come from the
process that opens a store: from an argument, its environment or the user's configuration file. A store or a
request may name a model, never an address or a key, and only a model that the process allows.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from longmind.base.access import MODELS_VARIABLE, NOTHING, Access
from longmind.base.errors import Forbidden, InvalidInput
from longmind.llm.endpoint import HttpModel, ModelEndpoint
from longmind.llm.protocol import LanguageModel, ModelFailed

FORMS: Final = ("openai:gpt-4o-mini", "ollama:llama3.2", "openai:model@https://host/v1?key_env=VARIABLE")
"""How a process names a model, by example. Requests use the first two forms."""


@dataclass(frozen=True, slots=True)
class _Address:
    """An address, and the environment variable that holds the key for it."""

    url: str
    key_variable: str | None
    needs_key: bool


PROVIDERS: Final[Mapping[str, tuple[_Address, str]]] = {
    "openai": (_Address("https://api.openai.com/v1", "OPENAI_API_KEY", needs_key=True), "OPENAI_BASE_URL"),
    "anthropic": (
        _Address("https://api.anthropic.com", "ANTHROPIC_API_KEY", needs_key=True),
        "ANTHROPIC_BASE_URL",
    ),
    # These three speak the interface of OpenAI.
    "google": (
        _Address("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", needs_key=True),
        "GEMINI_BASE_URL",
    ),
    "hf": (_Address("https://router.huggingface.co/v1", "HF_TOKEN", needs_key=True), "HF_BASE_URL"),
    "custom": (_Address("", "LONGMIND_CUSTOM_KEY", needs_key=False), "LONGMIND_CUSTOM_URL"),
    "ollama": (_Address("http://127.0.0.1:11434", None, needs_key=False), "OLLAMA_HOST"),
}
"""The public address of each provider, and the variable for another one, as their own libraries read them."""
_SPEC: Final = re.compile(
    r"(?P<provider>[A-Za-z]+):(?P<model>[^@\s]+)(?:@(?P<url>https?://[^?\s]+)(?:\?(?P<options>\S*))?)?"
)
_SECONDS: Final = 60.0
"""For a model that was named: long enough to write an abstract of a long text."""
_RETRIES: Final = 1


class Models:
    """Opens models for one process. `default` is the model to ask where a request names none.

    `access` says which others a request or the settings of a store may name.
    """

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        default: str | LanguageModel | None = None,
        access: Access = NOTHING,
    ) -> None:
        self._environment = environment or {}
        self._default = default
        self._access = access

    def default(self) -> LanguageModel | None:
        """Opened when it is needed: a key that is missing must not keep a store from being opened."""
        if not isinstance(self._default, str):
            return self._default
        provider, model, address = _parsed(self._default)
        return self._open(provider, model, address or self._address(provider))

    def named(self, name: str) -> LanguageModel:
        """The model that a request names, as `provider:model`, at the address that this process uses.

        `Forbidden` if this process allows no such model.
        """
        default = self._default
        if default is not None and not isinstance(default, str) and name == name_of(default):
            return default
        provider, model, address = _parsed(name)
        if address is not None:
            raise InvalidInput(
                "A request names a model, not an address.",
                hint=f"Write {provider}:{model}; the process that opens the store sets the address.",
            )
        return self._open(provider, model, self._allowed(provider, model))

    def configured(self, provider: str, model: str, *, timeout: float, retries: int) -> LanguageModel:
        """The model that the settings of a store name; `Forbidden` if this process does not allow it."""
        address = self._allowed(provider, model)
        return self._open(provider, model, address, timeout=timeout, retries=retries)

    def _allowed(self, provider: str, model: str) -> _Address:
        """Where a model is that a store or a request names."""
        for entry in (*([self._default] if isinstance(self._default, str) else ()), *self._access.models):
            own, pattern, address = _parsed(entry)
            # The default is one model, whatever characters its name has.
            fits = model == pattern or (entry != self._default and fnmatch.fnmatchcase(model, pattern))
            if own == provider and fits:
                return address or self._address(provider)
        raise Forbidden(
            f"This process does not allow the model {provider}:{model}.",
            hint=f"Allow it with {MODELS_VARIABLE}={provider}:{model}, in [models] of the configuration file,"
            f" or with Memory.open(..., access=Access(models=['{provider}:{model}'])).",
        )

    def _open(
        self,
        provider: str,
        model: str,
        address: _Address,
        *,
        timeout: float = _SECONDS,
        retries: int = _RETRIES,
    ) -> LanguageModel:
        key = self._environment.get(address.key_variable) if address.key_variable else None
        if address.needs_key and not key:
            raise ModelFailed(
                f"The environment variable {address.key_variable!r} holds no key for {provider}:{model}.",
                outcome="misconfigured",
                hint="Set it and try again.",
            )
        endpoint = ModelEndpoint(provider, model, address.url, key or None, timeout=timeout, retries=retries)
        return HttpModel(endpoint)

    def _address(self, provider: str) -> _Address:
        """Where a provider is: as the default model's name says, as the environment says, or in public."""
        if isinstance(self._default, str):
            own, _, address = _parsed(self._default)
            if address is not None and own == provider:
                return address
        if provider not in PROVIDERS:
            raise _unknown(provider)
        public, url_variable = PROVIDERS[provider]
        url = self._environment.get(url_variable)
        if not url and not public.url:
            raise InvalidInput(
                f"Where {provider}: models are is not known.",
                hint=f"Set {url_variable}, or write {provider}:MODEL@https://host/v1 where the process "
                "names its models.",
            )
        if not url:
            return public
        # Ollama's variable is often written without a scheme, as 127.0.0.1:11434. A server of one's own may
        # not want a key.
        return _Address(url if "://" in url else f"http://{url}", public.key_variable, needs_key=False)


def name_of(model: LanguageModel) -> str:
    """As requests and `metadata["semantic"]` name a model."""
    return f"{model.provider}:{model.model}"


def _parsed(name: str) -> tuple[str, str, _Address | None]:
    """Provider, model, and where it is if the name says so."""
    match = _SPEC.fullmatch(name)
    if match is None:
        raise InvalidInput(f"{name!r} does not name a language model.", hint=f"Write {' or '.join(FORMS)}.")
    provider = match["provider"].lower()
    if provider not in PROVIDERS:
        raise _unknown(provider)
    options = dict(parse_qsl(match["options"] or "", keep_blank_values=True))
    if unknown := sorted(options.keys() - {"key_env"}):
        raise InvalidInput(f"A model has no option {unknown[0]!r}.", hint="It has key_env.")
    key_variable = options.get("key_env")
    address = (
        _Address(match["url"], key_variable, needs_key=key_variable is not None) if match["url"] else None
    )
    return provider, match["model"], address


def _unknown(provider: str) -> InvalidInput:
    return InvalidInput(f"There is no provider {provider!r}.", hint=f"Known are {', '.join(PROVIDERS)}.")
