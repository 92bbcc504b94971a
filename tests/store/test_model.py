"""A state machine drives a real store and a naive one with the same acts: they must never differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from longmind import ALL, AsOf, Frame, FrozenClock, LongmindError, NotFound
from longmind.base.times import FOREVER
from longmind.ingest import pipeline
from longmind.store import frames as stored_frames
from longmind.store.drafts import chunked, draft
from tests.store.naive import NaiveFrame, NaiveStore, Version, version
from tests.store.opening import open_memory

START = 1_700_000_000_000

SPACES = st.sampled_from(["a", "b"])
VIEWS = st.sampled_from(["a", "b", "c", ALL, ("a", "b"), ("b", "c")])
TAGS = st.frozensets(st.sampled_from(["red", "green", "blau", "黄"]), max_size=3)
VALUES = st.sampled_from([1, 1.0, True, 2, 3.5, "1", "x", None, [1, 2], {"k": "v"}, -7])
METADATA = st.dictionaries(st.sampled_from(["n", "m", "größe"]), VALUES, max_size=2)
TIMES = st.integers(START - 5000, START + 5000)
DRAFTS = st.fixed_dictionaries(
    {
        "text": st.sampled_from(["one", "two", "zwei Töne", "三つの言葉", "four words of text"]),
        "space": SPACES,
        "scope": st.sampled_from(["space", "space", "space", "global"]),
        "kind": st.sampled_from(["text", "note"]),
        "session": st.sampled_from([None, None, "s1", "s2"]),
        "title": st.sampled_from([None, None, "Title"]),
        "tags": TAGS,
        "metadata": METADATA,
        "occurred_at": st.none() | TIMES,
        "key": st.sampled_from([None, None, None, "k1", "k2"]),
    }
)


class Comparison(RuleBasedStateMachine):
    """One store on one engine beside a naive one."""

    location: str

    def __init__(self, location: str) -> None:
        super().__init__()
        self.location = location
        self.clock = FrozenClock(START)
        self.memory = open_memory(location, clock=self.clock, space="a")
        self.naive = NaiveStore(last=self.memory.revision, now=self.clock.now)

    def teardown(self) -> None:
        try:
            report = self.memory.verify(deep=True)
            assert report, report.problems
        finally:
            self.memory.close()

    def both(self, real: Callable[[], Any], naive: Callable[[], Any]) -> tuple[Any, Any]:
        """Do it on both; an error must be of the same category."""
        expected, error = None, None
        try:
            expected = naive()
        except LongmindError as raised:
            error = raised
        if error is None:
            return real(), expected
        with pytest.raises(type(error)):
            real()
        return None, None

    # Acts

    @rule(given=DRAFTS)
    def remember(self, given: dict[str, Any]) -> None:
        options = arguments(given)
        report = self.memory.remember(options.pop("text"), **options)
        self.check_report(report, [given])

    @rule(items=st.lists(DRAFTS, min_size=0, max_size=4))
    def remember_many(self, items: list[dict[str, Any]]) -> None:
        self.check_report(self.memory.remember_many([arguments(item) for item in items]), items)

    @rule(given=DRAFTS, cuts=st.lists(st.integers(1, 12), min_size=1, max_size=3))
    def remember_document(self, given: dict[str, Any], cuts: list[int]) -> None:
        given = {**given, "text": f"{given['text']} as a document, with a tail é", "kind": "document"}
        ranges = slices(given["text"], cuts)
        whole = draft(**arguments(given))
        report = pipeline.remember(
            self.memory.store, [chunked(whole, [(start, end, None) for start, end in ranges])]
        )
        self.check_report(report, [{**given, "chunks": ranges}])

    def check_report(self, report: Any, items: list[dict[str, Any]]) -> None:
        expected = self.naive.remember([{"chunks": (), **item} for item in items])
        assert report.ids == tuple(frame_id for frame_id, _ in expected)
        statuses = [status for _, status in expected]
        counted = (report.created, report.updated, report.unchanged)
        assert counted == tuple(statuses.count(name) for name in ("created", "updated", "unchanged"))

    @rule(number=st.integers(1, 30), view=VIEWS, tags=st.none() | TAGS, metadata=st.none() | METADATA)
    def update(self, number: int, view: Any, tags: Any, metadata: Any) -> None:
        real, _ = self.both(
            lambda: self.memory.update(self.some(number), tags=tags, metadata=metadata, space=view),
            lambda: self.naive.update(self.some(number), view, tags=tags, metadata=metadata),
        )
        if real is not None:
            same(real, self.naive.frames[real.id], AsOf.LATEST)

    @rule(old=st.integers(1, 30), new=st.integers(1, 30), view=VIEWS)
    def supersede(self, old: int, new: int, view: Any) -> None:
        pair = self.some(old), self.some(new)
        self.both(lambda: self.memory.supersede(*pair, space=view), lambda: self.naive.supersede(*pair, view))

    @rule(number=st.integers(1, 30), view=VIEWS)
    def forget(self, number: int, view: Any) -> None:
        real, expected = self.both(
            lambda: self.memory.forget(self.some(number), space=view),
            lambda: self.naive.forget(self.some(number), view),
        )
        assert (real is None and expected is None) or list(real) == expected

    @rule(view=VIEWS, tag=st.sampled_from(["red", "green"]))
    def forget_by_filter(self, view: Any, tag: str) -> None:
        ids = self.memory.forget(where={"tags": [tag], "kind": "note"}, space=view)
        assert list(ids) == self.naive.forget_where(
            view, lambda frame, now: tag in now.tags and frame.fields["kind"] == "note"
        )

    @rule(number=st.integers(1, 30), view=VIEWS)
    def erase(self, number: int, view: Any) -> None:
        certificate, expected = self.both(
            lambda: self.memory.erase(self.some(number), space=view),
            lambda: self.naive.erase(self.some(number), view),
        )
        if certificate is not None:
            assert list(certificate.frames) == expected
            assert self.memory.verify_erasure(certificate)

    @rule(view=VIEWS, session=st.sampled_from(["s1", "s2"]))
    def erase_by_filter(self, view: Any, session: str) -> None:
        certificate = self.memory.erase(where={"session": session, "tags": ["red"]}, space=view)
        assert list(certificate.frames) == self.naive.erase_where(
            view, lambda frame, now: frame.fields["session"] == session and "red" in now.tags
        )

    @rule(step=st.sampled_from([1, 1, 1000, 0, -500, -10_000]))
    def move_the_clock(self, step: int) -> None:
        self.clock.advance(milliseconds=step)

    @precondition(lambda self: self.memory.store.engine.location != ":memory:")
    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = open_memory(self.location, clock=self.clock, space="a")

    # Questions

    @rule(view=VIEWS, data=st.data())
    def ask_for_each_frame(self, view: Any, data: st.DataObject) -> None:
        as_of = data.draw(self.instants())
        for frame_id in range(1, self.naive.next_id + 1):
            try:
                expected = self.naive.get(frame_id, view, as_of)
            except NotFound:
                with pytest.raises(NotFound):
                    self.memory.get(frame_id, space=view, as_of=as_of)
            else:
                same(self.memory.get(frame_id, space=view, as_of=as_of), expected, as_of)

    @rule(view=VIEWS, newest=st.booleans(), limit=st.sampled_from([1, 3, 100]), data=st.data())
    def ask_for_the_timeline(self, view: Any, newest: bool, limit: int, data: st.DataObject) -> None:
        as_of = data.draw(self.instants())
        since, until = data.draw(st.none() | TIMES), data.draw(st.none() | TIMES)
        found = self.memory.timeline(
            space=view, as_of=as_of, newest_first=newest, limit=limit, since=since, until=until
        )

        def within(frame: NaiveFrame, now: Version) -> bool:
            at = frame.fields["occurred_at"]
            return (since is None or at >= since) and (until is None or at < until)

        expected = sorted(
            self.naive.select(view, as_of, within),
            key=lambda pair: (pair[0].fields["occurred_at"], pair[0].id),
            reverse=newest,
        )[:limit]
        assert [frame.id for frame in found] == [frame.id for frame, _ in expected]
        for frame, (wanted, _) in zip(found, expected, strict=True):
            same(frame, wanted, as_of)

    @rule(view=VIEWS, size=st.integers(1, 4), data=st.data())
    def ask_page_by_page(self, view: Any, size: int, data: st.DataObject) -> None:
        as_of = data.draw(self.instants())
        where, wanted = data.draw(st.sampled_from(self.filters()))
        found: list[Frame] = []
        cursor = None
        while True:
            page = self.memory.list(where=where, space=view, as_of=as_of, limit=size, cursor=cursor)
            assert len(page) <= size
            found += page
            cursor = page.cursor
            if cursor is None:
                break
        expected = self.naive.select(view, as_of, wanted)
        assert [frame.id for frame in found] == sorted(frame.id for frame, _ in expected), where
        for frame in found:
            same(frame, self.naive.frames[frame.id], as_of)

    def filters(self) -> list[tuple[dict[str, Any], Callable[[NaiveFrame, Version], bool]]]:
        def number(value: Any) -> bool:
            return isinstance(value, int | float) and not isinstance(value, bool)

        def exactly(now: Version, name: str, *values: Any) -> bool:
            return name in now.metadata and any(
                type(now.metadata[name]) is type(value) and now.metadata[name] == value for value in values
            )

        few = [1, 2, 5, self.naive.next_id]
        return [
            ({}, lambda frame, now: True),
            ({"kind": "note"}, lambda frame, now: frame.fields["kind"] == "note"),
            ({"kind": ["text", "document"]}, lambda frame, now: frame.fields["kind"] in ("text", "document")),
            ({"session": ["s1", "s2"]}, lambda frame, now: frame.fields["session"] in ("s1", "s2")),
            ({"tags": ["red"]}, lambda frame, now: "red" in now.tags),
            ({"tags": ["red", "黄"]}, lambda frame, now: {"red", "黄"} <= now.tags),
            ({"any_tags": ["green", "blau"]}, lambda frame, now: bool({"green", "blau"} & now.tags)),
            ({"metadata": {"n": 1}}, lambda frame, now: exactly(now, "n", 1)),
            ({"metadata": {"n": True}}, lambda frame, now: exactly(now, "n", True)),
            ({"metadata": {"m": ["x", None]}}, lambda frame, now: exactly(now, "m", "x", None)),
            ({"metadata": {"größe": {"k": "v"}}}, lambda frame, now: exactly(now, "größe", {"k": "v"})),
            (
                {"metadata": {"n": {"gte": 1, "lt": 3.5}}},
                lambda frame, now: number(now.metadata.get("n")) and 1 <= now.metadata["n"] < 3.5,
            ),
            ({"ids": few}, lambda frame, now: frame.id in few),
            ({"ids": []}, lambda frame, now: False),
            (
                {"kind": "text", "any_tags": ["red"], "until": START + 100},
                lambda frame, now: (
                    frame.fields["kind"] == "text"
                    and "red" in now.tags
                    and frame.fields["occurred_at"] < START + 100
                ),
            ),
        ]

    def some(self, number: int) -> int:
        """An id that exists, was erased, or never was."""
        return 1 + number % (self.naive.next_id + 1)

    def instants(self) -> st.SearchStrategy[AsOf]:
        known = sorted(self.naive.instants)
        system = st.sampled_from(known) | st.sampled_from(known).map(lambda at: at - 1) | st.just(FOREVER)
        at_start = st.sampled_from([START, START - 1, self.clock.now()])
        return st.builds(AsOf, system=system, valid=TIMES | at_start | st.just(FOREVER)) | st.just(
            AsOf.LATEST
        )

    # What holds at every moment

    @invariant()
    def the_revision_moves_exactly_when_something_changed(self) -> None:
        assert self.memory.revision == self.naive.last

    @invariant()
    def the_counts_agree(self) -> None:
        stats = self.memory.stats()
        everything = self.naive.frames.values()
        assert stats.frames == len(everything)
        assert stats.live == sum(frame.retired_at is None for frame in everything)
        assert stats.retired == stats.frames - stats.live

    @invariant()
    def retirement_and_succession_agree(self) -> None:
        with self.memory.store.read() as snapshot:
            rows = stored_frames.stored(snapshot.db, list(range(1, self.naive.next_id + 1)))
        assert {
            row.frame_id: (row.recorded_at, row.retired_at, row.superseded_by) for row in rows.values()
        } == {
            frame.id: (frame.recorded_at, frame.retired_at, frame.superseded_by)
            for frame in self.naive.frames.values()
        }


def arguments(given: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in given.items() if name not in ("key", "chunks")}
    return {**options, "idempotency_key": given["key"]}


def slices(text: str, cuts: list[int]) -> tuple[tuple[int, int], ...]:
    """Adjacent byte ranges between whole characters."""
    found = []
    start = 0
    for cut in cuts:
        piece = text[start : start + cut]
        if piece:
            first = len(text[:start].encode())
            found.append((first, first + len(piece.encode())))
        start += cut
    return tuple(found)


def same(frame: Frame, expected: NaiveFrame, as_of: AsOf) -> None:
    now = version(expected, as_of)
    assert frame.id == expected.id
    assert {name: getattr(frame, name) for name in expected.fields} == expected.fields
    assert frame.recorded_at == expected.recorded_at
    assert frame.retired_at is None
    assert frame.superseded_by is None
    assert frame.tags == tuple(sorted(now.tags))
    assert repr(dict(frame.metadata)) == repr(dict(sorted(now.metadata.items())))


def check_same_as_naive(new_location: Callable[[], str], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lambda: Comparison(new_location()),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_store_behaves_as_the_naive_one(location: str, new_location: Callable[[str], str]) -> None:
    engine = "postgresql" if "://" in location else "sqlite"
    check_same_as_naive(lambda: new_location(engine), 12 if engine == "sqlite" else 5, 30)


def test_a_store_in_memory_behaves_as_the_naive_one() -> None:
    check_same_as_naive(lambda: ":memory:", 12, 30)


@pytest.mark.soak
def test_a_store_behaves_as_the_naive_one_at_length(
    location: str, new_location: Callable[[str], str]
) -> None:
    engine = "postgresql" if "://" in location else "sqlite"
    check_same_as_naive(lambda: new_location(engine), 600 if engine == "sqlite" else 150, 60)
