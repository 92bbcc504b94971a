"""Conversation memory at size: medians of add_turn and context with many memories, without embedding.

python -m bench.conversation [--memories 50000] [--rounds 300]
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from recollect import FrozenClock, Memory
from recollect.base.names import DEFAULT_SPACE
from recollect.conversation.candidates import from_turn
from recollect.conversation.config import Config
from recollect.conversation.memories import Memories
from recollect.conversation.writing import Desk, create
from recollect.store.store import Store

SYLLABLES = "ka lo mi ren tas vor shi del pan gur bel osk una fir tow zen mar cus lin dra".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(1_700_000_000_000)
        with Memory.open(Path(folder) / "bench.recollect", clock=clock, embedder=None) as memory:
            memories = Memories(memory.store, memory._search)
            begun = time.perf_counter()
            _fill(memory.store, clock, given.memories)
            print(f"{given.memories} memories written in {time.perf_counter() - begun:.1f} s")
            _measure(memories, clock, given.rounds)


def _thing(choose: random.Random) -> str:
    return " ".join("".join(choose.choices(SYLLABLES, k=3)) for _ in range(choose.randint(1, 3)))


def _fill(store: Store, clock: FrozenClock, count: int) -> None:
    """What turns would have told, one thing each, many to a transaction: likes, dislikes, uses."""
    choose = random.Random(7)
    verbs = ("like", "hate", "play", "use")
    written = 0
    while written < count:
        told = [f"I {choose.choice(verbs)} {_thing(choose)}" for _ in range(1000)]
        found = [candidate for text in told for candidate in from_turn(text)][: count - written]
        written += len(found)
        with store.write() as tx:
            desk = Desk(store, tx, Config(), DEFAULT_SPACE)
            for candidate in found:
                create(desk, candidate, source="agent")
        clock.advance(seconds=60)


def _measure(memories: Memories, clock: FrozenClock, rounds: int) -> None:
    choose = random.Random(11)
    talk = memories.conversation("now")
    said = [f"I like {_thing(choose)} these days" for _ in range(rounds)]

    def add(number: int) -> None:
        clock.advance(seconds=1)
        talk.add_turn("user", said[number])

    def again(number: int) -> None:
        clock.advance(seconds=1)
        talk.add_turn("user", said[number % 20])

    add(0), talk.context(20), talk.context(20, query=said[0])  # warm
    _print("add_turn, new", add, rounds)
    _print("add_turn, seen again", again, rounds)
    _print("context(20)", lambda number: talk.context(20), rounds)
    _print("context(20, query)", lambda number: talk.context(20, query=said[number]), rounds)
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
