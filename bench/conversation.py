"""Conversation memory at size: medians of add_turn, context, search and recall with many memories.

python -m bench.conversation [--memories 50000] [--rounds 300] [--turns] [--store FILE]

One memory in twenty is promoted to the long term. `--turns` fills the store by saying everything, so that its
turns and facts are there too; without, memories are written directly, which is quicker. `--store` keeps the
filled store in a file and uses it again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from longmind import FrozenClock, Memory
from longmind.base.names import DEFAULT_SPACE
from longmind.conversation.candidates import from_turn
from longmind.conversation.config import Config
from longmind.conversation.write import WriteContext, create, see
from longmind.store.store import Store

SYLLABLES = "ka lo mi ren tas vor shi del pan gur bel osk una fir tow zen mar cus lin dra".split()
VERBS = ("like", "hate", "play", "use")
START, DAYS = 1_700_000_000_000, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.mind"
        if options.store is not None and options.store.exists():
            shutil.copyfile(options.store, path)
        else:
            _make(path, options.memories, turns=options.turns)
            if options.store is not None:
                shutil.copyfile(path, options.store)
        clock = FrozenClock(START)
        clock.advance(days=DAYS)
        with Memory.open(path, clock=clock, embedder=None) as memory:
            print(
                f"active memories: {dict(memory.memories.stats().by_layer)}, frames: {memory.stats().frames}"
            )
            _measure(memory, clock, options.rounds)


def _make(path: Path, count: int, *, turns: bool) -> None:
    clock = FrozenClock(START)
    begun = time.perf_counter()
    with Memory.open(path, clock=clock, embedder=None) as memory:
        memory.memories.configure({"mid.capacity": 10 * count, "mid.demote_age_days": 1000})
        if turns:
            _talk(memory, clock, count)
        else:
            _fill(memory.store, clock, count)
        promoted = memory.memories.gc(clock.now()).promoted
    print(f"{count} memories, {len(promoted)} promoted, in {time.perf_counter() - begun:.1f} s")


def _thing(choose: random.Random) -> str:
    return " ".join("".join(choose.choices(SYLLABLES, k=3)) for _ in range(choose.randint(1, 3)))


def _fill(store: Store, clock: FrozenClock, count: int) -> None:
    """What turns would have told, one thing each, many to a transaction: likes, dislikes, uses."""
    choose = random.Random(7)
    written = 0
    while written < count:
        sentences = [f"I {choose.choice(VERBS)} {_thing(choose)}" for _ in range(1000)]
        candidates = [candidate for text in sentences for candidate in from_turn(text)][: count - written]
        with store.write() as tx:
            desk = WriteContext(store, tx, Config(), DEFAULT_SPACE)
            for index, candidate in enumerate(candidates):
                memory_id = create(desk, candidate, source="agent")
                for _ in range(0 if (written + index) % 20 else 3):
                    see(desk, memory_id, candidate, likeness=1.0, origin=None)
        written += len(candidates)
        clock.advance(seconds=60)


def _talk(memory: Memory, clock: FrozenClock, count: int) -> None:
    """Turns in sessions of a hundred, until there are so many memories."""
    choose = random.Random(7)
    session = 0
    while sum(memory.memories.stats().by_layer.values()) < count:
        for _ in range(50):
            session += 1
            talk = memory.conversation(f"session {session}")
            for turn in range(85):
                sentence = f"I {choose.choice(VERBS)} {_thing(choose)}"
                for _ in range(1 if turn % 17 else 4):
                    clock.advance(seconds=1)
                    talk.add_turn("user", sentence)


def _measure(memory: Memory, clock: FrozenClock, rounds: int) -> None:
    choose = random.Random(11)
    memories = memory.memories
    talk = memories.conversation("now")
    sentences = [f"I like {_thing(choose)} these days" for _ in range(rounds)]

    def add(number: int) -> None:
        clock.advance(seconds=1)
        talk.add_turn("user", sentences[number])

    def again(number: int) -> None:
        clock.advance(seconds=1)
        talk.add_turn("user", sentences[number % 20])

    add(0)
    talk.context(20)
    talk.context(20, query=sentences[0])  # warm
    _print("add_turn, new", add, rounds)
    _print("add_turn, seen again", again, rounds)
    _print("context(20)", lambda number: talk.context(20), rounds)
    _print("context(20, query)", lambda number: talk.context(20, query=sentences[number]), rounds)
    for ask in (memory.search, memory.recall, memory.facts.about):
        ask("user")  # warm
    _print(
        "search", lambda number: memory.search(f"Do I {VERBS[number % 4]} {SYLLABLES[number % 20]}?"), rounds
    )
    _print(
        "recall", lambda number: memory.recall(f"Do I {VERBS[number % 4]} {SYLLABLES[number % 20]}?"), rounds
    )
    _print("facts.about", lambda number: memory.facts.about("user", predicate="lives_in"), rounds)
    begun = time.perf_counter()
    report = memories.gc(clock.now(), dry_run=True)
    print(f"gc, dry run over {report.scored}: {time.perf_counter() - begun:.2f} s")


def _print(name: str, call: Callable[[int], object], rounds: int) -> None:
    times, worked = [], []
    for number in range(rounds):
        begun, busy = time.perf_counter(), time.process_time()
        call(number)
        worked.append((time.process_time() - busy) * 1000)
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    print(
        f"{name:22} median {statistics.median(times):7.2f} ms   p95 {times[int(rounds * 0.95)]:7.2f} ms   "
        f"processor {statistics.median(worked):7.2f} ms"
    )


if __name__ == "__main__":
    main()
