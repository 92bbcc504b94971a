"""A search reads the parts of the store that it names, and finds in them what it finds among all frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from longmind import FrozenClock, Memory
from longmind.base.columns import FrameIds, FrameMask, ids_shown, is_shown, joined_mask
from longmind.base.filters import View, Where
from longmind.store.catalog import Catalog
from longmind.store.follower import Mirrors
from longmind.store.segments import Segment
from longmind.store.visible import in_spaces
from tests.conftest import START

WORDS = ("zebra", "river", "stone", "lamp", "paper", "tree", "cloud", "engine", "violin", "harbour")
QUESTIONS = ("zebra river", "stone by the lamp", "harb", "iolin", "the latest tree", "engines")
USERS = ("ana", "ben", "cora")


def text(number: int) -> str:
    return " ".join(WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7)) + f" note {number}"


def fill(memory: Memory, first: int = 0) -> None:
    for number in range(first, first + 60):
        user = (*USERS, None)[number % 4]
        memory.remember(
            text(number),
            user=user,
            space=("default", "work")[number % 5 == 0],
            scope="global" if user is None and number % 3 == 0 else "space",
            session=f"talk {number % 3}" if number % 2 else None,
            role=("user", "assistant")[number % 2],
            speaker=("Ana Ode", "Ben")[number % 2],
            occurred_at=START + number * 1000,
        )


@pytest.fixture
def memory(location: str) -> Iterator[Memory]:
    options: dict[str, Any] = {"embedder": "hash:32", "extractor": None, "surrogates": False}
    with Memory.open(location, clock=FrozenClock(START), **options) as opened:
        fill(opened)
        yield opened


def answers(memory: Memory) -> list[Any]:
    return [
        [(hit.frame.id, hit.score, hit.lanes, hit.confidence) for hit in memory.search(question, **options)]
        for question in QUESTIONS
        for options in (
            {"user": "ana"},
            {"user": "ben", "space": ["default", "work"]},
            {"space": "work"},
            {"user": "cora", "where": {"session": "talk 1"}},
            {"user": "ana", "where": {"speaker": ["Ben"], "since": START + 5000}},
        )
    ]


def test_small_segments_answer_as_the_index_does(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    by_index = answers(memory)
    assert any(by_index)
    monkeypatch.setattr("longmind.text.vocabulary.LARGE_STORE", 1)
    assert answers(memory) == by_index
    fill(memory, 60)
    forgotten, erased = (memory.remember(f"zebra river of {user}", user=user).id for user in ("ana", "ben"))
    assert answers(memory) != by_index
    memory.forget(forgotten, user="ana")
    memory.erase(erased, user="ben")
    small = answers(memory)
    monkeypatch.setattr("longmind.text.vocabulary.LARGE_STORE", 1 << 40)
    assert answers(memory) == small


def test_segments_answer_as_a_read_of_everything_does(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = answers(memory)
    monkeypatch.setattr("longmind.store.segments._MOST_NAMED", 0)
    together = answers(memory)
    for one, other in zip(apart, together, strict=True):
        assert one == other


@pytest.mark.parametrize(
    "view",
    [
        View.of("default", user="ana"),
        View.of(["default", "work"], user="ben"),
        View.of("work"),
        View.of("work", user="cora", to_change=True),
    ],
    ids=str,
)
def test_the_catalog_of_a_view_holds_its_frames_and_no_others(memory: Memory, view: View) -> None:
    clause = in_spaces(replace(view, is_own=False))
    with memory.store.read() as snapshot:
        catalog = Catalog(Mirrors()).at(snapshot, view)
        rows = snapshot.db.all(f"SELECT f.frame_id FROM frame f WHERE {clause.sql}", clause.values)
        everything = Catalog(Mirrors()).at(snapshot)
        shown = [one.visible(view, Where()) for one in (catalog, everything)]
    held = [int(frame_id) for part in catalog.parts for frame_id in part.frames.ids[1:]]
    assert sorted(held) == sorted(int(frame_id) for (frame_id,) in rows)
    assert ids_shown(shown[0]).tolist() == ids_shown(shown[1]).tolist() != []


def test_the_least_recently_used_users_leave_memory_first(memory: Memory) -> None:
    mirrors = memory.store.mirrors
    mirrors.limit = 1
    memory.search("zebra", user="ana")
    memory.search("zebra", user="ben")
    kept = memory.stats().memory
    mirrors.limit = Mirrors().limit
    memory.search("zebra", user="ana")
    assert sum(kept.values()) < sum(memory.stats().memory.values())


@pytest.mark.parametrize("ids", [[1, 2, 3], [4, 5, 6], [2, 3, 9], [1, 1000, 5000, 90_000], [], [7]], ids=str)
def test_frames_are_found_by_id_however_they_are_spread(ids: list[int]) -> None:
    frames = FrameIds(np.array([0, *ids], dtype=np.int64))
    asked = np.array([*range(12), 999, 1000, 4999, 5000, 90_000, 90_001, 1 << 40], dtype=np.int64)
    slots = frames.slots(asked).tolist()
    assert slots == [ids.index(one) + 1 if one in ids else 0 for one in asked.tolist()]


def test_masks_of_several_segments_show_what_their_parts_show() -> None:
    one = FrameIds(np.array([0, 2, 4, 6], dtype=np.int64)), np.array([False, True, False, True])
    other = FrameIds(np.array([0, 1, 5], dtype=np.int64)), np.array([False, True, True])
    mask = joined_mask([one, other])
    assert isinstance(mask, FrameMask)
    assert ids_shown(mask).tolist() == [1, 2, 5, 6] == np.flatnonzero(mask).tolist()
    assert is_shown(mask, np.arange(9)).tolist() == [
        False,
        True,
        True,
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert mask.count() == 4
    plain = joined_mask([(FrameIds(np.arange(4)), np.array([False, True, False, True]))])
    assert isinstance(plain, np.ndarray)
    assert is_shown(plain, np.array([1, 2, 3, 99])).tolist() == [True, False, True, False]


def _catalog_mirrors(memory: Memory, users: tuple[str, ...]) -> dict[str, int]:
    """Which objects hold the columns of these users."""
    catalog = memory.store.catalog
    with memory.store.read() as snapshot:
        mirrors = {
            user: catalog._tables.of(Segment("partition", f"default@{user}")).at(snapshot) for user in users
        }
    return {user: id(mirror) for user, mirror in mirrors.items()}


def test_an_erase_drops_what_is_in_memory_of_its_own_partition_only(memory: Memory) -> None:
    answers(memory)
    before = _catalog_mirrors(memory, ("ana", "ben"))
    doomed = next(
        hit.frame for hit in memory.search("paper stone violin", user="ana") if hit.frame.user == "ana"
    )
    memory.erase(doomed.id, user="ana")
    kept = _catalog_mirrors(memory, ("ana", "ben"))
    assert kept["ben"] == before["ben"]
    assert kept["ana"] != before["ana"]
    warm = answers(memory)
    assert doomed.id not in {hit[0] for hits in warm for hit in hits}
    for mirror in memory.store.mirrors._living():
        mirror.drop()
    assert answers(memory) == warm


def test_a_user_who_is_erased_and_comes_back_is_read_anew(memory: Memory) -> None:
    answers(memory)
    before = _catalog_mirrors(memory, ("ana", "ben"))
    memory.erase(user="ana")
    memory.remember("Ana is back, with a zebra.", user="ana")
    after = _catalog_mirrors(memory, ("ana", "ben"))
    assert after["ana"] != before["ana"]
    assert [hit.frame.text for hit in memory.search("zebra", user="ana") if hit.frame.user == "ana"] == [
        "Ana is back, with a zebra."
    ]
