"""What is held: endings, corrections and slots; who is the same; what is trusted; what rests on what."""

from __future__ import annotations

from typing import Any

import pytest

from longmind import AsOf, Entity, FrozenClock, InvalidInput, Memory, NotFound
from longmind.facts.extraction import Extraction, FoundFact, Source
from longmind.facts.lane import LaneOptions
from longmind.facts.part import FactsPart
from longmind.facts.values import Evidence
from tests.conftest import START
from tests.facts.conftest import World

DAY = 86_400_000
FOREVER = AsOf.LATEST.system
T0, T1, T2, T3 = (START + days * DAY for days in (-400, -200, -100, -50))


def held(world: World, subject: str = "ana", **given: Any) -> list[str]:
    return [f"{hit.fact.predicate} {hit.fact.object}" for hit in world.facts.about(subject, **given)]


def at(moment: int) -> AsOf:
    return AsOf(FOREVER, moment)


# Slots


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("likes", "running"), ("dislikes", "running")),
        (("loves", "Running"), ("hates", "running")),
        (("prefers", "tea"), ("avoids", "tea")),
        (("allergic_to", "nuts"), ("not_allergic_to", "nuts")),
        (("works_at", "Acme"), ("employer", "Klarna")),
        (("lives_in", "Porto"), ("home", "Lisbon")),
        (("nickname", "Max"), ("goes_by", "Maxi")),
        (("marital_status", "married"), ("relationship_status", "divorced")),
        (("favorite_food", "soup"), ("favourite_food_now", "rice")),
        (("diet", "vegan"), ("diet", "vegetarian")),
    ],
)
def test_what_speaks_of_the_same_thing_is_one_slot(
    quiet: World, first: tuple[str, str], second: tuple[str, str]
) -> None:
    quiet.facts.record("ana", *first, valid_from=T0)
    quiet.facts.record("ana", *second, valid_from=T1)
    assert [hit.fact.object for hit in quiet.facts.about("ana")] == [second[1]]
    assert [hit.fact.object for hit in quiet.facts.about("ana", as_of=at(T1 - 1))] == [first[1]]


def test_attitudes_towards_different_things_stand_side_by_side(quiet: World) -> None:
    quiet.facts.record("ana", "likes", "climbing", valid_from=T0)
    quiet.facts.record("ana", "hates", "running", valid_from=T1)
    assert held(quiet) == ["hates running", "likes climbing"]


def test_a_second_predicate_for_the_same_thing_is_not_invented(quiet: World) -> None:
    quiet.facts.record("ana", "favourite_food_now", "rice")
    assert held(quiet) == ["favorite_food rice"]
    assert held(quiet, predicate="favourite_food") == ["favorite_food rice"]


def test_recording_never_changes_a_cardinality(quiet: World) -> None:
    quiet.facts.record("ana", "badge", "1", valid_from=T0)
    quiet.facts.replace("ana", "badge", "2", valid_from=T1)
    quiet.facts.record("ana", "badge", "3", valid_from=T2)
    assert held(quiet) == ["badge 2", "badge 3"]


# Endings and corrections


def test_a_known_end_caps_what_is_told_later_of_the_time_before(quiet: World) -> None:
    quiet.facts.end("ana", "works_at", "Klarna", at=T2)
    quiet.facts.record("ana", "works_at", "Klarna", valid_from=T0)
    assert held(quiet) == []
    assert held(quiet, as_of=at(T2 - 1)) == ["works_at Klarna"]
    quiet.facts.record("ana", "works_at", "Klarna", valid_from=T3)
    assert held(quiet) == ["works_at Klarna"]


def test_an_ending_does_not_bring_back_what_was_replaced(quiet: World) -> None:
    quiet.facts.record("ana", "works_at", "Acme", valid_from=T0)
    quiet.facts.record("ana", "works_at", "Klarna", valid_from=T1)
    assert quiet.facts.end("ana", "works_at", at=T2)
    assert held(quiet) == []
    assert held(quiet, as_of=at(T1)) == ["works_at Klarna"]


def test_ending_another_value_leaves_the_current_one(quiet: World) -> None:
    quiet.facts.record("ana", "works_at", "Klarna", valid_from=T0)
    quiet.facts.record("ana", "works_at", "Spotify", valid_from=T1)
    quiet.facts.end("ana", "works_at", "Klarna", at=T2)
    assert held(quiet) == ["works_at Spotify"]


