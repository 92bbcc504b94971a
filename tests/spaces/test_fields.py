"""The words of objects by field: a recall finds just what the objects say, at every time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.base.errors import Corrupt
from longmind.spaces.registry import Spaces
from longmind.spaces.space import ProjectSpace
from longmind.spaces.space_index import SpaceIndex, SpaceIndexes
from longmind.text.words import terms
from tests.spaces.conftest import spaces_of

WORDS = "cache tea engine getUserName Straße 東京都 naïve v1.2.3 on/off ops wheel road".split()
FIELDS = ("path", "tags", "summary", "raw", "metadata")


def some_object(number: int, generator: random.Random) -> dict[str, Any]:
    def say(count: int) -> str:
        return " ".join(generator.choice(WORDS) for _ in range(count))

    given: dict[str, Any] = {
        "path": f"p/{say(1)}/{number}",
        "kind": generator.choice(["guide", "log"]),
        "raw": say(generator.choice([0, 3, 30, 900])),
        "summary_micro": generator.choice(["", say(2) + " title"]),
        "summary_long": generator.choice(["", say(5)]),
        "tags": [say(1) for _ in range(generator.randrange(3))],
        "metadata": {"owner": say(1), "deep": [{"note": say(2)}]},
    }
    if generator.random() < 0.3:
        given["chunks"] = [{"chunk_id": "0", "text": "said beside " + say(2)}]
    if not (given["raw"] or given["summary_micro"] or given["summary_long"]):
        given["raw"] = "tea"
    return given


def fill(space: ProjectSpace, clock: FrozenClock) -> int:
    """Objects, some changed, pinned, forgotten; returns a revision halfway."""
    generator = random.Random(5)
    ids = [space.remember_structured(some_object(number, generator)).object.id for number in range(24)]
    half = space._store.revision()
    clock.advance(days=1)
    for number in range(0, 24, 3):
        space.remember_structured(some_object(number, generator))
    same = space.get(ids[1]).to_dict()
    space.remember_structured(
        {key: same[key] for key in ("id", "path", "kind", "raw", "summary_micro")} | {"tags": ["new-tag"]}
    )
    space.pin(ids[2])
    space.forget(ids[4])
    return half


def said(index: SpaceIndex, field: str, word: str) -> list[str]:
    return sorted(index.ids[slot] for slot in index.slots(field, word))


def check(memory: Memory, indexes: SpaceIndexes, as_of: AsOf = AsOf.LATEST) -> None:
    """Every word of every field, against the objects themselves."""
    objects = spaces_of(memory).space("s").list(as_of=as_of)
    wanted: dict[tuple[str, str], set[str]] = {}
    with memory.store.read() as snapshot, indexes.lock:
        index = indexes.at(snapshot, "s", as_of)
        for item in objects:
            [(text,)] = snapshot.db.all("SELECT text FROM frame_text WHERE frame_id = ?", (item.frame_id,))
            said_in = {
                "path": f"{item.path} {item.kind}",
                "tags": " ".join(item.tags),
                "summary": "\n".join((item.summary_micro, item.summary_short, item.summary_long)),
                "raw": text,
                "metadata": " ".join(_texts(item.metadata)),
            }
            for name, said_there in said_in.items():
                for word in terms(said_there):
                    wanted.setdefault((name, word), set()).add(item.id)
        assert sorted(index.slot_of) == sorted(item.id for item in objects)
        for word in sorted({word for _, word in wanted} | {"nothing"}):
            for name in FIELDS:
                assert said(index, name, word) == sorted(wanted.get((name, word), ())), (name, word)
        for kind in ("guide", "log", "other"):
            assert sorted(index.ids[slot] for slot in index.of_kind(kind)) == sorted(
                item.id for item in objects if item.kind == kind
            )
        for tag in {tag for item in objects for tag in item.tags}:
            assert sorted(index.ids[slot] for slot in index.with_tag(tag)) == sorted(
                item.id for item in objects if tag in item.tags
            )
        for item in objects:
            place = item.path.casefold().rsplit("/", 1)[0] + "/"
            if place.isascii():
                assert item.id in [index.ids[slot] for slot in index.below(place)]
                assert bool(index.pinned[index.slot_of[item.id]]) == item.pinned


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [text for item in items for text in _texts(item)]


def test_an_index_says_what_the_objects_say_now_and_as_of_before(
    memory: Memory, spaces: Spaces, clock: FrozenClock
) -> None:
    half = fill(spaces.space("s"), clock)
    check(memory, SpaceIndexes())
    check(memory, SpaceIndexes(), AsOf(system=half, valid=AsOf.LATEST.valid))


def test_an_index_that_follows_changes_is_the_shelf_that_is_read_anew(
    memory: Memory, spaces: Spaces, clock: FrozenClock
) -> None:
    indexes = SpaceIndexes()
    space = spaces.space("s")
    check(memory, indexes)
    fill(space, clock)
    check(memory, indexes)
    for number in range(40):  # more runs than are kept apart
        space.remember_structured({"path": f"q/{number % 7}", "raw": f"road {number}"})
        if number % 10 == 0:
            check(memory, indexes)
    space.erase("q/3")
    check(memory, indexes)


def test_a_store_without_postings_gets_them_when_spaces_are_first_used(
    memory: Memory, spaces: Spaces, clock: FrozenClock
) -> None:
    """As a store of an older format is after its upgrade."""
    space = spaces.space("s")
    fill(space, clock)
    before = [space.recall_context(word, limit=9).to_json() for word in WORDS]
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("DELETE FROM text_field")
    again = spaces_of(memory).space("s")
    assert [again.recall_context(word, limit=9).to_json() for word in WORDS] == before
    assert not memory.verify(deep=True).problems
    check(memory, SpaceIndexes())


def test_an_index_by_other_rules_for_terms_is_made_anew(
    memory: Memory, spaces: Spaces, clock: FrozenClock, location: str
) -> None:
    fill(spaces.space("s"), clock)
    before = postings(memory)
    with memory.store.write() as tx:
        memory.store.set_setting(tx, "text.analyzer", "words/0")
        tx.db.run("UPDATE text_field SET term = 'old ' || term")
    memory.close()
    with Memory.open(location, embedder=None, extractor=None, clock=clock) as opened:
        spaces_of(opened)
        check(opened, SpaceIndexes())
        assert postings(opened) == before


def test_reindex_makes_the_same_postings(memory: Memory, spaces: Spaces, clock: FrozenClock) -> None:
    fill(spaces.space("s"), clock)
    before = postings(memory)
    memory.reindex()
    assert postings(memory) == before


def postings(memory: Memory) -> list[Any]:
    with memory.store.read() as snapshot:
        return snapshot.db.all("SELECT term, block, data FROM text_field ORDER BY term, block")


def test_a_posting_that_was_changed_is_found_by_a_deep_verify(memory: Memory, spaces: Spaces) -> None:
    spaces.space("s").remember_structured({"path": "p/a", "raw": "cache"})
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("UPDATE text_field SET term = 'b' WHERE term = 'p'")
    problems = memory.verify(deep=True).problems
    assert {(problem.code, problem.derived) for problem in problems} == {("text_field", True)}
    memory.reindex()
    assert not memory.verify(deep=True).problems


@pytest.mark.parametrize("gone", ["erase", "delete"])
def test_what_is_erased_leaves_no_posting(memory: Memory, spaces: Spaces, gone: str) -> None:
    space = spaces.space("s")
    space.remember_structured({"path": "p/a", "raw": "cache"})
    space.remember_structured({"path": "p/a", "raw": "cache again"})
    space.pin("p/a")
    if gone == "erase":
        space.erase("p/a")
    else:
        space.set_policy({"allow_delete": True})
        spaces.delete("s")
    with memory.store.read() as snapshot:
        assert snapshot.db.all("SELECT * FROM text_field") == []


@pytest.mark.parametrize("backend", ["basic", "patricia", "raptor", "hybrid", "search"])
def test_a_recall_reads_no_object_but_those_it_returns(memory: Memory, spaces: Spaces, backend: str) -> None:
    space = spaces.space("s")
    space.remember_structured({"path": "p/a", "raw": "the cache"})
    space.remember_structured({"path": "p/b", "raw": "the wheel"})
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("UPDATE space_object SET summary_micro = 'forged' WHERE path = 'p/b'")
    again = spaces_of(memory).space("s")
    assert [item.path for item in again.recall_context("cache", backend=backend).objects] == ["p/a"]
    with pytest.raises(Corrupt):
        again.recall_context("wheel", backend=backend)
