from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longmind.base.caller import calling
from longmind.base.errors import InvalidInput
from longmind.experience.interface import Experience
from longmind.experience.utility import BAND, UtilityRule, break_ties, group_end

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30).map(lambda found: sorted(found, reverse=True))


def ordered(scores, values=None, band=BAND):
    return break_ties(list(enumerate(scores)), values or {}, band=band)


# The mean, drawn to 0


def test_few_votes_count_less_than_many():
    rule = UtilityRule(shrinkage=4)

    assert rule.value(1.0, 0) == 0
    assert rule.value(1.0, 1) == 0.2
    assert rule.value(1.0, 4) == 0.5
    assert rule.value(-1.0, 96) == -0.96
    assert rule.value(0.5, 4) == 0.25


def test_without_shrinkage_the_mean_counts_as_it_is():
    assert UtilityRule(shrinkage=0).value(-0.75, 1) == -0.75


@settings(derandomize=True)
@given(st.floats(-1, 1), st.integers(0, 10**6), st.floats(0, 1000))
def test_the_value_never_leaves_the_range_of_votes(mean, observations, shrinkage):
    assert abs(UtilityRule(shrinkage=shrinkage).value(mean, observations)) <= abs(mean) + 1e-9


@pytest.mark.parametrize("given", [{"shrinkage": -1}, {"band": 0.9}, {"band": True}, {"shrinkage": "4"}])
def test_a_rule_out_of_range_is_refused(given):
    with pytest.raises(InvalidInput):
        UtilityRule(**given)


# The tie-break


@settings(derandomize=True)
@given(SCORES, st.floats(0, 0.2))
def test_without_votes_the_order_is_unchanged(scores, band):
    assert ordered(scores, band=band) == list(range(len(scores)))


@settings(derandomize=True)
@given(SCORES, st.dictionaries(st.integers(0, 29), st.floats(-1, 1)), st.floats(0, 0.2))
def test_votes_only_reorder_and_never_add_or_drop(scores, values, band):
    assert sorted(ordered(scores, values, band)) == list(range(len(scores)))


@settings(derandomize=True, max_examples=300)
@given(SCORES, st.dictionaries(st.integers(0, 29), st.floats(-1, 1)), st.floats(0, 0.2))
def test_no_vote_lifts_a_record_from_outside_the_band(scores, values, band):
    placed = ordered(scores, values, band)
    for place, candidate in enumerate(placed):
        for passed in placed[place + 1 :]:
            assert scores[candidate] >= scores[passed] * (1 - band) - 1e-12


@settings(derandomize=True)
@given(st.floats(0.1, 1), st.floats(0, BAND * 0.99), st.floats(-1, 1), st.floats(-1, 1))
def test_swapping_the_votes_of_two_near_equal_records_swaps_their_order(best, behind, one, other):
    assume(one != other)
    scores = [best, best * (1 - behind)]

    first = ordered(scores, {0: one, 1: other})
    second = ordered(scores, {0: other, 1: one})

    assert first == second[::-1]


@settings(derandomize=True)
@given(SCORES, st.integers(1, 40))
def test_the_end_of_a_group_is_where_nothing_later_can_reach_into_the_first_ones(scores, limit):
    end = group_end(scores, limit, band=BAND)
    votes = {place: place / 100 for place in range(len(scores))}
    if end is not None:
        assert end >= limit
        assert ordered(scores, votes)[:limit] == ordered(scores[:end], votes)[:limit]
    else:
        assert len(scores) <= limit or scores[-1] >= scores[limit - 1] * (1 - 2 * BAND)


# In the store


def two_alike(experience: Experience, problem):
    one = experience.solution("Restart the worker before every test.", problem=problem, evidence="none")
    two = experience.solution("Restart the worker after every test.", problem=problem, evidence="none")
    return one, two


def found(experience: Experience, text: str) -> list[str]:
    return [hit.record.id for hit in experience.find(text, kind="solution")]


def test_votes_order_records_that_are_found_equally_well(experience):
    problem = experience.problem("The tests hang.", evidence="none")
    one, two = two_alike(experience, problem)
    before = found(experience, "restart worker test")
    last = before[-1]

    experience.vote(last, problem, 1)
    assert found(experience, "restart worker test") == before[::-1]

    for number in range(3):
        with calling(actor=f"agent {number}"):
            experience.vote(last, problem, -1)
    assert found(experience, "restart worker test") == before
    assert set(before) == {one.id, two.id}


def test_no_number_of_votes_lifts_a_record_that_is_found_less_well(experience):
    problem = experience.problem("The tests hang.", evidence="none")
    near = experience.solution("Restart the worker before every test.", problem=problem, evidence="none")
    far = experience.solution("Test the cables of the printer.", problem=problem, evidence="none")
    assert found(experience, "restart worker before test") == [near.id, far.id]

    for number in range(30):
        with calling(actor=f"agent {number}"):
            experience.vote(far, problem, 1)
            experience.vote(near, problem, -1)

    assert found(experience, "restart worker before test") == [near.id, far.id]


def test_votes_do_not_bring_in_what_was_not_found(experience):
    problem = experience.problem("The tests hang.", evidence="none")
    other = experience.solution("Water the plants.", problem=problem, evidence="none")
    experience.vote(other, problem, 1)

    found = experience.find("restart worker", kind="solution", lanes=["text"])

    assert other.id not in [hit.record.id for hit in found]


def test_the_utility_is_that_of_the_moment_asked_for(experience, clock):
    from longmind import AsOf

    problem = experience.problem("The tests hang.", evidence="none")
    solution = experience.solution("Restart.", problem=problem, evidence="none")
    assert (experience.utility(solution).observations, experience.utility(solution).value) == (0, 0.0)
    first = experience.vote(solution, problem, 1)
    clock.advance(days=1)
    with calling(actor="another agent"):
        experience.vote(solution, problem, -0.5, "not on the other machine")

    then = experience.utility(solution, as_of=AsOf(system=first.recorded_at, valid=AsOf.LATEST.valid))
    now = experience.utility(solution)

    assert (then.observations, then.mean, then.value) == (1, 1.0, 0.2)
    assert (now.observations, now.mean) == (2, 0.25)
    assert now.value == pytest.approx(0.25 * 2 / 6)
    assert [vote.rationale for vote in experience.votes(solution)] == [None, "not on the other machine"]


def test_the_view_of_the_database_says_the_same(memory, experience):
    problem = experience.problem("The tests hang.", evidence="none")
    solution = experience.solution("Restart.", problem=problem, evidence="none")
    for vote in (1, -0.5, 0.25):
        with calling(actor=f"agent {vote}"):
            experience.vote(solution, problem, vote)

    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT memory_id, utility_mean, observations FROM global_utility")

    assert rows == [(solution.id, 0.25, 3)]
    assert experience.utility(solution).mean == 0.25
