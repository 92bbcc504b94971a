from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind import InvalidInput
from longmind.hooks import jsontext

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])


@given(value=VALUES, indent=INDENTS)
def test_json_is_read_as_the_library_reads_it(value: Any, indent: Any):
    text = json.dumps(value, indent=indent)

    assert jsontext.parse(text).plain == value


@given(value=OBJECTS, indent=INDENTS, item=VALUES, key=st.text())
def test_what_is_added_is_there_and_taken_out_leaves_the_rest(value: Any, indent: Any, item: Any, key: str):
    value.pop(key, None)
    text = json.dumps(value, indent=indent)

    more = jsontext.add(jsontext.add(text, (key, "inner"), item), (key, "inner"), "second")

    assert json.loads(more) == value | {key: {"inner": [item, "second"]}}
    node = jsontext.parse(more).at(key, "inner")
    assert node is not None
    fewer = jsontext.remove(more, node, 0)
    assert json.loads(fewer) == value | {key: {"inner": ["second"]}}
    whole = jsontext.parse(fewer)
    assert json.loads(jsontext.remove(fewer, whole, list(whole.members).index(key))) == value


def test_comments_and_the_manner_of_the_file_stay():
    text = '{\n    // why\n    "a": [1, 2], /* so */\n    "list": [\n        "x", // first\n    ],\n}\n'

    assert jsontext.add(text, ("list",), "y") == text.replace("// first", '// first\n        "y"')
    assert jsontext.add(text, ("a",), 3) == text.replace("[1, 2]", "[1, 2, 3]")


@pytest.mark.parametrize("text", ["{", "{]", '{"a" 1}', "nul", '{"a": 1} x', '["', "/* never", "[" * 500])
def test_what_is_no_json_is_refused(text: str):
    with pytest.raises(InvalidInput):
        jsontext.parse(text)
