"""Loads the facts of ../shared/data/yago11k, asks its questions "as of a year", prints rates and recall."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from longmind.base.times import AsOf
from longmind.facts.ledger import Ledger
from longmind.facts.values import Assertion, Entity
from longmind.store.store import open_store

DATA = Path(__file__).resolve().parents[1] / "../shared/data/yago11k"


def year_ms(year: int) -> int:
    """The first instant of a year of the proleptic calendar, year 0 and earlier included."""
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 - 719_162
    return days * 86_400_000


def load(name: str, limit: int | None = None) -> list[dict[str, Any]]:
    with (DATA / name).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return rows[:limit]


def assertion(row: dict[str, Any]) -> Assertion:
    """Years are inclusive in the data: a fact that ends in 2006 is so until 2007 begins."""
    end = None if row["valid_to"] is None else year_ms(row["valid_to"] + 1)
    return Assertion(row["subject"], row["predicate"], Entity(row["object"]), year_ms(row["valid_from"]), end)


def middle_of(year: int) -> AsOf:
    return AsOf(system=AsOf.LATEST.system, valid=year_ms(year) + 182 * 86_400_000)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", help="path or postgresql:// URL; default: a temporary file")
    options = parser.parse_args(arguments)
    if not DATA.is_dir():
        print(f"{DATA} is not there.", file=sys.stderr)
        return 1
    facts, questions = load("facts.jsonl"), load("asof_queries.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(options.store or str(Path(folder) / "yago.mind"))
        try:
            return measure(Ledger(store, "yago"), facts, questions)
        finally:
            store.close()


def measure(ledger: Ledger, facts: list[dict[str, Any]], questions: list[dict[str, Any]]) -> int:
    started, spent = time.perf_counter(), time.process_time()
    report = ledger.record_many([assertion(row) for row in facts])
    seconds, spent = time.perf_counter() - started, time.process_time() - spent
    rate, ideal = len(report) / seconds, len(report) / spent
    print(
        f"{len(report)} facts recorded in {seconds:.2f} s: {rate:,.0f} facts/s ({ideal:,.0f} per CPU second)"
    )
    ids = {row["id"]: result.fact_id for row, result in zip(facts, report.results, strict=True)}
    times: list[float] = []
    found = gold = distractors = wrong = 0
    for question in questions:
        as_of = middle_of(question["as_of"])
        started = time.perf_counter()
        result = ledger.about(question["subject"], predicate=question["predicate"], as_of=as_of)
        times.append((time.perf_counter() - started) * 1000)
        got = {hit.fact_id for hit in result}
        gold += len(question["gold"])
        found += sum(ids[name] in got for name in question["gold"])
        distractors += len(question["distractors"])
        wrong += sum(ids[name] in got for name in question["distractors"])
    times.sort()
    print(f"{len(questions)} questions: {found} of {gold} gold facts, {wrong} of {distractors} distractors")
    p95 = times[int(len(times) * 0.95)]
    print(f"question p50 {statistics.median(times):.3f} ms, p95 {p95:.3f} ms, slowest {times[-1]:.3f} ms")
    return 0 if found == gold and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
