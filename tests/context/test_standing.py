"""A context shows what stands: not what was replaced beside its replacement, nor one thing twice."""

from __future__ import annotations

from longmind import FrozenClock, Memory


def test_a_replaced_statement_is_left_out_beside_the_one_that_holds(location: str) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(location, embedder=None, clock=clock) as memory:
        old = memory.remember("I live in Porto.", role="user", session="s1").ids[0]
        clock.advance(seconds=86_400)
        memory.remember("I live in Lisbon now.", role="user", session="s2")
        now = memory.recall("Where do I live?", recipe="timeline")
        assert "Lisbon" in now.text
        assert "Porto" not in now.text
        [left_out] = [drop for drop in now.dropped if drop.frame_ids == (old,)]
        assert left_out.reason.startswith("superseded")
        assert memory.replay(now.receipt)
        before = memory.recall("Where did I live before Lisbon?", recipe="timeline")
        assert "Porto" in before.text


def test_a_turn_and_the_memory_made_of_it_are_shown_once(location: str) -> None:
    with Memory.open(location, embedder=None, clock=FrozenClock(1_700_000_000_000)) as memory:
        conversation = memory.conversation("talk")
        conversation.add_turn("user", "My favourite colour is teal, by the way.")
        context = memory.recall("What is the favourite colour?", recipe="timeline")
        hits = memory.search("favourite colour")
        if len(hits) > 1:
            assert any("says the same" in drop.reason for drop in context.dropped)
        assert sum("teal" in item.text.lower() for item in context.items) == 1
