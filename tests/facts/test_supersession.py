"""The pure rule of supersession, against sets of points on a small time axis."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from longmind.facts.supersession import UNTIL_NEXT, OpenSpan, UntilNext, plan_assertion, plan_retraction

LAST = 12
"""Every period of these tests begins before; what holds here holds for ever."""

Points = dict[str, set[int]]


def points(start: int, end: int | None) -> set[int]:
    return set(range(start, LAST + 1 if end is None else end))


def covered(spans: Iterable[OpenSpan]) -> Points:
    found: Points = {}
    for span in spans:
        found.setdefault(str(span.value), set()).update(points(span.start, span.end))
    return {value: held for value, held in found.items() if held}


def spans_of(state: Points) -> list[OpenSpan]:
    """Maximal runs, which is what merged spans are."""
    spans = []
    for value, held in sorted(state.items()):
        for start in sorted(point for point in held if point - 1 not in held):
            end = start
            while end in held:
                end += 1
            spans.append(OpenSpan((value, start), value, start, None if end > LAST else end))
    return spans


def applied(
    spans: list[OpenSpan], value: str, start: int, end: int | UntilNext | None, exclusive: bool
) -> list[OpenSpan]:
    plan = plan_assertion(spans, value, start=start, end=end, exclusive=exclusive)
    gone = {span.ref for span in (*plan.displaced, *plan.merged)}
    left = [span for span in spans if span.ref not in gone]
    left += [OpenSpan(object(), part.source.value, part.start, part.end) for part in plan.remainders]
    if plan.kept is None:
        left.append(OpenSpan(object(), value, plan.start, plan.end))
    return left


def is_tidy(spans: list[OpenSpan]) -> bool:
    """No two spans of one value overlap or touch, and none is empty."""
    alone = all(span.end is None or span.start < span.end for span in spans)
    pairs = [(a, b) for a in spans for b in spans if a is not b and a.value == b.value]
    return alone and not any(a.touches(b.start, b.end) for a, b in pairs)


moments = st.integers(0, LAST - 1)
ends = st.one_of(st.none(), st.just(UNTIL_NEXT), st.integers(1, LAST))
single = st.lists(st.sampled_from(["", "x", "y", "z"]), min_size=LAST + 1, max_size=LAST + 1).map(
    lambda row: {value: {place for place, item in enumerate(row) if item == value} for value in "xyz"}
)
several = st.fixed_dictionaries({value: st.sets(st.integers(0, LAST)) for value in "xyz"})


@given(single, st.sampled_from("xyz"), moments, ends)
def test_one_value_at_a_time(state: Points, value: str, start: int, end: int | UntilNext | None) -> None:
    if isinstance(end, int) and end <= start:
        end = start + 1
    spans = spans_of(state)
    stop = end
    if end is UNTIL_NEXT:
        stop = min((s.start for s in spans if s.value != value and s.start > start), default=None)
    asserted = points(start, stop if isinstance(stop, int) else None)
    expected = {other: state[other] - asserted for other in "xyz" if other != value}
    expected[value] = state[value] | asserted
    after = applied(spans, value, start, end, exclusive=True)
    assert covered(after) == {item: held for item, held in expected.items() if held}
    assert is_tidy(after)


@given(several, st.sampled_from("xyz"), moments, ends)
def test_many_values_leave_each_other_alone(
    state: Points, value: str, start: int, end: int | UntilNext | None
) -> None:
    if isinstance(end, int) and end <= start:
        end = start + 1
    after = applied(spans_of(state), value, start, end, exclusive=False)
    expected = {**state, value: state[value] | points(start, end if isinstance(end, int) else None)}
    assert covered(after) == {item: held for item, held in expected.items() if held}
    assert is_tidy(after)


@given(several, st.one_of(st.none(), st.integers(0, LAST)))
def test_a_retraction_leaves_only_what_was_before(state: Points, until: int | None) -> None:
    spans = spans_of(state)
    plan = plan_retraction(spans, until=until)
    left = [span for span in spans if span not in plan.closed]
    left += [OpenSpan(object(), part.source.value, part.start, part.end) for part in plan.remainders]
    kept = set() if until is None else set(range(until))
    assert covered(left) == {value: held & kept for value, held in state.items() if held & kept}


@given(single, st.sampled_from("xyz"), moments, ends)
def test_asserting_twice_changes_nothing_more(
    state: Points, value: str, start: int, end: int | UntilNext | None
) -> None:
    if isinstance(end, int) and end <= start:
        end = start + 1
    once = applied(spans_of(state), value, start, end, exclusive=True)
    plan = plan_assertion(once, value, start=start, end=end, exclusive=True)
    assert (plan.displaced, plan.remainders) == ((), ())
    assert plan.kept is not None
