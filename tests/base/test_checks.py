"""Input is checked once: what passes is exactly what can be stored, the rest says what is wrong with it."""

from __future__ import annotations

import json
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.checks import (
    MAX_LABEL_BYTES,
    canonical_json,
    check_choice,
    check_label,
    check_limit,
    check_metadata,
    check_tags,
    check_text,
    optional_label,
)
from longmind.base.errors import InvalidInput

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4), inner, max_size=3
        )
    ),
    max_leaves=10,
)


@given(st.text())
def test_a_text_is_refused_or_taken_exactly(text: str) -> None:
    storable = (
        "\0" not in text and text.strip() and not any(0xD800 <= ord(letter) < 0xE000 for letter in text)
    )
    if storable:
        assert check_text(text, "text") is text
    else:
        with pytest.raises(InvalidInput, match="text"):
            check_text(text, "text")


def test_a_text_has_a_largest_size_in_bytes() -> None:
    assert check_text("é" * 5, "t", most_bytes=10)
    with pytest.raises(InvalidInput, match="10"):
        check_text("é" * 6, "t", most_bytes=10)


def test_an_empty_text_is_taken_only_where_it_may_be() -> None:
    assert check_text("", "t", empty=True) == ""
    with pytest.raises(InvalidInput, match="empty"):
        check_text("", "t")


def test_a_label_is_trimmed_and_bounded_in_bytes() -> None:
    assert check_label("  a b ", "tag") == "a b"
    assert optional_label(None, "tag") is None
    assert check_label("x" * MAX_LABEL_BYTES, "tag")
    for label in ("x" * (MAX_LABEL_BYTES + 1), "é" * MAX_LABEL_BYTES, "", " ", None, 5, "a\0"):
        with pytest.raises(InvalidInput, match="tag"):
            check_label(label, "tag")


def test_tags_are_distinct_and_sorted() -> None:
    assert check_tags(["b", "a", " b "]) == ("a", "b")
    assert check_tags(iter({"x"})) == ("x",)
    assert check_tags(()) == ()
    for tags in ("abc", None, 5, [5], [None], [""], [str(number) for number in range(201)]):
        with pytest.raises(InvalidInput, match="tag"):
            check_tags(tags)  # type: ignore[arg-type]


@given(JSON)
def test_canonical_json_reads_back_and_has_one_spelling(value: Any) -> None:
    written = canonical_json(value)
    back = json.loads(written)
    assert canonical_json(back) == written
    assert back == value
    assert "\n" not in written


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3), JSON, max_size=4
    )
)
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    turned = OrderedDict(reversed(list(value.items())))
    assert canonical_json(turned) == canonical_json(MappingProxyType(value)) == canonical_json(value)


def endless() -> list[Any]:
    loop: list[Any] = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        [float("inf")],
        {"a": -float("inf")},
        {1: 2},
        {"a": {None: 1}},
        {1, 2},
        b"x",
        object(),
        "\0",
        ["\ud800"],
        {"\0": 1},
        endless(),
        10**5000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(InvalidInput):
        canonical_json(value, "value")


def test_metadata_is_its_keys_with_canonical_values() -> None:
    assert check_metadata({"b": [1, {"z": 1, "a": 2}], " a ": None}) == {
        "a": "null",
        "b": '[1,{"a":2,"z":1}]',
    }
    assert check_metadata({}) == {}
    for metadata in (None, [], "x", {5: 1}, {"": 1}, {"a": 1, "a ": 2}, {"a": "x" * 2**20}):
        with pytest.raises(InvalidInput, match="metadata"):
            check_metadata(metadata)  # type: ignore[arg-type]


def test_limits_are_whole_numbers_within_bounds() -> None:
    assert check_limit(1, "limit") == 1
    assert check_limit(0, "limit", least=0) == 0
    for value in (0, -1, 1_000_001, 1.0, "1", None, True):
        with pytest.raises(InvalidInput, match="limit"):
            check_limit(value, "limit")


def test_a_choice_is_one_of_the_choices() -> None:
    assert check_choice("a", "letter", ("a", "b")) == "a"
    for value in ("c", "", None, 1, ["a"], b"a"):
        with pytest.raises(InvalidInput, match=r"letter.*a, b"):
            check_choice(value, "letter", ("a", "b"))
