"""Users in one store, interleaved at random: each reads what a store of their own would say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import AsOf, FrozenClock, Memory

START = 1_700_000_000_000
USERS = (None, "ana", "Ana@x", "bob")
SAYINGS = (
    "I live in Porto.", "I live in Rome.", "I moved to Oslo.", "I like tea.", "I hate tea.",
    "I work at Acme.",
    "My name is Sam.", "I don't like tea.", "My sister Eva lives in Rome.", "I no longer work at Acme.",
)  # fmt: skip
THINGS = ("tea", "Porto", "office", "server")

Step = tuple[str, str | None, int]
STEPS = st.tuples(
    st.sampled_from(["turn", "remember", "record", "retract", "forget", "memory", "object", "problem", "gc"]),
    st.sampled_from(USERS),
    st.integers(0, 9),
)


def act(memory: Memory, step: Step) -> None:
    """One thing that a user does; what is not there to be changed is left."""
    kind, user, number = step
    saying, thing = SAYINGS[number % len(SAYINGS)], THINGS[number % len(THINGS)]
    if kind == "turn":
        memory.conversation(f"s{number % 2}", user=user).add_turn("user", saying)
    elif kind == "remember":
        memory.remember(f"The {thing} is number {number % 3}.", tags=[thing], user=user)
    elif kind == "record":
        memory.facts.record(thing, "color", f"color {number}", user=user)
    elif kind == "retract":
        memory.facts.retract(thing, "color", user=user)
    elif kind == "forget":
        memory.forget(where={"tags": [thing]}, user=user)
    elif kind == "memory":
        memory.memories.remember(f"{thing} matters {number % 2}", user=user)
    elif kind == "object":
        raw = {"path": f"notes/{thing}", "raw": f"{thing} note {number}"}
        memory.space("shop", user=user).remember_structured(raw)
    elif kind == "problem":
        memory.experience.problem(f"{thing} is broken {number}", evidence="none", user=user)
    else:
        memory.memories.gc(memory.store.clock.now(), user=user)


def play(memory: Memory, clock: FrozenClock, steps: list[Step], *, only: tuple[str | None, ...]) -> None:
    memory.facts.define_predicate("color", cardinality="one")
    for step in steps:
        clock.advance(seconds=60)
        if step[1] in only:
            act(memory, step)


def read(memory: Memory, user: str | None, moment: int) -> dict[str, Any]:
    """Everything that a user may read, without the numbers that rows have."""
    spaces, then = ["default", "shop"], AsOf(system=moment, valid=moment)

    def frame(item: Any) -> tuple[Any, ...]:
        retired = None if item.retired_at is None else item.retired_at - item.recorded_at
        return item.text, item.kind, item.space, item.user, item.session, item.tags, item.occurred_at, retired

    questions = ("Where do I live?", "tea", "What is the office like?", "Does Sam like tea?")
    return {
        "list": [frame(item) for item in memory.list(space=spaces, user=user, limit=1000)],
        "then": [frame(item) for item in memory.list(space=spaces, user=user, limit=1000, as_of=then)],
        "timeline": [frame(item) for item in memory.timeline(space=spaces, user=user, limit=1000)],
        "facts": {
            subject: [
                (str(hit.fact), hit.user, hit.shadows_space, hit.valid_from, hit.valid_to) for hit in hits
            ]
            for subject, hits in memory.facts.about_many(["user", *THINGS], user=user).items()
        },
        "history": [(str(hit.fact), hit.user, hit.reason) for hit in memory.facts.history("user", user=user)],
        "memories": [
            (item.content, item.status, item.layer, item.score, item.user)
            for item in memory.memories.list(user=user, status=None, sort="created")
        ],
        "records": [(item.text, item.user) for item in memory.experience.list(user=user)],
        "objects": [(item.path, item.raw, item.user) for item in memory.space("shop", user=user).list()],
        "bundle": [item.raw for item in memory.space("shop", user=user).recall_context("tea note").objects],
        "found": {
            # Not in which order: how rare a word is depends on the whole store.
            text: sorted(
                (hit.frame.text, sorted(hit.lanes)) for hit in memory.search(text, user=user, limit=200)
            )
            for text in questions
        },
        "recalled": {
            text: sorted(
                re.sub(r"frame \d+|id=\w+", "", line)
                for line in memory.recall(text, user=user, budget=4000, recipe="facts").text.splitlines()
            )
            for text in questions
        },
        "windows": [frame(item) for item in memory.conversation("s0", user=user).window()],
    }


def check(
    open_store: Callable[[], Memory],
    clock: FrozenClock,
    steps: list[Step],
    readers: tuple[str | None, ...] = ("ana",),
) -> None:
    middle = START + 60_000 * (len(steps) // 2) + 1
    clock.set(START)
    with open_store() as together:
        play(together, clock, steps, only=USERS)
        for user in readers:
            clock.set(START)
            with open_store() as alone:
                play(alone, clock, steps, only=(None, user))
                assert read(together, user, middle) == read(alone, user, middle)
        assert together.verify(deep=True)


@settings(max_examples=4)
@given(st.lists(STEPS, min_size=4, max_size=12))
def test_each_user_reads_what_a_store_of_their_own_would_say(steps: list[Step]) -> None:
    clock = FrozenClock(START)
    check(lambda: Memory.open(":memory:", embedder=None, clock=clock), clock, steps)


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
def test_a_long_run_of_users_interleaved_is_the_same_on_both_engines(
    engine: str, new_location: Callable[[str], str]
) -> None:
    chance, clock = random.Random(7), FrozenClock(START)
    kinds = ["turn"] * 4 + ["remember", "record", "retract", "forget", "memory", "object", "problem", "gc"]
    steps = [(chance.choice(kinds), chance.choice(USERS), chance.randrange(10)) for _ in range(16)]
    check(lambda: Memory.open(new_location(engine), embedder=None, clock=clock), clock, steps)


@pytest.mark.soak
@settings(max_examples=400)
@given(st.lists(STEPS, min_size=10, max_size=60))
def test_each_user_reads_what_a_store_of_their_own_would_say_in_many_runs(steps: list[Step]) -> None:
    clock = FrozenClock(START)
    check(lambda: Memory.open(":memory:", embedder=None, clock=clock), clock, steps, USERS)
