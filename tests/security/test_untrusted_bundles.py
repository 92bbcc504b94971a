"""A space file is untrusted input: the rules of its target hold, and it is taken whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longmind import Conflict, FrozenClock, InvalidInput, LongmindError, Memory
from longmind.operations import registry
from longmind.spaces.file import hash_of, part_hashes, sign

KEY = b"k" * 32
STRICT = {"pii_redaction": ["emails"], "allow_delete": False, "ttl_days": 30}


def obj(path: str, raw: str = "Write to ana@example.com.", **fields: Any) -> dict[str, Any]:
    return {"path": path, "kind": "guide", "raw": raw, **fields}


def bundle(*objects: dict[str, Any], key: bytes | None = None, **body: Any) -> str:
    """A file whose hashes are right: whoever makes one can compute them."""
    document: dict[str, Any] = {
        "format": "longmind.space/1",
        "metadata": {},
        "objects": [{"id": f"o{place}", **item} for place, item in enumerate(objects)],
        "policies": {},
        "space": "app",
        "updated_at": "2024-01-01T00:00:00Z",
        **body,
    }
    whole = hash_of(document)
    sealed = {**document, "hash": whole, "hashes": part_hashes(document)}
    if key is not None:
        sealed["signature"] = sign(document["space"], whole, key=key, algorithm="hmac-sha256")
    return json.dumps(sealed)


def state(memory: Memory) -> tuple[int, Any, Any]:
    space = memory.space("app")
    return memory.revision, space.policy.to_dict(), [item.to_dict() for item in space.list()]


def test_the_rules_of_the_space_win_over_those_of_the_file(memory: Memory) -> None:
    space = memory.space("app")
    space.set_policy(STRICT)
    before = space.policy
    text = bundle(
        obj("a/b", summary_short="Ask ana@example.com"),
        metadata={"owner": "ana@example.com"},
        policies={"pii_redaction": [], "allow_delete": True, "ttl_days": None},
    )
    report = memory.spaces.import_text(text)
    assert space.policy == before
    assert report.redacted > 0
    assert any("keeps its own rules" in note for note in report.notes)
    assert "ana@example.com" not in memory.spaces.export_text("app")
    with memory.store.read() as snapshot:
        assert not snapshot.db.all("SELECT 1 FROM frame_text WHERE text LIKE '%ana@example.com%'")
    [entry] = [item for item in space.audit() if item.action == "import"]
    assert entry.detail["policies"] == "kept"


def test_a_replacing_import_keeps_the_rules_too(memory: Memory) -> None:
    space = memory.space("app")
    space.set_policy(STRICT)
    space.remember_structured(obj("old"))
    memory.spaces.import_text(bundle(obj("new"), policies={"allow_delete": True}), replace=True)
    assert space.policy.allow_delete is False
    assert "[" in space.get("new").raw
    assert "ana@example.com" not in space.get("new").raw


def test_rules_are_replaced_where_that_is_asked_for_and_the_audit_says_so(memory: Memory) -> None:
    space = memory.space("app")
    space.set_policy(STRICT)
    text = bundle(obj("a/b"), policies={"allow_delete": True})
    report = memory.spaces.import_text(text, replace_policies=True)
    assert space.policy.allow_delete is True
    assert space.policy.pii_redaction == ()
    assert not report.notes
    newest, policy, *_ = space.audit()
    assert (newest.action, newest.detail["policies"]) == ("import", "replaced")
    assert policy.detail == {"by": "import", "set": ["allow_delete", "pii_redaction", "ttl_days"]}


def test_a_new_space_takes_the_rules_of_its_file_and_the_audit_says_so(memory: Memory) -> None:
    memory.spaces.import_text(bundle(obj("a/b"), policies=STRICT))
    space = memory.space("app")
    assert space.policy.ttl_days == 30
    assert "ana@example.com" not in space.get("a/b").raw
    assert {item.action: item.detail for item in space.audit()}["import"]["policies"] == "from the file"


@pytest.mark.parametrize("user", [None, "ben"])
def test_a_space_that_holds_something_keeps_the_rules_of_a_new_one(memory: Memory, user: str | None) -> None:
    memory.remember("A note that nobody gave rules for.", space="app", user=user)
    report = memory.spaces.import_text(bundle(obj("a/b"), policies={"allow_delete": True, "ttl_days": 0}))
    space = memory.space("app")
    assert (space.policy.allow_delete, space.policy.ttl_days) == (False, None)
    assert any("keeps its own rules" in note for note in report.notes)
    assert {item.action: item.detail for item in space.audit()}["import"]["policies"] == "kept"
    memory.spaces.import_text(
        bundle(obj("a/b"), policies={"ttl_days": 7}), replace=True, replace_policies=True
    )
    assert space.policy.ttl_days == 7


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([obj("a", id="x"), obj("b", id="x")], "objects 0 and 1 have the same id 'x'"),
        ([obj("a"), obj("b"), obj("/a/")], "objects 0 and 2 have the same path 'a'"),
        ([obj("a"), {"path": "b"}], "object 1: The object says nothing"),
        ([obj("a"), obj("b", updated_at="yesterday")], "object 1: "),
    ],
)
def test_a_file_with_a_mistake_is_refused_whole(memory: Memory, objects: list[Any], said: str) -> None:
    memory.space("app").set_policy(STRICT)
    memory.space("app").remember_structured(obj("kept"))
    before = state(memory)
    with pytest.raises(InvalidInput, match="Invalid space file") as refused:
        memory.spaces.import_text(bundle(*objects), replace=True)
    assert said in str(refused.value)
    assert state(memory) == before


@pytest.mark.parametrize(
    "mistake",
    [
        {"path": "b\0c"},
        {"id": "x\0"},
        {"kind": "k\0"},
        {"tags": ["t\0"]},
        {"metadata": {"m\0": 1}},
        {"metadata": {"m": ["\0"]}},
        {"raw": "r\0"},
        {"raw": "\ud800"},
    ],
)
def test_a_nul_in_an_object_is_an_error_that_names_the_object(
    memory: Memory, mistake: dict[str, Any]
) -> None:
    before = memory.revision
    objects = [obj("a"), {**obj("b"), **mistake}]
    with pytest.raises(InvalidInput, match=r"Invalid space file: object 1 holds a (NUL|lone)"):
        memory.spaces.import_text(json.dumps({"space": "app", "objects": objects}))
    assert memory.revision == before


@pytest.mark.parametrize(
    "body",
    [
        {"space": "a\0b"},
        {"space": "../up"},
        {"metadata": {"k\0": 1}},
        {"policies": {"export_path": "x\0"}},
        {"policies": {"no_such_rule": 1}},
        {"policies": {"auto_pin": [{"paths": ["\0"]}]}},
    ],
)
def test_names_and_rules_that_cannot_be_are_refused_whole(memory: Memory, body: dict[str, Any]) -> None:
    before = memory.revision
    document = {"space": "app", "objects": [obj("a")], **body}
    with pytest.raises(InvalidInput):
        memory.spaces.import_text(json.dumps(document))
    assert memory.revision == before
    assert not memory.spaces.list()


def test_a_signed_file_without_a_key_is_imported_with_a_note(memory: Memory) -> None:
    report = memory.spaces.import_text(bundle(obj("a"), key=KEY))
    assert report.verified == "hash"
    assert any("signed" in note and "not checked" in note for note in report.notes)
    checked = memory.spaces.import_text(bundle(obj("a"), key=KEY), key=KEY, replace=True)
    assert (checked.verified, checked.notes) == ("signature", ())
    with pytest.raises(Conflict):
        memory.spaces.import_text(bundle(obj("a"), key=b"o" * 32), key=KEY, replace=True)


def test_rules_that_change_during_an_import_hold_for_it(
    location: str, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from longmind.spaces import write

    with (
        Memory.open(location, clock=clock, embedder=None) as memory,
        Memory.open(location, clock=clock, embedder=None) as other,
    ):
        memory.spaces.create("app")
        planned = write.make_ready
        calls: list[int] = []

        def interrupted(*arguments: Any, **named: Any) -> Any:
            if not calls:
                other.space("app").set_policy(STRICT)
            calls.append(1)
            return planned(*arguments, **named)

        monkeypatch.setattr(write, "make_ready", interrupted)
        memory.spaces.import_text(bundle(obj("a")))
        assert "ana@example.com" not in memory.space("app").get("a").raw
        assert memory.space("app").policy.pii_redaction == ("emails",)


def test_every_interface_keeps_the_rules_unless_told(memory: Memory) -> None:
    operation = next(item for item in registry.operations() if item.name == "space.import_text")
    memory.space("app").set_policy(STRICT)
    operation(memory, text=bundle(obj("a"), policies={"allow_delete": True}))
    assert memory.space("app").policy.allow_delete is False
    operation(
        memory, text=bundle(obj("a"), policies={"allow_delete": True}), replace=True, replace_policies=True
    )
    assert memory.space("app").policy.allow_delete is True


@pytest.mark.parametrize(
    "call",
    [
        lambda memory, path: memory.spaces.import_(path),
        lambda memory, path: memory.spaces.export("app", path),
        lambda memory, path: memory.export(path),
        lambda memory, path: memory.import_(path),
        lambda memory, path: memory.backup(path),
        lambda memory, path: memory.copy(path),
        lambda memory, path: memory.ingest(path),
        lambda memory, path: Memory.open(path),
        lambda memory, path: Memory.restore(path, path),
    ],
)
def test_a_nul_in_the_name_of_a_file_is_a_clear_error(
    tmp_path: Path, call: Callable[[Memory, str], Any]
) -> None:
    with Memory.open(tmp_path / "a.mind", embedder=None) as memory:
        memory.spaces.create("app")
        with pytest.raises(LongmindError) as refused:
            call(memory, str(tmp_path / "b\0c"))
    assert not isinstance(refused.value, NotImplementedError)


def test_an_import_of_a_whole_store_never_replaces_rules_that_are_there(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "source.mind", embedder=None) as source:
        source.space("app").remember_structured(obj("a"))
        source.space("app").set_policy({"allow_delete": True})
        source.export(tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "target.mind", embedder=None) as target:
        target.space("app").set_policy(STRICT)
        before = state(target)
        with pytest.raises(Conflict):
            target.import_(tmp_path / "all.jsonl")
        assert state(target) == before
