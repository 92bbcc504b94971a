"""What rules of visibility hide is told by no read but the space's own, and goes when it is erased."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory, NotFound
from longmind.hooks.local import Local

HIDDEN = {"path": "private/salaries", "kind": "secret", "raw": "Zorblax earns ninety. Ana lives in Porto."}
LONG = {"path": "private/long", "kind": "note", "raw": "Zorblax is long. " * 2000, "tags": ["internal"]}
SHOWN = {"path": "public/readme", "kind": "note", "raw": "Zorblax greets everybody."}
POLICY = {"visibility": [{"kinds": ["secret"]}, {"tags": ["internal"]}, {"paths": ["drafts/*"]}]}


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(location, clock=clock, embedder="hash:64", space="s") as opened:
        yield opened


def told(memory: Memory) -> set[str]:
    """What the reads of the space's frames tell, and that they agree with each other."""
    listed = {frame.text for frame in memory.list(limit=1000).frames if frame.kind != "chunk"}
    assert {frame.text for frame in memory.timeline(limit=1000).frames} <= {
        frame.text for frame in memory.list(limit=1000).frames
    }
    found = memory.search("zorblax", limit=100)
    for hit in found:
        memory.get(hit.frame.id)
    for lanes in (["text"], ["vector"], ["timeline"]):
        memory.search("latest zorblax", lanes=lanes, limit=100)
    return {text[:40] for text in listed}


def texts(*objects: dict[str, object]) -> set[str]:
    return {str(item["raw"]).strip()[:40] for item in objects}


@pytest.mark.parametrize("first", ["policy", "objects"])
def test_hidden_objects_are_left_out_of_every_read(memory: Memory, first: str) -> None:
    space = memory.space("s")
    if first == "policy":
        space.set_policy(POLICY)
    ids = [space.remember_structured(item).object.frame_id for item in (HIDDEN, LONG, SHOWN)]
    if first == "objects":
        space.set_policy(POLICY)
    assert told(memory) == texts(SHOWN)
    for frame_id in ids[:2]:
        with pytest.raises(NotFound):
            memory.get(frame_id)
        assert memory.why_not("zorblax", frame_id).stage != "found"
    recalled = memory.recall("zorblax earns long greets").text
    assert "greets" in recalled
    assert "ninety" not in recalled
    assert "ninety" not in memory.search("ninety earns").explain()
    if first == "policy":
        assert not memory.facts.about("ana"), "no facts are read from what is hidden"
    assert {item.path for item in space.list()} == {str(item["path"]) for item in (HIDDEN, LONG, SHOWN)}
    assert len(space.recall_context("zorblax", include_hidden=True).objects) == 3
    assert len(space.recall_context("zorblax").objects) == 1
    assert memory.verify(deep=True)
    space.set_policy({"visibility": None})
    assert told(memory) == texts(HIDDEN, LONG, SHOWN)
    assert memory.verify(deep=True)


def test_an_object_that_changes_is_hidden_and_shown_by_what_it_is_now(memory: Memory) -> None:
    space = memory.space("s")
    space.set_policy(POLICY)
    space.remember_structured(HIDDEN)
    assert told(memory) == set()
    space.remember_structured({**HIDDEN, "kind": "note"})
    assert told(memory) == texts(HIDDEN)
    space.remember_structured({**HIDDEN, "kind": "note", "tags": ["internal"]})
    assert told(memory) == set()
    memory.reindex()
    assert told(memory) == set()
    assert memory.verify(deep=True)


def test_erasing_and_forgetting_by_filter_take_hidden_objects_along(memory: Memory) -> None:
    space = memory.space("s")
    space.set_policy(POLICY)
    first = space.remember_structured(HIDDEN).object.frame_id
    second = space.remember_structured({**HIDDEN, "path": "private/other"}).object.frame_id
    assert first in memory.forget(where={"ids": [first]})
    memory.erase(where={"kind": "secret"})
    assert second not in {item.frame_id for item in space.list()}
    assert memory.verify(deep=True)


def test_hooks_tell_nothing_that_is_hidden(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        space = memory.space("s")
        space.set_policy(POLICY)
        for item in (HIDDEN, SHOWN):
            space.remember_structured(item)
    source = Local(str(tmp_path / "a.mind"), space="s")
    try:
        assert "ninety" not in source.recall("zorblax earns greets", session="")
        assert "greets" in source.recall("zorblax earns greets", session="")
        assert len(source.notes(kinds=(), tags=(), session="", limit=10)) == 1
    finally:
        source.close()
