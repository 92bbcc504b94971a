"""The ledger against the rule itself: every assertion in a list, and what holds decided point by point.

The model shares nothing with the product. It keeps what was said, by whom and when, and for each question
asks of every single instant which assertion holds there.
"""

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
from longmind.facts.part import FactsPart
from longmind.facts.values import OPEN, Evidence
from longmind.store.parts import Problem
from longmind.store.store import Store, open_store
from longmind.store.upkeep import verify
from tests.facts.conftest import World

LAST = 18
"""All times given lie before; what is so here is so for ever."""
FOREVER = AsOf.LATEST.system

SUBJECTS = ("ana", "bob", "cy")
ONE = {"lives_in": ("lives_in", "home"), "home": ("lives_in", "home")}
OPPOSED = {"likes": ("likes", "dislikes"), "dislikes": ("likes", "dislikes")}
PREDICATES = ("lives_in", "home", "likes", "dislikes", "knows")
VALUES = ("x", "y")


@dataclass(frozen=True)
class Row:
    """One assertion as it was made. A value of None means every value."""

    order: int
    system: int
    action: str
    subject: str
    predicate: str
    value: str | None
    start: int
    end: int | None
    polarity: bool = True
    frame: int | None = None

    def covers(self, point: int) -> bool:
        return self.start <= point and (self.end is None or point < self.end)

    @property
    def claims(self) -> bool:
        return self.polarity and self.action in ("record", "correct", "replace")

    @property
    def ends(self) -> bool:
        return self.action == "end" or (self.action in ("record", "replace") and not self.polarity)


