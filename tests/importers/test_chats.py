"""Chats of ChatGPT and Claude: turns with their own times, branches apart, nothing twice."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from longmind import Memory
from longmind.importers.chats import branches
from tests.importers.samples import NOON, chatgpt_conversation, claude_conversation, write_json


def turns(memory: Memory, session: str) -> list[tuple[str, str]]:
    listed = memory.list(where={"session": session, "kind": "turn"}, limit=100)
    return [(frame.role or "", frame.text) for frame in listed]


def test_a_chatgpt_conversation_is_what_the_chat_showed_with_its_times(
    memory: Memory, tmp_path: Path
) -> None:
    report = memory.import_from(
        "chatgpt", write_json(tmp_path / "conversations.json", [chatgpt_conversation()])
    )
    assert turns(memory, "chatgpt:c1") == [
        ("user", "I am planning a trip to Porto."),
        ("assistant", "Lovely. When?"),
        ("user", "In June."),
        ("tool", "sunny, 24 degrees"),
        ("assistant", "June is sunny."),
    ]
    first = memory.list(where={"session": "chatgpt:c1"})[0]
    assert first.occurred_at == int(NOON * 1000)
    assert first.title == "Trip to Porto"
    assert first.source == "import"
    assert first.metadata["model"] == "gpt-4o"
    assert first.metadata["import"]["conversation"] == {"gizmo_id": "g-1", "is_archived": False}
    assert first.metadata["import"]["id"] == "c1:m-u1"
    assert report.batches == 1
    assert report.skip_counts == {"hidden": 1, "left_out": 1}


def test_what_was_edited_away_is_kept_apart_and_tagged(plain: Memory, tmp_path: Path) -> None:
    plain.import_from("chatgpt", write_json(tmp_path / "conversations.json", [chatgpt_conversation()]))
    assert turns(plain, "chatgpt:c1#branch-1") == [("user", "In May."), ("assistant", "May is mild.")]
    assert {frame.tags for frame in plain.list(where={"tags": ["branch"]})} == {("branch",)}


def test_an_export_in_parts_inside_an_archive_is_read_whole(plain: Memory, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for number in range(2):
            conversation = [chatgpt_conversation(f"c{number}", None)]
            archive.writestr(f"x/conversations-00{number}.json", json.dumps(conversation))
        archive.writestr("x/export_manifest.json", "{}")
    report = plain.import_from("chatgpt", tmp_path / "export.zip")
    assert report.batches == 2
    assert len(turns(plain, "chatgpt:c1")) == 5


def test_a_second_import_adds_nothing_and_a_grown_one_only_what_is_new(
    memory: Memory, tmp_path: Path
) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_conversation()])
    first = memory.import_from("chatgpt", path)
    revision = memory.revision
    again = memory.import_from("chatgpt", path)
    assert (again.created, again.unchanged) == (0, first.created)
    assert memory.revision == revision
    grown = memory.import_from(
        "chatgpt", write_json(path, [chatgpt_conversation(), chatgpt_conversation("c2")])
    )
    assert grown.unchanged >= first.created


def test_a_dry_run_counts_and_writes_nothing(plain: Memory, tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_conversation()])
    revision = plain.revision
    planned = plain.import_from("chatgpt", path, dry_run=True)
    assert plain.revision == revision
    assert planned.dry_run
    done = plain.import_from("chatgpt", path)
    assert (planned.created, planned.kinds, planned.skip_counts) == (
        done.created,
        done.kinds,
        done.skip_counts,
    )


def test_what_was_forgotten_does_not_come_back(plain: Memory, tmp_path: Path) -> None:
    path = write_json(tmp_path / "conversations.json", [chatgpt_conversation()])
    plain.import_from("chatgpt", path)
    plain.forget(where={"session": "chatgpt:c1"})
    assert plain.import_from("chatgpt", path).created == 0
    assert turns(plain, "chatgpt:c1") == []


def test_claude_turns_tools_and_attachments_are_kept_and_files_reported(
    memory: Memory, tmp_path: Path
) -> None:
    hull = {"uuid": "d", "filename": "hull.md", "content": "Oak.", "created_at": "2024-01-01T00:00:00Z"}
    projects = [{"uuid": "p", "name": "Boats", "prompt_template": "Be brief.", "docs": [hull]}]
    with zipfile.ZipFile(tmp_path / "claude.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps([claude_conversation()]))
        archive.writestr("projects.json", json.dumps(projects))
        archive.writestr("users.json", "[]")
    report = memory.import_from("claude", tmp_path / "claude.zip")
    assert turns(memory, "claude:k1") == [
        ("user", "My bicycle squeaks."),
        ("assistant", 'Called search({"q": "brakes"})'),
        ("tool", "pads"),
        ("assistant", "Check the brake pads."),
        ("user", "Thank you!"),
    ]
    texts = {frame.title: frame.text for frame in memory.list(where={"kind": "document"})}
    assert texts == {"manual.txt": "Torque: 5 Nm.", "hull.md": "Oak."}
    assert report.skip_counts == {"file": 1, "left_out": 1, "unknown_file": 1}


def test_an_older_claude_export_with_text_alone_is_read(plain: Memory, tmp_path: Path) -> None:
    conversation = claude_conversation()
    for message in conversation["chat_messages"]:
        del message["content"]
    plain.import_from("claude", write_json(tmp_path / "conversations.json", [conversation]))
    assert turns(plain, "claude:k1")[-1] == ("user", "Thank you!")


def test_a_regenerated_claude_answer_is_a_branch(plain: Memory, tmp_path: Path) -> None:
    conversation = claude_conversation()
    first, second, third = conversation["chat_messages"]
    for message, parent in (
        (first, "00000000-0000-4000-8000-000000000000"),
        (second, "k1-1"),
        (third, "k1-1"),
    ):
        message["parent_message_uuid"] = parent
    plain.import_from("claude", write_json(tmp_path / "conversations.json", [conversation]))
    assert [text for _, text in turns(plain, "claude:k1")] == ["My bicycle squeaks.", "Thank you!"]
    assert len(turns(plain, "claude:k1#branch-1")) == 3


def test_what_an_imported_user_says_of_themselves_waits_in_quarantine(plain: Memory, tmp_path: Path) -> None:
    conversation = claude_conversation()
    said = conversation["chat_messages"][2]
    said["text"] = said["content"][0]["text"] = "My name is Ana and I live in Porto."
    plain.import_from("claude", write_json(tmp_path / "conversations.json", [conversation]))
    assert len(plain.facts.about("user")) == 0


@pytest.mark.parametrize(
    ("parents", "leaf", "expected"),
    [
        ({}, None, []),
        ({"a": None, "b": "a"}, "b", [["a", "b"]]),
        ({"a": "b", "b": "a"}, None, [["a", "b"]]),
        ({"a": "missing", "b": "a", "c": "a"}, "b", [["a", "b"], ["c"]]),
        ({"a": "a"}, "a", [["a"]]),
    ],
)
def test_branches_end_whatever_the_tree(parents, leaf, expected) -> None:
    assert branches(parents, leaf) == expected
