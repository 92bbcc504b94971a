"""Orderings: tables of cases, and properties that hold for each of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import FrozenClock, Memory
from longmind.spaces.ordering import ORDERINGS
from longmind.spaces.registry import Spaces
from tests.spaces.conftest import spaces_of

LEXICAL = ("basic", "patricia", "raptor", "hybrid")
DAY = 86_400


def thing(path: str, raw: str = "nothing in particular", **more: Any) -> dict[str, Any]:
    return {
        "id": path.rsplit("/", 1)[-1],
        "path": path,
        "raw": raw,
        "summary_short": "s",
        "summary_long": "s",
        "summary_micro": more.pop("micro", "s"),
        **more,
    }


CASES: list[tuple[str, list[dict[str, Any]], str, dict[str, Any], list[str]]] = [
    (
        "basic",
        [thing("p/low", "cache", relevance="low"), thing("p/high", "cache", relevance="high")],
        "cache",
        {},
        ["high", "low"],
    ),
    (
        "basic",
        [thing("p/text", "the cache"), thing("cache/place"), thing("p/tagged", tags=["cache"])],
        "cache",
        {},
        ["place", "tagged", "text"],
    ),
    ("basic", [thing("p/one", "cache only"), thing("p/two", "cache size")], "cache size", {}, ["two", "one"]),
    (
        "basic",
        [thing("p/a", "cache", kind="log"), thing("p/b", "cache", kind="guide")],
        "cache",
        {"prefer_kinds": ["guide"]},
        ["b", "a"],
    ),
    (
        "basic",
        [thing("p/a", "cache"), thing("p/b", "cache", tags=["ops"])],
        "cache",
        {"prefer_tags": ["ops"]},
        ["b", "a"],
    ),
    (
        "basic",
        [thing("p/a", "cache", relevance="high"), thing("p/b", "cache")],
        "cache",
        {"require_high_relevance": True},
        ["a"],
    ),
    (
        "basic",
        [
            thing("p/match", "cache cache"),
            thing("p/lead", "cache", pinned=True, relevance="high"),
            thing("p/pin", "cache", pinned=True),
        ],
        "cache",
        {},
        ["lead", "pin", "match"],
    ),
    ("basic", [thing("p/other", "tea"), thing("p/b", "cache")], "cache", {}, ["b"]),
    (
        "patricia",
        [thing("runtime/x/deep", "lexon runtime"), thing("lexon/runtime/near"), thing("lexon/far")],
        "lexon/runtime",
        {},
        ["near", "far", "deep"],
    ),
    (
        "patricia",
        [thing("lexon/run"), thing("lexon/runtime/a"), thing("other/b")],
        "lexon/runt",
        {},
        ["a", "run"],
    ),
    (
        "raptor",
        [thing("p/untagged", "cache"), thing("p/tagged", tags=["cache"])],
        "cache",
        {},
        ["tagged", "untagged"],
    ),
    (
        "raptor",
        [
            thing("p/hit", tags=["cache", "ops"]),
            thing("p/hit2", tags=["cache", "ops"]),
            thing("p/near", tags=["ops"]),
            thing("p/far", tags=["tea"]),
        ],
        "cache",
        {},
        ["hit", "hit2", "near"],
    ),
    (
        "hybrid",
        [thing("common/rare"), thing("common/b"), thing("common/c")],
        "common rare",
        {},
        ["rare", "b", "c"],
    ),
    (
        "hybrid",
        [thing("p/a", "cache", metadata={"owner": "quasar"}), thing("p/b", "cache")],
        "quasar",
        {},
        ["a"],
    ),
    (
        "hybrid",
        [
            thing("p/a", "cache", metadata={"hash": "sha256:1"}),
            thing("q/b", "cache", metadata={"hash": "sha256:1"}),
        ],
        "cache",
        {},
        ["a"],
    ),
    ("search", [thing("p/a", "cache invalidation is hard"), thing("p/b", "tea is easy")], "cache", {}, ["a"]),
]


@pytest.mark.parametrize(("backend", "objects", "topic", "options", "expected"), CASES)
def test_each_ordering_puts_its_case_in_order(
    spaces: Spaces,
    backend: str,
    objects: Sequence[dict[str, Any]],
    topic: str,
    options: dict[str, Any],
    expected: list[str],
) -> None:
    space = spaces.space("s")
    for item in objects:
        space.remember_structured(item)
    bundle = space.recall_context(topic, options, backend=backend)
    assert [item.id for item in bundle.objects] == expected


def test_recency_decides_under_raptor_and_ends_after_thirty_days(spaces: Spaces, clock: FrozenClock) -> None:
    space = spaces.space("s")
    space.remember_structured(thing("p/old", "cache", relevance="medium"))
    clock.advance(days=20)
    space.remember_structured(thing("p/new", "cache", relevance="medium"))
    assert [item.id for item in space.recall_context("cache", backend="raptor").objects] == ["new", "old"]
    much_later = space.recall_context("cache", backend="raptor", now=clock.now() + 400 * DAY * 1000)
    assert [item.id for item in much_later.objects] == ["new", "old"]  # equal scores: the newest first


def test_pinned_objects_that_do_not_speak_of_the_topic_take_half_at_most(spaces: Spaces) -> None:
    space = spaces.space("s")
    for number in range(6):
        space.remember_structured(thing(f"p/pin{number}", pinned=True, relevance="high"))
        space.remember_structured(thing(f"p/hit{number}", "cache"))
    for backend in ORDERINGS:
        found = [item.id for item in space.recall_context("cache", limit=5, backend=backend).objects]
        assert sum(name.startswith("pin") for name in found) == 2, backend
        assert found[0].startswith("pin")


def test_an_unknown_backend_warns_and_is_basic(spaces: Spaces, caplog: pytest.LogCaptureFixture) -> None:
    space = spaces.space("s")
    space.remember_structured(thing("p/a", "cache"))
    bundle = space.recall_context("cache", {"backend": "nonsense"})
    assert bundle.backend == "basic"
    assert bundle.warnings == ("unknown backend 'nonsense': ordered by basic",)
    assert "falling back to basic" in caplog.text


def test_the_backend_is_chosen_by_store_then_handle_then_call(spaces: Spaces, memory: Memory) -> None:
    spaces.set_backend("raptor")
    spaces.space("s").remember_structured(thing("p/a", "cache"))
    assert spaces.space("s").recall_context("cache").backend == "raptor"
    handle = spaces_of(memory, backend="hybrid").space("s")
    assert handle.recall_context("cache").backend == "hybrid"
    assert handle.recall_context("cache", backend="patricia").backend == "patricia"


words = st.sampled_from(["cache", "tea", "engine", "wheel", "road", "ops"])
item = st.fixed_dictionaries(
    {
        "path": st.lists(words, min_size=1, max_size=3).map("/".join),
        "raw": st.lists(words, min_size=1).map(" ".join),
        "relevance": st.sampled_from(["high", "medium", "low"]),
        "pinned": st.booleans(),
        "tags": st.lists(words, max_size=2),
        "kind": st.sampled_from(["guide", "log"]),
    }
)


@settings(max_examples=25, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    items=st.lists(item, max_size=8, unique_by=lambda found: found["path"]),
    topic=st.lists(words, max_size=3),
    seed=st.integers(0, 99),
    limit=st.integers(1, 6),
)
def test_order_does_not_depend_on_insertion_and_leads_with_pinned_and_high(
    items: list[dict[str, Any]], topic: list[str], seed: int, limit: int
) -> None:
    orders: list[dict[str, list[str]]] = []
    for shuffle in (False, True):
        given_items = list(items)
        if shuffle:
            random.Random(seed).shuffle(given_items)
        with Memory.open(
            ":memory:", embedder=None, extractor=None, clock=FrozenClock(1_700_000_000_000)
        ) as memory:
            space = spaces_of(memory).space("s")
            for found in given_items:
                space.remember_structured(found, freeze_clock="2025-01-01T00:00:00Z")
            found_orders = {}
            for backend in LEXICAL:
                bundle = space.recall_context(" ".join(topic), limit=limit, backend=backend)
                leads = [one.pinned and one.relevance == "high" for one in bundle.objects]
                assert leads == sorted(leads, reverse=True)
                assert len(bundle.objects) <= limit
                found_orders[backend] = [one.path for one in bundle.objects]
            orders.append(found_orders)
    assert orders[0] == orders[1]


@settings(max_examples=20, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(repeats=st.integers(1, 300), tags=st.integers(0, 40))
def test_saying_a_word_more_often_never_passes_the_bound(repeats: int, tags: int) -> None:
    from longmind.base.times import AsOf
    from longmind.spaces.ordering import Question
    from longmind.spaces.space_index import SpaceIndexes

    with Memory.open(":memory:", embedder=None, extractor=None) as memory:
        space = spaces_of(memory).space("s")
        loud = thing(
            "cache/cache/cache",
            "cache " * repeats,
            micro="cache " * 9,
            relevance="high",
            pinned=True,
            tags=["cache", *(f"cache-{number}" for number in range(tags))],
        )
        space.remember_structured(loud)
        with memory.store.read() as snapshot:
            index = SpaceIndexes().at(snapshot, "s", AsOf.LATEST)
            question = Question("cache", ("cach",), 0, ("custom",), ("cache",), {"cache": 1.0})
            for ordering in ORDERINGS.values():
                assert float(ordering.score(index, question).score.max()) <= 20.0
