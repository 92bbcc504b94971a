"""Recipes: the named ones, those of users, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from longmind import AsOf, FrozenClock, InvalidInput, LaneRecipe, Memory, NotFound, Recipe
from longmind.context.recipe import DEFAULTS
from tests.conftest import START
from tests.context.worlds import DAY, fill, open_memory

NAMED = ("default", "chat", "coding", "facts", "timeline")


@pytest.fixture
def world(location: str, clock: FrozenClock) -> Iterator[Memory]:
    with fill(open_memory(location, clock=clock), frames=30) as memory:
        yield memory


@pytest.mark.parametrize("recipe", NAMED)
def test_every_named_recipe_answers(world: Memory, recipe: str) -> None:
    world.remember("Carla lives in Lisbon and keeps copper lanterns.", session="s0", speaker="Carla")
    context = world.recall("Where does Carla live?", budget=600, recipe=recipe, session="s0")
    assert context.items
    assert {item.lane for item in context.items} <= {lane.kind for lane in DEFAULTS[recipe].lanes}
    assert "Lisbon" in context.text
    assert world.replay(context.receipt)


def test_the_names_are_listed(world: Memory) -> None:
    assert world.recipes() == tuple(sorted(NAMED))


def test_chat_shows_the_last_turns_of_the_session_it_is_asked_in(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory:
        for number in range(20):
            memory.remember(f"turn number {number}", session="now", role="user", occurred_at=START + number)
        memory.remember("turn elsewhere", session="other", role="user")
        context = memory.recall("zebra", budget=300, recipe="chat", session="now")
        recent = [item.text for item in context.items if item.lane == "recent"]
        assert [text.split(" [")[0] for text in recent] == [
            f"user: turn number {n}" for n in range(19, 19 - len(recent), -1)
        ]
        assert 3 < len(recent) <= 12
        assert "elsewhere" not in context.text
        without = memory.recall("zebra", budget=300, recipe="chat")
        assert "the lane recent did not run: no session was named" in without.notes
        assert not [item for item in without.items if item.lane == "recent"]


def test_recent_turns_obey_the_filter_the_space_and_the_instant(location: str, clock: FrozenClock) -> None:
    with open_memory(location, clock=clock) as memory:
        first = memory.remember("turn of Ana", session="now", speaker="Ana").id
        memory.remember("turn of Bob", session="now", speaker="Bob")
        memory.remember("turn in hiding", session="now", speaker="Ana", space="other")
        then = AsOf(system=memory.revision, valid=AsOf.LATEST.valid)
        clock.advance(days=1)
        memory.forget(first)
        options: dict[str, Any] = {"recipe": "chat", "session": "now", "budget": 300}
        assert "Ana" not in memory.recall("zebra", **options).text
        assert "turn of Ana" in memory.recall("zebra", as_of=then, **options).text
        only = memory.recall("zebra", as_of=then, where={"speaker": "Ana"}, **options).text
        assert "turn of Ana" in only
        assert "Bob" not in only
        assert "hiding" not in only
        assert not memory.recall("zebra", where={"session": "elsewhere"}, **options).items


def test_timeline_tells_in_the_order_of_time(world: Memory) -> None:
    context = world.recall("copper", budget=900, recipe="timeline")
    days = [line[:10] for line in context.text.splitlines() if line.startswith("2023-")]
    assert len(days) > 3
    assert days == sorted(days)


def test_coding_shows_the_best_hit_first_and_whole(location: str) -> None:
    with open_memory(location) as memory:
        body = "def zebra_handler(event):\n" + "".join(f"    step_{n} = {n}\n" for n in range(60))
        memory.ingest(text=body, uri="src/zebra.py", media_type="text/x-python", title="zebra.py")
        memory.remember("a zebra_handler note", occurred_at=START - 50 * DAY)
        context = memory.recall("zebra_handler", budget=2000, recipe="coding")
        assert context.items[0].tier == "full"
        assert context.receipt.order == "rank"


def test_a_users_recipe_is_kept_and_replaces_a_default(location: str, clock: FrozenClock) -> None:
    mine = Recipe("default", (LaneRecipe("snippets", items=1),), order="rank", depth=5)
    with fill(open_memory(location, clock=clock), frames=12) as memory:
        assert memory.save_recipe(mine) == mine
        given = {"name": "tiny", "lanes": [{"kind": "snippets", "items": 2, "item_tokens": 50}]}
        assert memory.save_recipe(given).lanes[0].items == 2
    with open_memory(location, clock=clock) as memory:
        assert memory.recipes() == tuple(sorted({*NAMED, "tiny"}))
        context = memory.recall("copper engine lantern")
        assert len(context.items) == 1
        assert context.receipt.recipe_hash == mine.hash
        assert len(memory.recall("copper engine lantern", recipe="tiny").items) <= 2
        memory.save_recipe(Recipe("default", (LaneRecipe("snippets", items=3),)))
        assert len(memory.recall("copper engine lantern").items) == 3
        assert memory.replay(context.receipt), "a receipt carries its own recipe"


def test_a_recipe_can_be_given_as_it_is() -> None:
    with fill(open_memory(), frames=12) as memory:
        one = memory.recall("copper", recipe={"name": "x", "lanes": [{"kind": "snippets", "items": 1}]})
        assert len(one.items) == 1
        assert memory.recipes() == tuple(sorted(NAMED))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "recipe"),
        ({"name": "x"}, "lanes"),
        ({"name": "x", "lanes": []}, "at least one lane"),
        ({"name": "", "lanes": [{"kind": "snippets"}]}, "name"),
        ({"name": "x", "lanes": "snippets"}, "recipe"),
        ({"name": "x", "lanes": ["snippets"]}, "recipe"),
        ({"name": "x", "lanes": [{"kind": "snippets"}, {"kind": "snippets"}]}, "once"),
        ({"name": "x", "lanes": [{"kind": "snippets", "share": 0}]}, "share"),
        ({"name": "x", "lanes": [{"kind": "snippets", "share": 1.01}]}, "share"),
        ({"name": "x", "lanes": [{"kind": "snippets", "share": float("nan")}]}, "share"),
        ({"name": "x", "lanes": [{"kind": "snippets", "share": True}]}, "share"),
        ({"name": "x", "lanes": [{"kind": "snippets", "items": 0}]}, "items"),
        ({"name": "x", "lanes": [{"kind": "snippets", "item_tokens": "many"}]}, "item_tokens"),
        ({"name": "x", "lanes": [{"kind": "snippets", "after": -1}]}, "after"),
        ({"name": "x", "lanes": [{"kind": "snippets", "colour": "red"}]}, "colour"),
        ({"name": "x", "lanes": [{"kind": "snippets"}], "order": "random"}, "order"),
        ({"name": "x", "lanes": [{"kind": "snippets"}], "depth": 0}, "depth"),
        ({"name": "x", "lanes": [{"kind": "snippets"}], "tokens": 3}, "tokens"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused_with_the_reason(wrong: dict[str, Any], says: str) -> None:
    with open_memory() as memory:
        with pytest.raises(InvalidInput, match=says):
            memory.save_recipe(wrong)
        with pytest.raises(InvalidInput, match=says):
            memory.recall("zebra", recipe=wrong)
        assert memory.recipes() == tuple(sorted(NAMED))


def test_lanes_of_the_wrong_type_are_refused() -> None:
    for lanes in ([LaneRecipe("snippets")], ("snippets",), None):
        with pytest.raises(InvalidInput):
            Recipe("x", lanes)  # type: ignore[arg-type]


def test_unknown_recipes_tokenizers_and_budgets_are_refused() -> None:
    with open_memory() as memory:
        memory.remember("the zebra")
        with pytest.raises(NotFound, match="nobody"):
            memory.recall("zebra", recipe="nobody")
        strange = Recipe("x", (LaneRecipe("snippets"),), tokenizer="klingon")
        with pytest.raises(InvalidInput, match="klingon"):
            memory.recall("zebra", recipe=strange)
        for budget in (0, -1, True, 2.5, "100", 10**9):
            with pytest.raises(InvalidInput, match="budget"):
                memory.recall("zebra", budget=budget)  # type: ignore[arg-type]


def test_lanes_that_did_not_run_are_named() -> None:
    with open_memory() as memory:
        memory.remember("the zebra")
        recipe = Recipe("x", (LaneRecipe("dreams"), LaneRecipe("snippets")))
        context = memory.recall("zebra", recipe=recipe)
        assert "the lane dreams is not there" in context.notes
        assert any(note.startswith("vector did not run:") for note in context.notes)
        assert context.items


def test_a_recipe_and_its_json_are_the_same_thing() -> None:
    for recipe in DEFAULTS.values():
        again = Recipe.from_json(recipe.to_json())
        assert again == recipe
        assert again.hash == recipe.hash
    assert len({recipe.hash for recipe in DEFAULTS.values()}) == len(DEFAULTS)
    older = Recipe.from_json('{"name": "x", "lanes": [{"kind": "snippets"}]}')
    assert older == Recipe("x", (LaneRecipe("snippets"),))


def test_the_first_hits_are_shown_whole_where_half_of_the_budget_holds_them() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        steps = " ".join(f"Then part {number} was cleaned, measured and put back." for number in range(24))
        long_texts = [f"Crane repair at pier {pier}, gearbox and brake. {steps}" for pier in ("A", "B", "C")]
        memory.remember_many(long_texts)
        memory.remember_many(
            [
                f"The crane at berth {number} moved {number + 3} boxes to the yard today."
                for number in range(150)
            ]
        )
        text = memory.recall("crane repair gearbox brake", budget=2000).text
        assert all(" ".join(note.split()) in " ".join(text.split()) for note in long_texts)
