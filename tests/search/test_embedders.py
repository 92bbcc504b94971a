"""One embedder to a store: another is refused, changed only by `reindex`, and each text embedded once."""

from __future__ import annotations

import numpy as np
import pytest

from longmind import Conflict, Memory
from longmind.embed.hash import HashEmbedder
from tests.search.embedders import CountingEmbedder
from tests.vectors.opening import open_memory


def near(memory: Memory, query: str) -> list[str]:
    return [hit.frame.text for hit in memory.search(query, mode="vector")]


def vectors(memory: Memory) -> dict[int, bytes]:
    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT frame_id, data FROM frame_vector ORDER BY frame_id")
    return {int(frame_id): bytes(data) for frame_id, data in rows}


def test_another_embedder_is_refused_with_the_way_out(vector_location: str) -> None:
    with open_memory(vector_location, embedder="hash:32") as memory:
        memory.remember("zebra")
    for other in ("hash:64", CountingEmbedder(32)):
        with pytest.raises(Conflict, match=r"hash/words/32/1.*reindex\(embedder="):
            open_memory(vector_location, embedder=other)
    with open_memory(vector_location, embedder="auto") as memory:
        assert near(memory, "zebra") == ["zebra"]
        assert memory.search("zebra").missing == ()


def test_an_embedder_is_remembered_before_anything_is_written(vector_location: str) -> None:
    open_memory(vector_location, embedder="hash:32").close()
    with pytest.raises(Conflict):
        open_memory(vector_location, embedder="hash:64")


def test_a_store_gets_its_first_embedder_late(vector_location: str) -> None:
    with open_memory(vector_location, embedder=None) as memory:
        memory.remember("zebra")
    with open_memory(vector_location, embedder="hash:64") as memory:
        assert memory.stats().parts["vectors"]["missing"] == 1
        memory.maintain()
        assert near(memory, "zebra") == ["zebra"]


def test_reindex_changes_the_embedder(vector_location: str) -> None:
    with open_memory(vector_location, embedder="hash:32") as memory:
        memory.remember_many(["zebra", "lion", "river stone"])
        assert memory.reindex(embedder="hash:64")["vectors"] == 3
        assert near(memory, "lion")[0] == "lion"
        memory.remember("a later paper")
        assert near(memory, "paper")[0] == "a later paper"
        assert memory.verify(deep=True)
        assert {len(data) for data in vectors(memory).values()} == {128}
    with pytest.raises(Conflict):
        open_memory(vector_location, embedder="hash:32")
    with open_memory(vector_location, embedder="auto") as memory:
        assert near(memory, "river")[0] == "river stone"


def test_reindex_gives_a_store_opened_without_an_embedder_its_vectors(vector_location: str) -> None:
    with open_memory(vector_location, embedder=None) as memory:
        memory.remember("zebra")
        memory.reindex(embedder="hash:32")
        assert near(memory, "zebra") == ["zebra"]
        memory.remember("lion")
        assert memory.stats().parts["vectors"] == {"frames": 2, "windows": 2, "missing": 0}


@pytest.mark.parametrize("resumed_by", ["reindex", "another handle"])
def test_an_interrupted_change_of_embedder_is_taken_up_where_it_was_left(
    vector_location: str, resumed_by: str
) -> None:
    texts = [f"zebra number {place}" for place in range(150)]
    with open_memory(vector_location, embedder="hash:32") as memory:
        memory.remember_many(texts)
        before, revision = near(memory, "zebra number 7"), memory.revision
        tired = CountingEmbedder(most=100)
        with pytest.raises(Exception, match="The embedder is tired"):
            memory.reindex(embedder=tired)
        done = len(tired.texts)
        assert 0 < done < 150
        assert near(memory, "zebra number 7") == before
        assert memory.revision == revision, "nothing has changed yet"
        assert memory.stats().parts["vectors"]["missing"] == 0
        assert memory.stats().parts["vectors"]["in an unfinished rebuild"] == done
        report = memory.verify(deep=True)
        assert report
        assert len(report.notes) == 1
    rested = CountingEmbedder()
    with pytest.raises(Conflict):
        open_memory(vector_location, embedder=rested)
    with open_memory(vector_location, embedder="hash:32") as memory:
        if resumed_by == "reindex":
            memory.reindex(embedder=rested)
        else:
            with open_memory(vector_location, embedder=None) as other:
                other.reindex(embedder=rested)
    assert len(rested.texts) == 150 - done
    with open_memory(vector_location, embedder=rested) as memory:
        assert memory.stats().parts["vectors"] == {"frames": 150, "windows": 150, "missing": 0}
        assert near(memory, "zebra number 149")[0] == "zebra number 149"
        report = memory.verify(deep=True)
        assert report
        assert report.notes == ()
        expected = signs(memory)
        assert len(expected) == 150
        assert memory.reindex()["vectors"] == 150
        assert signs(memory) == expected


