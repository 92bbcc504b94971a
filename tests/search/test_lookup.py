"""Words as people ask for them: beginnings, middles, phrases, titles, and words that say nothing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from longmind import Memory
from tests.conftest import START
from tests.vectors.opening import open_memory


@pytest.fixture
def memory(location: str) -> Iterable[Memory]:
    with open_memory(location, embedder=None) as opened:
        yield opened


def texts(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.frame.text for hit in memory.search(query, lanes=["text"], **options)]  # type: ignore[arg-type]


def test_a_word_is_found_by_its_beginning(memory: Memory) -> None:
    memory.remember("the quarterly conversation about kubernetes")
    memory.remember("nothing of the kind")
    for beginning in ("kub", "kuber", "kubernet", "quarter", "conv", "convers"):
        assert texts(memory, beginning) == ["the quarterly conversation about kubernetes"], beginning
    assert texts(memory, "ku") == []


def test_a_word_is_found_by_its_middle_when_nothing_else_is(memory: Memory) -> None:
    memory.remember("the quarterly conversation about kubernetes")
    memory.remember("nothing of the kind")
    for middle in ("bernet", "uarter", "onver"):
        assert texts(memory, middle) == ["the quarterly conversation about kubernetes"], middle


def test_a_word_is_found_by_a_middle_that_reaches_into_its_ending(memory: Memory) -> None:
    memory.remember("the quarterly conversation about kubernetes")
    memory.remember("they converse of the universe")
    for middle in ("versatio", "conversati", "versation"):
        assert texts(memory, middle) == ["the quarterly conversation about kubernetes"], middle
    assert texts(memory, "versatile") == []


def test_a_middle_is_looked_for_only_in_what_the_filter_shows(memory: Memory) -> None:
    memory.remember("a long conversation", session="s")
    hidden = memory.remember("another conversation", session="t").id
    assert texts(memory, "versatio", where={"session": "s"}) == ["a long conversation"]
    memory.forget(hidden)
    assert texts(memory, "versatio") == ["a long conversation"]


def test_a_whole_word_is_not_taken_for_the_beginning_of_others(memory: Memory) -> None:
    memory.remember("a car in the street")
    memory.remember("a carpet on the floor")
    assert texts(memory, "car") == ["a car in the street"]


def test_percent_and_underscore_mean_nothing(memory: Memory) -> None:
    memory.remember("one hundred zebras")
    assert texts(memory, "%") == []
    assert texts(memory, "___") == []
    assert texts(memory, "zeb%") == texts(memory, "zeb_") == ["one hundred zebras"]


def test_all_words_beat_some_and_rare_ones_beat_common_ones(memory: Memory) -> None:
    memory.remember_many(f"the river flows past stone number {place}" for place in range(20))
    memory.remember("the zebra drinks at the river")
    memory.remember("the zebra sleeps far away")
    assert texts(memory, "river zebra")[:2] == ["the zebra drinks at the river", "the zebra sleeps far away"]
    assert len(texts(memory, "river zebra", limit=50)) == 22


def test_a_quoted_phrase_puts_the_frames_that_say_it_first(memory: Memory) -> None:
    memory.remember("green tea and black coffee, black tea and green coffee: tea, tea, green, green")
    memory.remember("I would rather have a cup of  GREEN\ntea after lunch with everyone from the office")
    for question in ('"green tea"', "“Green  Tea”", 'who drinks "green tea" here'):
        results = memory.search(question, lanes=["text"])
        assert results[0].frame.text.startswith("green tea and black")
        says = {step.reason for hit in results for step in hit.steps if step.name == "phrase"}
        assert says == {"says 'green tea'"}
    first = memory.search('"cup of green tea"', lanes=["text"])[0]
    assert first.frame.text.startswith("I would")


def test_an_unclosed_or_empty_quotation_is_plain_text(memory: Memory) -> None:
    memory.remember("green tea")
    for question in ('"green tea', 'green" tea', '"" green', '"   " tea', "“green tea"):
        results = memory.search(question, lanes=["text"])
        assert results[0].frame.text == "green tea"
        assert not [step for step in results[0].steps if step.name == "phrase"]


def test_a_title_is_part_of_what_a_frame_says(memory: Memory) -> None:
    memory.remember("It lives in the savannah.", title="Zebras of the south")
    memory.remember("Zebras of the south live in the savannah.", title="Zebras of the south")
    memory.remember("Lions live in the savannah.", title="Lions")
    assert set(texts(memory, "zebra")) == {
        "It lives in the savannah.",
        "Zebras of the south live in the savannah.",
    }
    [titled, repeated] = sorted(memory.search("zebra", lanes=["text"]), key=lambda hit: hit.frame.id)
    assert titled.lanes["text"].score == pytest.approx(repeated.lanes["text"].score, rel=0.2)


def test_a_speaker_is_part_of_what_a_turn_says(memory: Memory) -> None:
    memory.remember("I moved to Lisbon.", speaker="Caroline", session="s", role="user")
    memory.remember("I moved to Porto.", speaker="Melanie", session="s", role="user")
    assert texts(memory, "Caroline") == ["I moved to Lisbon."]


def test_words_that_say_nothing_find_nothing_by_words_and_the_newest_in_all(memory: Memory) -> None:
    memory.remember("to be or not to be", occurred_at=START)
    memory.remember("the zebra", occurred_at=START + 1)
    for question in ("to be or not", "the", "is it you", ""):
        results = memory.search(question, lanes=["text"])
        assert not results
        assert results.lanes[0].ran
        assert results.lanes[0].detail == "no word to look for"
        whole = memory.search(question)
        assert [hit.frame.text for hit in whole] == ["the zebra", "to be or not to be"]
        assert whole[0].steps[-1].reason == "nothing to look for, so the newest"


def test_words_that_say_nothing_do_not_dilute_the_others(memory: Memory) -> None:
    memory.remember("the zebra")
    alone, padded = (
        memory.search(query, lanes=["text"])[0] for query in ("zebra", "what is the zebra of it")
    )
    assert alone.lanes["text"].score == padded.lanes["text"].score


def test_a_word_that_every_frame_says_still_finds_them(memory: Memory) -> None:
    memory.remember_many(f"zebra number {place}" for place in range(50))
    assert len(texts(memory, "zebra", limit=100)) == 50
    assert texts(memory, "zebra 7", limit=1) == ["zebra number 7"]


def test_saying_a_word_very_often_is_bounded(memory: Memory) -> None:
    memory.remember("zebra " * 1000)
    memory.remember("zebra " * 300)
    assert len(texts(memory, "zebra")) == 2
    assert memory.verify(deep=True)


def test_an_empty_store_answers_with_nothing(memory: Memory) -> None:
    for mode in ("hybrid", "text", "vector", "facts", "timeline"):
        for fusion in ("score", "rrf"):
            for question in ("zebra", "", "ERR_42", "last week", '"a phrase"'):
                results = memory.search(question, mode=mode, fusion=fusion, reference=START)
                assert list(results) == []


def test_limit_is_honoured_up_to_its_most(memory: Memory) -> None:
    memory.remember_many({"text": f"zebra {place}", "occurred_at": START + place} for place in range(450))
    for mode in ("hybrid", "text", "timeline"):
        for limit in (1, 10, 201, 450, 1000):
            assert len(memory.search("zebra", mode=mode, limit=limit)) == min(limit, 450), (mode, limit)
    whole = [hit.frame.id for hit in memory.search("zebra", mode="timeline", limit=450)]
    assert [hit.frame.id for hit in memory.search("zebra", mode="timeline", limit=7)] == whole[:7]
