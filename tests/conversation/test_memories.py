"""Remembering, changing, forgetting, erasing, explaining; what follows when frames go."""

from __future__ import annotations

import math

import pytest

from longmind import AsOf, Conflict, FrozenClock, InvalidInput, Memory, NotFound
from longmind.conversation.memories import Memories
from longmind.conversation.scoring import DAY_MS
from longmind.testing import ScriptedModel
from tests.conversation.conftest import attach


def test_a_text_remembered_twice_is_one_memory_seen_again(memories: Memories, clock: FrozenClock) -> None:
    first = memories.remember("The printer is on the third floor", tags=["office"])
    clock.advance(days=1)
    again = memories.remember("the printer is on the THIRD floor!", importance=1, tags=["print"])
    assert (again.id, again.hits, again.last_seen_at) == (first.id, 1, clock.now())
    assert (again.importance, again.tags) == (1, ("office", "print"))


def test_likeness_counts_from_the_threshold_on(memories: Memories) -> None:
    base = memories.remember("alpha beta gamma delta")
    assert memories.remember("alpha beta gamma epsilon").id == base.id  # 3 of 5 words: 0.6
    assert memories.remember("alpha beta zeta eta").id != base.id  # 2 of 6
    memories.configure({"dedupe.threshold": 0.61})
    assert memories.remember("alpha beta gamma theta").id != base.id


def test_a_promoted_memory_is_not_created_anew(memories: Memories, clock: FrozenClock) -> None:
    talk = memories.conversation("s")
    for _ in range(4):
        talk.add_turn("user", "I like tea")
    memories.gc(clock.now())
    found = talk.add_turn("user", "I like tea").extracted
    assert [(item.action, item.id) for item in found] == [("seen", 1)]
    assert memories.get(1).layer == "long"
    assert len(memories.list(status=None)) == 1


def test_values_of_one_slot_are_not_taken_for_each_other(memories: Memories) -> None:
    talk = memories.conversation("s")
    talk.add_turn("user", "My sister is Eva")
    talk.add_turn("user", "My sister is Ida")
    talk.add_turn("user", "My dog is Rex and my cat is Rex")
    contents = {item.content for item in memories.list()}
    assert {"User's sister is Eva", "User's sister is Ida"} <= contents
    assert {"User's dog is Rex", "User's cat is Rex"} <= contents


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Porto", "I live in Lisbon"),
        ("I like jazz", "I don't like jazz anymore"),
        ("I like jazz", "I hate jazz"),
        ("I prefer tea over coffee", "I prefer coffee over tea"),
        ("User lives in Porto", "I moved to Lisbon"),
    ],
)
def test_a_contradiction_archives_the_old(memories: Memories, old: str, new: str) -> None:
    talk = memories.conversation("s")
    if old.startswith("User"):
        before = memories.remember(old).id
    else:
        before = talk.add_turn("user", old).extracted[0].id
    after = talk.add_turn("user", new).extracted[0]
    assert (after.action, after.conflicts_with) == ("conflict", (before,))
    assert after.id is not None
    assert before is not None
    assert memories.get(before).status == "archived"
    assert "conflict" in {link.reason for link in memories.why(after.id).links}
    assert memories.search(new).items[0].id == after.id


def test_why_shows_terms_rules_links_and_decisions(memories: Memories, clock: FrozenClock) -> None:
    talk = memories.conversation("s")
    turn = talk.add_turn("user", "Well, I like tea").turn_id
    clock.advance(days=2)
    talk.add_turn("user", "I like tea")
    now = clock.advance(days=3)
    memories.gc(now)
    why = memories.why(1)
    assert why.terms == {"frequency": math.log(2), "recency": math.exp(-0.15), "importance": 0.0}
    assert math.isclose(sum(why.terms.values()), why.memory.score)
    assert (why.age_days, why.memory.scored_at, why.rules) == (3.0, now, ("likes",))
    assert (why.links[0].turn_id, why.links[0].reason) == (turn, "extracted")
    assert [decision.action for decision in why.decisions] == ["created", "seen"]
    assert why.decisions[1].inputs["hits"] == 1
    later = memories.why(1, now=now + 10 * DAY_MS)
    assert later.age_days == 13.0
    assert later.terms["recency"] == math.exp(-0.65)


def test_a_score_as_of_before_is_the_one_that_stood(
    memory: Memory, memories: Memories, clock: FrozenClock
) -> None:
    memories.remember("tea")
    first = memories.get(1).score
    revision = memory.revision
    memories.gc(clock.advance(days=5))
    assert memories.get(1).score == math.exp(-0.25)
    before = AsOf(system=revision, valid=AsOf.LATEST.valid)
    assert memories.get(1, as_of=before).score == first == 1.0
    assert memories.list(as_of=before)[0].score == 1.0


