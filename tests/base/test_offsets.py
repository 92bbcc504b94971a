"""From characters to bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longmind.base.offsets import ByteOffsets


@given(st.text(alphabet=st.characters(), max_size=80))
def test_an_offset_is_the_length_of_what_stands_before_it(text: str) -> None:
    offsets = ByteOffsets(text)
    for position in range(len(text) + 1):
        assert offsets[position] == len(text[:position].encode("utf-8", "surrogatepass"))
