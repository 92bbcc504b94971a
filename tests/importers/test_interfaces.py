"""The same import through the command line, asyncio and HTTP."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from longmind import AsyncMemory, Memory
from longmind.cli.app import run
from tests.importers import samples
from tests.importers.samples import write_json, write_lines


def command(*words: str | Path) -> int:
    with pytest.raises(SystemExit) as ended:
        run([str(word) for word in words])
    return int(ended.value.code or 0)


def test_the_command_imports_and_exports(tmp_path: Path, capsys) -> None:
    store = tmp_path / "a.mind"
    path = write_json(tmp_path / "mem0.json", samples.mem0_document())
    assert command("import", path, "--from", "mem0", "--dry-run", "--store", store) == 0
    assert "2 would be new" in capsys.readouterr().out
    assert not store.exists()
    assert command("import", path, "--from", "mem0", "--store", store, "--json") == 0
    assert json.loads(capsys.readouterr().out)["created"] == 2
    assert command("export", tmp_path / "out.json", "--to", "mem0", "--user", "ana", "--store", store) == 0
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))["results"][0]["id"] == "m1"
    capsys.readouterr()
    assert command("import", path, "--dry-run", "--store", store) != 0
    assert "--from" in capsys.readouterr().err


def test_the_command_takes_a_mapping_file(tmp_path: Path, capsys) -> None:
    path = write_lines(tmp_path / "rows.jsonl", [{"body": "Green tea."}])
    mapping = write_json(tmp_path / "mapping.json", {"text": "body"})
    store = tmp_path / "a.mind"
    assert (
        command("import", path, "--from", "jsonl", "--mapping", mapping, "--store", store, "--space", "x")
        == 0
    )
    with Memory.open(store, embedder=None) as memory:
        assert memory.list(space="x")[0].text == "Green tea."


def test_whole_stores_are_exported_and_imported_as_before(tmp_path: Path, capsys) -> None:
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.remember("Kept.")
    assert command("export", tmp_path / "a.jsonl", "--store", tmp_path / "a.mind") == 0
    assert command("import", tmp_path / "a.jsonl", "--store", tmp_path / "b.mind") == 0
    with Memory.open(tmp_path / "b.mind", embedder=None) as memory:
        assert memory.list()[0].text == "Kept."


def test_asyncio_and_http_import_too(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from fastapi.testclient import TestClient

    from longmind.http.app import create_app

    path = write_json(tmp_path / "mem0.json", samples.mem0_document())

    async def by_asyncio() -> int:
        async with AsyncMemory.open(tmp_path / "a.mind", embedder=None) as memory:
            return (await memory.import_from("mem0", path)).created

    assert asyncio.run(by_asyncio()) == 2
    with Memory.open(tmp_path / "b.mind", embedder=None) as memory:
        client = TestClient(create_app(memory, files=tmp_path), base_url="http://127.0.0.1")
        answer = client.post("/v1/import_from", json={"source": "mem0", "path": "mem0.json"})
        assert answer.json()["created"] == 2
        for escape in ("/etc/passwd", "../x", "postgresql://h/d"):
            refused = client.post("/v1/import_from", json={"source": "langgraph", "path": escape})
            assert refused.status_code == 403
