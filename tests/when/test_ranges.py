"""Time phrases without a reference, in other zones, as ranges, and at their limits."""

from __future__ import annotations

import ast
import random
import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.times import to_ms
from longmind.search.recency import asks_recency
from longmind.when.anchors import ANCHORS
from longmind.when.find import TimePhrase, find_times, time_range
from longmind.when.lexer import Tokens
from longmind.when.phrases import phrases
from longmind.when.token_reader import TokenReader
from tests.when.test_when import EXAMPLES, NO_TIMES, REFERENCE, day, times, written


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert times(text) == []


def test_offsets_point_at_the_phrase_in_the_text() -> None:
    text = "Ärger — what did Zoë say last Friday, and what in May 2021?"
    found = times(text)
    assert [text[each.start : each.end] for each in found] == ["last Friday", "May 2021"]


@pytest.mark.parametrize(
    ("text", "relation", "grain"),
    [
        ("in 2019", "at", "year"),
        ("since 2019", "since", "year"),
        ("before May", "before", "month"),
        ("until Friday", "before", "day"),
        ("after 2016", "after", "year"),
        ("from May to July", "between", "month"),
        ("from 3 to 5 pm", "between", "hour"),
        ("around May 7", "around", "day"),
        ("two weeks ago", "at", "week"),
        ("about two weeks ago", "around", "week"),
        ("a few days ago", "around", "day"),
        ("the summer of 2019", "at", "quarter"),
        ("the 90s", "at", "decade"),
        ("at 17:30", "at", "minute"),
        ("2023-05-07T17:30:00Z", "at", "second"),
    ],
)
def test_relation_and_grain_say_how_the_phrase_was_meant(text: str, relation: str, grain: str) -> None:
    (found,) = times(text)
    assert (found.relation, found.grain) == (relation, grain)


def test_every_phrase_names_its_rule() -> None:
    (found,) = times("two weeks ago")
    assert found.rule == "so long ago"


class TestWithoutAReference:
    @pytest.mark.parametrize(
        "text", ["yesterday", "in May", "two weeks ago", "on Friday", "at 5 pm", "this year"]
    )
    def test_a_relative_phrase_is_reported_and_unresolved(self, text: str) -> None:
        (found,) = times(text, reference=None)
        assert found.unresolved
        assert found.relative
        assert time_range([found]) is None

    @pytest.mark.parametrize(
        "text", ["2019", "May 7, 2023", "the 90s", "from Nov to March 2021", "the Friday before 22 May 2023"]
    )
    def test_an_absolute_phrase_is_resolved_all_the_same(self, text: str) -> None:
        (without,) = times(text, reference=None)
        (within,) = times(text)
        assert without == within
        assert not without.relative
        assert not without.unresolved


class TestPreference:
    def test_the_future_is_taken_when_preferred(self) -> None:
        found = find_times("on Friday, or in March", reference=REFERENCE, prefer="future")
        assert [written(each.since, each.until) for each in found] == [
            day("2023-05-19"),
            "2024-03-01..2024-04-01",
        ]

    def test_a_full_date_has_no_preference(self) -> None:
        past = find_times("May 7, 2030", reference=REFERENCE)
        assert past == find_times("May 7, 2030", reference=REFERENCE, prefer="future")


class TestZones:
    def test_a_day_is_the_day_of_the_zone(self) -> None:
        zone = timezone(timedelta(hours=9))
        (found,) = times("today", reference=to_ms(datetime(2023, 5, 17, 20, tzinfo=UTC)), zone=zone)
        assert written(found.since, found.until) == "2023-05-17T15:00..2023-05-18T15:00"

    def test_a_day_of_a_clock_change_is_an_hour_shorter(self) -> None:
        (found,) = times("2023-03-26", zone=ZoneInfo("Europe/Berlin"))
        assert found.until is not None
        assert found.since is not None
        assert found.until - found.since == 23 * 3_600_000

    def test_hours_ago_are_elapsed_hours_across_a_clock_change(self) -> None:
        zone = ZoneInfo("Europe/Berlin")
        reference = to_ms(datetime(2023, 3, 26, 10, tzinfo=zone))
        (found,) = times("12 hours ago", reference=reference, zone=zone)
        assert found.since == reference - 12 * 3_600_000

    def test_an_hour_the_clock_skips_is_no_empty_range(self) -> None:
        (found,) = times("2023-03-26 at 2 am", zone=ZoneInfo("Europe/Berlin"))
        assert found.since is not None
        assert found.until is not None
        assert found.since < found.until

    def test_an_offset_in_the_text_wins_over_the_zone(self) -> None:
        (found,) = times("2023-05-07T17:30:00Z", zone=ZoneInfo("Asia/Tokyo"))
        assert found.since == to_ms(datetime(2023, 5, 7, 17, 30, tzinfo=UTC))

    def test_a_reference_outside_the_calendar_is_refused(self) -> None:
        with pytest.raises(InvalidInput):
            times("today", reference=2**62)


