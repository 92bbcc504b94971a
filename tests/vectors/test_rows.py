"""Word pieces in memory are those in the store, whoever wrote them and in whatever order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.store.follower import Mirrors
from longmind.store.segments import EVERYTHING, Segment
from longmind.store.transaction import Snapshot
from longmind.vectors.late_interaction import BYTES, Pieces
from longmind.vectors.nearest import NearestFrames
from longmind.vectors.rows import FrameRows, load_pieces, piece_bytes, read_pieces, window_bytes
from tests.vectors.opening import open_memory

steady = settings(derandomize=True, deadline=None, database=None, max_examples=25)
said = st.lists(st.sampled_from(["zebra", "river stone", "lamp paper tree", "the of"]), max_size=5)


def as_bytes(pieces: Pieces) -> list[bytes]:
    ends = np.cumsum(pieces.sizes).tolist()
    assert len(pieces.signs) == (ends[-1] if ends else 0)
    return [
        pieces.signs[end - size : end].tobytes()
        for end, size in zip(ends, pieces.sizes.tolist(), strict=True)
    ]


def all_pieces() -> FrameRows:
    return FrameRows(load_pieces, BYTES, "u1")


def numbers(ids: Sequence[int]) -> np.ndarray:
    return np.array(ids, dtype=np.int64)


@steady
@given(st.lists(said, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_what_is_kept_is_what_is_stored(batches: list[list[str]], chance: Any) -> None:
    with open_memory(":memory:") as memory:
        kept, since = all_pieces(), -1
        for number, batch in enumerate(batches):
            memory.remember_many(
                {"text": f"{text} {number}", "session": str(place)} for place, text in enumerate(batch)
            )
            with memory.store.read() as snapshot:
                kept.advance(snapshot, since)
                since = snapshot.revision
                ids = list(range(1, 25))
                chance.shuffle(ids)
                assert as_bytes(Pieces(*kept.of(numbers(ids)))) == as_bytes(read_pieces(snapshot.db, ids))
                most = chance.randint(0, 9)
                some = Pieces(*kept.of(numbers(ids), most=most))
                assert as_bytes(some) == as_bytes(read_pieces(snapshot.db, ids, most=most))


def test_more_than_may_be_kept_is_read(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        ids = numbers(memory.remember_many(f"zebra river {place}" for place in range(40)).ids)
        with memory.store.read() as snapshot:
            enough = piece_bytes(snapshot.db)
            stored = as_bytes(read_pieces(snapshot.db, ids.tolist()))
        for limit, is_kept in ((enough, True), (enough - 1, False)):
            mirrors = Mirrors(limit)
            neighbours = NearestFrames(mirrors, 32)
            for _ in range(3):
                with memory.store.read() as snapshot:
                    assert as_bytes(neighbours.pieces(ids, snapshot, most=1000)) == stored
            assert ("tokens" in mirrors.bytes_kept()) == is_kept


def test_the_pieces_of_a_store_are_current(vector_location: str) -> None:
    """Read at first, kept when asked again; grown by what others write, and without what is erased."""
    with open_memory(vector_location) as memory, open_memory(vector_location) as other:
        ids = list(memory.remember_many(f"zebra river {place}" for place in range(10)).ids)
        neighbours = NearestFrames(Mirrors(), 32)

        def check(wanted: Sequence[int]) -> list[int]:
            with memory.store.read() as snapshot:
                found = neighbours.pieces(numbers(wanted), snapshot, most=1000)
                assert as_bytes(found) == as_bytes(read_pieces(snapshot.db, wanted))
                return [int(size) for size in found.sizes]

        for _ in range(3):
            assert all(check(ids[::-1]))
        ids += other.remember_many(["lamp paper", "stone"]).ids
        assert all(check(ids))
        other.erase(ids[3])
        sizes = check(ids)
        assert sizes[3] == 0
        assert sizes.count(0) == 1
        memory.reindex()
        assert [bool(size) for size in check(ids)] == [bool(size) for size in sizes]


def test_damaged_pieces_spoil_no_search(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        first, second = memory.remember_many(["zebra river", "zebra stone"]).ids
        with memory.store.write() as tx:
            tx.db.run("UPDATE frame_token SET data = ? WHERE frame_id = ?", (b"x" * 21, first))
            assert tx.system
        for _ in range(3):
            assert {hit.frame.id for hit in memory.search("zebra")} == {first, second}
        with memory.store.read() as snapshot:
            rows = all_pieces()
            rows.advance(snapshot, -1)
            kept = Pieces(*rows.of(numbers([first, second])))
            assert as_bytes(kept) == as_bytes(read_pieces(snapshot.db, [first, second]))
            assert kept.sizes.tolist() == [1, 2]


def test_an_older_snapshot_reads_what_it_saw(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        ids = list(memory.remember_many(["zebra", "river"]).ids)
        neighbours = NearestFrames(Mirrors(), 32)
        with memory.store.read() as old:
            newer = _written_meanwhile(vector_location, neighbours)
            before = as_bytes(neighbours.pieces(numbers(ids), old, most=1000))
            assert before == as_bytes(read_pieces(old.db, ids))
        assert newer not in ids


def _written_meanwhile(location: str, neighbours: NearestFrames) -> int:
    with open_memory(location) as other:
        written = other.remember("lamp").id
        for _ in range(2):
            with other.store.read() as snapshot:
                assert snapshot.revision > 0
                assert _sizes(neighbours, snapshot, [written]) == [1]
    return written


def _sizes(neighbours: NearestFrames, snapshot: Snapshot, ids: list[int]) -> list[int]:
    return [int(size) for size in neighbours.pieces(numbers(ids), snapshot, most=1000).sizes]


def test_the_size_of_a_large_partition_is_told_from_some_of_its_rows(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(location) as memory:
        memory.remember_many(
            {"text": "zebra river stone", "user": "ana"} | {"session": str(n)} for n in range(6)
        )
        memory.remember_many(f"{'lamp ' * n}of others" for n in range(1, 6))
        ana, everyone = Segment("partition", "default@ana"), EVERYTHING
        with memory.store.read() as snapshot:
            exact = window_bytes(snapshot.db, ana), piece_bytes(snapshot.db, ana)
            assert exact[0] == 6 * 32 * 2
            assert window_bytes(snapshot.db, everyone) == 11 * 32 * 2
            monkeypatch.setattr("longmind.vectors.rows._MEASURED", 2)
            assert (window_bytes(snapshot.db, ana), piece_bytes(snapshot.db, ana)) == exact
