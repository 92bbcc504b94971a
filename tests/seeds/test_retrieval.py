"""Retrieval: entities that agree, and questions about what came first."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, Memory
from longmind.search.recency import asks_oldest


def test_entity_agreement_counts_in_the_rerank(location: str) -> None:
    with Memory.open(location, embedder=None, extractor=None) as memory:
        memory.facts.upsert_entity("Ana Silva", aliases=["the lighthouse keeper"])
        for number in range(6):
            memory.remember(f"A report on the harbour budget, part {number}.")
        other = memory.remember("The lighthouse keeper asked for a larger harbour budget.").id
        results = memory.search("What did Ana Silva say of the harbour budget?")
        hit = next(hit for hit in results if hit.frame.id == other)
        step = next(step for step in hit.steps if step.name == "entity")
        assert step.amount > 0
        assert results[0].frame.id == other
        assert not [
            step for each in results if each.frame.id != other for step in each.steps if step.name == "entity"
        ]
        without = memory.search("What did Ana Silva say of the harbour budget?", lanes=("text",))
        assert not [step for each in without for step in each.steps if step.name == "entity"]


@pytest.mark.parametrize(
    "question",
    [
        "When did I first mention the harbour?",
        "What was the oldest note?",
        "What is the earliest thing you know?",
        "What was the first thing I said?",
    ],
)
def test_a_question_about_the_first_gets_the_oldest(
    memory: Memory, clock: FrozenClock, question: str
) -> None:
    ids = []
    for number in range(5):
        ids.append(memory.remember(f"Note {number} on the harbour.").id)
        clock.advance(days=30)
    results = memory.search(question, lanes=("timeline",))
    assert [hit.frame.id for hit in results] == ids
    newest = memory.search("What is the latest note?", lanes=("timeline",))
    assert [hit.frame.id for hit in newest] == ids[::-1]


def test_first_names_and_lists_do_not_ask_for_the_oldest() -> None:
    for text in (
        "What is his first name?",
        "First of all, where is it?",
        "Who has a first aid kit?",
        "the first floor",
    ):
        assert asks_oldest(text) is None, text