def test_maintain_deletes_what_an_interrupted_change_of_embedder_left(vector_location: str) -> None:
    with open_memory(vector_location, embedder="hash:32") as memory:
        memory.remember_many([f"zebra number {place}" for place in range(80)])
        right = vectors(memory)
        with pytest.raises(Exception, match="tired"):
            memory.reindex(embedder=CountingEmbedder(most=64))
        assert memory.maintain().done["vectors"] == {"cleared": 128}
        assert memory.verify().notes == ()
        assert vectors(memory) == right


def signs(memory: Memory) -> dict[int, bytes]:
    with memory.store.read() as snapshot:
        rows = snapshot.db.all("SELECT frame_id, data FROM frame_token ORDER BY frame_id")
    return {int(frame_id): bytes(data) for frame_id, data in rows}


def test_an_open_handle_notices_that_another_changed_the_embedder(vector_location: str) -> None:
    with open_memory(vector_location, embedder="hash:32") as old:
        old.remember("zebra")
        assert near(old, "zebra") == ["zebra"]
        with open_memory(vector_location, embedder="hash:32") as new:
            new.reindex(embedder="hash:64")
            results = old.search("zebra")
            assert results[0].frame.text == "zebra"
            [missing] = results.missing
            assert missing.detail == (
                "The store's vectors are now of the embedder hash/words/64/1, not of hash/words/32/1. "
                "Open the store again with that one."
            )
            report = old.remember("lion")
            assert report.created == 1
            assert report.warnings == (f"vectors: {missing.detail}",)
            with pytest.raises(Conflict, match="hash/words/64/1"):
                old.reindex()
            old.erase(1)
            [note] = new.verify(deep=True).notes
            assert "vectors for 0 of 1 frames" in note
            assert new.search("lion").lanes[1].detail == "exact; vectors for 0 of 1 frames"
            assert new.maintain().done["vectors"] == {"embedded": 1}
            assert near(new, "lion") == ["lion"]
            assert {len(data) for data in vectors(new).values()} == {128}


def test_identical_text_is_embedded_once(vector_location: str) -> None:
    embedder = CountingEmbedder()
    with open_memory(vector_location, embedder=embedder) as memory:
        memory.remember_many({"text": "zebra", "session": f"s{place}"} for place in range(5))
        memory.remember("zebra", space="elsewhere")
        memory.remember("zebra")
        memory.remember("zebra")
        assert embedder.texts == ["zebra"]
        memory.remember("zebra", speaker="Ana")
        memory.remember("zebra", title="On animals")
        assert embedder.texts == ["zebra", "Ana: zebra", "On animals\nzebra"]
        assert len(set(vectors(memory).values())) == 3
        assert memory.stats().parts["vectors"]["frames"] == 9
        embedder.texts.clear()
        memory.reindex()
        assert sorted(embedder.texts) == ["Ana: zebra", "On animals\nzebra", "zebra"]


def test_what_was_erased_is_not_kept_as_a_ready_answer(vector_location: str) -> None:
    embedder = CountingEmbedder()
    with open_memory(vector_location, embedder=embedder) as memory:
        memory.erase(memory.remember("zebra").id)
        assert vectors(memory) == {}
        memory.remember("zebra")
        assert embedder.texts == ["zebra", "zebra"]


def test_a_document_with_chunks_is_embedded_in_its_chunks_alone(vector_location: str) -> None:
    from longmind.store.drafts import chunked, draft
    from longmind.store.write import put

    embedder = CountingEmbedder()
    with open_memory(vector_location, embedder=embedder) as memory:
        whole = chunked(
            draft("zebra lion", space="default", kind="document"), [(0, 5, None), (6, 10, "Cats")]
        )
        parts = memory.store.parts
        prepared = {part.name: made for part in parts if (made := part.prepare(whole.flat())) is not None}
        with memory.store.write() as tx:
            [done] = put(tx, [whole], parts=parts, prepared=prepared)
        assert embedder.texts == ["zebra", "Cats\nlion"]
        assert set(vectors(memory)) == set(done.chunks)
        assert {hit.frame.parent for hit in memory.search("lion")} == {done.id}


def test_vectors_are_kept_as_half_precision_of_what_the_embedder_gave(vector_location: str) -> None:
    text = "the zebra " * 400
    with open_memory(vector_location, embedder="hash:32") as memory:
        frame_id = memory.remember(text).id
        [encoding] = HashEmbedder(32).encode([text])
        assert len(encoding.vectors) > 1
        stored = np.frombuffer(vectors(memory)[frame_id], dtype=np.float16).reshape(-1, 32)
        assert np.array_equal(stored, encoding.vectors.astype(np.float16))
        assert memory.stats().parts["vectors"]["windows"] == len(encoding.vectors)
