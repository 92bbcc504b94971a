"""The same answers before and after a change: over 500 searches, recalls, briefs and space recalls.

    python -m bench.answers --save before.json      on the code before
    python -m bench.answers --compare before.json   on the code after; lists every answer that differs

The store is made of the public sets beside the project and of synthetic records, under a frozen clock and
with the hash embedder, so that two runs of the same code agree to the byte on any machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from bench import synthetic
from bench.datasets import Dataset, available, load
from longmind import AsOf, FrozenClock, Memory

START = 1_700_000_000_000
DOCUMENTS = 700
QUESTIONS = {"locomo": 60, "longmemeval": 40, "scifact": 50, "cosqa": 50}
_RANDOM = re.compile(r"</?(?:longmind|longmind)[^>]*>|\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b")
PHRASES = (
    "what happened last week",
    "the newest note",
    '"exact phrase" beside words',
    "who is Ana",
    "where does Ana live",
    "ERR_42 in src/a_b.py",
    "what did we decide in March 2023",
    "東京",
    "quantum chromodynamics",
    "the",
)


def build(memory: Memory, clock: FrozenClock) -> list[Dataset]:
    """Everything a store can hold, a little of each."""
    sets = [load(name) for name in QUESTIONS if available(name)]
    for data in sets:
        gold_names = {name for query in data.queries[: QUESTIONS[data.name]] for name in query.gold}
        chosen = sorted(data.documents, key=lambda document: document.id not in gold_names)[:DOCUMENTS]
        memory.remember_many([{**document.item(), "space": data.name} for document in chosen])
        clock.advance(seconds=1)
    memory.remember_many(list(synthetic.items(500)), space="synthetic")
    people = ("Ana", "Ben", "Chloé", "Dmitri")
    towns = ("Porto", "Lisbon", "Berlin", "Kyoto", "Oslo")
    talk = memory.conversation("talk", space="people")
    for number in range(60):
        clock.advance(seconds=3600)
        person, town = people[number % 4], towns[number * 7 % 5]
        memory.remember(f"{person} moved to {town}. {person} works at Company{number % 9}.", space="people")
        talk.add_turn("user", f"My name is Sam. I live in {town} and I like tea number {number % 6}.")
        talk.add_turn("assistant", f"Noted: {town}, and ERR_{number} in src/a_b.py is about {person}.")
    texts = list(islice(synthetic.texts(240, seed=3), 240))
    for number, text in enumerate(texts[:120]):
        clock.advance(seconds=60)
        problem = memory.experience.problem(text, evidence="none")
        kind = memory.experience.solution if number % 3 else memory.experience.failed_tactic
        kind(texts[number + 120], problem=problem.id, evidence="none")
        if number % 5 == 0:
            memory.experience.fact(f"Setting {number} is {text.split()[0]}.", evidence="none")
    space = memory.space("project")
    for number, text in enumerate(texts):
        clock.advance(seconds=1)
        space.remember_structured(
            {
                "path": f"docs/part{number % 8}/page{number}",
                "kind": ("guide", "config", "decision", "log")[number % 4],
                "raw": text,
                "tags": [text.split()[0], "kept" if number % 9 == 0 else "other"],
                "pinned": number % 60 == 0,
            }
        )
    return sets


def questions(memory: Memory, sets: list[Dataset]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every question by a name that stays, with the call that answers it."""
    for data in sets:
        for query in data.queries[: QUESTIONS[data.name]]:
            where = {"space": data.name, "reference": query.asked_at}
            yield f"search {query.id}", lambda q=query, w=where: memory.search(q.text, limit=10, **w)
            yield f"recall {query.id}", lambda q=query, w=where: memory.recall(q.text, budget=700, **w)
    reference = datetime(2023, 12, 1, tzinfo=UTC)
    for space in ("people", "synthetic", "locomo", "scifact"):
        for text in PHRASES:
            for options in ({"mode": "text"}, {"mode": "vector"}, {"fusion": "rrf"}, {"times": "filter"}):
                name = f"search {space} {text} {json.dumps(options)}"
                yield (
                    name,
                    lambda t=text, s=space, o=options: memory.search(t, space=s, reference=reference, **o),
                )
    for text in synthetic.questions(40, among=500):
        yield f"synthetic {text}", lambda t=text: memory.search(t, space="synthetic")
        yield f"brief {text}", lambda t=text: memory.experience.brief(t)
        yield f"space {text}", lambda t=text: memory.space("project").recall_context(t)
        yield f"use {text}", lambda t=text: memory.space("project").use_context(t)
        yield f"context {text}", lambda t=text: memory.conversation("talk", space="people").context(query=t)
    for person in ("ana", "ben", "chloé", "dmitri", "user"):
        yield f"about {person}", lambda p=person: memory.facts.about(p, space="people")
        past = AsOf.at(START + 40 * 3_600_000)
        yield f"past {person}", lambda p=person, t=past: memory.facts.about(p, space="people", as_of=t)
        yield f"history {person}", lambda p=person: memory.facts.history(p, space="people")


def outline(answer: Any) -> Any:
    """What of an answer must not change; ids that are random in every store, and marks made of them, may."""
    if hasattr(answer, "hits"):
        return [[hit.frame.content_hash[:12], round(hit.score, 6)] for hit in answer.hits]
    if hasattr(answer, "objects"):
        return [item.path for item in answer.objects]
    if hasattr(answer, "short_term"):
        return [frame.text for frame in answer.short_term] + [item.content for item in answer.mid_term]
    if isinstance(answer, Sequence):
        return [
            [str(hit.fact), hit.valid_from, hit.valid_to, hit.system_from, hit.system_to] for hit in answer
        ]
    return _hashed(_RANDOM.sub("#", answer.text))


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def answers() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        clock = FrozenClock(START)
        with Memory.open(Path(folder) / "answers.mind", clock=clock, embedder="hash") as memory:
            sets = build(memory, clock)
            return {name: outline(ask()) for name, ask in questions(memory, sets)}


def compare(before: dict[str, Any], after: dict[str, Any]) -> int:
    unlike = [name for name in before if name in after and before[name] != after[name]]
    only = set(before) ^ set(after)
    for name in unlike[:40]:
        print(f"differs: {name}\n  before {before[name]}\n  after  {after[name]}")
    kinds = Counter(name.split()[0] for name in after)
    print(f"{len(after)} answers ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})")
    print(f"{len(unlike)} differ, {len(only)} asked only once")
    return 1 if unlike or only else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--save", type=Path, help="write the answers here")
    parser.add_argument("--compare", type=Path, help="compare with the answers written there")
    arguments = parser.parse_args()
    after = answers()
    if arguments.save:
        arguments.save.write_text(json.dumps(after, ensure_ascii=False, indent=0) + "\n", "utf-8")
        print(f"wrote {len(after)} answers")
    if arguments.compare:
        return compare(json.loads(arguments.compare.read_text("utf-8")), after)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
