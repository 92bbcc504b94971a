"""What no longer holds comes after what does, with a mark; one thing is shown once."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from longmind.base.times import AsOf

DAY = 86_400


def test_the_statement_that_holds_now_comes_first_and_the_other_is_marked(location: str) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(location, embedder="hash", clock=clock) as memory:
        old = memory.remember("Ana lives in Rome, at home in the old town.").ids[0]
        then = clock.now()
        clock.advance(seconds=30 * DAY)
        new = memory.remember("Ana moved to Milan.").ids[0]
        hits = memory.search("Where is Ana's home?")
        assert [hit.frame.id for hit in hits][:2] == [new, old]
        assert [hit.superseded for hit in hits][:2] == [None, new]
        assert {"superseded"} <= {step.name for step in hits[1].steps}
        assert f"superseded, see frame {new}" in hits.explain()
        # Asked about the past, both stand as they match; asked as of then, nothing was replaced.
        past = memory.search("Where was Ana's home before Milan?")
        assert {hit.frame.id: hit.superseded for hit in past} == {old: new, new: None}
        as_of = memory.search("Where is Ana's home?", as_of=AsOf.at(then + 1000))
        assert [(hit.frame.id, hit.superseded) for hit in as_of] == [(old, None)]
        # One lane alone keeps its own order, and the mark.
        by_words = memory.search("Ana's home in the old town", mode="text")
        assert (by_words[0].frame.id, by_words[0].superseded) == (old, new)
        context = memory.recall("Where was Ana's home before Milan?")
        assert f"(superseded, see frame {new})" in context.text
        assert memory.replay(context.receipt)
        assert memory.replay(type(context.receipt).from_json(context.receipt.to_json()))


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        ("I like running.", "I hate running now.", "Do I like running?"),
        ("I own a red bike.", "I sold my red bike.", "Do I own a red bike?"),
        ("My email is ana@old.example.", "My email is ana@new.example.", "What is my email?"),
    ],
)
def test_attitudes_endings_and_values_are_told_apart(before: str, after: str, question: str) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        old = memory.remember(before, role="user", session="s").ids[0]
        clock.advance(seconds=DAY)
        new = memory.remember(after, role="user", session="s").ids[0]
        hits = memory.search(question)
        assert [(hit.frame.id, hit.superseded) for hit in hits] == [(new, None), (old, new)]


def test_a_long_text_with_one_replaced_value_keeps_its_place_and_has_no_mark() -> None:
    clock = FrozenClock(1_700_000_000_000)
    letter = (
        "I live in Porto. The roof of the old barn leaks whenever it rains from the west, so we asked three "
        "roofers for their prices, and the second of them was the cheapest by far."
    )
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        told = memory.remember(letter, role="user", session="s").ids[0]
        clock.advance(seconds=DAY)
        memory.remember("I live in Lisbon.", role="user", session="s")
        hits = memory.search("Which roofer was the cheapest?")
        assert (hits[0].frame.id, hits[0].superseded) == (told, None)
        assert "roofers" in memory.recall("Which roofer was the cheapest?").text


def test_what_replaced_it_is_named_only_to_those_who_may_see_it() -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(":memory:", embedder=None, clock=clock) as memory:
        memory.remember("Ana lives in Rome.", space="work")
        clock.advance(seconds=DAY)
        memory.remember("Ana lives in Milan.", space="work", user="ben")
        shared = memory.search("Where does Ana live?", space="work")
        assert [hit.superseded for hit in shared] == [None]


def test_a_turn_and_the_memory_made_of_it_are_one_hit(location: str) -> None:
    with Memory.open(location, embedder=None, clock=FrozenClock(1_700_000_000_000)) as memory:
        memory.conversation("talk").add_turn("user", "My favourite colour is teal, by the way.")
        assert len(memory.timeline()) == 2
        hits = memory.search("favourite colour teal")
        assert len(hits) == 1
        other = next(frame.id for frame in memory.timeline() if frame.id != hits[0].frame.id)
        why = memory.why_not("favourite colour teal", other)
        assert (why.found, why.stage) == (False, "repeated")
        assert len(memory.search("favourite colour teal", where={"kind": "turn"})) == 1
        assert len(memory.search("favourite colour teal", where={"kind": "memory"})) == 1


def test_why_not_names_the_confidence_that_was_too_low() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        frame = memory.remember("The violin needs new strings before the concert.").ids[0]
        why = memory.why_not("strings of beans and peas in a garden", frame, min_score=0.99)
        assert (why.found, why.stage) == (False, "confidence")
