"""Whole stores out of one engine and into the other: equal, to the byte."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import Conflict, Corrupt, Forbidden, FrozenClock, InvalidInput, Memory, NotFound, Unsupported
from longmind.base.errors import LongmindError
from longmind.store.tables import CANONICAL, DERIVED, PASSING
from tests.conftest import ENGINES

NewLocation = Callable[[str], str]


def lived(location: str, folder: Path) -> None:
    """A store with something in every corner of it."""
    clock = FrozenClock(1_700_000_000_000)
    (folder / "guide.md").write_text("# Guide\n\n" + "The kettle boils. " * 400, encoding="utf-8")
    with Memory.open(location, embedder="hash", clock=clock) as memory:
        first = memory.remember(
            "Ana lives in Porto. 猫 🙂", tags=["x"], metadata={"n": 1.5, "deep": {"a": []}}
        )
        second = memory.remember("Ana lives in Lisbon.", title="Move", idempotency_key="k")
        clock.advance(seconds=1)
        memory.supersede(first.id, second.id)
        memory.update(second.id, tags=["y"])
        gone = memory.remember("A secret that goes.").id
        memory.ingest(folder / "guide.md")
        memory.erase(gone)
        ana = memory.facts.upsert_entity("ana")
        memory.facts.define_predicate("likes", cardinality="many")
        for value in (b"\x00\xff", 1.5, True, "tea", ana):
            memory.facts.record("ana", "likes", value)
        memory.facts.retract("ana", "likes", "tea")
        talk = memory.conversation("s1")
        talk.add_turn("user", "My name is Ana and I like tea. I do not like coffee.")
        talk.add_turn("user", "I live in Porto.")
        memory.memories.gc(clock.now())
        memory.experience.problem("The suite hangs.", evidence=["file:ci.yml#L3"])
        memory.experience.solution("Close the pool.", problem="exp_1", evidence="none")
        memory.experience.vote("exp_2", "exp_1", 1.0, "it helped")
        memory.experience.archive("exp_1", "done")
        memory.spaces.create("team")
        memory.space("team").remember_structured({"path": "a/b.md", "raw": "One.", "tags": ["t"]})
        memory.save_recipe({"name": "short", "lanes": [{"kind": "snippets", "share": 1.0}]})


def exported(memory: Memory, folder: Path, *, derived: bool = False) -> bytes:
    path = folder / "out.jsonl"
    memory.export(path, derived=derived, overwrite=True)
    return path.read_bytes()


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("source", ENGINES)
def test_an_import_equals_what_was_exported(
    source: str, target: str, new_location: NewLocation, tmp_path: Path
) -> None:
    origin, place = new_location(source), new_location(target)
    lived(origin, tmp_path)
    clock = FrozenClock(1_800_000_000_000)
    with Memory.open(origin, embedder="hash") as memory:
        plain, whole = exported(memory, tmp_path), exported(memory, tmp_path, derived=True)
        assert exported(memory, tmp_path) == plain
        found = [(hit.frame.id, round(hit.score, 9)) for hit in memory.search("where does Ana live?")]
        context = memory.recall("kettle", budget=200).text
    for name, text in (("plain", plain), ("whole", whole)):
        (tmp_path / f"{name}.jsonl").write_bytes(text)
        with Memory.open(f"{place}{name}", embedder="hash", clock=clock) as memory:
            memory.import_(tmp_path / f"{name}.jsonl")
            assert exported(memory, tmp_path) == plain
            assert memory.verify(deep=True)
            again = [(hit.frame.id, round(hit.score, 9)) for hit in memory.search("where does Ana live?")]
            assert again == found
            assert memory.recall("kettle", budget=200).text == context
            assert memory.remember("Life goes on.").created == 1
            assert memory.search("life goes on")[0].frame.text == "Life goes on."


@pytest.mark.parametrize("target", ENGINES)
@pytest.mark.parametrize("source", ENGINES)
def test_a_copy_equals_its_source_with_all_that_was_derived(
    source: str, target: str, new_location: NewLocation, tmp_path: Path
) -> None:
    origin, place = new_location(source), new_location(target)
    lived(origin, tmp_path)
    with Memory.open(origin, embedder="hash") as memory:
        whole = exported(memory, tmp_path, derived=True)
        moved = memory.copy(place)
        assert memory.copy(place) == moved, "whose answer was lost may ask again"
        memory.remember("Something else.")
        with pytest.raises(Conflict, match="not empty"):
            memory.copy(place)
    with Memory.open(place, create=False) as memory:
        assert exported(memory, tmp_path, derived=True) == whole
        assert memory.verify(deep=True)


def test_every_table_is_moved_or_known_to_stay(memory: Memory) -> None:
    with memory.store.read() as snapshot:
        if memory.store.engine.dialect.name == "sqlite":
            found = snapshot.db.all(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        else:
            found = snapshot.db.all(
                "SELECT table_name FROM information_schema.tables "
                "WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
            )
    names = {name for (name,) in found} - {"migration", "frame_window"}
    assert names | {"store_change"} == {*CANONICAL, *DERIVED, *PASSING}  # a table of one engine only


def test_an_import_goes_into_an_empty_memory_only(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Here.")
    exported(memory, tmp_path)
    with pytest.raises(Conflict, match="not empty"):
        memory.import_(tmp_path / "out.jsonl")
    assert len(memory.timeline()) == 1


def test_a_damaged_export_is_refused_and_nothing_is_written(
    location: str, new_location: NewLocation, tmp_path: Path
) -> None:
    lived(location, tmp_path)
    with Memory.open(location, embedder="hash") as memory:
        lines = exported(memory, tmp_path).splitlines(keepends=True)
    rng = random.Random(5)
    broken = tmp_path / "broken.jsonl"
    with Memory.open(new_location("sqlite"), embedder="hash") as memory:
        before = memory.stats().frames
        for trial in range(60):
            damaged = list(lines)
            place = rng.randrange(len(damaged))
            match trial % 4:
                case 0:
                    del damaged[place]
                case 1:
                    raw = bytearray(damaged[place])
                    raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
                    damaged[place] = bytes(raw)
                case 2:
                    damaged = damaged[:place]
                case _:
                    other = rng.randrange(len(damaged))
                    damaged[place], damaged[other] = damaged[other], damaged[place]
            if damaged == lines:
                continue
            broken.write_bytes(b"".join(damaged))
            with pytest.raises(LongmindError):
                memory.import_(broken)
            assert memory.stats().frames == before
        broken.write_bytes(b"".join(lines))
        memory.import_(broken)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"", InvalidInput),
        (b"hello\n", InvalidInput),
        (b"[1]\n", InvalidInput),
        (b'{"kind":"other"}\n', InvalidInput),
        (b'{"kind":"longmind-export","format":999,"derived":false}\n', Unsupported),
        (b'{"kind":"longmind-export","format":"x"}\n', Unsupported),
        (b"\xff\xfe\n", InvalidInput),
    ],
)
def test_what_is_no_export_is_refused(
    text: bytes, error: type[Exception], memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "x.jsonl").write_bytes(text)
    with pytest.raises(error):
        memory.import_(tmp_path / "x.jsonl")


def test_paths_that_do_not_work_are_named(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"none\.jsonl"):
        memory.import_(tmp_path / "none.jsonl")
    with pytest.raises(Forbidden):
        memory.import_(tmp_path)
    with pytest.raises(NotFound):
        memory.export(tmp_path / "no" / "where.jsonl")
    (tmp_path / "there.jsonl").write_text("mine")
    with pytest.raises(Conflict):
        memory.export(tmp_path / "there.jsonl")
    assert (tmp_path / "there.jsonl").read_text() == "mine"
    assert not list(tmp_path.glob("*.part"))


def test_an_export_is_lines_that_people_can_read(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Grüße", tags=["x"])
    heading, *rows, end = map(json.loads, exported(memory, tmp_path).decode().splitlines())
    assert heading["kind"] == "longmind-export"
    assert {"frame_text": {"frame_id": 1, "text": "Grüße"}} in rows
    assert end["end"]["rows"] == len(rows)


def test_a_changed_row_that_still_fits_its_place_is_found_by_the_hash(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Grüße")
    text = exported(memory, tmp_path).replace("Grüße".encode(), "Gräße".encode())
    (tmp_path / "x.jsonl").write_bytes(text)
    with Memory.open(":memory:", embedder=None) as other, pytest.raises(Corrupt):
        other.import_(tmp_path / "x.jsonl")
