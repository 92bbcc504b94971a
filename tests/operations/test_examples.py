"""The examples of the operations are no inventions: each runs in a memory that has something in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from longmind import Memory
from longmind.operations import registry
from longmind.operations.operation import Operation
from longmind.operations.values import plain
from tests.media import made

EXAMPLES = [operation for operation in registry.operations() if operation.example]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a memory in which everything that the examples name is there."""
    folder = tmp_path_factory.mktemp("examples")
    with Memory.open(folder / "memory.mind", embedder=None) as memory:
        memory.remember("Ana prefers trains to planes.", tags=["travel"])
        memory.remember("Ana moved to Porto.")
        memory.remember("My name is John Watson.", uri="novel.txt")  # assertion 3, in quarantine
        memory.facts.upsert_entity("ben")
        memory.facts.record("ana", "lives_in", "Porto", valid_from=0)
        memory.facts.record("ana", "likes", "trains")
        memory.memories.remember("Ana prefers trains to planes.")
        shop = {"repo": "shop", "evidence": "none"}
        memory.experience.problem("The import fails.", **shop)  # type: ignore[arg-type]
        memory.experience.solution("Use pathlib.", **shop)  # type: ignore[arg-type]
        memory.experience.failed_tactic("Retry.", **shop)  # type: ignore[arg-type]
        memory.experience.fact("Paths are texts.", **shop)  # type: ignore[arg-type]
        memory.experience.change("The library moved on.", **shop)  # type: ignore[arg-type]
        memory.experience.fact("Paths are values.", **shop)  # type: ignore[arg-type]
        space = memory.space("runtime")
        space.remember_structured({"path": "app/runtime/release_checklist", "raw": "Ship when green."})
        space.set_policy({"allow_delete": True})
        memory.space("docs").remember_structured({"path": "app/design", "raw": "Boxes and arrows."})
        space.link("app/runtime/release_checklist", "app/design", to_space="docs")
        memory.golden.add("where does Ana live?", name="home of Ana", texts=["Porto"])
        memory.snapshots.create("before-import")
        memory.spaces.export("runtime", folder / "runtime.json")
        memory.export(folder / "exported.jsonl")
    for name in ("photos", "talks", "voice-notes"):
        (folder / name).mkdir()
    (folder / "photos" / "cat.jpg").write_bytes(made.jpeg())
    (folder / "mem0.json").write_text('{"results": [{"id": "m1", "memory": "Likes tea", "user_id": "ana"}]}')
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("print(1)\n")
    return folder


@pytest.mark.parametrize("operation", EXAMPLES, ids=str)
def test_an_example_runs(
    operation: Operation, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    place = shutil.copytree(prepared, tmp_path / "here")
    monkeypatch.chdir(place)
    if operation.name == "import":  # into an empty memory
        (place / "exported.jsonl").rename(operation.example["path"])
        (place / "memory.mind").unlink()
    with Memory.open("memory.mind", embedder=None) as memory:
        memory.media.tools.text = None
        memory.media.tools.images, memory.media.tools.thumbnails = made.MeanColours(), 64
        example = dict(operation.example)
        if operation.name == "media.thumbnail":  # of a photo, which frame 1 is not here
            example["frame"] = memory.media.photos(["photos"]).ids[0]
        assert isinstance(plain(operation(memory, **example)), dict)


def test_what_has_no_example_takes_nothing_or_what_another_gave():
    without = {operation.name for operation in registry.operations() if not operation.example}
    taking = {name for name in without if any(item.required for item in registry.find(name).parameters)}
    assert taking == {
        *("replay", "verify_erasure", "experience.replay", "space.import_text", "audit.check"),
        *("facts.confirm", "facts.reject"),
    }
