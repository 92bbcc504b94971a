"""Blocks change how soon a process answers and nothing else, whatever happens to frames or to blocks."""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.base.times import AsOf
from longmind.search.embedding import bind_embedder
from longmind.store import blocks as blocks_of
from longmind.store import column_rows
from longmind.store.blocks import BlockKey, write
from longmind.store.parts import Budget
from longmind.store.segments import Segment
from longmind.text.lane import block_lengths
from tests.conftest import START
from tests.fuzz.mutations import damaged, mutated, rounds
from tests.vectors.small import method, searcher

WORDS = ("zebra", "river", "stone", "lamp", "paper", "tree", "cloud", "engine", "violin", "harbour")
QUESTIONS = ("zebra river", "stone by the lamp", "harb", "the latest tree", "engines")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longmind.store.block_part.FULL", 16)
    monkeypatch.setattr("longmind.store.block_part._WORTH_IT", 4)
    monkeypatch.setattr("longmind.store.block_part._ACTIVE", 2)


def open_at(location: str, moment: int = START, **options: Any) -> Memory:
    given = {"embedder": "hash:32", "extractor": None, "surrogates": False, **options}
    return Memory.open(location, clock=FrozenClock(moment), **given)


def fill(memory: Memory, first: int, count: int) -> None:
    memory.remember_many(
        {
            "text": " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7)) + f" note {number}",
            "user": None if number % 3 else "ana",
            "session": f"talk {number % 4}" if number % 2 else None,
            "role": ("user", "assistant", None)[number % 3],
            "speaker": ("Ana Ode", None)[number % 2],
            "occurred_at": START + (number * 37) % 90 * 1000,
        }
        for number in range(first, first + count)
    )


def answers(location: str, **options: Any) -> list[Any]:
    """Of a new process, which has nothing in memory."""
    with open_at(location, START + 10_000, read_only=True, **options) as memory:
        return [
            [(hit.frame.id, hit.score, hit.lanes) for hit in memory.search(question, user=user, as_of=moment)]
            for question in QUESTIONS
            for user in (None, "ana")
            for moment in (AsOf.LATEST, AsOf.at(START + 50))
        ]


def blocks(memory: Memory) -> list[tuple[str, str, int, int]]:
    with memory.store.read() as snapshot:
        rows = snapshot.db.all(
            "SELECT segment, kind, first_id, last_id FROM segment_block ORDER BY segment, kind, first_id"
        )
    return [(str(row[0]), str(row[1]), int(row[2]), int(row[3])) for row in rows]


def without_blocks(memory: Memory) -> None:
    with memory.store.write() as tx:
        tx.db.run("DELETE FROM segment_block")


@pytest.fixture
def filled(location: str) -> Iterator[Memory]:
    with open_at(location) as memory:
        for first in range(0, 90, 30):
            fill(memory, first, 30)
        yield memory


def test_answers_are_the_same_with_and_without_blocks(location: str, filled: Memory) -> None:
    assert blocks(filled)  # commits wrote some
    filled.maintain()
    partitions = {segment for segment, *_ in blocks(filled)}
    assert partitions == {"default", "default@ana"}
    fill(filled, 90, 20)  # behind the blocks
    hits = filled.search("zebra river")
    filled.forget(hits[0].frame.id)
    filled.erase(hits[1].frame.id)
    assert filled.verify(deep=True)
    by_blocks = answers(location)
    without_blocks(filled)
    assert answers(location) == by_blocks


def test_the_blocks_of_an_erased_frame_go_and_come_back_without_it(filled: Memory) -> None:
    filled.maintain()
    before = blocks(filled)
    _, _, first, last = next(block for block in before if block[0] == "default")
    doomed = next(hit.frame.id for hit in filled.search("zebra", limit=50) if first <= hit.frame.id <= last)
    filled.erase(doomed)
    assert not [block for block in blocks(filled) if block[0] == "default" and block[2] <= doomed <= block[3]]
    assert [block for block in before if block[0] == "default@ana"] == [
        block for block in blocks(filled) if block[0] == "default@ana"
    ]
    filled.reindex()
    assert filled.verify(deep=True)
    assert any(block[0] == "default" and block[2] <= doomed <= block[3] for block in blocks(filled))


@pytest.mark.parametrize("damage", ["data", "checksum", "revision"])
def test_a_damaged_block_is_passed_over_found_and_made_anew(
    location: str, filled: Memory, damage: str
) -> None:
    filled.maintain()
    right = answers(location)
    wrong = {"data": b"\x00" * 40, "checksum": b"\x00" * 16, "revision": 1}[damage]
    with filled.store.write() as tx:
        tx.db.run(f"UPDATE segment_block SET {damage} = ? WHERE first_id > 1", (wrong,))
    assert answers(location) == right
    assert {problem.code for problem in filled.verify().problems} == {"blocks"}
    filled.reindex()
    assert filled.verify(deep=True)
    assert answers(location) == right


