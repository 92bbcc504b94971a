"""Of an entity of which much is known, the facts that a question is about are found without reading all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from longmind import Memory
from longmind.base.filters import View, Where
from longmind.facts import fact_index
from longmind.facts.cards import FactCards
from longmind.facts.fact_index import FactIndex
from longmind.facts.lane import LaneOptions, about_who_asks, candidates

HOME = View.of("default")
VERBS = ("like", "love", "use", "own")
WORDS = "tea kayaks violin Porto climbing chess rowing bread maps clocks".split()
QUESTIONS = ("What do I like?", "Do I own a violin?", "Where did I go rowing?", "Which bread do I use?")


def tell(memory: Memory, random: Random, times: int) -> None:
    things = [" ".join(random.sample(WORDS, 2)) for _ in range(times)]
    turns = [("user", f"I {random.choice(VERBS)} {thing} number {random.randrange(99)}.") for thing in things]
    memory.conversation("talk").add_turns(turns)


def asked(memory: Memory, index: FactIndex | None, options: LaneOptions) -> list[object]:
    with memory.store.read() as snapshot:
        return [
            [candidates(snapshot, query, HOME, Where(), options, index=index) for query in QUESTIONS],
            about_who_asks(snapshot, HOME, Where(), options, index),
            [
                FactCards(options, index).cards(query, snapshot=snapshot, view=HOME, limit=9)
                for query in (*QUESTIONS, "Is the violin from Porto?")
            ],
        ]


@pytest.mark.parametrize("by_relevance", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_many_facts_are_ranked_as_few_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, by_relevance: bool
) -> None:
    """What is kept in memory, what is read for one question, and going through all give the same."""
    random = Random(seed)
    options = LaneOptions(max_facts=7, by_relevance=by_relevance)
    with Memory.open(tmp_path / "many.mind", embedder=None) as memory:
        index = FactIndex(memory.store.mirrors)
        for _ in range(4):
            tell(memory, random, 12)
            memory.forget(memory.conversation("talk").add_turn("user", "I love drums and maps.").turn_id)
            few = asked(memory, None, options)
            monkeypatch.setattr(fact_index, "MANY", 3)
            assert asked(memory, index, options) == few
            assert asked(memory, None, options) == few
            monkeypatch.undo()


def test_facts_that_were_erased_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_index, "MANY", 3)
    with Memory.open(tmp_path / "erased.mind", embedder=None) as memory:
        index = FactIndex(memory.store.mirrors)
        tell(memory, Random(5), 10)
        turn = memory.conversation("talk").add_turn("user", "I love bagpipes.").turn_id
        with memory.store.read() as snapshot:
            found = candidates(snapshot, "Do I love bagpipes?", HOME, Where(), index=index)
        assert turn in {item.frame_id for item in found}
        memory.erase(turn)
        with memory.store.read() as snapshot:
            found = candidates(snapshot, "Do I love bagpipes?", HOME, Where(), index=index)
        assert turn not in {item.frame_id for item in found}
        assert "bagpipes" not in str(found)


def test_many_threads_ask_for_many_entities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fact_index, "_MOST_ENTITIES", 2)
    with Memory.open(tmp_path / "threads.mind", embedder=None) as memory:
        tell(memory, Random(6), 20)
        index = FactIndex(memory.store.mirrors)

        def ask(number: int) -> int:
            with memory.store.read() as snapshot:
                return len(list(index.of(snapshot, (1, number % 5 + 2)).in_order()))

        with ThreadPoolExecutor(4) as threads:
            counts = list(threads.map(ask, range(200)))
        assert counts == [ask(number) for number in range(200)]
