"""What was told to end on a day: from that day on, no memory says that it is so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory
from longmind.store.expiry import _DUE

TOLD = datetime(2025, 6, 3, 19, tzinfo=UTC)
BEFORE = datetime(2025, 8, 29, 12, tzinfo=UTC)
AFTER = datetime(2025, 9, 9, 12, tzinfo=UTC)


def remembered(memory: Memory, user: str | None = None) -> set[str]:
    return {item.content for item in memory.memories.list(limit=50, user=user)}


def say(memory: Memory, text: str, user: str | None = None) -> None:
    memory.conversation("s", user=user).add_turn("user", text)


@pytest.mark.parametrize(
    ("told", "over"),
    [
        ("We live in Exeter but we're moving to Leeds on 30 August.", "User lives in Exeter"),
        ("I work at Barclays until 31 August.", "User works at Barclays"),
        ("I live in Ghent until 30 August 2025.", "User lives in Ghent"),
        ("My sister Rita works at Nestlé until 1 September.", "Rita works at Nestlé"),
    ],
)
@pytest.mark.parametrize("later", ["Thanks, that helped a lot.", "How long does bread dough keep?"])
def test_a_memory_ends_on_its_day_whatever_is_said_next(
    memory: Memory, clock: FrozenClock, told: str, over: str, later: str
) -> None:
    clock.set(TOLD)
    say(memory, told)
    assert over in remembered(memory)
    clock.set(BEFORE)
    say(memory, later)
    assert over in remembered(memory)
    clock.set(AFTER)
    say(memory, later)
    assert over not in remembered(memory)
    assert list(memory.verify(deep=True).problems) == []


def test_each_user_is_followed_and_nobody_else_is(memory: Memory, clock: FrozenClock) -> None:
    clock.set(TOLD)
    say(memory, "I work at Barclays until 31 August.", "ana")
    say(memory, "I work at Barclays.", "ben")
    clock.set(AFTER)
    say(memory, "Good morning!", "ana")
    assert "User works at Barclays" not in remembered(memory, "ana")
    assert "User works at Barclays" in remembered(memory, "ben")


def test_what_is_said_to_go_on_after_all_is_remembered(memory: Memory, clock: FrozenClock) -> None:
    clock.set(TOLD)
    say(memory, "I work at Barclays until 31 August.")
    clock.set(AFTER)
    say(memory, "Good morning!")
    assert "User works at Barclays" not in remembered(memory)
    clock.advance(days=1)
    say(memory, "I work at Barclays again.")
    assert "User works at Barclays" in remembered(memory)


def test_what_is_told_anew_in_the_very_turn_stays(memory: Memory, clock: FrozenClock) -> None:
    clock.set(TOLD)
    say(memory, "I work at Barclays until 31 August.")
    clock.set(AFTER)
    say(memory, "I still work at Barclays.")
    assert "User works at Barclays" in remembered(memory)


def test_another_process_follows_what_ended_while_none_was_open(location: str, clock: FrozenClock) -> None:
    if location == ":memory:":
        pytest.skip("a store in memory ends with its process")
    clock.set(TOLD)
    with Memory.open(location, clock=clock, embedder=None) as memory:
        say(memory, "I work at Barclays until 31 August.")
    clock.set(AFTER)
    with Memory.open(location, clock=clock, embedder=None) as memory:
        say(memory, "Good morning!")
        assert "User works at Barclays" not in remembered(memory)


def test_the_look_at_what_ended_reads_an_index(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "a.mind"
    with Memory.open(path, clock=clock, embedder=None) as memory:
        say(memory, "I work at Barclays until 31 August.")
    with closing(sqlite3.connect(path)) as db:
        plan = db.execute(f"EXPLAIN QUERY PLAN {_DUE}", (0, 1, 0, 1, 0, 1)).fetchall()
    steps = [str(row[-1]) for row in plan]
    assert any("fact_span_lapsing" in step for step in steps), steps
    assert not any(step.startswith("SCAN") for step in steps), steps
