"""A store with something of everything, for those who throw things at it."""

from __future__ import annotations

from typing import Any

from longmind import Memory
from longmind.operations import registry


def fill(memory: Memory) -> None:
    """Rows in every table that an operation may look into, under the names that examples use."""
    memory.remember("Ana prefers trains to planes.", title="Travel", tags=["travel"], session="s1")
    memory.remember("The build takes four minutes.", metadata={"team": "core"})
    memory.ingest(text="# Notes\n\nOne.\n\nTwo.\n", uri="notes.md")
    memory.remember("Globex's password is hunter2. Ana Lima's pin is 4711.", speaker="Greg")
    memory.facts.record("ana", "lives_in", "Porto")
    memory.facts.record("ana", "likes", "trains")
    memory.conversation("s1").add_turn("user", "I like trains, and my name is Ana.")
    memory.memories.remember("Ana prefers trains to planes.")
    experience = memory.experience
    problem = experience.problem("The import fails on Windows.", evidence="none", repo="shop")
    experience.solution("Use pathlib.", problem=problem.id, evidence="none", repo="shop")
    experience.fact("Workers are forked.", evidence="none", repo="shop")
    project = memory.space("runtime")
    project.remember_structured(
        {
            "path": "app/runtime/release_checklist",
            "kind": "decision",
            "raw": "Ship when green.",
            "tags": ["a"],
        }
    )
    project.set_policy({"ttl_days": 30, "pii_redaction": ["emails", r"EMP-\d{6}"], "allow_delete": True})


def examples() -> list[tuple[Any, dict[str, Any]]]:
    """Every operation with arguments that it takes, or nearly."""
    return [(operation, dict(operation.example)) for operation in registry.operations()]


def asked(operation: Any, example: dict[str, Any], rng: Any, mutate: Any) -> dict[str, Any]:
    """The example with some of the other arguments filled in, one of them with anything."""
    inputs = dict(example)
    names = [item.name for item in operation.parameters]
    for name in rng.sample(names, min(len(names), rng.randrange(3))):
        inputs.setdefault(name, _plausible(name, rng))
    return mutate(rng, inputs) if inputs and rng.random() < 0.9 else inputs


def _plausible(name: str, rng: Any) -> Any:
    return rng.choice(_PLAUSIBLE.get(name, [None, True, 3, "x", ["x"], {"a": 1}]))


_PLAUSIBLE: dict[str, list[Any]] = {
    "space": ["default", ["default"], ["*"], "runtime", "shop"],
    "repo": ["shop"],
    "user": ["ana", None],
    "as_of": ["2024-01-01", 1_700_000_000_000, "yesterday"],
    "where": [{"session": "s1"}, {"metadata": {"team": {"gt": 1}}}, {"near": "52,13,10"}, {"ids": [1, 2]}],
    "evidence": [[1], ["frame:1"], [{"frame": 1, "start": 0, "end": 3}], ["none"]],
    "limit": [1, 20],
    "lanes": [["text"], ["text", "facts"]],
    "cursor": ["", "1", "eyJhIjoxfQ"],
    "certificate": ['{"frames": [], "hashes": [], "key": "00"}'],
    "receipt": ['{"request": {"spaces": ["default"]}}'],
    "head": ['{"entries": 1}'],
    "text": ['{"space": "runtime", "objects": [{"path": "a", "raw": "b"}]}', "some text"],
}
