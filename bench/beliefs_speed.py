"""CPU time of reading, `add_turn`, `record` and `record_many`, in turn with another checkout of this code.

With `--alike`, turns are compared one by one: those of which both checkouts keep as much apart from those of
which today's keeps more, because who holds more has more to write.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
DATA = HERE / "../shared/data"
MOST_SLOWER = 1.3
SETS = {"stories": 150, "prefeval": 150, "locomo": 150, "longmemeval": 30, "beam": 20}
"""Turns of a user, and how many of each set."""


def turns(name: str) -> list[str]:
    if name == "stories":
        lines = (DATA / "beliefs/cases.jsonl").read_text(encoding="utf-8").splitlines()
        events = [event for line in lines for event in json.loads(line)["events"]]
        texts = [event["text"] for event in events if event.get("role") == "user"]
    else:
        texts = corpus(name)
    random.Random(5).shuffle(texts)
    return texts[: SETS[name]]


def corpus(name: str) -> list[str]:
    with (DATA / name / "corpus.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def documents(name: str) -> list[str]:
    texts = corpus(name)
    random.Random(6).shuffle(texts)
    return texts[:60]


def year_ms(year: int) -> int:
    before = year - 1
    return (before * 365 + before // 4 - before // 100 + before // 400 - 719_162) * 86_400_000


def tasks() -> Iterator[tuple[str, int, Callable[[Any], None]]]:
    """What is measured: a name, of how many things, and what to do with an open memory."""
    for name in SETS:
        texts = turns(name)

        def read(_memory: Any, texts: list[str] = texts) -> None:
            from longmind.extract.finder import find_statements

            for text in texts:
                find_statements(text)

        yield f"extraction, {name}", len(texts), read

        def tell(memory: Any, texts: list[str] = texts) -> None:
            talk = memory.conversation("talk")
            for text in texts:
                talk.add_turn("user", text)

        yield f"add_turn, {name}", len(texts), tell
    for name in ("scifact", "cosqa"):
        texts = documents(name)

        def ingest(memory: Any, texts: list[str] = texts, name: str = name) -> None:
            for number, text in enumerate(texts):
                memory.ingest(text=text, uri=f"{name}/{number}.txt")

        yield f"ingest, {name}", len(texts), ingest

    def record(memory: Any) -> None:
        from longmind.facts.values import Entity

        for number in range(400):
            predicate = ("lives_in", "likes", "works_at")[number % 3]
            memory.facts.record(f"person {number % 60}", predicate, Entity(f"thing {number}"))

    yield "facts.record", 400, record
    from longmind.facts.values import Assertion, Entity

    with (DATA / "yago11k/facts.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:6000]
    assertions = [
        Assertion(
            row["subject"],
            row["predicate"],
            Entity(row["object"]),
            year_ms(row["valid_from"]),
            None if row["valid_to"] is None else year_ms(row["valid_to"] + 1),
        )
        for row in rows
    ]
    yield "facts.record_many", len(rows), lambda memory: memory.facts.record_many(assertions)


def measure(only: str) -> dict[str, float]:
    """Microseconds of CPU for each thing, the better of two runs after what is loaded once is loaded."""
    from longmind import Memory

    spent: dict[str, float] = {}
    for name, count, do in tasks():
        if only not in name:
            continue
        best = float("inf")
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                memory = Memory.open(str(Path(folder) / "speed.mind"), embedder=None)
                memory.conversation("warm").add_turn("user", "I live in Porto and my name is Rui.")
                start = time.process_time()
                do(memory)
                best = min(best, time.process_time() - start)
                memory.close()
        spent[name] = best / count * 1e6
    return spent


_KEPT = (
    "SELECT (SELECT count(*) FROM fact f JOIN fact_predicate p ON p.predicate_id = f.predicate_id "
    "WHERE p.key_norm <> 'session_id'), (SELECT count(*) FROM conversation_memory)"
)
"""In the tables of either checkout."""


def measure_each(only: str) -> dict[str, list[tuple[float, int]]]:
    """Of each turn, the microseconds of CPU and how many facts and memories it left."""
    return {name: [_one_by_one(turns(name)) for _ in range(2)][-1] for name in SETS if only in name}


def _one_by_one(texts: list[str]) -> list[tuple[float, int]]:
    """Asked for twice: with the first turn of a kind a process loads and compiles what it needs."""
    from longmind import Memory

    spent: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speed.mind"
        memory = Memory.open(str(path), embedder=None)
        memory.conversation("warm").add_turn("user", "I live in Porto and my name is Rui.")
        talk = memory.conversation("talk")
        tables = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        before = sum(tables.execute(_KEPT).fetchone())
        for text in texts:
            start = time.process_time()
            talk.add_turn("user", text)
            passed = time.process_time() - start
            kept = sum(tables.execute(_KEPT).fetchone())
            spent.append((passed * 1e6, kept - before))
            before = kept
        tables.close()
        memory.close()
    return spent


def run(checkout: Path, only: str, *options: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-P", str(Path(__file__).resolve()), "--once", "--only", only, *options]
    output = subprocess.run(
        command, env=environment, cwd=checkout, check=True, capture_output=True, text=True
    ).stdout
    return json.loads(output)


def compare_alike(checkout: Path, rounds: int, only: str) -> None:
    """Turns of which both keep as much, and turns of which today's code keeps more."""
    theirs = [run(checkout, only, "--alike") for _ in range(rounds)]
    ours = [run(HERE, only, "--alike") for _ in range(rounds)]
    print(f"{'microseconds of CPU a turn':34}{'turns':>6}{'before':>9}{'now':>9}{'times':>7}{'kept':>12}")
    for name in ours[0]:
        # The quickest of the rounds: a turn is short enough to be interrupted as a whole.
        old = [
            (min(each[0] for each in turn), turn[0][1])
            for turn in zip(*(r[name] for r in theirs), strict=True)
        ]
        new = [
            (min(each[0] for each in turn), turn[0][1]) for turn in zip(*(r[name] for r in ours), strict=True)
        ]
        pairs = list(zip(old, new, strict=True))
        kinds = {
            "all": pairs,
            "nothing is kept": [pair for pair in pairs if pair[0][1] == pair[1][1] == 0],
            "as much is kept": [pair for pair in pairs if pair[0][1] == pair[1][1] > 0],
            "more is kept now": [pair for pair in pairs if pair[0][1] < pair[1][1]],
        }
        for kind, rows in kinds.items():
            if not rows:
                continue
            was, now = (sum(pair[side][0] for pair in rows) / len(rows) for side in (0, 1))
            kept = " → ".join(str(sum(pair[side][1] for pair in rows)) for side in (0, 1))
            print(f"{f'{name}, {kind}':34}{len(rows):>6}{was:>9,.0f}{now:>9,.0f}{now / was:>7.2f}{kept:>12}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="the folder of another checkout, such as a git worktree")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="only what has this in its name")
    parser.add_argument("--alike", action="store_true", help="turns one by one, by what is kept of them")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not (DATA / "beliefs/cases.jsonl").is_file():
        print(f"Skipped: {DATA} is not there. The texts come apart from the code.")
        return 0
    if options.once:
        print(json.dumps((measure_each if options.alike else measure)(options.only)))
        return 0
    if options.alike:
        if options.against is None:
            parser.error("--alike compares two checkouts; name the other with --against")
        compare_alike(options.against.resolve(), options.rounds, options.only)
        return 0
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    for _ in range(options.rounds):
        if options.against is not None:
            theirs.append(run(options.against.resolve(), options.only))
        ours.append(run(HERE, options.only))
    slower = False
    before_head, times_head = ("before", "times") if theirs else ("", "")
    print(f"{'microseconds of CPU each':28}{before_head:>10}{'now':>10}{times_head:>8}")
    for name in ours[0]:
        now = statistics.median(spent[name] for spent in ours)
        before = statistics.median(spent[name] for spent in theirs) if theirs else None
        ratio = "" if before is None else f"{now / before:.2f}"
        slower = slower or (before is not None and now > MOST_SLOWER * before)
        print(f"{name:28}{'' if before is None else f'{before:,.0f}':>10}{now:>10,.0f}{ratio:>8}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
