"""The first slice as a user meets it: what is remembered, what is said about it, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import longmind
from longmind import (
    AsOf,
    Conflict,
    Frame,
    FrozenClock,
    InvalidInput,
    Kind,
    LongmindError,
    Memory,
    NotFound,
)
from longmind.base.times import FOREVER
from tests.store.opening import open_memory

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Any:
    with open_memory(location, clock=clock) as opened:
        yield opened


# What the package offers


def test_the_public_names_are_these() -> None:
    core = {
        *("ALL", "AsOf", "Busy", "Clock", "Conflict", "Corrupt", "ErasureCertificate", "Forbidden", "Frame"),
        *(
            "FrozenClock",
            "IngestReport",
            "InvalidInput",
            "Kind",
            "MaintenancePolicy",
            "Memory",
            "MissingExtra",
        ),
        *("NotFound", "OverBudget", "LongmindError", "SystemClock", "Unavailable", "Unsupported", "Where"),
        "timeout",
    }
    assert core <= set(longmind.__all__)
    assert list(longmind.__all__) == sorted(longmind.__all__, key=lambda name: (name.upper() != name, name))
    assert len(longmind.__all__) == len(set(longmind.__all__))
    for name in longmind.__all__:
        assert getattr(longmind, name) is not None
    with pytest.raises(AttributeError):
        longmind.no_such_name  # noqa: B018


HEAVY = {
    *(
        "numpy",
        "onnxruntime",
        "tokenizers",
        "onnx",
        "psycopg",
        "psycopg_pool",
        "pgvector",
        "fastapi",
        "starlette",
    ),
    *(
        "uvicorn",
        "typer",
        "click",
        "rich",
        "httpx",
        "requests",
        "urllib3",
        "asyncio",
        "ssl",
        "socket",
        "http",
    ),
    *("dateparser", "phonenumbers", "pypdf", "docx", "PIL", "tiktoken", "semantic_text_splitter", "mcp"),
}


@pytest.mark.parametrize("statement", ["import longmind", "from longmind import Memory"])
def test_importing_loads_no_heavy_package(statement: str) -> None:
    script = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {name.split(".")[0] for name in run.stdout.split()} & HEAVY == set()


def test_remembering_and_reading_without_an_embedder_load_no_network_package(tmp_path: Path) -> None:
    script = (
        "import sys; from longmind import Memory\n"
        "with Memory.open(sys.argv[1], embedder=None) as memory:\n"
        "    memory.remember('hello'); memory.timeline(); memory.forget(1)\n"
        "print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.mind")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.split(".")[0] for name in run.stdout.split()}
    assert (
        loaded & {"onnxruntime", "psycopg", "fastapi", "httpx", "requests", "typer", "ssl", "asyncio"}
        == set()
    )


def test_every_error_has_a_code_and_is_the_builtin_it_means() -> None:
    builtin = {
        "InvalidInput": ValueError,
        "NotFound": LookupError,
        "Busy": TimeoutError,
        "Unavailable": ConnectionError,
        "MissingExtra": ImportError,
        "Unsupported": NotImplementedError,
        "Corrupt": OSError,
        "Forbidden": PermissionError,
        "Conflict": RuntimeError,
        "OverBudget": RuntimeError,
    }
    for name, meant in builtin.items():
        error = getattr(longmind, name)
        assert issubclass(error, LongmindError)
        assert issubclass(error, meant)


# Remembering


def test_every_field_comes_back_as_given(memory: Memory, clock: FrozenClock) -> None:
    report = memory.remember(
        "  Ana moved to Lisbon.\n",
        kind=Kind.MEMORY,
        scope="global",
        title=" Home ",
        session="s1",
        role="user",
        speaker="Ana",
        uri="chat://1",
        source="agent",
        tags=["b", "a", "a"],
        metadata={"z": [1, {"y": None}], "a": 1.5},
        occurred_at=datetime(2020, 1, 2, 3, 4, 5, 678_900, tzinfo=timezone(timedelta(hours=2))),
    )
    assert (report.ids, report.created, report.updated, report.unchanged) == ((1,), 1, 0, 0)
    frame = memory.get(report.id)
    assert frame == Frame(
        id=1,
        kind="memory",
        space="default",
        scope="global",
        text="  Ana moved to Lisbon.\n",
        title="Home",
        session="s1",
        role="user",
        speaker="Ana",
        uri="chat://1",
        source="agent",
        tags=("a", "b"),
        metadata={"a": 1.5, "z": [1, {"y": None}]},
        parent=None,
        start=None,
        end=None,
        ordinal=None,
        occurred_at=1_577_927_045_678,
        recorded_at=frame.recorded_at,
        retired_at=None,
        superseded_by=None,
        content_hash=frame.content_hash,
    )
    assert frame.occurred == datetime(2020, 1, 2, 1, 4, 5, 678_000, tzinfo=UTC)
    assert frame.recorded >= datetime.fromtimestamp(clock.now() / 1000, UTC)
    assert len(bytes.fromhex(frame.content_hash)) == 32


def test_what_is_not_said_has_a_default(memory: Memory, clock: FrozenClock) -> None:
    frame = memory.get(memory.remember("plain").id)
    assert (frame.kind, frame.space, frame.scope, frame.source) == ("text", "default", "space", "user")
    assert (frame.title, frame.session, frame.role, frame.speaker, frame.uri) == (None,) * 5
    assert (frame.tags, frame.metadata) == ((), {})
    assert frame.occurred_at == clock.now()


def test_the_same_content_in_the_same_place_is_one_frame(memory: Memory, clock: FrozenClock) -> None:
    first = memory.remember("same", tags=["a"], metadata={"n": 1})
    revision = memory.revision
    clock.advance(days=1)
    again = memory.remember("same", tags=["a"], metadata={"n": 1})
    assert (again.id, again.created, again.unchanged) == (first.id, 0, 1)
    assert memory.revision == revision
    more = memory.remember("same", tags=["b"], metadata={"n": 2, "m": 3})
    assert (more.id, more.updated) == (first.id, 1)
    frame = memory.get(first.id)
    assert (frame.tags, frame.metadata) == (("a", "b"), {"n": 2, "m": 3})
    before = memory.get(first.id, as_of=AsOf(system=revision, valid=FOREVER))
    assert (before.tags, before.metadata) == (("a",), {"n": 1})


DISTINCTIONS: list[dict[str, Any]] = [
    {"text": "other"},
    {"text": "same "},
    {"kind": "note"},
    {"scope": "global"},
    {"title": "t"},
    {"session": "s"},
    {"role": "r"},
    {"speaker": "p"},
    {"uri": "u"},
    {"space": "elsewhere"},
    {"occurred_at": 5},
    {"occurred_at": 6},
]


def test_what_differs_in_anything_that_counts_is_another_frame(memory: Memory) -> None:
    ids = {memory.remember("same").id}
    for difference in DISTINCTIONS:
        options = {"text": "same", **difference}
        report = memory.remember(options.pop("text"), **options)
        assert report.created == 1, difference
        ids.add(report.id)
    assert len(ids) == 1 + len(DISTINCTIONS)
    assert memory.remember("same", source="agent").unchanged == 1  # who wrote it does not count


def test_a_forgotten_text_remembered_again_is_a_new_frame(memory: Memory) -> None:
    first = memory.remember("again").id
    memory.forget(first)
    second = memory.remember("again")
    assert second.created == 1
    assert second.id != first


def test_a_batch_counts_its_own_duplicates(memory: Memory) -> None:
    report = memory.remember_many(["a", "b", "a", {"text": "a", "tags": ["x"]}, {"text": "b"}])
    assert report.ids == (1, 2, 1, 1, 2)
    assert (report.created, report.updated, report.unchanged) == (2, 1, 2)
    assert memory.get(1).tags == ("x",)
    assert memory.get(1).recorded_at == memory.get(2).recorded_at == memory.revision


def test_an_empty_batch_is_nothing(memory: Memory) -> None:
    revision = memory.revision
    report = memory.remember_many([])
    assert (report.ids, report.created) == ((), 0)
    assert memory.remember_many(iter(())).ids == ()
    assert memory.revision == revision


def test_a_repeated_idempotency_key_gives_the_same_frame(memory: Memory) -> None:
    first = memory.remember("one", idempotency_key="k")
    again = memory.remember("one", idempotency_key="k")
    assert (again.id, again.unchanged) == (first.id, 1)
    report = memory.remember_many(
        [
            {"text": "x", "idempotency_key": "k2"},
            {"text": "x", "idempotency_key": "k2"},
            {"text": "y", "idempotency_key": "k3"},
        ]
    )
    assert (report.created, report.unchanged) == (2, 1)


def test_a_report_is_the_same_for_the_same_write_except_its_durations(
    memory: Memory, new_location: Callable[[str], str], clock: FrozenClock
) -> None:
    items = ["a", "b", "a", {"text": "c", "tags": ["t"]}]
    report = memory.remember_many(items)
    with open_memory(new_location(memory.store.engine.dialect.name), clock=clock) as other:
        assert other.remember_many(items) == report
    assert all(seconds >= 0 for seconds in report.durations.values())
    with pytest.raises(ValueError, match="ids"):
        report.id  # noqa: B018


def test_both_engines_name_the_same_content_alike(
    memory: Memory, new_location: Callable[[str], str], clock: FrozenClock
) -> None:
    with open_memory(new_location("sqlite"), clock=clock) as other:
        for store in (memory, other):
            store.remember(
                "Zürich 水", title="t", occurred_at=-5, metadata={"n": 1.0, "m": [True, None]}, tags=["ü"]
            )
        assert memory.get(1) == other.get(1)


# Time


def test_system_time_always_rises_even_when_the_clock_does_not(memory: Memory, clock: FrozenClock) -> None:
    moments = []
    for step in (0, 0, -10_000, 0, 5, 86_400_000, -86_400_000):
        clock.advance(milliseconds=step)
        frame = memory.get(memory.remember(f"after {len(moments)}").id)
        assert frame.occurred_at == clock.now()
        moments.append(frame.recorded_at)
    assert moments == sorted(set(moments))


def test_each_system_time_names_one_state(memory: Memory) -> None:
    states = {}
    for number in range(6):
        memory.remember(f"t{number}")
        states[memory.revision] = number + 1
    memory.forget(1)
    states[memory.revision] = 5
    for system, count in states.items():
        assert len(memory.list(as_of=AsOf(system=system, valid=FOREVER))) == count
        assert len(memory.timeline(as_of=AsOf(system=system, valid=FOREVER))) == count
    assert memory.list(as_of=AsOf(system=min(states) - 1, valid=FOREVER)).frames == ()


def test_valid_time_decides_by_when_it_happened(memory: Memory, clock: FrozenClock) -> None:
    now = clock.now()
    past = memory.remember("past", occurred_at=now - 1000).id
    future = memory.remember("future", occurred_at=now + 1000).id
    assert [frame.id for frame in memory.timeline()] == [future, past]
    for valid, expected in (
        (now - 1001, []),
        (now - 1000, [past]),
        (now + 999, [past]),
        (now + 1000, [past, future]),
    ):
        as_of = AsOf(system=FOREVER, valid=valid)
        assert [frame.id for frame in memory.list(as_of=as_of)] == expected
        assert (future in expected) == found(memory, future, as_of)


def found(memory: Memory, frame_id: int, as_of: AsOf) -> bool:
    try:
        memory.get(frame_id, as_of=as_of)
    except NotFound:
        return False
    return True


def test_forgetting_hides_now_and_keeps_the_past(memory: Memory) -> None:
    kept = memory.remember("kept").id
    gone = memory.remember("gone").id
    before = memory.revision
    assert memory.forget(gone) == (gone,)
    at = memory.revision
    assert memory.forget(gone) == ()
    assert memory.revision == at
    assert not found(memory, gone, AsOf.LATEST)
    assert not found(memory, gone, AsOf(system=at, valid=FOREVER))
    assert found(memory, gone, AsOf(system=at - 1, valid=FOREVER))
    assert found(memory, gone, AsOf(system=before, valid=FOREVER))
    assert [frame.id for frame in memory.timeline()] == [kept]


def test_superseding_retires_the_old_in_favour_of_the_new(memory: Memory) -> None:
    memory.remember_many(["old", "new", "newer"])
    before = memory.revision
    memory.supersede(1, 2)
    assert [frame.text for frame in memory.list()] == ["new", "newer"]
    assert memory.get(1, as_of=AsOf(system=before, valid=FOREVER)).text == "old"
    for pair, error in (
        ((1, 3), Conflict),
        ((3, 1), Conflict),
        ((2, 2), InvalidInput),
        ((2, 9), NotFound),
        ((9, 2), NotFound),
    ):
        with pytest.raises(error):
            memory.supersede(*pair)
    memory.supersede(2, 3)
    assert [frame.text for frame in memory.list()] == ["newer"]


def test_an_update_sets_labels_as_wholes_and_keeps_what_held_before(memory: Memory) -> None:
    memory.remember("x", tags=["a", "b"], metadata={"n": 1, "m": 2})
    first = memory.revision
    frame = memory.update(1, tags=["c", "b"])
    assert (frame.tags, frame.metadata) == (("b", "c"), {"m": 2, "n": 1})
    frame = memory.update(1, metadata={"n": 1})
    assert (frame.tags, frame.metadata) == (("b", "c"), {"n": 1})
    revision = memory.revision
    assert memory.update(1, tags=["b", "c"], metadata={"n": 1}) == frame
    assert memory.update(1) == frame
    assert memory.revision == revision
    cleared = memory.update(1, tags=[], metadata={})
    assert (cleared.tags, cleared.metadata) == ((), {})
    old = memory.get(1, as_of=AsOf(system=first, valid=FOREVER))
    assert (old.tags, old.metadata) == (("a", "b"), {"n": 1, "m": 2})
    assert memory.list(where={"tags": ["a"]}, as_of=AsOf(system=first, valid=FOREVER)).frames
    assert memory.list(where={"tags": ["a"]}).frames == ()
    assert memory.verify(deep=True)


# Reading


def test_the_timeline_is_by_time_then_id_from_either_end(memory: Memory) -> None:
    for at in (5, 3, 9, 3):
        memory.remember(f"at {at} {at}", occurred_at=at, title=str(memory.revision))
    newest = [frame.id for frame in memory.timeline()]
    assert newest == [3, 1, 4, 2]
    assert [frame.id for frame in memory.timeline(newest_first=False)] == newest[::-1]
    assert [frame.id for frame in memory.timeline(limit=2)] == newest[:2]
    assert [frame.id for frame in memory.timeline(since=3, until=9)] == [1, 4, 2]
    assert [frame.id for frame in memory.timeline(since=4, where={"until": 6})] == [1]
    assert memory.timeline(since=9, until=3) == ()
    since = datetime(1970, 1, 1, 0, 0, 0, 5000, tzinfo=UTC)
    assert [frame.id for frame in memory.timeline(since=since)] == [3, 1]


def test_pages_follow_one_another_without_gap_or_repeat(memory: Memory) -> None:
    memory.remember_many(f"t{number}" for number in range(25))
    seen: list[int] = []
    cursor = None
    sizes = []
    while True:
        page = memory.list(limit=10, cursor=cursor)
        sizes.append(len(page))
        seen += [frame.id for frame in page]
        cursor = page.cursor
        if cursor is None:
            break
        if len(seen) == 10:
            memory.remember("written between the pages")
            memory.forget(25)
    assert sizes == [10, 10, 5]
    assert seen == [*range(1, 25), 26]
    assert memory.list(limit=25).cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "1 ", "٣", "9" * 19, 5, b"1"])
def test_a_cursor_that_is_none_is_refused(cursor: Any) -> None:
    with open_memory(":memory:") as memory, pytest.raises(InvalidInput, match="cursor"):
        memory.list(cursor=cursor)
