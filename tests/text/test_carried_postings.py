"""Postings that an earlier format wrote with three bytes each answer as before, on either engine."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from longmind import Corrupt, Memory
from longmind.base import posting_records
from longmind.store.carry_over import pack_postings
from tests.formats import indexed
from tests.vectors.opening import open_memory

TABLES = ("text_posting", "text_field", "text_word")
WORDS = ("zebra", "river", "stone", "lamp")


def rows(memory: Memory) -> dict[str, list[Any]]:
    with memory.store.read() as snapshot:
        return {table: sorted(snapshot.db.all(f"SELECT term, block, data FROM {table}")) for table in TABLES}


def carry_over(memory: Memory, damage: str | None = None) -> None:
    """Write all postings as format 15 did, and then as they are written now."""
    before = rows(memory)
    with memory.store.write() as tx:
        for table, stored in before.items():
            for term, block, data in stored:
                pairs = posting_records.unpack(data)
                earlier = b"".join(offset.to_bytes(2, "little") + bytes([value]) for offset, value in pairs)
                earlier += b"\1" if term == damage else b""
                tx.db.run(f"UPDATE {table} SET data = ? WHERE term = ? AND block = ?", (earlier, term, block))
        pack_postings(tx.db)
        assert tx.system


def found(memory: Memory) -> list[Any]:
    return [
        [(hit.frame.id, hit.score) for hit in memory.search(query, lanes=["text"], limit=50)]
        for query in (*WORDS, " ".join(WORDS))
    ]


def filled(location: str) -> Memory:
    memory = open_memory(location, embedder=None)
    memory.remember_many(f"{WORDS[number % 4]} {WORDS[number % 3]} note {number}" for number in range(150))
    memory.remember("zebra " * 300 + "river " * 15 + "stone " * 16)
    with memory.store.write() as tx:
        tx.allocate("frame", 9000)
        assert tx.system
    memory.remember_many(f"river {number} lamp" for number in range(70))
    memory.space("atlas").remember_raw("guide", "The zebra crosses the river.", tags=["north"])
    return memory


def test_a_kept_file_with_an_index_answers_the_same(tmp_path: Path) -> None:
    path = Path(shutil.copy(indexed.FILE, tmp_path))
    with indexed.open_file(path) as memory:
        assert indexed.answers(memory) == json.loads(indexed.FILE.with_suffix(".json").read_text("utf-8"))
        report = memory.verify(deep=True)
        assert report, report.problems
        before = rows(memory)
        memory.reindex()
        assert rows(memory) == before
        assert indexed.answers(memory) == json.loads(indexed.FILE.with_suffix(".json").read_text("utf-8"))


def test_carried_postings_are_those_that_are_written_now(location: str) -> None:
    with filled(location) as memory:
        before, answered = rows(memory), found(memory)
        carry_over(memory)
        assert rows(memory) == before
    with open_memory(location, embedder=None) as memory:
        assert found(memory) == answered
        assert memory.verify(deep=True)
        memory.erase(memory.remember("zebra river " * 20).id)
        assert rows(memory) == before


def test_a_damaged_row_stays_one_until_the_index_is_made_anew(location: str) -> None:
    with filled(location) as memory:
        before, answered = rows(memory), found(memory)
        carry_over(memory, damage="lamp")
        with pytest.raises(Corrupt, match="text_posting"):
            memory.search("lamp", lanes=["text"])
        assert [hit.frame.id for hit in memory.search("zebra", lanes=["text"], limit=50)]
        assert not memory.verify(deep=True)
        memory.reindex()
        assert rows(memory) == before
        assert found(memory) == answered
