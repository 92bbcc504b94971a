"""Packed postings say what the plain pairs of offset and value say, in as few bytes as they can."""

from __future__ import annotations

from itertools import pairwise

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.base import posting_records
from longmind.base.posting_records import BLOCK_BITS, GATHERED, MOST, OFFSET, RECORD_COUNT

SMALL = st.integers(0, 15)
VALUES = SMALL | st.integers(0, MOST)
OFFSETS = st.integers(0, OFFSET) | st.integers(0, 60)
PLAIN = st.dictionaries(OFFSETS, SMALL, max_size=60) | st.dictionaries(OFFSETS, VALUES, max_size=60)
many = settings(max_examples=300, deadline=None)


def packed(plain: dict[int, int]) -> bytes:
    return posting_records.pack(dict(sorted(plain.items())))


def wide(plain: dict[int, int]) -> bytes:
    return posting_records.wide_of(dict(sorted(plain.items())))


@many
@given(PLAIN)
def test_what_is_packed_is_what_is_read(plain: dict[int, int]) -> None:
    data = packed(plain)
    assert list(posting_records.unpack(data)) == sorted(plain.items())
    assert list(posting_records.values(data)) == [value for _, value in sorted(plain.items())]
    assert posting_records.count(data) == len(plain)
    assert posting_records.counts([data]).tolist() == [len(plain)]
    assert posting_records.is_whole(len(data))
    is_wide = max(plain.values(), default=0) > 15
    assert len(data) in ((3 * len(plain), 3 * len(plain) + 1) if is_wide else (2 * len(plain),))
    [(counted,)] = apsw.Connection(":memory:").execute(
        f"SELECT {RECORD_COUNT} FROM (SELECT ? AS data)", (data,)
    )
    assert counted == len(plain)


@many
@given(PLAIN, PLAIN)
def test_merged_rows_are_those_of_both_the_later_first(stored: dict[int, int], fresh: dict[int, int]) -> None:
    fresh = fresh or {1: 1}
    assert posting_records.merge(packed(stored), packed(fresh)) == packed(stored | fresh)


@many
@given(PLAIN, st.integers(0, OFFSET))
def test_newer_frames_come_behind_the_others(plain: dict[int, int], border: int) -> None:
    older = {offset: value for offset, value in plain.items() if offset < border}
    newer = {offset: value for offset, value in plain.items() if offset >= border} or {border: 1}
    assert posting_records.merge(packed(older), packed(newer)) == packed(older | newer)


@many
@given(PLAIN, st.data())
def test_removed_records_are_gone_and_the_others_stay(plain: dict[int, int], data: st.DataObject) -> None:
    doomed = data.draw(st.sets(st.sampled_from([*plain, 7, 0x0707]), max_size=30))
    rest = {offset: value for offset, value in plain.items() if offset not in doomed}
    assert posting_records.without(packed(plain), doomed) == packed(rest)


@many
@given(st.lists(st.tuples(st.integers(0, 1 << 20), PLAIN), max_size=8))
def test_arrays_are_what_the_rows_say(rows: list[tuple[int, dict[int, int]]]) -> None:
    ids, values = posting_records.arrays([block for block, _ in rows], [packed(plain) for _, plain in rows])
    plain = [
        ((block << BLOCK_BITS) + offset, value)
        for block, plain in rows
        for offset, value in sorted(plain.items())
    ]
    assert list(zip(ids.tolist(), values.tolist(), strict=True)) == plain


@many
@given(st.lists(PLAIN, max_size=8))
def test_records_of_arrays_are_packed_as_each_alone(rows: list[dict[int, int]]) -> None:
    pairs = [pair for plain in rows for pair in sorted(plain.items())]
    sizes = [len(plain) for plain in rows]
    begins = np.array([sum(sizes[:place]) for place in range(len(rows))], dtype=np.int64)
    offsets, values = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    assert posting_records.runs(offsets, values, begins) == [wide(plain) for plain in rows]


@many
@given(st.dictionaries(st.integers(0, OFFSET * 3 + 2) | st.integers(0, 60), VALUES, max_size=90))
def test_a_run_is_laid_out_in_rows_of_its_blocks(plain: dict[int, int]) -> None:
    rows = posting_records.lay_out(wide(plain))
    read = {
        (block << BLOCK_BITS) + offset: value
        for block, data in rows.items()
        for offset, value in posting_records.unpack(data)
    }
    assert read == plain
    assert list(read) == sorted(plain)
    in_first = sum(offset <= OFFSET for offset in plain)
    sizes = {block: posting_records.count(data) for block, data in rows.items()}
    assert sizes.get(0, 0) == max(in_first, min(len(plain), GATHERED))
    by_block = dict(posting_records.by_block(wide(plain)))
    assert by_block == {
        block: packed({offset & OFFSET: plain[offset] for offset in plain if offset >> BLOCK_BITS == block})
        for block in sorted({offset >> BLOCK_BITS for offset in plain})
    }


@many
@given(
    st.dictionaries(st.integers(0, OFFSET * 2), VALUES, max_size=70),
    st.dictionaries(st.integers(0, OFFSET * 3), VALUES, min_size=1, max_size=70),
)
def test_what_a_first_row_takes_in_is_laid_out_as_all_together(
    stored: dict[int, int], fresh: dict[int, int]
) -> None:
    rows = posting_records.lay_out(wide(stored))
    expected = posting_records.lay_out(wide(stored | fresh))
    if len(stored) < GATHERED:
        assert posting_records.lay_out(posting_records.joined(rows.get(0, b""), wide(fresh))) == expected
    grown = posting_records.gathered({"term": rows[0]} if rows else {}, {"term": wide(fresh)})
    assert not grown or {0: grown["term"]} == expected
    is_behind = min(fresh) > max(stored, default=-1)
    has_room = len(stored) + len(fresh) <= GATHERED
    assert bool(grown) == (is_behind and has_room and max(fresh) > OFFSET)
    assert not posting_records.gathered({"term": None}, {"term": wide(fresh)})


@pytest.mark.parametrize("size", [1, 5, 11, len(posting_records.DAMAGED)])
def test_a_row_of_a_size_that_no_records_have_is_not_whole(size: int) -> None:
    assert not posting_records.is_whole(size)
    sizes = {len(packed(dict.fromkeys(range(count), value))) for count in range(20) for value in (1, 99)}
    assert size not in sizes


def test_a_full_block_is_kept_in_order() -> None:
    plain = {offset: 1 + offset % 15 for offset in range(OFFSET + 1)}
    data = packed(plain)
    assert len(data) == 2 * len(plain)
    ids, _ = posting_records.arrays([3], [data])
    assert all(after - before == 1 for before, after in pairwise(ids.tolist()))
    assert list(posting_records.unpack(posting_records.without(data, set(range(0, OFFSET, 2))))) == [
        pair for pair in plain.items() if pair[0] % 2 or pair[0] >= OFFSET
    ]
