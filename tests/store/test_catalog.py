"""The catalog in memory: the same, however many frames are read at a time and whenever they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from longmind import FrozenClock, Memory
from longmind.base.filters import View, Where
from longmind.base.names import ALL
from longmind.base.times import AsOf
from longmind.store.catalog import Catalog, CatalogView
from longmind.store.follower import Mirrors
from longmind.store.visible import visible
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


CONDITIONS: list[dict[str, Any]] = [
    {"kind": "text"},
    {"session": ["talk 1", "talk 4"], "role": "user"},
    {"speaker": "Ben Ode"},
    {"speaker": "Nobody"},
    {"uri": "long.md"},
    {"uri": ["long.md", "other.md"], "source": "user"},
    {"tags": ["red"]},
    {"any_tags": ["red", "blue"], "role": "assistant"},
    {"metadata": {"number": {"gte": 3, "lt": 30}}, "since": START + 10},
    {"since": START + 20, "until": START + 40},
    {"ids": [1, 5, 9, 4_000_000]},
    {"ids": []},
    {"session": []},
    {"parent": 62},
    {"parent": [62, 3]},
]


@pytest.mark.parametrize("where", CONDITIONS, ids=str)
def test_a_filter_in_memory_shows_what_it_shows_in_sql(filled: Memory, where: dict[str, Any]) -> None:
    for view in (View(("default",)), View(ALL), View(("default",), AsOf.at(START + 30))):
        clause = visible(view, Where.of(where))
        with filled.store.read() as snapshot:
            rows = snapshot.db.all(f"SELECT f.frame_id FROM frame f WHERE {clause.sql}", clause.values)
            mask = Catalog(Mirrors()).at(snapshot).visible(view, Where.of(where))
        assert np.flatnonzero(mask).tolist() == sorted(frame_id for (frame_id,) in rows)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("filters") / "a.mind"
    with Memory.open(path, embedder=None, clock=FrozenClock(START)) as memory:
        fill(memory, 0, 61)
        memory.ingest(text="# One\n\nText.\n\n# Two\n\nMore text.\n" * 40, uri="long.md", tags=["red"])
        for number in range(1, 60, 4):
            memory.update(number, tags=["red", "blue"][: number % 3], metadata={"number": number})
        memory.forget(7)
        yield memory
