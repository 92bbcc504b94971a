"""What a language model is to this package: a prompt goes in, a text and what it cost come out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from longmind.base.errors import Unavailable
from longmind.base.json_text import parse_json

IMAGE_TOKENS: Final = 2000


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked: how to behave, what to look at, how long the answer may be, and how free it is."""

    system: str
    user: str
    max_output_tokens: int = 800
    temperature: float = 0.0
    images: tuple[bytes, ...] = field(default=(), repr=False)
    """Pictures to look at, as JPEG; only models that see take them."""

    @property
    def input_tokens(self) -> int:
        """No fewer than any tokenizer would count: a budget is reserved by it, and must hold for every text.

        Tokenizers work on bytes, so no text has more tokens than bytes. English has about four bytes for one,
        but a text of rare characters or of letters that make no word comes close. 16 are for the frame of
        the messages. A picture of up to 1,024 pixels counts as no more than 2,000 tokens with any provider.
        """
        text = len(self.system.encode(errors="replace")) + len(self.user.encode(errors="replace")) + 16
        return text + IMAGE_TOKENS * len(self.images)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, and what it cost; None where the server did not say."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


@runtime_checkable
class LanguageModel(Protocol):
    """Answers prompts, from any thread. `complete` raises `ModelFailed` and nothing else.

    A model of your own may also have a `price` (`longmind.llm.Price`). Without one, and without an entry in
    the price table, it is refused where a budget limits money.
    """

    provider: str
    model: str

    def complete(self, prompt: Prompt) -> Reply: ...


NOT_CHARGED: Final = frozenset(
    {"unreachable", "rejected", "rate_limited", "server_error", "misconfigured", "circuit_open"}
)
"""Outcomes for which no provider takes money: the prompt did not arrive, or was turned away."""


class ModelFailed(Unavailable):
    """A language model gave no usable answer. `outcome` says in one word why, `reply` what came back."""

    def __init__(
        self, message: str, *, outcome: str = "error", hint: str | None = None, reply: Reply | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.outcome = outcome
        """timeout, interrupted, rate_limited, server_error, rejected, unreachable, bad_json, wrong_schema,
        refused, circuit_open, misconfigured, or error for anything else."""
        self.reply = reply
        """For an answer that was paid for: its tokens are charged instead of the estimate."""


_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n?\s*```", re.DOTALL)


def json_of(answer: str, kind: type[list[Any]] | type[dict[str, Any]]) -> Any:
    """The JSON list or object in an answer: alone, in a code fence, or with a sentence around it."""
    opening, closing = ("[", "]") if kind is list else ("{", "}")
    fenced = _FENCE.search(answer)
    # The whole first: a list of objects must not pass for the object between its outermost braces.
    texts = [answer, answer[answer.find(opening) : answer.rfind(closing) + 1]]
    if fenced:
        texts.insert(1, fenced[1])
    for text in texts:
        try:
            value = parse_json(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, kind):
            raise wrong(f"it is a {type(value).__name__}, not a {kind.__name__}")
        return value
    raise ModelFailed("The language model did not answer with JSON.", outcome="bad_json")


def wrong(detail: str) -> ModelFailed:
    """An answer that is JSON, and not what was asked for."""
    return ModelFailed(f"The language model's answer breaks the contract: {detail}.", outcome="wrong_schema")
