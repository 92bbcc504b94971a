"""Rules that outlast a change: purges that were not allowed before, pins taken away, budgets, clocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from longmind import FrozenClock, InvalidInput, Memory
from longmind.base.times import format_ms
from longmind.spaces import rows
from longmind.testing import ScriptedModel
from tests import commands
from tests.conftest import START
from tests.fuzz.mutations import outcome


def obj(path: str, raw: str = "The harbour is deep.", **fields: object) -> dict[str, object]:
    return {"path": path, "kind": "guide", "raw": raw, **fields}


# Retention


def texts(memory: Memory) -> int:
    with memory.store.read() as snapshot:
        [(count,)] = snapshot.db.all("SELECT count(*) FROM frame_text WHERE text LIKE '%harbour%'")
    return int(count)


def test_what_was_archived_before_deleting_was_allowed_is_purged_once_it_is(
    memory: Memory, clock: FrozenClock
) -> None:
    space = memory.space("app")
    space.set_policy({"ttl_days": 10})
    for place in "abc":
        space.remember_structured(obj(place))
    clock.advance(days=20)
    assert memory.spaces.gc("app", now=clock.now()).archived == 3
    assert texts(memory) == 3
    space.set_policy({"allow_delete": True})
    space.remember_structured(obj("b", raw="The harbour is deep again."))
    preview = memory.spaces.gc("app", now=clock.now(), dry_run=True)
    report = memory.spaces.gc("app", now=clock.now())
    assert (report.purged, report.archived) == (2, 0)
    assert report.expired == preview.expired
    assert texts(memory) == 2  # the object that is in use again keeps its history
    assert memory.spaces.gc("app", now=clock.now()).purged == 0
    assert memory.verify(deep=True)


@pytest.mark.parametrize("rules", [{"ttl_days": None}, {"ttl_days": 100}])
def test_what_would_not_expire_under_the_rules_of_today_is_not_purged(
    memory: Memory, clock: FrozenClock, rules: dict[str, object]
) -> None:
    space = memory.space("app")
    space.set_policy({"ttl_days": 10})
    space.remember_structured(obj("a"))
    clock.advance(days=20)
    memory.spaces.gc("app", now=clock.now())
    space.set_policy({"allow_delete": True, **rules})
    assert memory.spaces.gc("app", now=clock.now()).purged == 0
    assert texts(memory) == 1


# Pins


def test_a_rule_does_not_pin_again_what_somebody_unpinned(memory: Memory) -> None:
    space = memory.space("app")
    space.set_policy({"auto_pin": [{"kinds": ["guide"]}]})
    assert space.remember_structured(obj("a")).object.pinned
    space.unpin("a")
    for number in range(3):
        assert not space.remember_structured(obj("a", raw=f"The harbour, version {number}.")).object.pinned
    space.set_policy({"ttl_days": 30})
    assert not space.remember_structured(obj("a", raw="The harbour, and other rules.")).object.pinned
    assert space.remember_structured(obj("a", raw="The harbour, pinned.", pinned=True)).object.pinned
    assert space.remember_structured(obj("b")).object.pinned


def test_an_object_that_was_written_without_a_pin_on_purpose_stays_without(memory: Memory) -> None:
    space = memory.space("app")
    space.set_policy({"auto_pin": [{"kinds": ["guide"]}]})
    assert not space.remember_structured(obj("a", pinned=False)).object.pinned
    assert not space.remember_structured(obj("a", raw="The harbour, changed.")).object.pinned


def test_a_rule_that_is_new_pins_what_is_written_again(memory: Memory) -> None:
    space = memory.space("app")
    space.remember_structured(obj("a"))
    space.set_policy({"auto_pin": [{"kinds": ["guide"]}]})
    assert space.remember_structured(obj("a", raw="The harbour, changed.")).object.pinned


def test_the_advice_of_a_model_does_not_pin_again_what_somebody_unpinned(
    location: str, clock: FrozenClock
) -> None:
    filed = {
        "path": "p", "summary_micro": "m", "summary_short": "s", "summary_long": "l", "tags": [],
        "relevance": "high", "auto_pin": True,
    }  # fmt: skip
    model = ScriptedModel([json.dumps(filed)])
    with Memory.open(location, clock=clock, embedder=None, llm=model) as memory:
        space = memory.space("app")
        assert space.remember_raw("guide", "One.", path_hint="p").object.pinned
        space.unpin("p")
        assert not space.remember_raw("guide", "Two.", path_hint="p").object.pinned
        assert space.remember_raw("guide", "Three.", path_hint="p", auto_pin=True).object.pinned
        assert not space.remember_raw("guide", "Four.", path_hint="q", auto_pin=False).object.pinned


# Budgets

TOPICS = ("harbour", "harbour " * 200, "x" * 3000, "nothing like it " * 80, "港" * 500, "👩‍👩‍👧‍👦" * 60, "")


@pytest.mark.parametrize("budget", [50, 51, 64, 90, 200, 500])
@pytest.mark.parametrize("name", ["app", "a/" * 90 + "b", "9-8_7" * 39])
def test_a_context_keeps_within_its_budget_whatever_the_topic(tmp_path: Path, budget: int, name: str) -> None:
    with Memory.open(tmp_path / "a.mind", clock=FrozenClock(START), embedder=None) as memory:
        space = memory.space(name)
        for filled in (False, True):
            for topic in TOPICS:
                context = space.use_context(topic, budget=budget)
                assert context.total_tokens <= budget
                assert context.text.startswith("<longmind")
                assert context.text.endswith("</longmind>")
            if not filled:
                for place in range(4):
                    space.remember_structured(obj(f"p/{place}", raw="The harbour is deep. " * 20))


def test_a_context_with_a_long_topic_is_replayed_byte_for_byte(memory: Memory) -> None:
    memory.space("app").remember_structured(obj("a"))
    context = memory.space("app").use_context("harbour " * 200, budget=120)
    assert memory.replay(context.receipt)


# The clock

FROZEN = "2024-03-01T12:00:00Z"


@pytest.mark.parametrize("stamp", [FROZEN, "2024-03-01T12:00:00+00:00", "1709294400000"])
def test_a_clock_frozen_on_the_command_line_stamps_what_is_recalled(tmp_path: Path, stamp: str) -> None:
    path = tmp_path / "a.mind"
    with Memory.open(path, clock=FrozenClock(START), embedder=None) as memory:
        memory.space("app").remember_structured(obj("a"))
    command = [commands.LONGMIND, "space", "recall", "app", "harbour", "--store", str(path)]
    outputs = [
        commands.run([*command, "--freeze-clock", stamp, "--json"], text=True).stdout for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    bundle = json.loads(outputs[0])
    assert bundle["generated_at"] == FROZEN
    assert bundle["sections"][0]["updated_at"] == format_ms(START)


@pytest.mark.parametrize("command", [["recall-kind", "app", "guide"], ["use-context", "app", "harbour"]])
def test_the_other_recalls_take_a_frozen_clock_too(tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "a.mind"
    with Memory.open(path, clock=FrozenClock(START), embedder=None) as memory:
        memory.space("app").remember_structured(obj("a"))
    frozen = ["--freeze-clock", FROZEN, "--json"]
    words = [commands.LONGMIND, "space", *command, "--store", str(path), *frozen]
    done = commands.run(words, text=True)
    assert done.returncode == 0, done.stderr
    assert "harbour" in done.stdout


# Rules that an older version stored


def stored_as(memory: Memory, rules: dict[str, object]) -> None:
    """Rules in the store that `set_policy` does not take."""
    with memory.store.write() as tx:
        record = rows.find_space(tx.db, "app")
        assert record is not None
        rows.put_space(tx, record._replace(policy=json.dumps(rules)))


@pytest.mark.parametrize("name", ["auto_pin", "visibility"])
def test_a_stored_condition_without_content_is_named_and_can_be_taken_away(memory: Memory, name: str) -> None:
    space = memory.space("app")
    space.remember_structured(obj("a"))
    stored_as(memory, {name: [{}, {"kinds": ["guide"]}], "ttl_days": 5})
    assert space.policy.to_dict()[name] == [{}, {"kinds": ["guide"]}]
    assert space.get("a").path == "a"
    # It covers everything, as it did when it was stored.
    done = space.remember_structured(obj("b", kind="note")).object
    shown = {hit.frame.id for hit in memory.search("harbour", space="app")}
    assert (done.pinned, done.frame_id in shown) == (name == "auto_pin", name == "auto_pin")
    with pytest.raises(InvalidInput, match=f'{name}.*covers every object.*"{name}": \\[\\]'):
        space.set_policy({"ttl_days": 30})
    assert space.set_policy({name: []}).ttl_days == 5
    assert space.set_policy({"ttl_days": 30}).to_dict()[name] == []
    assert {item.path for item in space.recall_context("harbour").objects} == {"a", "b"}
    memory.reindex()
    assert memory.verify(deep=True)


@pytest.mark.parametrize("rules", [{"colour": "red"}, {"ttl_days": -1}, {"visibility": 5}, [], "x"])
def test_stored_rules_that_cannot_be_read_are_replaced_as_a_whole(memory: Memory, rules: object) -> None:
    space = memory.space("app")
    space.remember_structured(obj("a"))
    stored_as(memory, rules)  # type: ignore[arg-type]
    for call in (
        lambda: space.recall_context("harbour"),
        lambda: space.remember_structured(obj("b")),
        lambda: space.set_policy({"ttl_days": 30}),
    ):
        with pytest.raises(InvalidInput, match=r"rules of this space cannot be read.*replace=True"):
            call()
    assert space.set_policy({"ttl_days": 30}, replace=True).ttl_days == 30
    assert space.remember_structured(obj("b")).object.path == "b"


@pytest.mark.parametrize("column", ["metadata", "policy"])
@pytest.mark.parametrize("text", ['{"a":' * 100_000, "[1]", "5", "{", '{"pii_redaction": ' + "[" * 100_000])
def test_columns_of_a_space_that_cannot_be_read_are_damage_and_no_crash(
    tmp_path: Path, column: str, text: str
) -> None:
    with Memory.open(tmp_path / "a.mind", clock=FrozenClock(START), embedder=None) as memory:
        memory.space("app").remember_structured(obj("a"))
        with memory.store.write() as tx:
            record = rows.find_space(tx.db, "app")
            assert record is not None
            rows.put_space(tx, record._replace(**{column: text}))
        codes = set()
        for call in (
            lambda: memory.spaces.list(),
            lambda: memory.spaces.export_text("app"),
            lambda: memory.remember("One more.", space="app"),
            lambda: memory.space("app").recall_context("harbour"),
        ):
            codes.add(outcome(call))
        assert codes - {"ok"}
        assert codes <= {"ok", "corrupt", "invalid_input"}
