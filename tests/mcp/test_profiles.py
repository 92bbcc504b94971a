from __future__ import annotations

from pathlib import Path

from longmind.base.tokens import open_tokenizer
from longmind.operations import registry
from tests.mcp.conftest import DEFAULT, begin, over_stdio, said


def test_the_full_profile_has_every_operation_and_confines_files(tmp_path: Path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("A secret of another folder.")
    (inside / "notes.md").write_text("# Notes\n\nThe gate code is on the fridge.\n")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    begin(tmp_path).close()

    with over_stdio(tmp_path, "--profile", "full", "--files", "inside") as agent:
        tools = agent.tools
        assert set(tools) == {"_".join(item.path) for item in registry.operations()} | {"use_context"}
        assert set(tools) > DEFAULT
        assert agent.done("ingest", path="notes.md")["created"] == 1
        for outside in ("../secret.txt", "link.txt", str(tmp_path / "secret.txt"), "~/x"):
            assert agent.refused("ingest", path=outside).startswith("forbidden:")
        assert agent.done("backup", path="copy.mind")["bytes"] > 0
        assert (inside / "copy.mind").is_file()
        assert "Nothing is known of it." in said(agent.call("use_context", project="shop", topic="x"))


def test_answers_stay_inside_the_budget_and_say_that_they_were_cut(tmp_path: Path):
    with begin(tmp_path) as memory:
        for number in range(30):
            memory.remember(f"Note {number} about the harbour. " + "It is long and tells little. " * 60)
    with over_stdio(tmp_path, "--max-tokens", "600") as agent:
        found = agent.call("search", query="harbour", limit=30)  # the client checks it against the schema
        whole = agent.read("longmind://frame/1")

    assert found.structured_content is not None
    assert "Shortened" in found.structured_content["cut"]
    assert found.structured_content["hits"]
    assert open_tokenizer("cl100k_base").count(said(found)) <= 600
    assert whole["text"].startswith("Note 0 about the harbour.")


def test_a_folder_without_a_memory_begins_one_with_the_first_write(tmp_path: Path):
    with over_stdio(tmp_path) as agent:
        assert "Longmind found no memory in this folder" in agent.refused("recall", query="anything")
        assert agent.resources() == []
        assert agent.done("remember", text="The first thing.")["created"] == 1
        assert agent.done("search", query="first")["hits"]
