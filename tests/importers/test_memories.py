"""Other memories: the MCP memory server, mem0, LangGraph, Letta, Graphiti, vaults, and any table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from longmind import AsOf, InvalidInput, Memory, NotFound, Unavailable
from tests.importers import samples
from tests.importers.samples import write_json, write_lines


def test_a_knowledge_graph_becomes_frames_and_facts(memory: Memory, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "memory.jsonl", samples.graph_lines())
    path.write_text(path.read_text() + "{broken\n[1]\n", encoding="utf-8")
    report = memory.import_from("mcp-memory", path)
    assert report.kinds == {"entity": 3, "observation": 4, "relation": 1}
    assert report.skip_counts == {"invalid_json": 1, "unknown_line": 1}
    [fact] = memory.facts.about("Ana", predicate="works_at")
    assert (str(fact.fact.object), fact.channel, fact.trust) == ("Acme", "import", "low")
    assert memory.search("anvils")[0].frame.title == "Acme"
    assert memory.import_from("mcp-memory", path).created == 0


def test_a_graph_without_types_and_with_more_fields_is_read(plain: Memory, tmp_path: Path) -> None:
    lines = [
        {"name": "Ana", "entityType": "person", "observations": ["Sails"], "createdAt": 1709294400,
         "updatedBy": "x"},
        {"from": "Ana", "to": "Acme", "relationType": "worked at", "validFrom": 1577836800,
         "validTo": 1609459200},
    ]  # fmt: skip
    plain.import_from("mcp-memory", write_lines(tmp_path / "memory.jsonl", lines))
    [entity] = plain.list(where={"kind": "entity"})
    assert entity.occurred_at == 1_709_294_400_000
    assert entity.metadata["import"]["updatedBy"] == "x"
    [fact] = plain.facts.history("Ana")
    assert (fact.valid_from, fact.valid_to) == (1_577_836_800_000, 1_609_459_200_000)


def test_forgetting_a_relation_takes_back_its_fact(plain: Memory, tmp_path: Path) -> None:
    plain.import_from("mcp-memory", write_lines(tmp_path / "memory.jsonl", samples.graph_lines()))
    plain.forget(where={"kind": "relation"})
    assert len(plain.facts.about("Ana")) == 0


def test_mem0_users_stay_apart_and_times_and_fields_are_kept(memory: Memory, tmp_path: Path) -> None:
    memory.import_from("mem0", write_json(tmp_path / "mem0.json", samples.mem0_document()))
    [own] = memory.list(user="ana")
    assert (own.text, own.user, own.occurred_at) == ("Prefers trains", "ana", 1_709_294_400_000)
    assert own.metadata["import"]["metadata"] == {"topic": "travel"}
    assert [frame.text for frame in memory.list(user="ben")] == ["Has a dog"]
    assert list(memory.list()) == []


def test_mem0_history_is_versions_that_supersede_each_other(plain: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "mem0"
    folder.mkdir()
    samples.mem0_history(folder / "history.db")
    write_json(folder / "all.json", samples.mem0_document())
    report = plain.import_from("mem0", folder)
    assert (report.superseded, report.retired) == (2, 1)
    live = {frame.text for frame in plain.list(user="ana") if frame.kind == "text"}
    assert live == {"Prefers trains"}
    assert [text for text, *_ in versions(plain)] == ["Prefers trains", "Prefers planes", "Prefers trains"]
    ids, successors = zip(*[(frame_id, next_id) for _, frame_id, next_id, _ in versions(plain)], strict=True)
    assert successors == (*ids[1:], None)
    *_, (_, planes, _, written_at), _ = versions(plain)
    assert plain.get(planes, user="ana", as_of=AsOf(written_at, 2**62)).text == "Prefers planes"
    assert plain.import_from("mem0", folder).created == 0
    [said] = plain.list(user="ana", where={"kind": "turn"})
    assert (said.text, said.session) == ("By train, please.", "mem0:r9")


def versions(memory: Memory) -> list[tuple[str, int, int | None, int]]:
    """Every version of what is preferred: its text, its frame, the one after it, and when it was written."""
    with memory.store.read() as snapshot:
        rows = snapshot.db.all(
            "SELECT t.text, f.frame_id, f.superseded_by, f.recorded_at FROM frame f "
            "JOIN frame_text t ON t.frame_id = f.frame_id WHERE f.space = 'default@ana' ORDER BY f.frame_id"
        )
    return [row for row in rows if row[0].startswith("Prefers")]


def test_json_alone_then_its_history_is_the_same_memory(plain: Memory, tmp_path: Path) -> None:
    document = {"results": [{"id": "m9", "memory": "Sails", "created_at": "2024-01-01T00:00:00Z"}]}
    plain.import_from("mem0", write_json(tmp_path / "one.json", document))
    document["results"][0] |= {"memory": "Sails and rows", "updated_at": "2024-02-01T00:00:00Z"}
    report = plain.import_from("mem0", write_json(tmp_path / "two.json", document))
    assert report.superseded == 1
    assert [frame.text for frame in plain.list()] == ["Sails and rows"]


def test_langgraph_items_keep_their_values_and_expiry(memory: Memory, tmp_path: Path) -> None:
    report = memory.import_from("langgraph", samples.langgraph_store(tmp_path / "store.db"))
    assert (report.created, report.skip_counts) == (2, {"invalid_json": 1})
    items = {tuple(frame.metadata["namespace"]): frame for frame in memory.list(where={"kind": "item"})}
    assert items["memories", "ana"].metadata["value"] == {"text": "likes tea"}
    assert items["memories", "ben"].metadata["value"] == {"n": 1, "deep": {"x": [1, 2]}}
    assert items["memories", "ben"].metadata["expires_at"] == 1_709_384_400_500
    assert memory.search("tea")[0].frame.metadata["key"] == "k1"


def test_a_langgraph_database_is_read_in_every_generation_and_refused_in_words(
    plain: Memory, postgres_url: str
) -> None:
    import psycopg

    url = samples.new_database(postgres_url, "langgraph_tables")
    with pytest.raises(InvalidInput, match="no table 'store'"):
        plain.import_from("langgraph", url)
    with psycopg.connect(url, autocommit=True) as database:
        # As LangGraph made it before items could expire.
        database.execute(
            "CREATE TABLE store (prefix text, key text, value jsonb, created_at timestamptz,"
            " updated_at timestamptz, PRIMARY KEY (prefix, key))"
        )
        rows = [
            ("b.c", "k", '{"text": "tea"}', "2024-03-01 12:00+02", "2024-03-02 12:00Z"),
            ("a", "k", "[1]", "2024-03-01", "2024-03-01"),
            ("a", "j", '{"n": 1}', "2024-03-01", "2024-03-01"),
        ]
        database.cursor().executemany("INSERT INTO store VALUES (%s, %s, %s, %s, %s)", rows)
        report = plain.import_from("langgraph", url)
        assert (report.created, report.skip_counts) == (2, {"unknown_value": 1})
        first, second = plain.list(where={"kind": "item"}).frames
        assert (first.metadata["namespace"], second.metadata["namespace"]) == (["a"], ["b", "c"])
        assert second.metadata["created_at"] == 1_709_287_200_000
        assert second.occurred_at == 1_709_380_800_000
        database.execute("DROP TABLE store; CREATE TABLE store (id int, city text)")
    with pytest.raises(InvalidInput, match="prefix"):
        plain.import_from("langgraph", url)
    with pytest.raises(Unavailable) as refused:
        plain.import_from("langgraph", "postgresql://ana:s3cret@127.0.0.1:9/d?connect_timeout=2")
    assert "s3cret" not in str(refused.value)


def test_agent_files_of_both_generations_are_read(plain: Memory, tmp_path: Path) -> None:
    write_json(tmp_path / "sam.af", samples.agent_file())
    report = plain.import_from("letta", tmp_path / "sam.af")
    [block] = plain.list(where={"tags": ["core-memory"]})
    assert (block.text, block.title) == ("First name: Chad", "sam: human")
    said = [(frame.role, frame.text) for frame in plain.list(where={"kind": "turn"})]
    assert said == [
        ("user", "Call me Chad."),
        ("assistant", "Hello Chad."),
        ("assistant", "Called send_message({})"),
        ("tool", "sent"),
    ]
    assert report.skip_counts == {"event": 1, "left_out": 1, "tools": 1}
    plain.import_from("letta", write_json(tmp_path / "old.af", samples.old_agent_file()), space="old")
    assert [frame.text for frame in plain.list(space="old")] == ["I am Sam.", "Hello", "Hi"]


def test_two_documents_run_together_are_refused_with_the_place(plain: Memory, tmp_path: Path) -> None:
    (tmp_path / "agent2.af").write_text('{"agents": []}{"agents": []}', encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"not valid JSON: Extra data: line 1 column 15"):
        plain.import_from("letta", tmp_path / "agent2.af")


def test_a_changed_block_supersedes_the_old_one(plain: Memory, tmp_path: Path) -> None:
    agent = samples.agent_file()
    plain.import_from("letta", write_json(tmp_path / "sam.af", agent))
    agent["blocks"][0]["value"] = "First name: Charles"
    report = plain.import_from("letta", write_json(tmp_path / "sam.af", agent))
    assert (report.created, report.superseded) == (1, 1)
    [block] = plain.list(where={"tags": ["core-memory"]})
    assert block.text == "First name: Charles"


def test_graph_edges_hold_over_their_own_period_on_their_episodes(memory: Memory, tmp_path: Path) -> None:
    report = memory.import_from("graphiti", write_lines(tmp_path / "graph.jsonl", samples.graphiti_lines()))
    assert report.skip_counts == {"missing_node": 1}
    then = AsOf(system=2**62, valid=1_640_995_200_000)  # 2022
    assert [str(hit.fact.object) for hit in memory.facts.about("Ana", as_of=then)] == ["Lisbon"]
    [now] = memory.facts.about("Ana", predicate="lives_in")
    assert (str(now.fact.object), now.valid_from) == ("Porto", 1_705_276_800_000)
    cited = {memory.get(piece.frame).text for piece in now.evidence}
    assert "Ana: I moved from Lisbon to Porto." in cited
    assert len(memory.facts.about("Ana", predicate="visited")) == 0, "it was taken back in the graph"
    edge = next(frame for frame in memory.list(where={"kind": "fact"}) if "Lisbon" in frame.text)
    assert edge.metadata["import"]["expired_at"] == "2024-02-01T00:00:07Z"
    assert edge.metadata["import"]["weight"] == 2
    again = memory.import_from("graphiti", tmp_path / "graph.jsonl")
    assert (again.created, again.facts, again.retired) == (0, 0, 0)


def test_a_vault_is_notes_with_links_and_observations(memory: Memory, tmp_path: Path) -> None:
    report = memory.import_from("vault", samples.vault(tmp_path / "vault"))
    ana = next(frame for frame in memory.list(where={"kind": "document"}) if frame.title == "Ana")
    assert set(ana.tags) == {"friend", "sailor", "tea", "harbour"}
    assert ana.occurred_at == 1_709_251_200_000
    [observation] = memory.list(where={"kind": "observation"})
    assert (observation.title, observation.text) == ("Ana", "Drinks green tea")
    assert (observation.metadata["category"], observation.metadata["context"]) == (
        "preference",
        "since Kyoto",
    )
    facts = {(str(hit.fact.predicate), str(hit.fact.object)) for hit in memory.facts.about("people/ana")}
    assert {("works_at", "Acme"), ("links_to", "Ben"), ("embeds", "boat.png")} <= facts
    assert not any("not a link" in value for _, value in facts)
    assert report.skip_counts == {"not_a_note": 1}


def test_a_changed_note_supersedes_the_old_one_with_its_links(plain: Memory, tmp_path: Path) -> None:
    folder = samples.vault(tmp_path / "vault")
    plain.import_from("vault", folder)
    note = folder / "people" / "Ana.md"
    note.write_text(note.read_text("utf-8").replace("[[Acme]]", "[[Globex]]"), encoding="utf-8")
    report = plain.import_from("vault", folder)
    assert (report.created, report.superseded) == (1, 1)
    employers = [str(hit.fact.object) for hit in plain.facts.about("Ana", predicate="works_at")]
    assert employers == ["Globex"]


def test_any_table_can_be_mapped(plain: Memory, tmp_path: Path) -> None:
    rows = [
        {"pk": 7, "head": "Tea", "body": {"text": "Green, please."}, "at": "2024-03-01T12:00:00+01:00",
         "extra": [1]},
        {"pk": 8, "head": "", "body": {}},
    ]  # fmt: skip
    mapping = {
        "id": "pk",
        "text": "body.text",
        "title": "head",
        "occurred_at": "at",
        "kind": {"value": "note"},
    }
    report = plain.import_from("jsonl", write_lines(tmp_path / "rows.jsonl", rows), mapping=mapping)
    [note] = plain.list()
    assert (note.text, note.title, note.kind, note.occurred_at) == (
        "Green, please.",
        "Tea",
        "note",
        1_709_290_800_000,
    )
    assert note.metadata["import"]["extra"] == [1]
    assert report.skip_counts == {"no_text": 1}
    (tmp_path / "rows.csv").write_text('text;user;tags\n"two\nlines";ana;a, b\n', encoding="utf-8-sig")
    limit = csv.field_size_limit()
    plain.import_from("csv", tmp_path / "rows.csv")
    assert csv.field_size_limit() == limit, "it belongs to the whole process"
    [row] = plain.list(user="ana", where={"tags": ["a", "b"]})
    assert row.text == "two\nlines"


@pytest.mark.parametrize("mapping", [{"texts": "body"}, {"text": 3}, {"text": {"value": 1, "x": 2}}])
def test_a_mapping_that_cannot_be_meant_is_refused(plain: Memory, tmp_path: Path, mapping) -> None:
    with pytest.raises(InvalidInput, match=r"mapping"):
        plain.import_from("jsonl", write_lines(tmp_path / "rows.jsonl", []), mapping=mapping)


def test_an_import_goes_to_the_space_and_user_that_are_named(plain: Memory, tmp_path: Path) -> None:
    path = write_json(tmp_path / "mem0.json", samples.mem0_document())
    plain.import_from("mem0", path, space="work", user="carol")
    assert len(plain.list(space="work", user="carol")) == 2
    assert len(plain.list()) == len(plain.list(space="work")) == 0


def test_what_the_rules_of_a_space_redact_is_redacted(plain: Memory, tmp_path: Path) -> None:
    plain.space("work").set_policy({"pii_redaction": ["email"]})
    rows = [{"id": 1, "text": "Write to ana@example.com"}]
    plain.import_from("jsonl", write_lines(tmp_path / "rows.jsonl", rows), space="work")
    [note] = plain.list(space="work")
    assert "ana@example.com" not in note.text


def test_a_cancelled_import_is_continued_by_the_next(plain: Memory, tmp_path: Path) -> None:
    rows = [{"id": number, "text": f"row {number}"} for number in range(10)]
    path = write_lines(tmp_path / "rows.jsonl", rows)
    steps: list[int] = []
    report = plain.import_from(
        "jsonl", path, progress=lambda step: steps.append(step.done), cancelled=lambda: len(steps) == 4
    )
    assert report.cancelled
    assert steps == [1, 2, 3, 4]
    assert plain.import_from("jsonl", path).created == 6
    assert len(plain.list()) == 10


def test_a_file_that_is_missing_and_a_store_are_refused(plain: Memory, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        plain.import_from("mem0", tmp_path / "nothing.json")
    with Memory.open(tmp_path / "other.mind", embedder=None), pytest.raises(InvalidInput):
        plain.import_from("langgraph", tmp_path / "other.mind")
    with pytest.raises(InvalidInput, match=r"mysql:// is not a source"):
        plain.import_from("langgraph", "mysql://host/db")


def test_long_lists_are_read_piece_by_piece(plain: Memory, tmp_path: Path, monkeypatch) -> None:
    from longmind.importers import files

    monkeypatch.setattr(files, "_CHUNK", 7)
    rows = [{"id": number, "text": f"Straße {number} " + "x" * number} for number in range(30)]
    (tmp_path / "rows.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8-sig")
    assert plain.import_from("jsonl", tmp_path / "rows.json").created == 30
