"""Answers of language models as JSON: found in the text, or refused by name."""

from __future__ import annotations

import json
import re
from typing import Any

from longmind.llm.protocol import ModelFailed

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
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, kind):
            raise wrong(f"it is a {type(value).__name__}, not a {kind.__name__}")
        return value
    raise ModelFailed("The language model did not answer with JSON.", outcome="bad_json")


def wrong(detail: str) -> ModelFailed:
    """An answer that is JSON, and not what was asked for."""
    return ModelFailed(f"The language model's answer breaks the contract: {detail}.", outcome="wrong_schema")
