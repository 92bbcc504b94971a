"""A memory that states something and the ledger's fact are one: what is done to one is done to both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind import AsOf, FrozenClock, Memory
from longmind.base.times import FOREVER
from longmind.cli.app import run as longmind
from longmind.conversation.memories import Memories
from longmind.http.app import create_app
from longmind.testing import ScriptedModel
from tests.conftest import START
from tests.conversation.conftest import attach

DAY = 86_400_000


def held(memory: Memory, predicate: str | None = None, subject: str = "user") -> set[str]:
    """The values that the ledger holds of somebody."""
    return {str(hit.fact.object) for hit in memory.facts.about(subject, predicate=predicate)}


def cards(memory: Memory, question: str) -> str:
    """The cards of a recall: facts in words, without what turns and memories say."""
    items = memory.recall(question, budget=400).items
    return "\n".join(item.text for item in items if item.tier == "card")


def remembered(memory: Memory) -> set[str]:
    return {item.content for item in memory.memories.list(limit=50)}


def tell(memory: Memory, text: str) -> int:
    """Say something that makes one memory; its id."""
    [told] = memory.conversation("s").add_turn("user", text).extracted
    assert told.id is not None
    return told.id


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        ("I live in Porto. No, sorry, Braga.", "Porto", "Braga"),
        ("My niece is called Marta. Wait, Marla, with an l.", "Marta", "Marla"),
    ],
)
def test_a_turn_that_corrects_itself_leaves_no_memory_of_what_it_corrected(
    memory: Memory, text: str, wrong: str, right: str
) -> None:
    memory.conversation("s").add_turn("user", text)
    assert right in held(memory)
    assert wrong not in held(memory)
    assert not any(wrong in item.content for item in memory.memories.list(limit=10))


# From a memory to the ledger


def test_rewording_a_memory_corrects_the_ledger_for_its_whole_period(
    memory: Memory, clock: FrozenClock
) -> None:
    number = tell(memory, "I live in Porto.")
    clock.advance(days=3)
    memory.memories.update(number, content="User lives in Lisbon")
    [hit] = memory.facts.about("user", predicate="lives_in")
    assert (str(hit.fact.object), hit.valid_from) == ("Lisbon", START)
    assert "Lisbon" in cards(memory, "Where do I live?")
    assert "Porto" not in cards(memory, "Where do I live?")


def test_an_archived_memory_is_over_and_a_forgotten_one_was_never_so(
    memory: Memory, clock: FrozenClock
) -> None:
    likes, speaks = tell(memory, "I love climbing."), tell(memory, "I speak Dutch.")
    clock.advance(days=1)
    memory.memories.update(likes, status="archived")
    memory.memories.forget(speaks)
    assert held(memory) == set()
    before = memory.facts.about("user", as_of=AsOf(system=FOREVER, valid=START + 1))
    assert {str(hit.fact.object): hit.valid_to for hit in before} == {"climbing": START + DAY}


def test_forgetting_or_erasing_the_frame_of_a_memory_acts_on_the_ledger(memory: Memory) -> None:
    first, second = tell(memory, "I speak Dutch."), tell(memory, "I speak Twi.")
    memory.forget(memory.memories.get(first).frame_id)
    assert held(memory) == {"Twi"}
    memory.erase(memory.memories.get(second).frame_id)
    assert held(memory) == set()
    assert "Twi" not in str(memory.facts.assertions("user"))


def test_what_was_erased_is_read_by_neither_until_it_is_remembered_on_purpose(memory: Memory) -> None:
    number = tell(memory, "I love climbing.")
    memory.memories.erase(number)
    assert held(memory) == set()
    again = memory.conversation("s").add_turn("user", "I love climbing.").extracted
    assert [item.action for item in again] == ["suppressed"]
    assert held(memory) == set()
    memory.memories.remember("User likes climbing")
    assert held(memory) == {"climbing"}
    memory.conversation("s").add_turn("user", "I adore climbing.")
    assert held(memory) == {"climbing"}


def test_a_note_on_purpose_lifts_the_suppression_of_the_ledger(memory: Memory) -> None:
    memory.memories.erase(tell(memory, "I speak Dutch."))
    memory.conversation("s").add_turn("user", "I speak Dutch.")
    assert held(memory, "speaks") == set()
    memory.remember("I speak Dutch.")
    assert held(memory, "speaks") == {"Dutch"}


def test_what_is_recorded_on_purpose_is_held_though_it_was_erased(memory: Memory) -> None:
    memory.memories.erase(tell(memory, "I speak Dutch."))
    memory.facts.record("user", "speaks", "Dutch")
    assert held(memory, "speaks") == {"Dutch"}


def test_a_memory_that_somebody_words_is_in_the_ledger(memory: Memory, clock: FrozenClock) -> None:
    item = memory.memories.remember("User lives in Porto")
    assert held(memory, "lives_in") == {"Porto"}
    clock.advance(days=1)
    memory.conversation("s").add_turn("user", "I live in Rome now.")
    assert held(memory, "lives_in") == {"Rome"}
    assert memory.memories.get(item.id).status == "archived"
    before = memory.facts.about("user", as_of=AsOf(system=FOREVER, valid=START + 1))
    assert [str(hit.fact.object) for hit in before] == ["Porto"]


def test_what_is_put_away_and_brought_back_is_held_again(memory: Memory, clock: FrozenClock) -> None:
    number = tell(memory, "I live in Porto.")
    memory.memories.update(number, status="archived")
    assert held(memory, "lives_in") == set()
    clock.advance(days=1)
    memory.memories.update(number, status="active")
    assert held(memory, "lives_in") == {"Porto"}


# From the ledger to memories


@pytest.mark.parametrize("how", ["record", "retract", "end", "correct", "replace"])
def test_what_the_ledger_holds_no_longer_is_not_remembered(
    memory: Memory, clock: FrozenClock, how: str
) -> None:
    number = tell(memory, "I live in Porto.")
    clock.advance(days=1)
    if how in ("retract", "end"):
        getattr(memory.facts, how)("user", "lives_in")
    else:
        getattr(memory.facts, how)("user", "lives_in", "Rome")
    assert memory.memories.get(number).status == "archived"
    assert "Porto" not in {item.content for item in memory.memories.list()}


def test_a_memory_comes_back_with_what_it_says(memory: Memory, clock: FrozenClock) -> None:
    number = tell(memory, "I live in Porto.")
    clock.advance(days=1)
    turn = memory.conversation("s").add_turn("user", "I live in Rome.").turn_id
    assert memory.memories.get(number).status == "archived"
    memory.forget(turn)
    assert held(memory, "lives_in") == {"Porto"}
    assert memory.memories.get(number).status == "active"
    assert [item.content for item in memory.memories.list()] == ["User lives in Porto"]


def test_a_memory_of_a_user_comes_back_when_it_is_so_again(memory: Memory, clock: FrozenClock) -> None:
    talk = memory.conversation("s", user="bo")
    for text in ("I live in Porto.", "I no longer live in Porto.", "I live in Porto."):
        clock.advance(days=1)
        talk.add_turn("user", text)
    assert [item.content for item in memory.memories.list(user="bo")] == ["User lives in Porto"]
    assert list(memory.memories.list()) == []


def test_erasing_facts_erases_the_memories_that_word_them(memory: Memory) -> None:
    tell(memory, "I live in Porto.")
    tell(memory, "I speak Dutch.")
    memory.facts.erase("user", "lives_in")
    assert [item.content for item in memory.memories.list(status=None)] == ["User speaks Dutch"]
    assert [frame.text for frame in memory.list() if frame.kind == "memory"] == ["User speaks Dutch"]
    memory.conversation("s").add_turn("user", "I live in Porto.")
    assert held(memory, "lives_in") == set()
    assert memory.verify(deep=True)


def test_merging_two_names_puts_away_what_only_one_of_them_said_and_splitting_brings_it_back(
    memory: Memory, clock: FrozenClock
) -> None:
    talk = memory.conversation("s")
    [first] = talk.add_turn("user", "Priya lives in Porto.").extracted
    clock.advance(days=1)
    [second] = talk.add_turn("user", "Rosalind lives in Rome.").extracted
    assert first.id is not None
    assert second.id is not None
    memory.facts.merge("Rosalind", "Priya")
    assert memory.memories.get(first.id).status == "archived"
    assert memory.memories.get(second.id).status == "active"
    memory.facts.split("Priya")
    assert memory.memories.get(first.id).status == "active"


def test_an_older_value_told_later_does_not_put_the_current_memory_away(
    memory: Memory, clock: FrozenClock
) -> None:
    number = tell(memory, "I work at Acme.")
    clock.advance(days=1)
    memory.conversation("s").add_turn("user", "I worked at Globex from 2010 to 2015.")
    assert "Acme" in held(memory, "works_at")
    assert memory.memories.get(number).status == "active"


def test_what_is_dated_before_what_is_held_does_not_become_a_memory(
    memory: Memory, clock: FrozenClock
) -> None:
    number = tell(memory, "I live in Rome.")
    clock.advance(days=1)
    told = memory.conversation("s").add_turn("user", "I have lived in Porto since 2015.")
    assert held(memory, "lives_in") == {"Rome"}
    assert [item.action for item in told.extracted] == ["past"]
    assert memory.memories.get(number).status == "active"


# Language models


def test_what_a_model_reads_is_in_the_ledger_and_what_it_archives_is_over(
    memory: Memory, clock: FrozenClock
) -> None:
    model = ScriptedModel(
        [
            [{"content": "User likes tea", "importance": 1, "tags": ["drinks"], "action": "create"}],
            [{"content": "User likes tea", "action": "archive"}, {"content": "User likes coffee"}],
        ]
    )
    memories = attach(memory, model=model)
    memories.configure({"extractor.mode": "llm"})
    memories.conversation("s").add_turn("user", "A cup of the green stuff makes my day. I live in Porto.")
    assert held(memory) == {"tea"}  # the rules do not read beside a model that reads alone
    [stated] = memory.facts.assertions("user", predicate="likes")
    assert [piece.extractor for piece in stated.evidence] == ["llm"]
    clock.advance(days=1)
    memories.conversation("s").add_turn("user", "I've gone off it, coffee for me.")
    assert held(memory) == {"coffee"}
    assert [item.content for item in memories.list()] == ["User likes coffee"]


def test_the_importance_and_tags_of_a_model_survive_beside_the_rules(memory: Memory) -> None:
    model = ScriptedModel([[{"content": "User likes climbing", "importance": 1, "tags": ["sport"]}]])
    memories = attach(memory, model=model)
    memories.conversation("s").add_turn("user", "I love climbing.")
    [item] = memories.list()
    assert item.importance == 1
    assert "sport" in item.tags
    assert held(memory) == {"climbing"}


def test_tags_of_a_model_reach_a_memory_that_is_seen_again(memory: Memory) -> None:
    model = ScriptedModel([[], [{"content": "User likes climbing", "importance": 1, "tags": ["sport"]}]])
    memories = attach(memory, model=model)
    memories.conversation("s").add_turn("user", "I love climbing.")
    memories.conversation("s").add_turn("user", "I love climbing.")
    [item] = memories.list()
    assert (item.hits, item.importance, "sport" in item.tags) == (1, 1, True)


# Importance


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to peanuts.",
        "My name is Ana.",
        "My sister is called Rita.",
        "Always answer in German.",
        "My birthday is on 4 May.",
    ],
)
def test_what_is_important_by_rule_survives_two_years_without_being_said_again(
    memory: Memory, clock: FrozenClock, text: str
) -> None:
    talk = memory.conversation("s")
    told = [item.id for item in talk.add_turn("user", text).extracted]
    assert told
    talk.add_turn("user", "I like jazz.")
    for _ in range(24):
        clock.advance(days=31)
        memory.maintain()
        memory.memories.gc(now=clock.now())
    active = {item.id for item in memory.memories.list()}
    assert set(told) <= active
    assert "User likes jazz" not in {item.content for item in memory.memories.list()}


def test_important_memories_fade_where_the_settings_say_so(memory: Memory, clock: FrozenClock) -> None:
    memory.memories.configure({"mid.keep_important": False})
    tell(memory, "I'm allergic to peanuts.")
    clock.advance(days=60)
    memory.memories.gc(now=clock.now())
    assert list(memory.memories.list()) == []


# Recall


def test_a_turn_and_the_memory_made_of_it_are_not_both_recalled(memory: Memory) -> None:
    talk = memory.conversation("s")
    talk.add_turn("user", "I live in Porto.")
    talk.add_turn("assistant", "Porto is lovely in spring.")
    text = memory.recall("Where do I live?", budget=400).text
    assert "I live in Porto." in text
    assert "User lives in Porto" not in text


def test_a_memory_is_recalled_where_its_turn_has_no_room(memory: Memory) -> None:
    filler = " ".join(f"The weather on day {day} was nothing to write home about." for day in range(60))
    memory.conversation("s").add_turn("user", f"{filler} I live in Porto. {filler}")
    text = memory.recall("Where do I live?", budget=400).text
    assert "Porto" in text


# All interfaces


def _command(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        longmind([*words, "--json"])
    written = capsys.readouterr()
    assert not ended.value.code, written
    return json.loads(written.out)


def test_the_command_line_acts_on_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ("--store", str(tmp_path / "m.mind"))
    _command(capsys, "turns", "add", "s", "user", "I live in Porto.", *at)
    _command(capsys, "memories", "update", "1", "--content", "User lives in Lisbon", *at)
    [fact] = _command(capsys, "facts", "about", "user", *at)["facts"]
    assert "Lisbon" in json.dumps(fact)
    _command(capsys, "facts", "retract", "user", "lives_in", *at)
    assert _command(capsys, "memories", "list", *at)["items"] == []


def test_http_acts_on_both(memory: Memory) -> None:
    client = TestClient(create_app(memory), base_url="http://127.0.0.1")
    client.post("/v1/turns/add", json={"session": "s", "role": "user", "text": "I live in Porto."})
    assert held(memory) == {"Porto"}
    assert client.post("/v1/memories/forget", json={"memory_id": 1}).status_code == 200
    assert client.post("/v1/facts/about", json={"subject": "user"}).json()["facts"] == []


# Any order of operations

TOWNS = ("Porto", "Rome", "Oslo")
THINGS = ("jazz", "tea")
USERS = (None, "auth0|5f7c")
step = st.one_of(
    st.tuples(st.just("live"), st.sampled_from(TOWNS)),
    st.tuples(st.just("like"), st.sampled_from(THINGS)),
    st.tuples(st.just("hate"), st.sampled_from(THINGS)),
    st.tuples(st.just("remember"), st.sampled_from(TOWNS)),
    st.tuples(st.just("record"), st.sampled_from(TOWNS)),
    st.tuples(st.sampled_from(("retract", "end", "erase facts")), st.sampled_from(("lives_in", "likes"))),
    st.tuples(
        st.sampled_from(("reword", "archive", "activate", "forget", "erase", "forget turn", "erase turn")),
        st.integers(0, 5),
    ),
    st.tuples(st.just("clock"), st.integers(-2, 20)),
)


def _apply(memory: Memory, clock: FrozenClock, turns: list[int], action: str, given: Any) -> None:
    talk, memories = memory.conversation("s"), memory.memories
    if action in ("live", "like", "hate"):
        said = {"live": f"I live in {given}.", "like": f"I love {given}.", "hate": f"I hate {given}."}
        turns.append(talk.add_turn("user", said[action]).turn_id)
    elif action == "remember":
        memories.remember(f"User lives in {given}")
    elif action == "record":
        memory.facts.record("user", "lives_in", given)
    elif action == "erase facts":
        memory.facts.erase("user", given)
    elif action in ("retract", "end"):
        getattr(memory.facts, action)("user", given)
    elif action == "clock":
        clock.advance(days=given)
    elif action.endswith("turn"):
        if turns:
            getattr(memory, action.split()[0])(turns.pop(given % len(turns)))
    else:
        known = sorted(memories.list(status=None), key=lambda item: item.id)
        if known:
            _change(memories, known[given % len(known)].id, known[given % len(known)].status, action)


def _change(memories: Memories, number: int, status: str, action: str) -> None:
    if action == "reword":
        if status == "active":
            memories.update(number, content="User lives in Oslo")
    elif action in ("archive", "activate"):
        memories.update(number, status="archived" if action == "archive" else "active")
    else:
        getattr(memories, action)(number)


def _check_agreement(memory: Memory) -> None:
    """What is remembered is held, what is held and was told is remembered, and cards say what is held."""
    believed = {
        ("lives_in" if str(hit.fact.predicate) == "lives_in" else "attitude", str(hit.fact.object)): hit
        for hit in memory.facts.about("user")
        if hit.valid_to is None
    }
    remembered = list(memory.memories.list())
    for item in remembered:
        key = ("lives_in" if item.slot == "lives_in" else "attitude", str(item.value))
        assert key in believed, (item.content, believed.keys())
    homes = [item.content for item in remembered if item.slot == "lives_in"]
    assert len(homes) == len(set(homes)) <= 1
    for town in TOWNS:
        shown = f"lives in {town}" in cards(memory, "Where do I live?")
        assert shown == (("lives_in", town) in believed)


def _problems_after(location: str, steps: list[tuple[str, Any]], user: str | None) -> list[str]:
    """Compare ledger, memories and cards after every step, then say what is wrong with the store."""
    clock = FrozenClock(START)
    with Memory.open(location, clock=clock, embedder=None, user=user) as memory:
        turns: list[int] = []
        for action, given in steps:
            _apply(memory, clock, turns, action, given)
            _check_agreement(memory)
        return [problem.detail for problem in memory.verify(deep=True).problems]


@settings(max_examples=25)
@given(st.lists(step, min_size=1, max_size=7), st.sampled_from(USERS))
def test_ledger_memories_and_cards_agree_after_any_operations(
    steps: list[tuple[str, Any]], user: str | None
) -> None:
    assert _problems_after(":memory:", steps, user) == []


@pytest.mark.soak
@settings(max_examples=600)
@given(st.lists(step, min_size=1, max_size=16), st.sampled_from(USERS))
def test_ledger_memories_and_cards_agree_after_long_runs(
    steps: list[tuple[str, Any]], user: str | None
) -> None:
    assert _problems_after(":memory:", steps, user) == []


@pytest.mark.parametrize("user", USERS)
def test_a_long_run_agrees_on_both_engines(location: str, user: str | None) -> None:
    steps: list[tuple[str, Any]] = [
        ("live", "Porto"), ("like", "jazz"), ("clock", 1), ("live", "Rome"), ("hate", "jazz"),
        ("reword", 0), ("record", "Porto"), ("clock", -2), ("live", "Oslo"), ("forget turn", 2),
        ("archive", 1), ("remember", "Rome"), ("erase", 0), ("live", "Porto"), ("activate", 1),
        ("erase turn", 1), ("end", "lives_in"), ("like", "tea"), ("erase facts", "likes"), ("live", "Rome"),
    ]  # fmt: skip
    assert _problems_after(location, steps, user) == []


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        (
            "I dislike wearing clothes with any kind of animal print.",
            "I don't wear any clothing or accessories made from animal products.",
            "dislikes",
        ),
        (
            "I prefer to avoid consuming caffeine in any form.",
            "I do not consume caffeine in any form, including coffee and tea.",
            "prefers",
        ),
    ],
)
def test_a_denial_of_the_same_words_ends_no_dislike(memory: Memory, first: str, then: str, kept: str) -> None:
    with memory:
        talk = memory.conversation("talk")
        talk.add_turn("user", first)
        before = remembered(memory)
        assert before
        talk.add_turn("user", then)
        assert memory.facts.about("user", predicate=kept), "the ledger holds it"
        assert before <= remembered(memory)


@pytest.mark.parametrize(
    ("first", "then", "gone"),
    [
        ("I own a Petrel.", "I sold the Petrel.", "Petrel"),
        ("I love climbing.", "I don't like climbing anymore.", "climbing"),
        ("I use Postgres.", "I no longer use Postgres.", "Postgres"),
    ],
)
def test_what_the_ledger_holds_no_longer_is_put_away(
    tmp_path: Path, first: str, then: str, gone: str
) -> None:
    with Memory.open(tmp_path / "held.mind", embedder=None) as memory:
        talk = memory.conversation("talk")
        talk.add_turn("user", first)
        before = {content for content in remembered(memory) if gone in content}
        assert before
        talk.add_turn("user", then)
        assert not before & remembered(memory)


# From the ledger to a memory, where most of what is recorded is of people no memory tells of


def record_of_others(memory: Memory, name: str, count: int = 6) -> None:
    for number in range(count):
        memory.facts.record(f"{name} {number}", "lives_in", f"Town {number}")


def test_a_memory_follows_what_is_recorded_after_many_facts_of_others(
    memory: Memory, clock: FrozenClock
) -> None:
    tell(memory, "I live in Porto.")
    record_of_others(memory, "colleague")
    clock.advance(days=1)
    memory.facts.record("user", "lives_in", "Lisbon")
    assert not any("Porto" in content for content in remembered(memory))
    record_of_others(memory, "neighbour")
    clock.advance(days=1)
    memory.conversation("s").add_turn("user", "My sister Rita lives in Faro.")
    assert any("Faro" in content for content in remembered(memory))
    record_of_others(memory, "cousin")
    clock.advance(days=1)
    memory.facts.record("Rita", "lives_in", "Beja")
    assert not any("Faro" in content for content in remembered(memory))


def test_a_memory_that_another_process_made_follows_what_is_recorded_here(
    memory: Memory, location: str, clock: FrozenClock
) -> None:
    if location == ":memory:":
        pytest.skip("nobody else sees a store in memory")
    tell(memory, "I live in Porto.")
    record_of_others(memory, "colleague")
    clock.advance(days=1)
    with Memory.open(location, clock=clock, embedder=None) as other:
        other.conversation("s").add_turn("user", "My sister Rita lives in Faro.")
    assert any("Faro" in content for content in remembered(memory))
    memory.facts.record("Rita", "lives_in", "Beja")
    assert not any("Faro" in content for content in remembered(memory))


def test_a_memory_follows_where_a_ledger_has_more_than_are_listed(
    memory: Memory, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longmind.conversation.following._MOST_LISTED", 1)
    for text in ("I live in Porto.", "I love climbing.", "I speak Dutch."):
        tell(memory, text)
    record_of_others(memory, "colleague")
    clock.advance(days=1)
    memory.facts.record("user", "lives_in", "Lisbon")
    assert not any("Porto" in content for content in remembered(memory))
