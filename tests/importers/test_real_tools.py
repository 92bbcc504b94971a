"""Files made by the tools themselves: mem0, LangGraph's stores, and public agent files of Letta."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from longmind import InvalidInput, Memory
from tests.importers.samples import new_database
from tests.integrations.environments import run_in

pytestmark = pytest.mark.soak

MEM0 = """
import json, os, sys
from pathlib import Path
folder = Path(sys.argv[1])
os.environ["MEM0_DIR"] = str(folder / "home")
from mem0 import Memory
from mem0.utils.factory import EmbedderFactory, LlmFactory

class Stub:
    config = type("Config", (), {"embedding_dims": 8, "model": "stub"})()
    def embed(self, text, *rest, **options):
        return [float(len(text) % (number + 2)) + 1 for number in range(8)]
    def embed_batch(self, texts, *rest, **options):
        return [self.embed(text) for text in texts]

EmbedderFactory.create = classmethod(lambda cls, *rest, **options: Stub())
LlmFactory.create = classmethod(lambda cls, *rest, **options: Stub())
config = {"path": str(folder / "qdrant"), "embedding_model_dims": 8, "on_disk": True}
store = {"provider": "qdrant", "config": config}
memory = Memory.from_config({"vector_store": store, "history_db_path": str(folder / "history.db")})
about = {"topic": "travel"}
first = memory.add("Prefers trains", user_id="ana", infer=False, metadata=about)["results"][0]["id"]
memory.add([{"role": "user", "content": "I have a dog"}], user_id="ben", infer=False)
gone = memory.add("Smokes", user_id="ana", infer=False)["results"][0]["id"]
memory.update(first, "Prefers planes")
memory.delete(gone)
found = [memory.get_all(filters={"user_id": user})["results"] for user in ("ana", "ben")]
(folder / "all.json").write_text(json.dumps({"results": sum(found, [])}))
"""

LANGGRAPH = """
import json, sys
from langgraph.store.sqlite import SqliteStore
from langgraph.store.postgres import PostgresStore
from longmind import Memory
from longmind.integrations.langgraph import LongmindStore

kind, source, location = sys.argv[1:]

def shown(store):
    items = store.search((), limit=100, refresh_ttl=False)
    return sorted(
        (item.namespace, item.key, json.dumps(item.value, sort_keys=True),
         int(item.created_at.timestamp() * 1000), int(item.updated_at.timestamp() * 1000))
        for item in items
    )

def state():
    with opened() as theirs:
        return shown(theirs), theirs.list_namespaces()

def moved(memory):
    report = memory.import_from("langgraph", source)
    ours = LongmindStore(memory)
    assert (shown(ours), ours.list_namespaces()) == state(), (shown(ours), state())
    assert memory.import_from("langgraph", source).created == 0
    return report

def opened():
    return {"sqlite": SqliteStore, "postgres": PostgresStore}[kind].from_conn_string(source)

with opened() as theirs:
    theirs.setup()
    for number in range(30):
        value = {"text": f"tea {number}", "n": [number, None], "deep": {"é": "東京"}}
        theirs.put(("memories", f"user{number % 3}"), f"k{number}", value)
    theirs.put(("memories", "user0"), "k0", {"text": "coffee"}, ttl=60)
with Memory.open(location, embedder=None) as memory:
    assert memory.import_from("langgraph", source, dry_run=True).created == 30
    assert moved(memory).created == 30
    [soon] = [it for it in memory.list(where={"kind": "item"}, limit=100) if it.metadata["key"] == "k0"]
    assert soon.metadata["ttl_minutes"] == 60 and soon.metadata["expires_at"] > soon.occurred_at
    with opened() as theirs:
        theirs.put(("memories", "user1"), "k1", {"text": "a new value"})
        theirs.put(("memories", "user1"), "later", {"text": "a new item"})
    report = moved(memory)
    assert (report.created, report.superseded) == (2, 1), report
    assert memory.verify(deep=True)
"""


def test_a_real_mem0_comes_with_its_versions_and_users(tmp_path: Path) -> None:
    folder = tmp_path / "mem0"
    folder.mkdir()
    done = run_in("mem0", "-c", MEM0, str(folder))
    assert done.returncode == 0, done.stderr[-2000:]
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        export = tmp_path / "export"
        export.mkdir()
        for name in ("history.db", "all.json"):
            (folder / name).replace(export / name)
        report = memory.import_from("mem0", export)
        assert (report.superseded, report.retired) == (1, 1)
        assert [frame.text for frame in memory.list(user="ana")] == ["Prefers planes"]
        assert [frame.text for frame in memory.list(user="ben")] == ["I have a dog"]
        assert memory.import_from("mem0", export).created == 0
        memory.export_to("mem0", tmp_path / "out.json", user="ana")
    [out] = json.loads((tmp_path / "out.json").read_text("utf-8"))["results"]
    went_in = json.loads((export / "all.json").read_text("utf-8"))["results"][0]
    assert out == went_in


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_real_langgraph_store_is_the_same_after_the_move(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    source = str(tmp_path / "store.db")
    if kind == "postgres":
        source = new_database(request.getfixturevalue("postgres_url"), "langgraph_real")
    done = run_in("langgraph", "-c", LANGGRAPH, kind, source, str(tmp_path / "a.mind"))
    assert done.returncode == 0, done.stderr[-2000:]


def test_public_agent_files_are_read_or_refused_in_words(tmp_path: Path) -> None:
    named = os.environ.get("LONGMIND_AGENT_FILES")
    if not named:
        pytest.skip("no agent files: clone letta-ai/agent-file and set LONGMIND_AGENT_FILES to its folder")
    imported = 0
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        for path in sorted(Path(named).rglob("*.af")):
            try:
                imported += memory.import_from("letta", path).created
            except InvalidInput as error:
                assert "not valid JSON" in error.message  # noqa: PT017 - any other error fails the test
        assert memory.verify(deep=True)
    assert imported > 0
