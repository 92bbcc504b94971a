"""The same thing said again is asserted again, also where its text is a duplicate."""

from __future__ import annotations

from typing import Any

from longmind import AsOf, FrozenClock, Memory
from tests.conftest import START

DAY = 86_400_000


def home(memory: Memory, **given: Any) -> list[str]:
    return [str(hit.fact.object) for hit in memory.facts.about("user", predicate="lives_in", **given)]


def test_a_text_remembered_again_holds_again(memory: Memory, clock: FrozenClock) -> None:
    first = memory.remember("I live in Rome.")
    clock.advance(days=1)
    memory.remember("I live in Milan.")
    clock.advance(days=1)
    again = memory.remember("I live in Rome.")
    assert (again.id, again.unchanged, again.reasserted) == (first.id, 1, 1)
    assert home(memory) == ["Rome"]
    assert home(memory, as_of=AsOf(AsOf.LATEST.system, START + DAY + 5)) == ["Milan"]
    assert memory.verify(deep=True)


def test_a_text_remembered_again_asserts_nothing_while_it_is_held(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Rome.")
    clock.advance(days=1)
    revision = memory.revision
    report = memory.remember("I live in Rome.")
    assert (report.unchanged, report.reasserted, memory.revision) == (1, 0, revision)


def test_an_ending_remembered_again_ends_again(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I work at Acme.")
    clock.advance(days=1)
    memory.remember("I no longer work at Acme.")
    clock.advance(days=1)
    memory.remember("I work at Acme again.")
    memory.remember("I work at Acme.")
    assert [str(hit.fact.object) for hit in memory.facts.about("user", predicate="works_at")] == ["Acme"]
    clock.advance(days=1)
    assert memory.remember("I no longer work at Acme.").reasserted == 1
    assert not memory.facts.about("user", predicate="works_at")


def test_what_is_asserted_again_goes_with_its_frame(memory: Memory, clock: FrozenClock) -> None:
    rome = memory.remember("I live in Rome.").id
    clock.advance(days=1)
    memory.remember("I live in Milan.")
    clock.advance(days=1)
    memory.remember("I live in Rome.")
    memory.erase(rome)
    assert home(memory) == ["Milan"]
    assert home(memory, as_of=AsOf(AsOf.LATEST.system, START + 5)) == []


def test_an_older_value_told_later_fills_only_its_own_past(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("I live in Rome.")
    clock.advance(days=1)
    memory.remember("I live in Rome these days.", occurred_at=START + DAY)
    memory.remember("I live in Oslo.", occurred_at=START - 100 * DAY)
    assert home(memory) == ["Rome"]
    assert home(memory, as_of=AsOf(AsOf.LATEST.system, START - DAY)) == ["Oslo"]
