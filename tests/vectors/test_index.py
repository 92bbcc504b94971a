"""Vectors follow the frames; what is damaged or missing is found by verify and mended by reindex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from longmind import Memory
from longmind.embed.protocol import Encoding
from longmind.vectors.index import embedded_text, missing_ids
from longmind.vectors.late_interaction import sample_texts
from tests.vectors.clusters import ClusterEmbedder
from tests.vectors.opening import open_memory


def stored(memory: Memory) -> dict[str, list[Any]]:
    with memory.store.read() as snapshot:
        return {
            "vectors": [
                (frame_id, windows, bytes(data))
                for frame_id, windows, data in snapshot.db.all(
                    "SELECT frame_id, windows, data FROM frame_vector ORDER BY frame_id"
                )
            ],
            "signs": [
                (frame_id, bytes(data))
                for frame_id, data in snapshot.db.all(
                    "SELECT frame_id, data FROM frame_token ORDER BY frame_id"
                )
            ],
        }


DAMAGE: dict[str, tuple[str, tuple[Any, ...], bool]] = {
    "a vector is too short": ("UPDATE frame_vector SET data = ? WHERE frame_id = 2", (b"\0\1\2",), False),
    "a vector has no length": ("UPDATE frame_vector SET data = ? WHERE frame_id = 2", (b"\0" * 64,), True),
    "a vector is noise": ("UPDATE frame_vector SET data = ? WHERE frame_id = 2", (b"\x5a\x5b" * 32,), True),
    "windows are miscounted": ("UPDATE frame_vector SET windows = 2 WHERE frame_id = 2", (), False),
    "a frame is not indexed": ("DELETE FROM text_doc WHERE frame_id = 2", (), False),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_and_mended(vector_location: str, damage: str) -> None:
    sql, values, deep = DAMAGE[damage]
    with open_memory(vector_location) as memory:
        memory.remember_many(["zebra", "lion", "river stone"])
        right = stored(memory)
        assert memory.verify(deep=True)
        with memory.store.write() as tx:
            tx.db.run(sql, values)
            assert tx.system
        found = memory.verify(deep=deep).problems
        assert "vectors" in {problem.code for problem in found}
        assert all(problem.derived for problem in found)
        memory.reindex()
        assert memory.verify(deep=True)
        assert stored(memory) == right
        assert memory.search("lion", mode="vector")[0].frame.text == "lion"


def test_missing_vectors_are_counted_and_filled_in(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        memory.remember_many(["zebra", "lion", "river stone"])
        right = stored(memory)
        with memory.store.write() as tx:
            tx.db.run("DELETE FROM frame_token WHERE frame_id = 2")
            tx.db.run("DELETE FROM frame_vector WHERE frame_id = 2")
            assert tx.system
        with memory.store.read() as snapshot:
            assert missing_ids(snapshot.db, after=0, limit=10) == [2]
            assert missing_ids(snapshot.db, after=2, limit=10) == []
        assert memory.stats().parts["vectors"] == {"frames": 2, "windows": 2, "missing": 1}
        assert memory.maintain().done["vectors"] == {"embedded": 1}
        assert stored(memory) == right


def test_reindex_makes_the_same_bytes_again(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        memory.remember_many([f"zebra {place} of Zürich" for place in range(70)])
        memory.forget(3)
        memory.erase(4)
        right = stored(memory)
        assert len(right["vectors"]) == len(right["signs"]) == 69
        memory.reindex()
        assert stored(memory) == right


def test_an_embedder_without_tokens_has_vectors_and_no_signs(vector_location: str) -> None:
    with open_memory(vector_location, embedder=ClusterEmbedder(16)) as memory:
        memory.remember_many(["c1 i1", "c2 i2"])
        found = stored(memory)
        assert len(found["vectors"]) == 2
        assert found["signs"] == []
        assert memory.search("c2 i9", mode="vector")[0].frame.text == "c2 i2"
        assert memory.verify(deep=True)


def test_from_tokens_to_none_and_back(vector_location: str) -> None:
    with open_memory(vector_location, embedder="hash:16") as memory:
        memory.remember_many(["c1 i1", "c2 i2"])
        right = stored(memory)
        memory.reindex(embedder=ClusterEmbedder(16))
        assert stored(memory)["signs"] == []
        memory.remember("c3 i3")
        assert memory.search("c3 i9", mode="vector")[0].frame.text == "c3 i3"
    with open_memory(vector_location, embedder=ClusterEmbedder(16)) as memory:
        memory.remember("c4 i4")
        assert stored(memory)["signs"] == []
        memory.erase(3)
        memory.erase(4)
        memory.reindex(embedder="hash:16")
        assert stored(memory) == right


def test_the_embedder_reads_a_text_with_its_title_and_speaker() -> None:
    assert embedded_text("hello", title=None, speaker=None) == "hello"
    assert embedded_text("hello", title="Day one", speaker="Ana") == "Day one\nAna: hello"
    assert embedded_text("Ana: hello", title=None, speaker="Ana") == "Ana: hello"
    assert embedded_text("Day one was fine", title="Day one", speaker=None) == "Day one was fine"


def test_there_is_plain_english_to_learn_directions_from() -> None:
    found = sample_texts()
    assert len(found) >= 60
    assert found == sample_texts()
    assert all(100 <= len(text) <= 600 for text in found)


def test_only_some_texts_are_with_the_embedder_at_a_time(vector_location: str) -> None:
    """What it says of each word is a hundred times as large as the text."""

    class Counting(ClusterEmbedder):
        most = 0

        def encode(self, texts: Sequence[str], *, tokens: bool = False) -> list[Encoding]:
            self.most = max(self.most, len(texts))
            return super().encode(texts, tokens=tokens)

    embedder = Counting()
    with open_memory(vector_location, embedder=embedder) as memory:
        memory.remember_many([f"zebra {number}" for number in range(1_000)])
        assert memory.stats().parts["vectors"]["frames"] == 1_000
        assert embedder.most <= 256