class TestTimeRange:
    def of(self, text: str) -> str | None:
        found = time_range(times(text))
        return None if found is None else written(*found)

    def test_no_phrase_gives_no_range(self) -> None:
        assert self.of("what is my name?") is None

    def test_one_phrase_is_the_range(self) -> None:
        assert self.of("what did I do in May 2021?") == "2021-05-01..2021-06-01"

    def test_ranges_that_overlap_narrow_each_other(self) -> None:
        assert self.of("in 2021, was it in May 2021?") == "2021-05-01..2021-06-01"

    def test_ranges_apart_are_joined(self) -> None:
        assert self.of("the novels I finished in January and March 2021") == "2021-01-01..2021-04-01"

    def test_open_ranges_bound_each_other(self) -> None:
        assert self.of("after 2016 and before 2019") == "2017-01-01..2019-01-01"

    def test_an_open_range_that_would_leave_nothing_is_passed_over(self) -> None:
        assert self.of("in 2015, after 2016") == "2015-01-01..2016-01-01"

    def test_a_time_of_day_alone_is_no_range_to_search(self) -> None:
        assert self.of("what do I take at 7 am, and in the evening?") is None

    def test_weeks_ago_reach_three_days_either_way(self) -> None:
        assert self.of("two weeks ago") == "2023-04-30..2023-05-07"

    def test_days_ago_are_that_day(self) -> None:
        assert self.of("3 days ago") == day("2023-05-14")

    def test_around_a_day_takes_the_days_beside_it(self) -> None:
        assert self.of("around May 7") == "2023-05-06..2023-05-09"

    def test_a_vague_number_widens_by_its_unit(self) -> None:
        assert self.of("a few days ago") == "2023-05-13..2023-05-16"


class TestRecency:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("What is my latest job?", "latest"),
            ("my most   recent visit", "most recent"),
            ("Where did we eat last time?", "last time"),
            ("Where do I currently live?", "currently"),
            ("the newest entry", "newest"),
            ("What is her current address?", "her current"),
            ("When did I last see Bob?", "When did I last"),
            ("What was the last movie I watched?", "the last"),
            ("How often do I play now?", "now"),
        ],
    )
    def test_words_that_ask_for_the_newest_are_named(self, text: str, words: str) -> None:
        assert asks_recency(text) == words

    @pytest.mark.parametrize(
        "text",
        [
            "What did I do last week?",
            "When did we meet last Friday?",
            "my last name",
            "by Friday at the latest",
            "How long does it last in the fridge?",
            "until now",
            "",
        ],
    )
    def test_other_questions_do_not_ask_for_it(self, text: str) -> None:
        assert asks_recency(text) is None


class TestLimits:
    def test_only_the_first_characters_are_read(self) -> None:
        text = "x" * 50 + " yesterday"
        assert find_times(text, reference=REFERENCE, most_characters=50) == []
        assert len(find_times(text, reference=REFERENCE, most_characters=len(text))) == 1

    def test_a_word_cut_by_the_limit_is_not_read(self) -> None:
        assert find_times("in 20190", reference=REFERENCE, most_characters=7) == []

    @pytest.mark.parametrize(
        "text",
        [
            "1" * 1_000_000,
            " " * 1_000_000,
            "1.1" * 300_000,
            "1-" * 500_000,
            "_" * 1_000_000,
            "\n \n" * 300_000,
        ],
        ids=["digits", "spaces", "dots", "dashes", "underscores", "lines"],
    )
    def test_a_megabyte_of_one_thing_is_read_through(self, text: str) -> None:
        assert find_times(text, reference=REFERENCE, most_characters=len(text)) == []
        assert asks_recency(text, most_characters=len(text)) is None

    @pytest.mark.parametrize("text", ["the end of " * 400, "2 days before " * 400, "from 1 to " * 400])
    def test_phrases_nested_without_end_are_no_phrase(self, text: str) -> None:
        assert find_times(text, reference=REFERENCE, most_characters=len(text)) == []

    @pytest.mark.parametrize("text", ["in 99999 years", "99999 years ago", "9999999999999 days ago"])
    def test_times_outside_the_calendar_are_left_out(self, text: str) -> None:
        assert times(text) == []


