"""Writing frames: names that never change, and what happens between looking and writing."""

from __future__ import annotations

import pytest

from longmind import Conflict, InvalidInput, Memory
from longmind.base.hashing import digest
from longmind.ingest import pipeline
from longmind.store.drafts import chunked, draft
from longmind.store.write import look, put


def test_the_name_of_a_frame_is_a_hash_over_its_fields_in_order() -> None:
    given = draft(
        "Ana moved.",
        space="a",
        scope="global",
        kind="note",
        session="s",
        role="user",
        speaker="Ana",
        uri="u:1",
    )
    fields = ("frame", "a", "global", "note", "s", "user", "Ana", "u:1")
    assert given.content_hash() == digest(*fields, None, None, None, "Ana moved.", None)
    parent = bytes(32)
    assert given.content_hash(parent) == digest(*fields, parent, None, None, "Ana moved.", None)
    dated = draft("Ana moved.", space="a", title="T", occurred_at=5)
    bare = ("frame", "a", "space", "text", None, None, None, None)
    assert dated.content_hash() == digest(*bare, None, None, "T", "Ana moved.", 5)
    assert dated.content_hash().hex() == "54aeaefab665ff311e0b9780d2626c3090109343c85c084590ff219b26d6c7e4"


def test_labels_are_checked_each_time_they_are_given() -> None:
    for _ in range(2):
        assert draft("x", space="a", session=" s ").session == "s"
        with pytest.raises(InvalidInput, match="session is empty"):
            draft("x", space="a", session=" ")
        with pytest.raises(InvalidInput, match="role must be a string"):
            draft("x", space="a", role=1)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="tags must be a list"):
            draft("x", space="a", tags="")
        with pytest.raises(InvalidInput, match="tags must be a list"):
            draft("x", space="a", tags=None)  # type: ignore[arg-type]


def test_a_write_sees_what_was_written_since_it_looked(memory: Memory) -> None:
    drafts = [draft("one", space="default"), draft("two", space="default")]
    with memory.store.read() as snapshot:
        looked = look(snapshot, drafts)
    assert list(looked.targets) == [None, None]
    there = memory.remember("two").id
    with memory.store.write() as tx:
        results = put(tx, drafts, parts=memory.store.parts, looked=looked)
    assert [(result.id == there, result.status) for result in results] == [
        (False, "created"),
        (True, "unchanged"),
    ]
    assert memory.verify(deep=True)


def test_a_write_sees_what_its_own_transaction_wrote(memory: Memory) -> None:
    drafts = [draft("one", space="default")]
    with memory.store.read() as snapshot:
        looked = look(snapshot, drafts)
    with memory.store.write() as tx:
        [first] = put(tx, drafts, parts=memory.store.parts, looked=looked)
        [again] = put(tx, drafts, parts=memory.store.parts, looked=looked)
    assert (first.status, again.status, again.id) == ("created", "unchanged", first.id)
    assert memory.verify(deep=True)


def test_superseding_refuses_for_the_fault_of_the_old_one_first(memory: Memory) -> None:
    whole = draft("one two three", space="default")
    document = pipeline.remember(memory.store, [chunked(whole, [(0, 3, None), (3, 13, None)])]).id
    early, late = document, memory.remember("late").id
    memory.forget(late)
    with pytest.raises(Conflict):
        memory.supersede(late, early + 1)
    with pytest.raises(InvalidInput):
        memory.supersede(early + 1, late)
