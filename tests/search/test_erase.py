"""What is erased leaves no word, no vector and no sign behind: in no table, no byte and no handle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import AsOf, Memory
from longmind.store.drafts import chunked, draft
from longmind.store.write import put
from tests.vectors.opening import open_memory

WORD = "quizzaciously"
"""In no other text of the tests; its stem is a part of it."""
STEM = "quizzaci"
TEXT = f"the {WORD} striped zebra of ERR_{WORD}_77 drinks"


def rows(memory: Memory, sql: str) -> list[Any]:
    with memory.store.read() as snapshot:
        return snapshot.db.all(sql)


def derived(memory: Memory, frame_id: int) -> dict[str, int]:
    """Rows about a frame, by table."""
    tables = ["text_doc", "frame_vector", "frame_token"]
    return {
        table: len(rows(memory, f"SELECT 1 FROM {table} WHERE frame_id = {frame_id}")) for table in tables
    }


def terms(memory: Memory) -> set[str]:
    return {str(term) for (term,) in rows(memory, "SELECT DISTINCT term FROM text_posting")}


def test_no_row_is_left(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        memory.remember("a zebra that stays")
        frame_id = memory.remember(TEXT, tags=[WORD]).id
        assert all(derived(memory, frame_id).values())
        assert {term for term in terms(memory) if STEM in term}
        certificate = memory.erase(frame_id)
        assert not any(derived(memory, frame_id).values())
        assert not {term for term in terms(memory) if STEM in term or "77" in term or "stripe" in term}
        assert "zebra" in terms(memory)
        for table in ("text_doc", "text_posting", "frame_vector", "frame_token"):
            assert certificate.counts[table] >= 1, table
        assert memory.verify_erasure(certificate)
        assert memory.verify(deep=True)


def test_no_lane_finds_it_at_any_instant(vector_location: str) -> None:
    with open_memory(vector_location) as memory, open_memory(vector_location) as other:
        frame_id = memory.remember(TEXT, session="s", role="user").id
        memory.remember("the turn after it", session="s", role="user")
        then = memory.revision
        for reader in (memory, other):
            assert reader.search(WORD)[0].frame.id == frame_id
        memory.erase(frame_id)
        for reader in (memory, other):
            for mode in ("hybrid", "text", "vector", "timeline"):
                for as_of in (AsOf.LATEST, AsOf(then, AsOf.LATEST.valid)):
                    hits = reader.search(TEXT, mode=mode, as_of=as_of, limit=100)
                    assert frame_id not in [hit.frame.id for hit in hits]
                    assert WORD not in hits.explain().replace(repr(TEXT), "").split("left out")[0]
            assert reader.why_not(WORD, frame_id).stage == "missing"


def test_the_bytes_of_the_file_hold_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember_many(f"a zebra that stays {place}" for place in range(50))
        frame_id = memory.remember(TEXT, title=f"On {WORD}", tags=[WORD], metadata={WORD: WORD}).id
        [(vector,)] = rows(memory, f"SELECT data FROM frame_vector WHERE frame_id = {frame_id}")
        [(signs,)] = rows(memory, f"SELECT data FROM frame_token WHERE frame_id = {frame_id}")
        secrets = {
            "the word": WORD.encode(),
            "its stem": STEM.encode(),
            "the identifier": b"_77",
            "the vector": bytes(vector),
            "the signs": bytes(signs),
        }
        memory.flush()
        assert all(secret in everything(tmp_path) for secret in secrets.values())
        certificate = memory.erase(frame_id)
        assert certificate.scrubbed
        assert [name for name, secret in secrets.items() if secret in everything(tmp_path)] == []
    assert [name for name, secret in secrets.items() if secret in everything(tmp_path)] == []


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def test_the_same_text_elsewhere_stays_found(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        here = memory.remember(TEXT).id
        there = memory.remember(TEXT, space="there").id
        memory.erase(here)
        for mode in ("text", "vector"):
            assert [hit.frame.id for hit in memory.search(TEXT, space="there", mode=mode)] == [there]
        assert not memory.search(TEXT)


def test_a_document_goes_with_its_chunks(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        half = len(TEXT.encode()) // 2
        whole = chunked(
            draft(TEXT, space="default", kind="document"), [(0, half, None), (half, len(TEXT.encode()), None)]
        )
        prepared = {
            part.name: made for part in memory.store.parts if (made := part.prepare(whole.flat())) is not None
        }
        with memory.store.write() as tx:
            [done] = put(tx, [whole], parts=memory.store.parts, prepared=prepared)
        assert memory.search(WORD)[0].frame.parent == done.id
        memory.erase(done.id)
        assert not memory.search(WORD)
        assert terms(memory) == set()
        for frame_id in (done.id, *done.chunks):
            assert not any(derived(memory, frame_id).values())


def test_it_can_be_erased_by_a_handle_without_an_embedder(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        frame_id = memory.remember(TEXT).id
        kept = memory.remember("a zebra that stays").id
    with open_memory(vector_location, embedder=None) as bare:
        certificate = bare.erase(frame_id)
        assert certificate.counts["frame_vector"] == 1
        assert not any(derived(bare, frame_id).values())
        assert bare.verify(deep=True)
    with open_memory(vector_location) as memory:
        assert [hit.frame.id for hit in memory.search(TEXT, mode="vector")] == [kept]
        assert memory.verify(deep=True)


@pytest.mark.parametrize("embedder", [None, "hash:32"])
def test_words_are_erased_with_and_without_vectors(embedder: str | None) -> None:
    with open_memory(":memory:", embedder=embedder) as memory:
        memory.erase(memory.remember(TEXT).id)
        assert terms(memory) == set()


def test_words_are_erased_on_the_server(new_location: Callable[[str], str]) -> None:
    with open_memory(new_location("postgresql"), embedder=None) as memory:
        kept = memory.remember("a zebra that stays").id
        memory.erase(memory.remember(TEXT).id)
        assert terms(memory) == {"zebra", "stai"}
        assert [hit.frame.id for hit in memory.search("zebra", lanes=["text"])] == [kept]


def test_what_is_forgotten_is_kept_for_the_past_and_then_erased(vector_location: str) -> None:
    with open_memory(vector_location) as memory:
        frame_id = memory.remember(TEXT).id
        then = AsOf(memory.revision, AsOf.LATEST.valid)
        memory.forget(frame_id)
        assert not memory.search(WORD)
        for mode in ("text", "vector", "timeline", "hybrid"):
            assert [hit.frame.id for hit in memory.search(WORD, as_of=then, mode=mode)] == [frame_id]
        memory.erase(frame_id)
        assert not memory.search(WORD, as_of=then)
        assert terms(memory) == set()
