"""Language models over HTTP: servers that speak the OpenAI, the Anthropic or the Ollama interface."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from longmind.base.errors import InvalidInput
from longmind.llm.protocol import ModelFailed, Prompt, Reply

ADDRESSES: Final = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
}
_RETRIED: Final = frozenset({429, 500, 502, 503, 504, 529})
_FIRST_PAUSE: Final = 0.25
_MOST_BYTES: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """Where to ask, and how hard to try. `timeout` is for all attempts together: a write waits behind it."""

    provider: str
    model: str
    url: str = ""
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 8.0
    retries: int = 1

    def __post_init__(self) -> None:
        if self.provider not in ADDRESSES:
            raise InvalidInput(
                f"There is no provider {self.provider!r}.", hint=f"Known are {', '.join(ADDRESSES)}."
            )
        if not self.model:
            raise InvalidInput("An endpoint needs the name of a model.")
        try:
            parts = urlsplit(self.address)
            _ = parts.port
        except ValueError as error:
            raise InvalidInput(f"An endpoint's address cannot be read: {error}.") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput("An endpoint's address begins with http:// or https:// and names a host.")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InvalidInput("An endpoint's address holds no user, password, query or fragment.")
        if self.api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", self.api_key):
            raise InvalidInput("The API key has characters that no key has.")
        if self.timeout <= 0 or self.retries < 0:
            raise InvalidInput("timeout must be above 0, and retries at least 0.")

    @property
    def address(self) -> str:
        return self.url or ADDRESSES[self.provider]


class HttpModel:
    """A language model behind an endpoint."""

    def __init__(self, endpoint: ModelEndpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.provider = endpoint.provider
        self.model = endpoint.model
        self._endpoint = endpoint
        self._sleep = sleep

    def complete(self, prompt: Prompt) -> Reply:
        speech = _SPEECH[self.provider]
        answer = self._post(speech.path, speech.body(self.model, prompt))
        try:
            return speech.reply(answer)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError):
            raise self._failed("sent an answer of an unknown form", "wrong_schema") from None

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        payload = json.dumps(body).encode()
        deadline = time.monotonic() + self._endpoint.timeout
        pause = _FIRST_PAUSE
        for attempt in range(self._endpoint.retries + 1):
            status, wait, content = self._exchange(path, payload, deadline)
            if status == 200:
                try:
                    return json.loads(content)
                except (ValueError, RecursionError):
                    raise self._failed("sent an answer that is no JSON", "bad_json") from None
            wait = max(pause, wait)
            last = attempt == self._endpoint.retries or time.monotonic() + wait >= deadline
            if status not in _RETRIED or last:
                break
            self._sleep(wait)
            pause *= 2
        outcome = "rate_limited" if status == 429 else "server_error" if status >= 500 else "rejected"
        raise self._failed(f"answered with status {status}{self._quoted(content)}", outcome)

    def _exchange(self, path: str, payload: bytes, deadline: float) -> tuple[int, float, bytes]:
        import http.client  # costly, and most stores never call a model

        parts = urlsplit(self._endpoint.address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        remaining = max(0.01, deadline - time.monotonic())
        try:
            connection = kind(parts.hostname or "", parts.port, timeout=remaining)
            try:
                connection.request(
                    "POST", parts.path.rstrip("/") + path, body=payload, headers=self._headers()
                )
                response = connection.getresponse()
                content = bytearray()
                while block := response.read1(1 << 16):
                    content += block
                    if len(content) > _MOST_BYTES:
                        raise self._failed("sent more than 8 MiB", "wrong_schema")
                    if time.monotonic() > deadline:
                        raise TimeoutError
                return response.status, _seconds(response.getheader("Retry-After")), bytes(content)
            finally:
                connection.close()
        except ModelFailed:
            raise
        except TimeoutError:
            raise self._failed(f"did not answer within {self._endpoint.timeout:g} s", "timeout") from None
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(f"cannot be reached ({type(error).__name__})", "unreachable") from None

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.provider == "anthropic":
            headers["anthropic-version"] = "2023-06-01"
        if self._endpoint.api_key is not None:
            name, value = ("x-api-key", "") if self.provider == "anthropic" else ("Authorization", "Bearer ")
            headers[name] = value + self._endpoint.api_key
        return headers

    def _quoted(self, content: bytes) -> str:
        """The beginning of what the server said, without the key should it repeat it."""
        text = " ".join(content[:2000].decode("utf-8", "replace").split())
        if self._endpoint.api_key is not None:
            text = text.replace(self._endpoint.api_key, "[key]")
        return f": {text[:200]}" if text else ""

    def _failed(self, what: str, outcome: str) -> ModelFailed:
        return ModelFailed(
            f"The model at {self._endpoint.address} {what}.",
            outcome=outcome,
            hint=f"Check that it serves '{self.model}' and accepts the key.",
        )


@dataclass(frozen=True, slots=True)
class _Speech:
    """How one provider is spoken to."""

    path: str
    body: Callable[[str, Prompt], dict[str, Any]]
    reply: Callable[[Any], Reply]


def _openai_body(model: str, prompt: Prompt) -> dict[str, Any]:
    messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
    return {"model": model, "messages": messages, "max_tokens": prompt.max_output_tokens, "temperature": 0}


def _openai_reply(answer: Any) -> Reply:
    choice = answer["choices"][0]
    message = choice["message"]
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        raise ModelFailed("The model refused to answer.", outcome="refused")
    usage = answer.get("usage") or {}
    return Reply(_text(message["content"]), usage.get("prompt_tokens"), usage.get("completion_tokens"))


def _anthropic_body(model: str, prompt: Prompt) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt.user}]
    return {
        "model": model,
        "system": prompt.system,
        "messages": messages,
        "max_tokens": prompt.max_output_tokens,
        "temperature": 0,
    }


def _anthropic_reply(answer: Any) -> Reply:
    if answer.get("stop_reason") == "refusal":
        raise ModelFailed("The model refused to answer.", outcome="refused")
    text = "".join(_text(block["text"]) for block in answer["content"] if block["type"] == "text")
    usage = answer.get("usage") or {}
    return Reply(text, usage.get("input_tokens"), usage.get("output_tokens"))


def _ollama_body(model: str, prompt: Prompt) -> dict[str, Any]:
    options = {"temperature": 0, "num_predict": prompt.max_output_tokens}
    return {
        "model": model,
        "messages": _openai_body(model, prompt)["messages"],
        "stream": False,
        "options": options,
    }


def _ollama_reply(answer: Any) -> Reply:
    text = _text(answer["message"]["content"])
    return Reply(text, answer.get("prompt_eval_count"), answer.get("eval_count"))


_SPEECH: Final[Mapping[str, _Speech]] = {
    "openai": _Speech("/chat/completions", _openai_body, _openai_reply),
    "anthropic": _Speech("/v1/messages", _anthropic_body, _anthropic_reply),
    "ollama": _Speech("/api/chat", _ollama_body, _ollama_reply),
}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _seconds(header: str | None) -> float:
    return float(header) if header is not None and re.fullmatch(r"\d{1,6}", header.strip()) else 0.0
