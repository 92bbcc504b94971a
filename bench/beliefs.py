"""What the memory holds after the stories of ../shared/data/beliefs, by pattern, before and now."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

from longmind import Memory
from longmind.llm.protocol import LanguageModel, Prompt, Reply

DATA = Path(__file__).resolve().parents[1] / "../shared/data/beliefs"
LEAST_HELD, MOST_FALSE = 0.70, 0.03

BEFORE: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {
    "plain": ((3, 13), (0, 4)),
    "correction": ((2, 12), (1, 12)),
    "change": ((2, 12), (1, 12)),
    "ending": ((2, 8), (1, 10)),
    "negation": ((3, 10), (1, 11)),
    "dated": ((3, 20), (0, 20)),
    "out of order": ((4, 18), (0, 17)),
    "restated": ((3, 14), (0, 12)),
    "several in one sentence": ((3, 25), (1, 18)),
    "third person": ((1, 16), (0, 11)),
    "same person under two names": ((3, 15), (1, 5)),
    "two users in one store": ((2, 18), (0, 17)),
    "documents and mails": ((5, 15), (2, 14)),
    "fiction and not meant": ((0, 0), (0, 17)),
    "instructions for the assistant": ((0, 9), (0, 7)),
    "plans and dated events": ((2, 12), (0, 6)),
    "project facts": ((0, 16), (0, 11)),
    "numbers and identifiers": ((3, 17), (0, 7)),
    "long turns": ((0, 12), (0, 11)),
    "informal": ((0, 12), (0, 7)),
    "all": ((41, 274), (8, 229)),
}
"""Held and false, each of how many, by format 10: rules for single verbs, and no grammar of clauses."""


def load_scorer(folder: Path) -> ModuleType:
    """The scorer that lies beside the stories; it is not part of this repository."""
    spec = importlib.util.spec_from_file_location("beliefs_score", folder / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ToldModel:
    """A language model by script: it names what a story's probes ask for where a turn says it.

    It shows what the modes make of a model that reads well, not how well any model reads. What a later turn
    replaces it archives, as the prompt asks. It never sees documents, so it says nothing about them.
    """

    provider = "scripted"
    model = "told"

    def __init__(self, scorer: ModuleType, case: dict[str, Any]) -> None:
        self._has = scorer.has
        self._probes = [probe for probe in case["probes"] if probe["holds"] and not probe.get("as_of")]
        self._turns = [event["text"] for event in case["events"] if event.get("role") == "user"]
        self._outdated: dict[int, list[str]] = {}
        """By probe, what was told of the same thing before it changed."""

    def complete(self, prompt: Prompt) -> Reply:
        message = json.loads(prompt.user)["message"]
        later = self._turns[self._turns.index(message) + 1 :] if message in self._turns else []
        items: list[dict[str, Any]] = []
        for number, probe in enumerate(self._probes):
            values = [value for value in probe["holds"] if self._has(value, message)]
            if values:
                over = self._outdated.pop(number, [])
                items += [{"content": content, "action": "archive"} for content in over]
            elif any(self._has(value, text) for value in probe["holds"] for text in later):
                # It was so until a later turn says otherwise.
                values = [value for value in probe["not"] if self._has(value, message)]
                told = [self._content(probe, value, message) for value in values]
                self._outdated.setdefault(number, []).extend(told)
            contents = [self._content(probe, value, message) for value in values]
            items += [{"content": content, "importance": 1, "tags": ["told"]} for content in contents]
        return Reply(json.dumps(items))

    def _content(self, probe: dict[str, Any], value: str, message: str) -> str:
        wording = next(part for part in value.split("|") if self._has(part, message))
        whose = "User's" if probe["about"] == "user" else f"{probe['about']}'s"
        return f"{whose} {probe['topic']} is {wording}"


class OpenedWith:
    """`Memory` for the scorer: every store is opened with the model of its story, in one mode."""

    def __init__(self, model: LanguageModel, mode: str) -> None:
        self._model, self._mode = model, mode

    def open(self, location: str, **options: Any) -> Memory:
        memory = Memory.open(location, llm=self._model, **options)
        memory.memories.configure({"extractor.mode": self._mode})
        return memory


def measure(scorer: ModuleType, cases: Path, mode: str = "heuristic") -> dict[str, Counter[str]]:
    """By pattern: how many probes there are, and how many were met."""
    options = argparse.Namespace(embedder="none", users="space", now=False, control=False)
    rows: dict[str, Counter[str]] = {}
    for line in cases.read_text(encoding="utf-8").splitlines():
        case: dict[str, Any] = json.loads(line)
        scorer.Memory = Memory if mode == "heuristic" else OpenedWith(ToldModel(scorer, case), mode)
        store = scorer.Store(case, options)
        row = rows.setdefault(case["pattern"], Counter())
        for probe in case["probes"]:
            got = store.probe(probe)
            row["probes"] += 1
            if probe["holds"]:
                row["holds"] += 1
                row["held"] += not got["missing"]
                row["recalled"] += not got["unrecalled"]
            if probe["not"]:
                row["nots"] += 1
                row["false"] += bool(got["stale"])
        store.close()
    return rows


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "   -"


def show(rows: dict[str, Counter[str]]) -> None:
    print(f"{'pattern':32}{'held':>12}{'before':>8}{'false':>12}{'before':>8}{'recalled':>10}")
    for name, row in [*rows.items(), ("all", sum(rows.values(), Counter()))]:
        before = BEFORE.get(name)
        held, false = ("-", "-") if before is None else (_share(*before[0]), _share(*before[1]))
        print(
            f"{name:32}{_share(row['held'], row['holds']):>5} of {row['holds']:3}{held:>8}"
            f"{_share(row['false'], row['nots']):>5} of {row['nots']:3}{false:>8}"
            f"{_share(row['recalled'], row['holds']):>10}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, help="another file of stories in the same form")
    parser.add_argument(
        "--model",
        choices=("llm", "hybrid", "both"),
        help="also read with a scripted language model: alone, beside the rules, or in both ways",
    )
    options = parser.parse_args()
    cases = options.cases or DATA / "cases.jsonl"
    if not (DATA / "score.py").is_file() or not cases.is_file():
        print(
            f"Skipped: {DATA} has no score.py, or {cases} is not there. The stories come apart from the code."
        )
        return 0
    started = time.perf_counter()
    rows = measure(load_scorer(DATA), cases)
    show(rows)
    total = sum(rows.values(), Counter())
    print(f"{total['probes']} probes in {time.perf_counter() - started:.0f} s")
    for mode in ("llm", "hybrid") if options.model == "both" else (options.model,) if options.model else ():
        print(f"\nWith a scripted model, {mode}:")
        show(measure(load_scorer(DATA), cases, mode))
    held, false = total["held"] / max(1, total["holds"]), total["false"] / max(1, total["nots"])
    return 0 if held >= LEAST_HELD and false < MOST_FALSE else 1


if __name__ == "__main__":
    sys.exit(main())
