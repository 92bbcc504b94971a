"""Memory at its edges: extreme texts and times, odd arguments, and what it refuses."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from longmind import (
    ALL,
    AsOf,
    FrozenClock,
    InvalidInput,
    Memory,
    NotFound,
    SystemClock,
    Where,
)
from longmind.base.times import FOREVER
from tests.store.opening import open_memory

EXTREMES = {
    "one letter": "x",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "right to left": "שלום עולם مرحبا",
    "combining": "e\u0301 vs é",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "controls": "\x01\x02\t\r\n\x7f\x85\u2028",
    "quotes": "'\"`\\%_?:$1 -- ; DROP TABLE frame; /*",
    "format": "{0} {text} %s %(x)s {{",
    "byte order mark": "\ufeffabc",
    "long line": "word " * 20_000,
}


@pytest.fixture
def memory(location: str, clock: FrozenClock) -> Any:
    with open_memory(location, clock=clock) as opened:
        yield opened


def test_any_text_comes_back_exactly(memory: Memory) -> None:
    for name, text in EXTREMES.items():
        labels = {
            "title": name,
            "tags": [name, "ключ"],
            "metadata": {name: text[:50], "nested": {text[:20]: [text[:5]]}},
        }
        frame = memory.get(memory.remember(text, **labels).id)
        assert frame.text == text, name
        assert frame.metadata == labels["metadata"]
        assert memory.list(where={"tags": [name]}).frames == (frame,)
        assert memory.list(where={"metadata": {name: text[:50]}}).frames == (frame,)
        assert memory.remember(text, **labels).unchanged == 1
    assert memory.verify(deep=True)


def test_a_large_text_comes_back_exactly(memory: Memory) -> None:
    text = "Zürich liegt am See. " * 6000
    frame = memory.get(memory.remember(text).id)
    assert frame.text == text
    chunks = memory.stats().frames - 1
    for number in range(2, chunks + 2):
        chunk = memory.get(number)
        assert text.encode()[chunk.start : chunk.end].decode() == chunk.text


def test_labels_may_be_as_long_as_the_limit_says_and_no_longer(memory: Memory) -> None:
    import random

    rng = random.Random(1)
    for alphabet, length in (
        ("abcdefghijklmnopqrstuvwxyz0123456789", 2000),
        ([chr(c) for c in range(0x4E00, 0x9000)], 666),
    ):
        label = "".join(rng.choice(alphabet) for _ in range(length))
        options: dict[str, Any] = {
            "title": label,
            "session": label,
            "speaker": label,
            "role": label,
            "uri": label,
            "kind": label,
            "tags": [label],
            "metadata": {label: label},
            "idempotency_key": label,
        }
        frame = memory.get(memory.remember("x", **options).id)
        assert (frame.title, frame.session, frame.tags, frame.metadata) == (
            label,
            label,
            (label,),
            {label: label},
        )
        where = {"session": label, "tags": [label], "metadata": {label: label}, "kind": label}
        assert memory.list(where=where).frames == (frame,)
        for name in options:
            longer = {"tags": [label + "xxx"], "metadata": {label + "xxx": 1}}.get(name, label + "xxx")
            with pytest.raises(InvalidInput):
                memory.remember("y", **{name: longer})


def test_times_may_lie_at_the_ends_of_time(memory: Memory) -> None:
    earliest, latest = -(2**63) + 1, FOREVER
    memory.remember("first", occurred_at=earliest)
    memory.remember("last", occurred_at=latest)
    assert [frame.occurred_at for frame in memory.timeline()] == [latest, earliest]
    assert memory.get(2, as_of=AsOf.LATEST).text == "last"
    assert len(memory.list(as_of=AsOf(system=FOREVER - 1, valid=FOREVER - 1))) == 1
    assert memory.list(where={"since": latest}).frames[0].text == "last"
    with pytest.raises(InvalidInput):
        memory.get(2).occurred  # noqa: B018


def test_numbers_in_metadata_keep_their_kind(memory: Memory) -> None:
    values = [0, -0.0, 1, 1.0, True, 2**53 + 1, 2**63, -(2**63), 10**300, 1e308, 5e-324, 0.1]
    memory.remember("numbers", metadata={f"k{number}": value for number, value in enumerate(values)})
    back = [memory.get(1).metadata[f"k{number}"] for number in range(len(values))]
    assert [(type(value), repr(value)) for value in back] == [(type(value), repr(value)) for value in values]
    assert memory.list(where={"metadata": {"k8": {"gt": 1e299}}}).frames
    assert memory.list(where={"metadata": {"k6": {"gte": 2**63}, "k11": {"lt": 0.2, "gt": 0.05}}}).frames
    assert memory.list(where={"metadata": {"k4": {"gte": 0}}}).frames == ()  # True is not a number
    assert memory.list(where={"metadata": {"k0": {"gt": float("-inf"), "lt": float("inf")}}}).frames


def test_values_that_only_look_like_the_wanted_types_are_stored_as_these(memory: Memory) -> None:
    class Moment(enum.IntEnum):
        THEN = 5

    class Scope(str, enum.Enum):  # noqa: UP042
        GLOBAL = "global"

    class Text(str):
        def __repr__(self) -> str:
            return "forged"

    frame = memory.get(
        memory.remember(
            Text("text"),
            kind=Text("note"),
            scope=Scope.GLOBAL,  # type: ignore[arg-type]
            occurred_at=Moment.THEN,
            tags=[Text("tag")],
            metadata={Text("k"): MappingProxyType({"a": (1, Moment.THEN)})},
        ).id
    )
    assert (frame.kind, frame.scope, frame.occurred_at, frame.tags) == ("note", "global", 5, ("tag",))
    assert json.dumps(frame.metadata) == '{"k": {"a": [1, 5]}}'
    assert memory.verify(deep=True)


# Refusals


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


BAD_WRITES: list[dict[str, Any]] = [
    {"text": ""},
    {"text": " \n\t"},
    {"text": None},
    {"text": b"bytes"},
    {"text": 5},
    {"text": "nul \0 inside"},
    {"text": "lone \ud800 surrogate"},
    {"kind": ""},
    {"kind": None},
    {"kind": "nul\0"},
    {"scope": "everywhere"},
    {"scope": None},
    {"source": "robot"},
    {"source": ["user"]},
    {"title": ""},
    {"title": 5},
    {"title": "\udfff"},
    {"session": " "},
    {"role": b"user"},
    {"speaker": 1.5},
    {"uri": "nul\0"},
    {"tags": "one"},
    {"tags": None},
    {"tags": 5},
    {"tags": [5]},
    {"tags": [""]},
    {"tags": ["a\0"]},
    {"tags": [f"t{number}" for number in range(201)]},
    {"metadata": []},
    {"metadata": "x"},
    {"metadata": {5: 1}},
    {"metadata": {"": 1}},
    {"metadata": {"a": 1, " a": 2}},
    {"metadata": {"a": float("nan")}},
    {"metadata": {"a": float("inf")}},
    {"metadata": {"a": {1, 2}}},
    {"metadata": {"a": b"bytes"}},
    {"metadata": {"a": object()}},
    {"metadata": {"a": {5: 1}}},
    {"metadata": {"a": "nul\0"}},
    {"metadata": {"a": ["\ud800"]}},
    {"metadata": {"a": nested(70)}},
    {"metadata": {"a": 10**5000}},
    {"metadata": {"a": "x" * 1_100_000}},
    {"metadata": {"a": datetime(2024, 1, 1, tzinfo=UTC)}},
    {"occurred_at": "yesterday"},
    {"occurred_at": 1.5},
    {"occurred_at": True},
    {"occurred_at": datetime(2024, 1, 1)},  # noqa: DTZ001
    {"occurred_at": 2**63},
    {"occurred_at": -(2**63)},
    {"idempotency_key": ""},
    {"idempotency_key": 5},
    {"space": 5},
]


def test_a_write_that_cannot_be_taken_is_refused_and_leaves_nothing(memory: Memory) -> None:
    revision = memory.revision
    for bad in BAD_WRITES:
        options = {"text": "fine", **bad}
        with pytest.raises(InvalidInput) as caught:
            memory.remember_many(["before", options, "after"])
        assert str(caught.value)
        text = options.pop("text")
        with pytest.raises(InvalidInput):
            memory.remember(text, **options)
    assert memory.revision == revision
    assert memory.list(space=ALL).frames == ()


BAD_BATCHES: list[Any] = [
    "a single text",
    {"text": "a mapping"},
    5,
    None,
    [5],
    [None],
    [b"bytes"],
    [{"no": "text"}],
    [{"text": "x", "unknown": 1}],
    [{"text": "x", 5: 1}],
    [{"text": "x", "ordinal": 2**70}],
    [{"text": "x", "ordinal": True}],
    [{"text": "x", "repeatable": 2}],
    ["fine", ""],
]


def test_a_batch_that_cannot_be_taken_is_refused_whole(memory: Memory) -> None:
    for bad in BAD_BATCHES:
        with pytest.raises(InvalidInput):
            memory.remember_many(bad)

    def failing() -> Any:
        yield "one"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        memory.remember_many(failing())
    assert memory.list().frames == ()


BAD_FILTERS: list[Any] = [
    5,
    "kind",
    ["kind"],
    {"unknown": 1},
    {5: 1},
    {"kind": 5},
    {"kind": [5]},
    {"kind": ""},
    {"session": [None]},
    {"tags": "one"},
    {"tags": [5]},
    {"any_tags": 5},
    {"since": "now"},
    {"until": 1.5},
    {"since": datetime(2024, 1, 1)},  # noqa: DTZ001
    {"ids": 5},
    {"ids": ["1"]},
    {"ids": [0]},
    {"ids": [-1]},
    {"ids": [True]},
    {"ids": [2**63]},
    {"ids": range(1, 20_000)},
    {"parent": "1"},
    {"parent": [0]},
    {"metadata": 5},
    {"metadata": {5: 1}},
    {"metadata": {"a": object()}},
    {"metadata": {"a": {"gt": "x"}}},
    {"metadata": {"a": {"gt": True}}},
    {"metadata": {"a": {"gt": float("nan")}}},
    {"metadata": {"a": {"gt": 10**400}}},
    {"metadata": {f"k{number}": 1 for number in range(33)}},
    {"metadata": {"a": 1, " a": 2}},
    {"kind": [f"k{number}" for number in range(10_001)]},
]


def test_a_filter_that_means_nothing_is_refused(memory: Memory) -> None:
    memory.remember("kept")
    for bad in BAD_FILTERS:
        for act in (memory.list, memory.timeline, memory.forget, memory.erase):
            with pytest.raises(InvalidInput):
                act(where=bad)
    assert len(memory.list()) == 1


def test_the_largest_filter_that_is_taken_works(memory: Memory) -> None:
    memory.remember("kept", tags=[f"t{number}" for number in range(200)], metadata={"a": 1})
    where: dict[str, Any] = {
        "ids": range(1, 5000),
        "kind": ["text", *(f"k{number}" for number in range(2000))],
        "tags": [f"t{number}" for number in range(200)],
        "any_tags": [f"t{number}" for number in range(100, 300)],
        "metadata": {"a": [1, *range(10, 2000)]},
    }
    assert len(memory.list(where=where, space=["default", *(f"s{number}" for number in range(9))])) == 1
    where["metadata"] = {f"k{number}": 1 for number in range(32)}
    assert memory.list(where=where).frames == ()


BAD_IDS: list[Any] = [0, -1, 2**63, 2**70, True, "1", 1.0, None, b"1", [1]]


def test_an_id_that_is_none_is_refused_everywhere(memory: Memory) -> None:
    kept = memory.remember("kept").id
    for bad in BAD_IDS:
        acts: list[Callable[[], object]] = [
            lambda bad=bad: memory.get(bad),  # type: ignore[misc]
            lambda bad=bad: memory.forget(bad),  # type: ignore[misc]
            lambda bad=bad: memory.erase(bad),  # type: ignore[misc]
            lambda bad=bad: memory.update(bad, tags=["x"]),  # type: ignore[misc]
            lambda bad=bad: memory.supersede(bad, kept),  # type: ignore[misc]
            lambda bad=bad: memory.supersede(kept, bad),  # type: ignore[misc]
        ]
        for act in acts:
            with pytest.raises(InvalidInput):
                act()
    assert memory.get(kept).tags == ()


def test_limits_and_moments_that_mean_nothing_are_refused(memory: Memory) -> None:
    for limit in (0, -1, 10_001, 1.5, "5", None, True):
        with pytest.raises(InvalidInput, match="limit"):
            memory.list(limit=limit)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="limit"):
            memory.timeline(limit=limit)  # type: ignore[arg-type]
    for moment in (5, "now", None, datetime(2024, 1, 1, tzinfo=UTC), (1, 2)):
        with pytest.raises(InvalidInput, match="as_of"):
            memory.list(as_of=moment)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="as_of"):
            memory.get(1, as_of=moment)  # type: ignore[arg-type]


def test_an_id_that_never_was_is_not_found(memory: Memory) -> None:
    for act in (
        memory.get,
        memory.forget,
        memory.erase,
        lambda frame_id: memory.update(frame_id, tags=["x"]),
    ):
        with pytest.raises(NotFound):
            act(2**63 - 1)


BAD_OPTIONS: list[dict[str, Any]] = [
    {"space": "no good"[:0]},
    {"space": "a.b"},
    {"space": 5},
    {"space": ALL},
    {"durability": "extreme"},
    {"durability": None},
    {"max_bytes": 0},
    {"max_bytes": -1},
    {"max_bytes": 1.5},
    {"max_bytes": True},
    {"busy_timeout": -1},
    {"busy_timeout": "5"},
    {"busy_timeout": float("nan")},
    {"busy_timeout": float("inf")},
    {"busy_timeout": True},
    {"clock": 5},
]


@pytest.mark.parametrize("options", BAD_OPTIONS, ids=str)
def test_an_option_that_means_nothing_is_refused_before_a_file_is_made(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        open_memory(tmp_path / "a.mind", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_clock_that_tells_no_time_is_refused(tmp_path: Path) -> None:
    class Broken:
        def __init__(self, reading: Any) -> None:
            self.reading = reading

        def now(self) -> Any:
            return self.reading

    for reading in (1.5, "now", None, True, FOREVER, datetime(2024, 1, 1)):  # noqa: DTZ001
        with pytest.raises(InvalidInput):
            open_memory(tmp_path / "a.mind", clock=Broken(reading))
    assert list(tmp_path.iterdir()) == []
    clock = Broken(5)
    with open_memory(tmp_path / "a.mind", clock=clock) as memory:
        memory.remember("fine")
        clock.reading = 5.5
        with pytest.raises(InvalidInput):
            memory.remember("not fine")
        clock.reading = 6
        assert memory.remember("fine again").created == 1
        assert len(memory.list()) == 2


def test_the_system_clock_is_the_default(tmp_path: Path) -> None:
    before = SystemClock().now()
    with open_memory(tmp_path / "a.mind") as memory:
        frame = memory.get(memory.remember("now").id)
    assert before <= frame.occurred_at <= SystemClock().now()


def test_a_path_may_be_given_as_text_or_path_and_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory("~/a.mind") as memory:
        memory.remember("at home")
        memory.backup("~/b.mind")
    for name in ("a.mind", "b.mind"):
        with open_memory(tmp_path / name, create=False) as memory:
            assert len(memory.list()) == 1


def test_a_filter_may_be_a_where_or_a_mapping(memory: Memory) -> None:
    memory.remember("x", tags=["a"], metadata={"n": 1})
    for where in (
        Where(tags=["a"]),
        {"tags": ["a"]},
        Where(metadata={"n": 1}),
        MappingProxyType({"metadata": {"n": 1}}),
        None,
    ):
        assert len(memory.list(where=where)) == 1


def test_a_filter_for_none_of_a_list_matches_nothing(memory: Memory) -> None:
    memory.remember("x", session="s")
    assert memory.list(where={"ids": []}).frames == ()
    for name in ("kind", "session", "role", "speaker", "uri", "source", "any_tags"):
        assert memory.list(where={name: []}).frames == (), name
