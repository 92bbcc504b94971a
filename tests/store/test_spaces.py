"""A space never sees another's frames, whatever is asked; frames of scope global are everyone's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from longmind import ALL, AsOf, FrozenClock, InvalidInput, Memory, NotFound
from longmind.ingest import pipeline
from longmind.store.drafts import chunked, draft
from tests.store.opening import open_memory

FIELDS: dict[str, Any] = {
    "kind": "note",
    "session": "s",
    "role": "r",
    "speaker": "p",
    "uri": "u",
    "source": "agent",
    "title": "t",
    "tags": ["x"],
    "metadata": {"n": 5},
}
"""The same in every space, so that every filter matches in all of them."""


@pytest.fixture
def mine(memory: Memory) -> list[int]:
    """Ids of space mine; beside them stand theirs, with the same content, and one that is global."""
    report = memory.remember_many(
        [{"text": f"text {number}", "space": "mine", **FIELDS} for number in range(4)]
    )
    memory.remember_many([{"text": f"text {number}", "space": "theirs", **FIELDS} for number in range(4)])
    memory.remember("for all", space="theirs", scope="global", **FIELDS)
    return list(report.ids)


THEIRS = [5, 6, 7, 8]
GLOBAL = 9

FILTERS: list[dict[str, Any]] = [
    {},
    {"kind": "note"},
    {"session": "s"},
    {"role": "r"},
    {"speaker": "p"},
    {"uri": "u"},
    {"source": "agent"},
    {"tags": ["x"]},
    {"any_tags": ["x", "y"]},
    {"metadata": {"n": 5}},
    {"metadata": {"n": {"gt": 1}}},
    {"ids": range(1, 20)},
    {"since": 0},
    {"until": 2**62},
]


def test_no_listing_shows_frames_of_another_space(memory: Memory, mine: list[int]) -> None:
    now = AsOf(system=memory.revision, valid=AsOf.LATEST.valid)
    for where in FILTERS:
        for as_of in (AsOf.LATEST, now):
            seen = [frame.id for frame in memory.list(where=where, space="mine", as_of=as_of)]
            assert seen == [*mine, GLOBAL], where
            for newest_first in (True, False):
                found = memory.timeline(where=where, space="mine", as_of=as_of, newest_first=newest_first)
                assert sorted(frame.id for frame in found) == [*mine, GLOBAL], where
        assert [frame.id for frame in memory.list(where=where, space="elsewhere")] == [GLOBAL], where


def test_pages_do_not_cross_into_another_space(memory: Memory, mine: list[int]) -> None:
    cursor, seen = None, []
    while True:
        page = memory.list(space="mine", limit=2, cursor=cursor)
        seen += [frame.id for frame in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [*mine, GLOBAL]
    assert [frame.id for frame in memory.list(space="mine", cursor="4")] == [GLOBAL]


def test_a_limit_is_filled_from_the_own_space_alone(
    memory: Memory, mine: list[int], clock: FrozenClock
) -> None:
    clock.advance(days=1)
    memory.remember_many([{"text": f"newer {number}", "space": "theirs"} for number in range(50)])
    assert len(memory.timeline(space="mine", limit=5)) == 5
    assert len(memory.list(space="mine", limit=5)) == 5


@pytest.mark.usefixtures("mine")
def test_an_id_of_another_space_is_not_found_by_anything(memory: Memory) -> None:
    revision = memory.revision
    acts: list[Callable[[int], object]] = [
        lambda frame_id: memory.get(frame_id, space="mine"),
        lambda frame_id: memory.get(frame_id, space=["mine", "elsewhere"]),
        lambda frame_id: memory.get(frame_id),
        lambda frame_id: memory.forget(frame_id, space="mine"),
        lambda frame_id: memory.erase(frame_id, space="mine"),
        lambda frame_id: memory.update(frame_id, tags=["stolen"], space="mine"),
        lambda frame_id: memory.supersede(frame_id, 1, space="mine"),
        lambda frame_id: memory.supersede(1, frame_id, space="mine"),
    ]
    for frame_id in THEIRS:
        for act in acts:
            with pytest.raises(NotFound):
                act(frame_id)
    assert memory.revision == revision
    assert len(memory.list(space="theirs")) == 5


@pytest.mark.usefixtures("mine")
def test_an_error_does_not_tell_whether_the_id_exists_elsewhere(memory: Memory) -> None:
    def told(frame_id: int) -> str:
        with pytest.raises(NotFound) as caught:
            memory.get(frame_id, space="mine")
        return str(caught.value).replace(str(frame_id), "N")

    assert told(THEIRS[0]) == told(999)


def test_forget_and_erase_by_filter_stay_in_the_own_space(memory: Memory, mine: list[int]) -> None:
    assert memory.forget(where={"kind": "note", "ids": [*mine, *THEIRS]}, space="mine") == tuple(mine)
    assert memory.erase(where={"kind": "note", "ids": [*mine, *THEIRS]}, space="mine").frames == ()
    assert len(memory.list(space="theirs")) == 5


def test_the_same_text_in_two_spaces_is_two_frames(memory: Memory, mine: list[int]) -> None:
    assert not set(mine) & set(THEIRS)
    again = memory.remember("text 0", space="mine", **FIELDS)
    assert (again.id, again.unchanged) == (mine[0], 1)


def test_an_idempotency_key_is_of_one_space(memory: Memory) -> None:
    first = memory.remember("one", space="mine", idempotency_key="k")
    second = memory.remember("two", space="theirs", idempotency_key="k")
    assert (first.created, second.created) == (1, 1)
    assert memory.remember("three", space="mine", idempotency_key="k").id == first.id


def test_frames_of_scope_global_are_seen_from_every_space(memory: Memory) -> None:
    shared = memory.remember("for all", space="theirs", scope="global").id
    for space in ("default", "mine", "theirs", "a/b", ["mine", "theirs"], ALL):
        assert memory.get(shared, space=space).scope == "global"
        assert [frame.id for frame in memory.list(space=space)] == [shared]
        assert [frame.id for frame in memory.timeline(space=space)] == [shared]
    assert memory.get(shared).space == "theirs"


def test_several_spaces_are_read_as_one_and_each_frame_once(memory: Memory, mine: list[int]) -> None:
    seen = memory.timeline(space=["mine", "theirs", "mine"], limit=100)
    assert sorted(frame.id for frame in seen) == [*mine, *THEIRS, GLOBAL]
    moments = [(frame.occurred_at, frame.id) for frame in seen]
    assert moments == sorted(moments, reverse=True)


def test_all_spaces_are_read_only_when_asked_for(memory: Memory, mine: list[int]) -> None:
    assert [frame.id for frame in memory.list(space=ALL)] == [*mine, *THEIRS, GLOBAL]
    assert [frame.id for frame in memory.list()] == [GLOBAL]
    assert memory.get(THEIRS[0], space=ALL).space == "theirs"


def test_a_write_cannot_be_made_into_all_spaces(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.remember("x", space=ALL)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        memory.remember("x", space=["mine", "theirs"])  # type: ignore[arg-type]


def test_chunks_of_another_space_are_not_found(memory: Memory) -> None:
    whole = chunked(
        draft("a text cut in two", space="theirs", kind="document"), [(0, 8, None), (8, 17, None)]
    )
    parent = pipeline.remember(memory.store, [whole]).id
    for frame_id in (parent, parent + 1, parent + 2):
        assert memory.get(frame_id, space="theirs")
        with pytest.raises(NotFound):
            memory.get(frame_id, space="mine")
    assert memory.list(where={"parent": parent}, space="mine").frames == ()


# The handle's own space, and names


@pytest.fixture
def handle(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with open_memory(location, clock=clock, space="Team Web") as opened:
        yield opened


def test_a_handle_has_a_space_of_its_own(handle: Memory) -> None:
    kept = handle.remember("mine").id
    handle.remember_many(["more", {"text": "elsewhere", "space": "other"}])
    assert handle.default_space == "team_web"
    assert handle.get(kept).space == "team_web"
    assert [frame.text for frame in handle.list()] == ["mine", "more"]
    assert [frame.text for frame in handle.list(space="other")] == ["elsewhere"]
    assert handle.list(space="default").frames == ()


def test_names_are_canonical_for_writers_and_readers(memory: Memory) -> None:
    for given, canonical in (
        ("Default", "default"),
        ("TEAM/Web", "team/web"),
        ("my  own\tspace", "my_own_space"),
        (" padded ", "padded"),
        ("a_b-c/d-e_f/0", "a_b-c/d-e_f/0"),
        ("\u3000wide\u3000blank\u3000", "wide_blank"),
    ):
        kept = memory.remember("x", space=given).id
        assert memory.get(kept, space=canonical).space == canonical
        assert memory.get(kept, space=given.upper()).space == canonical


BAD_NAMES = (
    *("", " ", "/", "/a", "a/", "a//b", "a.b", "..", "a/../b", "ä", "a\0", "a;b", "a'b", "a%", "*", "a\\b"),
    "x" * 201,
)


def test_other_names_are_refused_everywhere(memory: Memory) -> None:
    acts: list[Callable[[str], object]] = [
        lambda name: memory.remember("x", space=name),
        lambda name: memory.remember_many(["x"], space=name),
        lambda name: memory.remember_many([{"text": "x", "space": name}]),
        lambda name: memory.list(space=name),
        lambda name: memory.list(space=["fine", name]),
        lambda name: memory.timeline(space=name),
        lambda name: memory.get(1, space=name),
        lambda name: memory.forget(1, space=name),
        lambda name: memory.erase(1, space=name),
        lambda name: memory.update(1, tags=[], space=name),
        lambda name: memory.supersede(1, 2, space=name),
    ]
    for name in BAD_NAMES:
        for act in acts:
            with pytest.raises(InvalidInput):
                act(name)
    assert memory.list(space=ALL).frames == ()


def test_what_is_no_name_is_refused(memory: Memory) -> None:
    for name in (5, [], [None], b"bytes", 1.5, {"a": 1}.values()):
        acts: list[Callable[[Any], object]] = [
            lambda given: memory.list(space=given),
            lambda given: memory.timeline(space=given),
            lambda given: memory.get(1, space=given),
        ]
        for act in acts:
            with pytest.raises(InvalidInput):
                act(name)
