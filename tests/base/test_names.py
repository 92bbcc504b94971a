"""Names of spaces have one spelling."""

from __future__ import annotations

import copy
import pickle
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.names import ALL, canonical_space

PART = st.text(string.ascii_lowercase + string.digits + "_-", min_size=1, max_size=12)
NAMES = st.lists(PART, min_size=1, max_size=4).map("/".join)


@given(NAMES)
def test_a_canonical_name_stays_as_it_is(name: str) -> None:
    assert canonical_space(name) == name


@given(NAMES, st.sampled_from(["", " ", "\n\t", "\u3000"]))
def test_case_and_surrounding_blanks_do_not_matter(name: str, blank: str) -> None:
    assert canonical_space(f"{blank}{name.upper()}{blank}") == name


@given(st.text())
def test_a_name_is_either_refused_or_canonical_for_good(name: str) -> None:
    try:
        canonical = canonical_space(name)
    except InvalidInput:
        return
    assert canonical_space(canonical) == canonical
    assert set(canonical) <= set(string.ascii_lowercase + string.digits + "_-/")
    assert "//" not in canonical
    assert not canonical.startswith("/")
    assert not canonical.endswith("/")


@pytest.mark.parametrize("name", ["", " ", "a b/ c/", "é", "a.b", "a/./b", "..", "a\0b", "a\\b", "x" * 201])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        canonical_space(name)


@pytest.mark.parametrize("name", [None, 5, b"a", ["a"], ALL])
def test_what_is_no_text_is_no_name(name: object) -> None:
    with pytest.raises(InvalidInput, match="string"):
        canonical_space(name)  # type: ignore[arg-type]


def test_the_longest_name() -> None:
    assert len(canonical_space("x" * 200)) == 200


def test_all_is_one_thing_wherever_it_goes() -> None:
    assert copy.deepcopy(ALL) is ALL
    assert pickle.loads(pickle.dumps(ALL)) is ALL
    assert repr(ALL) == "ALL"
