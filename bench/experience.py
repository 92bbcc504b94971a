"""Does a brief bring the solution that worked? And how long does it take over 20,000 records?

The stand-in for experience is CoSQA (../shared/data/cosqa): the first sentence of a function's documentation
is the problem, its code the solution, and the questions are what people typed into a search engine:
paraphrases by strangers. Beside them, the first half of each problem's own words: a partial text.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import synthetic
from bench.datasets import Dataset, available, load
from longmind import Memory

FIRST = 5
REPO = "app"
BATCH = 250
SHARES = {
    "problem": 0.3,
    "solution": 0.25,
    "failed_tactic": 0.2,
    "fact": 0.15,
    "preference": 0.05,
    "change": 0.05,
}
_DOCSTRING = re.compile(r"[urbURB]{0,2}(\"\"\"|''')(.*?)\1", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pair:
    """A problem and its solution, with the name of the function they come from."""

    name: str
    problem: str
    solution: str


@dataclass(frozen=True, slots=True)
class Task:
    """A text to ask with, and the function whose solution is right."""

    text: str
    name: str


def pairs_of(data: Dataset, limit: int) -> list[Pair]:
    """Functions with documentation: first those that a question is about, then others in the set's order."""
    gold_names = {name for query in data.queries for name in query.gold}
    ordered = sorted(data.documents, key=lambda document: document.id not in gold_names)
    pairs = []
    for document in ordered:
        match = _DOCSTRING.search(document.text)
        if match is None:
            continue
        problem = re.split(r"\n\s*\n|(?<=[.!?])\s", match[2].strip(), maxsplit=1)[0]
        problem = " ".join(problem.split())
        code = (document.text[: match.start()] + document.text[match.end() :]).strip()
        if len(problem.split()) >= 3 and len(code.splitlines()) >= 2:
            pairs.append(Pair(document.id, problem, code))
        if len(pairs) == limit:
            break
    return pairs


def record(memory: Memory, pairs: Sequence[Pair]) -> dict[str, str]:
    """Write them all; return the ids of the solutions by function."""
    solutions = {}
    started = time.perf_counter()
    for first in range(0, len(pairs), BATCH):
        part = pairs[first : first + BATCH]
        evidence = [[f"file:{pair.name}.py#L1"] for pair in part]
        problems = memory.experience.record_many(
            (
                {"kind": "problem", "text": pair.problem, "evidence": seen}
                for pair, seen in zip(part, evidence, strict=True)
            ),
            repo=REPO,
        )
        recorded = memory.experience.record_many(
            (
                {"kind": "solution", "text": pair.solution, "evidence": seen, "problem": problem}
                for pair, seen, problem in zip(part, evidence, problems, strict=True)
            ),
            repo=REPO,
        )
        solutions.update((pair.name, item.id) for pair, item in zip(part, recorded, strict=True))
    seconds = time.perf_counter() - started
    print(f"{len(pairs)} problems with their solutions recorded in {seconds:.0f} s", flush=True)
    return solutions


def brief_solutions(memory: Memory, text: str, *, budget: int) -> list[str]:
    brief = memory.experience.brief(text, repo=REPO, budget=budget)
    return [item.record_id or "" for item in brief.of("solution")]


def plain_search(memory: Memory, text: str, *, kinds: Sequence[str]) -> list[str]:
    where = {"kind": kinds} if kinds else None
    return [str(hit.frame.id) for hit in memory.search(text, space=REPO, where=where, limit=FIRST)]


def measure(memory: Memory, title: str, tasks: Sequence[Task], solutions: dict[str, str]) -> None:
    frames = {
        name: str(memory.experience.get(solution, repo=REPO).frame_id) for name, solution in solutions.items()
    }
    ways: dict[str, tuple[Callable[[str], list[str]], dict[str, str]]] = {
        "brief, budget 2000": (lambda text: brief_solutions(memory, text, budget=2000), solutions),
        "brief, budget 800": (lambda text: brief_solutions(memory, text, budget=800), solutions),
        "plain search, solutions only": (
            lambda text: plain_search(memory, text, kinds=["solution"]),
            frames,
        ),
        "plain search, all frames": (lambda text: plain_search(memory, text, kinds=[]), frames),
    }
    print(f"\n{title}: the right solution among the first {FIRST}, of {len(tasks)}")
    for way, (ask, names) in ways.items():
        answered = sum(names[task.name] in ask(task.text)[:FIRST] for task in tasks)
        print(f"  {way:32} {answered:5}  {answered / len(tasks):.3f}", flush=True)


