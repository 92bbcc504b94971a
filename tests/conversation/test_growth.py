"""What a turn costs does not grow with what was said before, whether it is over or not."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import apsw
import pytest

from longmind import FrozenClock, Memory
from longmind.store.sqlite_transactions import SqliteConnection


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows statements have returned, one number each."""
    counts: list[int] = []
    ask = SqliteConnection.all

    def counting(self: SqliteConnection, sql: str, values: Any = ()) -> Any:
        rows = ask(self, sql, values)
        counts.append(len(rows))
        return rows

    monkeypatch.setattr(SqliteConnection, "all", counting)
    return counts


def test_a_move_reads_no_more_after_many_homes(tmp_path: Path, rows_read: list[int]) -> None:
    with Memory.open(str(tmp_path / "homes.mind"), embedder=None) as memory:
        talk = memory.conversation("talk")
        read = []
        for number in range(40):
            rows_read.clear()
            talk.add_turn("user", f"I live in Town{number} now.")
            read.append(sum(rows_read))
        [home] = memory.facts.about("user", predicate="lives_in")
        assert str(home.fact.object) == "Town39"
        [kept] = memory.memories.list(limit=10)
        assert "Town39" in kept.content
    # Of each home that is over one narrow row is looked at: its memory, which may come back.
    assert read[39] - read[9] < 2 * 30


SYLLABLES = "ka lo mi ren tas vor shi del pan gur bel osk una fir tow zen mar cus lin dra".split()
TURNS = (
    "I like {} these days.",
    "I hate {}.",
    "I sold the {}.",
    "I live in Porto now.",
    "I no longer use {}.",
    "My dentist appointment is on Friday.",
)
PREDICATES = ("likes", "hates", "uses", "plays", "owns", "habit", "did")


class Work(NamedTuple):
    """Counted, not timed: calls of Python functions, and steps of SQLite's machine."""

    calls: int
    steps: int


class Counted:
    def __init__(self) -> None:
        self.calls = self.steps = 0

    def call(self, _frame: FrameType, event: str, _argument: Any) -> None:
        self.calls += event == "call"

    def statement(self, trace: dict[str, Any]) -> None:
        self.steps += trace["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]


@contextmanager
def counted() -> Iterator[Counted]:
    work = Counted()
    connections = []
    for connection in [each for each in gc.get_objects() if isinstance(each, apsw.Connection)]:
        with suppress(apsw.ConnectionClosedError):
            connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, work.statement, id=work)
            connections.append(connection)
    sys.setprofile(work.call)
    try:
        yield work
    finally:
        sys.setprofile(None)
        for connection in connections:
            connection.trace_v2(0, None, id=work)


def thing(number: int) -> str:
    first, second, third = (SYLLABLES[number // 20**place % 20] for place in range(3))
    return f"{first}{second} {third}{first}"


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Memory]]:
    """Somebody who has told little, and somebody who has told much: facts, and memories of turns."""
    folder = tmp_path_factory.mktemp("lives")
    clock = FrozenClock(1_700_000_000_000)
    with (
        Memory.open(folder / "short.mind", embedder=None, clock=clock) as short,
        Memory.open(folder / "long.mind", embedder=None, clock=clock) as long,
    ):
        for memory, facts, turns in ((short, 100, 20), (long, 3000, 600)):
            memory.facts.record_many(
                [
                    {"subject": "user", "predicate": PREDICATES[number % 7], "value": f"old {thing(number)}"}
                    for number in range(facts)
                ]
            )
            for first in range(0, turns, 100):
                said = range(first, min(first + 100, turns))
                clock.advance(seconds=60)
                memory.conversation("past").add_turns([("user", f"I like {thing(each)}.") for each in said])
            for turn in TURNS:  # what is kept in memory from one write to the next is read once
                clock.advance(seconds=60)
                memory.conversation("now").add_turn("user", turn.format(thing(7000)))
        yield short, long


def work_of(memory: Memory, do: Callable[[Memory], object]) -> Work:
    with counted() as work:
        do(memory)
    return Work(work.calls, work.steps)


@pytest.mark.parametrize("number", range(len(TURNS)))
def test_a_turn_costs_what_it_says(lives: tuple[Memory, Memory], number: int) -> None:
    def tell(memory: Memory) -> None:
        memory.conversation("now").add_turn("user", TURNS[number].format(thing(7100 + number)))

    short, long = (work_of(memory, tell) for memory in lives)
    assert min(short) > 500, "nothing was counted"
    # Thirty times as much was told.
    assert long.calls < 1.5 * short.calls
    assert long.steps < 4 * short.steps


@pytest.mark.parametrize("question", ["Where do I live?", "What do I like?", "What should I cook tonight?"])
@pytest.mark.parametrize("ask", ["search", "recall", "context"])
def test_a_question_costs_what_it_is_about(lives: tuple[Memory, Memory], ask: str, question: str) -> None:
    def asked(memory: Memory) -> None:
        if ask == "context":
            memory.conversation("now").context(20, query=question)
        else:
            getattr(memory, ask)(question)

    for memory in lives:
        asked(memory)  # what is kept in memory is read once
    short, long = (work_of(memory, asked) for memory in lives)
    assert min(short) > 100, "nothing was counted"
    assert long.calls < 3 * short.calls
    assert long.steps < 8 * short.steps
