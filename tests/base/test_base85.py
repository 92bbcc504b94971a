"""Base 85 for whole arrays is that of the standard library."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.base85 import decode_base85, encode_base85


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=64))
def test_bytes_are_written_and_read_as_by_the_standard_library(content: bytes) -> None:
    text = encode_base85(content)

    assert text == base64.b85encode(content).decode()
    assert decode_base85(text) == content


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(max_codepoint=300), max_size=12) | st.text("~|{", max_size=12))
def test_a_text_is_refused_where_the_standard_library_refuses_it(text: str) -> None:
    try:
        content = base64.b85decode(text)
    except ValueError:
        with pytest.raises(ValueError):
            decode_base85(text)
    else:
        assert decode_base85(text) == content