def retrieval(problems: int) -> int:
    if not available("cosqa"):
        print("skipped: ../shared/data/cosqa is not beside the project", file=sys.stderr)
        return 1
    data = load("cosqa")
    pairs = pairs_of(data, problems)
    by_name = {pair.name: pair for pair in pairs}
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "cosqa.mind") as memory:
        solutions = record(memory, pairs)
        tasks = [Task(query.text, name) for query in data.queries for name in query.gold if name in by_name]
        measure(memory, "What people typed (paraphrases)", tasks, solutions)
        halves = [
            Task(" ".join(words[: (len(words) + 1) // 2]), pair.name)
            for pair in pairs
            if len(words := pair.problem.split()) >= 6
        ]
        measure(memory, "Half of the problem's words", halves[:500], solutions)
        silence(memory, "What people typed", [task.text for task in tasks[:200]])
        if available("scifact"):
            claims = [query.text for query in load("scifact").queries[:200]]
            silence(memory, "Claims of medicine, of which nothing is recorded", claims)
    return 0


def silence(memory: Memory, title: str, texts: Sequence[str]) -> None:
    """How often a brief says that it knows no similar problem."""
    silent = sum(not memory.experience.brief(text, repo=REPO).of("problem") for text in texts)
    print(f"\n{title}: no similar problem in {silent} of {len(texts)} briefs", flush=True)


def latency(records: int) -> int:
    """Fill a store with problems, attempts, facts, changes and votes, and time briefs on it."""
    texts = list(synthetic.texts(records, seed=6))
    chance = random.Random(3)
    queries = [" ".join(chance.sample(words, min(8, len(words)))) for words in map(str.split, texts[::97])]
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "many.mind", embedder=None) as memory,
    ):
        fill(memory, texts)
        memory.experience.brief(queries[0], repo=REPO)
        report(memory, queries[:200], records)
    return 0


def fill(memory: Memory, texts: Sequence[str]) -> None:
    experience = memory.experience
    records: dict[str, list[Any]] = {}
    done = 0
    for kind, share in SHARES.items():
        items = []
        for number, text in enumerate(texts[done : done + int(len(texts) * share)]):
            item: dict[str, Any] = {"kind": kind, "text": text, "evidence": [f"commit:{number:07x}"]}
            if kind in ("solution", "failed_tactic"):
                item["problem"] = records["problem"][number % len(records["problem"])]
            items.append(item)
        records[kind] = list(experience.record_many(items, repo=REPO))
        done += len(items)
    for number, change in enumerate(records["change"]):
        experience.update_fact(records["fact"][2 * number], change, records["fact"][2 * number + 1])
    for number, solution in enumerate(records["solution"][: len(texts) // 20]):
        experience.vote(solution, records["problem"][number], 1 if number % 3 else -1)


def report(memory: Memory, queries: Sequence[str], records: int) -> None:
    walls, loads = [], []
    for text in queries:
        wall, load = time.perf_counter(), time.process_time()
        memory.experience.brief(text, repo=REPO)
        walls.append((time.perf_counter() - wall) * 1000)
        loads.append((time.process_time() - load) * 1000)
    walls.sort()
    p95 = walls[int(0.95 * len(walls))]
    print(
        f"brief over {records:,} records, without embedding: p50 {statistics.median(walls):.1f} ms, ", end=""
    )
    print(f"p95 {p95:.1f} ms; processor time p50 {statistics.median(loads):.1f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="all", choices=("all", "retrieval", "latency"))
    parser.add_argument("--problems", type=int, default=1500, help="how many problems to record")
    parser.add_argument("--records", type=int, default=20_000, help="how many records to time briefs over")
    options = parser.parse_args()
    status = 0
    if options.what in ("all", "latency"):
        status |= latency(options.records)
    if options.what in ("all", "retrieval"):
        status |= retrieval(options.problems)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
