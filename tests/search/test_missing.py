"""Without a model, a runtime or a server, search does what is left and says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longmind import MaintenancePolicy, Memory, Unavailable
from longmind.embed.models import default_cache
from longmind.search.results import LaneReport, SearchResults
from tests.search.embedders import DIMENSIONS, CountingEmbedder, endpoint
from tests.vectors.opening import open_memory

ROOT = Path(__file__).resolve().parents[2]


def lack(results: SearchResults) -> str:
    """Why the vector lane did not run; it is the only one that did not."""
    [missing] = results.missing
    assert (missing.name, missing.ran, missing.found) == ("vector", False, 0)
    assert missing.detail in results.explain()
    return missing.detail


def assert_finds(memory: Memory) -> None:
    for query in ("zebra", "ERR_42", "latest"):
        results = memory.search(query)
        assert results[0].frame.text == "a zebra and ERR_42"
        assert {lane.name for lane in results.lanes if lane.ran} >= {"text", "timeline"}
    assert not memory.search("zebra", mode="vector")
    assert memory.why_not("zebra", 1).found


def test_no_embedder_was_wanted(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        report = memory.remember("a zebra and ERR_42")
        assert report.warnings == ()
        assert_finds(memory)
        assert lack(memory.search("zebra")) == "the store was opened with embedder=None"
        assert memory.search("zebra", lanes=["text"]).missing == ()


def test_the_default_model_is_not_installed(location: str, tmp_path: Path) -> None:
    empty = tmp_path / "no models"
    with open_memory(location, embedder="auto", cache=empty) as memory:
        [warning] = memory.remember("a zebra and ERR_42").warnings
        assert warning.startswith("vectors: The model 'minilm' is not installed")
        assert_finds(memory)
        detail = lack(memory.search("zebra"))
        assert (
            detail == f"The model 'minilm' is not installed in {empty}. "
            "Install it with: longmind models install minilm"
        )
        assert memory.stats().parts["vectors"]["missing"] == 1


def test_a_named_model_that_is_not_installed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="longmind models install"):
        open_memory(tmp_path / "a.mind", embedder="minilm", cache=tmp_path / "no models")


HIDING = """
import importlib.machinery, sys

class Hiding:
    def __init__(self, inner):
        self.inner = inner

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] != PACKAGE:
            return self.inner.find_spec(name, path, target)
        return importlib.machinery.ModuleSpec(name, self) if BROKEN else None

    def create_module(self, spec):
        raise ImportError(f"{spec.name} does not load on this machine")

    def exec_module(self, module): ...

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
"""
SEARCHING = """
import json
from longmind import Memory
with Memory.open(PATH, cache=CACHE) as memory:
    report = memory.remember("a zebra and ERR_42")
    results = memory.search("zebra")
    [missing] = results.missing
    print(json.dumps([report.warnings, [hit.frame.text for hit in results], missing.name, missing.detail]))
"""


@pytest.mark.parametrize(
    ("package", "state"),
    [
        *(("onnxruntime", "absent"), ("onnxruntime", "broken")),
        *(("tokenizers", "absent"), ("tokenizers", "broken")),
    ],
)
def test_a_package_of_the_model_cannot_be_imported(
    tmp_path: Path, model_is_installed: None, package: str, state: str
) -> None:
    path = tmp_path / "a.mind"
    known = {
        "PACKAGE": package,
        "BROKEN": state == "broken",
        "PATH": str(path),
        "CACHE": str(default_cache()),
    }
    code = "\n".join([*(f"{name} = {value!r}" for name, value in known.items()), HIDING, SEARCHING])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    [warning], found, name, detail = json.loads(done.stdout)
    assert found == ["a zebra and ERR_42"]
    assert name == "vector"
    assert package in detail
    assert "pip install" in detail
    assert package in warning
    with open_memory(path, embedder="auto", cache=default_cache()) as memory:
        assert memory.maintain().done["vectors"] == {"embedded": 1}
        assert memory.search("a striped animal").missing == ()


@pytest.fixture(params=["dimensions", "unknown"])
def server(request: pytest.FixtureRequest) -> tuple[str, int]:
    """An endpoint's address whose port is closed; with or without its dimensions."""
    with endpoint() as port:
        pass
    options = f"?dimensions={DIMENSIONS}" if request.param == "dimensions" else ""
    return f"openai:words@http://127.0.0.1:{port}/v1{options}", port


