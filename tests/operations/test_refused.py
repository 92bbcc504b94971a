"""What operations refuse, and the shape of what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from longmind import Memory
from longmind.base.errors import Conflict, Forbidden, InvalidInput, LongmindError, NotFound
from tests.operations.test_stories import call

WRONG: list[tuple[str, Mapping[str, Any], type[LongmindError]]] = [
    ("get", {"frame": 99}, NotFound),
    ("list", {"limit": 0}, InvalidInput),
    ("timeline", {"since": "yesterday"}, InvalidInput),
    ("update", {"frame": 1}, InvalidInput),
    ("forget", {}, InvalidInput),
    ("search", {"query": "x", "lanes": ["nonsense"]}, InvalidInput),
    ("recall", {"query": "x", "recipe": "nonsense"}, LongmindError),
    ("replay", {"receipt": "nonsense"}, InvalidInput),
    ("verify_erasure", {"certificate": "{}"}, InvalidInput),
    ("facts.record", {"subject": "", "predicate": "p", "value": 1}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": None}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": {"bytes": "!"}}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": {"entity": "b", "x": 1}}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": {"datetime": [1]}}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": 1, "evidence": [99]}, NotFound),
    ("facts.record", {"subject": "a", "predicate": "p", "value": 1, "evidence": [{"x": 1}]}, InvalidInput),
    ("facts.record", {"subject": "a", "predicate": "p", "value": 1, "valid_to": "never"}, InvalidInput),
    ("facts.record_many", {"facts": [{"subject": "a"}]}, InvalidInput),
    ("facts.record_many", {"facts": ["nonsense"]}, InvalidInput),
    (
        "facts.record_many",
        {"facts": [{"subject": "a", "predicate": "p", "value": 1, "qualifiers": [1]}]},
        InvalidInput,
    ),
    (
        "facts.record_many",
        {"facts": [{"subject": "a", "predicate": "p", "value": 1, "evidence": 1}]},
        InvalidInput,
    ),
    ("facts.retract", {"subject": "a", "predicate": "p", "period": 9}, NotFound),
    ("facts.retract", {"subject": "a", "predicate": "p", "value": 1, "period": 9}, InvalidInput),
    ("facts.alias", {"key": "nobody", "alias": "x"}, NotFound),
    ("facts.get", {"fact": 99}, NotFound),
    ("facts.neighbors", {"entity": "a", "depth": 99}, InvalidInput),
    ("turns.add", {"session": "", "role": "user", "text": "x"}, InvalidInput),
    ("turns.add_many", {"session": "s", "turns": [{"role": "user", "text": "x", "y": 1}]}, InvalidInput),
    ("memories.get", {"memory_id": 9}, NotFound),
    ("memories.remember", {"content": "x", "importance": 7}, InvalidInput),
    ("memories.configure", {"settings": {"mid.nonsense": 1}}, InvalidInput),
    ("memories.like", {"text": "nobody said this"}, NotFound),
    ("memories.stats", {"now": "then"}, InvalidInput),
    ("experience.record", {"kind": "problem", "text": "x"}, InvalidInput),
    ("experience.record", {"kind": "idea", "text": "x", "no_evidence": True}, InvalidInput),
    (
        "experience.record",
        {"kind": "problem", "text": "x", "no_evidence": True, "evidence": ["issue:1"]},
        InvalidInput,
    ),
    ("experience.record", {"kind": "problem", "text": "x", "no_evidence": True, "why": "y"}, InvalidInput),
    ("experience.record_many", {"items": [{"kind": "fact", "text": "x"}]}, InvalidInput),
    ("experience.record_many", {"items": ["nonsense"]}, InvalidInput),
    ("experience.vote", {"record": "exp_1", "problem": "exp_2", "vote": 7}, InvalidInput),
    ("experience.get", {"record": "exp_9"}, NotFound),
    ("experience.brief", {"text": "x", "quotas": {"nonsense": 1}}, InvalidInput),
    ("experience.list", {"kinds": ["nonsense"]}, InvalidInput),
    ("experience.replay", {"receipt": "nonsense"}, InvalidInput),
    ("space.get", {"space": "s", "which": "nothing"}, NotFound),
    ("space.remember", {"space": "s", "object": {}}, InvalidInput),
    ("space.remember", {"space": "s", "object": {"raw": "x"}, "freeze_clock": "soon"}, InvalidInput),
    ("space.set_policy", {"space": "s", "policy": {"nonsense": 1}}, InvalidInput),
    ("space.set_backend", {"backend": "nonsense"}, InvalidInput),
    ("space.delete", {"space": "nothing"}, NotFound),
    ("space.import", {"path": "nothing.json"}, NotFound),
    ("space.import_text", {"text": "nonsense"}, InvalidInput),
    ("space.export", {"space": "s", "path": "x.json", "key_file": "nothing"}, InvalidInput),
    ("space.export", {"space": "s", "path": "x" * 300}, InvalidInput),
    ("space.sync", {"space": "s", "folder": "nothing"}, NotFound),
    ("space.sync", {"space": "s", "folder": "\x00"}, InvalidInput),
    ("space.objects", {"space": "s", "prefix": "\ud800"}, InvalidInput),
    ("experience.get", {"record": "\ud800"}, InvalidInput),
    ("facts.get", {"fact": 2**70}, InvalidInput),
    ("facts.evidence", {"fact": 0}, InvalidInput),
    ("space.use_context", {"space": "s", "topic": "x", "budget": 1}, InvalidInput),
]


def test_what_is_wrong_is_refused_and_nothing_is_written(memory: Memory):
    before = memory.revision
    for name, arguments, error in WRONG:
        with pytest.raises(error):
            call(memory, name, arguments)
    assert memory.revision == before


def test_a_space_may_be_deleted_and_overwritten_only_where_that_was_allowed(memory: Memory):
    call(memory, "space.remember", {"space": "s", "object": {"raw": "x"}})
    text = call(memory, "space.export_text", {"space": "s"})["text"]

    with pytest.raises(Forbidden):
        call(memory, "space.delete", {"space": "s"})
    with pytest.raises(Conflict):
        call(memory, "space.import_text", {"text": text})


def test_a_dry_run_leaves_nothing_behind(memory: Memory):
    before = memory.revision
    record = {"kind": "problem", "text": "It hangs.", "no_evidence": True, "dry_run": True}
    assert call(memory, "experience.record", record)["planned"] is True
    assert call(memory, "memories.gc", {"dry_run": True})["dry_run"] is True
    assert memory.revision == before


def test_facts_are_asked_for_on_two_axes(memory: Memory):
    fact = {"subject": "ana", "predicate": "home", "value": "Porto", "valid_from": "2023-01-01"}
    call(memory, "facts.record", fact)
    known = memory.revision
    call(memory, "facts.replace", {**fact, "value": "Lisbon"})

    def homes(**view: Any) -> list[str]:
        found = call(memory, "facts.about", {"subject": "ana", **view})["facts"]
        return [hit["fact"]["object"] for hit in found]

    assert homes() == ["Lisbon"]
    assert homes(as_of=known) == ["Porto"]
    assert homes(valid_at="2022-01-01") == []


def test_a_bundle_has_the_documented_shape(memory: Memory):
    call(memory, "space.remember", {"space": "s", "object": {"path": "a", "raw": "Spans are written."}})
    asked = {"space": "s", "topic": "spans", "freeze_clock": "2024-01-01"}
    bundle = memory.space("s").recall_context("spans", freeze_clock="2024-01-01T00:00:00Z", include_raw=True)

    found = call(memory, "space.recall", {**asked, "include_raw": True})

    assert {key: found[key] for key in bundle.to_dict()} == bundle.to_dict()
    assert set(found) - set(bundle.to_dict()) == {"user", "warnings"}
    assert call(memory, "space.recall", asked)["raw"] == []
