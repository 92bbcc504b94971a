"""Exports of other services, made up in their formats."""
# ruff: noqa: E501 - one record a line reads better

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOON = 1_709_294_400.0
"""1 March 2024, 12:00 UTC, in seconds."""


def chatgpt_node(
    name: str, parent: str | None, role: str, text: str | None, *, at: float = NOON, **message: Any
) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    said = None if text is None else {
        "id": f"m-{name}", "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
        "update_time": None, "content": content, "status": "finished_successfully", "end_turn": True,
        "weight": 1.0, "metadata": {"model_slug": "gpt-4o"}, "recipient": "all", **message,
    }  # fmt: skip
    return {"id": name, "parent": parent, "children": [], "message": said}


def chatgpt_conversation(name: str = "c1", title: str | None = "Trip to Porto") -> dict[str, Any]:
    """The user edited their second message, so there are two branches; the last answer is shown."""
    nodes = [
        chatgpt_node("root", None, "system", None),
        chatgpt_node("sys", "root", "system", "", metadata={"is_visually_hidden_from_conversation": True}),
        chatgpt_node("u1", "sys", "user", "I am planning a trip to Porto.", at=NOON),
        chatgpt_node("a1", "u1", "assistant", "Lovely. When?", at=NOON + 5),
        chatgpt_node("u2-old", "a1", "user", "In May.", at=NOON + 60),
        chatgpt_node("a2-old", "u2-old", "assistant", "May is mild.", at=NOON + 65),
        chatgpt_node("u2", "a1", "user", "In June.", at=NOON + 90),
        chatgpt_node(
            "t", "u2", "tool", "sunny, 24 degrees", at=NOON + 92, author={"role": "tool", "name": "weather"}
        ),
        chatgpt_node(
            "think",
            "t",
            "assistant",
            "hm",
            at=NOON + 93,
            content={"content_type": "thoughts", "thoughts": []},
        ),
        chatgpt_node("a2", "think", "assistant", "June is sunny.", at=NOON + 95),
    ]
    for node in nodes:
        if node["parent"] is not None:
            next(item for item in nodes if item["id"] == node["parent"])["children"].append(node["id"])
    return {
        "id": name, "conversation_id": name, "title": title, "create_time": NOON, "update_time": NOON + 95,
        "mapping": {node["id"]: node for node in nodes}, "current_node": "a2", "is_archived": False,
        "gizmo_id": "g-1",
    }  # fmt: skip


def claude_conversation(name: str = "k1", title: str = "Bicycle") -> dict[str, Any]:
    def message(number: int, sender: str, text: str, **more: Any) -> dict[str, Any]:
        return {
            "uuid": f"{name}-{number}", "text": text, "sender": sender,
            "content": [{"type": "text", "text": text, "citations": []}],
            "created_at": f"2024-03-01T12:0{number}:00.000000Z", "updated_at": f"2024-03-01T12:0{number}:00Z",
            "attachments": [], "files": [], **more,
        }  # fmt: skip

    thinking = [
        {"type": "thinking", "thinking": "chain or brakes?"},
        {"type": "tool_use", "id": "tu1", "name": "search", "input": {"q": "brakes"}},
        {"type": "tool_result", "tool_use_id": "tu1", "content": [{"type": "text", "text": "pads"}]},
        {"type": "text", "text": "Check the brake pads."},
    ]
    attached = [
        {"file_name": "manual.txt", "file_type": "txt", "file_size": 12, "extracted_content": "Torque: 5 Nm."}
    ]
    return {
        "uuid": name, "name": title, "summary": "", "created_at": "2024-03-01T12:00:00Z",
        "updated_at": "2024-03-01T12:09:00Z", "account": {"uuid": "acc"},
        "chat_messages": [
            message(1, "human", "My bicycle squeaks.", attachments=attached, files=[{"file_name": "photo.jpg"}]),
            message(2, "assistant", "Check the brake pads.", content=thinking),
            message(3, "human", "Thank you!"),
        ],
    }  # fmt: skip