def test_an_endpoint_is_down_and_comes_back(vector_location: str, server: tuple[str, int]) -> None:
    spec, port = server
    with open_memory(vector_location, embedder=spec) as memory:
        [warning] = memory.remember("a zebra and ERR_42").warnings
        assert f"127.0.0.1:{port}/v1 cannot be reached" in warning
        assert_finds(memory)
        detail = lack(memory.search("zebra"))
        assert f"127.0.0.1:{port}/v1 cannot be reached" in detail
        assert "Check that it runs" in detail
        assert memory.stats().parts["vectors"]["missing"] == 1
    with endpoint(port), open_memory(vector_location, embedder=spec) as memory:
        assert memory.maintain().done["vectors"] == {"embedded": 1}
        results = memory.search("zebra")
        assert results.missing == ()
        assert "vector" in results[0].lanes
    if "dimensions" in spec:
        with open_memory(vector_location, embedder=spec) as memory:
            assert "cannot be reached" in lack(memory.search("zebra"))


def test_an_embedder_that_fails_in_between_loses_no_frame(vector_location: str) -> None:
    embedder = CountingEmbedder(most=2)
    with open_memory(vector_location, embedder=embedder) as memory:
        assert memory.remember_many(["zebra", "lion"]).warnings == ()
        report = memory.remember_many(["river", "stone"])
        assert report.warnings == ("vectors: The embedder is tired.",)
        assert report.created == 2
        assert lack(memory.search("river")) == "The embedder is tired. Let it rest."
        assert memory.search("river")[0].frame.text == "river"
        assert memory.maintain().done["vectors"] == {"embedded": 0, "embedder unavailable": 1}
        assert memory.stats().parts["vectors"] == {"frames": 2, "windows": 2, "missing": 2}
        embedder.most = None
        assert memory.maintain().done["vectors"] == {"embedded": 2}
        assert memory.search("river").missing == ()
        assert embedder.texts.count("river") == 2  # the frame, and the question
        assert memory.verify(deep=True)


def test_upkeep_after_each_write_does_not_turn_a_written_frame_into_an_error(vector_location: str) -> None:
    embedder = CountingEmbedder(most=0)
    policy = MaintenancePolicy()
    with open_memory(vector_location, embedder=embedder, after_remember=policy, on_open=policy) as memory:
        assert memory.remember("zebra").created == 1
        embedder.most = None
        assert memory.remember("lion").created == 1
        assert memory.stats().parts["vectors"]["missing"] == 0


def test_maintenance_fills_in_within_its_budget(vector_location: str) -> None:
    with open_memory(vector_location, embedder=None) as memory:
        memory.remember_many(f"zebra {place}" for place in range(150))
    with open_memory(vector_location) as memory:
        first = memory.maintain(MaintenancePolicy(max_frames=100))
        assert first.done["vectors"] == {"embedded": 100}
        assert first.exhausted
        assert memory.maintain().done["vectors"] == {"embedded": 50}
        assert "vectors" not in memory.maintain().done
        assert len(memory.search("zebra", mode="vector", limit=200)) == 150


def test_a_store_of_an_unknown_embedder_says_which_it_wants(location: str, tmp_path: Path) -> None:
    if location.startswith("postgresql"):
        pytest.skip("the same on both engines; this one would need vectors on the server")
    with open_memory(location, embedder=CountingEmbedder(provider="elsewhere")) as memory:
        memory.remember("a zebra and ERR_42")
    with open_memory(location, embedder="auto", cache=tmp_path) as memory:
        assert_finds(memory)
        assert lack(memory.search("zebra")) == (
            "The store's vectors are of the embedder elsewhere/counted/24/1. "
            "Open it with embedder= to search by meaning."
        )


def test_an_empty_question_is_no_lack_of_the_store(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        memory.remember("zebra")
        assert memory.search("", mode="timeline").missing == ()
        assert memory.search(" ")[0].frame.text == "zebra"


def test_a_read_only_store_is_searched_without_being_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember("zebra")
    before = path.read_bytes()
    with open_memory(path, read_only=True) as memory:
        assert memory.search("zebra").missing == ()
        assert memory.search("zebra")[0].frame.text == "zebra"
    with open_memory(path, read_only=True, embedder=None) as memory:
        assert memory.search("zebra")[0].frame.text == "zebra"
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]


def test_lanes_say_what_they_did(location: str) -> None:
    with open_memory(location, embedder=None) as memory:
        memory.remember("zebra")
        reports: dict[str, Any] = {lane.name: lane for lane in memory.search("zebra lyon").lanes}
        assert reports["text"] == LaneReport(
            "text", True, 1, "looked for zebra; left out lyon (no frame says it)"
        )
        assert reports["timeline"] == LaneReport("timeline", True, 0, "the question does not ask about time")