def test_a_memory_keeps_its_name_when_it_is_reworded(memory: Memory, memories: Memories) -> None:
    old = memories.remember("Meeting on Monday", tags=["work"])
    revision = memory.revision
    new = memories.update(old.id, content="Meeting on Tuesday", tags=["work", "moved"])
    assert (new.id, new.content, new.tags) == (old.id, "Meeting on Tuesday", ("moved", "work"))
    assert new.frame_id != old.frame_id
    assert memories.get(old.id, as_of=AsOf(revision, AsOf.LATEST.valid)).content == "Meeting on Monday"
    assert [hit.id for hit in memories.search("Tuesday")] == [old.id]
    assert memories.search("Monday").items == ()
    with pytest.raises(NotFound):
        memory.get(old.frame_id)


def test_what_is_put_away_can_be_brought_back(memories: Memories) -> None:
    item = memories.remember("User likes tea")
    assert memories.update(item.id, status="archived").status == "archived"
    assert memories.search("tea").items == ()
    with pytest.raises(Conflict, match="archived"):
        memories.update(item.id, content="User likes green tea")
    back = memories.update(item.id, status="active")
    assert (back.id, back.status) == (item.id, "active")
    assert [hit.id for hit in memories.search("tea")] == [item.id]


def test_forgetting_retires_and_as_of_before_still_shows(memory: Memory, memories: Memories) -> None:
    item = memories.remember("User likes tea")
    revision = memory.revision
    assert memories.forget(item.id).status == "deleted"
    assert memories.list().items == ()
    before = AsOf(revision, AsOf.LATEST.valid)
    assert [one.id for one in memories.list(as_of=before)] == [item.id]
    assert [one.id for one in memories.search("tea", as_of=before)] == [item.id]


def test_what_was_erased_is_not_extracted_again(memory: Memory, memories: Memories) -> None:
    talk = memories.conversation("s")
    found = talk.add_turn("user", "I like tea. I like coffee.").extracted
    assert found[0].id is not None
    certificate = memories.erase(found[0].id)
    assert memory.verify_erasure(certificate)
    again = talk.add_turn("user", "I love tea!").extracted
    assert [(item.action, item.id) for item in again] == [("suppressed", None)]
    assert [item.content for item in memories.list(status=None)] == ["User likes coffee"]
    assert len(talk.window()) == 2
    with pytest.raises(NotFound):
        memories.get(found[0].id)
    assert memory.verify(deep=True)


def test_erasing_with_sources_takes_the_turns_and_what_rests_on_them(
    memory: Memory, memories: Memories
) -> None:
    talk = memories.conversation("s")
    first = talk.add_turn("user", "I like tea and my name is Ana").extracted
    talk.add_turn("user", "My name is Ana")
    assert first[0].id is not None
    memories.erase(first[0].id, with_sources=True)
    assert [turn.text for turn in talk.window()] == ["My name is Ana"]
    assert [item.content for item in memories.list(status=None)] == ["User's name is Ana"]
    assert memory.verify(deep=True)


def test_erasing_a_turn_erases_the_memories_that_rest_on_it_alone(memory: Memory, memories: Memories) -> None:
    talk = memories.conversation("s")
    turn = talk.add_turn("user", "I live in Zanzibar and I like tea").turn_id
    frame = memories.list(sort="id")[0].frame_id
    talk.add_turn("user", "I like tea")
    certificate = memory.erase(turn)
    assert [item.content for item in memories.list(status=None)] == ["User likes tea"]
    assert all("Zanzibar" not in hit.frame.text for hit in memory.search("Zanzibar"))
    with pytest.raises(NotFound):
        memory.get(frame)
    assert certificate.counts["conversation_memory"] == 1
    assert memory.verify(deep=True)


def test_a_certificate_names_the_memories_that_went_along(memory: Memory, memories: Memories) -> None:
    talk = memories.conversation("s")
    turn = talk.add_turn("user", "I live in Zanzibar").turn_id
    item = memories.list()[0]
    certificate = memory.erase(turn)
    assert certificate.frames == (turn, item.frame_id)
    assert (len(certificate.hashes), certificate.counts["frame"]) == (2, 2)
    assert memory.verify_erasure(certificate)
    assert memory.verify(deep=True)
    again = memories.remember("User lives in Zanzibar")
    assert f"frame {again.frame_id}" in memory.verify_erasure(certificate).problems[0]


