"""Out again: what was imported comes out as it went in, and what was made here comes along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longmind import Conflict, Memory
from tests.importers import samples
from tests.importers.samples import write_json, write_lines


def test_a_knowledge_graph_comes_out_as_it_went_in(memory: Memory, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "in.jsonl", samples.graph_lines())
    memory.import_from("mcp-memory", path)
    memory.export_to("mcp-memory", tmp_path / "out.jsonl")
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert written == samples.graph_lines()


def test_notes_and_facts_of_our_own_are_in_the_graph(plain: Memory, tmp_path: Path) -> None:
    plain.remember("The harbour closes at nine.", title="Harbour")
    plain.facts.record("Ana", "likes", "tea")
    plain.export_to("mcp-memory", tmp_path / "out.jsonl")
    with Memory.open(tmp_path / "back.mind", embedder=None) as back:
        back.import_from("mcp-memory", tmp_path / "out.jsonl")
        assert back.search("harbour nine")[0].frame.title == "Harbour"
        assert back.search("tea")[0].frame.title == "Ana"


def test_mem0_memories_come_out_as_they_went_in(memory: Memory, tmp_path: Path) -> None:
    document = samples.mem0_document()
    memory.import_from("mem0", write_json(tmp_path / "in.json", document))
    memory.export_to("mem0", tmp_path / "out.json", user="ben")
    [out] = json.loads((tmp_path / "out.json").read_text("utf-8"))["results"]
    went_in = document["results"][1]
    assert {**out, "hash": "h2"} == went_in


def test_a_vault_can_be_read_back(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Green tea, please.", title="Tea", tags=["drinks"])
    memory.remember("A/B: both?", title="../../etc/passwd")
    memory.conversation("s1").add_turn("user", "I sail on Sundays.")
    memory.facts.record("Ana", "works_at", "Acme")
    memory.export_to("vault", tmp_path / "vault")
    names = sorted(
        path.relative_to(tmp_path / "vault").as_posix() for path in (tmp_path / "vault").rglob("*.md")
    )
    assert "notes/Tea.md" in names
    assert "conversations/s1.md" in names
    assert all(".." not in name.split("/") for name in names)
    with Memory.open(tmp_path / "back.mind", embedder=None) as back:
        back.import_from("vault", tmp_path / "vault")
        [tea] = back.list(where={"tags": ["drinks"]})
        [own] = memory.list(where={"tags": ["drinks"]})
        assert (tea.title, tea.text.strip(), tea.occurred_at // 1000) == (
            "Tea",
            own.text,
            own.occurred_at // 1000,
        )
        assert "s1" in {hit.frame.title for hit in back.search("Sundays")}


def test_other_notes_in_the_folder_are_left_alone(plain: Memory, tmp_path: Path) -> None:
    plain.remember("One.", title="One")
    plain.export_to("vault", tmp_path / "vault")
    (tmp_path / "vault" / "mine.md").write_text("mine", encoding="utf-8")
    with pytest.raises(Conflict):
        plain.export_to("vault", tmp_path / "vault")
    plain.export_to("vault", tmp_path / "vault", overwrite=True)
    assert (tmp_path / "vault" / "mine.md").read_text("utf-8") == "mine"


def test_one_users_part_is_exported_alone(plain: Memory, tmp_path: Path) -> None:
    plain.remember("Ana's secret", user="ana")
    plain.remember("Shared")
    plain.export_to("mem0", tmp_path / "ana.json", user="ana")
    plain.export_to("mem0", tmp_path / "all.json")
    assert "Shared" not in (tmp_path / "ana.json").read_text("utf-8")
    assert "secret" not in (tmp_path / "all.json").read_text("utf-8")
