"""What a text put in its own words ends when its speaker says that it changed; others' words end nothing."""

from __future__ import annotations

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START


def held(memory: Memory) -> list[str]:
    """Everything that the ledger holds now, in words."""
    changes = memory.facts.diff(AsOf(system=0, valid=0), AsOf.LATEST)
    hits = [change.after for change in changes if change.after is not None]
    return [
        f"{hit.fact.subject} {hit.fact.predicate} {hit.fact.object}"
        for hit in hits
        if not hit.fact.subject.startswith("session:")
    ]


def told(*texts: str, last_as_document: bool = False) -> list[str]:
    """What is held after turns of the user, each a month after the one before."""
    clock = FrozenClock(START)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("c")
        for number, text in enumerate(texts, 1):
            if last_as_document and number == len(texts):
                memory.ingest(text=text, uri="minutes.txt")
            else:
                talk.add_turn("user", text)
            clock.advance(days=30)
        return held(memory)


@pytest.mark.parametrize(
    ("first", "second", "gone", "new"),
    [
        ("I bank with Northmere.", "I left Northmere. Now it's Kestrel.", "Northmere", "Kestrel"),
        (
            "I train at Ironhold.",
            "Ironhold put its prices up, so I've moved my membership to Pulse.",
            "Ironhold",
            "Pulse",
        ),
        ("Deploys happen on Fridays.", "We only ever deploy on Tuesdays.", "Fridays", "Tuesdays"),
        ("I volunteer at the Elm shelter.", "I volunteer at the Oak library.", "Elm", "Oak"),
        ("Our CTO is Farid.", "Farid left in May, Nadia is CTO now.", "Farid", "Nadia"),
        ("Tom is my flatmate.", "Tom moved out, Ines has his room now.", "flatmate", "Ines"),
        ("My landlord is Mr Petrov.", "Our new landlord is Ms Lang.", "Petrov", "Ms Lang"),
        ("Our budget is 40k.", "The budget was cut to 30k.", "40k", "30k"),
        ("My insurance is with Allmark.", "I'm with Bluestone for insurance now.", "Allmark", "Bluestone"),
        ("Hamid plays the zither.", "I was wrong, what Hamid plays is a dulcimer.", "zither", "dulcimer"),
    ],
)
def test_what_is_spoken_of_as_changed_is_not_held_any_more(
    first: str, second: str, gone: str, new: str
) -> None:
    assert any(gone in line for line in told(first)), told(first)
    after = told(first, second)
    assert not any(gone in line for line in after), after
    assert any(new in line for line in after), after


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I have a subscription to Wired.", "I let my Wired subscription lapse."),
        ("I'm on the night shift.", "No more night shifts for me."),
        ("My dog is called Bruno.", "Bruno died on Sunday."),
    ],
)
def test_what_is_over_leaves_nothing_behind(first: str, second: str) -> None:
    [before] = told(first)
    assert before not in told(first, second)


@pytest.mark.parametrize(
    "second",
    [
        "I still train at Ironhold, and I've switched to mornings.",
        "Should I have stopped going to Ironhold?",
        "I might have given up on Ironhold if it weren't so near.",
        "I met a friend at Ironhold.",
        "My sister left her bag at Ironhold.",
    ],
)
def test_what_only_mentions_it_ends_nothing(second: str) -> None:
    assert any("Ironhold" in line and "trains_at" in line for line in told("I train at Ironhold.", second))


def test_a_relative_who_goes_stays_a_relative() -> None:
    assert "user sister Kate" in told("Kate is my sister.", "Kate moved away to York.")


def test_a_document_ends_nothing_that_the_user_said() -> None:
    after = told("I train at Ironhold.", "Nobody goes to Ironhold any more.", last_as_document=True)
    assert any("trains_at" in line for line in after)


def test_a_question_about_the_past_recalls_what_was_so_then(memory: Memory, clock: FrozenClock) -> None:
    talk = memory.conversation("c")
    talk.add_turn("user", "I live in Passau.")
    clock.advance(days=300)
    talk.add_turn("user", "I moved to Regensburg.")
    clock.advance(days=300)
    talk.add_turn("user", "I've moved back to Passau.")
    asked = memory.recall("Where was I living in December 2024?", budget=300, reference=clock.now())
    assert "Regensburg" in asked.text
    now = memory.recall("Where do I live?", budget=300)
    assert not any("Regensburg" in item.text for item in now.items if item.lane == "facts")
