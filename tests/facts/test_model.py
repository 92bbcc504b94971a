"""The ledger against a naive model that keeps every assertion in a list and replays it for each question."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from longmind import AsOf, FrozenClock, InvalidInput
from longmind.facts.ledger import Ledger
from longmind.facts.part import FactsPart
from longmind.facts.values import OPEN, Assertion
from longmind.store.store import Store, open_store
from longmind.store.upkeep import verify

LAST = 12
"""All times given lie before; what is so here is so for ever."""
FOREVER = AsOf.LATEST.system

Statement = tuple[str, str, str]
Points = list[set[str]]


@dataclass(frozen=True)
class Said:
    """One operation, as it was asked for, and the system time it was given."""

    system: int
    verb: str
    statement: Statement
    value: str | None
    start: int
    end: Any


class Model:
    """Every operation in a list; nothing else is kept."""

    def __init__(self) -> None:
        self.said: list[Said] = []

    def state(self, statement: Statement, system: int = FOREVER) -> Points:
        points: Points = [set() for _ in range(LAST + 1)]
        for item in self.said:
            if item.system <= system and item.statement == statement:
                self._apply(points, item)
        return points

    def _apply(self, points: Points, item: Said) -> None:
        if item.verb == "retract":
            for point in range(item.start, LAST + 1):
                points[point] -= {item.value} if item.value is not None else set(points[point])
            return
        assert item.value is not None
        exclusive = item.verb == "replace" or item.statement[1] == "one"
        end = LAST + 1 if item.end is OPEN else item.end
        if end is None:
            end = self.next_other(points, item.value, item.start) if exclusive else LAST + 1
        for point in range(item.start, end):
            points[point] = {item.value} if exclusive else points[point] | {item.value}

    def not_before(self, statement: Statement, verb: str, value: str, reading: int) -> int:
        """The clock's reading, or what follows all that was said before, where the clock was set back."""
        points = self.state(statement)
        exclusive = verb == "replace" or statement[1] == "one"
        moment = reading
        for followed in ("x", "y", "z") if exclusive else (value,):
            for start in self.starts(points, followed):
                end = self.period(points, followed, start)[1]
                moment = max(moment, start + 1 if start > reading else reading, end or reading)
        return moment

    @staticmethod
    def next_other(points: Points, value: str, start: int) -> int:
        for point in range(start + 1, LAST + 1):
            if any(other != value and other not in points[point - 1] for other in points[point]):
                return point
        return LAST + 1

    @staticmethod
    def period(points: Points, value: str, point: int) -> tuple[int, int | None]:
        first = last = point
        while first > 0 and value in points[first - 1]:
            first -= 1
        while last <= LAST and value in points[last]:
            last += 1
        return first, None if last > LAST else last

    @staticmethod
    def starts(points: Points, value: str) -> list[int]:
        return [
            point
            for point in range(LAST + 1)
            if value in points[point] and (point == 0 or value not in points[point - 1])
        ]


_spaces = itertools.count(1)
subjects = st.sampled_from(["ana", "bob"])
predicates = st.sampled_from(["one", "many"])
qualifiers = st.sampled_from(["", "q"])
values = st.sampled_from(["x", "y", "z"])
moments = st.integers(0, LAST - 1)
ends = st.one_of(st.none(), st.just(OPEN), st.integers(1, LAST))


