"""Rows in memory: current by revision, afresh after an erase, and within one limit that changes no answer."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest

from longmind import FrozenClock, Memory
from longmind.base.errors import InvalidInput
from longmind.store.follower import MEMORY_LIMIT, Follower, Mirrors, settings_generation
from longmind.store.transaction import Snapshot
from tests.conftest import ENGINES, START

WORDS = ("zebra", "river", "stone", "lamp", "paper", "tree", "cloud", "engine", "violin")
QUESTIONS = ("zebra river", "Where does Ana live?", "aper", "lamp stone cloud", "Who plays the violin?")


class FrameIds:
    """A mirror of the frames' ids, which tells how it was brought up to date."""

    def __init__(self, width: int = 100) -> None:
        self.ids: list[int] = []
        self.advances: list[int] = []
        self._width = width

    def advance(self, snapshot: Snapshot, since: int) -> None:
        self.advances.append(since)
        rows = snapshot.db.all(
            "SELECT frame_id FROM frame WHERE frame_id > ? ORDER BY frame_id", (max(self.ids, default=0),)
        )
        self.ids += [int(frame_id) for (frame_id,) in rows]

    @property
    def nbytes(self) -> int:
        return self._width * len(self.ids)


def read(memory: Memory, *followers: Follower[FrameIds]) -> list[FrameIds]:
    with memory.store.read() as snapshot:
        return [follower.at(snapshot) for follower in followers]


def test_a_mirror_grows_with_the_store_and_starts_afresh_after_an_erase(memory: Memory) -> None:
    follower = Follower(Mirrors(), "ids", FrameIds)
    first = memory.remember("one").id
    [mirror] = read(memory, follower)
    second = memory.remember("two").id
    assert read(memory, follower) == [mirror]
    assert mirror.ids == [first, second]
    assert mirror.advances[0] == -1 < mirror.advances[1]
    assert read(memory, follower) == [mirror]
    assert len(mirror.advances) == 2
    memory.erase(first)
    [fresh] = read(memory, follower)
    assert fresh.ids == [second]
    assert fresh.advances == [-1]


def test_a_mirror_starts_afresh_with_a_new_generation(memory: Memory) -> None:
    follower = Follower(Mirrors(), "ids", FrameIds, generation=settings_generation("made"))
    memory.remember("one")
    [mirror] = read(memory, follower)
    with memory.store.write() as tx:
        memory.store.set_setting(tx, "made", "anew")
    assert read(memory, follower) != [mirror]


def test_an_exception_while_a_mirror_changes_leaves_none(memory: Memory) -> None:
    class Failing(FrameIds):
        def advance(self, snapshot: Snapshot, since: int) -> None:
            super().advance(snapshot, since)
            if since >= 0:
                raise KeyboardInterrupt

    follower = Follower(Mirrors(), "ids", Failing)
    first = memory.remember("one").id
    read(memory, follower)
    second = memory.remember("two").id
    with pytest.raises(KeyboardInterrupt):
        read(memory, follower)
    assert follower.revision == -1
    assert read(memory, follower)[0].ids == [first, second]


def test_what_was_used_least_recently_is_dropped_first(memory: Memory) -> None:
    memory.remember("one")
    mirrors = Mirrors(limit=250)
    old, middle, new = (Follower(mirrors, name, FrameIds) for name in ("old", "middle", "new"))
    read(memory, old)
    read(memory, middle)
    assert mirrors.bytes_kept() == {"old": 100, "middle": 100}
    read(memory, old)
    read(memory, new)
    assert mirrors.bytes_kept() == {"old": 100, "new": 100}


def test_what_a_read_uses_stays_while_it_runs_and_until_the_next(memory: Memory) -> None:
    memory.remember("one")
    mirrors = memory.store.mirrors
    mirrors.limit = 1
    first, second, third = (Follower(mirrors, name, FrameIds) for name in ("first", "second", "third"))
    with memory.store.read() as snapshot:
        first.at(snapshot)
        second.at(snapshot)
        beside = threading.Thread(target=read, args=(memory, third))
        beside.start()
        beside.join()
        assert mirrors.bytes_kept() == {"first": 100, "second": 100, "third": 100}
    assert mirrors.bytes_kept() == {"third": 100}
    read(memory, first)
    assert mirrors.bytes_kept() == {"first": 100}


def test_an_optional_mirror_is_kept_for_who_asks_again_if_there_is_room(memory: Memory) -> None:
    memory.remember("one")

    def kept(follower: Follower[FrameIds]) -> FrameIds | None:
        with memory.store.read() as snapshot:
            return follower.at_if_kept(snapshot)

    mirrors = Mirrors(limit=250)
    needed, optional = Follower(mirrors, "needed", FrameIds), ids_if_room(mirrors, 100)
    assert kept(optional) is None
    assert kept(optional) is not None
    read(memory, needed)
    memory.remember("two")
    read(memory, needed)  # 200 bytes: no room for the other, though it was used of late
    assert mirrors.bytes_kept() == {"needed": 200}
    assert kept(optional) is None
    large = ids_if_room(Mirrors(limit=250), 251)
    assert [kept(large) for _ in range(3)] == [None] * 3


