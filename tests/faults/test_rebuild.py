"""A rebuild or an import is killed at any moment: answers are those of before or of after, never others."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from longmind import Conflict, Memory
from longmind.embed import open_embedder
from longmind.embed.protocol import Encoding
from longmind.store.parts import Problem
from longmind.store.rebuild import rebuilding
from longmind.text.index import NEXT, add
from longmind.text.words import ANALYZER, count_frame
from tests.conftest import ENGINES
from tests.store.children import Child

NewLocation = Callable[[str], str]
Answers = list[list[tuple[int, float]]]
OLD, NEW = "hash:32", "hash:48"
WORDS = ("zebra", "copper", "river", "harbour", "lantern", "orchard", "violin", "granite", "comet", "saffron")
PLACES = ("Porto", "Lisbon", "Zürich", "Oslo", "Kyoto", "Lima")
QUESTIONS = [f"{word} near {PLACES[place % len(PLACES)]}" for place, word in enumerate(WORDS * 3)]
SHADOWS = ("rebuild", "text_posting_next", "text_doc_next", "frame_vector_next", "frame_token_next")


def open_memory(location: str, **options: Any) -> Memory:
    return Memory.open(location, **{"extractor": None, **options})


def lived(location: str) -> None:
    rng = random.Random(7)
    texts = [
        f"Note {number}: the {rng.choice(WORDS)} and the {rng.choice(WORDS)} of {rng.choice(PLACES)}."
        for number in range(300)
    ]
    with open_memory(location, embedder=OLD) as memory:
        memory.remember_many(texts)
        memory.ingest(text=" ".join(f"{text} It was late." for text in texts[:60]), title="A long report")
        memory.forget(5)
        memory.erase(8)


def answers(memory: Memory) -> Answers:
    found = []
    for question in QUESTIONS:
        results = memory.search(question)
        assert not results.missing
        assert not any("vectors for" in lane.detail for lane in results.lanes)
        found.append([(hit.frame.id, round(hit.score, 6)) for hit in results])
    return found


def damage(problems: Sequence[Problem]) -> list[Problem]:
    """All but what the tests' own server is told of: it runs without checksums."""
    return [problem for problem in problems if "without data checksums" not in problem.detail]


def left_over(memory: Memory) -> dict[str, int]:
    with memory.store.read() as snapshot:
        counts = {table: snapshot.db.one(f"SELECT count(*) FROM {table}") for table in SHADOWS}
    return {table: row[0] for table, row in counts.items() if row is not None and row[0]}


def check_killed_reindexes(location: str, kills: int) -> None:
    lived(location)
    expected: dict[str, Answers] = {}
    longest = 0.0
    with open_memory(location) as memory:
        for name in (NEW, OLD):
            started = time.monotonic()
            memory.reindex(embedder=name)
            longest = max(longest, time.monotonic() - started)
            assert memory.embedder is not None
            expected[memory.embedder] = answers(memory)
            assert not left_over(memory)
    rng = random.Random(11)
    unfinished = 0
    for _ in range(kills):
        with Child("reindex", location, rng.choice((OLD, NEW, NEW))) as child:
            child.hear("ready")
            time.sleep(rng.uniform(0, longest))
            child.kill()
        with open_memory(location) as memory:
            assert memory.embedder is not None
            assert answers(memory) == expected[memory.embedder]
            report = memory.verify(deep=True)
            assert damage(report.problems) == []
            unfinished += bool(left_over(memory))
            assert bool(report.notes) == bool({*left_over(memory)} - {"rebuild"})
    assert unfinished, "no kill came in time"
    with open_memory(location) as memory:
        memory.reindex(embedder=NEW)
        memory.reindex()
        assert not left_over(memory)
        assert not memory.verify(deep=True).notes
        assert answers(memory) == expected[memory.embedder or ""]


def test_a_killed_reindex_of_a_file_changes_no_answer(new_location: NewLocation) -> None:
    check_killed_reindexes(new_location("sqlite"), 8)


def test_a_killed_reindex_on_a_server_changes_no_answer(new_location: NewLocation) -> None:
    check_killed_reindexes(new_location("postgresql"), 4)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ENGINES)
def test_a_hundred_killed_reindexes_change_no_answer(engine: str, new_location: NewLocation) -> None:
    check_killed_reindexes(new_location(engine), 100)


