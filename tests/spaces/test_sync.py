"""A folder kept as a space, and the documented end-to-end example with its golden bundle."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base.errors import InvalidInput
from longmind.spaces.registry import Spaces
from longmind.spaces.sync import changed_files, kind_of, sync_folder, watch
from tests.spaces.samples import CONFIG, DECISION, FROZEN, GUIDE

GOLDEN = Path(__file__).parent / "golden"


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    assert text == path.read_text(encoding="utf-8")


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def test_a_folder_is_followed_file_by_file(spaces: Spaces, memory: Memory, tmp_path: Path) -> None:
    space = spaces.space("docs")
    write(tmp_path, "guide.md", "# Cache\n\nThe cache is small.")
    write(tmp_path, "src/a.py", "def cache():\n    return 1\n")
    first = sync_folder(space, tmp_path, readers=memory.readers)
    assert first.created == ("guide.md", "src/a.py")
    assert {item.kind for item in space.list()} == {"guide", "code"}
    assert sync_folder(space, tmp_path, readers=memory.readers).unchanged == 2
    write(tmp_path, "guide.md", "# Cache\n\nThe cache is large now.")
    (tmp_path / "src/a.py").unlink()
    second = sync_folder(space, tmp_path, readers=memory.readers)
    assert (second.updated, second.forgotten) == (("guide.md",), ("src/a.py",))
    assert [item.path for item in space.list()] == ["guide.md"]


def test_watching_ends_when_told(spaces: Spaces, memory: Memory, tmp_path: Path) -> None:
    write(tmp_path, "a.md", "Something.")
    reports = watch(spaces.space("w"), tmp_path, readers=memory.readers, stop=lambda: True, every=0.05)
    assert [report.created for report in reports] == [("a.md",)]


def test_kinds_are_read_off_the_path() -> None:
    found = [kind_of(path) for path in ("a/b.rs", "docs/x.md", "app.toml", "docs/adr/0001.md", "run.log")]
    assert found == ["code", "guide", "config", "decision", "log"]


def test_the_bundle_of_the_documented_objects_is_golden(spaces: Spaces) -> None:
    space = spaces.space("lexon_demo")
    spaces.create("lexon_demo", {"reset": True})
    for payload in (DECISION, GUIDE, CONFIG):
        space.remember_structured(payload, freeze_clock=FROZEN)
    options = {"limit": 2, "include_raw": True, "freeze_clock": FROZEN}
    check_golden("runtime.json", space.recall_context("runtime", options).to_json())
    check_golden("space.json", spaces.export_text("lexon_demo", key=b"a key for the golden files"))
    check_golden("context.txt", space.use_context("telemetry", {"freeze_clock": FROZEN}).text + "\n")


def test_what_changed_in_telemetry_end_to_end(spaces: Spaces, memory: Memory, tmp_path: Path) -> None:
    tmp_path = tmp_path / "repository"
    tmp_path.mkdir()
    git(tmp_path, "init", "-q")
    write(tmp_path, "src/config.rs", "pub fn load() {}\n")
    write(tmp_path, "src/telemetry.rs", "pub fn emit() {}\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    write(tmp_path, "src/telemetry.rs", "// Telemetry now counts spans.\npub fn emit_span() {}\n")
    git(tmp_path, "commit", "-q", "-a", "-m", "two")
    write(tmp_path, "src/telemetry_http.rs", "// Telemetry over HTTP.\npub fn serve() {}\n")

    spaces.create("lexon_repo", '{"reset": true}')
    space = spaces.space("lexon_repo")
    delta = changed_files(tmp_path, since="HEAD~1")
    assert delta == ("src/telemetry.rs", "src/telemetry_http.rs")
    report = sync_folder(
        space,
        tmp_path,
        readers=memory.readers,
        paths=delta,
        kind="code",
        project="lexon_repo",
        freeze_clock=FROZEN,
    )
    assert report.created == delta
    bundle = space.recall_context("telemetry", '{"limit": 3, "include_raw": true}')
    assert {item.path for item in bundle.objects} == set(delta)
    assert bundle.global_summary.startswith("Context bundle for 'telemetry' (2 items): ")
    assert "emit_span" in str(bundle.raw)
    assert "Telemetry over HTTP." in space.use_context("telemetry").text
    target = spaces.export("lexon_repo", tmp_path.parent / "exports" / "lexon_repo.json")
    assert target.is_file()
    space.set_policy({"ttl_days": 30, "allow_delete": True})
    assert spaces.gc("lexon_repo", now="2025-01-20T00:00:00Z").purged == 0
    assert spaces.gc("lexon_repo", now="2025-03-01T00:00:00Z").purged == 2


def test_a_revision_is_never_an_option(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        changed_files(tmp_path, since="--output=x")