def test_a_small_optional_mirror_in_use_is_kept_though_nothing_is_left_of_the_limit(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"note {number}")
    mirrors = Mirrors(limit=100)
    needed = Follower(mirrors, "needed", FrameIds)
    nothing = Follower(mirrors, "nothing", _Nothing, size=lambda db: 0)
    read(memory, needed)
    assert mirrors.room_beside(nothing) < 0
    for _ in range(3):
        with memory.store.read() as snapshot:
            needed.at(snapshot)
            found = nothing.at_if_kept(snapshot)
        mirrors.leave(snapshot)
    assert found is not None


class _Nothing:
    nbytes = 0

    def advance(self, snapshot: Snapshot, since: int) -> None:
        """There is nothing to read."""


def ids_if_room(mirrors: Mirrors, size: int) -> Follower[FrameIds]:
    return Follower(mirrors, "optional", FrameIds, size=lambda db: size)


def test_mirrors_of_what_is_gone_take_no_room(memory: Memory) -> None:
    memory.remember("one")
    mirrors = Mirrors()
    read(memory, Follower(mirrors, "gone", FrameIds))
    gc.collect()
    assert mirrors.bytes_kept() == {}


@pytest.mark.parametrize("limit", [0, -1, 2**70])
def test_a_limit_is_a_number_of_bytes(limit: int) -> None:
    with pytest.raises(InvalidInput, match="memory_limit"):
        Memory.open(":memory:", memory_limit=limit)


# The same answers, whatever the limit


@pytest.mark.parametrize("engine", ENGINES)
def test_answers_do_not_depend_on_what_is_in_memory(new_location: Callable[[str], str], engine: str) -> None:
    limits = (1, 20_000, MEMORY_LIMIT)
    opened = [
        Memory.open(new_location(engine), clock=FrozenClock(START), embedder="hash:32", memory_limit=limit)
        for limit in limits
    ]
    try:
        histories = [[step(memory) for step in STEPS] for memory in opened]
        assert histories[0] == histories[2]
        assert histories[1] == histories[2]
        for memory in opened:
            memory.search("zebra river")
        tiny, _, ample = (memory.stats().memory for memory in opened)
        assert {"catalog", "lengths", "vectors", "tokens", "names", "spaces", "vocabulary"} <= set(ample)
        assert {"catalog", "lengths", "vectors"} == set(tiny)
    finally:
        for memory in opened:
            memory.close()


def answers(memory: Memory) -> Any:
    """Twice, since optional mirrors are kept for the second; in turn, so that each drops the other's."""
    space = memory.spaces.space("notes")
    return [
        [
            [(hit.frame.id, hit.score) for hit in memory.search(question, limit=20)],
            [item.path for item in space.recall_context(question).objects],
            [(hit.frame.id, hit.score) for hit in memory.search(question, where={"role": ["user"]}, limit=3)],
        ]
        for _ in range(2)
        for question in QUESTIONS
    ]


def fill(memory: Memory) -> Any:
    memory.remember_many(
        {
            "text": f"{WORDS[number % 9]} {WORDS[number % 7]} and {WORDS[number % 4]} number {number}",
            "session": f"talk {number % 3}",
            "role": ("user", "assistant")[number % 2],
        }
        for number in range(60)
    )
    memory.remember("My name is Ana. I live in Porto.", role="user", session="talk 1")
    space = memory.spaces.space("notes")
    for number in range(8):
        space.remember_structured(
            {"path": f"notes/{number}.md", "kind": "note", "raw": f"{WORDS[number]} {WORDS[number + 1]}"}
        )
    return answers(memory)


def erase(memory: Memory) -> Any:
    ids = [frame.id for frame in memory.list(limit=10).frames]
    memory.erase(ids[1])
    memory.forget(ids[2])
    return answers(memory)


def reindex(memory: Memory) -> Any:
    memory.reindex()
    memory.remember("The violin is by the river.")
    return answers(memory)


STEPS = (answers, fill, erase, reindex, answers)


def test_the_limit_holds_after_a_read_that_was_interrupted_and_mirrors_that_are_gone(memory: Memory) -> None:
    class Failing(FrameIds):
        def advance(self, snapshot: Snapshot, since: int) -> None:
            super().advance(snapshot, since)
            if since >= 0:
                raise KeyboardInterrupt

    memory.remember("one")
    mirrors = Mirrors(limit=450)
    failing = Follower(mirrors, "failing", Failing)
    read(memory, failing)
    for _ in range(5):
        read(memory, Follower(mirrors, "gone", FrameIds))
    gc.collect()
    memory.remember("two")
    with pytest.raises(KeyboardInterrupt):
        read(memory, failing)
    gc.collect()  # the traceback may hold the snapshot of that read, which then still counts as open
    kept = [Follower(mirrors, name, FrameIds) for name in ("first", "second", "third")]
    for follower in kept:
        read(memory, follower)
    assert mirrors.bytes_kept() == {"second": 200, "third": 200}
