"""What is done to much at once costs in proportion to it: counted in pages that SQLite reads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from longmind import Memory
from longmind.ingest import pipeline
from longmind.store.drafts import chunked, draft
from tests.store.costs import pages_read
from tests.store.opening import open_memory

CHUNK = 1_000
CHUNKS = 200

_numbers = count()


def document(memory: Memory, chunks: int) -> int:
    """Every chunk says the same words: what is counted is the reading of texts, not of the index."""
    text = ("some words about the weather in the north, " * 30)[:CHUNK] * chunks + f"{next(_numbers)}"
    whole = draft(text, space="default", kind="document")
    ranges = [(start, min(start + CHUNK, len(text)), None) for start in range(0, len(text), CHUNK)]
    return pipeline.remember(memory.store, [chunked(whole, ranges)]).id


ACTS: dict[str, Callable[[Memory, int], object]] = {
    "verify": lambda memory, frame_id: memory.verify(deep=True),
    "reindex": lambda memory, frame_id: memory.reindex(),
    "update": lambda memory, frame_id: memory.update(frame_id, tags=["new"]),
    "forget": lambda memory, frame_id: memory.forget(frame_id),
    "erase": lambda memory, frame_id: memory.erase(where={"kind": "document"}),
}


def costs(path: Path, chunks: int) -> dict[str, int]:
    """Pages read for each act, in this order."""
    pages = {}
    with open_memory(path, surrogates=True) as memory:
        frame_id = document(memory, chunks)
        for name, act in ACTS.items():
            if name == "erase":
                document(memory, chunks)  # the first one is forgotten, and no filter finds it
            before = pages_read()
            act(memory, frame_id)
            pages[name] = pages_read() - before
        assert not memory.list(where={"kind": "document"})
    return pages


def test_four_times_as_many_chunks_cost_about_four_times_as_much(tmp_path: Path) -> None:
    """Trees that are one level deeper add some; what grows with the square would cost sixteen times."""
    once, four_times = (costs(tmp_path / f"{chunks}.mind", chunks) for chunks in (CHUNKS, 4 * CHUNKS))
    ratios = {name: four_times[name] / once[name] for name in ACTS}
    assert max(ratios.values()) < 8, ratios


def turns(memory: Memory, number: int) -> None:
    talk = memory.conversation("talk")
    for turn in range(number):
        talk.add_turn("user", f"I like thing{turn} and the weather of town{turn % 7}.")


def objects(memory: Memory, number: int) -> None:
    project = memory.space("project")
    project.set_policy({"allow_delete": True})
    for item in range(number):
        project.remember_raw("note", f"Object {item}: copper lantern {item % 11}", path_hint=f"a/o{item}")


def notes(memory: Memory, number: int) -> None:
    memory.remember_many([f"Note {item} about harbour {item % 13}." for item in range(number)], user="ana")


ERASURES: dict[str, tuple[Callable[[Memory, int], None], Callable[[Memory], object]]] = {
    "conversation": (turns, lambda memory: memory.erase(where={"session": "talk"})),
    "space": (objects, lambda memory: memory.spaces.delete("project")),
    "person": (notes, lambda memory: memory.erase(user="ana")),
}


@pytest.mark.parametrize("name", ERASURES)
def test_erasing_four_times_as_much_costs_about_four_times_as_much(tmp_path: Path, name: str) -> None:
    fill, erase = ERASURES[name]
    pages = []
    for number in (40, 160):
        with open_memory(tmp_path / f"{number}.mind", extractor="auto") as memory:
            fill(memory, number)
            before = pages_read()
            erase(memory)
            pages.append(pages_read() - before)
            assert memory.stats().frames == 0
    assert pages[1] < 7 * pages[0]
