"""Words, overlap, and the bounds that make an index enough."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.conversation.similarity import jaccard, probes, words_of

_SETS = st.sets(st.sampled_from("abcdefghijkl"), min_size=1, max_size=9).map(frozenset)


def test_words_are_compared_without_case_accents_and_punctuation() -> None:
    assert words_of("User's  café, “Zürich”!") == {"user", "cafe", "zurich"}


def test_jaccard_is_shared_by_all() -> None:
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset("abcde"), frozenset("abc")) == 0.6
    assert jaccard(frozenset(), frozenset()) == 1.0


@given(_SETS, _SETS, st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.8, 1.0]), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_like_text_is_met_by_a_probe(
    left: frozenset[str], right: frozenset[str], t: float, shuffler
) -> None:  # type: ignore[no-untyped-def]
    order = sorted(left)
    shuffler.shuffle(order)
    met = any(word in right and least <= len(right) <= most for word, least, most in probes(order, t))
    assert met or jaccard(left, right) < t
