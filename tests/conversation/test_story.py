"""Sixty days of talk, with every promotion, archive, conflict and deletion checked."""

from __future__ import annotations

import math

from longmind import AsOf, FrozenClock, Memory
from longmind.conversation.memories import Memories
from longmind.conversation.scoring import DAY_MS
from tests.conftest import START


def contents(memories: Memories, **where: object) -> dict[str, str]:
    return {item.content: item.status for item in memories.list(status=None, **where)}  # type: ignore[arg-type]


def at(clock: FrozenClock, day: float) -> int:
    clock.set(START + round(day * DAY_MS))
    return clock.now()


def test_sixty_days_of_talk(memory: Memory, memories: Memories, clock: FrozenClock) -> None:
    talk = memories.conversation("s1")
    first = talk.add_turn("user", "I speak Dutch. I live in Porto, and I love chess.")
    assert [found.content for found in first.extracted] == [
        "User speaks Dutch",
        "User lives in Porto",
        "User likes chess",
    ]
    dutch, porto, chess = (found.id for found in first.extracted)
    assert talk.add_turn("assistant", "I like chess too.").extracted == ()
    assert talk.add_turn("user", "Do I like chess?").extracted == ()

    for day in (1, 2, 3):  # chess is seen three times in the first days
        at(clock, day)
        assert [(f.id, f.action) for f in talk.add_turn("user", "I love chess!").extracted] == [
            (chess, "seen")
        ]
    assert memories.get(chess).hits == 3
    swept = memories.gc(at(clock, 4))
    assert (swept.promoted, swept.deleted, swept.archived) == ((chess,), (), ())
    assert memories.get(chess).layer == "long"

    at(clock, 5)
    plan = talk.add_turn("user", "I hate mushrooms.").extracted
    mushrooms = plan[0].id

    at(clock, 10)  # she moves: the old home is archived, the new one says why
    moved = talk.add_turn("user", "I moved to Lisbon.").extracted
    lisbon = moved[0].id
    assert (moved[0].action, moved[0].conflicts_with) == ("conflict", (porto,))
    assert memories.get(porto).status == "archived"
    why = memories.why(lisbon)
    assert {link.reason for link in why.links} == {"extracted", "conflict"}
    archived = memories.why(porto).decisions[-1]
    assert (archived.action, archived.inputs["reason"], archived.inputs["by"]) == (
        "archived",
        "conflict",
        lisbon,
    )
    before = AsOf(system=memory.get(moved_turn(memories, lisbon)).recorded_at - 1, valid=AsOf.LATEST.valid)
    assert memories.get(porto, as_of=before).status == "active"
    assert [fact.fact.object for fact in memory.facts.about("user", predicate="lives_in")] == ["Lisbon"]

    # The language was never mentioned again: below 0.5 after 13.9 days, as is what came with it.
    swept = memories.gc(at(clock, 13.8))
    assert (swept.promoted, swept.deleted) == ((), ())
    swept = memories.gc(at(clock, 14))
    assert swept.deleted == (dutch,)
    assert math.exp(-0.05 * 14) < 0.5 < math.exp(-0.05 * 13.8)
    gone = memories.why(dutch).decisions[-1]
    assert (gone.action, gone.inputs["reason"], gone.at) == ("deleted", "score", clock.now())
    assert gone.inputs["score"] == math.exp(-0.05 * 14)

    at(clock, 15)  # said again, it is a new memory; chess, promoted, is not
    again = talk.add_turn("user", "I speak Dutch, and I love chess.").extracted
    assert [(found.action, found.id == chess) for found in again] == [("created", False), ("seen", True)]
    assert again[0].id != dutch
    memories.remember("User must never be given penicillin", importance=1, tags=["health"])

    swept = memories.gc(at(clock, 20))
    assert swept.deleted == (mushrooms,)
    swept = memories.gc(at(clock, 30))
    assert swept.deleted == tuple(sorted((lisbon, again[0].id)))
    assert contents(memories) == {
        "User speaks Dutch": "deleted",
        "User lives in Porto": "archived",
        "User likes chess": "active",
        "User dislikes mushrooms": "deleted",
        "User moved to Lisbon": "deleted",
        "User must never be given penicillin": "active",
    }

    memories.configure({"mid.archive": True})
    swept = memories.gc(at(clock, 45.1))  # important, and still too old
    assert [memories.get(number).content for number in swept.archived] == [
        "User must never be given penicillin"
    ]
    over = memories.why(swept.archived[0]).decisions[-1]
    assert over.inputs["reason"] == "age"

    at(clock, 60)
    ended = talk.add_turn("user", "I no longer like chess.").extracted
    assert (ended[0].action, ended[0].conflicts_with) == ("conflict", (chess,))
    assert memories.get(chess).status == "archived"
    assert [item.content for item in memories.list()] == ["User no longer likes chess"]
    assert [turn.role for turn in talk.window()].count("user") == 9
    assert memory.verify(deep=True)


def moved_turn(memories: Memories, memory_id: int | None) -> int:
    assert memory_id is not None
    return memories.why(memory_id).links[0].turn_id


def test_long_term_memories_reach_the_context(memories: Memories, clock: FrozenClock) -> None:
    talk = memories.conversation("s1")
    for _ in range(4):
        talk.add_turn("user", "I love chess.")
        talk.add_turn("user", "I play the violin.")
        clock.advance(days=1)
    memories.gc(clock.now())
    other = memories.conversation("s2")
    hint = other.context(k=5).long_term_hint
    assert {item.content for item in hint} == {"User likes chess", "User plays the violin"}
    other.add_turn("user", "Who could teach me chess openings?")
    assert other.context(k=5).long_term_hint[0].content == "User likes chess"
    asked = other.context(k=5, query="violin lessons")
    assert [item.content for item in asked.long_term_hint] == ["User plays the violin"]
    assert asked.mid_term == ()


def test_mid_term_memories_do_not_crowd_out_long_term_ones(memories: Memories, clock: FrozenClock) -> None:
    talk = memories.conversation("s1")
    for _ in range(4):
        talk.add_turn("user", "I love chess.")
        clock.advance(days=1)
    memories.gc(clock.now())
    memories.remember("Chess club on Monday")
    memories.remember("Bring snacks when it is your turn at the chess club on Monday")
    context = talk.context(k=1, query="chess club on Monday")
    assert [item.layer for item in context.mid_term] == ["mid"]
    assert [item.content for item in context.long_term_hint] == ["User likes chess"]