def hostile(rng: random.Random, data: bytes) -> bytes:
    """A block as somebody would write it who wants to break what reads it."""
    raw = zlib.decompress(data)
    size = int.from_bytes(raw[:4], "little")
    head, rest = json.loads(raw[4 : 4 + size]), raw[4 + size :]
    kind = rng.randrange(8)
    entry = rng.choice(head["arrays"])
    if kind == 0:
        entry[1] = rng.choice(["|O", "<f8", "<U9", "<i2", "V1000000", "i4,i4", "", None])
    elif kind == 1:
        entry[2] = rng.choice([-1, 0, 10**18, 2**62, 1.5, "9", None, True])
    elif kind == 2:
        head = mutated(rng, head)
    elif kind == 3:
        rest = bytes(len(rest)) if rng.random() < 0.5 else rng.randbytes(len(rest))
    elif kind == 4:
        rest = rest[: rng.randrange(len(rest) + 1)]
    elif kind == 5:
        head["arrays"].remove(entry)
    elif kind == 6:
        return damaged(rng, data)
    else:
        rest = damaged(rng, rest) if rest else rest
    said = json.dumps(head).encode()
    return zlib.compress(len(said).to_bytes(4, "little") + said + rest)


@rounds(400, 30_000)
def test_a_block_is_what_was_packed_or_malformed(filled: Memory, count: int) -> None:
    filled.maintain()
    rows = "SELECT kind, first_id, last_id, data FROM segment_block ORDER BY segment, kind, first_id"
    with filled.store.read() as snapshot:
        originals = [(row[0], (row[1], row[2]), bytes(row[3])) for row in snapshot.db.all(rows)]
    rng = random.Random(count)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        kind, ids, data = rng.choice(originals)
        try:
            if kind == "columns":
                columns = column_rows.unpack(hostile(rng, data), ids)
                assert all(len(numbers) == len(columns) for numbers in columns.numbers.values())
            else:
                found, words = block_lengths(hostile(rng, data), ids)
                assert len(found) == len(words)
            outcomes["read"] += 1
        except column_rows.Malformed:
            outcomes["malformed"] += 1
    print(f"blocks {count}: {dict(outcomes)}")
    assert outcomes["malformed"] > count / 2


def test_blocks_with_fitting_checksums_that_cannot_be_read_are_passed_over(
    location: str, filled: Memory
) -> None:
    filled.maintain()
    right = answers(location)
    rows = "SELECT segment, kind, first_id, last_id, revision, data FROM segment_block"
    with filled.store.write() as tx:
        for segment, kind, first, last, revision, data in tx.db.all(rows):
            key = BlockKey(segment, kind, first, last, revision, b"")
            blocks_of.remove(tx.db, [key])
            raw = zlib.decompress(bytes(data)).replace(b'"<i8"', b'"|O8"', 1)
            write(
                tx, Segment("partition", segment), kind, (first, last), zlib.compress(raw), revision=revision
            )
    assert answers(location) == right
    assert {problem.code for problem in filled.verify(deep=True).problems} == {"blocks"}


def test_a_block_that_says_something_else_than_its_rows_is_found(filled: Memory) -> None:
    filled.maintain()
    with filled.store.write() as tx:
        row = tx.db.one("SELECT segment, first_id, data FROM segment_block WHERE kind = 'columns' LIMIT 1")
        assert row is not None
        columns = column_rows.unpack(bytes(row[2]), (1, 1 << 62))
        columns.numbers["occurred_at"][0] += 1
        tx.db.run("DELETE FROM segment_block WHERE segment = ? AND first_id = ?", (row[0], row[1]))
        ids = (int(row[1]), int(columns.ids[-1]))
        write(tx, Segment("partition", str(row[0])), "columns", ids, column_rows.pack(columns))
    assert filled.verify()
    assert [problem.code for problem in filled.verify(deep=True).problems] == ["blocks"]


def test_a_tail_grows_into_one_block(location: str) -> None:
    with open_at(location) as memory:
        for first in range(0, 15, 5):
            fill(memory, first * 3, 15)
            memory.maintain()
        mine = [block for block in blocks(memory) if block[:2] == ("default@ana", "columns")]
        assert len(mine) < 3
        assert mine[0][2] == 1


@pytest.mark.parametrize("change", ["more", "erase", "rebuild"])
def test_codes_that_were_kept_find_what_new_ones_find(tmp_path: Path, change: str) -> None:
    pytest.importorskip("turbovec")
    with open_at(str(tmp_path / "a.mind")) as memory:
        fill(memory, 0, 90)
        index = bind_embedder(memory.store, "hash:32", cache=Path(), exact_limit=20).index
        assert index is not None
        assert index.maintain(memory.store, Budget()) == {"codes": 2}
        assert {block[0] for block in blocks(memory) if block[1] == "codes"} == {"default", "default@ana"}
        assert index.maintain(memory.store, Budget()) == {}
        if change == "more":
            fill(memory, 90, 2)
        elif change == "erase":
            memory.erase(memory.search("zebra")[0].frame.id)
            assert {block[0] for block in blocks(memory) if block[1] == "codes"} == {"default@ana"}
        else:
            memory.reindex()
        assert memory.verify(deep=True)
        kept = [searcher(memory, exact_limit=20)(question) for question in QUESTIONS]
        without_blocks(memory)
        anew = [searcher(memory, exact_limit=20)(question) for question in QUESTIONS]
    assert {method(results) for results in kept} == {"quantised, reranked"}
    for one, other in zip(kept, anew, strict=True):
        assert [(hit.frame.id, hit.score) for hit in one] == [(hit.frame.id, hit.score) for hit in other]
        assert {lane.name: lane.detail for lane in one.lanes} == {
            lane.name: lane.detail for lane in other.lanes
        }
