"""What a model may answer when it is shown a turn."""

from __future__ import annotations

import pytest

from longmind.conversation.extraction import parse_memories
from longmind.llm import ModelFailed


def test_the_contract_takes_the_seeds_example() -> None:
    found = parse_memories(
        '```json\n[{"content": "User likes JRPGs", "importance": 1, "tags": ["interests"],'
        ' "action": "create"}, {"content": "Old preference obsolete", "action": "archive"}]\n```'
    )
    assert [(item.content, item.importance, item.tags, item.action) for item in found] == [
        ("User likes JRPGs", 1, ("interests",), "create"),
        ("Old preference obsolete", 0, (), "archive"),
    ]


@pytest.mark.parametrize("answer", ["", "[" * 100_000, "null", "[1]", '[{"content": "a\\u0000"}]', "[{}]"])
def test_what_breaks_the_contract_is_refused_whole(answer: str) -> None:
    with pytest.raises(ModelFailed):
        parse_memories(answer)
