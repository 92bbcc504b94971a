"""Language models over HTTP: servers that speak the OpenAI, the Anthropic or the Ollama interface."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.http import HttpFailed, JsonClient, check_address, check_key
from longmind.llm.protocol import ModelFailed, Prompt, Reply

_FIRST_PAUSE: Final = 0.25
_MOST_BYTES: Final = 8 << 20
"""Of one answer; the longest that is asked for has a few thousand tokens."""
_OUTCOMES: Final = {
    "timeout": "timeout",
    "unreachable": "unreachable",
    "interrupted": "interrupted",
    "redirect": "rejected",
    "not_json": "bad_json",
    "too_large": "wrong_schema",
    "bad_answer": "wrong_schema",
}


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where to ask, and how hard to try. `timeout` is for all attempts together: a write waits behind it."""

    provider: str
    model: str
    url: str
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 8.0
    retries: int = 1

    def __post_init__(self) -> None:
        if self.provider not in _INTERFACES:
            raise InvalidInput(
                f"There is no provider {self.provider!r}.", hint=f"Known are {', '.join(_INTERFACES)}."
            )
        if not self.model:
            raise InvalidInput(
                "An endpoint needs the name of a model.", hint="Write it as openai:MODEL or ollama:MODEL."
            )
        check_address(self.url)
        check_key(self.api_key)
        if self.timeout <= 0 or self.retries < 0:
            raise InvalidInput("timeout must be above 0, and retries at least 0.")


class HttpModel:
    """A language model behind an endpoint."""

    def __init__(self, endpoint: ModelEndpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.provider = endpoint.provider
        self.model = endpoint.model
        self.url = endpoint.url
        self._client = JsonClient(
            url=endpoint.url,
            name=f"The model at {endpoint.url}",
            hint=f"Check that it serves '{endpoint.model}' and accepts the key.",
            timeout=endpoint.timeout,
            within=endpoint.timeout,
            most_bytes=_MOST_BYTES,
            headers=_headers(endpoint),
            key=endpoint.api_key,
            retries=endpoint.retries,
            first_pause=_FIRST_PAUSE,
            sleep=sleep,
        )

    def complete(self, prompt: Prompt) -> Reply:
        interface = _INTERFACES[self.provider]
        try:
            answer = self._client.post(interface.path, interface.body(self.model, prompt))
            try:
                return interface.reply(answer)
            except (KeyError, TypeError, IndexError, ValueError, AttributeError):
                raise self._client.failed("sent an answer of an unknown form", failure="bad_answer") from None
        except HttpFailed as error:
            raise ModelFailed(error.message, outcome=_outcome(error), hint=error.hint) from None


def _outcome(error: HttpFailed) -> str:
    if error.status is None:
        return _OUTCOMES[error.failure]
    return "rate_limited" if error.status == 429 else "server_error" if error.status >= 500 else "rejected"


def _headers(endpoint: ModelEndpoint) -> dict[str, str]:
    anthropic = endpoint.provider == "anthropic"
    headers = {"anthropic-version": "2023-06-01"} if anthropic else {}
    if endpoint.api_key is not None:
        name, prefix = ("x-api-key", "") if anthropic else ("Authorization", "Bearer ")
        headers[name] = prefix + endpoint.api_key
    return headers


@dataclass(frozen=True, slots=True)
class _Interface:
    """The requests and answers of one provider."""

    path: str
    body: Callable[[str, Prompt], dict[str, Any]]
    reply: Callable[[Any], Reply]


def _openai_body(model: str, prompt: Prompt) -> dict[str, Any]:
    content: Any = prompt.user
    if prompt.images:
        shown = [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{_base64(image)}"}}
            for image in prompt.images
        ]
        content = [{"type": "text", "text": prompt.user}, *shown]
    messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": content}]
    return {
        "model": model,
        "messages": messages,
        "max_tokens": prompt.max_output_tokens,
        "temperature": prompt.temperature,
    }


def _openai_reply(answer: Any) -> Reply:
    choice = answer["choices"][0]
    message = choice["message"]
    usage = answer.get("usage") or {}
    tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise _refused(*tokens)
    return Reply(_text(message["content"]), *tokens)


def _anthropic_body(model: str, prompt: Prompt) -> dict[str, Any]:
    content: Any = prompt.user
    if prompt.images:
        source = {"type": "base64", "media_type": "image/jpeg"}
        shown = [{"type": "image", "source": {**source, "data": _base64(image)}} for image in prompt.images]
        content = [*shown, {"type": "text", "text": prompt.user}]
    messages = [{"role": "user", "content": content}]
    return {
        "model": model,
        "system": prompt.system,
        "messages": messages,
        "max_tokens": prompt.max_output_tokens,
        "temperature": prompt.temperature,
    }


def _anthropic_reply(answer: Any) -> Reply:
    usage = answer.get("usage") or {}
    tokens = usage.get("input_tokens"), usage.get("output_tokens")
    if answer.get("stop_reason") == "refusal":
        raise _refused(*tokens)
    text = "".join(_text(block["text"]) for block in answer["content"] if block["type"] == "text")
    return Reply(text, *tokens)


def _ollama_body(model: str, prompt: Prompt) -> dict[str, Any]:
    options = {"temperature": prompt.temperature, "num_predict": prompt.max_output_tokens}
    user_message: dict[str, Any] = {"role": "user", "content": prompt.user}
    if prompt.images:
        user_message["images"] = [_base64(image) for image in prompt.images]
    return {
        "model": model,
        "messages": [{"role": "system", "content": prompt.system}, user_message],
        "stream": False,
        "options": options,
    }


def _ollama_reply(answer: Any) -> Reply:
    text = _text(answer["message"]["content"])
    return Reply(text, answer.get("prompt_eval_count"), answer.get("eval_count"))


_INTERFACES: Final[Mapping[str, _Interface]] = {
    "openai": _Interface("/chat/completions", _openai_body, _openai_reply),
    **dict.fromkeys(("google", "hf", "custom"), _Interface("/chat/completions", _openai_body, _openai_reply)),
    "anthropic": _Interface("/v1/messages", _anthropic_body, _anthropic_reply),
    "ollama": _Interface("/api/chat", _ollama_body, _ollama_reply),
}


def _base64(image: bytes) -> str:
    return base64.b64encode(image).decode()


def _refused(input_tokens: int | None, output_tokens: int | None) -> ModelFailed:
    """A refusal is an answer, and charged like one."""
    reply = Reply("", input_tokens, output_tokens)
    return ModelFailed("The model refused to answer.", outcome="refused", reply=reply)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
