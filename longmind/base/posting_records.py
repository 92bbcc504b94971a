"""The records in a row of postings: the frames of one block that have a term, each with a value.

A record takes two bytes: 12 bits for the frame's offset in its block, and 4 for the value. Few values need
more. Where one of a row does, all records of that row are wide, with two bytes for the offset and one for the
value, and the row has an odd number of bytes, if need be by an empty one at the end.

Most terms are rare, and a row of their own in each block would take more than their records. So the first row
of a run of 16 blocks also has the first 64 records of the run, wide where they lie in other blocks. The rows
of a term ascend with its frames, and the same records always make the same bytes.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from longmind.base.arrays import Int64Array, UInt8Array, np

BLOCK_BITS: Final = 12
"""A block covers 4,096 frame ids: small enough to rewrite per commit, large enough to read quickly."""
OFFSET: Final = (1 << BLOCK_BITS) - 1
RUN: Final = 16
"""So many blocks are a run: a wide record has two bytes for the offset of a frame in it."""
GATHERED: Final = 64
"""So many records of a run are at least in its first row, if there are so many."""
MOST: Final = 255
"""Larger values are stored as this."""
RECORD_COUNT: Final = "CASE (length(data) & 1) WHEN 0 THEN length(data) / 2 ELSE length(data) / 3 END"
"""How many records the column `data` of a row holds, without reading it."""
DAMAGED: Final = b"\xff" * 5
"""Of a size that no row has: stands for a row whose records were lost, until the index is made anew."""

_VALUE_BITS: Final = 4
_MOST_NARROW: Final = (1 << _VALUE_BITS) - 1
_NARROW: Final = 2
_WIDE: Final = 3
_WIDE_RECORD: Final = struct.Struct("<HB")
_WIDE_TYPE: Final = [("offset", "<u2"), ("value", "u1")]
_VALUES: Final = bytes(byte & _MOST_NARROW for byte in range(256))
_HIGH_HALF: Final = bytes(byte >> _VALUE_BITS for byte in range(256))
_LOW_HALF_UP: Final = bytes(byte << _VALUE_BITS & 0xFF for byte in range(256))
_FEW: Final = 16
"""So many records are looked for one by one; to go through all of a row takes longer."""


def is_large(value: int) -> bool:
    """Whether a value makes its row wide."""
    return value > _MOST_NARROW


def narrow(offset: int, value: int) -> bytes:
    """One record of a value that is not large."""
    return (offset << _VALUE_BITS | value).to_bytes(_NARROW, "little")


def count(data: bytes) -> int:
    """How many records a row holds."""
    return len(data) // (_WIDE if len(data) & 1 else _NARROW)


def counts(data: Sequence[bytes]) -> Int64Array:
    """The same of many rows."""
    sizes = np.fromiter(map(len, data), dtype=np.int64, count=len(data))
    return np.where(sizes & 1, sizes // _WIDE, sizes // _NARROW)


def is_whole(size: int) -> bool:
    """Whether a row can have so many bytes."""
    return size % 2 == 0 or (size >= _WIDE and size % _WIDE != 2)


def pack(values: Mapping[int, int]) -> bytes:
    """The records of these values by offset, which ascend."""
    is_outside = max(values, default=0) > OFFSET
    if is_outside or max(values.values(), default=0) > _MOST_NARROW:
        return _padded(b"".join(_WIDE_RECORD.pack(offset, value) for offset, value in values.items()))
    records = [offset << _VALUE_BITS | value for offset, value in values.items()]
    return struct.pack(f"<{len(records)}H", *records)


def unpack(data: bytes) -> Iterator[tuple[int, int]]:
    """Offset and value of each record, in order."""
    if len(data) & 1:
        yield from _WIDE_RECORD.iter_unpack(_unpadded(data))
    else:
        for (record,) in struct.iter_unpack("<H", data):
            yield record >> _VALUE_BITS, record & _MOST_NARROW


def values(data: bytes) -> bytes:
    """The value of each record."""
    return data[2::_WIDE] if len(data) & 1 else data[::_NARROW].translate(_VALUES)


def lay_out(values: Mapping[int, int]) -> dict[int, bytes]:
    """The rows of a run by block, of values by offset in the run, which ascend."""
    offsets = list(values)
    gathered = max(GATHERED, bisect_left(offsets, OFFSET + 1))
    laid_out = {0: pack({offset: values[offset] for offset in offsets[:gathered]})} if offsets else {}
    for block, later in groupby(offsets[gathered:], key=lambda offset: offset >> BLOCK_BITS):
        laid_out[block] = pack({offset & OFFSET: values[offset] for offset in later})
    return laid_out


def in_run(data: bytes, block: int) -> dict[int, int]:
    """The values of a row of a run by offset in the run, given the block in the run."""
    shift = block << BLOCK_BITS
    return {shift + offset: value for offset, value in unpack(data)}


def gathered(heads: Mapping[str, bytes | None], rows: Mapping[str, bytes], block: int) -> dict[str, bytes]:
    """First rows of a run, by term, with rows of a later block; without terms for whose there is no place.

    None is a first row that has no place for others. Most rows of a batch go this way.
    """
    grown: dict[str, bytes] = {}
    for term, later in zip(rows, _moved(list(rows.values()), block), strict=True):
        head = heads.get(term, b"")
        if head is None:
            continue
        if len(head) & 1:
            head = _unpadded(head) if len(head) % _WIDE else head
        elif len(head) >= _NARROW * GATHERED:
            continue
        elif head:
            head = _widened(head)
        size = len(head) + len(later)
        if size > _WIDE * GATHERED:
            continue
        if head and (head[-2] << 8 | head[-3]) >= (later[1] << 8 | later[0]):
            continue  # not behind the others
        grown[term] = head + later if size & 1 else head + later + b"\0"
    return grown


def has_gathered(head: bytes) -> bool:
    """Whether the first row of a run has records of later blocks."""
    return bool(len(head) & 1) and _last(head) > OFFSET


def is_behind(head: bytes | None, data: bytes, block: int) -> bool:
    """Whether the frames of a row of this block of a run come after those of the run's first row.

    None for a first row that has frames of the first block alone.
    """
    if not head:
        return head is not None or block > 0
    return _last(head) < (block << BLOCK_BITS) + next(unpack(data))[0]


def merge(stored: bytes, fresh: bytes) -> bytes:
    """Both in the order of frames; a fresh record replaces the stored one of the same frame."""
    if not stored:
        return fresh
    if not (len(stored) | len(fresh)) & 1:
        if stored[-1] << 8 | stored[-2] < fresh[1] << 8 | fresh[0] & ~_MOST_NARROW:
            return stored + fresh  # frames are mostly newer than those before
    else:
        before, after = _widened(stored), _widened(fresh)
        if _offset(before, _WIDE, len(before) // _WIDE - 1) < _offset(after, _WIDE, 0):
            return _padded(before + after)
    return pack(dict(sorted((dict(unpack(stored)) | dict(unpack(fresh))).items())))


def without(data: bytes, doomed: Collection[int]) -> bytes:
    """A row without the records of the frames at some offsets."""
    if len(doomed) > _FEW:
        return pack({offset: value for offset, value in unpack(data) if offset not in doomed})
    width = _WIDE if len(data) & 1 else _NARROW
    rest = _unpadded(data) if len(data) & 1 else data
    for offset in doomed:
        at = _place(rest, width, offset)
        if at >= 0:
            rest = rest[: at * width] + rest[(at + 1) * width :]
    if width == _NARROW:
        return rest
    is_outside = bool(rest) and _offset(rest, _WIDE, len(rest) // _WIDE - 1) > OFFSET
    if is_outside or is_large(max(rest[2::_WIDE], default=0)):
        return _padded(rest)
    return pack(dict(_WIDE_RECORD.iter_unpack(rest)))


def arrays(blocks: Sequence[int], data: Sequence[bytes]) -> tuple[Int64Array, UInt8Array]:
    """The frames of rows of these blocks, one row behind the other, and the values beside them."""
    sizes = counts(data)
    ids = np.repeat(np.array(blocks, dtype=np.int64) << BLOCK_BITS, sizes)
    # Wide rows are short, mostly: room is left for them among the others, which are taken apart as one.
    joined = b"".join([bytes(len(row) // _WIDE * _NARROW) if len(row) & 1 else row for row in data])
    narrow_records = np.frombuffer(joined, dtype="<u2")
    offsets = narrow_records >> _VALUE_BITS
    values = (narrow_records & _MOST_NARROW).astype(np.uint8)
    wide = [number for number, row in enumerate(data) if len(row) & 1]
    if wide:
        records = np.frombuffer(b"".join([_unpadded(data[number]) for number in wide]), dtype=_WIDE_TYPE)
        lengths = sizes[wide]
        shift = (np.cumsum(sizes) - sizes)[wide] - (np.cumsum(lengths) - lengths)
        places = np.repeat(shift, lengths) + np.arange(len(records))
        offsets[places], values[places] = records["offset"], records["value"]
    ids += offsets
    return ids, values


def rows(offsets: Int64Array, values: Int64Array, begins: Int64Array) -> list[bytes]:
    """The rows that begin at these places of arrays of records."""
    narrow_values = np.minimum(values, _MOST_NARROW)
    raw = (offsets << _VALUE_BITS | narrow_values).astype("<u2").tobytes()
    ends = np.append(begins, len(offsets))[1:]
    packed = [
        raw[begin:end]
        for begin, end in zip((begins * _NARROW).tolist(), (ends * _NARROW).tolist(), strict=True)
    ]
    large = np.flatnonzero(values > _MOST_NARROW)
    for row in np.unique(begins.searchsorted(large, side="right") - 1).tolist():
        one = slice(begins[row], ends[row])
        packed[row] = pack(dict(zip(offsets[one].tolist(), values[one].tolist(), strict=True)))
    return packed


def _last(data: bytes) -> int:
    records, width = (_unpadded(data), _WIDE) if len(data) & 1 else (data, _NARROW)
    return _offset(records, width, len(records) // width - 1)


def _moved(rows: Sequence[bytes], block: int) -> list[bytes]:
    """The records of rows of one block as the first row of a run has them, without what ends a row."""
    low_high = b"".join([row for row in rows if not len(row) & 1])
    low, high = low_high[::2], low_high[1::2]
    # An offset of 12 bits lies across both bytes: its parts are joined as two very large numbers.
    parts = int.from_bytes(high.translate(_LOW_HALF_UP), "big") | int.from_bytes(
        low.translate(_HIGH_HALF), "big"
    )
    records = bytearray(_WIDE * len(low))
    records[::_WIDE] = parts.to_bytes(len(low), "big")
    records[1::_WIDE] = high.translate(bytes(block << _VALUE_BITS | byte for byte in _HIGH_HALF))
    records[2::_WIDE] = low.translate(_VALUES)
    whole, done = bytes(records), 0
    cut: list[bytes] = []
    for row in rows:
        if len(row) & 1:
            cut.append(b"".join(_WIDE_RECORD.pack(*record) for record in in_run(row, block).items()))
        else:
            end = done + len(row) // _NARROW * _WIDE
            cut.append(whole[done:end])
            done = end
    return cut


def _place(records: bytes, width: int, offset: int) -> int:
    """Where among records of this width the one of an offset is; -1 where there is none."""
    size = len(records) // width
    at = bisect_left(range(size), offset, key=lambda place: _offset(records, width, place))
    return at if at < size and _offset(records, width, at) == offset else -1


def _offset(records: bytes, width: int, place: int) -> int:
    low, high = records[width * place], records[width * place + 1]
    return low | high << 8 if width == _WIDE else (low | high << 8) >> _VALUE_BITS


def _padded(records: bytes) -> bytes:
    return records if len(records) & 1 else records + b"\0"


def _unpadded(data: bytes) -> bytes:
    return data[: len(data) // _WIDE * _WIDE]


def _widened(data: bytes) -> bytes:
    if len(data) & 1:
        return _unpadded(data)
    return b"".join(_WIDE_RECORD.pack(*record) for record in unpack(data))
