"""Fills one space with 50,000 objects; prints recalls by each ordering, cold and warm, and writes.

Two figures each: the time on the clock, and the processor's, which a busy machine distorts less. A cold
recall is the first of a new process. With `--store`, a space that is there already is not filled again.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from longmind import Memory
from longmind.spaces.ordering import ORDERINGS
from longmind.spaces.space import ProjectSpace

DAY = 86_400_000
TOPICS = {
    "said": ("telemetry", "spans and counters", "word12 word900", "word77 telemetry", ""),
    "named": ("runtime release", "module 7 config", "project3/module12", "rareword 4711"),
}
"""Topics that texts speak of; and such as occur in paths and tags only, or nowhere."""


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
    from longmind.spaces import write
    from longmind.spaces.objects import plan_object
    from longmind.spaces.policies import Policy
    from longmind.spaces.redaction import Redactor

    store = space._store
    for first in range(0, count, 1000):
        ready = []
        for number in range(first, min(count, first + 1000)):
            fields = payload(number, generator, vocabulary)
            planned = plan_object(fields, space=space.name, policy=Policy(), redactor=Redactor(Policy(), b""))
            moment = 1_700_000_000_000 + (number * 7919 % count) * DAY // 500
            ready.append(
                write.make_ready(store, planned, space=space.name, source="import", updated_at=moment)
            )
        with store.write() as tx:
            for item in ready:
                write.upsert(tx, space.name, item, parts=store.parts, has_record=bool(first))


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


def opened(location: str) -> Memory:
    return Memory.open(location, embedder=None, extractor=None, surrogates=False)


def cold(location: str, name: str) -> None:
    """The first recall of this process, with what it imports."""
    with opened(location) as memory:
        figures = timed(1, lambda _: memory.space("bench").recall_context("telemetry", backend=name))
    print(f"{name + ', first':19} {figures}")


def in_new_process(location: str, name: str) -> None:
    command = [sys.executable, __file__, "--store", location, "--cold", name]
    subprocess.run(command, check=True)


def warm(space: ProjectSpace, count: int, repeats: int) -> None:
    for name in ORDERINGS:
        for group, topics in TOPICS.items():

            def ask(turn: int, name: str = name, topics: tuple[str, ...] = topics) -> None:
                space.recall_context(topics[turn % len(topics)], backend=name, limit=5)

            ask(0)
            print(f"{name + ', ' + group:19} {timed(repeats, ask)}")
    generator, vocabulary = random.Random(count), [f"word{number}" for number in range(20_000)]
    fresh = [payload(count + turn, generator, vocabulary) for turn in range(repeats)]
    print(f"remember_structured {timed(repeats, lambda turn: space.remember_structured(fresh[turn]))}")

    def change(turn: int) -> None:
        space.remember_structured({**fresh[turn], "raw": "changed"})
        space.recall_context("telemetry")

    print(f"change and recall   {timed(repeats, change)}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--store", help="path or postgresql:// URL; default: a temporary file")
    parser.add_argument("--cold", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.cold:
        cold(options.store, options.cold)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        location = options.store or str(Path(folder) / "spaces.mind")
        with opened(location) as memory:
            objects = sum(space.objects for space in memory.spaces.list() if space.name == "bench")
            if not objects:
                started = time.perf_counter()
                vocabulary = [f"word{number}" for number in range(20_000)]
                fill(memory.space("bench"), options.objects, random.Random(7), vocabulary)
                print(f"{options.objects:,} objects in {time.perf_counter() - started:.1f} s", flush=True)
        for name in ORDERINGS:
            in_new_process(location, name)
        with opened(location) as memory:
            warm(memory.space("bench"), objects or options.objects, options.repeats)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
