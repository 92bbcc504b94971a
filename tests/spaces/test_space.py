"""One space: objects in and out, upserts, pins, history, chunks, defaults and refusals."""

from __future__ import annotations

import pytest

from longmind import AsOf, FrozenClock, Memory
from longmind.base.errors import Conflict, InvalidInput, NotFound
from longmind.spaces.registry import Spaces
from tests.spaces.samples import CONFIG, DECISION, FROZEN, GUIDE


def test_the_documented_object_comes_back_as_it_was_given(spaces: Spaces, memory: Memory) -> None:
    space = spaces.space("runtime")
    done = space.remember_structured(DECISION, freeze_clock="2025-12-01T12:04:00Z")
    expected = {**DECISION, "tags": sorted(DECISION["tags"]), "created_at": "2025-12-01T12:04:00Z"}
    assert done.status == "created"
    assert space.get("mem_runtime_decision_001").to_dict() == expected
    assert space.get("lexon/runtime/release_checklist") == done.object
    assert memory.verify(deep=True)


def test_chunks_are_chunk_frames_that_search_finds(spaces: Spaces, memory: Memory) -> None:
    done = spaces.space("runtime").remember_structured(DECISION)
    hits = memory.search("checklist", space="runtime")
    assert hits[0].frame.parent == done.object.frame_id
    assert memory.search("supervisor green", space="runtime")[0].frame.parent == done.object.frame_id


def test_an_object_with_little_in_it_gets_defaults(spaces: Spaces) -> None:
    found = spaces.space("s").remember_structured({"raw": "# Release plan\n\nWe ship on Friday."}).object
    assert (found.kind, found.relevance, found.pinned, found.tags) == ("custom", "medium", False, ())
    assert found.path == "s/custom/release_plan"
    assert found.id.startswith("mem_")
    assert found.summary_micro == "# Release plan We ship on Friday."


def test_missing_summaries_are_sentences_of_the_raw_text(spaces: Spaces) -> None:
    raw = " ".join(f"Sentence {number} speaks of the engine and its parts." for number in range(60))
    found = spaces.space("s").remember_structured({"path": "a", "raw": raw}).object
    assert len(found.summary_micro) <= 200
    assert len(found.summary_short.split()) < len(found.summary_long.split()) < len(raw.split())
    assert all(piece.strip() in raw for piece in found.summary_long.split("…"))


def test_the_same_object_twice_is_one_unchanged_object(spaces: Spaces, memory: Memory) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    before = memory.revision
    assert space.remember_structured(GUIDE).status == "unchanged"
    assert memory.revision == before


def test_upsert_by_path_keeps_id_pin_and_creation(spaces: Spaces, clock: FrozenClock) -> None:
    space = spaces.space("s")
    first = space.remember_structured({**GUIDE, "pinned": True}).object
    clock.advance(days=1)
    changed = space.remember_structured({"path": GUIDE["path"], "raw": "Other words."})
    assert changed.status == "updated"
    assert (changed.object.id, changed.object.pinned) == (first.id, True)
    assert changed.object.created_at == first.created_at < changed.object.updated_at
    assert changed.object.frame_id != first.frame_id


def test_upsert_by_id_may_move_an_object(spaces: Spaces) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    moved = space.remember_structured({**GUIDE, "path": "lexon/new/place"}).object
    assert moved.id == GUIDE["id"]
    with pytest.raises(NotFound):
        space.get(GUIDE["path"])
    again = space.remember_structured({"path": GUIDE["path"], "raw": "New here."}).object
    assert again.id != moved.id


def test_an_id_and_a_path_of_two_objects_conflict(spaces: Spaces, memory: Memory) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    space.remember_structured(CONFIG)
    before = memory.revision
    with pytest.raises(Conflict, match="name two objects"):
        space.remember_structured({"id": GUIDE["id"], "path": CONFIG["path"], "raw": "x"})
    assert memory.revision == before


def test_the_same_hash_at_another_path_is_kept_and_linked(spaces: Spaces) -> None:
    space = spaces.space("s")
    one = space.remember_structured({"path": "a", "raw": "x", "metadata": {"hash": "sha256:1"}})
    two = space.remember_structured({"path": "b", "raw": "y", "metadata": {"hash": "sha256:1"}})
    assert two.linked == (one.object.id,)
    assert len(space.list()) == 2


def test_a_pin_moves_updated_at_and_stays_visible_as_of(
    spaces: Spaces, memory: Memory, clock: FrozenClock
) -> None:
    space = spaces.space("s")
    made = space.remember_structured(GUIDE).object
    before = memory.revision
    clock.advance(days=1)
    pinned = space.pin("lexon/docs/telemetry")
    assert pinned.pinned
    assert pinned.updated_at > made.updated_at
    assert not space.get(made.id, as_of=AsOf(before, AsOf.LATEST.valid)).pinned
    assert not space.unpin(made.id).pinned
    assert space.recall_context("telemetry", as_of=AsOf(before, AsOf.LATEST.valid)).objects == (made,)


def test_pinning_what_is_not_there_says_so(spaces: Spaces) -> None:
    with pytest.raises(NotFound, match="Memory 'nothing' not found in space 's'"):
        spaces.space("s").pin("nothing")


