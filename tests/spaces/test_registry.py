"""Spaces as wholes: create, reset, list, delete, gc, export and import under every combination of rules."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.base.errors import Conflict, Forbidden, InvalidInput, NotFound
from longmind.spaces import rows, write
from longmind.spaces.registry import Spaces
from tests.spaces.conftest import spaces_of
from tests.spaces.samples import CONFIG, DECISION, GUIDE

KEY = b"a key of the user's own"


def filled(spaces: Spaces, clock: FrozenClock) -> None:
    space = spaces.space("s")
    spaces.create("s", {"team": "core"})
    space.remember_structured(DECISION)
    space.remember_structured(GUIDE)
    clock.advance(days=10)
    space.remember_structured(CONFIG)


def actions(spaces: Spaces) -> list[str]:
    return [entry.action for entry in reversed(spaces.space("s").audit())]


def test_a_space_is_created_listed_and_reset(spaces: Spaces, memory: Memory, clock: FrozenClock) -> None:
    filled(spaces, clock)
    [summary] = spaces.list()
    assert (summary.name, summary.objects, summary.pinned, summary.metadata) == ("s", 3, 1, {"team": "core"})
    spaces.space("s").set_policy({"pii_redaction": ["email"]})
    before = memory.revision
    spaces.create("s", '{"reset": true}')
    assert spaces.space("s").list() == ()
    assert spaces.space("s").policy.pii_redaction == ("email",)
    assert len(spaces.space("s").list(as_of=AsOf(before, AsOf.LATEST.valid))) == 3
    assert actions(spaces) == ["create", "policy", "reset"]


def test_recall_on_a_missing_space_is_empty_and_creates_nothing(spaces: Spaces, memory: Memory) -> None:
    before = memory.revision
    bundle = spaces.space("nowhere").recall_context("telemetry")
    assert bundle.to_dict() == {
        "space": "nowhere",
        "topic": "telemetry",
        "generated_at": None,
        "global_summary": "Context bundle for 'telemetry' (0 items): nothing is known of it.",
        "sections": [],
        "limit": 5,
        "warnings": ["there is no space 'nowhere'"],
    }
    assert memory.revision == before
    assert spaces.list() == ()


@pytest.mark.parametrize(
    ("ttl", "allowed", "mode", "dry"),
    list(itertools.product([None, 5], [False, True], ["auto", "archive", "purge"], [False, True])),
)
def test_gc_under_every_combination_of_rules(
    new_location: Callable[[str], str],
    clock: FrozenClock,
    ttl: int | None,
    allowed: bool,
    mode: str,
    dry: bool,
) -> None:
    with Memory.open(new_location("sqlite"), clock=clock, embedder=None, extractor=None) as memory:
        spaces = spaces_of(memory)
        filled(spaces, clock)
        spaces.space("s").set_policy({"ttl_days": ttl, "allow_delete": allowed})
        before = memory.revision
        if mode == "purge" and not allowed:
            with pytest.raises(Forbidden, match="allow_delete"):
                spaces.gc("s", now=clock.now(), mode=mode, dry_run=dry)  # type: ignore[arg-type]
            return
        report = spaces.gc("s", now=clock.now(), mode=mode, dry_run=dry)  # type: ignore[arg-type]
        expired = [] if ttl is None else ["mem_guide"]
        assert list(report.expired) == expired
        assert report.kept_pinned == (0 if ttl is None else 1)
        if dry:
            assert memory.revision == before
            assert (report.archived, report.purged) == (0, 0)
            return
        purge = allowed and mode != "archive"
        assert (report.purged, report.archived) == ((len(expired), 0) if purge else (0, len(expired)))
        left = {item.id for item in spaces.space("s").list()}
        assert left == {"mem_config", "mem_runtime_decision_001", "mem_guide"} - set(expired)
        assert actions(spaces)[-1] == "gc"
        kept = {item.id for item in spaces.space("s").list(as_of=AsOf(before, AsOf.LATEST.valid))}
        assert ("mem_guide" in kept) is not (purge and bool(expired))
        named = [
            entry.object_id for entry in spaces.space("s").audit() if entry.action in ("archive", "purge")
        ]
        assert named == ([] if not expired else [None] if purge else expired)
        assert memory.verify(deep=True)


@pytest.mark.parametrize(
    ("ttl", "allowed", "folder", "redaction", "key"),
    list(
        itertools.product(
            [None, 5], [False, True], [None, "out", "out/it.json"], [[], ["emails"]], [None, KEY]
        )
    ),
)
def test_export_and_delete_under_every_combination_of_rules(
    new_location: Callable[[str], str],
    clock: FrozenClock,
    tmp_path: Path,
    ttl: int | None,
    allowed: bool,
    folder: str | None,
    redaction: list[str],
    key: bytes | None,
) -> None:
    rules = {"ttl_days": ttl, "allow_delete": allowed, "export_path": folder, "pii_redaction": redaction}
    with Memory.open(new_location("sqlite"), clock=clock, embedder=None, extractor=None) as memory:
        spaces = spaces_of(memory)
        spaces.space("s").set_policy(rules)
        spaces.space("s").remember_structured({**CONFIG, "raw": "Ask ana@example.org."})
        path = spaces.export("s", root=tmp_path, key=key)
        place = {None: ".longmind/exports/s.json", "out": "out/s.json"}.get(folder, "out/it.json")
        assert path == tmp_path / place
        found = json.loads(path.read_text(encoding="utf-8"))
        assert found["policies"] == spaces.space("s").policy.to_dict()
        assert ("ana@example.org" in found["objects"][0]["raw"]) is not bool(redaction)
        assert ("signature" in found) is (key is not None)
        logged = spaces.space("s").audit()[0]
        assert (logged.action, logged.detail["signed"]) == ("export", key is not None)
        if allowed:
            spaces.delete("s")
            assert spaces.list() == ()
            assert actions(spaces)[-1] == "delete"
        else:
            with pytest.raises(Forbidden, match="allow_delete"):
                spaces.delete("s")
            assert len(spaces.space("s").list()) == 1
            assert actions(spaces)[-1] == "delete refused"
        assert spaces.import_(path, space="again", key=key).objects == 1


def test_gc_purges_on_both_engines(spaces: Spaces, memory: Memory, clock: FrozenClock) -> None:
    filled(spaces, clock)
    spaces.space("s").set_policy({"ttl_days": 5, "allow_delete": True})
    assert spaces.gc("s", now=clock.now()).purged == 1
    assert memory.verify(deep=True)


def test_delete_needs_leave_and_then_leaves_nothing(
    spaces: Spaces, memory: Memory, clock: FrozenClock
) -> None:
    filled(spaces, clock)
    memory.remember("A turn in the same space, said by Ana.", space="s")
    memory.remember("Elsewhere.", space="other")
    memory.facts.record("ana", "likes", "tea", space="s")
    with pytest.raises(Forbidden, match="may not be deleted"):
        spaces.delete("s")
    spaces.space("s").set_policy({"allow_delete": True})
    certificate = spaces.delete("s")
    assert memory.verify_erasure(certificate)
    assert spaces.list() == ()
    assert memory.stats().by_space == {"other": 1}
    assert not memory.facts.about("ana", space="s")
    assert actions(spaces) == ["create", "delete refused", "policy", "delete"]
    assert memory.verify(deep=True)
    with pytest.raises(NotFound):
        spaces.delete("s")


def test_an_export_is_byte_stable_and_restores_to_equality_on_the_other_engine(
    spaces: Spaces, clock: FrozenClock, new_location: Callable[[str], str], location: str
) -> None:
    filled(spaces, clock)
    spaces.space("s").set_policy({"ttl_days": 30, "auto_pin": [{"kinds": ["decision"]}]})
    text = spaces.export_text("s", key=KEY)
    assert spaces.export_text("s", key=KEY) == text
    other = "sqlite" if location.startswith("postgresql") else "postgresql"
    with Memory.open(new_location(other), embedder=None, clock=FrozenClock(1)) as target:
        restored = spaces_of(target)
        report = restored.import_text(text, key=KEY)
        assert (report.objects, report.verified) == (3, "signature")
        assert restored.export_text("s", key=KEY) == text
        assert restored.space("s").list() == spaces.space("s").list()
        assert target.verify(deep=True)


def changed(text: str, change: Callable[[dict[str, object]], object]) -> str:
    found = json.loads(text)
    change(found)
    return json.dumps(found)


def test_a_tampered_bundle_is_refused_naming_what_differs(
    spaces: Spaces, clock: FrozenClock, memory: Memory
) -> None:
    filled(spaces, clock)
    text = spaces.export_text("s", key=KEY)
    cases: list[tuple[Callable[[dict[str, object]], object], str]] = [
        (lambda file: file["objects"][0].update(raw="x"), "object mem_guide"),  # type: ignore[index,attr-defined]
        (lambda file: file["objects"].pop(0), r"object mem_guide \(missing\)"),  # type: ignore[attr-defined]
        (lambda file: file.update(policies={"allow_delete": True}), "policies"),
        (lambda file: file.update(metadata={}), "metadata"),
        (lambda file: file.update(space="other"), "the whole"),
        (lambda file: file.update(hashes={}), "metadata, policies"),
    ]
    before = memory.revision
    for change, message in cases:
        with pytest.raises(Conflict, match=message):
            spaces.import_text(changed(text, change), space="copy")
    with pytest.raises(Conflict, match="another key"):
        spaces.import_text(text, space="copy", key=b"b" * 16)
    with pytest.raises(Conflict, match="not signed"):
        spaces.import_text(spaces.export_text("s"), space="copy", key=KEY)
    signature = json.loads(text)["signature"]
    for value in ("00", "é", None):
        forged = json.dumps({**json.loads(text), "signature": {**signature, "value": value}})
        with pytest.raises(Conflict, match="signature"):
            spaces.import_text(forged, space="copy", key=KEY)
    assert memory.revision == before


def test_ed25519_signatures_hold_where_the_package_is_there(spaces: Spaces, clock: FrozenClock) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    filled(spaces, clock)
    private = b"p" * 32
    public = ed25519.Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()
    text = spaces.export_text("s", key=private, algorithm="ed25519")
    report = spaces.import_text(text, space="copy", key=public, algorithm="ed25519")
    assert report.verified == "signature"
    with pytest.raises(Conflict, match="signed by ed25519"):
        spaces.import_text(text, space="again", key=public)
    # Anybody has the public key, and can make an HMAC with it.
    forged = spaces.export_text("s", key=public, algorithm="hmac-sha256")
    with pytest.raises(Conflict, match="signed by hmac-sha256"):
        spaces.import_text(forged, space="again", key=public, algorithm="ed25519")
    with pytest.raises(InvalidInput, match="not a way to sign"):
        spaces.import_text(text, space="again", key=public, algorithm="none")


def test_a_plain_space_file_is_read_and_redacted_by_its_own_rules(spaces: Spaces, tmp_path: Path) -> None:
    path = tmp_path / "legacy.json"
    body = {
        "objects": [{**DECISION, "raw": "Ask bob@example.org."}],
        "metadata": {"team": "core"},
        "policies": {"pii_redaction": ["emails"]},
        "updated_at": "2025-12-01T12:04:00Z",
    }
    path.write_text(json.dumps(body))
    report = spaces.import_(path)
    assert (report.space, report.verified, report.redacted) == ("legacy", "none", 1)
    found = spaces.space("legacy").get("mem_runtime_decision_001").to_dict()
    assert found["raw"] == "Ask [email]."
    assert (found["created_at"], found["updated_at"]) == (DECISION["created_at"], DECISION["updated_at"])


def test_an_import_does_not_mix_with_what_is_there_unless_told(spaces: Spaces, clock: FrozenClock) -> None:
    filled(spaces, clock)
    text = spaces.export_text("s")
    with pytest.raises(Conflict, match="3 objects already"):
        spaces.import_text(text)
    assert spaces.import_text(text, replace=True).objects == 3
    assert spaces.export_text("s") == text


@pytest.mark.parametrize("text", ["", "[]", '{"objects": 1}', '{"objects": [1]}', '{"objects": []}'])
def test_what_is_no_space_file_is_refused(spaces: Spaces, text: str) -> None:
    with pytest.raises(InvalidInput, match="Invalid space file"):
        spaces.import_text(text)


def test_an_export_goes_where_the_policy_says(spaces: Spaces, clock: FrozenClock, tmp_path: Path) -> None:
    filled(spaces, clock)
    assert spaces.export("s", root=tmp_path) == tmp_path / ".longmind/exports/s.json"
    spaces.space("s").set_policy({"export_path": "out"})
    path = spaces.export("s", root=tmp_path, key=KEY)
    assert path == tmp_path / "out/s.json"
    assert path.read_text(encoding="utf-8") == spaces.export_text("s", key=KEY)
    assert actions(spaces)[-1] == "export"


def test_rules_are_checked_when_they_are_set(spaces: Spaces) -> None:
    space = spaces.space("s")
    for bad in (
        {"ttl": 1},
        {"ttl_days": -1},
        {"allow_delete": 1},
        {"auto_pin": [{}]},
        {"budgets": {"x": 1}},
        [],
    ):
        with pytest.raises(InvalidInput):
            space.set_policy(bad)  # type: ignore[arg-type]
    space.set_policy({"ttl_days": 3})
    assert space.set_policy({"allow_delete": True}).ttl_days == 3
    assert space.set_policy({"ttl_days": None}).ttl_days is None
    assert space.set_policy({}, replace=True).to_dict()["allow_delete"] is False


def test_auto_pin_and_visibility_follow_the_rules(spaces: Spaces) -> None:
    space = spaces.space("s")
    space.set_policy(
        {"auto_pin": [{"kinds": ["decision"], "relevance": ["high"]}], "visibility": [{"tags": ["secret"]}]}
    )
    assert space.remember_structured(
        {"path": "a", "raw": "cache", "kind": "decision", "relevance": "high"}
    ).object.pinned
    assert not space.remember_structured({"path": "b", "raw": "cache", "kind": "decision"}).object.pinned
    space.remember_structured({"path": "c", "raw": "cache", "tags": ["secret"]})
    assert {item.path for item in space.recall_context("cache").objects} == {"a", "b"}
    assert len(space.recall_context("cache", include_hidden=True).objects) == 3


def test_a_purge_that_was_cut_short_is_finished_by_the_next(
    spaces: Spaces, memory: Memory, clock: FrozenClock
) -> None:
    filled(spaces, clock)
    spaces.space("s").set_policy({"ttl_days": 5, "allow_delete": True})
    with memory.store.write() as tx:  # what a process leaves that is killed before the erase
        row = write.named(tx.db, "s", "mem_guide")
        write.archive(tx, [row], reason="expired", parts=memory.store.parts)
        rows.audit(tx, "s", "purge", {}, object_ids=["mem_guide"])
    spaces.space("s").remember_structured({**GUIDE, "raw": "Written again."})
    spaces.gc("s", now=clock.now())
    assert spaces.space("s").get("mem_guide").raw == "Written again."
    assert memory.stats().parts["spaces"]["versions"] == 3
    assert memory.verify(deep=True)


def test_damage_to_an_object_is_found(spaces: Spaces, memory: Memory, clock: FrozenClock) -> None:
    filled(spaces, clock)
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("UPDATE space_object SET summary_micro = 'forged' WHERE object_id = 'mem_guide'")
    assert not memory.verify(deep=True)