class Model:
    """Everything that was said, which frames are gone, and who is held to be the same."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.forgotten: dict[int, int] = {}
        self.merges: list[list[Any]] = []
        self.orders = itertools.count()

    def say(self, system: int, **given: Any) -> None:
        self.rows.append(Row(next(self.orders), system, **given))

    def one(self, subject: str, system: int) -> str:
        into = {
            other: keep
            for other, keep, since, until in self.merges
            if since <= system and (until is None or system < until)
        }
        while subject in into:
            subject = into[subject]
        return subject

    def live(self, system: int) -> list[Row]:
        """What counted at a system time."""
        return [
            row
            for row in self.rows
            if row.system <= system
            and (row.frame is None or system < self.forgotten.get(row.frame, FOREVER + 1))
        ]

    def held(self, subject: str, point: int, system: int = FOREVER) -> set[tuple[str, str]]:
        """What holds of a subject at an instant: (predicate, value)."""
        rows = [row for row in self.live(system) if self.one(row.subject, system) == subject]
        found = set()
        for slot in self.slots(rows):
            winner = self.winner(slot, point)
            if winner is not None and not any(self.is_ended(winner, row, rows, point) for row in rows):
                found.add((winner.predicate, str(winner.value)))
        return found

    @staticmethod
    def slots(rows: list[Row]) -> list[list[Row]]:
        grouped: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            if row.predicate in ONE:
                grouped.setdefault(("one",), []).append(row)
            elif row.value is not None:
                name = "attitude" if row.predicate in OPPOSED else row.predicate
                grouped.setdefault((name, row.value), []).append(row)
        for key, slot in grouped.items():
            if key != ("one",):
                slot += [
                    row for row in rows if row.value is None and row.predicate in {r.predicate for r in slot}
                ]
        return list(grouped.values())

    def winner(self, slot: list[Row], point: int) -> Row | None:
        claims = [row for row in slot if row.claims and row.covers(point)]
        claims = [row for row in claims if not self.is_denied(row, row, slot, point)]
        return max(claims, key=lambda row: (row.start, row.order), default=None)

    def is_ended(self, claim: Row, row: Row, rows: list[Row], point: int) -> bool:
        if not row.covers(point) or (row.start, row.order) <= (claim.start, claim.order):
            return False
        if self.is_denied(row, claim, rows, point):
            return False
        if row.action == "replace" and row.predicate not in ONE and row.polarity:
            return row.predicate == claim.predicate and row.value != claim.value
        return row.ends and self.means(row, claim)

    def is_denied(self, row: Row, claim: Row, rows: list[Row], point: int) -> bool:
        return any(
            other.action == "retract"
            and other.order > row.order
            and other.covers(point)
            and self.means(other, claim)
            for other in rows
        )

    @staticmethod
    def means(row: Row, claim: Row) -> bool:
        """Whether an ending or a retraction speaks of the value that another row claims."""
        if row.value is None and row.predicate in ONE:
            return claim.predicate in ONE
        return row.predicate == claim.predicate and row.value in (None, claim.value)

    def says(self, subject: str, predicate: str, value: str | None) -> bool:
        """Whether a retraction has something to take back."""
        rows = [row for row in self.live(FOREVER) if self.one(row.subject, FOREVER) == subject]
        meant = Row(0, 0, "retract", subject, predicate, value, -1, None)
        return any(
            row.claims
            and self.means(meant, row)
            and not any(
                other.action == "retract"
                and other.order > row.order
                and other.start <= row.start
                and other.end is None
                and self.means(other, row)
                for other in rows
            )
            for row in rows
        )

    # Helps to know what an operation must do

    def period(
        self, subject: str, fact: tuple[str, str], point: int, system: int = FOREVER
    ) -> tuple[int, int | None]:
        first = last = point
        while first > 0 and fact in self.held(subject, first - 1, system):
            first -= 1
        while last <= LAST and fact in self.held(subject, last, system):
            last += 1
        return first, None if last > LAST else last

    def runs(self, subject: str) -> list[tuple[tuple[str, str], int, int | None]]:
        """Every period that is held now."""
        points = [self.held(subject, point) for point in range(LAST + 1)]
        return [
            (fact, point, self.period(subject, fact, point)[1])
            for point in range(LAST + 1)
            for fact in sorted(points[point])
            if point == 0 or fact not in points[point - 1]
        ]

    def not_before(self, subject: str, predicate: str, value: str, reading: int) -> int:
        """The clock's reading, or just after what was said before, where the clock was set back."""
        moment = reading
        for row in self.live(FOREVER):
            if self.one(row.subject, FOREVER) != subject or row.action == "retract":
                continue
            mine = Row(0, 0, "record", subject, predicate, value, 0, None)
            if row.ends:
                near = self.means(row, mine)
            elif row.predicate in ONE:
                near = predicate in ONE
            elif row.action == "replace" and row.predicate == predicate:
                near = True
            else:
                together = {row.predicate, predicate} <= set(OPPOSED)
                near = row.value == value and (row.predicate == predicate or together)
            if near and reading < row.start <= row.system:
                every = row.predicate not in ONE and row.predicate == predicate
                same = every or (row.predicate, row.value) == (predicate, value)
                moment = max(moment, row.start + (not same))
        return moment


_spaces = itertools.count(1)
subjects = st.sampled_from(SUBJECTS)
predicates = st.sampled_from(PREDICATES)
values = st.sampled_from(VALUES)
moments = st.integers(0, 9)
ends = st.one_of(st.none(), st.none(), st.integers(1, 10))


