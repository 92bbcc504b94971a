"""The structured lane: names in the query lead to facts, facts to the frames that say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import apsw
import pytest

from longmind import AsOf, InvalidInput, Memory, Where
from longmind.base.filters import EVERYTHING, View
from longmind.base.times import FOREVER
from longmind.facts.cards import FactCards
from longmind.facts.lane import LaneOptions, about_who_asks, candidates
from longmind.facts.mentions import Mention, mentions
from longmind.facts.values import Assertion, Entity, Evidence
from tests.conftest import START
from tests.facts.conftest import World

HOME = View(("default",))
DAY = 86_400_000


def found(
    world: World,
    query: str,
    *,
    view: View = HOME,
    where: Where = EVERYTHING,
    options: LaneOptions | None = None,
) -> list[int]:
    with world.store.read() as snapshot:
        hits = candidates(snapshot, query, view, where, options or LaneOptions())
    assert [hit.rank for hit in hits] == list(range(len(hits)))
    return [hit.frame_id for hit in hits]


@pytest.fixture
def ana(quiet: World) -> World:
    """A frame that shares no word with the questions asked about it."""
    frame = quiet.remember("She signed the lease for the flat near the Ribeira.")
    quiet.facts.upsert_entity("ana-silva", aliases=["Ana", "Ana Silva", "Dr. Ana Maria Silva Costa"])
    quiet.facts.record("ana-silva", "lives_in", "Porto", evidence=[Evidence(frame, 0, 20)], valid_from=0)
    return quiet


def test_a_fact_brings_in_a_frame_that_shares_no_word_with_the_query(ana: World) -> None:
    with ana.store.read() as snapshot:
        [hit] = candidates(snapshot, "Where does Ana live?", HOME, EVERYTHING)
    assert hit == (1, 0, ("ana-silva lives_in Porto (named by 'ana')",))


@pytest.mark.parametrize(
    "query",
    [
        "ana",
        "ANA",
        "Where is Ana’s flat?",
        "¿Dónde vive Ana?",
        "ana silva",
        "the Ana Silva lease",
        "x ana-silva y",
    ],
)
def test_names_are_found_whole_in_sequences_and_as_words(ana: World, query: str) -> None:
    assert found(ana, query) == [1]


@pytest.mark.parametrize(
    "query", ["Where is the flat?", "banana", "an a", "", "   ", "?!", "Silva", "\0", "\ud800", "x" * 100_000]
)
def test_no_name_no_effect(ana: World, query: str) -> None:
    assert found(ana, query) == []


def test_mentions_prefer_the_whole_query_then_longer_sequences() -> None:
    assert mentions("Dr. Ana Silva") == [
        Mention(0, "dr. ana silva"),
        Mention(4, "dr. ana"),
        Mention(4, "ana silva"),
        Mention(5, "dr"),
        Mention(5, "ana"),
        Mention(5, "silva"),
    ]
    assert [mention.source for mention in mentions("a b c d e f")] == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, *[4] * 5]
    assert mentions("x") == [Mention(0, "x")]


@pytest.mark.parametrize("between", [chr(code) for code in range(128)])
def test_plain_text_is_cut_into_words_as_any_other(between: str) -> None:
    plain = {mention.norm for mention in mentions(f"ab{between}cd ef")}
    other = {mention.norm for mention in mentions(f"ab{between}cd ef ж")}
    assert plain <= other
    assert {norm for norm in other if "ж" not in norm} == plain


def test_candidates_come_by_match_then_alias_length_then_key(quiet: World) -> None:
    frames = [quiet.remember(f"Frame {number}") for number in range(5)]
    names = {"zed": ["Rome Plan"], "york": [], "new york": [], "alpha": ["york"], "plan": []}
    for place, (key, aliases) in enumerate(names.items()):
        quiet.facts.upsert_entity(key, aliases=aliases)
        quiet.facts.record(key, "noted", "x", evidence=[Evidence(frames[place], asserted_at=START)])
    asked = "new york rome plan"

    def first(count: int) -> list[int]:
        return found(quiet, asked, options=LaneOptions(max_entity_candidates=count))

    # "rome plan" is longer than "new york"; among words "alpha" (named york) comes before "plan" and "york"
    assert first(1) == [frames[0]]
    assert first(2) == sorted([frames[0], frames[2]])
    assert first(3) == sorted([frames[0], frames[2], frames[3]])
    assert first(5) == sorted(frames)


def test_frames_rank_by_confidence_then_time_then_facts_then_id(quiet: World) -> None:
    one, two, three, four, five = (quiet.remember(f"Frame {number}") for number in range(5))
    say = quiet.facts.record
    say("ana", "a", "x", evidence=[Evidence(one, confidence=0.5, asserted_at=START)])
    say("ana", "b", "x", evidence=[Evidence(two, confidence=0.9, asserted_at=START - DAY)])
    say("ana", "c", "x", evidence=[Evidence(three, asserted_at=START), Evidence(four, asserted_at=START)])
    say("ana", "d", "x", evidence=[Evidence(four, asserted_at=START - DAY)])
    say("ana", "e", "x", evidence=[Evidence(five, asserted_at=START + DAY)])
    assert found(quiet, "ana") == [two, one, five, four, three]
    assert found(quiet, "ana", options=LaneOptions(max_evidence_frames=2)) == [two, one]
    assert found(quiet, "ana", options=LaneOptions(max_facts=1)) == [one]


def test_a_name_that_is_a_value_counts_too(quiet: World) -> None:
    frame = quiet.remember("She signed with them in spring.")
    quiet.facts.record("ana", "works_at", Entity("Acme Corp"), evidence=[frame])
    assert found(quiet, "Who works at Acme Corp?") == [frame]


def test_the_lane_sees_what_was_so_then(ana: World) -> None:
    before = ana.store.revision()
    later = ana.remember("The keys to the new place arrived.", occurred_at=START)
    ana.facts.replace("ana-silva", "lives_in", "Lisbon", valid_from=START, evidence=[later])
    assert found(ana, "Ana") == [later]
    assert found(ana, "Ana", view=View(("default",), AsOf(before, FOREVER))) == [1]
    assert found(ana, "Ana", view=View(("default",), AsOf(FOREVER, START))) == [later]
    assert found(ana, "Ana", where=Where(until=START)) == []
    ana.facts.retract("ana-silva", "lives_in")
    assert found(ana, "Ana") == []


def test_an_end_of_the_time_range_asks_what_was_so_and_was_known_until_then(quiet: World) -> None:
    old = quiet.remember("The lease in the north.", occurred_at=START - 10 * DAY)
    quiet.facts.define_predicate("lives_in", cardinality="one")
    quiet.facts.record("ana", "lives_in", "Porto", valid_from=START - 10 * DAY, evidence=[old])
    quiet.clock.advance(days=10)
    new = quiet.remember("The lease in the south.")
    quiet.facts.record("ana", "lives_in", "Lisbon", valid_from=START + 10 * DAY, evidence=[new])
    assert found(quiet, "ana") == [new]
    assert found(quiet, "ana", where=Where(until=START + 10 * DAY)) == [old]
    assert found(quiet, "ana", where=Where(until=START)) == [], "it was so, and nobody had said so yet"


def test_spaces_stay_apart(ana: World) -> None:
    other = ana.remember("Elsewhere she rents.", space="other")
    ana.facts.record("Ana", "lives_in", "Faro", evidence=[other], space="other")
    assert found(ana, "Ana") == [1]
    assert found(ana, "Ana", view=View(("other",))) == [other]
    assert found(ana, "Ana", view=View(("third",))) == []
    assert sorted(found(ana, "Ana", view=View(("default", "other")))) == [1, other]


def test_a_global_fact_shows_only_frames_in_reach(quiet: World) -> None:
    hidden = quiet.remember("A private note.", space="work")
    shared = quiet.remember("A note for all.", space="work", scope="global")
    quiet.facts.record("ana", "likes", "soup", evidence=[hidden, shared], space="work", scope="global")
    assert found(quiet, "ana", view=View(("home",))) == [shared]
    assert sorted(found(quiet, "ana", view=View(("work",)))) == [hidden, shared]


def test_filters_act_before_anything_is_cut(quiet: World) -> None:
    plain = [quiet.remember(f"Note {number}") for number in range(20)]
    wanted = quiet.remember("The one that counts", tags=["keep"])
    items = [Assertion("ana", "a_noted", f"x{n:02}", evidence=[frame]) for n, frame in enumerate(plain)]
    quiet.facts.record_many([*items, Assertion("ana", "z_noted", "y", evidence=[wanted])])
    narrow = LaneOptions(max_facts=5, max_evidence_frames=5)
    assert wanted not in found(quiet, "ana", options=narrow)
    assert found(quiet, "ana", where=Where(tags=["keep"]), options=narrow) == [wanted]


def test_a_filter_may_name_thousands_of_frames(ana: World) -> None:
    assert found(ana, "ana", where=Where(ids=range(1, 10_000))) == [1]
    assert found(ana, "ana", where=Where(ids=range(2, 10_000))) == []


def test_a_document_in_chunks_is_found_by_the_chunk_that_says_so(quiet: World) -> None:
    whole, first, second = quiet.remember_chunks("Ana lives in Porto. Bob likes soup.", (0, 19), (20, 35))
    quiet.facts.record("bob", "likes", "soup", evidence=[Evidence(whole, 20, 35)])
    quiet.facts.record("ana", "lives_in", "Porto", evidence=[first])
    quiet.facts.record("carla", "wrote", "it", evidence=[whole])
    assert found(quiet, "bob") == [second]
    assert found(quiet, "ana") == [first]
    assert found(quiet, "carla") == [first]


def test_forgotten_frames_do_not_come_back(ana: World) -> None:
    ana.forget(1)
    assert found(ana, "ana") == []


def test_evidence_without_a_range_can_be_left_out(ana: World) -> None:
    vague = ana.remember("Something about her.")
    ana.facts.record("ana-silva", "likes", "soup", evidence=[vague])
    assert sorted(found(ana, "ana")) == [1, vague]
    assert found(ana, "ana", options=LaneOptions(require_evidence_span=True)) == [1]


def test_evidence_on_the_fact_counts(quiet: World) -> None:
    frame = quiet.remember("A note.")
    recorded = quiet.facts.record("ana", "likes", "soup")
    assert found(quiet, "ana") == []
    quiet.facts.add_evidence(recorded.fact_id, [frame])
    assert found(quiet, "ana") == [frame]


def test_the_same_question_gives_the_same_answer(new_location: Any, new_world: Callable[..., World]) -> None:
    answers = []
    for engine in ("sqlite", "postgresql"):
        world = new_world(new_location(engine))
        for number in range(12):
            world.remember(f"I like dish {number} and I live in City{number}.", speaker=f"P{number % 3}")
        with world.store.read() as snapshot:
            answers += [candidates(snapshot, "What do P0 and P1 like?", HOME, EVERYTHING) for _ in range(2)]
    assert len(answers[0]) > 4
    assert all(answer == answers[0] for answer in answers)


def test_relevance_and_the_first_person_are_options(world: World) -> None:
    home = world.remember("I live in Porto.", role="user")
    taste = world.remember("I like soup.", role="user")
    nobody = LaneOptions(first_person=None)
    assert found(world, "Where do I live?", options=nobody) == []
    asked = LaneOptions()
    assert sorted(found(world, "Where do I live?", options=asked)) == [home, taste]
    asked = LaneOptions(first_person="user", by_relevance=True)
    assert found(world, "Where do I live?", options=asked) == [home]


@pytest.mark.parametrize("given", [{"weight": -1}, {"max_facts": 0}, {"max_entity_candidates": True}])
def test_options_are_checked(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        LaneOptions(**given)


def test_cards_say_what_is_known_in_words(ana: World) -> None:
    ana.facts.record("ana-silva", "age", 41, valid_from=0)
    with ana.store.read() as snapshot:
        cards = FactCards().cards("Where does Ana live?", snapshot=snapshot, view=HOME, limit=5)
        one = FactCards().cards("Where does Ana live?", snapshot=snapshot, view=HOME, limit=1)
        none = FactCards().cards("What about Bob?", snapshot=snapshot, view=HOME, limit=5)
    assert cards == [
        ("ana-silva lives in Porto (since 1970-01-01; recorded)", (1,)),
        ("ana-silva age 41 (since 1970-01-01; recorded)", ()),
    ]
    assert (one, none) == (cards[:1], [])


def _steps(memory: Memory) -> int:
    """Steps that SQLite takes to find what is known of who asks, in their own words and in a request."""
    statuses: list[int] = []

    def count(event: dict[str, Any]) -> None:
        statuses.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    with memory.store.read() as snapshot:
        connection = snapshot.db.connection  # type: ignore[attr-defined]
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, count)
        try:
            assert candidates(snapshot, "What do I like?", View.of("notes"), Where())
            assert about_who_asks(snapshot, View.of("notes"), Where())
        finally:
            connection.trace_v2(0, None)
    return sum(statuses)


def test_other_texts_of_a_space_cost_the_lane_nothing() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember_many([f"I like brand{number} of tea." for number in range(30)], space="notes")
        alone = _steps(memory)
        memory.remember_many([f"Ship {number} is in the harbour." for number in range(400)], space="notes")
        assert _steps(memory) < 1.5 * alone