_WORDS = st.sampled_from(
    sorted(
        {word for text, _, _ in EXAMPLES for word in text.split()} | {"the", "of", "and", ",", "0", "31", "'"}
    )
)
_SENTENCES = st.lists(_WORDS, max_size=12).map(" ".join)
_MOMENTS = st.integers(to_ms(datetime(2, 1, 1, tzinfo=UTC)), to_ms(datetime(9998, 1, 1, tzinfo=UTC)))
_NAIVE = st.datetimes(datetime(1950, 1, 1), datetime(2090, 1, 1))  # noqa: DTZ001 - as hypothesis wants them
_ZONES = st.sampled_from(
    [UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kolkata"), ZoneInfo("America/New_York")]
)


def check(text: str, found: list[TimePhrase]) -> None:
    for each in found:
        assert 0 <= each.start < each.end <= len(text)
        assert text[each.start : each.end] == each.text
        if each.since is not None and each.until is not None:
            assert each.since < each.until
    for one, other in pairwise(found):
        assert one.end <= other.start
    whole = time_range(found)
    if whole is not None and None not in whole:
        since, until = whole
        assert since is not None
        assert until is not None
        assert since < until


@given(text=st.text(max_size=200), reference=st.none() | _MOMENTS, zone=_ZONES)
def test_any_text_gives_well_formed_phrases(text: str, reference: int | None, zone: tzinfo) -> None:
    check(text, find_times(text, reference=reference, zone=zone))
    asks_recency(text)


@given(text=_SENTENCES, reference=st.none() | _MOMENTS, zone=_ZONES, future=st.booleans())
@settings(max_examples=400)
def test_any_mixture_of_time_words_gives_well_formed_phrases(
    text: str, reference: int | None, zone: tzinfo, future: bool
) -> None:
    found = find_times(text, reference=reference, zone=zone, prefer="future" if future else "past")
    check(text, found)
    if reference is not None:
        assert not any(each.unresolved for each in found)


@given(text=_SENTENCES, reference=_MOMENTS)
def test_the_same_text_gives_the_same_phrases(text: str, reference: int) -> None:
    assert find_times(text, reference=reference) == find_times(text, reference=reference)


@given(
    moment=st.dates(date(1900, 1, 1), date(2099, 12, 30)),
    form=st.sampled_from(
        ["%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%B %d, %Y", "%d %B %Y", "%dth of %B %Y", "%Y/%b/%d"]
    ),
    zone=_ZONES,
)
def test_a_written_date_comes_back(moment: date, form: str, zone: tzinfo) -> None:
    text = moment.strftime(form)
    (found,) = find_times(f"What happened on {text}?", reference=None, zone=zone)
    start = datetime(moment.year, moment.month, moment.day, tzinfo=zone)
    after = moment + timedelta(days=1)
    assert found.text == text
    assert found.since == to_ms(start)
    assert found.until == to_ms(datetime(after.year, after.month, after.day, tzinfo=zone))


@given(days=st.integers(0, 5000), reference=_NAIVE)
def test_days_ago_count_back_from_the_reference(days: int, reference: datetime) -> None:
    (found,) = times(f"{days} days ago", reference=to_ms(reference.replace(tzinfo=UTC)))
    assert (
        found.since
        == to_ms(datetime(reference.year, reference.month, reference.day, tzinfo=UTC)) - days * 86_400_000
    )


@given(
    name=st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
    reference=_NAIVE,
)
def test_a_weekday_lies_in_the_seven_days_before_today(name: str, reference: datetime) -> None:
    (found,) = times(f"on {name}", reference=to_ms(reference.replace(tzinfo=UTC)))
    assert found.since is not None
    start = datetime.fromtimestamp(found.since / 1000, UTC)
    assert start.strftime("%A") == name
    assert 1 <= (reference.date() - start.date()).days <= 7


def _words_of_the_grammar() -> set[str]:
    """Every word in any text of the modules that read times: what a rule may ask for is among them."""
    folder = Path(find_times.__code__.co_filename).parent
    return {
        word
        for path in sorted(folder.glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in re.findall(r"[^\W\d_]+", node.value.lower())
    }


def test_without_a_digit_or_an_anchor_there_is_no_time() -> None:
    """`find_times` looks no closer at texts without these, so no rule may do without them."""
    others = sorted(_words_of_the_grammar() - ANCHORS)
    assert len(others) > 200
    chance = random.Random(5)
    for _ in range(4000):
        said = [chance.choice([str.lower, str.capitalize])(word) for word in chance.choices(others, k=6)]
        text = chance.choice([" ", ", ", " - ", "-", "'s "]).join(said[:2]) + " " + " ".join(said[2:])
        assert list(phrases(TokenReader(Tokens(text, 0, len(text), is_cut=False)))) == [], text
        assert find_times(text, reference=None) == []