def graph_lines() -> list[dict[str, Any]]:
    return [
        {
            "type": "entity",
            "name": "Ana",
            "entityType": "person",
            "observations": ["Likes tea", "", "Likes tea"],
        },
        {"type": "entity", "name": "ana", "entityType": "boat", "observations": []},
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": ["Makes anvils"]},
        {"type": "relation", "from": "Ana", "to": "Acme", "relationType": "works_at"},
    ]


def graphiti_lines() -> list[dict[str, Any]]:
    return [
        {"uuid": "n1", "name": "Ana", "labels": ["Entity", "Person"], "summary": "Ana builds boats.",
         "created_at": "2024-01-01T00:00:00Z"},
        {"uuid": "n2", "name": "Porto", "labels": ["Entity", "City"], "summary": ""},
        {"uuid": "n3", "name": "Lisbon", "labels": ["Entity"], "summary": ""},
        {"uuid": "e1", "name": "chat", "content": "Ana: I moved from Lisbon to Porto.", "source": "message",
         "valid_at": "2024-02-01T00:00:00Z", "created_at": "2024-02-01T00:00:05Z", "group_id": "g"},
        {"uuid": "x1", "source_node_uuid": "n1", "target_node_uuid": "n3", "name": "LIVES_IN",
         "fact": "Ana lived in Lisbon.", "episodes": ["e1"], "created_at": "2024-02-01T00:00:06Z",
         "expired_at": "2024-02-01T00:00:07Z", "valid_at": "2020-01-01T00:00:00Z",
         "invalid_at": "2024-01-15T00:00:00Z", "weight": 2},
        {"uuid": "x2", "source_node_uuid": "n1", "target_node_uuid": "n2", "name": "LIVES_IN",
         "fact": "Ana lives in Porto.", "episodes": ["e1"], "created_at": "2024-02-01T00:00:06Z",
         "expired_at": None, "valid_at": "2024-01-15T00:00:00Z", "invalid_at": None},
        {"uuid": "x3", "source_node_uuid": "n1", "target_node_uuid": "n2", "name": "VISITED",
         "fact": "Ana visited Porto.", "episodes": ["e1"], "created_at": "2024-02-01T00:00:06Z",
         "expired_at": "2024-02-02T00:00:00Z", "valid_at": "2023-01-01T00:00:00Z", "invalid_at": None},
        {"uuid": "x4", "source_node_uuid": "n1", "target_node_uuid": "gone", "name": "KNOWS", "fact": "?"},
    ]  # fmt: skip


def agent_file() -> dict[str, Any]:
    def message(number: int, role: str, text: str, **more: Any) -> dict[str, Any]:
        return {
            "type": "message", "id": f"message-{number}", "role": role, "agent_id": "agent-0",
            "content": [{"type": "text", "text": text}], "tool_calls": None, "tool_call_id": None,
            "created_at": f"2025-10-31T22:5{number}:00+00:00", **more,
        }  # fmt: skip

    call = [{"id": "call-1", "type": "function", "function": {"name": "send_message", "arguments": "{}"}}]
    return {
        "agents": [
            {
                "id": "agent-0", "name": "sam", "block_ids": ["block-0"], "system": "You are Sam.",
                "messages": [
                    message(0, "system", "You are Sam."),
                    message(1, "user", json.dumps({"type": "login", "last_login": "never"})),
                    message(2, "user", json.dumps({"type": "user_message", "message": "Call me Chad."})),
                    message(3, "assistant", "Hello Chad.", tool_calls=call),
                    message(4, "tool", "sent", tool_call_id="call-1"),
                ],
            }
        ],
        "blocks": [{"id": "block-0", "label": "human", "value": "First name: Chad", "limit": 20000, "read_only": True}],
        "files": [], "sources": [], "tools": [{"id": "tool-0", "name": "send_message"}], "groups": [],
    }  # fmt: skip


def old_agent_file() -> dict[str, Any]:
    """The first generation: the agent itself at the top."""
    return {
        "agent_type": "memgpt_agent", "name": "sam", "system": "You are Sam.",
        "core_memory": [{"label": "persona", "value": "I am Sam.", "created_at": "2025-04-01T00:00:00"}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello"}], "created_at": "2025-04-01T00:00:01"},
            {"role": "assistant", "text": "Hi", "created_at": "2025-04-01T00:00:02"},
        ],
        "in_context_message_indices": [0, 1],
    }  # fmt: skip


