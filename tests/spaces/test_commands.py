"""The commands of spaces, through the command line itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from longmind.base.errors import Forbidden
from longmind.cli.app import build
from tests.spaces.samples import CONFIG, DECISION, GUIDE

FROZEN = "2025-01-01T00:00:00Z"


def run(store: Path, *arguments: str) -> str:
    given = ["space", *arguments, "--store", str(store)]
    result = CliRunner().invoke(build("space"), given, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "s.mind"
    for number, payload in enumerate((DECISION, GUIDE, CONFIG)):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(payload))
        run(place, "remember", "runtime", "--file", str(file), "--freeze-clock", FROZEN)
    return place


def test_a_bundle_is_the_same_as_in_python(store: Path) -> None:
    bundle = json.loads(run(store, "recall", "runtime", "telemetry", "--json", "--freeze-clock", FROZEN))
    assert [section["id"] for section in bundle["sections"]] == ["mem_runtime_decision_001", "mem_guide"]
    assert bundle["generated_at"] == FROZEN
    assert "Context bundle for 'telemetry'" in run(store, "recall", "runtime", "telemetry", "--include-raw")


def test_the_environment_chooses_an_ordering(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGMIND_MEMORY_BACKEND", "nonsense")
    assert "unknown backend 'nonsense'" in run(store, "recall", "runtime", "telemetry")


def test_browse_shows_a_tree_a_filter_and_an_object(store: Path) -> None:
    tree = run(store, "browse", "runtime")
    assert tree.splitlines()[:3] == [
        "runtime (3)",
        "  lexon/",
        "    docs/",
    ]
    assert "* release_checklist [decision, high] RC go/no-go checklist" in tree
    assert "runtime (1)" in run(store, "browse", "runtime", "--filter", "histograms")
    assert "runtime (2)" in run(store, "browse", "runtime", "lexon/runtime")
    assert "timeout = 30" in run(store, "browse", "runtime", "mem_config")
    assert len(json.loads(run(store, "browse", "runtime", "--json", "--pinned"))) == 1


def test_a_space_is_handed_over_signed(store: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"sixteen bytes or more\n")
    run(store, "export", "runtime", "--out", "out.json", "--key-file", str(key))
    said = run(tmp_path / "other.mind", "import", "out.json", "--key-file", str(key))
    assert "3 objects into space 'runtime'; checked by signature." in said
    assert "runtime" in run(tmp_path / "other.mind", "list")


def test_rules_collection_and_deletion(store: Path) -> None:
    run(store, "set-policy", "runtime", '{"ttl_days": 30}')
    said = run(store, "gc", "runtime", "--now", "2025-06-01", "--dry-run")
    assert "2 expired objects would go; 1 kept by their pins." in said
    assert "archived" in run(store, "gc", "runtime", "--now", "2025-06-01")
    assert "gc" in run(store, "audit", "runtime")
    with pytest.raises(Forbidden):
        run(store, "delete", "runtime", "--yes")
    run(store, "set-policy", "runtime", '{"allow_delete": true}')
    assert "Erased" in run(store, "delete", "runtime", "--yes")
    assert "no spaces yet" in run(store, "list")


def test_raw_text_pins_kinds_sync_and_the_hook(store: Path, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Cache\n\nThe cache is small.")
    given = ("--file", "note.md", "--path", "note.md", "--pin")
    assert "created: note.md" in run(store, "remember-raw", "runtime", "guide", *given)
    run(store, "unpin", "runtime", "note.md")
    run(store, "pin", "runtime", "note.md")
    assert "note.md" in run(store, "recall-kind", "runtime", "guide")
    assert "Cache" in run(store, "use-context", "runtime", "cache")
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "a.md").write_text("A file.")
    assert "1 new" in run(store, "sync", "tree", str(folder))
    run(store, "create", "fresh", "--metadata", "team=core", "--reset")
