"""Fusion is arithmetic on arrays: the same by hand, whatever the order of the candidates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.search.constants import (
    DOCUMENTS,
    DOCUMENTS_WITHOUT_LATE,
    NEXT,
    PREVIOUS,
    RANK_WEIGHTS,
    RRF_K,
    RRF_WEIGHTS,
    SEPARATION,
    SESSION,
    TURNS,
    TURNS_WITHOUT_LATE,
)
from longmind.search.fusion import (
    Cues,
    Fused,
    Neighbourhood,
    Signals,
    add_neighbourhood,
    fuse_ranks,
    fuse_scores,
    order,
    rank_bonus,
    ranks_of,
)

# No subnormal numbers: a share of one overflows, and no lane gives any.
scores = st.floats(0, 50, allow_nan=False, allow_subnormal=False)
maybe = st.one_of(st.just(math.nan), st.floats(-1, 1, allow_nan=False, allow_subnormal=False))
steady = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def signals(
    words: list[float], cosine: list[float] | None, late: list[float] | None, turns: list[bool]
) -> Signals:
    def array(values: list[float] | None) -> np.ndarray | None:
        return None if values is None else np.array(values, dtype=np.float64)

    return Signals(np.array(words, dtype=np.float64), array(cosine), array(late), np.array(turns, dtype=bool))


def talk(session: list[int], previous: list[int], following: list[int], short: list[bool]) -> Neighbourhood:
    return Neighbourhood(
        np.array(session), np.array(previous), np.array(following), np.array(short, dtype=bool)
    )


def test_each_signal_counts_by_its_share_of_the_best() -> None:
    found = fuse_scores(signals([4, 2], [0.5, 1.0], None, [False, True]))
    plain, turn = DOCUMENTS_WITHOUT_LATE, TURNS_WITHOUT_LATE
    # The second text has half of the best word score, so that the words of documents count the more.
    words = plain.words * (1 + SEPARATION * 0.5)
    assert found.scores[0] == pytest.approx((words * 1 + plain.meaning * 0.5) / (words + plain.meaning))
    assert found.scores[1] == pytest.approx(
        (turn.words * 0.5 + turn.meaning * 1) / (turn.words + turn.meaning)
    )
    late = fuse_scores(signals([4, 2], [0.5, 1.0], [0.2, 0.1], [False, True]))
    words = DOCUMENTS.words * (1 + SEPARATION * 0.5)
    total = words + DOCUMENTS.meaning + DOCUMENTS.late
    assert late.scores[0] == pytest.approx((words + DOCUMENTS.meaning * 0.5 + DOCUMENTS.late) / total)
    total = TURNS.words + TURNS.meaning + TURNS.late
    assert late.scores[1] == pytest.approx((TURNS.words * 0.5 + TURNS.meaning + TURNS.late * 0.5) / total)


def test_words_count_more_where_they_single_out_one_text() -> None:
    one, ten = (
        fuse_scores(signals([4, *[other] * 9], [0.5] * 10, None, [False] * 10)).parts["words"][0]
        for other in (0.1, 4)
    )
    assert one > 1.5 * ten


def test_meaning_counts_less_in_an_unknown_language_and_for_names() -> None:
    def meaning(cues: Cues) -> float:
        return float(fuse_scores(signals([4, 1], [0.9, 0.1], None, [False] * 2), cues).parts["meaning"][0])

    plain = meaning(Cues())
    assert meaning(Cues(familiar=0.1)) < plain / 2
    assert meaning(Cues(names=1.0)) < plain
    assert meaning(Cues(is_request=True)) > plain


def test_words_alone_are_the_whole_score() -> None:
    found = fuse_scores(signals([3, 0, 1.5], None, None, [False] * 3))
    assert found.scores.tolist() == [1, 0, 0.5]
    assert list(found.parts) == ["words"]
    assert fuse_scores(signals([0, 0], None, None, [False] * 2)).scores.tolist() == [0, 0]


def test_what_a_lane_does_not_know_counts_as_the_least_it_knows() -> None:
    found = fuse_scores(signals([0, 0, 0], [1.0, math.nan, 0.4], None, [False] * 3))
    assert found.scores[1] == found.scores[2]
    nothing = fuse_scores(signals([0], [math.nan], None, [False]))
    assert nothing.scores.tolist() == [0]


@steady
@given(st.lists(st.tuples(scores, maybe, maybe, st.booleans()), min_size=1, max_size=12), st.randoms())
def test_scores_are_sums_of_their_parts_and_do_not_depend_on_order(
    rows: list[tuple[float, float, float, bool]], rng: object
) -> None:
    def fused(chosen: list[tuple[float, float, float, bool]]) -> Fused:
        words, cosine, late, turns = (list(column) for column in zip(*chosen, strict=True))
        return fuse_scores(signals(words, cosine, late, turns))

    straight, turned = fused(rows), fused(rows[::-1])
    assert straight.scores.tolist() == turned.scores.tolist()[::-1]
    assert np.isfinite(straight.scores).all()
    assert np.allclose(straight.scores, np.sum(list(straight.parts.values()), axis=0))


def test_a_turn_borrows_from_its_session_and_a_short_one_from_short_ones_beside_it() -> None:
    words = np.array([1.0, 0.5, 0.2, 0.7, 0.4])
    turns = np.array([True, True, True, True, False])
    beside = talk([0, 0, 0, 1, -1], [-1, 0, 1, -1, -1], [1, 2, -1, -1, -1], [True, True, False, True, True])
    found = add_neighbourhood(Fused(words, {"words": words}), beside, turns)
    scale = 1 / (1 + SESSION)
    # None before it, so it stands for itself there; a short turn after it.
    assert found.scores[0] == pytest.approx((1.0 + SESSION * 1.0 + PREVIOUS * 1.0 + NEXT * 0.5) * scale)
    # A short turn before it; after it a long one, which it does not lean on.
    assert found.scores[1] == pytest.approx((0.5 + SESSION * 1.0 + PREVIOUS * 1.0 + NEXT * 0.5) * scale)
    assert found.scores[2] == pytest.approx((0.2 + SESSION * 1.0) * scale)
    assert found.scores[3] == pytest.approx((0.7 + SESSION * 0.7 + (PREVIOUS + NEXT) * 0.7) * scale)
    assert found.scores[4] == pytest.approx(0.4)
    assert np.allclose(found.scores, np.sum(list(found.parts.values()), axis=0))


def test_without_turns_nothing_is_borrowed() -> None:
    plain = Fused(np.array([1.0, 0.5]), {"words": np.array([1.0, 0.5])})
    beside = talk([-1, -1], [-1, -1], [-1, -1], [True, True])
    assert add_neighbourhood(plain, beside, np.array([False, False])) is plain
    empty = Fused(np.zeros(0), {})
    assert add_neighbourhood(empty, talk([], [], [], []), np.zeros(0, dtype=bool)) is empty


@pytest.mark.parametrize("kind", sorted(RRF_WEIGHTS))
def test_reciprocal_ranks_by_hand(kind: str) -> None:
    weights = RRF_WEIGHTS[kind]  # type: ignore[index]
    ranks = {"text": np.array([1, 0, 3]), "vector": np.array([2, 1, 0]), "timeline": np.array([0, 0, 1])}
    found = fuse_ranks(ranks, kind)  # type: ignore[arg-type]
    assert found.scores.tolist() == pytest.approx(
        [
            weights["text"] / (RRF_K + 1) + weights["vector"] / (RRF_K + 2),
            weights["vector"] / (RRF_K + 1),
            weights["text"] / (RRF_K + 3) + weights["timeline"] / (RRF_K + 1),
        ]
    )


def test_no_lane_gives_no_candidate() -> None:
    assert fuse_ranks({}, "semantic").scores.tolist() == []


def test_every_type_of_question_weighs_every_lane() -> None:
    assert {frozenset(weights) for weights in RRF_WEIGHTS.values()} == {
        frozenset(("text", "vector", "facts", "timeline", "images"))
    }


def test_the_first_place_of_a_ranking_lane_adds_its_weight() -> None:
    for lane, weight in RANK_WEIGHTS.items():
        assert rank_bonus(lane, 1) == weight
        assert rank_bonus(lane, 4) == weight / 4


def test_ties_are_broken_by_rank_then_content_then_id() -> None:
    placed = order(
        np.array([0.5, 0.5, 0.5, 0.5, 0.9]),
        np.array([2, 1, 1, 1, 9]),
        np.array([0, 7, 3, 3, 9]),
        np.array([1, 2, 4, 3, 5]),
    )
    assert placed.tolist() == [4, 3, 2, 1, 0]


def test_differences_below_the_precision_of_a_sum_are_ties() -> None:
    together = 0.1 + 0.2
    placed = order(np.array([0.3, together]), np.array([1, 1]), np.array([9, 1]), np.array([1, 2]))
    assert placed.tolist() == [1, 0]


@steady
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 2)), max_size=15))
def test_ranks_count_from_one_among_the_found(rows: list[tuple[int, bool, int]]) -> None:
    values = np.array([row[0] for row in rows], dtype=np.float64)
    found = np.array([row[1] for row in rows], dtype=bool)
    content = np.array([row[2] for row in rows], dtype=np.int64)
    ids = np.arange(1, len(rows) + 1)
    ranks = ranks_of(values, found, content, ids)
    chosen = [place for place, row in enumerate(rows) if row[1]]
    expected = sorted(chosen, key=lambda place: (-rows[place][0], rows[place][2], place))
    assert [int(np.flatnonzero(ranks == rank)[0]) for rank in range(1, len(chosen) + 1)] == expected
    assert all(ranks[place] == 0 for place in range(len(rows)) if place not in chosen)
