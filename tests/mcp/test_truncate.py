from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validate

from longmind.base.tokens import open_tokenizer
from longmind.mcp.shapes import Shape
from longmind.mcp.truncate import CUT, fit, written
from longmind.operations import registry
from longmind.operations.schema import answer_schema

COUNT = open_tokenizer("cl100k_base").count
WORDS = st.text("abcdefgh \n日本é", max_size=300)
RECORDS = st.fixed_dictionaries({"id": st.integers(), "text": WORDS, "tags": st.lists(st.text(max_size=9))})
ANSWERS = st.fixed_dictionaries(
    {"text": WORDS, "hits": st.lists(RECORDS, max_size=12), "by": st.dictionaries(st.text(max_size=9), WORDS)}
)
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "hits": {"type": "array", "items": {"$ref": "#/$defs/Record"}},
        "by": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["text", "hits", "by"],
    "additionalProperties": False,
    "$defs": {
        "Record": {
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "text": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["id", "text", "tags"],
            "additionalProperties": False,
        }
    },
}


@given(answer=ANSWERS, budget=st.integers(200, 2000))
def test_an_answer_fits_its_budget_and_its_schema(answer: dict[str, Any], budget: int):
    shape = Shape(SCHEMA, lean=True)

    fitted = fit(shape.written(answer), budget=budget, count=COUNT)

    assert COUNT(written(fitted)) <= budget
    validate(fitted, shape.schema)


def test_an_answer_that_fits_is_left_as_it_is():
    answer = {"text": "short", "hits": [{"id": 1}]}

    assert fit(answer, budget=200, count=COUNT) == answer


def test_what_is_nested_goes_before_the_text_that_was_asked_for():
    answer = {"text": "word " * 300, "items": [{"text": "word " * 300, "id": number} for number in range(9)]}

    fitted = fit(answer, budget=700, count=COUNT)

    assert fitted["text"] == answer["text"]
    assert len(written(fitted["items"])) < len(written(answer["items"]))
    assert CUT in fitted


def test_a_text_that_is_too_long_by_itself_is_cut_at_its_end():
    fitted = fit({"id": 7, "text": "word " * 9000}, budget=300, count=COUNT)

    assert fitted["id"] == 7
    assert fitted["text"].startswith("word word")
    assert fitted["text"].endswith("…")


def test_times_are_written_out_in_the_answer_and_in_its_schema():
    schema = {
        "type": "object",
        "properties": {
            "occurred_at": {"type": "integer"},
            "valid_to": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "metadata": {"type": "object", "additionalProperties": {}},
        },
        "required": ["occurred_at", "valid_to", "metadata"],
    }
    shape = Shape(schema, lean=True)
    answer = {"occurred_at": 1_700_000_000_000, "valid_to": None, "metadata": {"seen_at": 5, "empty": None}}

    made = shape.written(answer)

    assert made["occurred_at"] == "2023-11-14T22:13:20Z"
    assert made["metadata"]["seen_at"] == 5
    assert "valid_to" not in made
    validate(made, shape.schema)


@pytest.mark.parametrize("lean", [True, False])
def test_every_operation_has_a_schema_whose_references_are_there(lean: bool):
    for operation in registry.operations():
        schema = Shape(answer_schema(operation), lean=lean).schema
        assert schema["type"] == "object", operation.name
        for name in _references(schema):
            assert name in schema["$defs"], operation.name


def _references(schema: Any) -> set[str]:
    found: set[str] = set()
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            found.add(schema["$ref"].rpartition("/")[2])
        for value in schema.values():
            found |= _references(value)
    if isinstance(schema, list):
        for value in schema:
            found |= _references(value)
    return found
