"""Users in facts, conversations, experience and project spaces."""

from __future__ import annotations

import pytest

from longmind import FrozenClock, InvalidInput, LongmindError, Memory, NotFound


def values(memory: Memory, subject: str, **options: object) -> list[str]:
    hits = memory.facts.about(subject, **options)  # type: ignore[arg-type]
    return [str(hit.fact.object) for hit in hits]


# Facts


def test_two_users_hold_different_values_of_one_statement(memory: Memory) -> None:
    memory.facts.define_predicate("lives_in", cardinality="one")
    memory.facts.record("user", "lives_in", "Porto", user="ana")
    memory.facts.record("user", "lives_in", "Rome", user="bob")
    assert values(memory, "user", user="ana") == ["Porto"]
    assert values(memory, "user", user="bob") == ["Rome"]
    assert values(memory, "user") == []
    [hit] = memory.facts.about("user", user="ana")
    assert (hit.space, hit.user) == ("default", "ana")
    with pytest.raises(NotFound):
        memory.facts.get(hit.fact_id, user="bob")
    assert memory.facts.history("user", user="bob").facts[0].fact.object != "Porto"


def test_a_users_value_stands_before_the_spaces_and_that_before_the_global_one(memory: Memory) -> None:
    for scope in ("global", "space"):
        memory.facts.define_predicate("answers_in", cardinality="one", scope=scope)  # type: ignore[arg-type]
    memory.facts.record("assistant", "answers_in", "English", scope="global")
    assert values(memory, "assistant", user="ana") == ["English"]
    memory.facts.record("assistant", "answers_in", "Portuguese")
    assert values(memory, "assistant", user="ana") == ["Portuguese"]
    memory.facts.record("assistant", "answers_in", "German", user="ana")
    assert values(memory, "assistant", user="ana") == ["German"]
    assert values(memory, "assistant", user="bob") == values(memory, "assistant") == ["Portuguese"]
    assert values(memory, "assistant", space="elsewhere", user="ana") == ["English"]
    [hit] = memory.facts.about("assistant", user="ana")
    assert hit.shadows_space
    assert hit.shadows_global
    assert not hit.shadowed
    everything = memory.facts.about("assistant", user="ana", shadowed=True)
    assert {(str(item.fact.object), item.shadowed) for item in everything} == {
        ("English", True), ("Portuguese", True), ("German", False),
    }  # fmt: skip
    assert [
        str(hits[0].fact.object) for hits in memory.facts.about_many(["assistant"], user="ana").values()
    ] == ["German"]


def test_a_users_predicate_behaves_as_the_space_declared_it(memory: Memory) -> None:
    memory.facts.define_predicate("plan", cardinality="one")
    memory.facts.record("user", "plan", "free", user="ana")
    memory.facts.record("user", "plan", "paid", user="ana")
    assert values(memory, "user", user="ana") == ["paid"]


def test_retracting_and_erasing_as_a_user_leaves_the_others_facts(memory: Memory) -> None:
    for user in (None, "ana", "bob"):
        memory.facts.record("tea", "is", "good", user=user)
    memory.facts.retract("tea", "is", user="ana")
    assert [bool(memory.facts.about("tea", user=user)) for user in ("ana", "bob")] == [
        True,
        True,
    ]  # the space's
    [shared] = memory.facts.about("tea", user="ana")
    assert shared.user is None
    memory.facts.erase("tea", user="bob")
    assert {hit.user for hit in memory.facts.about("tea", user="bob")} == {None}
    [own] = memory.facts.about("tea", user="ana")
    memory.facts.retract(own)
    assert not memory.facts.about("tea")


def test_evidence_of_a_users_fact_is_their_own(memory: Memory) -> None:
    [theirs] = memory.remember("bob said so", user="bob").ids
    with pytest.raises(NotFound) as refused:
        memory.facts.record("tea", "is", "good", evidence=[theirs], user="ana")
    assert "bob" not in str(refused.value)
    assert "@" not in str(refused.value)


def test_names_resolve_to_entities_that_the_user_sees(memory: Memory) -> None:
    memory.facts.upsert_entity("priya-nair", aliases=["Priya"], user="ana")
    assert [(item.space, item.user) for item in memory.facts.resolve("Priya", user="ana")] == [
        ("default", "ana")
    ]
    assert not memory.facts.resolve("Priya", user="bob")
    assert not memory.facts.resolve("Priya", near=True)


# Who asks


