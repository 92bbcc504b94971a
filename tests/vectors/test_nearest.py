"""The nearest frames, exactly or by codes: inside the filter, never stale, and nearly always the same."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import AsOf, FrozenClock, Memory
from longmind.base.filters import EVERYTHING, View
from longmind.store.follower import Mirrors
from longmind.store.visible import among
from longmind.vectors.nearest import EXACT_THOUGH_MANY, NearestFrames
from longmind.vectors.quantized import VectorQuery, quick_number
from tests.conftest import START
from tests.vectors.clusters import ClusterEmbedder, exact_order
from tests.vectors.opening import open_memory
from tests.vectors.small import method, searcher

EMBEDDER = ClusterEmbedder()
COUNT = 1500
LARGE = "pgvector, reranked", "quantised, reranked"


def texts(count: int = COUNT) -> list[str]:
    return [f"c{place % 30} i{place}" for place in range(count)]


def filled(location: str, count: int = COUNT, **options: Any) -> Memory:
    memory = open_memory(location, embedder=EMBEDDER, clock=FrozenClock(START), **options)
    memory.remember_many(
        {
            "text": text,
            "tags": ["rare"] if place % 100 == 7 else [],
            "session": f"s{place % 2}",
            "occurred_at": START + place,
        }
        for place, text in enumerate(texts(count))
    )
    return memory


def test_without_turbovec_search_stays_exact_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "turbovec", None)
    with filled(str(tmp_path / "many.mind"), 400) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        query = "c7 i90007"
        results = search(query)
        assert method(results) == EXACT_THOUGH_MANY
        everything = texts(400)
        expected = [everything[place] for place in exact_order(EMBEDDER, query, everything)[:5]]
        assert [hit.frame.text for hit in results][:5] == expected
        memory.remember("c7 i90007 again")
        assert method(search(query)) == EXACT_THOUGH_MANY


def test_the_approximate_range_agrees_with_exact_search(
    many_location: str, capsys: pytest.CaptureFixture[str]
) -> None:
    count = COUNT if many_location.startswith("postgresql") else 4 * COUNT
    with filled(many_location, count) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        everything = texts(count)
        recalls = []
        for cluster in range(30):
            query = f"c{cluster} i{90_000 + cluster}"
            results = search(query)
            assert method(results) in LARGE
            truth = {everything[place] for place in exact_order(EMBEDDER, query, everything)[:10]}
            recalls.append(len(truth & {hit.frame.text for hit in results}) / 10)
        recall = float(np.mean(recalls))
    with capsys.disabled():
        print(f"\nrecall@10 against exact search ({method(results)}, {count} frames): {recall:.3f}")
    assert recall >= 0.9


def test_a_filter_of_one_in_a_hundred_still_fills_the_answer(many_location: str) -> None:
    with filled(many_location) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        everything = texts()
        rare = [place for place in range(COUNT) if place % 100 == 7]
        for cluster in (0, 11, 29):
            query = f"c{cluster} i{77_000}"
            results = search(query, where={"tags": ["rare"]})
            assert method(results) in LARGE
            nearest = [place for place in exact_order(EMBEDDER, query, everything) if place in rare][:10]
            assert [hit.frame.text for hit in results] == [everything[place] for place in nearest]


def test_every_kind_of_filter_is_inside_the_search(many_location: str) -> None:
    with filled(many_location, 600) as memory:
        small, large = (searcher(memory, exact_limit=limit, embedder=EMBEDDER) for limit in (10_000, 100))
        for where in (
            *({"session": "s1"}, {"since": START + 550}, {"ids": list(range(5, 25))}, {"until": START + 30}),
            *({"kind": "note"}, {"tags": ["rare"], "session": "s1"}, {"ids": []}),
        ):
            expected, found = (search("c3 i5000", where=where, limit=10) for search in (small, large))
            assert len(found) == len(expected), where
            shared = {hit.frame.id for hit in expected} & {hit.frame.id for hit in found}
            assert len(shared) >= 0.9 * len(expected), where
        assert not large("c3 i5000", space="elsewhere")


def test_what_is_forgotten_superseded_or_erased_is_gone_at_once(many_location: str) -> None:
    with filled(many_location, 300) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        for act in (memory.forget, memory.erase, lambda old: memory.supersede(old, 299)):
            nearest = search("c4 i4", limit=3)
            assert method(nearest) in LARGE
            gone = nearest[0].frame.id
            act(gone)
            assert gone not in [hit.frame.id for hit in search("c4 i4", limit=100)]


def test_what_was_forgotten_is_still_found_as_of_before(many_location: str) -> None:
    with filled(many_location, 300) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        before = memory.revision
        [first] = search("c4 i4", limit=1)
        memory.forget(first.frame.id)
        assert search("c4 i4", limit=1, as_of=AsOf(before, AsOf.LATEST.valid))[0].frame.id == first.frame.id


def test_frames_that_come_later_are_found(many_location: str) -> None:
    with filled(many_location, 99) as memory:
        search = searcher(memory, exact_limit=100, embedder=EMBEDDER)
        assert method(search("c1 i1")) == "exact"
        later = memory.remember_many([f"c{place} i{place}" for place in range(500, 560)]).ids
        results = search("c530 i530")
        assert method(results) in LARGE
        assert results[0].frame.id == later[30]
        newest = memory.remember("c999 i999").id
        assert search("c999 i999")[0].frame.id == newest


def test_a_few_long_frames_do_not_crowd_out_the_others(many_location: str) -> None:
    embedder = ClusterEmbedder(windows=60)
    with open_memory(many_location, embedder=embedder) as memory:
        memory.remember_many([f"long c1 i{place}" for place in range(12)])
        memory.remember_many([f"c1 i{place}" for place in range(100, 150)])
        search = searcher(memory, exact_limit=100, embedder=embedder)
        exact = searcher(memory, exact_limit=100_000, embedder=embedder)
        found, expected = search("c1 i7777", limit=40), exact("c1 i7777", limit=40)
        assert method(found) in LARGE
        assert len(found) == 40
        shared = {hit.frame.id for hit in expected} & {hit.frame.id for hit in found}
        assert len(shared) >= 36


def test_vectors_made_anew_replace_those_in_memory(many_location: str) -> None:
    """After `reindex` nothing of what a handle had loaded before counts any more."""
    with open_memory(many_location) as memory:
        memory.remember_many(["zebra", "lion", "river stone"])
        right = [(hit.frame.id, hit.score) for hit in memory.search("zebra", mode="vector")]
        with memory.store.write() as tx:
            wrong = tx.db.all("SELECT frame_id, data FROM frame_vector ORDER BY frame_id")
            for (frame_id, _), (_, data) in zip(wrong, wrong[1:] + wrong[:1], strict=True):
                tx.db.run("UPDATE frame_vector SET data = ? WHERE frame_id = ?", (bytes(data), frame_id))
            assert tx.system  # a change that everyone notices
        with open_memory(many_location) as misled:
            assert [(hit.frame.id, hit.score) for hit in misled.search("zebra", mode="vector")] != right
            memory.reindex()
            for reader in (memory, misled):
                assert [(hit.frame.id, hit.score) for hit in reader.search("zebra", mode="vector")] == right


def test_a_handle_grows_with_its_store_without_counting_frames_twice(many_location: str) -> None:
    with open_memory(many_location) as memory:
        memory.remember_many([f"zebra {place}" for place in range(40)])
        search = searcher(memory, exact_limit=50)
        assert method(search("zebra")) == "exact"
        memory.reindex()
        memory.reindex()
        assert method(search("zebra")) == "exact"
        assert len(search("zebra", limit=100)) == 40


# The lane by itself


def asked(vector: np.ndarray, size: int, seen: set[int]) -> VectorQuery:
    mask = np.zeros(size, dtype=bool)
    mask[sorted(seen)] = True
    return VectorQuery(vector, mask, View(("default",)), EVERYTHING)


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(
    seen=st.sets(st.integers(1, 40), max_size=40),
    limit=st.integers(1, 50),
    cluster=st.integers(0, 5),
)
def test_nearest_is_a_sort_of_all_that_may_be_seen(
    shared_store: Memory, seen: set[int], limit: int, cluster: int
) -> None:
    [encoding] = EMBEDDER.encode([f"c{cluster} i{9000 + cluster}"])
    vector = encoding.vectors[0]
    with shared_store.store.read() as snapshot:
        near = NearestFrames(Mirrors(), 64).nearest(asked(vector, 41, seen), snapshot, limit)
        cosines = dict(
            zip(*NearestFrames(Mirrors(), 64).cosines(vector, sorted(seen), snapshot), strict=True)
        )
    assert cosines.keys() == seen
    expected = sorted(seen, key=lambda frame_id: (-cosines[frame_id], frame_id))[:limit]
    assert near.ids.tolist() == expected
    assert near.cosines.tolist() == [cosines[frame_id] for frame_id in expected]
    assert near.method == "exact"


@pytest.fixture(scope="module")
def shared_store() -> Any:
    with filled(":memory:", 40) as memory:
        yield memory


def test_ties_at_the_end_are_cut_by_content_when_it_is_given() -> None:
    with open_memory(":memory:", embedder=EMBEDDER) as memory:
        memory.remember_many({"text": "c1 i1", "session": f"s{place}"} for place in range(30))
        [encoding] = EMBEDDER.encode(["c1 i1"])
        question = asked(encoding.vectors[0], 31, set(range(1, 31)))
        content = np.array([(place * 7) % 31 for place in range(31)])
        tied = VectorQuery(question.vector, question.mask, question.view, question.where, content)
        with memory.store.read() as snapshot:
            by_id = NearestFrames(Mirrors(), 64).nearest(question, snapshot, 10)
            by_content = NearestFrames(Mirrors(), 64).nearest(tied, snapshot, 10)
    assert by_id.ids.tolist() == list(range(1, 11))
    assert by_content.ids.tolist() == sorted(range(1, 31), key=lambda place: content[place])[:10]


def test_frames_without_vectors_are_left_out(many_location: str) -> None:
    with open_memory(many_location) as memory:
        ids = memory.remember_many(["zebra", "lion", "river"]).ids
        with memory.store.write() as tx:
            clause = among("frame_id", [ids[1]])
            for table in ("frame_token", "frame_vector"):
                tx.db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
            assert tx.system
        with open_memory(many_location) as fresh:
            assert {hit.frame.id for hit in fresh.search("zebra", mode="vector")} == {ids[0], ids[2]}
            assert ids[1] in [hit.frame.id for hit in fresh.search("lion")]


def test_a_look_whose_thread_is_busy_is_not_waited_for_and_comes_later(tmp_path: Path) -> None:
    pytest.importorskip("turbovec", reason="the library of the codes is optional")
    with filled(str(tmp_path / "many.mind"), 400) as memory, ThreadPoolExecutor(1) as pool:
        neighbours = NearestFrames(Mirrors(), EMBEDDER.identity.dimensions, exact_limit=100)
        vector = EMBEDDER.encode(["c7 i90007"])[0].vectors[0]
        question = VectorQuery(vector, np.ones(401, dtype=bool), View.of("default"), EVERYTHING)
        with memory.store.read() as snapshot:
            expected = neighbours.nearest(question, snapshot, 10)
            free = Event()
            pool.submit(free.wait)
            scan = neighbours.begin(lambda: question, snapshot, 10, pool=lambda: pool)
            scan.hand_over()  # returns, though nobody looks yet
            free.set()
            assert neighbours.end(scan).ids.tolist() == expected.ids.tolist()
            scan = neighbours.begin(lambda: question, snapshot, 10, pool=lambda: pool)
            scan.hand_over()
            assert neighbours.end(scan).ids.tolist() == expected.ids.tolist()


def test_a_look_that_fails_beside_the_search_is_not_lost(tmp_path: Path) -> None:
    with filled(str(tmp_path / "a.mind"), 300) as memory, memory.store.read() as snapshot:
        neighbours = NearestFrames(Mirrors(), EMBEDDER.identity.dimensions, exact_limit=100)
        seen = np.ones(301, dtype=bool)
        vector = EMBEDDER.encode(["c4 i4"])[0].vectors[0]
        right = VectorQuery(vector, seen, View.of("default"), EVERYTHING)
        pool = ThreadPoolExecutor(1)
        begun = neighbours.begin(lambda: right, snapshot, 10, pool=lambda: pool)
        assert begun.found() is not None
        near = neighbours.end(begun)
        assert near.ids.tolist() == neighbours.nearest(right, snapshot, 10).ids.tolist()
        wrong = VectorQuery(vector[:-1], seen, View.of("default"), EVERYTHING)
        begun = neighbours.begin(lambda: wrong, snapshot, 10, pool=lambda: pool)
        assert begun.found() is None
        with pytest.raises(ValueError, match="dim"):
            neighbours.end(begun)


@given(wanted=st.integers(0, 5000), among=st.integers(0, 200_000))
def test_candidates_are_never_fewer_than_wanted_and_not_of_the_slow_number(wanted: int, among: int) -> None:
    number = quick_number(min(wanted, among), among)
    assert min(wanted, among) <= number <= among
    assert not 16 * number < among <= 32 * number