def test_a_correction_replaces_the_whole_period_and_keeps_what_was_believed(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Rome", valid_from=T0)
    quiet.facts.record("ana", "lives_in", "Rome", valid_from=T1)
    before = quiet.store.revision()
    quiet.clock.advance(days=1)
    result = quiet.facts.correct("ana", "lives_in", "Milan")
    assert len(result.superseded) == 1
    assert [held(quiet, as_of=at(moment)) for moment in (T0, T1, FOREVER)] == [["lives_in Milan"]] * 3
    assert held(quiet, as_of=AsOf(before, T1)) == ["lives_in Rome"]
    assert "corrected" in {hit.reason for hit in quiet.facts.history("ana")}


def test_forgetting_a_correction_leaves_what_it_corrected(quiet: World) -> None:
    frame = quiet.remember("No, it's Milan.")
    quiet.facts.record("ana", "lives_in", "Rome", valid_from=T0)
    quiet.facts.correct("ana", "lives_in", "Milan", evidence=[Evidence(frame, extractor="test")])
    assert held(quiet) == ["lives_in Milan"]
    quiet.forget(frame)
    assert held(quiet) == ["lives_in Rome"]


def test_a_denial_ends_the_value_and_no_other(quiet: World) -> None:
    quiet.facts.record("ana", "allergic_to", "nuts", valid_from=T0)
    quiet.facts.record("ana", "allergic_to", "milk", valid_from=T0)
    quiet.facts.record_many(
        [{"subject": "ana", "predicate": "allergic_to", "value": "nuts", "valid_from": T1, "polarity": False}]
    )
    assert held(quiet) == ["allergic_to milk"]


def test_what_was_said_after_a_retraction_outlasts_what_comes_and_goes(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Faro", valid_from=T0)
    quiet.facts.retract("ana", "lives_in")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.record("ana", "lives_in", "Rome", valid_from=T1, valid_to=T2)
    assert [held(quiet, as_of=at(moment)) for moment in (T0, T1, T2)] == [
        ["lives_in Porto"],
        ["lives_in Rome"],
        ["lives_in Porto"],
    ]
    quiet.facts.end("ana", "lives_in", "Faro", at=T2)
    assert held(quiet) == ["lives_in Porto"]


def test_an_ending_that_was_taken_back_ends_nothing_later(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.end("ana", "lives_in", "Porto", at=T2)
    quiet.facts.retract("ana", "lives_in", "Porto")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.record_many(
        [{"subject": "ana", "predicate": "lives_in", "value": "Rome", "valid_from": T1, "polarity": False}]
    )
    assert held(quiet) == ["lives_in Porto"]


# The same person


def test_a_first_name_means_the_one_person_it_fits(memory: Memory) -> None:
    memory.remember("Priya Nair lives in Pune.")
    memory.remember("Priya likes chess.")
    facts = {str(hit.fact) for hit in memory.facts.about("Priya")}
    assert facts == {"Priya Nair lives_in Pune", "Priya Nair likes chess"}


def test_a_full_name_is_that_of_the_person_known_by_the_first(memory: Memory) -> None:
    memory.remember("Priya likes chess.")
    memory.remember("Priya Nair lives in Pune.")
    assert len(memory.facts.about("Priya Nair")) == 2
    assert len(memory.facts.about("priya")) == 2


def test_two_who_fit_stay_apart_and_are_listed(memory: Memory) -> None:
    memory.remember("Priya Nair lives in Pune.")
    memory.remember("Priya Shah lives in Delhi.")
    memory.remember("Priya likes chess.")
    assert [str(hit.fact) for hit in memory.facts.about("Priya Nair")] == ["Priya Nair lives_in Pune"]
    [name] = memory.facts.ambiguous()
    assert {str(key) for key in name.keys} >= {"Priya Nair", "Priya Shah"}


def test_merging_and_splitting_are_exact_as_of_any_time(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.record("Ana Lima", "lives_in", "Lisbon", valid_from=T1)
    quiet.facts.record("ben", "knows", Entity("Ana Lima"), valid_from=T0)
    apart = quiet.store.revision()
    assert quiet.facts.merge("ana", "Ana Lima").changed
    together = quiet.store.revision()
    assert held(quiet) == held(quiet, "Ana Lima") == ["lives_in Lisbon"]
    assert held(quiet, "ben") == ["knows ana"]
    assert held(quiet, as_of=AsOf(apart, FOREVER)) == ["lives_in Porto"]
    quiet.facts.record("Ana Lima", "likes", "tea", valid_from=T0)
    assert quiet.facts.split("Ana Lima").changed
    assert (held(quiet), held(quiet, "ben")) == (["lives_in Porto"], ["knows Ana Lima"])
    assert held(quiet, "Ana Lima") == ["likes tea", "lives_in Lisbon"]
    assert held(quiet, as_of=AsOf(together, FOREVER)) == ["lives_in Lisbon"]
    with pytest.raises(NotFound):
        quiet.facts.merge("ana", "nobody")


def test_a_split_takes_back_a_correction_that_was_made_in_the_name_of_the_other(quiet: World) -> None:
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    quiet.facts.upsert_entity("Ana Lima")
    quiet.facts.merge("ana", "Ana Lima")
    quiet.facts.correct("Ana Lima", "lives_in", "Lisbon")
    assert held(quiet) == ["lives_in Lisbon"]
    quiet.facts.split("Ana Lima")
    assert (held(quiet), held(quiet, "Ana Lima")) == (["lives_in Porto"], ["lives_in Lisbon"])


def test_an_alias_can_be_removed_and_one_that_is_a_key_is_listed(quiet: World) -> None:
    quiet.facts.upsert_entity("ana", aliases=["Anita", "ben"])
    quiet.facts.upsert_entity("ben")
    [name] = quiet.facts.ambiguous()
    assert (name.name, sorted(name.keys), name.is_key) == ("ben", ["ana", "ben"], True)
    assert quiet.facts.remove_alias("ana", "BEN").removed == 1
    assert not quiet.facts.ambiguous()
    with pytest.raises(InvalidInput, match="key"):
        quiet.facts.remove_alias("ana", "ana")


def test_erasing_a_subject_takes_its_aliases(quiet: World) -> None:
    quiet.facts.upsert_entity("ana", aliases=["Anita"])
    quiet.facts.record("ana", "likes", "tea")
    quiet.facts.record("ben", "knows", Entity("ana"))
    quiet.facts.erase("anita")
    assert quiet.facts.resolve("anita") == ()
    assert held(quiet) == []
    assert held(quiet, "ben") == ["knows ana"]


# Trust


class _Credulous:
    """Takes every document for the user's own words."""

    id, version = "credulous", "1"

    def extract(self, source: Source) -> Extraction:
        predicate, _, value = source.text.partition(": ")
        return Extraction(facts=(FoundFact("user", predicate, value),))


def _say_of_user(memory: Memory, predicate: str, value: str) -> None:
    [part] = [each.loaded for each in memory.store.parts if isinstance(each.loaded, FactsPart)]
    careful, part.extractor = part.extractor, _Credulous()
    memory.ingest(text=f"{predicate}: {value}", uri=f"{predicate}.txt")
    part.extractor = careful


def test_a_document_cannot_change_what_is_known_of_the_user(memory: Memory, clock: FrozenClock) -> None:
    talk = memory.conversation("s1")
    talk.add_turn("user", "My name is Ana. I live in Porto.")
    clock.advance(days=1)
    memory.ingest(text="My name is John Watson. I live in London.", uri="novel.txt")
    assert not memory.facts.quarantine()  # a novel's "I" is nobody known
    _say_of_user(memory, "name", "John Watson")
    _say_of_user(memory, "lives_in", "London")
    assert [str(hit.fact.object) for hit in memory.facts.about("user", predicate="lives_in")] == ["Porto"]
    assert memory.facts.resolve("John Watson") == ()
    waiting = memory.facts.quarantine()
    assert [(str(item.object), item.channel, item.trust) for item in waiting] == [
        ("John Watson", "document", "low"),
        ("London", "document", "low"),
    ]
    assert "London" not in "".join(line for line in memory.recall("Where do I live?").text.splitlines()
                                   if "lives in" in line)  # fmt: skip
    memory.facts.reject(waiting[0].id)
    assert memory.facts.confirm(waiting[1].id).changed
    assert [str(hit.fact.object) for hit in memory.facts.about("user", predicate="lives_in")] == ["London"]
    assert not memory.facts.quarantine()
    memory.facts.reject(waiting[1].id)
    assert [str(hit.fact.object) for hit in memory.facts.about("user", predicate="lives_in")] == ["Porto"]
    assert memory.verify(deep=True)


def test_facts_can_be_read_by_trust_and_say_where_they_come_from(memory: Memory) -> None:
    memory.ingest(text="Rita Lopes lives in Faro.", uri="report.txt")
    [hit] = memory.facts.about("Rita Lopes")
    assert (hit.channel, hit.trust) == ("document", "low")
    assert not memory.facts.about("Rita Lopes", min_trust="normal")
    assert "from a document" in memory.recall("Where does Rita Lopes live?").text
    assert "from a document" not in memory.recall("Where does Rita Lopes live?", min_trust="normal").text
    with pytest.raises(InvalidInput):
        memory.facts.about("Rita Lopes", min_trust="certain")


def test_trust_follows_what_something_was_derived_from(memory: Memory) -> None:
    memory.ingest(text="Rita Lopes lives in Faro.", uri="report.txt")
    _say_of_user(memory, "name", "John Watson")
    [home] = memory.facts.about("Rita Lopes")
    memory.facts.record("Rita Lopes", "timezone", "WET", derived_from=[home])
    assert memory.facts.about("Rita Lopes", predicate="timezone")[0].trust == "low"
    [waiting] = memory.facts.quarantine()
    result = memory.facts.record("Rita Lopes", "knows", "John", derived_from=[waiting.fact_id])
    assert result.status == "quarantined"
    assert not memory.facts.about("Rita Lopes", predicate="knows")


# Premises


@pytest.mark.parametrize("how", ["superseded", "ended", "retracted"])
def test_what_rests_on_a_lost_premise_is_flagged_at_every_depth(quiet: World, how: str) -> None:
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=T0)
    [last] = quiet.facts.about("ana")
    for step in range(40):
        quiet.facts.record("ana", f"step_{step}", "x", valid_from=T0, derived_from=[last.fact_id])
        [last] = quiet.facts.about("ana", predicate=f"step_{step}")
    assert not last.flagged
    if how == "superseded":
        quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=T1)
    elif how == "ended":
        quiet.facts.end("ana", "lives_in", at=T1)
    else:
        quiet.facts.retract("ana", "lives_in")
    for step in (0, 39):
        [hit] = quiet.facts.about("ana", predicate=f"step_{step}")
        assert hit.flagged


def test_a_premise_that_was_over_when_it_was_relied_on_is_not_lost(quiet: World) -> None:
    quiet.facts.record("ana", "works_at", "Acme", valid_from=T0, valid_to=T1)
    [job] = quiet.facts.about("ana", as_of=at(T0))
    quiet.facts.record("ana", "knows", "welding", valid_from=T0, derived_from=[job])
    assert not quiet.facts.about("ana", predicate="knows")[0].flagged


# Walks and lanes


def test_a_walk_that_stops_at_its_depth_says_so_and_counts_each_edge_once(quiet: World) -> None:
    for first, second in (("a", "b"), ("b", "c"), ("c", "d")):
        quiet.facts.record(first, "knows", Entity(second))
    assert quiet.facts.neighbors("a", depth=2).truncated
    assert not quiet.facts.neighbors("a", depth=3).truncated
    walk = quiet.facts.neighbors("a", depth=3, max_edges=3)
    assert (len(walk), walk.truncated) == (3, False)


def test_the_lane_chooses_among_many_facts_by_the_question(memory: Memory) -> None:
    for number in range(90):
        frame = memory.remember(f"Note {number:03} on Bo.").id
        memory.facts.record("Bo", "collects", f"item {number:03}", evidence=[frame])
    last = memory.remember("Bo said so.").id
    memory.facts.record("Bo", "wears", "zebra socks", evidence=[last])
    hits = memory.search("Which socks does Bo wear: zebra?", lanes=["facts"], limit=100)
    assert last in [hit.frame.id for hit in hits]
    assert "zebra socks" in memory.recall("Which zebra socks does Bo wear?").text


def test_the_limits_of_the_lane_can_be_set(location: str) -> None:
    options = LaneOptions(max_evidence_frames=1, require_evidence_span=True)
    with Memory.open(location, embedder=None, extractor=None, facts_lane=options) as memory:
        first, second = memory.remember("Bo has a cat.").id, memory.remember("Bo has a dog.").id
        memory.facts.record("Bo", "has", "cat", evidence=[first])
        memory.facts.record("Bo", "has", "dog", evidence=[Evidence(second, 0, 2)])
        hits = memory.search("Bo", lanes=["facts"])
        assert [hit.frame.id for hit in hits] == [second]


def test_the_weight_of_the_lane_can_be_set(location: str) -> None:
    scores = {}
    for weight in (0.0, None, 5.0):
        with Memory.open(location, embedder=None, facts_lane=LaneOptions(weight=weight)) as memory:
            frame = memory.remember("Bo keeps bees on the roof.").id
            memory.facts.record("Bo", "keeps", "bees", evidence=[frame])
            [hit] = memory.search("Bo", lanes=["text", "facts"])
            scores[weight] = hit.score
    assert scores[0.0] < scores[None] < scores[5.0]
    with pytest.raises(InvalidInput, match="weight"):
        LaneOptions(weight=-1)
