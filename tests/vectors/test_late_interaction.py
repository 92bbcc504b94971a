"""Late interaction on signs: one bit a direction, the best piece for each piece of the question."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.embed.hash import HashEmbedder
from longmind.embed.protocol import TokenStates
from longmind.vectors.late_interaction import (
    BITS,
    BYTES,
    Basis,
    Pieces,
    content_pieces,
    fit_basis,
    fitting,
    late_query,
    pack_many,
    pack_signs,
    plain_basis,
    score_late,
    shipped_basis,
)

steady = settings(derandomize=True, deadline=None, database=None, max_examples=40)


def states(seed: int, count: int, dimensions: int = 64) -> np.ndarray:
    found: np.ndarray = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    return found


def by_hand(basis: Basis, asked: np.ndarray, weights: np.ndarray, said: np.ndarray) -> float:
    """The definition, one pair of pieces at a time."""
    signs = np.where(basis.project(said) > 0, 1.0, -1.0)
    directions = basis.project(asked)
    directions = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    best = [max(float(direction @ sign) / np.sqrt(BITS) for sign in signs) for direction in directions]
    return float(np.average(best, weights=weights))


@steady
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.lists(st.floats(0.1, 5), min_size=1, max_size=4),
)
def test_scores_are_those_of_the_definition(seed: int, sizes: list[int], weights: list[float]) -> None:
    basis = plain_basis(64)
    asked = states(seed, len(weights))
    frames = [states(seed + place + 1, size) for place, size in enumerate(sizes)]
    query = late_query(basis, asked, np.array(weights, dtype=np.float32))
    found = score_late(query, Pieces.of([pack_signs(basis, said) for said in frames]))
    for score, said in zip(found, frames, strict=True):
        if len(said) == 0:
            assert score == -np.inf
        else:
            assert score == pytest.approx(by_hand(basis, asked, np.array(weights), said), abs=1e-4)


def test_the_same_words_score_highest_and_repeats_change_nothing() -> None:
    basis = plain_basis(256)
    embedder = HashEmbedder(256)

    def packed(text: str) -> bytes:
        [encoding] = embedder.encode([text], tokens=True)
        assert encoding.tokens is not None
        return pack_signs(basis, encoding.tokens.states)

    [question] = embedder.encode(["zebra river"], tokens=True)
    assert question.tokens is not None
    query = late_query(basis, question.tokens.states, np.ones(2, dtype=np.float32))
    texts = ["zebra river", "river zebra stone", "zebra zebra river river", "zebra alone", "lamp paper"]
    same, more, repeated, half, none = score_late(query, Pieces.of([packed(text) for text in texts]))
    assert same == more == repeated > half > none


def test_pieces_are_packed_into_sixteen_bytes() -> None:
    basis = plain_basis(64)
    assert len(pack_signs(basis, states(1, 7))) == 7 * BYTES
    assert pack_signs(basis, states(1, 0)) == b""
    assert BYTES == 16


def test_nothing_asked_or_nothing_said_scores_nothing() -> None:
    basis = plain_basis(64)
    empty = late_query(basis, states(1, 0), np.zeros(0, dtype=np.float32))
    assert empty.is_empty
    assert score_late(empty, Pieces.of([b"", pack_signs(basis, states(2, 3))])).tolist() == [-np.inf] * 2
    asked = late_query(basis, states(1, 2), np.ones(2, dtype=np.float32))
    assert score_late(asked, Pieces.of([])).tolist() == []
    assert score_late(asked, Pieces.of([b"", b""])).tolist() == [-np.inf] * 2


def test_a_frame_does_not_change_the_score_of_another() -> None:
    basis = plain_basis(64)
    query = late_query(basis, states(1, 3), np.ones(3, dtype=np.float32))
    packed = [pack_signs(basis, states(place, place % 4 + 1)) for place in range(2, 30)]
    together = score_late(query, Pieces.of(packed))
    for place, data in enumerate(packed):
        assert score_late(query, Pieces.of([data]))[0] == together[place]
    backwards = score_late(query, Pieces.of(packed[::-1]))
    assert backwards.tolist() == together.tolist()[::-1]
    few = score_late(query, Pieces.of(packed).up_to(13))
    assert len(few) == 5
    assert few.tolist() == together.tolist()[:5]


@pytest.mark.parametrize(
    ("sizes", "most", "kept"),
    [
        ([], 3, 0),
        ([1, 2], 3, 2),
        ([1, 2, 1], 3, 2),
        ([1, 2, 0, 1], 3, 3),
        ([5, 1], 3, 1),
        ([0, 5, 1], 3, 2),
        ([0, 0], 3, 2),
        ([3, 9, 1], 3, 1),
    ],
)
def test_as_many_frames_are_taken_as_fit_and_one_at_least(sizes: list[int], most: int, kept: int) -> None:
    assert fitting(np.array(sizes, dtype=np.int64), most).tolist() == sizes[:kept]


def test_a_basis_survives_being_stored() -> None:
    basis = fit_basis(states(3, 400))
    again = Basis.from_text(basis.to_text())
    assert again.to_text() == basis.to_text()
    assert np.allclose(again.mean, basis.mean, atol=1e-3)
    assert again.axes.shape == (64, BITS)
    some = states(4, 50)
    agreement = np.mean((again.project(some) > 0)[:, :60] == (basis.project(some) > 0)[:, :60])
    assert agreement > 0.97


def test_a_fitted_basis_is_centred_and_its_axes_stand_apart() -> None:
    sample = states(5, 2000, 200) + 2.0
    basis = fit_basis(sample)
    projected = basis.project(sample)
    assert projected.shape == (2000, BITS)
    assert np.abs(projected.mean(axis=0)).max() < 0.01
    gram = basis.axes.T @ basis.axes
    assert np.allclose(gram, np.eye(BITS), atol=1e-3)


def test_the_basis_that_comes_with_the_package_fits_its_model() -> None:
    basis = shipped_basis("minilm")
    assert basis is not None
    assert basis.axes.shape == (384, BITS)
    assert shipped_basis("unheard-of") is None


def tokens(text: str) -> TokenStates:
    [encoding] = HashEmbedder(16).encode([text], tokens=True)
    assert encoding.tokens is not None
    return encoding.tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the zebra is here", ["zebra"]),
        ("Zürich is the city", ["Zürich", "city"]),
        ("émile and the 猫 of it", ["émile", "猫"]),
        ("is it", []),
        ("", []),
    ],
)
def test_words_that_say_nothing_have_no_pieces(text: str, expected: list[str]) -> None:
    found = tokens(text)
    [keep] = content_pieces([text], [found])
    raw = text.encode()
    assert [raw[start:end].decode() for start, end in found.spans[keep].tolist()] == expected


@steady
@given(st.text(max_size=80))
def test_any_text_has_a_choice_of_pieces(text: str) -> None:
    found = tokens(text)
    [keep] = content_pieces([text], [found])
    assert keep.shape == (len(found.ids),)
    assert keep.dtype == bool


@steady
@given(
    st.lists(st.text(max_size=30) | st.sampled_from(["the zebra, is Here", "Zürich and it", ""]), max_size=6)
)
def test_pieces_are_chosen_by_their_own_text_alone(texts: list[str]) -> None:
    found = [tokens(text) for text in texts]
    together = content_pieces(texts, found)
    for text, states_of_text, keep in zip(texts, found, together, strict=True):
        [alone] = content_pieces([text], [states_of_text])
        assert keep.tolist() == alone.tolist()


def test_spans_beyond_a_text_choose_nothing_of_the_next() -> None:
    wrong = TokenStates(np.zeros(1, dtype=np.int32), np.array([[1, 9]], dtype=np.int32), states(1, 1))
    right = tokens("zebra")
    assert [keep.tolist() for keep in content_pieces([".", "zebra"], [wrong, right])] == [[False], [True]]


@steady
@given(st.integers(0, 10**6), st.integers(0, 20))
def test_signs_are_those_of_the_projection(seed: int, count: int) -> None:
    basis = fit_basis(states(7, 400, 96) + 0.3)
    said = states(seed, count, 96) * np.float32(seed % 7 + 0.1)
    projected = basis.project(said)
    signs = np.unpackbits(np.frombuffer(pack_signs(basis, said), dtype=np.uint8)).reshape(-1, BITS)
    clear = np.abs(projected) > 1e-5  # nearer to nothing, rounding decides
    assert (signs.astype(bool) == (projected > 0))[clear].all()


def test_many_texts_are_packed_as_each_by_itself() -> None:
    basis = plain_basis(64)
    texts = [states(number, number % 9) for number in range(100)]
    keeps = [np.arange(len(each)) % 3 != number % 2 for number, each in enumerate(texts)]
    expected = [pack_signs(basis, each[keep]) for each, keep in zip(texts, keeps, strict=True)]
    assert pack_many(basis, texts, keeps) == expected
    assert pack_many(basis, texts[:3], keeps[:3]) == expected[:3]
    assert pack_many(basis, [], []) == []