def test_the_first_person_of_a_question_is_who_asks(memory: Memory) -> None:
    memory.conversation("s").add_turn("user", "I live in Oslo.")
    memory.conversation("s", user="ana").add_turn("user", "My name is Ana and I live in Porto.")
    memory.conversation("s", user="bob").add_turn("user", "My name is Bob and I live in Rome.")
    for user, home, others in (("ana", "Porto", "Rome"), ("bob", "Rome", "Porto")):
        for question in ("Where do I live?", "What is my home town?", "Where are we living?"):
            text = memory.recall(question, user=user, recipe="facts").text
            assert f"lives in {home}" in text
            assert others not in text
            assert "lives in Oslo" not in text
        reasons = [hit.lanes for hit in memory.search("Where do I live?", user=user)]
        assert any("facts" in lanes for lanes in reasons)
    assert "Oslo" in memory.recall("Where do I live?").text


def test_a_user_may_ask_by_the_name_they_told(memory: Memory) -> None:
    memory.conversation("s", user="u-17").add_turn("user", "My name is Ana and I live in Porto.")
    assert "user lives in Porto" in memory.recall("Where does Ana live?", user="u-17", recipe="facts").text
    assert "Porto" not in memory.recall("Where does Ana live?", user="u-18").text


# Conversations


def test_memories_of_two_users_neither_merge_nor_conflict(memory: Memory) -> None:
    for user, home in (("ana", "Porto"), ("bob", "Rome")):
        memory.conversation("s", user=user).add_turn("user", f"I live in {home}. I like tea.")
    for user, home in (("ana", "Porto"), ("bob", "Rome")):
        contents = sorted(item.content for item in memory.memories.list(user=user))
        assert contents == ["User likes tea", f"User lives in {home}"]
        assert {item.user for item in memory.memories.list(user=user)} == {user}
        assert [frame.text for frame in memory.conversation("s", user=user).window()] == [
            f"I live in {home}. I like tea."
        ]
    assert not memory.memories.list()
    [first] = memory.memories.search("tea", user="ana", limit=1)
    for call in (
        lambda: memory.memories.get(first.id, user="bob"),
        lambda: memory.memories.update(first.id, content="x", user="bob"),
        lambda: memory.memories.forget(first.id),
        lambda: memory.memories.erase(first.id, user="bob"),
        lambda: memory.memories.why(first.id, user="bob"),
    ):
        with pytest.raises(NotFound):
            call()
    assert memory.memories.why(first.id, user="ana").links
    assert memory.memories.stats(user="ana").by_layer == {"mid": 2}
    assert (memory.memories.stats(user="ana").space, memory.memories.stats(user="ana").user) == (
        "default",
        "ana",
    )
    assert memory.memories.stats().turns == 0


def test_an_erased_memory_stays_suppressed_for_its_user_only(memory: Memory) -> None:
    for user in ("ana", "bob"):
        memory.conversation("s", user=user).add_turn("user", "I like tea.")
    [item] = memory.memories.list(user="ana")
    memory.memories.erase(item.id, user="ana", with_sources=True)
    for user in ("ana", "bob", "eve"):
        memory.conversation("t", user=user).add_turn("user", "I like tea.")
    assert not memory.memories.list(user="ana")
    assert len(memory.memories.list(user="bob")) == len(memory.memories.list(user="eve")) == 1


