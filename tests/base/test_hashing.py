"""Different fields never hash alike, the same ones always do."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from longmind.base.hashing import checksum, digest, encode_fields

FIELD = (
    st.none()
    | st.text(st.characters(codec="utf-8"), max_size=6)
    | st.integers(-(2**63), 2**63 - 1)
    | st.binary(max_size=6)
    | st.floats(allow_nan=False)
)
FIELDS = st.lists(FIELD, max_size=5)


def typed(fields: list[Any]) -> list[Any]:
    """1 and 1.0, and 0.0 and -0.0, are equal in Python and must not be here."""
    return [(type(value), repr(value)) for value in fields]


@given(FIELDS, FIELDS)
def test_different_fields_encode_differently(one: list[Any], other: list[Any]) -> None:
    same = typed(one) == typed(other)
    assert (encode_fields(one) == encode_fields(other)) == same
    assert (digest(*one) == digest(*other)) == same
    assert (checksum(*one) == checksum(*other)) == same


@given(st.lists(st.text(st.sampled_from("ab\0"), max_size=3), max_size=4))
def test_moving_a_letter_between_fields_changes_the_hash(parts: list[str]) -> None:
    joined = ["".join(parts)]
    assert (digest(*parts) == digest(*joined)) == (parts == joined)


@given(FIELDS)
def test_a_checksum_fits_a_signed_integer_of_64_bits(fields: list[Any]) -> None:
    assert -(2**63) <= checksum(*fields) < 2**63


def test_hashes_are_the_same_in_every_version() -> None:
    assert checksum("clock", 0) == 1934556152308305704
    assert checksum() == 5694367389426422167
    assert checksum("é", None, 1, 2.5, b"\xff") == -3063970965021515817
    fields: list[Any] = ["é", -2, 0.5, b"\xff", None]
    encoded = "730200000000000000c3a969feffffffffffffffff66000000000000e03f620100000000000000ff6e"
    assert encode_fields(fields).hex() == encoded
    assert encode_fields(["x" * 300])[:9].hex() == "732c01000000000000"
    assert digest("a", 1, None).hex() == "a9ba287ccc35ea8d03f5fdaa69e36833c02e3f3d41646dbfb089ed41f920b26f"
