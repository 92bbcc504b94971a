"""An exception at any bytecode: nothing acknowledged is lost, and nothing is left behind."""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind import Unavailable
from tests.faults.interrupting import (
    STORE,
    Interrupt,
    Interrupter,
    Place,
    interrupt,
    places_of,
)
from tests.store.opening import open_memory

WRITES = ("remember", "remember_many", "forget", "record", "turn", "erase", "lease")
READS = ("get", "search", "recall", "list", "about", "session")
QUICK = {"sqlite": 24, "postgresql": 4}
"""Places of each act in the quick version: half of them in the store's code, where the windows are."""
LONG = {"sqlite": 1_000_000, "postgresql": 200}
"""Places of each act in the long version: on a file all of them."""

PART = 800
"""Interrupts on one store in the long version."""
CHECKED = 4
"""In the long version, after so many interrupts both handles write and read: the calls before it already fail
if a lock or a transaction was left, so that no more than these places come into question."""
SEARCHED = 8
"""Of so many checks, one also compares what searches find."""

_visited: dict[str, set[Place]] = {engine: set() for engine in QUICK}
"""Places at which the long version interrupted an act already: each instruction is visited in one act, and
those that begin and end transactions once for each of their callers."""

_numbers = itertools.count()


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised while an object is destroyed goes to this hook, and to nobody else."""
    usual = sys.unraisablehook

    def hook(event: Any) -> None:
        if not isinstance(event.exc_value, Interrupt):
            usual(event)

    monkeypatch.setattr("sys.unraisablehook", hook)


class World:
    """A store with some content, open twice."""

    def __init__(self, location: str) -> None:
        self.location = location
        options: dict[str, Any] = {"embedder": "hash:16", "busy_timeout": 2}
        self.memory = open_memory(location, **options)
        self.other = open_memory(location, **options)
        self.memory.remember_many([f"Paul planted tree number {number} in May." for number in range(20)])
        self.memory.facts.record("Paul", "lives in", "Lyon")
        self.acknowledged: list[int] = []
        self._watcher: Any = None
        if "://" in location:
            import psycopg

            self._watcher = psycopg.connect(location.rpartition("store=")[0][:-1], autocommit=True)
        for act in (*WRITES, *READS):
            self.act(act)()  # everything is loaded, and every cache filled

    def act(self, name: str) -> Callable[[], Any]:
        """The call of this name, on the first handle, ready to be made."""
        memory, number = self.memory, next(_numbers)
        match name:
            case "remember":
                return lambda: memory.remember(f"Interrupted word{number}z, said by Paul.")
            case "remember_many":
                return lambda: memory.remember_many([f"Many {item} word{number}z" for item in range(3)])
            case "forget" | "erase":
                frame = self.other.remember(f"To go soon: word{number}z").ids[0]
                return lambda: getattr(memory, name)(frame)
            case "record":
                return lambda: memory.facts.record("Paul", "lives in", f"Town{number}")
            case "turn":
                return lambda: memory.conversation("talk").add_turn("user", f"I am turn word{number}z.")
            case "lease":
                return lambda: self._under_lease(number)
            case "get":
                return lambda: memory.get(1)
            case "search" | "recall":
                self.other.remember(f"Something new: word{number}z of Paul")  # so that caches have to follow
                return lambda: getattr(memory, name)(f"word{number}z Paul tree")
            case "list":
                return lambda: list(memory.list(limit=5))
            case "about":
                return lambda: memory.facts.about("Paul")
        return self._under_session

    def _under_lease(self, number: int) -> None:
        with self.memory.session(mode="write", policy="timeout(2)"):
            self.memory.remember(f"Under a lease: word{number}z")

    def _under_session(self) -> None:
        with self.memory.session(mode="read"):
            self.memory.get(1)
            self.memory.list(limit=3)

    def check(self, context: str, *, with_search: bool = True) -> None:
        """Both handles write what the other sees, and answer alike."""
        assert self.open_transactions() == 0, context
        number = next(_numbers)
        mine = self.memory.remember(f"Written after: word{number}z").ids[0]
        assert self.other.get(mine).text == f"Written after: word{number}z", context
        theirs = self.other.remember(f"Written elsewhere: word{number}y").ids[0]
        assert self.memory.get(theirs).text == f"Written elsewhere: word{number}y", context
        self.acknowledged += (mine, theirs)
        for query in (f"word{number}y", "Paul tree May") if with_search else ():
            answers = [
                [(hit.frame.id, hit.score) for hit in handle.search(query, limit=8)]
                for handle in (self.memory, self.other)
            ]
            assert answers[0] == answers[1], f"{context}: {query}"
        assert self.open_transactions() == 0, context

    def open_transactions(self) -> int:
        if self._watcher is None:
            return sum(connection.in_transaction for connection in apsw.connections())
        # A connection that was interrupted on its way is closed by its end; the server hears of it later.
        deadline = time.monotonic() + 5
        while (count := self._idle_in_transaction()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return count

    def _idle_in_transaction(self) -> int:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
        return int(self._watcher.execute(sql).fetchone()[0])

    def close(self) -> None:
        self.memory.close()
        self.other.close()
        if self._watcher is not None:
            self._watcher.close()


@pytest.fixture
def world(location: str) -> Iterator[World]:
    with closing(World(location)) as opened:
        yield opened


def sample(places: Iterable[Place], most: int, seed: str) -> list[Place]:
    """Some of the places, in the order in which the act comes by them."""
    listed = list(places)
    if len(listed) <= most:
        return listed
    return [listed[index] for index in sorted(random.Random(seed).sample(range(len(listed)), most))]


def in_store(places: Iterable[Place]) -> list[Place]:
    return [place for place in places if place.code.co_filename.startswith(STORE)]


def descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def interrupted_at(
    world: World, act: str, chosen: Sequence[tuple[Place, int]], *, checked: int = 1
) -> list[tuple[Place, int]]:
    """Interrupt an act at each of these places, the n-th time it comes there; those it did not come to."""
    missed = []
    for begin in range(0, len(chosen), checked):
        batch = chosen[begin : begin + checked]
        context = f"{act} at {', '.join(str(place) for place, _ in batch)}"
        for place, time_there in batch:
            if not interrupt(world.act(act), place, time_there):
                missed.append((place, time_there))
            assert world.open_transactions() == 0, context
        is_last = begin + checked >= len(chosen)
        world.check(context, with_search=is_last or begin // checked % SEARCHED == 0)
    return missed


def check_nothing_left(world: World, descriptors_before: int) -> None:
    """Close the world: no descriptor, no file and no damage is left, and no acknowledged write is lost."""
    is_file = "://" not in world.location
    gc.collect()
    # A pool of connections to a server grows with use, up to its own bound, in each of the two handles.
    assert descriptors() <= descriptors_before + (2 if is_file else 2 * 12)
    world.close()
    if is_file:
        path = Path(world.location)
        assert [item.name for item in path.parent.glob(f"{path.name}*")] == [path.name]
    with open_memory(world.location, embedder="hash:16") as fresh:
        for frame_id in world.acknowledged:
            fresh.get(frame_id)  # or it raises NotFound
        assert not fresh.verify(deep=True).problems


# A connection to the server that is interrupted while it is made belongs to nobody: it warns when it goes.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("acts", [WRITES, READS], ids=["writes", "reads"])
def test_an_exception_at_any_bytecode_leaves_nothing_behind(world: World, acts: tuple[str, ...]) -> None:
    most = QUICK["postgresql" if "://" in world.location else "sqlite"]
    before = descriptors()
    for act in acts:
        places = places_of(world.act(act))
        chosen = {*sample(in_store(places), most // 2, act), *sample(places, most // 2, act)}
        interrupted_at(world, act, [(place, 1) for place in places if place in chosen])
    check_nothing_left(world, before)


@pytest.mark.soak
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("act", [*WRITES, *READS])
@pytest.mark.parametrize("engine", QUICK)
def test_an_exception_at_every_bytecode_of_every_act(
    new_location: Callable[[str], str], engine: str, act: str
) -> None:
    """On a file every instruction that any act comes by; on the server some, mostly of the store's code."""
    with closing(World(new_location(engine))) as world:
        places = places_of(world.act(act))
    fresh = [place for place in places if place not in _visited[engine]]
    most = LONG[engine]
    kept = {
        *sample(in_store(fresh), most * 3 // 4, act),
        *sample(fresh, most // 4 if most < len(fresh) else most, act),
    }
    chosen = [(place, 1) for place in fresh if place in kept]
    # What opens and closes things also the last time: a second transaction of a call meets other states.
    chosen += [
        (place, places[place]) for place, _ in chosen if place.caller is not None and places[place] > 1
    ]
    _visited[engine].update(place for place, _ in chosen)
    began = time.process_time()
    # A new store for each part: the checks grow with what the interrupted calls have written, and a call may
    # come another way in a store that has grown, so that what was missed is tried again in smaller parts.
    missed = chosen
    for size in (PART, PART // 8):
        waiting, missed = missed, []
        for begin in range(0, len(waiting), size):
            with closing(World(new_location(engine))) as world:
                before = descriptors()
                missed += interrupted_at(world, act, waiting[begin : begin + size], checked=CHECKED)
                check_nothing_left(world, before)
    print(
        f"{act} on {engine}: {len(places)} places, {len(chosen)} interrupts, {len(missed)} of them missed, "
        f"nothing left behind, {time.process_time() - began:.0f} CPU seconds"
    )
    assert len(missed) <= 0.1 * len(chosen)


def test_a_kept_exception_keeps_no_transaction_and_no_turn(new_location: Callable[[str], str]) -> None:
    """As in an interactive session, which keeps the last traceback and all its frames."""
    with closing(World(new_location("sqlite"))) as world:
        places = places_of(world.act("remember"), under=STORE)
        kept: list[BaseException] = []
        for place in sample(places, 60, "kept"):
            try:
                Interrupter(place).run(world.act("remember"))
            except Interrupt as error:
                kept.append(error)
            assert world.open_transactions() == 0
            with ThreadPoolExecutor(1) as thread:  # the turn is free for another thread too
                thread.submit(
                    world.memory.remember, f"From another thread after {place}: {next(_numbers)}"
                ).result()
        world.check("all kept")
        assert kept


def test_an_interrupt_while_the_log_is_emptied_comes_out_as_it_is(new_location: Callable[[str], str]) -> None:
    """Not as an error of the store, which what cleans up after it could raise in its place."""
    with closing(World(new_location("sqlite"))) as world:
        places = places_of(world.act("erase"), under=STORE)
        emptying = [place for place in places if place.code.co_name in ("settle", "_checkpoint")]
        assert len(emptying) > 100
        for place in emptying:
            with suppress(Interrupt):
                Interrupter(place).run(world.act("erase"))
            assert world.open_transactions() == 0
        world.check("all")


def test_a_write_inside_a_write_is_refused_and_not_acknowledged(new_location: Callable[[str], str]) -> None:
    with open_memory(new_location("sqlite")) as memory:
        outer = memory.store.write()
        assert outer.start().system  # by hand: `with` would hide which of the two is refused
        memory.remember("The inner one is a write of its own.")
        with pytest.raises(Unavailable, match="given up"):
            outer.leave(None, None, None)
        assert [frame.text for frame in memory.list()] == ["The inner one is a write of its own."]


@pytest.mark.parametrize("seconds", [1.5, pytest.param(60, marks=pytest.mark.soak)])
def test_a_storm_of_signals_loses_no_acknowledged_write(
    new_location: Callable[[str], str], seconds: float
) -> None:
    location = new_location("sqlite")
    command = [sys.executable, "-m", "tests.faults.signalled", location, str(seconds)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert told["signals"] > 20
    assert told["in_transaction"] == 0
    assert Path(location).parent.joinpath(Path(location).name + "-wal").exists() is False
    with open_memory(location) as fresh:
        for frame_id in told["acknowledged"]:
            fresh.get(frame_id)  # or it raises NotFound
        assert not fresh.verify(deep=True).problems


def test_exceptions_raised_in_threads_leave_the_store_to_the_others(
    new_location: Callable[[str], str],
) -> None:
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
    acknowledged: list[int] = []
    with open_memory(new_location("sqlite"), busy_timeout=5) as memory:

        def work() -> None:
            with suppress(Interrupt):
                while True:
                    acknowledged.extend(memory.remember(f"Of a thread: {next(_numbers)}").ids)
                    memory.get(acknowledged[-1])

        for number in range(30):
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            time.sleep(random.Random(number).uniform(0.005, 0.03))
            for thread in threads:
                while thread.is_alive():
                    raise_in(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(Interrupt))
                    thread.join(0.05)
        memory.remember("After all of them.")
        assert sum(connection.in_transaction for connection in apsw.connections()) == 0
        for frame_id in acknowledged:
            memory.get(frame_id)
