"""Operations on golden questions."""

from __future__ import annotations

from typing import Any, Final

from longmind.memory import Memory
from longmind.operations.operation import Operation
from longmind.search.golden import Golden


def _golden(memory: Memory) -> Golden:
    return memory.golden


_ASKED: Final = {"query": "where does Ana live?", "texts": ["Porto"], "name": "home of Ana"}
_OPTIONS: Final[dict[str, Any]] = {"options": dict, "first": dict, "second": dict}

OPERATIONS: Final = (
    Operation(
        "golden.add",
        Golden.add,
        receiver=_golden,
        effect="write",
        begins=True,
        repeatable=True,
        example=_ASKED,
    ),
    Operation("golden.list", Golden.list, receiver=_golden),
    Operation("golden.run", Golden.run, receiver=_golden, effect="write", lasting=True),
    Operation("golden.history", Golden.history, receiver=_golden),
    Operation(
        "golden.compare",
        Golden.compare,
        receiver=_golden,
        example={"first": {}, "second": {"fusion": "rrf"}},
    ),
    Operation(
        "golden.remove",
        Golden.remove,
        receiver=_golden,
        effect="write",
        repeatable=True,
        example={"name": "home of Ana"},
    ),
)