def check_killed_imports(engine: str, new_location: NewLocation, folder: Path, kills: int, verb: str) -> None:
    origin, path = new_location(engine), folder / "export.jsonl"
    lived(origin)
    with open_memory(origin) as memory:
        memory.export(path)
        frames, expected = memory.stats().frames, answers(memory)
    started = time.monotonic()
    complete(new_location(engine), origin, path, verb)
    longest = time.monotonic() - started
    rng = random.Random(13)
    for _ in range(kills):
        target = new_location(engine)
        given = (target, str(path)) if verb == "import_file" else (origin, target)
        with Child(verb, *given) as child:
            child.hear("ready")
            time.sleep(rng.uniform(0, longest))
            child.kill()
        with open_memory(target, embedder=None) as memory:
            assert memory.stats().frames in (0, frames)
            assert memory.stats().parts["text"]["frames"] in (0, len_indexed(origin))
            report = memory.verify(deep=True)
            assert damage(report.problems) == []
        complete(target, origin, path, verb)
        with open_memory(target, embedder=OLD) as memory:
            assert answers(memory) == expected
            again = folder / "again.jsonl"
            memory.export(again, overwrite=True)
            assert again.read_bytes() == path.read_bytes()


def len_indexed(location: str) -> int:
    with open_memory(location, embedder=None) as memory:
        return memory.stats().parts["text"]["frames"]


def complete(target: str, origin: str, path: Path, verb: str) -> None:
    if verb == "import_file":
        with open_memory(target, embedder=OLD) as memory:
            memory.import_(path)
    else:
        with open_memory(origin) as memory:
            memory.copy(target)


