"""The catalog in memory: the same, however many frames are read at a time and whenever they came."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from longmind import FrozenClock, Memory
from longmind.store.catalog import Catalog, CatalogView
from longmind.store.follower import Mirrors
from tests.conftest import START


def fill(memory: Memory, first: int, count: int) -> None:
    memory.remember_many(
        {
            "text": f"note {number}",
            "session": None if number % 7 == 0 else f"talk {number % 5}",
            "role": ("user", "assistant", None)[number % 3],
            "speaker": ("Ana", "Ben Ode", None)[number % 3],
            "space": ("default", "other")[number % 2],
            "occurred_at": START + (number * 37) % 50,  # sessions are written out of order
        }
        for number in range(first, first + count)
    )


def view(catalog: Catalog, memory: Memory) -> CatalogView:
    with memory.store.read() as snapshot:
        return catalog.at(snapshot)


def test_frames_read_in_parts_are_as_those_read_at_once(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(location, embedder=None, clock=FrozenClock(START)) as memory:
        fill(memory, 0, 61)
        memory.ingest(text="# One\n\nText.\n\n# Two\n\nMore text.\n" * 40, uri="long.md")
        memory.forget(memory.list(limit=1).frames[0].id)
        whole = Catalog(Mirrors())
        at_once = view(whole, memory)
        monkeypatch.setattr("longmind.store.catalog._PART", 7)
        parts = view(Catalog(Mirrors()), memory)
        assert differing(at_once, parts) == []
        fill(memory, 61, 30)
        assert differing(view(whole, memory), view(Catalog(Mirrors()), memory)) == []


def differing(one: CatalogView, other: CatalogView) -> list[str]:
    """The columns that say something else; which number a session got is no matter."""
    found = []
    for name in (column.name for column in fields(one.columns)):
        mine, theirs = getattr(one.columns, name), getattr(other.columns, name)
        if name == "talk":
            mine, theirs = renumbered(mine), renumbered(theirs)
        if not np.array_equal(mine, theirs):
            found.append(name)
    return found


def renumbered(values: np.ndarray) -> np.ndarray:
    """By first appearance, -1 staying what it is."""
    numbers = {value: place for place, value in enumerate(dict.fromkeys(values[values >= 0].tolist()))}
    return np.array([numbers.get(value, -1) for value in values.tolist()])
