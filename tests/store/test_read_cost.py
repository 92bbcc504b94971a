"""A read costs what it shows, however large the store around it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from longmind import AsOf, Memory
from longmind.inspect.inspector import OPERATIONS
from tests.store.costs import pages_read
from tests.store.opening import open_memory

FRAMES = 200
_INSPECT: Mapping[str, Callable[..., Any]] = {operation.name: operation for operation in OPERATIONS}


def now(memory: Memory) -> AsOf:
    """As every interface but Python asks."""
    return AsOf(system=AsOf.LATEST.system, valid=memory.store.present())


READS: dict[str, tuple[Callable[[Memory], Any], int]] = {
    "search": (lambda memory: memory.search("zeppelin", limit=10).hits, 10),
    "search now": (lambda memory: memory.search("zeppelin", as_of=now(memory)).hits, 10),
    "list": (lambda memory: memory.list(limit=10), 10),
    "later page": (lambda memory: memory.list(limit=10, cursor="200"), 10),
    "recall": (lambda memory: memory.recall("zeppelin", budget=300).items, 1),
    "conversation": (lambda memory: memory.conversation("talk").window(limit=8, as_of=now(memory)), 8),
    "experience": (lambda memory: memory.experience.list(limit=10).records, 3),
    "frames": (lambda memory: _INSPECT["inspect.frames"](memory, limit=10).frames, 10),
    "frames of a kind": (lambda memory: _INSPECT["inspect.frames"](memory, kinds=["mail"]).frames, 1),
    "conversations": (lambda memory: _INSPECT["inspect.sessions"](memory).sessions, 1),
}
"""Each with the least number of things that it shows."""


def costs(path: Path, frames: int) -> dict[str, int]:
    with open_memory(path) as memory:
        memory.remember("The first of all.", kind="mail")
        memory.remember_many([f"The zeppelin {number} has landed." for number in range(20)])
        for number in range(3):
            memory.experience.problem(f"The export fails with error {number}.", evidence="none")
        talk = memory.conversation("talk")
        for number in range(8):
            talk.add_turn("user", f"Thing {number} is done.")
        memory.remember_many([f"Some note, number {number}." for number in range(frames)])
        pages = {}
        for name, (read, least) in READS.items():
            read(memory)  # what is kept in memory is loaded now
            before = pages_read()
            assert len(read(memory)) >= least, name
            pages[name] = pages_read() - before
    return pages


def test_a_read_costs_the_same_in_a_store_eight_times_as_large(tmp_path: Path) -> None:
    small, large = (costs(tmp_path / f"{frames}.mind", frames) for frames in (FRAMES, 8 * FRAMES))
    # Some more for trees that are a level deeper.
    assert {name: (small[name], large[name]) for name in READS if large[name] > small[name] + 5} == {}
