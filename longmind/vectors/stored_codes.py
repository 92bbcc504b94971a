"""Quantised vectors as blocks: read by a new process in place of all vectors, from which it would make them.

`maintain` writes the codes of a partition that has so many vectors that searches use codes, and writes them
anew when many vectors came since. What was written after their revision is read from its rows and added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from longmind.base.arrays import Int64Array, np
from longmind.store import blocks
from longmind.store.blocks import CODES, BlockKey
from longmind.store.column_rows import Malformed, pack_arrays, unpack_arrays
from longmind.store.engine import Connection, scalar
from longmind.store.follower import erased_since
from longmind.store.segments import Segment
from longmind.store.store import Store
from longmind.store.tables import check_frame_id
from longmind.store.transaction import Snapshot
from longmind.vectors.quantized import Codes, can_quantize, unpacked_index
from longmind.vectors.rows import IDENTITY, REBUILT, count_frames

_CHUNK: Final = 8 << 20
_MOST_BYTES: Final = 1 << 30
"""What the list of frames may take: eight bytes for each vector of a partition."""
_MOST_FACTOR: Final = 1 << 20
"""How far a search may look beyond its limit, as earlier ones learnt."""
_LAST: Final = 1 << 62
"""Codes are of all frames of a partition, whichever is erased."""
_STALE: Final = 0.05
"""The share of vectors that may have come since before codes are written anew."""


def load_codes(db: Connection, segment: Segment, dimensions: int | None = None) -> tuple[Codes, int] | None:
    """The codes of a segment, and with which revision they are current; None where there are none to use."""
    keys = blocks.keys(db, segment, CODES)
    if not keys or any(key.revision != keys[0].revision for key in keys):
        return None
    if not can_quantize():  # asked only now: it imports turbovec, which a small store never needs
        return None
    head = blocks.read(db, keys[-1])  # chunks are numbered backwards, so that the head comes last
    if head is None:
        return None
    try:
        arrays, about = unpack_arrays(head, _MOST_BYTES)
        frames, size = _described(arrays, about, chunks=len(keys) - 1)
    except Malformed:
        return None
    identity = db.one("SELECT value FROM store_setting WHERE name = ?", (IDENTITY,))
    is_stale = blocks.rebuilt_at(db, REBUILT) >= keys[0].revision
    if is_stale or identity is None or identity[0] != about["identity"]:
        return None
    if len(frames):
        check_frame_id(db, int(frames.max()), "segment_block")
    try:
        index = unpacked_index(_chunks(db, keys[-2::-1], size))
        codes = Codes.unpacked(index, arrays, about, dimensions)
    except (Malformed, ValueError, OSError):  # damaged, or another version of turbovec wrote them
        return None
    return codes, keys[0].revision


def _chunks(db: Connection, keys: Sequence[BlockKey], size: int) -> Iterator[bytes]:
    for key in keys:
        chunk = blocks.read(db, key)
        if chunk is None or len(chunk) > size:
            raise Malformed
        size -= len(chunk)
        yield chunk
    if size:
        raise Malformed


def _described(arrays: Mapping[str, Any], about: Any, *, chunks: int) -> tuple[Int64Array, int]:
    """The frame of each code, and how many bytes the codes have; `Malformed` where that cannot be."""
    frames = arrays.get("frames")
    is_whole = (
        isinstance(about, dict)
        and {"identity", "chunks", "bytes", "factor", "recall"} <= about.keys()
        and about["chunks"] == chunks
        and type(about["bytes"]) is int
        and 0 <= about["bytes"] <= chunks * _CHUNK
        and type(about["factor"]) is int
        and 0 < about["factor"] <= _MOST_FACTOR
        and isinstance(about["recall"], int | float)
    )
    if not is_whole or frames is None or frames.dtype != np.int64 or (len(frames) and int(frames.min()) < 1):
        raise Malformed
    return frames, about["bytes"]


def keep_codes(
    store: Store, limit: int, build: Callable[[Connection, Segment], Codes], *, is_over: Callable[[], bool]
) -> int:
    """Write the codes of every partition that searches by codes and has none, or has old ones."""
    kept = 0
    with store.read() as snapshot:
        partitions = list(_large(snapshot.db, limit))
    for segment in partitions:
        if is_over():
            break
        with store.read() as snapshot:
            if not _is_wanted(snapshot.db, segment, limit):
                continue
            codes = build(snapshot.db, segment)
            identity = store.setting(snapshot.db, IDENTITY)
        kept += _write(store, snapshot, segment, codes, identity)
    return kept


def _large(db: Connection, limit: int) -> Iterator[Segment]:
    rows = db.all(
        "SELECT space FROM frame WHERE scope = 'space' GROUP BY space HAVING count(*) > ? ORDER BY space",
        (limit,),
    )
    return (Segment("partition", str(space)) for (space,) in rows)


def _is_wanted(db: Connection, segment: Segment, limit: int) -> bool:
    frames = count_frames(db, segment)
    if frames <= limit:
        return False
    keys = blocks.keys(db, segment, CODES)
    if not keys:
        return True
    here = segment.among("frame_id")
    newer = scalar(
        db,
        f"SELECT count(*) FROM frame_vector WHERE written_at > ? AND {here.sql}",
        (keys[0].revision, *here.values),
    )
    if newer > _STALE * frames:
        return True
    kept = load_codes(db, segment)
    return kept is None or kept[0].lacks_lists


def _write(store: Store, read: Snapshot, segment: Segment, codes: Codes, identity: str | None) -> int:
    packed, arrays, about = codes.packed()
    chunks = [packed[start : start + _CHUNK] for start in range(0, len(packed), _CHUNK)]
    head = pack_arrays(arrays, {**about, "identity": identity, "chunks": len(chunks), "bytes": len(packed)})
    with store.write() as tx:
        rebuilt = store.setting(tx.db, REBUILT)
        if erased_since(tx.db, read.revision) or (rebuilt is not None and int(rebuilt) > read.revision):
            return 0  # the codes may be of frames that are gone: the next maintenance makes them anew
        blocks.remove(tx.db, blocks.keys(tx.db, segment, CODES))
        for number, data in enumerate([head, *chunks], 1):
            blocks.write(tx, segment, CODES, (-number, _LAST), data, revision=read.revision)
    return 1
