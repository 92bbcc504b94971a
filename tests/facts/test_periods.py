"""Calendar periods that a phrase names outright."""

from __future__ import annotations

import pytest

from longmind.base.times import format_ms
from longmind.facts.periods import said_period


@pytest.mark.parametrize(
    ("phrase", "first", "last"),
    [
        ("in 2019", "2019-01-01", None),
        ("since May 2015", "2015-05-01", None),
        ("Since 3rd of March, 2015", "2015-03-03", None),
        ("on March 5, 2020", "2020-03-05", None),
        ("2020-02-29", "2020-02-29", None),
        ("from 2010 to 2015", "2010-01-01", "2016-01-01"),
        ("2010-2015", "2010-01-01", "2016-01-01"),
        ("between May 2001 and December 2003", "2001-05-01", "2004-01-01"),
        ("from 2010-01-05 until 2010-01-07", "2010-01-05", "2010-01-08"),
        ("in May", None, None),
        ("last year", None, None),
        ("for three years", None, None),
        ("from 2015 to 2010", None, None),
        ("on 31 February 2020", None, None),
        ("in Foo 2020", None, None),
        ("", None, None),
    ],
)
def test_a_phrase_names_a_period_or_none(phrase: str, first: str | None, last: str | None) -> None:
    found = said_period(phrase)
    assert [None if moment is None else format_ms(moment)[:10] for moment in found] == [first, last]
