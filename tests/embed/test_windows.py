from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from longmind.embed.windows import byte_spans, cut_windows, encodable, owned_ranges

word_lengths = st.lists(st.integers(1, 12), max_size=120)


def pieces_of(lengths: list[int]) -> list[int]:
    return [word for word, length in enumerate(lengths) for _ in range(length)]


@given(word_lengths, st.integers(8, 60), st.integers(0, 40))
def test_windows_cover_every_piece_and_fit_the_room(lengths: list[int], room: int, overlap: int) -> None:
    words = pieces_of(lengths)
    windows = cut_windows(words, room=room, overlap=overlap)
    assert windows[0][0] == 0
    assert windows[-1][1] == len(words)
    assert all(0 < end - begin <= room for begin, end in windows) or not words
    assert all(after[0] <= before[1] for before, after in pairwise(windows))
    assert all(after[0] > before[0] for before, after in pairwise(windows))


@given(word_lengths)
def test_windows_begin_and_end_between_words(lengths: list[int]) -> None:
    words = pieces_of(lengths)
    for begin, end in cut_windows(words, room=40, overlap=8):
        assert begin == 0 or words[begin] != words[begin - 1]
        assert end == len(words) or words[end] != words[end - 1]


def test_a_text_that_fits_has_one_window() -> None:
    assert cut_windows(list(range(254)), room=254) == [(0, 254)]
    assert cut_windows([], room=254) == [(0, 0)]


def test_a_text_that_just_does_not_fit_has_two_windows_of_about_one_length() -> None:
    windows = cut_windows(list(range(255)), room=254, overlap=32)
    assert windows == [(0, 144), (112, 255)]


def test_a_word_too_long_for_a_window_is_cut_inside() -> None:
    windows = cut_windows([0] * 1000, room=100, overlap=10)
    assert windows[-1][1] == 1000
    assert all(end - begin <= 100 for begin, end in windows)


@given(word_lengths, st.integers(8, 60))
def test_owned_ranges_give_each_piece_to_one_window_that_holds_it(lengths: list[int], room: int) -> None:
    words = pieces_of(lengths)
    windows = cut_windows(words, room=room)
    owned = owned_ranges(windows)
    assert [place for begin, end in owned for place in range(begin, end)] == list(range(len(words)))
    assert all(w[0] <= o[0] <= o[1] <= w[1] for w, o in zip(windows, owned, strict=True))


@given(st.text(max_size=40), st.data())
def test_byte_spans_cut_the_same_text_as_character_spans(text: str, data: st.DataObject) -> None:
    spans = []
    for _ in range(5):
        begin = data.draw(st.integers(0, len(text)))
        spans.append((begin, data.draw(st.integers(begin, len(text)))))
    encoded = text.encode()
    for (begin, end), (first, last) in zip(spans, byte_spans(text, spans).tolist(), strict=True):
        assert encoded[first:last].decode() == text[begin:end]


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=20))
def test_encodable_text_keeps_its_length_in_characters_and_bytes(text: str) -> None:
    clean = encodable(text)
    assert len(clean) == len(text)
    assert len(clean.encode()) == len(text.encode("utf-8", "surrogatepass"))
