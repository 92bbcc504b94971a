"""A receipt makes the same bytes again, or says precisely what changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import ALL, AsOf, FrozenClock, InvalidInput, Memory
from longmind.context.receipt import Receipt
from tests.context.worlds import fill, open_memory


@pytest.fixture
def world(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with fill(open_memory(location, clock=clock, embedder="hash"), frames=30) as memory:
        yield memory


def test_after_other_writes_the_items_render_the_same_and_the_drift_is_told(world: Memory) -> None:
    context = world.recall("copper engine lantern", budget=300)
    fresh = world.remember("copper engine lantern, all three at once").id
    replay = world.replay(context.receipt.to_json())
    assert replay
    assert replay.text == context.text
    assert replay.changes == ()
    assert f"frame {fresh} would be in now" in replay.drift
    again = world.recall("copper engine lantern", budget=300)
    assert again.text != context.text
    assert world.replay(again.receipt).drift == ()


def test_writes_that_touch_nothing_shown_leave_no_drift(world: Memory) -> None:
    context = world.recall("copper engine", budget=200, mode="text")
    world.remember("Something else altogether.", space="elsewhere")
    replay = world.replay(context.receipt)
    assert replay
    assert replay.drift == ()


def test_what_was_forgotten_since_is_shown_as_it_was_given_and_named(world: Memory) -> None:
    context = world.recall("copper engine", budget=300)
    first, second = context.items[0].frame_ids[0], context.items[1].frame_ids[0]
    world.forget(_whole(world, first))
    newer = world.remember("a newer text").id
    world.supersede(_whole(world, second), newer)
    replay = world.replay(context.receipt)
    assert replay
    assert replay.text == context.text
    assert f"frame {first} was forgotten or superseded since" in replay.changes
    assert f"frame {second} was forgotten or superseded since" in replay.changes
    assert f"frame {first} would no longer be in" in replay.drift


def test_after_an_erase_the_replay_names_what_is_gone_and_does_not_show_it(world: Memory) -> None:
    secret = world.remember("copper engine keyword wombat").id
    context = world.recall("copper engine wombat", budget=400)
    assert "wombat" in context.text
    world.erase(secret)
    replay = world.replay(context.receipt.to_json())
    assert not replay
    assert f"frame {secret} was erased" in replay.changes
    assert "wombat" not in replay.text
    assert replay.text


def test_when_all_is_erased_nothing_is_left_to_show() -> None:
    with open_memory() as memory:
        only = memory.remember("the zebra").id
        context = memory.recall("zebra")
        memory.erase(only)
        replay = memory.replay(context.receipt)
        assert (replay.same, replay.text, replay.changes) == (False, "", (f"frame {only} was erased",))


def test_a_context_of_the_past_replays_though_its_frames_are_long_retired(
    location: str, clock: FrozenClock
) -> None:
    with open_memory(location, clock=clock) as memory:
        old = memory.remember("the zebra is white").id
        before = memory.revision
        clock.advance(days=1)
        memory.forget(old)
        past = AsOf(system=before, valid=AsOf.LATEST.valid)
        context = memory.recall("zebra", as_of=past)
        assert "white" in context.text
        replay = memory.replay(context.receipt)
        assert replay
        assert (replay.text, replay.changes) == (context.text, ())
        clock.advance(days=1)
        memory.remember("a zebra of later days")
        later = memory.replay(context.receipt.to_json())
        assert later
        assert (later.changes, later.drift) == ((), ())


def test_a_receipt_of_another_store_is_refused(world: Memory) -> None:
    context = world.recall("copper", budget=100)
    with fill(open_memory(), frames=6) as other, pytest.raises(InvalidInput, match="another store"):
        other.replay(context.receipt)


def test_a_copy_of_the_store_takes_its_receipts(tmp_path: Any) -> None:
    with open_memory(tmp_path / "one.mind") as memory:
        memory.remember("the zebra")
        receipt = memory.recall("zebra").receipt
        memory.backup(tmp_path / "two.mind")
    with open_memory(tmp_path / "two.mind", read_only=True) as copy:
        assert copy.replay(receipt)


def test_every_argument_of_the_question_is_in_the_receipt(world: Memory) -> None:
    world.remember("copper in the west wing", space="west", tags=["t"], session="q", speaker="Zoe")
    context = world.recall(
        "copper yesterday",
        budget=250,
        recipe="chat",
        space=["west", "default"],
        session="q",
        where={"tags": ["t"]},
        lanes=["text", "timeline"],
        fusion="rrf",
        reference=1_700_000_000_000,
        times="ignore",
    )
    assert "west wing" in context.text
    receipt = Receipt.from_json(context.receipt.to_json())
    assert receipt == context.receipt
    assert world.replay(receipt)
    everywhere = world.recall("copper", budget=200, space=ALL)
    assert world.replay(everywhere.receipt.to_json())


def test_a_forged_receipt_shows_nothing_of_another_space() -> None:
    with open_memory() as memory:
        secret = memory.remember("the zebra password is wombat", space="vault").id
        memory.remember("the zebra", space="mine")
        raw = json.loads(memory.recall("zebra", space="mine").receipt.to_json())
        raw["items"][0]["frame_ids"] = [secret]
        raw["items"][0]["ranges"] = [[0, 500]]
        replay = memory.replay(json.dumps(raw))
        assert not replay
        assert "wombat" not in replay.text


@pytest.fixture(scope="module")
def issued() -> Iterator[tuple[Memory, dict[str, Any]]]:
    with fill(open_memory(), frames=12) as memory:
        yield memory, json.loads(memory.recall("copper engine", budget=200, session="s0").receipt.to_json())


@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_damaged_receipt_is_refused_or_does_not_verify(
    issued: tuple[Memory, dict[str, Any]], data: st.DataObject
) -> None:
    memory, whole = issued
    raw = json.loads(json.dumps(whole))
    places = [(raw, name) for name in raw]
    places += [(raw["request"], name) for name in raw["request"]]
    places += [(raw["items"][0], name) for name in raw["items"][0]]
    holder, name = data.draw(st.sampled_from(places))
    change = data.draw(st.sampled_from(["drop", None, "nonsense", -1, 2**70, [], {}, [["x"]], [[1, 2]]]))
    before = holder[name]
    if change == "drop":
        del holder[name]
    else:
        holder[name] = change
    try:
        replay = memory.replay(json.dumps(raw))
    except InvalidInput:
        return
    unread = ("content_hash", "tier", "lane", "rank", "card", "tokens", "tokenizer", "recipe_hash", "order")
    if change != before and name not in (*unread, "mark", "revision", "session", "reference"):
        assert not replay or replay.drift or name in ("budget", "times", "as_of", "where", "lanes", "fusion")


def test_what_is_no_receipt_is_refused() -> None:
    with open_memory() as memory:
        for text in ("", "{}", "[]", "null", "3", '{"items": 1}', "not json", '"text"'):
            with pytest.raises(InvalidInput, match="not a receipt"):
                memory.replay(text)


def _whole(memory: Memory, frame_id: int) -> int:
    frame = memory.get(frame_id)
    return frame.parent if frame.start is not None and frame.parent is not None else frame.id
