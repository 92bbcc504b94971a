"""The text index is exactly what the frames say: after writing, erasing, damage and making it anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from longmind import FrozenClock, Memory
from longmind.base import posting_records
from longmind.base.posting_records import BLOCK_BITS
from longmind.store.drafts import draft
from longmind.store.write import put
from longmind.text.words import ANALYZER, count_frame, count_terms
from tests.conftest import START
from tests.search.world import World, histories
from tests.vectors.opening import open_memory

steady = partial(
    settings,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

Postings = dict[str, dict[int, int]]


def rows(memory: Memory, sql: str) -> list[Any]:
    with memory.store.read() as snapshot:
        return snapshot.db.all(sql)


def postings(memory: Memory) -> Postings:
    """Term to frame to times, read from the stored bytes."""
    found: Postings = {}
    for term, block, data in rows(memory, "SELECT term, block, data FROM text_posting"):
        records = list(posting_records.unpack(bytes(data)))
        assert records, "an empty posting is kept"
        offsets = [offset for offset, _ in records]
        assert offsets == sorted(set(offsets)), "a posting ascends, and names a frame once"
        for offset, times in records:
            found.setdefault(term, {})[(block << BLOCK_BITS) + offset] = times
    return found


def lengths(memory: Memory) -> dict[int, int]:
    return dict(rows(memory, "SELECT frame_id, length FROM text_doc"))


def raw(memory: Memory) -> list[Any]:
    found = rows(memory, "SELECT term, block, data FROM text_posting ORDER BY term, block")
    return [(term, block, bytes(data)) for term, block, data in found]


def expected(world: World) -> tuple[Postings, dict[int, int]]:
    found: Postings = {}
    sizes = {}
    for frame in world.known.values():
        if not frame.has_chunks:
            counts, sizes[frame.id] = count_terms(frame.indexed)
            for term, times in counts.items():
                found.setdefault(term, {})[frame.id] = min(times, 255)
    return found, sizes


def check(location: str, history: list[Any]) -> None:
    clock = FrozenClock(START)
    with open_memory(location, clock=clock, embedder=None) as memory:
        world = World(memory, clock)
        world.tell(history)
        assert (postings(memory), lengths(memory)) == expected(world)
        before = raw(memory)
        assert memory.verify(deep=True)
        assert memory.reindex()["text"] == len(lengths(memory))
        assert raw(memory) == before


@steady(max_examples=25)
@given(history=histories)
def test_postings_are_what_the_frames_say(history: list[Any]) -> None:
    check(":memory:", history)


@steady(max_examples=4)
@given(history=histories)
def test_postings_are_what_the_frames_say_on_the_server(
    new_location: Callable[[str], str], history: list[Any]
) -> None:
    check(new_location("postgresql"), history)


def jump(memory: Memory, count: int) -> None:
    """Use up numbers, so that the next frames lie in another block."""
    with memory.store.write() as tx:
        tx.allocate("frame", count)
        assert tx.system


def test_frames_on_both_sides_of_a_block_are_found(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        first = memory.remember("zebra at the beginning").id
        jump(memory, (1 << BLOCK_BITS) - 6)
        ids = memory.remember_many(f"zebra number {place}" for place in range(10)).ids
        assert ids[0] >> BLOCK_BITS != ids[-1] >> BLOCK_BITS
        jump(memory, 3 << BLOCK_BITS)
        last = memory.remember("zebra at the end").id
        assert {hit.frame.id for hit in memory.search("zebra", limit=50)} == {first, *ids, last}
        memory.erase(ids[5])
        assert {hit.frame.id for hit in memory.search("zebra", limit=50)} == {first, *ids, last} - {ids[5]}
        assert postings(memory)["zebra"].keys() == {first, *ids, last} - {ids[5]}
        before = raw(memory)
        memory.reindex()
        assert raw(memory) == before
        assert memory.verify(deep=True)


def test_a_word_said_very_often_is_counted_up_to_a_byte(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        frame_id = memory.remember("zebra " * 1000 + "lion " * 254).id
        assert postings(memory) == {"zebra": {frame_id: 255}, "lion": {frame_id: 254}}
        assert lengths(memory) == {frame_id: 1254}
        memory.erase(frame_id)
        assert postings(memory) == {}
        assert lengths(memory) == {}


def test_a_frame_without_a_word_is_indexed_as_empty(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        frame_id = memory.remember("🙂 ... the").id
        assert lengths(memory) == {frame_id: 0}
        assert postings(memory) == {}
        assert memory.verify(deep=True)
        assert memory.why_not("zebra", frame_id, lanes=["text"]).stage == "no lane"


def test_title_and_speaker_are_counted_once() -> None:
    assert count_frame("zebra runs", "zebra", None) == count_frame("zebra runs", None, None)
    assert count_frame("runs", "zebra", "Ana")[0] == {"zebra": 1, "ana": 1, "run": 1}
    assert count_frame("Ana: hello", None, "Ana")[0]["ana"] == 1


DAMAGE: dict[str, str] = {
    "a posting is gone": "DELETE FROM text_posting WHERE term = 'zebra'",
    "a posting was emptied": "UPDATE text_posting SET data = {nothing} WHERE term = 'zebra'",
    "a posting is another's": (
        "UPDATE text_posting SET data = (SELECT data FROM text_posting WHERE term = 'lion') "
        "WHERE term = 'zebra'"
    ),
    "a term is made up": "UPDATE text_posting SET term = 'unicorn' WHERE term = 'zebra'",
    "a block is wrong": "UPDATE text_posting SET block = 7 WHERE term = 'zebra'",
    "a length is wrong": "UPDATE text_doc SET length = 9999 WHERE frame_id = 1",
    "a length is gone": "DELETE FROM text_doc WHERE frame_id = 1",
    "all is gone": "DELETE FROM text_posting",
}


def answers(memory: Memory) -> list[Any]:
    return [
        [(hit.frame.id, hit.score, hit.lanes) for hit in memory.search(query, lanes=["text"])]
        for query in ("zebra", "lion river", "zebra lion river", "unicorn")
    ]


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_and_mended(location: str, damage: str) -> None:
    with open_memory(location, embedder=None) as memory, open_memory(location, embedder=None) as other:
        memory.remember_many(["zebra", "lion lion", "zebra lion river", "river stone lamp paper"])
        right, before = answers(memory), raw(memory)
        assert answers(other) == right
        nothing = "'\\x'::bytea" if location.startswith("postgresql") else "x''"
        with memory.store.write() as tx:
            tx.db.run(DAMAGE[damage].format(nothing=nothing))
            assert tx.system
        report = memory.verify(deep=True)
        assert report.problems
        assert all(problem.code == "text" and problem.derived for problem in report.problems)
        with open_memory(location, embedder=None) as fresh:
            answers(fresh)  # in any case without an error
            memory.reindex()
            assert memory.verify(deep=True)
            assert raw(memory) == before
            for reader in (memory, other, fresh):
                assert answers(reader) == right


def test_an_index_by_other_rules_is_made_anew_when_the_store_is_opened(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        memory.remember("the zebras run")
        before = raw(memory)
        with memory.store.write() as tx:
            memory.store.set_setting(tx, "text.analyzer", "words/0")
            tx.db.run("UPDATE text_posting SET term = 'zebras' WHERE term = 'zebra'")
    with open_memory(location, embedder=None) as memory:
        assert raw(memory) == before
        assert memory.search("zebra")[0].frame.text == "the zebras run"
        with memory.store.read() as snapshot:
            assert memory.store.setting(snapshot.db, "text.analyzer") == ANALYZER


def test_a_read_only_handle_does_not_make_the_index_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path, embedder=None) as memory:
        memory.remember("zebra")
        with memory.store.write() as tx:
            memory.store.set_setting(tx, "text.analyzer", "words/0")
    before = path.read_bytes()
    with open_memory(path, embedder=None, read_only=True) as memory:
        assert memory.search("zebra")
    assert path.read_bytes() == before


def test_a_failed_write_leaves_nothing_in_the_index(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        memory.remember("zebra")
        before = raw(memory)
        with pytest.raises(RuntimeError, match="on the way"):
            _write_and_fail(memory)
        assert raw(memory) == before
        assert not memory.search("lion", lanes=["text"])


def _write_and_fail(memory: Memory) -> None:
    with memory.store.write() as tx:
        put(tx, [draft("lion", space="default")], parts=memory.store.parts)
        raise RuntimeError("lost on the way")


def test_pieces_of_words_are_found_as_frames_come_and_go(location: str) -> None:
    with open_memory(location, embedder=None) as memory, open_memory(location, embedder=None) as other:
        memory.remember("an xylophonist plays")
        assert [hit.frame.id for hit in memory.search("lophon", lanes=["text"])] == [1]
        later = other.remember("a saxophonist listens").id
        assert {hit.frame.id for hit in memory.search("ophoni", lanes=["text"])} == {1, later}
        memory.forget(1)
        assert [hit.frame.id for hit in memory.search("ophoni", lanes=["text"])] == [later]
        other.erase(1)
        assert [hit.frame.id for hit in memory.search("ophoni", lanes=["text"])] == [later]
        memory.reindex()
        newest = other.remember("the vibraphonist waits").id
        assert {hit.frame.id for hit in memory.search("phonist", lanes=["text"])} == {later, newest}