def test_a_certificate_names_every_version_of_a_memory(memory: Memory, memories: Memories) -> None:
    item = memories.remember("User lives in Zanzibar")
    reworded = memories.update(item.id, content="User lives in Zanzibar City")
    certificate = memory.erase(item.frame_id)
    assert certificate.frames == (item.frame_id, reworded.frame_id)
    assert memory.verify_erasure(certificate)
    assert memories.list(status=None).items == ()
    assert memory.verify(deep=True)


def test_forgetting_a_turn_deletes_the_memories_that_rest_on_it_alone(
    memory: Memory, memories: Memories
) -> None:
    talk = memories.conversation("s")
    turn = talk.add_turn("user", "I like tea. I like coffee.").turn_id
    talk.add_turn("user", "I like coffee")
    memory.forget(turn)
    assert {item.content: item.status for item in memories.list(status=None)} == {
        "User likes tea": "deleted",
        "User likes coffee": "active",
    }


def test_forgetting_the_frame_of_a_memory_deletes_it(memory: Memory, memories: Memories) -> None:
    item = memories.remember("User likes tea")
    memory.forget(item.frame_id)
    assert memories.get(item.id).status == "deleted"
    assert memories.why(item.id).decisions[-1].inputs["reason"] == "forgotten"


def test_personal_data_is_tagged_and_can_be_left_out(memories: Memories) -> None:
    talk = memories.conversation("s")
    talk.add_turn("user", "My email is ana@example.com. I like tea.")
    assert {item.content: "pii" in item.tags for item in memories.list()} == {
        "User's email is ana@example.com": True,
        "User likes tea": False,
    }
    assert [item.content for item in memories.list(exclude_pii=True)] == ["User likes tea"]
    assert [item.content for item in talk.context(exclude_pii=True).mid_term] == ["User likes tea"]
    assert memories.search("ana@example.com", exclude_pii=True).items == ()
    assert len(memories.search("ana@example.com").items) == 1


def test_spaces_do_not_see_each_other(memories: Memories) -> None:
    memories.remember("User likes tea")
    other = memories.conversation("s", space="team")
    assert other.context().mid_term == ()
    assert other.add_turn("user", "I like tea").extracted[0].action == "created"
    with pytest.raises(NotFound):
        memories.get(1, space="team")
    assert len(memories.list(space="team")) == 1


def test_search_without_fts_goes_by_substring_and_says_so(memories: Memories) -> None:
    memories.remember("User likes JRPGs")
    memories.configure({"fts.enabled": False})
    found = memories.search("jrpg")
    assert [item.content for item in found] == ["User likes JRPGs"]
    assert "LIKE" in found.notes[0]
    memories.remember("Discount of 100% on a_b")
    assert len(memories.search("100%").items) == len(memories.search("A_B").items) == 1
    assert memories.search("1%0").items == memories.search("aXb").items == ()
    memories.remember("Ana's school is the École d'Été")
    assert len(memories.search("École").items) == len(memories.search("éCOLE D'ÉTÉ").items) == 1


def test_purging_erases_what_was_deleted(memory: Memory, memories: Memories, clock: FrozenClock) -> None:
    memories.remember("User likes tea")
    report = memories.gc(clock.advance(days=40), purge=True)
    assert (report.deleted, report.purged) == ((1,), 1)
    assert memories.list(status=None).items == ()
    assert memory.verify(deep=True)


def test_a_long_text_is_known_again(memories: Memories) -> None:
    text = " ".join(f"word{number}" for number in range(400))
    first = memories.remember(text)
    assert memories.remember(text.upper()).hits == first.hits + 1
    assert memories.remember("quite something else").id != first.id


def test_what_faded_may_be_said_anew_unless_it_was_erased_by_name(
    memory: Memory, memories: Memories, clock: FrozenClock
) -> None:
    talk = memories.conversation("s")
    talk.add_turn("user", "I like tea. I like coffee.")
    memories.gc(clock.advance(days=40))
    memories.erase(2)
    memories.gc(clock.now(), purge=True)
    assert memories.list(status=None).items == ()
    again = talk.add_turn("user", "I like tea. I like coffee.").extracted
    assert [(item.action, item.content) for item in again] == [
        ("created", "User likes tea"),
        ("suppressed", ""),
    ]
    assert memory.verify(deep=True)


def test_the_window_is_a_view_and_keeps_the_turns(memory: Memory, memories: Memories) -> None:
    memories.configure({"short_term.size": 2})
    talk = memories.conversation("s")
    talk.add_turns([("user", "one"), ("assistant", "two"), ("user", "three")])
    assert [turn.text for turn in talk.window()] == ["two", "three"]
    assert memory.stats().by_kind["turn"] == 3


