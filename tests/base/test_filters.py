"""What a caller may ask for, brought into one form."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from longmind.base.errors import InvalidInput
from longmind.base.filters import EVERYTHING, MOST_VALUES, Comparison, View, Where
from longmind.base.names import ALL
from longmind.base.times import AsOf


def test_one_value_or_several_are_a_sorted_tuple() -> None:
    assert Where(kind="b").kind == ("b",)
    assert Where(kind=["b", "a", "b "]).kind == ("a", "b")
    assert Where(ids=[3, 1, 3]).ids == (1, 3)
    assert Where(parent=5).parent == (5,)
    assert Where(tags=["b", "a"]).tags == ("a", "b")


def test_moments_become_milliseconds() -> None:
    moment = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert (Where(since=moment).since, Where(until=7).until) == (1000, 7)


def test_metadata_conditions_are_values_lists_or_bounds() -> None:
    where = Where(
        metadata={
            "v": {"x": 1},
            "any": ["b", "a", "b"],
            "range": {"gte": 1, "lt": 2},
            "null": None,
            "none": [],
        }
    )
    assert where.metadata == {
        "v": ('{"x":1}',),
        "any": ('"a"', '"b"'),
        "range": Comparison(gte=1.0, lt=2.0),
        "null": ("null",),
        "none": (),
    }
    assert list(where.metadata) == sorted(where.metadata)


def test_a_where_is_made_from_itself_a_mapping_or_nothing() -> None:
    where = Where(kind="a", metadata={"n": {"gt": 1}})
    assert Where.of(where) is where
    assert Where.of({"kind": "a", "metadata": {"n": {"gt": 1}}}) == where
    assert Where.of(None) is EVERYTHING
    assert Where.of({}).is_empty
    assert not where.is_empty
    assert not Where(ids=[]).is_empty
    with pytest.raises(InvalidInput, match="knows no tag, when"):
        Where.of({"when": 1, "tag": "x"})


def test_a_range_is_only_ever_narrowed() -> None:
    where = Where(since=10, until=20, kind="a")
    assert where.within(since=None, until=None) == where
    assert (where.within(since=5, until=30).since, where.within(since=5, until=30).until) == (10, 20)
    assert (where.within(since=15, until=18).since, where.within(since=15, until=18).until) == (15, 18)
    assert where.within(since=1, until=2).kind == ("a",)
    assert EVERYTHING.within(since=1, until=None) == Where(since=1)
    assert EVERYTHING.is_empty


def test_a_filter_names_at_most_so_many_values() -> None:
    assert len(Where(ids=range(1, MOST_VALUES + 1)).ids or ()) == MOST_VALUES
    for bad in (
        {"ids": range(1, MOST_VALUES + 2)},
        {"ids": range(1, MOST_VALUES + 1), "kind": "a"},
        {"metadata": {"a": list(range(MOST_VALUES + 1))}},
        {"session": map(str, range(MOST_VALUES + 1))},
    ):
        with pytest.raises(InvalidInput, match="Ask in parts"):
            Where(**bad)  # type: ignore[arg-type]


def test_a_view_has_canonical_spaces_and_an_instant() -> None:
    assert View.of("Team Web").spaces == ("team_web",)
    assert View.of(["b", "A", "a"]).spaces == ("a", "b")
    assert View.of(ALL).spaces is ALL
    assert View.of("a").as_of is AsOf.LATEST
    assert View.of("a", AsOf.at(5)).as_of == AsOf.at(5)


@pytest.mark.parametrize(
    "space", [None, 5, [], [5], "", "a.b", b"a", [ALL], [f"s{number}" for number in range(101)]]
)
def test_what_names_no_space_is_refused(space: Any) -> None:
    with pytest.raises(InvalidInput):
        View.of(space)


@pytest.mark.parametrize("as_of", [None, 5, (1, 2), datetime(2024, 1, 1, tzinfo=UTC)])
def test_what_is_no_instant_is_refused(as_of: Any) -> None:
    with pytest.raises(InvalidInput, match=r"AsOf\.at"):
        View.of("a", as_of)
