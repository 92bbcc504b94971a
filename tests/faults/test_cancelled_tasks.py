"""A task that is cancelled at any moment leaves no transaction open, no lock held and no write half done."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import apsw
import pytest

from longmind import AsyncMemory, Memory
from longmind.embed.hash import HashEmbedder
from longmind.embed.protocol import Encoding
from tests import raw

MOMENTS = 12
"""How many moments of a call are tried, evenly over the time that it takes."""


class SlowEmbedder(HashEmbedder):
    """Takes as long as a model would, so that there is a time in which a call can be cancelled."""

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        time.sleep(0.02)
        return super().encode(texts, tokens=tokens)


def opened(location: str) -> AsyncMemory:
    return AsyncMemory(Memory.open(location, embedder=SlowEmbedder(), busy_timeout=20))


async def outcome(work: Awaitable[object], moment: float) -> bool:
    """Cancel it after so many seconds; True if it had returned before."""

    async def awaited() -> object:
        return await work

    task = asyncio.create_task(awaited())
    await asyncio.sleep(moment)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return False
    return True


async def moments(work: Callable[[], Awaitable[object]]) -> list[float]:
    """From before a call begins to after it has returned, as long as it takes here and now."""
    started = time.monotonic()
    await work()
    taken = time.monotonic() - started
    return [taken * 1.2 * number / MOMENTS for number in range(MOMENTS + 1)]


def check_nothing_is_open(location: str) -> None:
    """No transaction is under way, whoever began it, and nobody has the writer's lease."""
    if location.startswith("postgres"):
        import psycopg

        url = location.partition("?store=")[0].partition("&store=")[0]
        with psycopg.connect(url, autocommit=True) as connection:
            busy = connection.execute(
                "SELECT state, query FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid() "
                "AND backend_type = 'client backend' AND state <> 'idle'"
            ).fetchall()
        assert busy == []
    else:
        connection = raw.connect(location)
        connection.set_busy_timeout(0)
        connection.execute("BEGIN IMMEDIATE")  # raises BusyError while somebody writes
        connection.execute("ROLLBACK")
        in_log, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        assert in_log == copied, "a reader still needs what is in the log"
        connection.close()
    with Memory.open(location, embedder=None) as other, other.session(mode="write", policy="fail"):
        pass


def texts(memory: Memory) -> list[str]:
    return [frame.text for frame in memory.timeline(limit=10_000)]


def test_a_cancelled_remember_is_whole_or_absent_and_an_acknowledged_one_is_there(location: str) -> None:
    async def story() -> None:
        memory = opened(location)
        acknowledged = []
        for number, moment in enumerate(await moments(lambda: memory.remember("How long it takes."))):
            text = f"Note {number}: Ana lives in town {number}."
            if await outcome(memory.remember(text), moment):
                acknowledged.append(text)
            check_nothing_is_open(location)
            await memory.remember(f"Another task goes on after {number}.")
        assert set(acknowledged) <= set(texts(memory.sync))
        assert len(texts(memory.sync)) == len(set(texts(memory.sync)))
        assert await memory.verify(deep=True)
        await memory.close()

    asyncio.run(story())


def test_a_cancelled_search_leaves_no_snapshot_behind(location: str) -> None:
    async def story() -> None:
        memory = opened(location)
        await memory.remember_many([f"Tiger {number} sleeps in the shade." for number in range(50)])
        for number, moment in enumerate(await moments(lambda: memory.search("where do tigers sleep?"))):
            await outcome(memory.search("where do tigers sleep?"), moment)
            await memory.remember(f"Written after search {number}.")  # a snapshot left open would be older
            check_nothing_is_open(location)
        assert len(await memory.search("where do tigers sleep?")) == 10
        await memory.close()

    asyncio.run(story())


def test_a_cancelled_ingest_stops_between_documents_and_the_next_one_goes_on(
    location: str, tmp_path: Path
) -> None:
    async def story() -> None:
        memory = opened(location)
        stopped = 0
        for moment in (0.0, 0.03, 0.1, 0.2, 0.4):
            folder = tmp_path / f"docs {moment}"
            folder.mkdir()
            for number in range(30):
                (folder / f"{number}.md").write_text(f"# Document {moment} {number}\n\nIt says {number}.\n")
            stopped += not await outcome(memory.ingest(folder), moment)
            check_nothing_is_open(location)
            page = await memory.list(where={"kind": "document"}, limit=1000)
            before = sum(folder.name in (frame.uri or "").replace("%20", " ") for frame in page)
            report = await memory.ingest(folder)
            assert (report.created, report.unchanged) == (30 - before, before)
        assert stopped > 0
        assert await memory.verify(deep=True)
        await memory.close()

    asyncio.run(story())


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_cancelled_session_ends_after_the_work_in_it(location: str, mode: str) -> None:
    async def story() -> None:
        memory = opened(location)
        acknowledged: list[str] = []

        async def session(number: int) -> None:
            async with memory.session(mode=mode):  # type: ignore[arg-type]
                for step in range(3):
                    if mode == "read":
                        await memory.search("where do tigers sleep?")
                    else:
                        await memory.remember(f"Tiger {number}.{step} sleeps.")
                        acknowledged.append(f"Tiger {number}.{step} sleeps.")

        for number, moment in enumerate(await moments(lambda: session(-1))):
            await outcome(session(number), moment)
            await memory.remember(f"Written after session {number}.")  # this task is in no session
            check_nothing_is_open(location)
        assert set(acknowledged) <= set(texts(memory.sync))
        assert await memory.verify(deep=True)
        await memory.close()

    asyncio.run(story())


def test_a_task_cancelled_while_it_waits_for_a_session_holds_none(location: str) -> None:
    async def story() -> None:
        memory, other = opened(location), opened(location)

        async def wait() -> None:
            async with other.session(mode="write"):
                raise AssertionError("two writers")

        async with memory.session(mode="write"):
            for moment in (0.0, 0.02, 0.07):
                assert not await outcome(wait(), moment)
            await memory.remember("The session goes on.")
        check_nothing_is_open(location)
        await other.remember("And others can write.")
        await memory.close()
        await other.close()

    asyncio.run(story())


def test_a_cancelled_open_leaves_nothing_open(location: str) -> None:
    async def story() -> None:
        Memory.open(location, embedder=None).close()

        async def open_and_close() -> None:
            async with AsyncMemory.open(location, embedder=None) as memory:
                await memory.remember("It was opened.")

        for moment in await moments(open_and_close):
            await outcome(open_and_close(), moment)
            check_nothing_is_open(location)
            if not location.startswith("postgres"):
                assert [file.name for file in Path(location).parent.iterdir()] == [Path(location).name]

    asyncio.run(story())


def test_of_many_tasks_the_cancelled_do_not_disturb_the_others(location: str) -> None:
    async def story() -> None:
        memory, chance = opened(location), random.Random(7)

        async def work(number: int) -> str:
            await memory.search(f"tiger {number}")
            await memory.remember(f"Tiger {number} sleeps.")
            return f"Tiger {number} sleeps."

        tasks = [asyncio.create_task(work(number)) for number in range(60)]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0.01)
            chance.choice(tasks[::2]).cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, str | asyncio.CancelledError) for result in results)
        assert all(isinstance(result, str) for result in results[1::2])
        assert {result for result in results if isinstance(result, str)} <= set(texts(memory.sync))
        check_nothing_is_open(location)
        assert await memory.verify(deep=True)
        await memory.close()

    asyncio.run(story())
