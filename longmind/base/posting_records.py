"""The records in a row of postings: the frames of one block that have a term, each with a value.

A record takes two bytes: 12 bits for the frame's offset in its block, and 4 for the value. Few values need
more. Where one of a row does, all records of that row are wide, with a byte for the value, and the row has an
odd number of bytes, if need be by an empty one at the end. The same records always make the same bytes.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from longmind.base.arrays import Int64Array, UInt8Array, np

BLOCK_BITS: Final = 12
"""A block covers 4,096 frame ids: small enough to rewrite per commit, large enough to read quickly."""
OFFSET: Final = (1 << BLOCK_BITS) - 1
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
    is_outside = max(values, default=0) > OFFSET  # of a damaged row
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
    is_wide = is_large(max(rest[2::_WIDE], default=0))
    return _padded(rest) if is_wide else pack(dict(_WIDE_RECORD.iter_unpack(rest)))


def arrays(blocks: Sequence[int], data: Sequence[bytes]) -> tuple[Int64Array, UInt8Array]:
    """The frames of rows of these blocks, one row behind the other, and the values beside them."""
    sizes = counts(data)
    ids = np.repeat(np.array(blocks, dtype=np.int64) << BLOCK_BITS, sizes)
    is_wide = [len(row) & 1 for row in data]
    if not any(is_wide):
        records = np.frombuffer(b"".join(data), dtype="<u2")
        ids += records >> _VALUE_BITS
        return ids, (records & _MOST_NARROW).astype(np.uint8)
    offsets = np.empty(len(ids), dtype=np.uint16)
    values = np.empty(len(ids), dtype=np.uint8)
    wide_places = np.repeat(np.array(is_wide, dtype=bool), sizes)
    wide = np.frombuffer(b"".join(_unpadded(row) for row in data if len(row) & 1), dtype=_WIDE_TYPE)
    offsets[wide_places], values[wide_places] = wide["offset"], wide["value"]
    others = np.frombuffer(b"".join(row for row in data if not len(row) & 1), dtype="<u2")
    offsets[~wide_places], values[~wide_places] = others >> _VALUE_BITS, others & _MOST_NARROW
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
