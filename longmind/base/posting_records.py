"""The records in a row of postings: the frames of one block that have a term, each with a value.

A record takes two bytes: 12 bits for the frame's offset in its block, and 4 for the value. Few values need
more. Where one of a row does, all records of that row are wide, with two bytes for the offset and one for the
value, and the row has an odd number of bytes, if need be by an empty one at the end.

Most terms are rare, and a row of their own in each block would take more than their records. So the first row
of a run of 16 blocks also has the first 64 records of the run, wide where they lie in other blocks. The rows
of a term ascend with its frames, and the same records always make the same bytes.

On their way into the table all records are wide, a run at a time: most go into a first row as they are.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from longmind.base.arrays import Int64Array, UInt8Array, np

BLOCK_BITS: Final = 12
"""A block covers 4,096 frame ids: small enough to rewrite per commit, large enough to read quickly."""
OFFSET: Final = (1 << BLOCK_BITS) - 1
RUN_BITS: Final = 16
RUN: Final = 1 << (RUN_BITS - BLOCK_BITS)
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
_LOW_HALF: Final = _VALUES
_LOW_HALF_UP: Final = bytes(byte << _VALUE_BITS & 0xFF for byte in range(256))
_SMALL: Final = bytes(range(_MOST_NARROW + 1))
_SECOND_BLOCK: Final = 1 << (BLOCK_BITS - 8)
"""The high byte of an offset in a run, from its second block on."""
_FEW: Final = 16
"""So many records are looked for one by one; to go through all of a row takes longer."""


def wide(offset: int, value: int) -> bytes:
    """One record of a frame by its offset in a run."""
    return _WIDE_RECORD.pack(offset, min(value, MOST))


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


def wide_of(values: Mapping[int, int]) -> bytes:
    """Wide records of values by offset in a run, which ascend."""
    return b"".join([_WIDE_RECORD.pack(offset, value) for offset, value in values.items()])


def lay_out(records: bytes) -> dict[int, bytes]:
    """The rows of a run by block, of all its records, which are wide and ascend."""
    if records and records[-2] < _SECOND_BLOCK:
        return {0: _narrowed(records)}
    in_first = records[1::_WIDE].translate(_HIGH_HALF).rfind(0) + 1
    if in_first >= GATHERED:
        return dict(by_block(records))
    head, later = records[: _WIDE * GATHERED], records[_WIDE * GATHERED :]
    return {0: _padded(head), **dict(by_block(later))} if records else {}


def in_run(data: bytes, block: int) -> dict[int, int]:
    """The values of a row of a run by offset in the run, given the block in the run."""
    shift = block << BLOCK_BITS
    return {shift + offset: value for offset, value in unpack(data)}


def gathered(heads: Mapping[str, bytes | None], fresh: Mapping[str, bytes]) -> dict[str, bytes]:
    """First rows of a run, by term, with fresh records behind theirs; without terms for which that is not so.

    None is a first row that has no place for others. Most terms of a batch go this way: no calls in here.
    """
    grown: dict[str, bytes] = {}
    for term, later in fresh.items():
        size = len(later)
        if size > _WIDE * GATHERED or later[-2] < _SECOND_BLOCK:
            continue
        head = heads.get(term, b"")
        if head:
            if not len(head) & 1:
                if len(head) >= _NARROW * GATHERED:
                    continue
                head = _widened(head)
            elif len(head) % _WIDE:
                head = head[:-1]
            size += len(head)
            if size > _WIDE * GATHERED or (head[-2] << 8 | head[-3]) >= (later[1] << 8 | later[0]):
                continue  # too many, or not behind the others
            grown[term] = head + later if size & 1 else head + later + b"\0"
        elif head is not None:
            grown[term] = later if size & 1 else later + b"\0"
    return grown


def in_first(records: bytes) -> bytes:
    """Wide records as a row of the first block of their run; nothing if some lie behind it."""
    return b"" if records[-2] >= _SECOND_BLOCK else _narrowed(records)


def joined(head: bytes, records: bytes) -> bytes:
    """The records of a first row and others of its run, wide; of the same frame, the others replace one."""
    before = _widened(head)
    if not before or (before[-2] << 8 | before[-3]) < (records[1] << 8 | records[0]):
        return before + records
    return in_order(before + records)


def in_order(records: bytes | bytearray) -> bytes:
    """Wide records of a run sorted by frame, of each the last."""
    return wide_of(dict(sorted(dict(_WIDE_RECORD.iter_unpack(records)).items())))


def by_block(records: bytes) -> Iterator[tuple[int, bytes]]:
    """Wide records of a run as the rows of its blocks."""
    blocks = records[1::_WIDE].translate(_HIGH_HALF)
    begin = 0
    while begin < len(blocks):
        block = blocks[begin]
        end = blocks.rfind(block) + 1
        yield block, _narrowed(records[_WIDE * begin : _WIDE * end])
        begin = end


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
    if is_outside or rest[2::_WIDE].translate(None, _SMALL):
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


def runs(offsets: Int64Array, values: Int64Array, begins: Int64Array) -> list[bytes]:
    """Wide records of arrays, cut where these begin."""
    records = np.empty(len(offsets), dtype=_WIDE_TYPE)
    records["offset"], records["value"] = offsets, np.minimum(values, MOST)
    raw = records.tobytes()
    bounds = (begins * _WIDE).tolist()
    return [raw[begin:end] for begin, end in pairwise([*bounds, len(raw)])]


def _last(data: bytes) -> int:
    records, width = (_unpadded(data), _WIDE) if len(data) & 1 else (data, _NARROW)
    return _offset(records, width, len(records) // width - 1)


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
    low, high = data[::_NARROW], data[1::_NARROW]
    records = bytearray(_WIDE * len(low))
    records[::_WIDE] = _either(low.translate(_HIGH_HALF), high.translate(_LOW_HALF_UP))
    records[1::_WIDE] = high.translate(_HIGH_HALF)
    records[2::_WIDE] = low.translate(_VALUES)
    return bytes(records)


def _narrowed(records: bytes) -> bytes:
    """Wide records of one block of a run as its row."""
    if len(records) == _WIDE and records[2] <= _MOST_NARROW:  # as most rows of few frames are
        offset = (records[0] | records[1] << 8) & OFFSET
        return (offset << _VALUE_BITS | records[2]).to_bytes(_NARROW, "little")
    low, high, values = records[::_WIDE], records[1::_WIDE], records[2::_WIDE]
    if values.translate(None, _SMALL):
        in_block = bytearray(records)
        in_block[1::_WIDE] = high.translate(_LOW_HALF)
        return _padded(bytes(in_block))
    row = bytearray(_NARROW * len(low))
    row[::_NARROW] = _either(low.translate(_LOW_HALF_UP), values)
    row[1::_NARROW] = _either(low.translate(_HIGH_HALF), high.translate(_LOW_HALF_UP))
    return bytes(row)


def _either(one: bytes, other: bytes) -> bytes:
    """The bits of both: as two large numbers, that takes one step and not one for each byte."""
    return (int.from_bytes(one, "big") | int.from_bytes(other, "big")).to_bytes(len(one), "big")
