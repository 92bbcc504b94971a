"""An answer inside a token budget: shorter texts and lists, never another shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

CUT: Final = "cut"
"""The field of an answer that reports what was left out."""
_NOTE: Final = "Shortened to stay inside the token budget: ask for less, or for one thing at a time."
_STEPS: Final = (
    (4000, 200), (2000, 100), (1000, 50), (600, 30), (400, 20),
    (300, 12), (200, 8), (120, 5), (80, 3), (40, 1),
)  # fmt: skip
"""How long texts below the top may be, in characters, and how many items lists may have; tried in turn."""
_SMALL: Final = 4
_MOST_CHARACTERS_A_TOKEN: Final = 12

Count = Callable[[str], int]


def written(value: Any) -> str:
    """A value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fit(answer: dict[str, Any], *, budget: int, count: Count) -> dict[str, Any]:
    """The answer if it fits, else as much of it as does, with the field `cut`.

    What is nested goes first, and what stands at the top last: there is the text that was asked for.
    """
    if _fits(answer, budget, count):
        return answer
    for characters, items in _STEPS:
        shorter = {**_shortened(answer, characters, items, top=True), CUT: _NOTE}
        if _fits(shorter, budget, count):
            return shorter
    return _last_resort(shorter, budget, count)


def _fits(answer: dict[str, Any], budget: int, count: Count) -> bool:
    text = written(answer)
    if len(text) <= budget:  # no token is shorter than a byte, and few are than a character
        return len(text.encode()) <= budget or count(text) <= budget
    return len(text) <= budget * _MOST_CHARACTERS_A_TOKEN and count(text) <= budget


def _shortened(value: Any, characters: int, items: int, *, top: bool = False) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else value[: characters - 1].rstrip() + "…"
    if isinstance(value, list):
        plain = not any(isinstance(item, dict | list) for item in value)
        most = max(items, _SMALL) if plain else items
        return [_shortened(item, characters, items) for item in value[:most]]
    if isinstance(value, dict):
        fields = list(value.items())
        if not top:
            fields = fields[: max(items, 12)]
        return {
            key: item if top and isinstance(item, str) else _shortened(item, characters, items)
            for key, item in fields
            if len(key) <= 200
        }
    return value


def _last_resort(answer: dict[str, Any], budget: int, count: Count) -> dict[str, Any]:
    """Cut the texts at the top to what is left, then leave out field after field, the largest first."""
    rest = dict(answer)
    for share in (4, 2, 1):
        texts = {key: item for key, item in rest.items() if isinstance(item, str) and key != CUT}
        for key, item in texts.items():
            rest[key] = item if len(item) <= budget * share else item[: budget * share - 1].rstrip() + "…"
        if _fits(rest, budget, count):
            return rest
    while len(rest) > 1 and not _fits(rest, budget, count):
        largest = max((key for key in rest if key != CUT), key=lambda key: len(written(rest[key])))
        del rest[largest]
    return rest
