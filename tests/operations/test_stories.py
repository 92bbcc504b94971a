"""Each operation is called on both engines, with what it takes and with what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from longmind import Memory
from longmind.operations import registry, schema
from longmind.operations.values import plain
from tests.media import made

Answers = dict[str, Any]
Arguments = Mapping[str, Any] | Callable[[Answers], Mapping[str, Any]]
Story = list[tuple[str, Arguments]]
"""Operations in order, by name; arguments may be made of the answers so far."""

COMMON: Story = [
    ("remember", {"text": "Ana prefers trains.", "tags": ["travel"], "occurred_at": "2023-05-01"}),
    (
        "remember_many",
        {"items": [{"text": "A train.", "occurred_at": "2023-05-02"}, {"text": "B."}]},
    ),
    ("ingest", {"text": "# Notes\n\nThe kettle is broken.", "uri": "notes.md"}),
    ("get", {"frame": 1}),
    ("list", {"limit": 2, "tags": ["travel"]}),
    ("timeline", {"since": "2023-01-01", "where": {"until": "2024-01-01"}}),
    ("update", {"frame": 1, "metadata": {"n": 1}}),
    ("search", {"query": "How does Ana travel?", "space": ["*"]}),
    ("search_many", {"queries": ["kettle", "Ana"], "limit": 2}),
    ("why_not", {"query": "kettle", "frame": 1}),
    ("recall", {"query": "Ana", "budget": 200}),
    ("recall_many", {"queries": ["Ana", "kettle"], "budget": 100}),
    ("replay", lambda done: {"receipt": json.dumps(done["recall"]["receipt"])}),
    ("recipes", {}),
    ("save_recipe", {"recipe": {"name": "short", "lanes": [{"kind": "snippets", "share": 1.0}]}}),
    ("supersede", {"old": 2, "new": 3}),
    ("forget", {"frame": 3}),
    ("erase", {"frame": 1}),
    ("verify_erasure", lambda done: {"certificate": json.dumps(done["erase"])}),
    ("unfinished_erasures", {}),
    ("stats", {}),
    ("verify", {"deep": True}),
    ("compact", {}),
    ("reindex", {}),
    ("maintain", {"max_frames": 10}),
]

FACTS: Story = [
    ("remember", {"text": "Ana says: I am in Porto."}),
    ("facts.predicate", {"key": "home", "cardinality": "one"}),
    ("facts.entity", {"key": "ana", "kind": "person", "aliases": ["Aninha"]}),
    ("facts.alias", {"key": "ana", "alias": "Anita"}),
    ("facts.record", {"subject": "ana", "predicate": "home", "value": "Porto", "valid_from": "2023-01-01"}),
    ("facts.replace", {"subject": "ana", "predicate": "home", "value": "Lisbon", "valid_from": "2023-05-01"}),
    ("facts.record", {"subject": "ana", "predicate": "age", "value": 34, "valid_to": "open"}),
    ("facts.record", {"subject": "ana", "predicate": "tall", "value": 1.7, "qualifiers": {"unit": "m"}}),
    ("facts.record", {"subject": "ana", "predicate": "born", "value": {"datetime": "1990-02-03"}}),
    ("facts.record", {"subject": "ana", "predicate": "key", "value": {"bytes": "AAEC"}, "derived_from": [1]}),
    (
        "facts.record_many",
        {
            "facts": [
                {"subject": "ana", "predicate": "knows", "value": {"entity": "ben"}, "evidence": [1]},
                {"subject": "ben", "predicate": "shy", "value": True, "valid_from": "2020-01-01"},
            ]
        },
    ),
    (
        "facts.add_evidence",
        {"fact": 1, "evidence": [1, {"frame": 1, "start": 0, "end": 3}]},
    ),
    ("facts.correct", {"subject": "ana", "predicate": "role", "value": "painter"}),
    ("facts.end", {"subject": "ana", "predicate": "role", "at": "2033-01-01"}),
    ("facts.remove_alias", {"key": "ana", "alias": "Aninha"}),
    ("facts.entity", {"key": "Ana Lima"}),
    ("facts.merge", {"key": "ana", "other": "Ana Lima"}),
    ("facts.split", {"key": "Ana Lima"}),
    ("facts.ambiguous", {}),
    ("facts.assertions", {"subject": "ana", "predicates": ["home"]}),
    ("remember", {"text": "Globex's password is hunter2. Ana Lima's pin is 4711.", "speaker": "Greg"}),
    ("facts.quarantine", {}),
    ("facts.confirm", lambda done: {"assertion": done["facts.quarantine"]["assertions"][0]["id"]}),
    ("facts.reject", lambda done: {"assertion": done["facts.quarantine"]["assertions"][1]["id"]}),
    ("facts.evidence", {"fact": 1}),
    ("facts.get", {"fact": 1}),
    ("facts.about", {"subject": "anita", "valid_at": "2023-03-01", "predicates": ["home"]}),
    ("facts.about_many", {"subjects": ["ana", "ben"]}),
    ("facts.history", {"subject": "ana"}),
    ("facts.diff", {"before": "2023-03-01", "after": "2023-06-01", "axis": "valid"}),
    ("facts.neighbors", {"entity": "ana", "depth": 2}),
    ("facts.resolve", {"name": "Anit", "near": True}),
    ("facts.retract", {"subject": "ana", "predicate": "age", "value": 34, "reason": "a guess"}),
    ("facts.retract", lambda done: {"subject": "ana", "predicate": "home", "period": _period(done)}),
    ("facts.erase", {"subject": "ana", "predicate": "key"}),
]

TALK: Story = [
    ("turns.add", {"session": "s1", "role": "user", "text": "I like trains, and my name is Ana."}),
    ("turns.add_many", {"session": "s1", "turns": [{"role": "assistant", "text": "Noted."}]}),
    ("turns.window", {"session": "s1", "limit": 1}),
    ("turns.context", {"session": "s1", "query": "trains", "k": 5}),
    ("memories.remember", {"content": "The keys are with the porter.", "importance": 1, "tags": ["flat"]}),
    ("memories.update", {"memory_id": 1, "tags": ["rail"]}),
    ("memories.get", {"memory_id": 1}),
    ("memories.list", {"status": "any", "sort": "created"}),
    ("memories.search", {"query": "keys", "limit": 1}),
    ("memories.like", {"text": "The keys are with the porter"}),
    ("memories.why", {"memory_id": 1, "now": "2024-01-01"}),
    ("memories.gc", {"dry_run": True, "now": "2024-01-01"}),
    ("memories.stats", {}),
    ("memories.configure", {"settings": {"mid.capacity": 3, "scoring": {"lambda": 0.1}}}),
    ("memories.config", {}),
    ("memories.forget", {"memory_id": 2}),
    ("memories.erase", {"memory_id": 1, "with_sources": True}),
]

EXPERIENCE: Story = [
    (
        "experience.record",
        {"kind": "problem", "text": "It hangs.", "evidence": ["file:ci.yml"], "repo": "r"},
    ),
    (
        "experience.record",
        {"kind": "failed_tactic", "text": "Wait.", "no_evidence": True, "why": "a lock", "repo": "r"},
    ),
    ("experience.record", {"kind": "solution", "text": "Close it.", "evidence": ["none"], "repo": "r"}),
    (
        "experience.record_many",
        {
            "items": [
                {"kind": "fact", "text": "Workers fork.", "no_evidence": True},
                {"kind": "change", "text": "Moved.", "evidence": ["none"], "occurred_at": "2023-05-01"},
                {"kind": "fact", "text": "Workers spawn.", "evidence": ["issue:1"]},
            ],
            "repo": "r",
        },
    ),
    ("experience.link_attempt", {"problem": "exp_1", "attempt": "exp_3", "role": "solution", "repo": "r"}),
    ("experience.update_fact", {"old": "exp_4", "change": "exp_5", "new": "exp_6", "repo": "r"}),
    ("experience.vote", {"record": "exp_3", "problem": "exp_1", "vote": -0.5, "repo": "r"}),
    ("experience.attach_evidence", {"record": "exp_3", "evidence": ["issue:7"], "repo": "r"}),
    ("experience.revise", {"record": "exp_3", "text": "Close it first.", "repo": "r"}),
    ("experience.archive", {"record": "exp_2", "reason": "obvious", "dry_run": True, "repo": "r"}),
    ("experience.get", {"record": "exp_2", "repo": "r"}),
    ("experience.history", {"record": "exp_3", "repo": "r"}),
    ("experience.attempts", {"problem": "exp_1", "repo": "r"}),
    ("experience.fact_chain", {"fact": "exp_4", "repo": "r"}),
    ("experience.current_facts", {"repo": "r"}),
    ("experience.utility", {"record": "exp_3", "repo": "r"}),
    ("experience.votes", {"record": "exp_3", "repo": "r"}),
    ("experience.list", {"kinds": ["solution"], "archived": True, "repo": "r"}),
    ("experience.find", {"text": "it hangs", "repo": "r"}),
    ("experience.brief", {"text": "it hangs", "quotas": {"fact": 1}, "budget": 300, "repo": "r"}),
    ("experience.replay", lambda done: {"receipt": json.dumps(done["experience.brief"]["receipt"])}),
]

SPACES: Story = [
    ("space.create", {"space": "runtime", "metadata": {"team": "core"}}),
    (
        "space.remember",
        {
            "space": "runtime",
            "object": {
                "path": "app/release",
                "kind": "decision",
                "raw": "Ship when green.",
                "pinned": True,
                "relevance": "high",
                "chunks": [{"chunk_id": "a", "text": "Ship"}],
            },
            "freeze_clock": "2023-01-01",
        },
    ),
    (
        "space.remember_raw",
        {
            "space": "runtime",
            "kind": "guide",
            "text": "Spans are written.",
            "path": "app/spans",
            "pin": False,
        },
    ),
    (
        "space.link",
        {"space": "runtime", "which": "app/release", "to": "app/spans", "relation": "depends_on"},
    ),
    ("space.links", {"space": "runtime", "which": "app/release"}),
    ("space.unlink", {"space": "runtime", "which": "app/release", "to": "app/spans"}),
    ("space.pin", {"space": "runtime", "which": "app/spans"}),
    ("space.unpin", {"space": "runtime", "which": "app/spans"}),
    ("space.get", {"space": "runtime", "which": "app/release"}),
    ("space.objects", {"space": "runtime", "prefix": "app", "after": "app/release"}),
    (
        "space.recall",
        {"space": "runtime", "topic": "spans", "include_raw": True, "freeze_clock": "2023-02-01"},
    ),
    ("space.recall_kind", {"space": "runtime", "kind": "guide", "topic": "spans"}),
    ("space.use_context", {"space": "runtime", "topic": "spans", "budget": 200}),
    ("space.set_policy", {"space": "runtime", "policy": {"allow_delete": True, "ttl_days": 30}}),
    ("space.policy", {"space": "runtime"}),
    ("space.set_backend", {"backend": "hybrid"}),
    ("space.backend", {}),
    ("space.spent", {"space": "runtime"}),
    ("space.export", {"space": "runtime", "path": "out.json", "key_file": "key"}),
    ("space.export_text", {"space": "runtime"}),
    ("space.import", {"path": "out.json", "space": "other", "key_file": "key"}),
    ("space.import_text", lambda done: {"text": done["space.export_text"]["text"], "space": "third"}),
    ("space.sync", {"space": "code", "folder": "tree", "tags": ["x"]}),
    ("space.gc", {"space": "runtime", "now": "2025-01-01", "dry_run": True}),
    ("space.forget", {"space": "runtime", "which": "app/spans"}),
    ("space.erase", {"space": "runtime", "which": "app/release"}),
    ("space.delete", {"space": "runtime"}),
    ("space.audit", {"space": "runtime"}),
    ("space.list", {}),
]

AUDIT: Story = [
    ("remember", {"text": "Ana lives in Porto.", "space": "default"}),
    ("import_from", {"source": "mem0", "path": "mem0.json"}),
    ("export_to", {"target": "mem0", "path": "out.json"}),
    ("audit.list", {"limit": 5, "space": "*"}),
    ("audit.head", {}),
    ("audit.check", lambda done: {"head": json.dumps(done["audit.head"])}),
]

SNAPSHOTS: Story = [
    ("remember", {"text": "Ana prefers trains."}),
    ("snapshot.create", {"name": "one", "note": "All is well."}),
    ("remember", {"text": "Gone soon.", "ttl": "30d"}),
    ("snapshot.list", {}),
    ("snapshot.diff", {"name": "one"}),
    ("snapshot.restore", {"name": "one"}),
    ("list", {}),
    ("snapshot.delete", {"name": "one"}),
]

MEDIA: Story = [
    ("photos", {"paths": ["album"], "tags": ["holiday"]}),
    ("videos", {"paths": ["album"]}),
    ("audio", {"paths": ["album"]}),
    ("media.parts", {"frame": 1}),
    ("media.similar", {"frame": 1}),
    ("media.similar", {"path": "album/b.jpg", "distance": 3}),
    ("list", {"kinds": ["photo"], "where": {"near": "52.5,13.4,5"}}),
    ("media.duplicates", {}),
    ("media.thumbnail", {"frame": 1}),
    ("media.search", {"query": "a white wall"}),
    ("media.refresh", {"paths": ["album"]}),
]

GOLDEN: Story = [
    ("remember", {"text": "Ana lives in Porto."}),
    ("golden.add", {"query": "where does Ana live?", "name": "home", "texts": ["Porto"]}),
    ("golden.list", {}),
    ("golden.run", {}),
    ("golden.history", {}),
    ("golden.compare", {"first": {}, "second": {"fusion": "rrf"}}),
    ("golden.remove", {"name": "home"}),
]

STORIES = {
    "golden": GOLDEN,
    "media": MEDIA,
    "common": COMMON,
    "facts": FACTS,
    "talk": TALK,
    "experience": EXPERIENCE,
    "spaces": SPACES,
    "snapshots": SNAPSHOTS,
    "audit": AUDIT,
}

ELSEWHERE = {"backup", "export", "import", "copy", "add", "users"}
"""They make stores, or are about people, and have tests of their own."""


def _period(done: Answers) -> int:
    return int(done["facts.about"]["facts"][0]["span_id"])


def call(memory: Memory, name: str, arguments: Mapping[str, Any]) -> Any:
    """What a program would get: JSON, as the schema says."""
    operation = registry.find(name)
    given = json.loads(json.dumps(arguments))
    answer = json.loads(json.dumps(plain(operation(memory, **given))))
    Draft202012Validator(schema.answer_schema(operation)).validate(answer)
    return answer


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_a_story_can_be_told_by_operations(memory: Memory, tmp_path: Path, story: Story):
    memory.media.tools.text = None
    memory.media.tools.images, memory.media.tools.thumbnails = made.MeanColours(), 64
    (tmp_path / "mem0.json").write_text(
        '{"results": [{"id": "m1", "memory": "Likes tea", "user_id": "ana"}]}'
    )
    (tmp_path / "album").mkdir()
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / "album" / name).write_bytes(made.jpeg(gps=(52.5, 13.4), taken="2023:05:01 10:00:00"))
    (tmp_path / "key").write_bytes(b"sixteen bytes or more\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.md").write_text("A file.")
    done: Answers = {}
    for name, arguments in story:
        done[name] = call(memory, name, arguments(done) if callable(arguments) else arguments)
    assert set(done) == {name for name, _ in story}
    _CHECKS.get(story[-1][0], lambda _: None)(done)


def _facts_came_out(done: Answers) -> None:
    [home] = done["facts.about"]["facts"]
    assert (home["fact"]["object"], home["fact"]["subject"]) == ("Porto", "ana")
    assert done["facts.about_many"]["subjects"]["ben"]["facts"][0]["fact"]["object"] is True
    assert {change["kind"] for change in done["facts.diff"]["changes"]} == {"changed"}
    assert [edge["neighbor"] for edge in done["facts.neighbors"]["edges"]] == ["ben"]
    assert done["facts.resolve"]["matches"][0]["key"] == "ana"
    assert done["facts.retract"]["spans"] == 1


def _talk_came_out(done: Answers) -> None:
    assert [item["content"] for item in done["memories.search"]["items"]] == ["The keys are with the porter."]
    assert done["memories.config"]["settings"]["scoring"]["lambda"] == 0.1
    assert done["memories.why"]["memory"]["tags"] == ["rail"]


def _experience_came_out(done: Answers) -> None:
    assert [record["text"] for record in done["experience.current_facts"]["records"]] == ["Workers spawn."]
    assert done["experience.get"]["archived_at"] is None  # the dry run left it in use
    assert done["experience.votes"]["votes"][0]["vote"] == -0.5
    assert done["experience.replay"]["same"] is True


def _spaces_came_out(done: Answers) -> None:
    bundle = done["space.recall"]
    assert [section["path"] for section in bundle["sections"]] == ["app/release", "app/spans"]
    assert bundle["generated_at"] == "2023-02-01T00:00:00Z"
    assert done["space.import"]["verified"] == "signature"
    assert [item["path"] for item in done["space.objects"]["objects"]] == ["app/spans"]
    assert done["space.sync"]["created"] == ["a.md"]
    assert [space["name"] for space in done["space.list"]["spaces"]] == ["code", "other", "third"]


def _media_came_out(done: Answers) -> None:
    assert done["photos"]["created"] == 2
    [twice] = done["media.duplicates"]["duplicates"]
    assert (twice["of"], twice["by"]) == (1, "bytes")
    assert len(done["list"]["frames"]) == 2


def _snapshots_came_out(done: Answers) -> None:
    assert [state["name"] for state in done["snapshot.list"]["snapshots"]] == ["one"]
    assert [item["change"] for item in done["snapshot.diff"]["differences"][:1]] == ["added"]
    assert done["snapshot.restore"]["counts"]["frames retired"] == 1
    assert [frame["text"] for frame in done["list"]["frames"]] == ["Ana prefers trains."]


_CHECKS: dict[str, Callable[[Answers], None]] = {
    "media.duplicates": _media_came_out,
    "facts.erase": _facts_came_out,
    "memories.erase": _talk_came_out,
    "experience.replay": _experience_came_out,
    "space.list": _spaces_came_out,
    "snapshot.delete": _snapshots_came_out,
}


def test_the_stories_leave_no_operation_out():
    told = {name for story in STORIES.values() for name, _ in story}
    assert {operation.name for operation in registry.operations()} - told == ELSEWHERE