def machine(store: Store, clock: FrozenClock) -> type[RuleBasedStateMachine]:
    class LedgerMachine(RuleBasedStateMachine):
        times = Bundle("times")

        def __init__(self) -> None:
            super().__init__()
            self.space = f"s{next(_spaces)}"
            self.facts = Ledger(store, self.space)
            self.model = Model()

        @initialize(target=times)
        def begin(self) -> int:
            self.facts.define_predicate("one", cardinality="one")
            return store.revision()

        @rule(now=st.one_of(st.integers(0, LAST - 1), st.integers(10**9, 10**13)))
        def move_clock(self, now: int) -> None:
            clock.set(now)

        @rule(
            target=times,
            verb=st.sampled_from(["record", "replace"]),
            subject=subjects,
            predicate=predicates,
            qualifier=qualifiers,
            value=values,
            start=st.one_of(moments, st.none()),
            end=ends,
        )
        def assert_one(
            self,
            verb: str,
            subject: str,
            predicate: str,
            qualifier: str,
            value: str,
            start: int | None,
            end: Any,
        ) -> int:
            if start is None and clock.now() >= LAST:
                start = 0
            begins = clock.now() if start is None else start
            if isinstance(end, int) and end <= begins:
                end = begins + 1
            if start is None:
                floor = self.model.not_before((subject, predicate, qualifier), verb, value, begins)
                begins = begins if isinstance(end, int) and end <= floor else floor
            call = self.facts.record if verb == "record" else self.facts.replace
            call(subject, predicate, value, valid_from=start, valid_to=end, qualifiers=self._extra(qualifier))
            self._note(verb, (subject, predicate, qualifier), value, begins, end)
            return store.revision()

        @rule(
            target=times,
            items=st.lists(st.tuples(subjects, predicates, values, moments, ends), min_size=2, max_size=5),
        )
        def assert_several(self, items: list[tuple[str, str, str, int, Any]]) -> int:
            given = []
            for subject, predicate, value, start, end in items:
                stop = start + 1 if isinstance(end, int) and end <= start else end
                given.append(Assertion(subject, predicate, value, start, stop))
            self.facts.record_many(given)
            for item in given:
                self._note(
                    "record",
                    (item.subject, item.predicate, ""),
                    str(item.value),
                    item.valid_from,
                    item.valid_to,
                )
            return store.revision()

        @rule(
            target=times,
            subject=subjects,
            predicate=predicates,
            qualifier=qualifiers,
            value=st.one_of(st.none(), values),
            until=st.one_of(st.none(), st.integers(0, LAST)),
        )
        def retract(
            self, subject: str, predicate: str, qualifier: str, value: str | None, until: int | None
        ) -> int:
            statement = (subject, predicate, qualifier)
            now = self.model.state(statement)
            meant = [value] if value is not None else ["x", "y", "z"]
            late = until is not None and any(
                start >= until for item in meant for start in self.model.starts(now, item)
            )

            def call() -> None:
                self.facts.retract(
                    subject, predicate, value, valid_to=until, qualifiers=self._extra(qualifier)
                )

            if late:
                with pytest.raises(InvalidInput):
                    call()
            else:
                call()
                self._note("retract", statement, value, 0 if until is None else until, None)
            return store.revision()

        @rule(system=times, point=st.integers(0, LAST), shift=st.sampled_from([-1, 0, 1]))
        def compare(self, system: int, point: int, shift: int) -> None:
            self._compare(system + shift, point)

        @rule(system=times)
        def compare_latest(self, system: int) -> None:
            self._compare(FOREVER, FOREVER)
            self._compare(system, FOREVER)
            self._compare(FOREVER, LAST)

        def _compare(self, system: int, moment: int) -> None:
            """The same values, each with the same period: the longest stretch in which it was so."""
            found = self.facts.about_many(["ana", "bob"], as_of=AsOf(system=system, valid=moment))
            point = min(moment, LAST)
            for subject in ("ana", "bob"):
                real = {
                    (
                        str(hit.fact.predicate),
                        "".join(key for key, _ in hit.fact.qualifiers),
                        str(hit.fact.object),
                        hit.valid_from,
                        hit.valid_to,
                    )
                    for hit in found[subject]
                }
                expected = set()
                for predicate, qualifier in itertools.product(("one", "many"), ("", "q")):
                    points = self.model.state((subject, predicate, qualifier), system)
                    for value in points[point]:
                        period = self.model.period(points, value, point)
                        expected.add((predicate, qualifier, value, *period))
                assert real == expected

        def teardown(self) -> None:
            for point in (0, LAST // 2, LAST):
                self._compare(FOREVER, point)
            report = verify(store, deep=False)
            assert not report.problems

        def _note(self, verb: str, statement: Statement, value: str | None, start: Any, end: Any) -> None:
            self.model.said.append(Said(store.revision(), verb, statement, value, start, end))

        @staticmethod
        def _extra(qualifier: str) -> dict[str, Any] | None:
            return {qualifier: 1} if qualifier else None

    return LedgerMachine


@pytest.mark.parametrize(("engine", "examples"), [("sqlite", 60), ("postgresql", 8)])
def test_the_ledger_agrees_with_a_list_of_assertions(
    engine: str, examples: int, new_location: Callable[[str], str]
) -> None:
    clock = FrozenClock(10**9)
    location = ":memory:" if engine == "sqlite" else new_location(engine)
    store = open_store(location, clock=clock, parts=[FactsPart()])
    try:
        run_state_machine_as_test(
            machine(store, clock),
            settings=settings(
                max_examples=examples,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        assert not verify(store, deep=True).problems
    finally:
        store.close()