def mem0_document() -> dict[str, Any]:
    return {
        "results": [
            {"id": "m1", "memory": "Prefers trains", "hash": "h1", "metadata": {"topic": "travel"},
             "created_at": "2024-03-01T12:00:00+00:00", "updated_at": None, "user_id": "ana", "role": "user"},
            {"id": "m2", "memory": "Has a dog", "hash": "h2", "metadata": None,
             "created_at": "2024-03-02T12:00:00+00:00", "updated_at": "2024-03-03T12:00:00+00:00",
             "user_id": "ben", "run_id": "r1"},
        ]
    }  # fmt: skip


def mem0_history(path: Path) -> Path:
    """m1 was changed twice, the second time back; m3 was deleted."""
    import sqlite3

    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
            " created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"
        )
        db.executemany(
            "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, 'user')",
            [
                ("h1", "m1", None, "Prefers trains", "ADD", "2024-01-01T00:00:00", None, 0),
                (
                    "h2",
                    "m1",
                    "Prefers trains",
                    "Prefers planes",
                    "UPDATE",
                    "2024-01-01T00:00:00",
                    "2024-02-01T00:00:00",
                    0,
                ),
                (
                    "h3",
                    "m1",
                    "Prefers planes",
                    "Prefers trains",
                    "UPDATE",
                    "2024-01-01T00:00:00",
                    "2024-03-01T00:00:00",
                    0,
                ),
                ("h4", "m3", None, "Smokes", "ADD", "2024-01-05T00:00:00", None, 0),
                ("h5", "m3", "Smokes", None, "DELETE", "2024-01-06T00:00:00", None, 1),
            ],
        )
        db.execute(
            "CREATE TABLE messages (id TEXT, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at TEXT)"
        )
        db.execute(
            "INSERT INTO messages VALUES ('x', 'user_id=ana&run_id=r9', 'user', 'By train, please.', NULL, '2024-01-01')"
        )
    db.close()
    return path


def langgraph_store(path: Path) -> Path:
    import sqlite3

    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL, created_at TIMESTAMP,"
            " updated_at TIMESTAMP, expires_at TIMESTAMP, ttl_minutes REAL, PRIMARY KEY (prefix, key))"
        )
        db.executemany(
            "INSERT INTO store VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                ("memories.ana", "k1", b'{"text":"likes tea"}', "2024-03-01 12:00:00", "2024-03-01 12:00:00", None, None),
                ("memories.ben", "k1", '{"n":1,"deep":{"x":[1,2]}}', "2024-03-01 12:00:00", "2024-03-02 12:00:00",
                 "2024-03-02 13:00:00.5+00:00", 60.0),
                ("memories.ben", "k2", "not json", "2024-03-01 12:00:00", "2024-03-02 12:00:00", None, None),
            ],
        )  # fmt: skip
    db.close()
    return path


def vault(folder: Path) -> Path:
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "Ana.md").write_text(
        "---\ntitle: Ana\ntype: person\npermalink: people/ana\ntags: [friend, sailor]\ncreated: 2024-03-01\n---\n\n"
        "# Ana\n\n## Observations\n- [preference] Drinks green tea #tea (since Kyoto)\n- [x] not an observation\n\n"
        "## Relations\n- works_at [[Acme]]\n\nShe met [[Ben|my brother]] and saw ![[boat.png]]. #harbour\n"
        "```\n[[not a link]] #nottag\n```\n",
        encoding="utf-8",
    )
    (folder / "Acme.md").write_text("# Acme\n\nMakes anvils. ^block1\n", encoding="utf-8")
    (folder / "boat.png").write_bytes(b"\x89PNG")
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text("{}", encoding="utf-8")
    return folder


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def new_database(server: str, name: str) -> str:
    """The address of an empty database on a PostgreSQL server."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}"')
        connection.execute(f'CREATE DATABASE "{name}"')
    return server.replace("/postgres?", f"/{name}?")