def test_a_sweep_takes_all_users_each_with_a_capacity_of_their_own(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.memories.configure({"mid.capacity": 2})
    for user in (None, "ana", "bob"):
        for number, thing in enumerate(("tea", "coffee", "milk", "juice")):
            memory.memories.remember(f"thing {number} is {thing}", user=user)
    dry = memory.memories.gc(clock.now(), dry_run=True)
    swept = memory.memories.gc(clock.now())
    assert swept.scored == dry.scored == 12
    assert [len(memory.memories.list(user=user, layer="mid")) for user in ("ana", "bob")] == [
        4,
        4,
    ]  # + shared
    assert len([item for item in memory.memories.list(user="ana") if item.user == "ana"]) == 2
    assert len(memory.memories.list()) == 2


def test_a_session_of_one_name_is_another_for_each_user(memory: Memory) -> None:
    memory.conversation("daily").add_turn("user", "The shared one.")
    memory.conversation("daily", user="ana").add_turn("user", "The one of Ana.")
    assert [turn.text for turn in memory.conversation("daily", user="ana").window()] == ["The one of Ana."]
    lanes = {"name": "last", "lanes": [{"kind": "recent", "share": 1.0}]}
    recalled = memory.recall("zebra", user="ana", session="daily", recipe=lanes).text
    assert "The one of Ana." in recalled
    assert "The shared one." not in recalled


# Experience


def test_experience_of_a_user_is_their_own(memory: Memory) -> None:
    shared = memory.experience.problem("the import fails", evidence="none")
    own = memory.experience.problem("my build fails", evidence="none", user="ana")
    fix = memory.experience.solution("clear the cache", evidence="none", problem=own, user="ana")
    assert (fix.record.repo, fix.user) == ("default", "ana")
    assert [item.text for item in memory.experience.list(user="ana")] == [
        "the import fails", "my build fails", "clear the cache",
    ]  # fmt: skip
    assert [item.text for item in memory.experience.list(user="bob")] == ["the import fails"]
    assert "clear the cache" in memory.experience.brief("my build fails", user="ana").text
    assert "cache" not in memory.experience.brief("my build fails", user="bob").text
    with pytest.raises(NotFound):
        memory.experience.get(own.id, user="bob")
    with pytest.raises(NotFound):
        memory.experience.revise(shared.id, "other words", user="ana")
    with pytest.raises(LongmindError) as refused:
        memory.experience.link_attempt(shared.id, fix.id)
    assert "@" not in str(refused.value)
    assert "ana" not in str(refused.value)
    assert memory.experience.vote(fix, own, 1.0).vote == 1.0
    assert memory.experience.archive(own, "done").user == "ana"
    brief = memory.experience.brief("my build fails", user="ana")
    assert memory.experience.replay(brief.receipt)


# Project spaces


def test_objects_of_a_user_are_recalled_beside_the_shared_ones(memory: Memory) -> None:
    shop, anas, bobs = (
        memory.space("shop"),
        memory.space("shop", user="ana"),
        memory.space("shop", user="bob"),
    )
    shop.remember_structured({"path": "guides/release", "raw": "Release on Fridays."})
    anas.remember_structured({"path": "notes/release", "raw": "I release with a checklist."})
    assert [item.path for item in anas.list()] == ["guides/release", "notes/release"]
    assert [item.path for item in bobs.list()] == [item.path for item in shop.list()] == ["guides/release"]
    bundle = anas.recall_context("release")
    assert {item.user for item in bundle.objects} == {None, "ana"}
    assert (bundle.space, bundle.to_dict()["user"]) == ("shop", "ana")
    assert {item.user for item in bobs.recall_context("release").objects} == {None}
    assert anas.get("notes/release").user == "ana"
    with pytest.raises(NotFound) as missing:
        bobs.get("notes/release")
    assert "@" not in str(missing.value)
    used = anas.use_context("release")
    assert "checklist" in used.text
    assert memory.replay(used.receipt)
    with pytest.raises(InvalidInput):
        bobs.replay(used.receipt)
    assert [item.name for item in memory.spaces.list()] == ["shop"]


def test_a_users_object_stands_before_a_shared_one_with_its_id_and_gives_way_again(memory: Memory) -> None:
    shop, anas = memory.space("shop"), memory.space("shop", user="ana")
    shop.remember_structured({"id": "plan", "path": "plan", "raw": "The shared plan about tea."})
    assert [item.raw for item in anas.recall_context("tea").objects] == ["The shared plan about tea."]
    anas.remember_structured({"id": "plan", "path": "plan", "raw": "A plan of my own about tea."})
    assert [item.raw for item in anas.recall_context("tea").objects] == ["A plan of my own about tea."]
    shop.remember_structured({"id": "plan", "path": "plan", "raw": "The shared plan, changed, about tea."})
    assert anas.get("plan").raw == "A plan of my own about tea."
    assert [item.raw for item in anas.recall_context("tea").objects] == ["A plan of my own about tea."]
    anas.forget("plan")
    assert [item.raw for item in anas.recall_context("tea").objects] == [
        "The shared plan, changed, about tea."
    ]
    with pytest.raises(NotFound):
        anas.forget("plan")


def test_the_rules_of_a_space_hold_for_its_users(memory: Memory, clock: FrozenClock) -> None:
    shop, anas = memory.space("shop"), memory.space("shop", user="ana")
    shop.set_policy({"pii_redaction": ["email"], "ttl_days": 1, "allow_delete": True})
    done = anas.remember_structured({"path": "contact", "raw": "Write to ana.silva@example.org."})
    assert "ana.silva@example.org" not in done.object.raw
    assert anas.policy == shop.policy
    clock.advance(days=3)
    report = memory.spaces.gc("shop", now=clock.now())
    assert report.purged == 1
    assert not anas.list()
    assert memory.verify(deep=True)


def test_deleting_a_space_takes_its_users(memory: Memory) -> None:
    memory.space("shop").set_policy({"allow_delete": True})
    memory.space("shop", user="ana").remember_structured({"path": "a", "raw": "a note"})
    memory.remember("ana's", space="shop", user="ana")
    memory.facts.record("tea", "is", "good", space="shop", user="bob")
    memory.remember("kept", user="ana")
    memory.spaces.delete("shop")
    assert [(item.user, item.spaces) for item in memory.users()] == [("ana", ("default",))]
    assert memory.verify(deep=True)


def test_statistics_count_users_with_their_space_and_do_not_name_them(memory: Memory) -> None:
    memory.remember("a", space="shop")
    memory.remember("b", space="shop", user="ana")
    assert memory.stats().by_space == {"shop": 2}
    assert "ana" not in repr(memory.stats().by_space)
