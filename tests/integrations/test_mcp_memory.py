"""`longmind mcp --profile memory` against the reference server: one random script, equal answers."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from tests.integrations.environments import ROOT, reference_server

pytest.importorskip("mcp")

NAMES = ["Ana", "ana", "Ben", "Acme Corp", "Straße", "x", "ANA", "東京"]
TEXTS = ["likes tea", "Likes tea", "works hard", "", " ", "moved in 2019", "a\nb", "straße", "anvil"]
TYPES = ["person", "company", "Person", ""]


class Server:
    """A server over standard input and output, spoken to by hand."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._number = 0
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "t", "version": "1"},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return answer["result"]
        raise AssertionError("the server ended")

    def call(self, name: str, arguments: dict[str, Any]) -> tuple[bool, Any, list[Any]]:
        answer = self.ask("tools/call", name=name, arguments=arguments)
        return bool(answer.get("isError")), answer.get("structuredContent"), answer["content"]


@contextmanager
def running(command: list[str], **environment: str) -> Iterator[Server]:
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Server(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


@contextmanager
def ours(store: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "longmind", "mcp", "--profile", "memory", "--store", str(store)]
    with running(command) as server:
        yield server


def random_call(chance: random.Random) -> tuple[str, dict[str, Any]]:
    def some(values: list[str], most: int = 3) -> list[str]:
        return [chance.choice(values) for _ in range(chance.randint(0, most))]

    def relation() -> dict[str, str]:
        return {
            "from": chance.choice(NAMES),
            "to": chance.choice(NAMES),
            "relationType": chance.choice(["knows", "is"]),
        }

    def relations() -> list[dict[str, str]]:
        return [relation() for _ in range(chance.randint(0, 3))]

    entities = [
        {"name": chance.choice(NAMES), "entityType": chance.choice(TYPES), "observations": some(TEXTS)}
        for _ in range(chance.randint(0, 3))
    ]
    observed = [
        {"entityName": chance.choice(NAMES), "contents": some(TEXTS)} for _ in range(chance.randint(0, 2))
    ]
    deletions = [{"entityName": chance.choice(NAMES), "observations": some(TEXTS)}]
    calls = [
        ("create_entities", {"entities": entities}), ("create_entities", {"entities": entities}),
        ("create_relations", {"relations": relations()}), ("add_observations", {"observations": observed}),
        ("add_observations", {"observations": observed}),
        ("delete_entities", {"entityNames": some(NAMES, 1)}),
        ("delete_observations", {"deletions": deletions}), ("delete_relations", {"relations": relations()}),
        ("read_graph", {}), ("search_nodes", {"query": chance.choice([*TEXTS, *NAMES, "e", "person"])}),
        ("open_nodes", {"names": some(NAMES)}),
    ]  # fmt: skip
    return chance.choice(calls)


@pytest.mark.soak
def test_five_hundred_random_calls_get_equal_answers(tmp_path: Path) -> None:
    chance = random.Random(22)
    command = reference_server()
    file = tmp_path / "memory.jsonl"
    with running(command, MEMORY_FILE_PATH=str(file)) as theirs, ours(tmp_path / "a.mind") as mine:
        names = [tool["name"] for tool in theirs.ask("tools/list")["tools"]]
        assert [tool["name"] for tool in mine.ask("tools/list")["tools"]] == names
        for number in range(500):
            name, arguments = random_call(chance)
            assert mine.call(name, arguments) == theirs.call(name, arguments), (number, name, arguments)
    with Memory.open(tmp_path / "b.mind", embedder=None) as memory:
        report = memory.import_from("mcp-memory", file)
        assert report.skip_counts.keys() <= {"refused"}


def test_the_nine_tools_write_a_graph_that_the_rest_of_longmind_reads(tmp_path: Path) -> None:
    with ours(tmp_path / "a.mind") as server:
        shown = {tool["name"]: tool for tool in server.ask("tools/list")["tools"]}
        assert len(shown) == 9
        entity = shown["create_entities"]["inputSchema"]
        assert "observations" in json.dumps(entity)
        assert server.call("read_graph", {})[1] == {"entities": [], "relations": []}
        ana = {"name": "Ana", "entityType": "person", "observations": ["likes tea"]}
        assert server.call("create_entities", {"entities": [ana, ana]})[1] == {"entities": [ana, ana]}
        assert server.call("create_entities", {"entities": [ana]})[1] == {"entities": []}
        works = {"from": "Ana", "to": "Acme", "relationType": "works_at"}
        server.call("create_relations", {"relations": [works]})
        failed, _, content = server.call(
            "add_observations", {"observations": [{"entityName": "No", "contents": []}]}
        )
        assert (failed, content[0]["text"]) == (True, "Entity with name No not found")
        assert server.call("search_nodes", {"query": "TEA"})[1]["relations"] == [works]
        wrong, _, _ = server.call("create_entities", {"entities": [{"name": 3}]})
        assert wrong
    with Memory.open(tmp_path / "a.mind") as memory:
        assert memory.search("tea")[0].frame.title == "Ana"
        [fact] = memory.facts.about("Ana", predicate="works_at")
        assert str(fact.fact.object) == "Acme"
