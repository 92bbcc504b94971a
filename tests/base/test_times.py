"""Instants: exact milliseconds in, exact milliseconds out, and never without a time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.times import FOREVER, AsOf, Clock, SystemClock, format_ms, from_ms, to_ms

CALENDAR = st.integers(to_ms(datetime(1, 1, 2, tzinfo=UTC)), to_ms(datetime(9999, 12, 30, tzinfo=UTC)))
ZONES = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(CALENDAR, ZONES)
def test_an_instant_is_the_same_in_every_zone(value: int, zone: tzinfo) -> None:
    assert to_ms(from_ms(value)) == value
    assert to_ms(from_ms(value).astimezone(zone)) == value


@given(CALENDAR)
def test_the_written_form_reads_back(value: int) -> None:
    written = format_ms(value)
    assert written.endswith("Z")
    assert to_ms(datetime.fromisoformat(written)) == value


def test_parts_of_a_millisecond_are_dropped_towards_the_past() -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC)
    assert to_ms(moment + timedelta(microseconds=1999)) == 1
    assert to_ms(moment - timedelta(microseconds=1)) == -1


def test_the_written_form_is_short_when_it_can_be() -> None:
    assert format_ms(0) == "1970-01-01T00:00:00Z"
    assert format_ms(1) == "1970-01-01T00:00:00.001Z"
    assert format_ms(FOREVER) == str(FOREVER)


@given(st.integers(-(2**63) + 1, FOREVER))
def test_a_number_is_taken_as_it_is(value: int) -> None:
    assert to_ms(value) == value


@pytest.mark.parametrize("value", [True, 1.0, "yesterday", "", None, 2**63, -(2**63), datetime(2024, 1, 1)])  # noqa: DTZ001
def test_what_is_no_instant_is_refused_by_name(value: Any) -> None:
    with pytest.raises(InvalidInput, match="since"):
        to_ms(value, "since")


def test_dates_and_iso_texts_are_instants_in_utc() -> None:
    start = to_ms(datetime(2024, 5, 1, tzinfo=UTC))
    assert to_ms(date(2024, 5, 1)) == to_ms("2024-05-01") == to_ms("2024-05-01T00:00:00Z") == start
    assert to_ms("2024-05-01T02:00:00+02:00") == to_ms("2024-05-01 00:00") == start


def test_a_zone_that_knows_no_offset_is_none() -> None:
    class Nowhere(tzinfo):
        def utcoffset(self, when: datetime | None) -> timedelta | None:
            return None

        def dst(self, when: datetime | None) -> timedelta | None:
            return None

        def tzname(self, when: datetime | None) -> str:
            return "nowhere"

    with pytest.raises(InvalidInput):
        to_ms(datetime(2024, 1, 1, tzinfo=Nowhere()))


@pytest.mark.parametrize("value", [FOREVER, -FOREVER, to_ms(datetime(9999, 12, 31, tzinfo=UTC)) + 10**9])
def test_an_instant_outside_the_calendar_has_no_datetime(value: int) -> None:
    with pytest.raises(InvalidInput, match="years"):
        from_ms(value)


def test_a_point_on_both_axes() -> None:
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    assert AsOf.at(moment) == AsOf(system=moment, valid=moment) == AsOf.at(to_ms(moment))
    assert AsOf(system=2**63 - 1, valid=2**63 - 1) == AsOf.LATEST
    assert len({AsOf.at(5), AsOf.at(5), AsOf.LATEST}) == 2
    for bad in ({"system": 1.5, "valid": 1}, {"system": 1, "valid": None}):
        with pytest.raises(InvalidInput):
            AsOf(**bad)  # type: ignore[arg-type]


def test_the_system_clock_is_a_clock() -> None:
    assert isinstance(SystemClock(), Clock)
    assert abs(SystemClock().now() - to_ms(datetime.now(UTC))) < 60_000
