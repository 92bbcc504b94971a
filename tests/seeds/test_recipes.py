"""Recipes of a context, its receipt, and upkeep by policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from longmind import FrozenClock, InvalidInput, LaneRecipe, MaintenancePolicy, Memory, NotFound, Recipe
from longmind.protocols import Item, register_renderer
from tests.seeds.test_ingestion import CountingEmbedder


@pytest.fixture
def harbour(memory: Memory, clock: FrozenClock) -> Memory:
    for number in range(4):
        memory.remember(f"The harbour lantern {number} was lit. " + "Boats came in. " * number)
        clock.advance(days=1)
    memory.facts.record("Harbour", "lit_by", "lanterns " * 80)
    return memory


def test_each_lane_of_a_recipe_has_its_own_order(harbour: Memory) -> None:
    lanes = (LaneRecipe("expansion", items=2, order="time"), LaneRecipe("snippets", order="rank"))
    context = harbour.recall("harbour lantern", recipe=Recipe("mine", lanes))
    by_lane: dict[str, list[int]] = {}
    for line in context.text.splitlines():
        for item in context.items:
            if item.text == line:
                by_lane.setdefault(item.lane, []).append(item.rank)
    assert list(by_lane) == ["expansion", "snippets"], "lane after lane"
    ids = {item.rank: item.frame_ids[0] for item in context.items}
    assert [ids[rank] for rank in by_lane["expansion"]] == sorted(ids[rank] for rank in by_lane["expansion"])
    assert by_lane["snippets"] == sorted(by_lane["snippets"])
    assert harbour.replay(context.receipt.to_json()), "and the receipt makes the same text"
    with pytest.raises(InvalidInput, match="order"):
        LaneRecipe("snippets", order="size")


class Numbered:
    """Items as a numbered list, without headings."""

    def layout(self, items: Sequence[Item]) -> Sequence[Item]:
        return sorted(items, key=lambda item: item.rank)

    def heading(self, item: Item) -> str:
        return ""

    def line(self, item: Item) -> str:
        return f"{item.rank}) frame {item.frame_ids[0]}"


def test_a_recipe_names_its_renderer(harbour: Memory) -> None:
    register_renderer("numbered", Numbered())
    lanes = (LaneRecipe("snippets"),)
    saved = harbour.save_recipe(Recipe("list", lanes, renderer="numbered"))
    context = harbour.recall("harbour lantern", recipe="list")
    assert "1) frame " in context.text
    assert harbour.replay(context.receipt)
    assert Recipe.from_json(saved.to_json()) == saved
    plain = harbour.recall("harbour lantern", recipe=Recipe("plain", lanes, renderer="plain"))
    assert "2023-11-14: The harbour lantern 0 was lit." in plain.text
    with pytest.raises(NotFound, match="no renderer"):
        harbour.recall("harbour lantern", recipe=Recipe("odd", lanes, renderer="odd"))
    with pytest.raises(InvalidInput, match="built in"):
        register_renderer("plain", Numbered())


@pytest.mark.parametrize("cap", [16, 30])
def test_an_item_above_its_cap_is_cut_to_fit(harbour: Memory, cap: int) -> None:
    lanes = (LaneRecipe("facts", item_tokens=cap), LaneRecipe("snippets", item_tokens=cap))
    context = harbour.recall("harbour lantern", recipe=Recipe("small", lanes), budget=1000)
    assert {item.lane for item in context.items} == {"facts", "snippets"}
    assert len(context.items) == 5, "all of them, however long they are"
    assert not [drop for drop in context.dropped if drop.reason.startswith("no room")]
    assert any(item.tier == "cut" and "…" in item.text for item in context.items)
    assert harbour.replay(context.receipt)


def test_a_receipt_whose_item_list_was_edited_does_not_verify(harbour: Memory) -> None:
    context = harbour.recall("harbour lantern")
    receipt = context.receipt
    assert harbour.replay(receipt)
    first = receipt.items[0]
    edits = [
        replace(first, rank=first.rank + 7),
        replace(first, tier="gist"),
        replace(first, lane="exchanges"),
        replace(first, content_hash="0" * 64),
    ]
    for later in (False, True):
        if later:
            harbour.remember("Something else happened at the mill.")
            assert harbour.replay(receipt)
        for edit in edits:
            forged = replace(receipt, items=(edit, *receipt.items[1:]))
            outcome = harbour.replay(forged.to_json())
            assert not outcome, (later, edit)
            assert outcome.changes
            unsealed = harbour.replay(replace(forged, items_sha256="").to_json())
            assert not unsealed, (later, edit)
            assert "the receipt's list of items does not fit the rest of it" in unsealed.changes


def test_maintenance_chooses_its_work(location: str) -> None:
    with Memory.open(location, embedder=None, surrogates=False) as memory:
        memory.remember("A long note about the harbour and its lanterns. " * 40)
    with Memory.open(location, embedder="hash:64", surrogates=False) as memory:
        done = memory.maintain(MaintenancePolicy(work=["surrogates"])).done
        assert list(done) == ["surrogates"]
        assert memory.stats().parts["vectors"]["missing"] == 1
        assert "vectors" in memory.maintain(MaintenancePolicy(work=["vectors"])).done
        with pytest.raises(InvalidInput, match="no upkeep called 'dusting'"):
            memory.maintain(MaintenancePolicy(work=["dusting"]))


def test_maintenance_prewarms_embedder_and_tokenizer(location: str) -> None:
    embedder = CountingEmbedder()
    policy = MaintenancePolicy(work=[], compact_above=None, prewarm=True)
    with Memory.open(location, embedder=embedder, on_open=policy) as memory:
        loaded = embedder.texts
        assert loaded > 0, "before the first search"
        revision = memory.revision
        report = memory.maintain(policy)
        assert report.done == {"prewarm": {"tokenizer": 1, "embedder": 1, "search": 1}}
        assert memory.revision == revision, "it writes nothing"
