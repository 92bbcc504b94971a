"""Whatever the store, the question, the recipe and the budget: the count is exact, and never above."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longmind import Context, InvalidInput, LaneRecipe, Memory, Recipe
from longmind.base.tokens import Tokenizer, open_tokenizer, register_tokenizer
from longmind.context.items import NO_ROOM
from longmind.context.lanes import without_gap
from tests.context.worlds import WORDS, fill, open_memory, sentence


class Characters:
    """A tokenizer of a user's own: one token for every two characters, so that nothing adds up."""

    name = "pairs"

    def count(self, text: str) -> int:
        return -(-len(text) // 2)

    def encode(self, text: str) -> list[int]:
        return list(range(self.count(text)))

    def truncate(self, text: str, budget: int) -> str:
        return text[: 2 * budget]


register_tokenizer("pairs", Characters)

LANES = ("facts", "recent", "expansion", "exchanges", "snippets", "surrogates", "growth", "nowhere")
recipes = st.builds(
    Recipe,
    name=st.just("mine"),
    lanes=st.lists(
        st.builds(
            LaneRecipe,
            kind=st.sampled_from(LANES),
            share=st.sampled_from([0.05, 0.2, 0.5, 1.0]),
            items=st.integers(1, 30),
            item_tokens=st.integers(1, 400),
            before=st.integers(0, 2),
            after=st.integers(0, 3),
            shared=st.integers(0, 2),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda lane: lane.kind,
    ).map(tuple),
    order=st.sampled_from(["time", "rank"]),
    depth=st.sampled_from([1, 7, 60]),
    tokenizer=st.sampled_from(["cl100k_base", "o200k_base", "pairs"]),
)
queries = st.lists(st.sampled_from([*WORDS, "part", "sushi", "寿司"]), min_size=1, max_size=6).map(
    " ".join
) | st.text(max_size=30)
budgets = st.integers(1, 80) | st.integers(1, 3000)


@pytest.fixture(scope="module", params=[0, 1, 2])
def world(request: pytest.FixtureRequest) -> Iterator[Memory]:
    with fill(open_memory(embedder="hash"), seed=request.param) as memory:
        yield memory


def exact(context: Context, tokenizer: Tokenizer) -> None:
    assert context.total_tokens == tokenizer.count(context.text) <= context.budget
    assert context.receipt.tokens == context.total_tokens
    assert bool(context.items) == bool(context.text)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(query=queries, budget=budgets, recipe=recipes, session=st.sampled_from([None, "s0", "s9"]))
@example(query="\0 copper \ud800", budget=500, recipe=Recipe("r", (LaneRecipe("snippets"),)), session=None)
def test_the_count_is_exact_within_the_budget_and_replays(
    world: Memory, query: str, budget: int, recipe: Recipe, session: str | None
) -> None:
    context = world.recall(query, budget=budget, recipe=recipe, session=session)
    exact(context, open_tokenizer(recipe.tokenizer))
    assert world.recall(query, budget=budget, recipe=recipe, session=session).text == context.text
    for receipt in (context.receipt, context.receipt.to_json()):
        replay = world.replay(receipt)
        assert replay, replay.changes
        assert replay.text == context.text
        assert (replay.changes, replay.drift) == ((), ())


@settings(max_examples=30, deadline=None, derandomize=True)
@given(query=queries, budget=st.integers(40, 3000), recipe=recipes)
def test_each_lane_keeps_its_own_limits(world: Memory, query: str, budget: int, recipe: Recipe) -> None:
    context = world.recall(query, budget=budget, recipe=recipe, session="s0")
    spent: dict[str, int] = defaultdict(int)
    number: dict[str, int] = defaultdict(int)
    for item in context.items:
        spent[item.lane] += item.tokens
        number[item.lane] += 1
    for lane in recipe.lanes:
        assert spent[lane.kind] <= int(budget * lane.share)
        assert number[lane.kind] <= lane.items
        assert all(item.tokens <= lane.item_tokens for item in context.items if item.lane == lane.kind)
    order = [lane.kind for lane in recipe.lanes]
    places = [order.index(item.lane) for item in context.items]
    assert places == sorted(places)
    for lane in ("expansion", "snippets", "surrogates", "recent", "facts"):
        ranks = [item.rank for item in context.items if item.lane == lane]
        assert ranks == sorted(ranks)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(query=queries, budget=budgets, recipe=recipes)
def test_what_is_shown_are_slices_of_frames_and_nothing_is_lost_without_a_reason(
    world: Memory, query: str, budget: int, recipe: Recipe
) -> None:
    context = world.recall(query, budget=budget, recipe=recipe)
    pieces = [item for item in context.items if item.tier != "card"]
    shown = [item.frame_ids[0] for item in pieces]
    assert len(set(shown)) == len(shown)
    for item in pieces:
        raw = world.get(item.frame_ids[0]).text.encode()
        ends = [0, *(place for span in item.ranges for place in span)]
        assert ends == sorted(ends)
        assert ends[-1] <= len(raw)
        for start, end in item.ranges:
            assert raw[start:end].decode()
    lost = [drop.frame_ids[0] for drop in context.dropped if drop.lane != "facts"]
    assert not set(lost) & set(shown)
    assert len(set(lost)) == len(lost)
    assert all(drop.reason and drop.rank >= 1 for drop in context.dropped)
    assert context.truncated == any(drop.reason.startswith(NO_ROOM) for drop in context.dropped)


def test_a_budget_too_small_for_anything_gives_empty_text_and_says_so(world: Memory) -> None:
    for budget in (1, 5, 20):
        context = world.recall("copper engine", budget=budget)
        assert (context.text, context.total_tokens, context.items) == ("", 0, ())
        assert context.dropped
        assert context.truncated
        assert any(f"a budget of {budget} tokens" in note for note in context.notes)
        assert world.replay(context.receipt)
    nothing = world.recall("zzzzunheardof", budget=500, mode="text")
    assert (nothing.text, nothing.items, nothing.dropped) == ("", (), ())
    assert not nothing.truncated
    assert not any("budget" in note for note in nothing.notes)


def test_a_larger_budget_never_shows_less_and_fills_up(world: Memory) -> None:
    sizes = [world.recall("copper engine lantern", budget=budget).total_tokens for budget in (100, 300, 900)]
    assert sizes[0] < sizes[1] < sizes[2]
    assert sizes[2] > 900 * 0.95


def test_what_does_not_fit_is_passed_over_and_what_comes_after_it_is_not() -> None:
    with open_memory() as memory:
        memory.remember("zebra " * 60 + "stripes")
        memory.remember("A zebra in the meadow, seen from the road.")
        only = Recipe("whole", (LaneRecipe("snippets", item_tokens=40),))
        context = memory.recall("zebra", budget=60, recipe=only)
        assert any("seen from the road" in item.text for item in context.items)


def test_a_long_frame_is_shown_by_the_sentences_that_answer() -> None:
    rng = random.Random(5)
    filler = [sentence(rng, 12) for _ in range(60)]
    filler[37] = "The zebra keeper Wanda changed the locks on Monday."
    with open_memory() as memory:
        memory.remember(" ".join(filler))
        tiers = []
        for budget in (1500, 160, 70, 50):
            context = memory.recall("zebra keeper locks", budget=budget)
            assert "Wanda changed the locks" in context.text
            tiers.append(context.items[0].tier)
        assert tiers[0] == "full"
        assert tiers[1] == "snippet"
        wide = memory.recall("zebra", budget=150)
        assert wide.items[0].tier == "gist"


def test_a_text_without_sentences_is_cut_at_its_beginning() -> None:
    with open_memory() as memory:
        memory.remember("zebra " + " ".join(f"word{number}" for number in range(500)))
        context = memory.recall("zebra", budget=120)
        assert context.items[0].tier == "cut"
        assert context.items[0].text.startswith("zebra word0")
        assert " …" in context.items[0].text


def test_the_same_words_are_said_once_and_overlapping_chunks_too() -> None:
    with open_memory() as memory:
        first = memory.remember("Zebra, barn, hay and oats.", session="a", speaker="Ana").id
        memory.remember("zebra,   barn, HAY and oats.", session="b", speaker="Ana")
        memory.remember("Zebra, barn, hay and oats.", session="b", speaker="Bob")
        context = memory.recall("zebra barn", budget=500)
        assert len(context.items) == 2
        [drop] = context.dropped
        assert drop.reason == f"says the same as frame {first}" or drop.frame_ids == (first,)
        assert not context.truncated


def test_ties_do_not_depend_on_the_order_of_writing() -> None:
    texts = [f"zebra {word} crossing" for word in WORDS]
    said = []
    for order in (texts, texts[::-1], sorted(texts)):
        with open_memory() as memory:
            memory.remember_many([{"text": text, "occurred_at": 1_000_000} for text in order])
            ranked = Recipe("ranked", (LaneRecipe("snippets", items=5),), order="rank")
            context = memory.recall("zebra crossing", budget=400, recipe=ranked)
            said.append([item.text.split(" [frame")[0] for item in context.items])
            lines = [line.split(" [frame")[0] for line in context.text.splitlines() if "[frame" in line]
            assert lines == said[-1]
    assert said[0] == said[1] == said[2]
    assert len(said[0]) == 5


def test_turns_that_follow_a_hit_and_were_found_too_come_with_it() -> None:
    with open_memory() as memory:
        talk = [
            ("Ana", "Did you ever see the zebra?"),
            ("Bob", "Yes, the zebra was asleep in the hay behind the old barn by the river."),
            ("Ana", "I brought it a zebra blanket, long ago, on a cold day in the autumn of that year."),
        ]
        memory.remember_many(
            [{"text": text, "speaker": who, "session": "t", "occurred_at": 5} for who, text in talk]
        )
        memory.remember_many([f"A zebra note, number {number}." for number in range(30)])
        with_turns = Recipe("t", (LaneRecipe("exchanges", items=3, after=2), LaneRecipe("snippets")))
        context = memory.recall("Did you ever see the zebra?", budget=150, recipe=with_turns)
        lanes = [item.text.split(" [frame")[0] for item in context.items if item.lane == "exchanges"]
        assert lanes == [f"{who}: {text}" for who, text in talk]
        without = Recipe("w", (LaneRecipe("exchanges", items=3), LaneRecipe("snippets")))
        assert "blanket" not in memory.recall("Did you ever see the zebra?", budget=80, recipe=without).text


def test_a_turn_comes_with_its_neighbours_only_up_to_the_first_that_is_not_shown() -> None:
    """What follows a long reply answers that, and not the turn before it."""
    assert list(without_gap(([4, 5, 6], [2, 1]), {1, 2, 4, 6})) == [4, 2, 1]
    assert list(without_gap(([5, 6], [3, 2]), {1, 2, 4, 6})) == []


def test_a_question_for_what_the_assistant_said_has_more_room_for_a_long_reply() -> None:
    reply = " ".join(f"Step {number} is to oil hinge number {number}." for number in range(30))
    with open_memory() as memory:
        memory.remember("My gate has hinges that squeak.", role="user", session="t", occurred_at=5)
        memory.remember(reply, role="assistant", session="t", occurred_at=6)
        for number in range(20):
            memory.remember(f"I oiled hinge {number} of a gate.", role="user", session=f"s{number}")
        asked = "What did you suggest to oil hinge number 7 of the gate?"
        context = memory.recall(asked, budget=600)
        assert reply in " ".join(context.text.split())
        assert memory.replay(context.receipt).same
        plain = memory.recall("Which step is to oil hinge number 7 of the gate?", budget=600)
        assert reply not in " ".join(plain.text.split())
        assert len(plain.items) > len(context.items)


@pytest.mark.parametrize("share", [0, 1.5, "half", True])
def test_a_share_is_above_nothing_and_at_most_all(share: Any) -> None:
    for name in ("share", "reply_share"):
        with pytest.raises(InvalidInput, match=f"{name} must be above 0"):
            LaneRecipe("snippets", **{name: share})


def test_room_that_is_left_shows_more_of_what_was_shortened() -> None:
    rng = random.Random(8)
    body = [sentence(rng, 12) for _ in range(120)]
    body[70] = "The zebra keeper Wanda changed the locks on Monday."
    lanes = (LaneRecipe("snippets", item_tokens=80), LaneRecipe("growth", items=2, item_tokens=2000))
    with open_memory() as memory:
        memory.remember(" ".join(body))
        short = memory.recall("zebra keeper locks", budget=2500, recipe=Recipe("short", lanes[:1]))
        assert [item.tier for item in short.items] == ["snippet"]
        assert short.total_tokens < 150
        sizes = []
        for budget in (200, 600, 2500):
            grown = memory.recall("zebra keeper locks", budget=budget, recipe=Recipe("grown", lanes))
            [item] = grown.items
            assert "Wanda changed the locks" in item.text
            assert (item.lane, grown.dropped) == ("growth", ())
            assert grown.total_tokens <= budget
            assert memory.replay(grown.receipt)
            sizes.append((item.tier, grown.total_tokens))
        assert [tier for tier, _ in sizes] == ["snippet", "snippet", "full"]
        assert sizes[0][1] < sizes[1][1] < sizes[2][1]


def test_the_name_of_a_context_takes_the_same_room_whatever_it_is() -> None:
    with open_memory() as memory:
        memory.remember("A zebra in the meadow, seen from the road.")
        sizes = set()
        for number in range(12):
            memory.remember(f"Unrelated note {number}.")
            sizes.add(memory.recall("zebra meadow", budget=100, recipe="coding").total_tokens)
        assert len(sizes) == 1
