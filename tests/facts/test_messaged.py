"""Changes as people write them to friends, in small letters and without commas."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        (
            "i wrk at swiggy as data analyst",
            "left swiggy yaar now im at zomato same role only",
            "swiggy",
            "works_at zomato",
        ),
        ("i work at swiggy", "left swiggy now im at zomato", "swiggy", "works_at zomato"),
        ("i work at Swiggy", "left Swiggy bro, im at Zomato now, same role", "Swiggy", "works_at Zomato"),
        ("I bank with Lloyds", "left Lloyds, I'm with Monzo", "Lloyds", "banks_with Monzo"),
        ("I train at Virgin Active", "left Virgin Active, im at PureGym now", "Virgin", "trains_at PureGym"),
        (
            "I train at Virgin Active now",
            "Virgin was too pricey so I'm back training at PureGym",
            "Virgin Active",
            "trains_at PureGym",
        ),
        ("I work at Acme", "I'm back working at Siemens", "Acme", "works_at Siemens"),
        ("I live in Hull", "we're back living in Leeds", "Hull", "lives_in Leeds"),
    ],
)
def test_what_is_left_ends_and_what_is_new_holds(first: str, second: str, gone: str, new: str) -> None:
    check_replaced(first, second, gone, new)


def test_the_role_stays_where_it_is_the_same() -> None:
    after = told("i wrk at swiggy as data analyst", "left swiggy yaar now im at zomato same role only")
    assert sorted(after) == ["user role data analyst", "user works_at zomato"]


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("i work at swiggy", "left home late, now im at the pub", "works_at swiggy"),
        ("i work at swiggy", "my bro left zomato now he is at ola", "works_at swiggy"),
        ("I train at Virgin Active", "Ana is back training at PureGym", "trains_at Virgin Active"),
        ("I train at Virgin Active", "I'm back training on Mondays", "trains_at Virgin Active"),
        ("I train at Virgin Active", "Should I be back training at PureGym?", "trains_at Virgin Active"),
        ("i work at swiggy", "Ravi has the same role at zomato", "works_at swiggy"),
        ("My bro is Tom.", "my bro now lives in Leeds", "Tom"),
    ],
)
def test_what_nobody_left_stays(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after
