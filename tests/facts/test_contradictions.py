"""What a second turn says against the first: 100 labelled pairs, half of which only look alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longmind import AsOf, FrozenClock, Memory

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "contradictions.jsonl").read_text("utf-8").splitlines()
]
BEFORE, AFTER = datetime(2024, 5, 4, 9, tzinfo=UTC), datetime(2025, 6, 6, 9, tzinfo=UTC)


def held(memory: Memory, words: str) -> bool:
    """Whether a fact that holds now has these words."""
    changes = memory.facts.diff(AsOf(system=0, valid=0), AsOf.LATEST)
    facts = [change.after.fact for change in changes if change.after is not None]
    lines = [f"{fact.subject} {fact.predicate} {fact.object}" for fact in facts if fact.predicate != "is_a"]
    return any(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line) for line in lines)


def told(first: str, second: str, words: str) -> Iterator[bool]:
    """Whether the words are held after the first turn, and after the second."""
    clock = FrozenClock(BEFORE)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        talk = memory.conversation("talk")
        for moment, text in ((BEFORE, first), (AFTER, second)):
            clock.set(moment)
            talk.add_turn("user", text)
            yield held(memory, words)


@pytest.mark.parametrize("contradicts", [True, False])
def test_a_contradiction_ends_what_it_contradicts_and_nothing_else_does(contradicts: bool) -> None:
    pairs = [pair for pair in PAIRS if pair["contradicts"] is contradicts]
    wrong = [
        f"{pair['first']} {pair['second']}"
        for pair in pairs
        if list(told(pair["first"], pair["second"], pair["old"])) != [True, not contradicts]
    ]
    print(f"\n{'contradictions' if contradicts else 'others'}: {len(pairs) - len(wrong)} of {len(pairs)}")
    assert len(pairs) == 50
    assert len(wrong) <= 0.1 * len(pairs), "\n".join(wrong)
