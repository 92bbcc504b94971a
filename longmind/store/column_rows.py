"""The columns of frames as they are read from rows, and as blocks that are read in their place.

A block holds the columns of a run of a partition's frames, about a tenth of the bytes of its rows and fifty
times as quick to read. Whatever changes about a frame later (only when it is retired) is read from its row.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.arrays import AnyArray, BoolArray, Int32Array, Int64Array, np
from longmind.base.json_text import parse_json
from longmind.base.times import FOREVER
from longmind.store.engine import Connection
from longmind.store.segments import Segment
from longmind.store.tables import NULLABLE_TEXT, NUMBER, Kind, check_frame_id, damaged

TEXTS: Final = ("space", "kind", "session", "role", "speaker", "source")
NUMBERS: Final = ("parent", "ordinal", "occurred_at", "recorded_at", "retired_at")
_FLAGS: Final = ("is_global", "is_chunk")
_KINDS: Final[tuple[Kind, ...]] = (str, str, *(4 * [NULLABLE_TEXT]), *(5 * [int]), bytes)
"""Of the columns that are read, from `space` on."""
_MOST_BYTES: Final = 1 << 27
"""What a block may unpack to, however much it says: many times what the largest one holds."""
_TYPES: Final = ("<i8", "<i4", "<f2", "|b1")
"""Of the arrays in a block."""


class Malformed(ValueError):
    """A block that holds something else than what is packed: its rows are to be read in its place."""


@dataclass(frozen=True, slots=True, eq=False)
class FrameColumns:
    """The columns of some frames, ascending by id."""

    ids: Int64Array
    flags: Mapping[str, BoolArray]
    texts: Mapping[str, tuple[list[str], Int32Array]]
    """The different texts of a column, and which each frame has; -1 for none."""
    numbers: Mapping[str, Int64Array]
    content: Int64Array

    def __len__(self) -> int:
        return len(self.ids)


def read_columns(
    db: Connection, segment: Segment, *, after: int, limit: int, up_to: int | None = None
) -> FrameColumns | None:
    """The first so many frames of a segment behind an id; None if there are none."""
    here = segment.clause()
    bound = "" if up_to is None else f"AND f.frame_id <= {up_to:d} "
    rows = db.all(
        "SELECT f.frame_id, f.scope = 'global', f.start_byte IS NOT NULL, f.space, f.kind, f.session, "
        "f.role, f.speaker, f.source, coalesce(f.parent_id, -1), coalesce(f.ordinal, -1), f.occurred_at, "
        f"f.recorded_at, coalesce(f.retired_at, {FOREVER}), substr(f.content_hash, 1, 8) "
        f"FROM frame f WHERE {here.sql} AND f.frame_id > ? {bound}ORDER BY f.frame_id LIMIT {limit:d}",
        (*here.values, after),
    )
    if not rows:
        return None
    # Types only: a checksum for each frame would take a second for 100,000 of them. What the catalog lets
    # through is read by `frames.fetch`, checked, and under the same condition again.
    columns = list(zip(*rows, strict=True))
    for kind, column in zip((int, NUMBER, NUMBER, *_KINDS), columns, strict=True):
        if not {*map(type, column)} <= {*(kind if isinstance(kind, tuple) else (kind,))}:
            raise damaged("frame")
    check_frame_id(db, max(columns[0]), "frame")
    if {*map(len, columns[14])} != {8}:
        raise damaged("frame")
    ids = np.array(columns[0], dtype=np.int64)
    if ids[0] <= after or not np.all(ids[1:] > ids[:-1]):  # the order of a damaged tree
        raise damaged("frame")
    return FrameColumns(
        ids,
        {name: np.array(columns[1 + position], dtype=bool) for position, name in enumerate(_FLAGS)},
        {name: _numbered(columns[3 + position]) for position, name in enumerate(TEXTS)},
        {name: np.array(columns[9 + position], dtype=np.int64) for position, name in enumerate(NUMBERS)},
        np.frombuffer(b"".join(columns[14]), dtype=">i8").astype(np.int64),
    )


def _numbered(values: tuple[Any, ...]) -> tuple[list[str], Int32Array]:
    different = dict.fromkeys(values)
    if len(different) == 1:  # as the space of a partition's frames is, and mostly their kind and source
        is_none = None in different
        return [] if is_none else list(different), np.full(len(values), -is_none, dtype=np.int32)
    different.pop(None, None)
    numbers: dict[str | None, int] = {value: position for position, value in enumerate(different)}
    numbers[None] = -1
    codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.int32, count=len(values))
    return list(different), codes


def pack(columns: FrameColumns) -> bytes:
    """As a block."""
    arrays: dict[str, AnyArray] = {"ids": columns.ids, "content": columns.content, **columns.flags}
    arrays |= dict(columns.numbers) | {name: codes for name, (_, codes) in columns.texts.items()}
    texts = {name: different for name, (different, _) in columns.texts.items()}
    return pack_arrays(arrays, texts)


def unpack(block: bytes, ids: tuple[int, int]) -> FrameColumns:
    """The columns in a block for a range of ids; `Malformed` if it is anything else."""
    arrays, texts = unpack_arrays(block)
    check_ids(arrays.get("ids"), ids)
    try:
        columns = FrameColumns(
            arrays["ids"],
            {name: _of(arrays[name], bool) for name in _FLAGS},
            {name: (texts[name], _of(arrays[name], np.int32)) for name in TEXTS},
            {name: _of(arrays[name], np.int64) for name in NUMBERS},
            _of(arrays["content"], np.int64),
        )
    except (KeyError, TypeError):
        raise Malformed from None
    if any(len(array) != len(columns) for array in arrays.values()):
        raise Malformed
    for different, codes in columns.texts.values():
        if not isinstance(different, list) or not all(isinstance(text, str) for text in different):
            raise Malformed
        if len(codes) and not -1 <= int(codes.min()) <= int(codes.max()) < len(different):
            raise Malformed
    return columns


def check_ids(frame_ids: Any, ids: tuple[int, int]) -> Int64Array:
    """The array, if it has ids of the range, ascending; `Malformed` if not."""
    if frame_ids is None or frame_ids.dtype != np.int64 or not np.all(frame_ids[1:] > frame_ids[:-1]):
        raise Malformed
    if len(frame_ids) and not ids[0] <= int(frame_ids[0]) <= int(frame_ids[-1]) <= ids[1]:
        raise Malformed
    checked: Int64Array = frame_ids
    return checked


def _of(array: AnyArray, dtype: Any) -> Any:
    if array.dtype != dtype:
        raise Malformed
    return array


def pack_arrays(arrays: Mapping[str, AnyArray], also: Any) -> bytes:
    """Arrays of one length or another, and something that JSON can say."""
    head = json.dumps({"arrays": [[name, a.dtype.str, len(a)] for name, a in arrays.items()], "also": also})
    parts = [len(head.encode()).to_bytes(4, "little"), head.encode()]
    for array in arrays.values():
        values = array
        if array.dtype == np.int64 and len(array):
            values = np.diff(array, prepend=np.int64(0))  # ids and times grow by little
        # Byte by byte of all numbers: the high bytes are nearly all the same, and take no room.
        bytes_of_each = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
        parts.append(np.ascontiguousarray(bytes_of_each.T).tobytes())
    return zlib.compress(b"".join(parts), 1)


def unpack_arrays(block: bytes, most_bytes: int = _MOST_BYTES) -> tuple[dict[str, Any], Any]:
    """What was packed; `Malformed` if it is anything else, since a store may be anybody's."""
    try:
        return _unpacked(zlib.decompressobj().decompress(block, most_bytes))
    except (zlib.error, ValueError, TypeError, KeyError, OverflowError):
        raise Malformed from None


def _unpacked(raw: bytes) -> tuple[dict[str, Any], Any]:
    size = int.from_bytes(raw[:4], "little")
    head = parse_json(raw[4 : 4 + size])
    position = 4 + size
    arrays: dict[str, Any] = {}
    for name, dtype, count in head["arrays"]:
        if dtype not in _TYPES or type(count) is not int or not 0 <= count <= len(raw):
            raise Malformed
        width = np.dtype(dtype).itemsize
        shuffled = np.frombuffer(raw, dtype=np.uint8, count=count * width, offset=position)
        values = np.ascontiguousarray(shuffled.reshape(width, count).T).view(dtype).reshape(-1)
        arrays[str(name)] = np.cumsum(values) if values.dtype == np.int64 else values
        position += count * width
    return arrays, head["also"]