@pytest.mark.parametrize("verb", ["import_file", "copy_to"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_import_is_absent_or_whole_and_succeeds_when_repeated(
    engine: str, verb: str, new_location: NewLocation, tmp_path: Path
) -> None:
    check_killed_imports(engine, new_location, tmp_path, 2, verb)


@pytest.mark.soak
@pytest.mark.parametrize("verb", ["import_file", "copy_to"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_hundred_killed_imports_are_absent_or_whole(
    engine: str, verb: str, new_location: NewLocation, tmp_path: Path
) -> None:
    check_killed_imports(engine, new_location, tmp_path, 100, verb)


def test_an_import_is_repeated_only_while_the_store_is_as_it_was(location: str, tmp_path: Path) -> None:
    with open_memory(":memory:", embedder=OLD) as memory:
        memory.remember_many(["one zebra", "two lions"])
        memory.export(tmp_path / "two.jsonl")
        memory.remember("three")
        memory.export(tmp_path / "three.jsonl")
    with open_memory(location, embedder=OLD) as memory:
        moved = memory.import_(tmp_path / "two.jsonl")
        assert memory.import_(tmp_path / "two.jsonl") == moved
        with pytest.raises(Conflict, match="is not empty"):
            memory.import_(tmp_path / "three.jsonl")
        memory.erase(1)
        with pytest.raises(Conflict, match="has been written to since"):
            memory.import_(tmp_path / "two.jsonl")
        assert memory.search("lions").lanes[1].detail == "exact"


class Interfering:
    """An embedder during whose work something else happens, once for each text given."""

    def __init__(self, acts: Iterator[Callable[[], object]], *, least: int = 32) -> None:
        self._embedder = open_embedder(NEW, cache=Path())
        self._acts = acts
        self._least = least
        self.identity = self._embedder.identity
        self.supports_tokens = self._embedder.supports_tokens

    def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
        act = next(self._acts, None) if len(texts) >= self._least else None
        if act is not None:
            act()
        return list(self._embedder.encode(texts, tokens=tokens))


def test_what_is_written_and_erased_during_a_rebuild_is_so_in_the_new_index(location: str) -> None:
    lived(location)

    def acts() -> Iterator[Callable[[], object]]:
        yield lambda: None
        yield lambda: (writer.tell("a xylophone was written meanwhile"), writer.hear("done"))
        yield lambda: other.erase(20)  # in the next vectors already
        yield lambda: other.forget(21)
        yield lambda: (other.erase(200), other.search("zebra"))  # read, and not yet among them

    with (
        open_memory(location) as other,
        open_memory(location) as memory,
        Child("write", location) as writer,
    ):
        writer.hear("ready")
        before = memory.embedder
        memory.reindex(embedder=Interfering(acts()))
        assert memory.embedder != before
        assert memory.search("xylophone", mode="vector")[0].frame.text == "a xylophone was written meanwhile"
        stats = memory.stats()
        assert stats.parts["vectors"]["missing"] == 0
        assert stats.parts["vectors"]["frames"] == stats.parts["text"]["frames"]
        assert not left_over(memory)
        report = memory.verify(deep=True)
        assert damage(report.problems) == []


class Interrupted(Exception):
    pass


def interrupt() -> None:
    raise Interrupted


def begin_text_rebuild(memory: Memory, ids: Sequence[int]) -> None:
    """The first batch of a rebuild, and no more."""
    with rebuilding(memory.store, "text", ANALYZER, tables=NEXT.keyed) as work:
        counted = {frame_id: count_frame(memory.get(frame_id).text, None, None) for frame_id in ids}
        with memory.store.write() as tx:
            add(tx.db, counted, NEXT)
            work.advance(memory.store, tx, ids[-1])
        interrupt()


def test_an_erase_after_an_interrupted_rebuild_takes_the_frame_out_of_what_it_left(location: str) -> None:
    with open_memory(location, embedder=OLD) as memory:
        ids = memory.remember_many(f"note {number} of secretword{number}x" for number in range(150)).ids
        acts = iter([lambda: None, interrupt])
        with pytest.raises(Interrupted):
            memory.reindex(embedder=Interfering(acts, least=2))
        with pytest.raises(Interrupted):
            begin_text_rebuild(memory, ids[:100])
        assert left_over(memory).keys() == set(SHADOWS)
        assert len(memory.verify().notes) == 2
        certificate = memory.erase(ids[7])
        assert certificate.scrubbed
        assert certificate.counts["frame_vector_next"] == certificate.counts["text_doc_next"] == 1
        with memory.store.read() as snapshot:
            for table in ("text_posting", "text_posting_next"):
                sql = f"SELECT 1 FROM {table} WHERE term LIKE 'secretword7x%'"
                assert snapshot.db.one(sql) is None
        if memory.store.engine.dialect.name == "sqlite":
            memory.flush()
            assert b"secretword7x" not in Path(location).read_bytes()
            assert b"secretword9x" in Path(location).read_bytes()
        assert memory.search("secretword9x")[0].frame.id == ids[9]
        memory.reindex()
        assert "text_doc_next" not in left_over(memory)
        memory.maintain()
        assert not left_over(memory)
        assert not memory.verify(deep=True).notes


def test_maintain_leaves_a_rebuild_at_work_alone(location: str) -> None:
    lived(location)
    with open_memory(location) as other, open_memory(location) as memory:
        acts: list[Callable[[], object]] = [lambda: None, other.maintain, other.maintain]
        memory.reindex(embedder=Interfering(iter(acts)))
        assert memory.stats().parts["vectors"]["missing"] == 0


def test_the_later_of_two_rebuilds_takes_over(location: str) -> None:
    lived(location)
    with open_memory(location) as other, open_memory(location) as memory:
        acts: list[Callable[[], object]] = [lambda: None, lambda: other.reindex(embedder="hash:24")]
        with pytest.raises(Conflict, match="taken over"):
            memory.reindex(embedder=Interfering(iter(acts)))
        assert other.embedder == "hash/words/24/1"
        assert not left_over(other)
        assert other.search("zebra", mode="vector")


def test_a_search_says_for_how_many_frames_there_are_vectors(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        memory.remember_many(["one zebra", "two lions", "three rivers"])
    with open_memory(location, embedder=OLD) as memory:
        assert memory.search("zebra").lanes[1].detail == "exact; vectors for 0 of 3 frames"
        memory.remember("four comets")
        assert memory.search("zebra").lanes[1].detail == "exact; vectors for 1 of 4 frames"
        [note] = memory.verify().notes
        assert note == "There are vectors for 1 of 4 frames; `maintain` or `reindex` makes the others."
        assert memory.verify(deep=True).notes == (note,)
        memory.maintain()
        assert memory.search("zebra").lanes[1].detail == "exact"
        assert memory.verify(deep=True)
        memory.erase(1)
        memory.forget(2)
        assert memory.search("comets").lanes[1].detail == "exact"
        memory.remember("five")
        assert memory.search("comets").lanes[1].detail == "exact"


LACKS = {
    "DELETE FROM frame_vector WHERE frame_id = 2": "vectors",
    "DELETE FROM frame_token WHERE frame_id = 2": "vectors",
    "DELETE FROM surrogate": "surrogate",
    "DELETE FROM text_doc WHERE frame_id = 2": "text",
    "DELETE FROM text_posting WHERE term = 'zebra'": "text",
}


@pytest.mark.parametrize("lack", LACKS)
def test_verify_finds_frames_that_an_index_lacks_and_reindex_mends_them(location: str, lack: str) -> None:
    with open_memory(location, embedder=OLD) as memory:
        memory.remember_many(["one zebra", "two zebras", " ".join(f"Zebra number {n}." for n in range(60))])
        with memory.store.write() as tx:
            assert tx.db.run(lack)
            assert tx.system
        report = memory.verify(deep=True)
        assert LACKS[lack] in {problem.code for problem in report.problems} or "vectors for 2 of 3" in str(
            report.notes
        )
        memory.reindex()
        problems = memory.verify(deep=True).problems
        assert damage(problems) == []
        assert len(memory.search("zebra")) == 3
