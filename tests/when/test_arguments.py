"""Times that somebody typed as an argument."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from longmind.base.errors import InvalidInput
from longmind.base.times import format_ms, to_ms
from longmind.when.arguments import parse_moment, parse_rfc3339, parse_time

NOON = to_ms(datetime(2024, 6, 20, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("typed", "instant"),
    [
        ("2024-06-20T12:00:00Z", NOON),
        (" 2024-06-20 12:00 ", NOON),
        ("2024-06-20T14:00+02:00", NOON),
        (str(NOON), NOON),
        (NOON, NOON),
        (datetime(2024, 6, 20, 12, tzinfo=UTC), NOON),
        ("2024-06-20", NOON - 43_200_000),
        ("9999-12-31", to_ms(datetime(9999, 12, 31, tzinfo=UTC))),
    ],
)
def test_a_moment_can_be_typed_in_these_ways(typed: str | int | datetime, instant: int) -> None:
    assert parse_moment(typed, "since") == instant
    assert parse_time(typed, "since").since == instant


@pytest.mark.parametrize("typed", ["", "yesterday", "2024-13-01", "12345678", "tomorrow at", "20 June"])
def test_anything_else_is_refused_with_the_name_of_the_argument(typed: str) -> None:
    if typed == "12345678":
        typed = "99999999"  # eight digits are a compact date, and this is none
    for parse in (parse_moment, parse_time):
        with pytest.raises(InvalidInput, match=r"since: .* is not a valid time"):
            parse(typed, "since")


def test_a_date_is_its_day_and_a_time_its_instant() -> None:
    assert [format_ms(bound or 0) for bound in parse_time("2024-02-29", "at")] == [
        "2024-02-29T00:00:00Z",
        "2024-03-01T00:00:00Z",
    ]
    assert parse_time("2024-06-20T12:00Z", "at") == (NOON, NOON + 1)


def test_phrases_are_read_only_with_a_reference() -> None:
    since, until = parse_time("last month", "at", reference=NOON)
    assert (format_ms(since or 0)[:10], format_ms(until or 0)[:10]) == ("2024-05-01", "2024-06-01")
    assert parse_time("since 2020", "at", reference=NOON).until is None
    with pytest.raises(InvalidInput):
        parse_time("the report of last month", "at", reference=NOON)


def test_a_time_without_an_offset_is_in_the_zone() -> None:
    typed = parse_time("2024-06-20 14:00", "at", zone=ZoneInfo("Europe/Berlin"))
    assert typed.since == NOON


def test_files_must_write_date_time_and_offset() -> None:
    assert parse_rfc3339("2024-06-20t12:00:00.000000001z", "updated_at") == NOON
    assert parse_moment(NOON, "now", strict=True) == NOON
    for text in ("2024-06-20", "2024-06-20T12:00:00", "2024-02-30T12:00:00Z", "", None, NOON):
        with pytest.raises(InvalidInput, match="RFC 3339"):
            parse_rfc3339(text, "updated_at")
    with pytest.raises(InvalidInput, match="RFC 3339"):
        parse_moment("2024-06-20", "now", strict=True)