def test_the_same_words_are_two_turns_unless_a_key_repeats(memories: Memories) -> None:
    talk = memories.conversation("s")
    first = talk.add_turn("user", "I like tea", idempotency_key="k")
    again = talk.add_turn("user", "I like tea", idempotency_key="k")
    third = talk.add_turn("user", "I like tea")
    assert (again.turn_id, again.extracted) == (first.turn_id, ())
    assert third.turn_id != first.turn_id
    assert memories.get(1).hits == 1


def test_what_a_turn_tells_is_in_the_ledger_once(memory: Memory, memories: Memories) -> None:
    turn = memories.conversation("s").add_turn("user", "I live in Porto").turn_id
    found = memory.facts.about("user", predicate="lives_in")
    assert [hit.fact.object for hit in found] == ["Porto"]
    assert [item.frame for item in found[0].evidence] == [turn]


@pytest.mark.parametrize("role", ["system", "tool"])
def test_turns_of_the_system_and_of_tools_are_kept_and_are_not_the_users_words(
    memory: Memory, memories: Memories, role: str
) -> None:
    talk = memories.conversation("s")
    report = talk.add_turn(role, "I live in Porto and my name is Max.")
    assert report.extracted == ()
    assert [(turn.role, turn.text) for turn in talk.window()] == [
        (role, "I live in Porto and my name is Max.")
    ]
    assert list(memory.facts.about("user")) == []
    assert memory.search("Porto")[0].frame.id == report.turn_id


@pytest.mark.parametrize(("role", "text"), [("robot", "hi"), ("user", ""), ("user", 3), (None, "hi")])
def test_a_bad_turn_is_refused_and_nothing_written(
    memory: Memory, memories: Memories, role: str, text: str
) -> None:
    revision = memory.revision
    with pytest.raises(InvalidInput):
        memories.conversation("s").add_turns([("user", "fine"), (role, text)])
    assert memory.revision == revision


def test_recalled_text_makes_no_new_memories(memories: Memories) -> None:
    echo = "<longmind id=0123456789ab> recalled data\nI like tea\n</longmind> I like coffee"
    found = memories.conversation("s").add_turn("user", echo).extracted
    assert [item.content for item in found] == ["User likes coffee"]


def test_damage_is_found(memory: Memory, memories: Memories) -> None:
    memories.remember("User likes tea")
    with memory.store.write() as tx:
        assert tx.system
        tx.db.run("UPDATE conversation_state SET checksum = checksum + 1")
        tx.db.run("DELETE FROM text_word")
    problems = {problem.code: problem.derived for problem in memory.verify(deep=True).problems}
    assert problems == {"conversation_state": False, "text_word": True}


def test_statistics_count_layers_states_and_extraction(memories: Memories, clock: FrozenClock) -> None:
    memories.conversation("s").add_turn("user", "I like tea. I live in Porto.")
    memories.conversation("s").add_turn("user", "I live in Lisbon.")
    found = memories.stats(now=clock.advance(days=2))
    assert (found.turns, found.sessions) == (2, 1)
    assert found.by_layer == {"mid": 2}
    assert found.by_status == {"active": 2, "archived": 1}
    assert found.average_age_days == 2.0
    assert found.extraction["heuristic"]["attempts"] == 2
    assert found.spending == {}


def test_two_speakers_do_not_contradict_each_other(memories: Memories) -> None:
    talk = memories.conversation("s")
    talk.add_turn("user", "I live in Porto", speaker="Ana")
    assert talk.add_turn("user", "I live in Lisbon", speaker="Bo").extracted[0].action == "created"
    assert {item.content for item in memories.list()} == {"Ana lives in Porto", "Bo lives in Lisbon"}
    assert talk.add_turn("user", "I live in Braga", speaker="Ana").extracted[0].action == "conflict"


def test_a_turn_that_takes_itself_back_keeps_the_last_word(memories: Memories) -> None:
    found = memories.conversation("s").add_turn("user", "I live in Porto. Sorry: I live in Lisbon.").extracted
    assert [item.content for item in found] == ["User lives in Lisbon"]


def test_a_window_without_personal_data_leaves_such_turns_out_and_says_so(memories: Memories) -> None:
    talk = memories.conversation("s")
    talk.add_turn("user", "Write to me at ana@example.org, please.")
    talk.add_turn("assistant", "I will.")
    context = talk.context(exclude_pii=True)
    assert [turn.text for turn in context.short_term] == ["I will."]
    assert any("personal data" in note for note in context.notes)
    assert len(talk.context().short_term) == 2


def test_a_turn_that_a_model_saw_only_in_part_says_so(memory: Memory) -> None:
    memories = attach(memory, model=ScriptedModel([[]]))
    memories.configure({"extractor.mode": "llm"})
    report = memories.conversation("s").add_turn("user", "I walked on. " * 1000)
    assert any("8000 of 13000 characters" in warning for warning in report.warnings)
