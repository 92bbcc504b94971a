"""Long texts are looked through only near the words that a rewording needs; what is read is the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.extract import normalise, rewording
from longmind.extract.patterns import pattern
from longmind.extract.reach import Parts, reach
from longmind.extract.rewording import Edit, Rewording, Rewordings, cut
from longmind.extract.sentences import mask
from longmind.extract.words import letters_of
from tests.extract.labelled import rows

SENTENCES = sorted(
    {
        sentence
        for name in ("facts.jsonl", "utterances.jsonl")
        for row in rows(name)
        for sentence in re.split(r"(?<=[.!?]) ", row["text"])
    }
)


@pytest.mark.parametrize(
    ("source", "ends"),
    [
        (r"\bI (?:really )?like [a-z]+", 0),
        (r"(?:^|[.!?]\s+)my [a-z]+", 2),
        (r"(?:^|(?<=[.!?] ))my [a-z]+(?=\s*(?:[.,]|$))", 3),
        (r"no\. (?:No\. )?yes", 2),
        (r"a[^.!?\n]*b", 0),
        (r"a[^\n]{0,60}b", 60),
        (r"a.{3}b", 3),
        (r"a\W?b", 1),
        (r"\w+\s+\w+", 1),
        (r"a[^.]*b", None),
        (r"a.*b", None),
        (r"(a)\1", None),
        (r"(?:a\. )+b", None),
    ],
)
def test_how_many_ends_of_sentences_a_match_may_hold(source: str, ends: int | None) -> None:
    assert reach(source) == ends


TEXT = "a. b. c. d. e. f. g. h."
PARTS = Parts.of(TEXT)


def test_windows_hold_the_parts_within_reach_and_one_more() -> None:
    (d,) = PARTS.at([TEXT.index("d")])
    assert [TEXT[low:high] for low, high in PARTS.windows([d], 1)] == ["b. c. d. e. f. "]
    assert list(PARTS.windows([], 1)) == []


def test_windows_end_with_the_text() -> None:
    first, last = PARTS.at([0, 1, len(TEXT) - 2])
    assert [TEXT[low:high] for low, high in PARTS.windows([first, last], 1)] == ["a. b. c. ", "f. g. h."]


def test_windows_that_touch_are_one() -> None:
    parts = PARTS.at([TEXT.index("b"), TEXT.index("e")])
    assert [TEXT[low:high] for low, high in PARTS.windows(parts, 0)] == ["a. b. c. d. e. f. "]


def test_a_shape_is_looked_for_near_the_words_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    edits_in = rewording._edits_in

    def noted(item: Rewording, masked: str, start: int, end: int) -> Iterator[Edit]:
        tried.append(masked[start:end])
        return edits_in(item, masked, start, end)

    monkeypatch.setattr(rewording, "_edits_in", noted)
    item = Rewording("zebra", (("rare",),), pattern(r"\b(?P<x>very )rare zebra"), cut("x"))
    text = "A zebra walked. " * 40 + "It was a very rare zebra. " + "Then we slept. " * 40
    edits = Rewordings((item,)).edits(text, letters_of(text))
    assert [text[start:end] for start, end, _ in edits] == ["very "]
    assert tried == ["A zebra walked. It was a very rare zebra. Then we slept. "]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([*SENTENCES, "No.", "Hm?", "\n", "3.5", "e.g. tea", "İstanbul", "ſo"]), max_size=60
    ),
    st.sampled_from([" ", "\n", "\n\n", " \n  "]),
)
def test_a_long_text_is_read_as_it_would_be_as_a_whole(sentences: list[str], between: str) -> None:
    text = mask(between.join(sentences))
    letters = letters_of(text)
    parts = normalise._REWORDINGS.edits(text, letters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewording, "_LONG", 10**9)
        whole = normalise._REWORDINGS.edits(text, letters)
    assert sorted(parts) == sorted(whole)
