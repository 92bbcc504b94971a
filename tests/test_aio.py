"""The same memory for asyncio, on both engines."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from longmind import AsyncMemory, Busy, Memory, NotFound


def test_calls_are_awaited_and_answers_are_the_same(location: str) -> None:
    async def story() -> list[str]:
        async with AsyncMemory.open(location, embedder=None) as memory:
            await memory.remember("Ana likes trains.")
            await memory.facts.record("ana", "lives_in", "Porto")
            found = await memory.facts.about("ana", predicate="lives_in")
            assert found[0].fact.object == "Porto"
            await memory.conversation("s1").add_turn("user", "I like tea.")
            await memory.experience.problem("It hangs.", evidence="none")
            await memory.spaces.create("team")
            await memory.space("team").remember_structured({"path": "a", "raw": "One."})
            with pytest.raises(NotFound):
                await memory.get(10_000)
            return [hit.frame.text for hit in await memory.search("trains")]

    assert asyncio.run(story()) == ["Ana likes trains."]


def test_many_tasks_at_once_lose_nothing(location: str) -> None:
    async def story() -> int:
        memory = await AsyncMemory.open(location, embedder=None, extractor=None)
        try:
            await asyncio.gather(*(memory.remember(f"note {number}") for number in range(100)))
            return len(await memory.timeline(limit=1000))
        finally:
            await memory.close()

    assert asyncio.run(story()) == 100


def test_a_read_session_sees_one_state(location: str) -> None:
    async def story() -> tuple[int, int]:
        async with AsyncMemory.open(location, embedder=None) as memory:
            await memory.remember("one")
            async with memory.session(mode="read"):
                before = len(await memory.timeline())
                await asyncio.create_task(asyncio.to_thread(_write_beside, location))
                during = len(await memory.timeline())
            assert len(await memory.timeline()) == 2
            return before, during

    assert asyncio.run(story()) == (1, 1)


def _write_beside(location: str) -> None:
    with Memory.open(location, embedder=None) as other:
        other.remember("two")


def test_waiting_for_a_writer_leaves_the_loop_free(location: str) -> None:
    async def story() -> int:
        ticks = 0
        one = await AsyncMemory.open(location, embedder=None)
        two = await AsyncMemory.open(location, embedder=None)
        async with one, two, one.session(mode="write"):
            with pytest.raises(Busy):
                async with two.session(mode="write", policy="fail"):
                    raise AssertionError("two writers")

            async def wait() -> None:
                async with two.session(mode="write", policy=0.4):
                    raise AssertionError("two writers")

            waiting = asyncio.create_task(wait())
            while not waiting.done():
                await asyncio.sleep(0.01)
                ticks += 1
            with pytest.raises(Busy):
                await waiting
        return ticks

    assert asyncio.run(story()) > 1


def test_what_yields_is_iterated(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("One.")

    async def story() -> int:
        async with AsyncMemory.open(tmp_path / "m.mind", embedder=None) as memory:
            async for report in memory.watch(tmp_path / "docs", stop=lambda: True):
                return int(report.created)
        return 0

    assert asyncio.run(story()) == 1
