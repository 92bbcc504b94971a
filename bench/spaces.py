"""Fills one space with 50,000 objects; prints medians of recalls by each ordering, and of writes.

Two figures each: the time on the clock, and the processor's, which a busy machine does not distort.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from recollect import Memory
from recollect.spaces.ordering.choosing import ORDERINGS
from recollect.spaces.part import SpacesPart
from recollect.spaces.registry import Spaces
from recollect.spaces.space import ProjectSpace

DAY = 86_400_000
TOPICS = ("telemetry", "runtime release", "module 7 config", "project3/module12", "rareword 4711", "")


def words(generator: random.Random, count: int, vocabulary: list[str]) -> str:
    # Squared, so that some words are common and most are rare, as in real text.
    return " ".join(vocabulary[int(generator.random() ** 2 * len(vocabulary))] for _ in range(count))


def payload(number: int, generator: random.Random, vocabulary: list[str]) -> dict[str, Any]:
    raw = words(generator, 60, vocabulary)
    if number % 40 == 0:
        raw += " telemetry spans and counters"
    return {
        "path": f"project{number % 10}/module{number % 500}/{words(generator, 2, vocabulary)} {number}",
        "kind": ("guide", "config", "decision", "log")[number % 4],
        "raw": raw + ".",
        "tags": [vocabulary[number % 300], "runtime" if number % 7 == 0 else "other"],
        "metadata": {"project": f"project{number % 10}", "source": f"docs/{number}.md"},
        "relevance": ("high", "medium", "low")[number % 3],
        "pinned": number % 1000 == 0,
    }


def fill(space: ProjectSpace, count: int, generator: random.Random, vocabulary: list[str]) -> None:
    """Through an import, which writes all objects in one transaction."""
    from recollect.spaces import keeping
    from recollect.spaces.objects import plan_object
    from recollect.spaces.policies import Policy
    from recollect.spaces.redaction import Redactor

    store = space._store
    for first in range(0, count, 1000):
        ready = []
        for number in range(first, min(count, first + 1000)):
            given = payload(number, generator, vocabulary)
            wanted = plan_object(given, space=space.name, policy=Policy(), redactor=Redactor(Policy(), b""))
            moment = 1_700_000_000_000 + (number * 7919 % count) * DAY // 500
            ready.append(
                keeping.make_ready(store, wanted, space=space.name, source="import", updated_at=moment)
            )
        with store.write() as tx:
            for item in ready:
                keeping.upsert(tx, space.name, item, parts=store.parts, known=bool(first))


def timed(repeats: int, action: Any) -> str:
    clock, processor = [], []
    for turn in range(repeats):
        started, used = time.perf_counter(), time.process_time()
        action(turn)
        clock.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - used) * 1000)
    worst = sorted(processor)[int(len(processor) * 0.95)]
    return (
        f"median {statistics.median(clock):7.2f} ms, of the processor {statistics.median(processor):6.2f} ms "
        f"(p95 {worst:.2f})"
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--store", help="path or postgresql:// URL; default: a temporary file")
    given = parser.parse_args(arguments)
    generator = random.Random(7)
    vocabulary = [f"word{number}" for number in range(20_000)]
    with tempfile.TemporaryDirectory() as folder:
        location = given.store or str(Path(folder) / "spaces.recollect")
        with Memory.open(location, embedder=None, extractor=None, surrogates=False) as memory:
            if all(part.name != SpacesPart.name for part in memory.store.parts):
                memory.store.parts.append(SpacesPart())
            space = Spaces(memory.store, memory._search).space("bench")
            started = time.perf_counter()
            fill(space, given.objects, generator, vocabulary)
            seconds = time.perf_counter() - started
            print(f"{given.objects:,} objects in {seconds:.1f} s")
            print(f"first recall        {timed(1, lambda _: space.recall_context('telemetry'))}")
            for name in ORDERINGS:

                def ask(turn: int, name: str = name) -> None:
                    space.recall_context(TOPICS[turn % len(TOPICS)], backend=name, limit=5)

                ask(0)
                print(f"recall {name:12} {timed(given.repeats, ask)}")
            fresh = [payload(given.objects + turn, generator, vocabulary) for turn in range(given.repeats)]
            written = timed(given.repeats, lambda turn: space.remember_structured(fresh[turn]))
            print(f"remember_structured {written}")

            def change(turn: int) -> None:
                space.remember_structured({**fresh[turn], "raw": "changed"})
                space.recall_context("telemetry")

            print(f"change and recall   {timed(given.repeats, change)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