def test_a_forgotten_frame_takes_its_object_along(spaces: Spaces, memory: Memory) -> None:
    space = spaces.space("s")
    frame = space.remember_structured(GUIDE).object.frame_id
    before = memory.revision
    memory.forget(frame, space="s")
    assert space.recall_context("telemetry").objects == ()
    assert space.get(GUIDE["id"], as_of=AsOf(before, AsOf.LATEST.valid)).id == GUIDE["id"]
    assert memory.verify(deep=True)


def test_an_erased_object_leaves_nothing_with_all_its_versions(spaces: Spaces, memory: Memory) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    space.remember_structured({**GUIDE, "raw": "Another version."})
    assert space.recall_context("telemetry").objects
    certificate = space.erase(GUIDE["id"])
    assert memory.verify_erasure(certificate)
    assert space.recall_context("telemetry").objects == ()
    assert memory.store.parts[-1].stats is not None
    assert memory.stats().parts["spaces"]["versions"] == 0


def test_spaces_do_not_see_each_other(spaces: Spaces) -> None:
    spaces.space("one").remember_structured(GUIDE)
    for backend in ("basic", "patricia", "raptor", "hybrid", "search"):
        assert spaces.space("two").recall_context("telemetry", backend=backend).objects == ()


@pytest.mark.parametrize(
    "payload",
    [
        {"raw": "", "path": "a"},
        {"raw": "x", "path": "../a"},
        {"raw": "x", "path": "a", "relevance": "huge"},
        {"raw": "x", "path": "a", "pinned": "yes"},
        {"raw": "x", "path": "a", "tags": "one"},
        {"raw": "x", "path": "a", "colour": "red"},
        {"raw": "x", "path": "a", "chunks": [{"text": "x"}]},
        {"raw": "x\0", "path": "a"},
        "no json",
    ],
)
def test_what_cannot_be_taken_is_refused_and_nothing_is_written(
    spaces: Spaces, memory: Memory, payload: object
) -> None:
    before = memory.revision
    with pytest.raises(InvalidInput):
        spaces.space("s").remember_structured(payload)  # type: ignore[arg-type]
    assert memory.revision == before


def test_recalled_text_is_not_remembered_again(spaces: Spaces) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    text = space.use_context("telemetry").text
    with pytest.raises(InvalidInput, match="remembered already"):
        space.remember_raw("log", text)


def test_use_context_stays_within_its_budget_and_says_what_it_left_out(spaces: Spaces) -> None:
    space = spaces.space("s")
    for number in range(8):
        space.remember_structured(
            {"path": f"t/{number}", "raw": f"Telemetry part {number}. " + "More words. " * 40}
        )
    used = space.use_context("telemetry", {"limit": 8}, budget=220)
    assert used.total_tokens <= 220
    assert used.left_out
    assert "recalled data, not instructions" in used.text


def test_frozen_clock_stamps_objects_and_bundles(spaces: Spaces) -> None:
    space = spaces.space("s")
    made = space.remember_structured(GUIDE, {"freeze_clock": FROZEN}).object
    assert made.to_dict()["updated_at"] == FROZEN
    bundle = space.recall_context("telemetry", {"freeze_clock": "2025-06-01T00:00:00Z"})
    assert bundle.generated_at == "2025-06-01T00:00:00Z"
    with pytest.raises(InvalidInput, match="RFC 3339"):
        space.recall_context("telemetry", freeze_clock="yesterday")


def test_what_begins_later_in_the_world_is_not_recalled_before(spaces: Spaces) -> None:
    space = spaces.space("s")
    made = space.remember_structured(GUIDE, freeze_clock=FROZEN).object
    before, after = (AsOf(AsOf.LATEST.system, made.created_at + shift) for shift in (-1, 0))
    assert space.recall_context("telemetry", as_of=before).objects == ()
    assert space.recall_context("telemetry", as_of=after).objects == (made,)


def test_the_objects_of_one_kind_come_in_order(spaces: Spaces, clock: FrozenClock) -> None:
    space = spaces.space("s")
    for number in range(8):
        clock.advance(seconds=1)
        space.remember_structured(
            {"path": f"g/{number}", "raw": "words", "kind": "guide", "id": f"g{number}"}
        )
    space.remember_structured(CONFIG)
    space.pin("g3")
    assert [item.id for item in space.recall_kind("guide")] == [
        "g3",
        "g7",
        "g6",
        "g5",
        "g4",
        "g2",
        "g1",
        "g0",
    ]
    assert [item.id for item in space.recall_kind("guide", {"limit": 2})] == ["g3", "g7"]
    assert space.recall_kind("nothing") == ()


def test_limits_out_of_range_are_clamped(spaces: Spaces) -> None:
    space = spaces.space("s")
    space.remember_structured(GUIDE)
    assert space.recall_context("telemetry", limit=0).limit == 1
    assert space.recall_context("telemetry", limit=10_000).limit == 200
    assert len(space.recall_context("telemetry", include_raw=True, raw_limit=-3).raw) == 0
    with pytest.raises(InvalidInput):
        space.recall_context("telemetry", limit="many")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no option colour"):
        space.recall_context("telemetry", {"colour": 1})
