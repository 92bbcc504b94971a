"""The store that `bench inspect` looks at: as many frames as asked for, and something for every view."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from bench.synthetic import items, texts
from longmind import Entity, Memory

_BATCH = 5000
_PEOPLE = 400
_EDGES = 5000
_MEMORIES = 200
_RECORDS = 1000
_OBJECTS = 500
_PREDICATES = ("knows", "works_with", "likes")
_QUESTIONS = 5


def fill(path: Path, frames: int) -> None:
    """Turns with vectors, facts that link people, memories, records of experience, objects of a space."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    for leftover in path.parent.glob(f"{partial.name}*"):
        leftover.unlink()
    notes = items(frames)
    with Memory.open(partial, embedder="hash", extractor=None, surrogates=False) as memory:
        while batch := list(islice(notes, _BATCH)):
            memory.remember_many([item | {"kind": "turn"} for item in batch])
        _add_facts(memory)
        _add_work(memory)
    with Memory.open(partial, embedder="hash", surrogates=False) as memory:
        _add_memories(memory)
        memory.maintain()
    partial.rename(path)


def _add_facts(memory: Memory) -> None:
    """Links, and homes that changed: what a diff and a history have to show."""
    memory.facts.define_predicate("lives_in", cardinality="one")
    memory.facts.record_many(
        {
            "subject": f"person {index % _PEOPLE}",
            "predicate": _PREDICATES[index % 3],
            "value": Entity(f"person {(index * 7 + index // _PEOPLE) % _PEOPLE}"),
        }
        for index in range(_EDGES)
    )
    for year in (2019, 2021, 2023, 2025):
        memory.facts.record_many(
            {
                "subject": f"person {person}",
                "predicate": "lives_in",
                "value": f"Town {(person + year) % 90}",
                "valid_from": f"{year}-03-01",
            }
            for person in range(0, _PEOPLE, 2)
        )


def _add_work(memory: Memory) -> None:
    kinds = ("problem", "solution", "failed_tactic", "fact", "preference")
    memory.experience.record_many(
        {"kind": kinds[number % len(kinds)], "text": text, "evidence": "none"}
        for number, text in enumerate(texts(_RECORDS, seed=3))
    )
    space = memory.space("default")
    for number, text in enumerate(texts(_OBJECTS, seed=4)):
        space.remember_structured(
            {
                "path": f"project/area_{number % 20}/item_{number}",
                "kind": "note",
                "raw": text,
                "pinned": number < 5,
            }
        )
    for query in texts(_QUESTIONS, seed=0):
        memory.golden.add(" ".join(query.split()[:8]), texts=[query.split()[0]])


def _add_memories(memory: Memory) -> None:
    for number in range(_MEMORIES // 10):
        talk = memory.conversation(f"tastes {number}")
        talk.add_turns([("user", f"I like hiking in region {number * 10 + index}.") for index in range(10)])
