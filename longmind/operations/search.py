"""Operations that ask: search, and contexts inside a token budget."""

from __future__ import annotations

from typing import Final

from longmind.memory import Memory
from longmind.operations import values
from longmind.operations.operation import Operation

_REFERENCE: Final = {"reference": values.reference}
_OPTIONS: Final = {"fusion": "score", "times": "boost"}
_PYTHON_ONLY: Final = ("mode", "reference")
_QUESTION: Final = "how does Ana like to travel?"

OPERATIONS: Final = (
    Operation(
        "search",
        Memory.search,
        tool=True,
        example={"query": _QUESTION, "limit": 5},
        defaults=_OPTIONS,
        without=_PYTHON_ONLY,
        fill=_REFERENCE,
    ),
    Operation(
        "search_many",
        Memory.search_many,
        example={"queries": [_QUESTION, "where does Ana live?"], "limit": 5},
        defaults=_OPTIONS,
        without=_PYTHON_ONLY,
        fill=_REFERENCE,
    ),
    Operation(
        "why_not",
        Memory.why_not,
        example={"query": _QUESTION, "frame": 1},
        rename={"frame_id": "frame"},
        defaults=_OPTIONS,
        without=_PYTHON_ONLY,
        fill=_REFERENCE,
    ),
    Operation(
        "recall",
        Memory.recall,
        tool=True,
        example={"query": _QUESTION, "budget": 500},
        types={"recipe": str},
        without=(*_PYTHON_ONLY, "fusion", "times", "sessions"),
        fill=_REFERENCE,
    ),
    Operation(
        "recall_many",
        Memory.recall_many,
        example={"queries": [_QUESTION, "where does Ana live?"], "budget": 500},
        types={"recipe": str},
        without=(*_PYTHON_ONLY, "fusion", "times", "sessions"),
        fill=_REFERENCE,
    ),
    Operation("replay", Memory.replay),
    Operation("recipes", Memory.recipes),
    Operation(
        "save_recipe",
        Memory.save_recipe,
        effect="write",
        begins=True,
        repeatable=True,
        example={"recipe": {"name": "short", "lanes": [{"kind": "snippets", "share": 1.0}]}},
    ),
)
