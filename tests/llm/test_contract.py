"""JSON in what a model says."""

from __future__ import annotations

import pytest

from longmind.llm import ModelFailed
from longmind.llm.protocol import json_of


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": [1]}',
        'Here it is: {"a": [1]} I hope it helps.',
        '```json\n{"a": [1]}\n```',
        'Sure.\n```\n{"a": [1]}\n```\nDone {really}.',
    ],
)
def test_an_object_is_found(answer: str) -> None:
    assert json_of(answer, dict) == {"a": [1]}


@pytest.mark.parametrize(
    ("answer", "kind", "outcome"),
    [
        ("", list, "bad_json"),
        ("I cannot [do] that", list, "bad_json"),
        ("[" * 100_000, list, "bad_json"),
        ('{"a": 1}', list, "wrong_schema"),
        ('[{"a": 1}]', dict, "wrong_schema"),
        ("null", dict, "wrong_schema"),
    ],
)
def test_what_is_not_there_has_a_name(answer: str, kind: type, outcome: str) -> None:
    with pytest.raises(ModelFailed) as failed:
        json_of(answer, kind)
    assert failed.value.outcome == outcome