def machine(store: Store, clock: FrozenClock) -> type[RuleBasedStateMachine]:
    class LedgerMachine(RuleBasedStateMachine):
        times = Bundle("times")

        def __init__(self) -> None:
            super().__init__()
            self.space = f"s{next(_spaces)}"
            self.world = World(store, clock)
            self.facts = self.world.facts
            self.facts.default_space = self.space
            self.model = Model()
            self.frames: list[int] = []

        @initialize(target=times)
        def begin(self) -> int:
            clock.set(0)
            for subject in SUBJECTS:
                self.facts.upsert_entity(subject)
            return store.revision()

        @rule(now=moments)
        def move_clock(self, now: int) -> None:
            clock.set(now)

        @rule(
            target=times,
            action=st.sampled_from(["record", "record", "record", "replace", "deny"]),
            subject=subjects,
            predicate=predicates,
            value=values,
            start=st.one_of(moments, st.none()),
            end=ends,
            evidence=st.booleans(),
        )
        def record(
            self,
            action: str,
            subject: str,
            predicate: str,
            value: str,
            start: int | None,
            end: int | None,
            evidence: bool,
        ) -> int:
            begins = self._start(subject, predicate, value, start)
            end = None if end is None else max(end, begins + 1, clock.now() + 1)
            given: dict[str, Any] = {"valid_from": start, "valid_to": end}
            frame = self._frame() if evidence and action != "replace" else None
            if frame is not None:
                given["evidence"] = [Evidence(frame, extractor="test")]
            if action == "deny":
                self.facts.record_many([{**_named(subject, predicate, value), **given, "polarity": False}])
            else:
                getattr(self.facts, action)(subject, predicate, value, **given)
            self._note(
                "record" if action == "deny" else action,
                subject, predicate, value, begins, end, polarity=action != "deny", frame=frame,
            )  # fmt: skip
            return store.revision()

        @rule(target=times, subject=subjects, predicate=st.sampled_from(["lives_in", "home"]), value=values)
        def hold_open(self, subject: str, predicate: str, value: str) -> int:
            self.facts.record(subject, predicate, value, valid_from=5, valid_to=OPEN)
            whom = self._one(subject)
            own = (predicate, value)
            if any(fact != own and fact[0] in ONE and (end is None or end > 5)
                   for fact, _, end in self.model.runs(whom)):  # fmt: skip
                self._note("retract", subject, predicate, None, 5, None)
            self._note("record", subject, predicate, value, 5, None)
            return store.revision()

        @rule(target=times, subject=subjects, predicate=st.sampled_from(["lives_in", "home"]), value=values)
        def correct(self, subject: str, predicate: str, value: str) -> int:
            whom, own = self._one(subject), (predicate, value)
            start = self.model.not_before(whom, predicate, value, clock.now())
            self.facts.correct(subject, predicate, value)
            runs = [run for run in self.model.runs(whom) if run[0] != own and run[0][0] in ONE]
            now = [run for run in runs if run[1] <= start and (run[2] is None or start < run[2])]
            end = None
            if runs:
                (name, old), first, last = (now or runs)[-1]
                at = max(first, min(start, (LAST if last is None else last) - (last is not None)))
                rows = [r for r in self.model.live(FOREVER) if self._one(r.subject) == whom]
                [slot] = [slot for slot in self.model.slots(rows) if slot[0].predicate in ONE]
                winner = self.model.winner(slot, at)
                assert winner is not None
                self._note("retract", subject, name, old, first, last)
                start, end = first, winner.end
            self._note("correct", subject, predicate, value, start, end)
            return store.revision()

        @rule(target=times, subject=subjects, predicate=predicates, value=st.one_of(st.none(), values))
        def retract(self, subject: str, predicate: str, value: str | None) -> int:
            self.facts.retract(subject, predicate, value)
            if self.model.says(self._one(subject), predicate, value):
                self._note("retract", subject, predicate, value, -1, None)
            return store.revision()

        @rule(target=times, subject=subjects, choice=st.integers(0, 20))
        def retract_one_period(self, subject: str, choice: int) -> int:
            hits = list(self.facts.about(subject, as_of=AsOf(FOREVER, choice % (LAST + 1))))
            if hits:
                hit = hits[choice % len(hits)]
                fact = hit.fact
                self.facts.retract(hit)
                self._note(
                    "retract", str(fact.subject), str(fact.predicate), str(fact.object),
                    hit.valid_from, hit.valid_to,
                )  # fmt: skip
            return store.revision()

        @rule(
            target=times,
            subject=subjects,
            predicate=predicates,
            value=st.one_of(st.none(), values),
            until=moments,
        )
        def end(self, subject: str, predicate: str, value: str | None, until: int) -> int:
            late = any(
                start >= until
                for fact, start, _ in self.model.runs(self._one(subject))
                if (fact[0] == predicate and value in (None, fact[1]))
                or (value is None and predicate in ONE and fact[0] in ONE)
            )
            if late:
                with pytest.raises(InvalidInput):
                    self.facts.retract(subject, predicate, value, valid_to=until)
            else:
                self.facts.end(subject, predicate, value, at=until)
                self._note("end", subject, predicate, value, until, None)
            return store.revision()

        @rule(target=times, choice=st.integers(0, 20), erase=st.booleans())
        def lose_a_frame(self, choice: int, erase: bool) -> int:
            if not self.frames:
                return store.revision()
            frame = self.frames.pop(choice % len(self.frames))
            if erase:
                self.world.erase(frame, space=self.space)
                self.model.rows = [row for row in self.model.rows if row.frame != frame]
            else:
                self.world.forget(frame)
                self.model.forgotten[frame] = store.revision()
            return store.revision()

        @rule(target=times, keep=subjects, other=subjects)
        def merge(self, keep: str, other: str) -> int:
            first, second = self._one(keep), self._one(other)
            changed = self.facts.merge(keep, other).changed
            assert changed == (first != second)
            if changed:
                self.model.merges.append([second, first, store.revision(), None])
            return store.revision()

        @rule(target=times, choice=st.integers(0, 20))
        def split(self, choice: int) -> int:
            merged = [item for item in self.model.merges if item[3] is None]
            if merged:
                item = merged[choice % len(merged)]
                assert self.facts.split(item[0]).changed
                item[3] = store.revision()
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
            point = min(moment, LAST)
            for subject in SUBJECTS:
                found = self.facts.about(subject, as_of=AsOf(system=system, valid=moment))
                real = {
                    (str(hit.fact.predicate), str(hit.fact.object), hit.valid_from, hit.valid_to)
                    for hit in found
                }
                whom = self.model.one(subject, system)
                expected = {
                    (*fact, *self.model.period(whom, fact, point, system))
                    for fact in self.model.held(whom, point, system)
                }
                assert real == expected, (subject, system, moment, real, expected)

        def teardown(self) -> None:
            for point in (0, LAST // 2, LAST):
                self._compare(FOREVER, point)
            report = verify(store, deep=False)
            assert not report.problems

        def _start(self, subject: str, predicate: str, value: str, start: int | None) -> int:
            if start is not None:
                return start
            return self.model.not_before(self._one(subject), predicate, value, clock.now())

        def _one(self, subject: str) -> str:
            return self.model.one(subject, FOREVER)

        def _frame(self) -> int:
            frame = self.world.remember(f"Note {store.revision()} {len(self.frames)}", space=self.space)
            self.frames.append(frame)
            return frame

        def _note(
            self, action: str, subject: str, predicate: str, value: str | None, start: int, end: int | None,
            *, polarity: bool = True, frame: int | None = None,
        ) -> None:  # fmt: skip
            self.model.say(
                store.revision(), action=action, subject=subject, predicate=predicate, value=value,
                start=start, end=end, polarity=polarity, frame=frame,
            )  # fmt: skip

    return LedgerMachine


def _named(subject: str, predicate: str, value: str) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "value": value}


def problems_after(
    engine: str, examples: int, steps: int, new_location: Callable[[str], str]
) -> tuple[Problem, ...]:
    """Compare the ledger with the naive model at every step, then say what is wrong with the store."""
    clock = FrozenClock(0)
    location = ":memory:" if engine == "sqlite" else new_location(engine)
    store = open_store(location, clock=clock, parts=[FactsPart()])
    try:
        run_state_machine_as_test(
            machine(store, clock),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        return tuple(verify(store, deep=True).problems)
    finally:
        store.close()


@pytest.mark.parametrize(("engine", "examples"), [("sqlite", 40), ("postgresql", 5)])
def test_what_is_held_is_what_the_rule_says_at_every_point(
    engine: str, examples: int, new_location: Callable[[str], str]
) -> None:
    assert problems_after(engine, examples, 25, new_location) == ()


@pytest.mark.soak
@pytest.mark.parametrize(("engine", "examples"), [("sqlite", 2000), ("postgresql", 100)])
def test_what_is_held_is_what_the_rule_says_at_length(
    engine: str, examples: int, new_location: Callable[[str], str]
) -> None:
    assert problems_after(engine, examples, 50, new_location) == ()
