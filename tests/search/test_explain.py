"""Every hit says how it got its place, and every frame that is no hit can be asked why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from longmind import ALL, AsOf, FrozenClock, InvalidInput, Memory, Unavailable
from longmind.base.times import to_ms
from longmind.search.constants import RRF_K, RRF_WEIGHTS
from longmind.search.results import Hit
from longmind.store.drafts import chunked, draft
from longmind.store.write import put
from tests.conftest import START
from tests.search.test_independence import QUESTIONS, items
from tests.vectors.opening import open_memory

DAY = 86_400_000
MAY = to_ms(datetime(2023, 5, 7, 12, tzinfo=UTC))


@pytest.fixture
def memory(location: str) -> Iterable[Memory]:
    with open_memory(location, embedder=None, clock=FrozenClock(START)) as opened:
        yield opened


def steps(hit: Hit) -> dict[str, float]:
    return {step.name: step.amount for step in hit.steps}


def texts(results: Iterable[Hit]) -> list[str]:
    return [hit.frame.text for hit in results]


# The sum of the steps


@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_the_steps_of_a_hit_add_up_to_its_score(vector_location: str, fusion: Any) -> None:
    with open_memory(vector_location, clock=FrozenClock(START)) as memory:
        memory.remember_many(items(40))
        for question in QUESTIONS:
            for mode in ("hybrid", "text", "vector", "timeline"):
                results = memory.search(
                    question, space=ALL, limit=100, mode=mode, fusion=fusion, reference=START
                )
                scores = [hit.score for hit in results]
                assert scores == sorted(scores, reverse=True)
                for hit in results:
                    assert sum(step.amount for step in hit.steps) == pytest.approx(hit.score, abs=1e-9)
                    assert all(step.amount != 0 for step in hit.steps)


def test_reciprocal_ranks_are_weighted_by_the_type_of_the_question(vector_location: str) -> None:
    with open_memory(vector_location, clock=FrozenClock(START)) as memory:
        memory.remember_many(items(30))
        for question, kind in (
            *(
                ("zebra river", "semantic"),
                ("who is the lion", "factual"),
                ("tell me about coffee", "exploratory"),
            ),
            ("lamp before the winter", "temporal"),
        ):
            results = memory.search(question, space=ALL, fusion="rrf", times="ignore", limit=50)
            assert (results.query_type, results.fusion) == (kind, "rrf")
            for hit in results:
                expected = sum(
                    RRF_WEIGHTS[results.query_type][lane] / (RRF_K + found.rank)  # type: ignore[index]
                    for lane, found in hit.lanes.items()
                )
                assert hit.score == pytest.approx(expected)


def test_an_answer_explains_itself_in_words(memory: Memory) -> None:
    memory.remember("the zebra of ERR_42 drinks", occurred_at=MAY)
    memory.remember("the zebra sleeps")
    results = memory.search('who saw the "zebra of" ERR_42 on 7 May 2023?', limit=1)
    text = results.explain()
    for part in (
        "factual question (begins like a question of fact: 'who'); score fusion",
        "text: 2 frames; looked for",
        "vector: did not run; the store was opened with embedder=None",
        *("1. frame 1", "text rank 1", "words +", "identifier +", "phrase +0.5000  says 'zebra of'"),
        "date +0.1000  '7 May 2023' is 2023-05-07T00:00:00Z to 2023-05-08T00:00:00Z",
    ):
        assert part in text, part
    assert results.revision == memory.revision


def test_results_are_a_sequence(memory: Memory) -> None:
    memory.remember_many(["zebra one", "zebra two", "zebra three"])
    results = memory.search("zebra")
    assert len(results) == 3
    assert list(results) == list(results.hits)
    assert results[0] == results.hits[0]
    assert results[-1] == results.hits[-1]
    assert results[:2] == results.hits[:2]
    assert results.query == "zebra"
    assert bool(results)
    assert not memory.search("zebra", space="elsewhere")


# Time in the question


@pytest.fixture
def dated(memory: Memory) -> Memory:
    memory.remember("the zebra drinks", occurred_at=MAY)
    memory.remember("the zebra sleeps", occurred_at=MAY - 40 * DAY)
    memory.remember("the zebra runs", occurred_at=MAY + 40 * DAY)
    memory.remember("a lion", occurred_at=MAY)
    return memory


def test_a_date_raises_the_frames_of_that_time_and_says_so(dated: Memory) -> None:
    results = dated.search("zebra on 7 May 2023")
    assert texts(results)[0] == "the zebra drinks"
    assert steps(results[0])["date"] == pytest.approx(0.1)
    assert all("date" not in steps(hit) for hit in results if hit.frame.occurred_at != MAY)
    [note] = results.notes
    assert note == "'7 May 2023' is 2023-05-07T00:00:00Z to 2023-05-08T00:00:00Z"
    assert {"the zebra sleeps", "the zebra runs"} <= set(texts(results))


def test_a_date_can_be_a_filter_or_be_ignored(dated: Memory) -> None:
    assert set(texts(dated.search("zebra on 7 May 2023", times="filter"))) == {"the zebra drinks", "a lion"}
    assert texts(dated.search("zebra on 7 May 2023", times="filter", lanes=["text"])) == ["the zebra drinks"]
    ignored = dated.search("zebra on 7 May 2023", times="ignore")
    assert ignored.notes == ()
    assert all("date" not in steps(hit) and "timeline" not in hit.lanes for hit in ignored)
    narrowed = dated.search("zebra before June 2023", times="filter", where={"since": MAY}, lanes=["text"])
    assert texts(narrowed) == ["the zebra drinks"]


def test_relative_times_need_a_reference_and_say_so_without_one(dated: Memory) -> None:
    results = dated.search("the zebra last week")
    assert results.notes == ("'last week' could not be resolved without a reference time; pass reference=",)
    assert all("date" not in steps(hit) for hit in results)
    results = dated.search("the zebra last week", reference=MAY + 7 * DAY)
    assert texts(results)[0] == "the zebra drinks"
    assert "'last week' is 2023-05-0" in results.notes[0]
    moment = datetime(2023, 5, 14, 12, tzinfo=UTC)
    assert dated.search("the zebra last week", reference=moment).notes == results.notes
    with pytest.raises(InvalidInput, match="time zone"):
        dated.search("the zebra last week", reference=moment.replace(tzinfo=None))


def test_days_begin_where_the_asker_lives(dated: Memory) -> None:
    late = to_ms(datetime(2023, 5, 7, 23, 30, tzinfo=UTC))
    dated.remember("the zebra dreams", occurred_at=late)
    tokyo = dated.search("zebra on 8 May 2023", times="filter", lanes=["text"], zone=ZoneInfo("Asia/Tokyo"))
    assert texts(tokyo) == ["the zebra dreams"]
    assert texts(dated.search("zebra on 8 May 2023", times="filter", lanes=["text"])) == []


def test_a_question_for_the_newest_brings_in_the_newest(dated: Memory) -> None:
    results = dated.search("what is the latest news of the zebra?")
    assert results[0].frame.text == "the zebra runs"
    timeline = next(lane for lane in results.lanes if lane.name == "timeline")
    assert timeline.found == 4
    assert timeline.detail == "asks for the newest: 'latest'"
    assert steps(results[0])["timeline"] == pytest.approx(0.1)
    places = {hit.frame.text: hit.lanes["timeline"].rank for hit in results}
    assert places["the zebra runs"] == 1
    assert places["the zebra sleeps"] == 4


def test_a_plain_question_does_not_wake_the_timeline(dated: Memory) -> None:
    results = dated.search("zebra")
    assert all("timeline" not in hit.lanes for hit in results)
    assert next(lane for lane in results.lanes if lane.name == "timeline").found == 0


# The type of the question


@pytest.mark.parametrize(
    ("question", "kind", "reason"),
    [
        ("who wrote this", "factual", "begins like a question of fact: 'who'"),
        ("ERR_42", "factual", "names an identifier or a quotation: 'R_4'"),
        ("when was that", "temporal", "asks about time: 'when'"),
        ("tell me about cats", "exploratory", "asks for a survey: 'tell me about'"),
        ("cats and dogs", "semantic", "no rule for another type fits"),
    ],
)
def test_the_type_of_a_question_comes_with_its_reason(question: str, kind: str, reason: str) -> None:
    with open_memory(":memory:", embedder=None) as memory:
        results = memory.search(question)
    assert (results.query_type, results.query_reason) == (kind, reason)
    assert f"{kind} question ({reason})" in results.explain()


# A reranker


class Scripted:
    """Gives the scores it was told to, and notes what it was asked."""

    def __init__(self, scores: Any) -> None:
        self.scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((query, list(texts)))
        if isinstance(self.scores, Exception):
            raise self.scores
        given: Sequence[float] = self.scores(texts) if callable(self.scores) else self.scores
        return given


def reranked(scores: Any, count: int = 5) -> tuple[Memory, Scripted]:
    reranker = Scripted(scores)
    memory = open_memory(":memory:", embedder=None, reranker=reranker)
    memory.remember_many(
        {"text": f"zebra {'z' * place}", "occurred_at": START + place} for place in range(1, count + 1)
    )
    return memory, reranker


def test_a_reranker_has_the_last_word_on_the_first_places() -> None:
    memory, reranker = reranked(lambda texts: [float(len(text)) for text in texts])
    with memory:
        results = memory.search("zebra")
        assert texts(results) == sorted(texts(results), key=len, reverse=True)
        assert [hit.steps[-1].name for hit in results] == ["reranker"] * 5
        assert reranker.asked[0][0] == "zebra"
        for place, hit in enumerate(results, 1):
            why = memory.why_not("zebra", hit.frame.id)
            assert (why.found, why.rank, why.hit) == (True, place, hit)


def test_a_reranker_leaves_ties_and_the_far_end_as_they_were() -> None:
    memory, reranker = reranked(lambda texts: [1.0] * len(texts), count=30)
    with memory:
        plain = open_memory(":memory:", embedder=None)
        plain.remember_many(
            {"text": f"zebra {'z' * place}", "occurred_at": START + place} for place in range(1, 31)
        )
        assert texts(memory.search("zebra", limit=30)) == texts(plain.search("zebra", limit=30))
        assert len(reranker.asked[0][1]) == 20
        plain.close()


def test_a_reranker_is_not_asked_about_nothing() -> None:
    memory, reranker = reranked([])
    with memory:
        assert not memory.search("lion", lanes=["text"])
        assert reranker.asked == []


def test_a_reranker_that_does_not_answer_is_reported() -> None:
    memory, _ = reranked(Unavailable("The cross-encoder sleeps.", hint="Wake it."))
    with memory:
        results = memory.search("zebra")
        assert len(results) == 5
        assert results.notes == ("the reranker could not run: The cross-encoder sleeps. Wake it.",)


@pytest.mark.parametrize("scores", [[1.0], [1.0] * 6, [float("nan")] * 5])
def test_a_reranker_that_answers_nonsense_is_an_error(scores: list[float]) -> None:
    memory, _ = reranked(scores)
    with memory, pytest.raises(InvalidInput, match="The reranker gave"):
        memory.search("zebra")


# Why not?


def test_a_frame_that_never_was_or_was_erased_is_missing(memory: Memory) -> None:
    frame_id = memory.remember("zebra").id
    memory.erase(frame_id)
    for missing in (frame_id, 999, 2**62):
        why = memory.why_not("zebra", missing)
        assert (why.found, why.stage, why.frame_id) == (False, "missing", missing)
    for wrong in (0, -1, "1", True, None):
        with pytest.raises(InvalidInput):
            memory.why_not("zebra", wrong)  # type: ignore[arg-type]


def test_a_frame_of_another_space_is_as_if_it_were_not_there(memory: Memory) -> None:
    live, gone = (memory.remember(f"zebra {name}", space="theirs").id for name in ("live", "gone"))
    shared = memory.remember("zebra for all", space="theirs", scope="global").id
    memory.forget(gone, space="theirs")
    for frame_id in (live, gone):
        why = memory.why_not("zebra", frame_id)
        assert replace(why, frame_id=0) == replace(memory.why_not("zebra", 10**9), frame_id=0)
        assert (why.found, why.stage) == (False, "missing")
    assert memory.why_not("zebra", live, space="theirs").found
    assert memory.why_not("zebra", live, space=ALL).found
    assert memory.why_not("zebra", shared).found
    assert memory.why_not("zebra", gone, space=ALL).stage == "instant"


def test_a_frame_of_another_time_is_lost_at_the_instant(memory: Memory) -> None:
    before = memory.revision
    old, new = memory.remember_many(["zebra old", "zebra new"]).ids
    future = memory.remember("zebra to come", occurred_at=START + 10 * DAY).id
    then = memory.revision
    memory.supersede(old, new)
    why = memory.why_not("zebra", old)
    assert (why.found, why.stage) == (False, "instant")
    assert f"superseded by frame {new}" in why.reason
    assert memory.why_not("zebra", old, as_of=AsOf(then, AsOf.LATEST.valid)).found
    early = memory.why_not("zebra", old, as_of=AsOf(before, AsOf.LATEST.valid))
    assert (early.stage, early.reason) == (
        "instant",
        "At the instant asked for it was not known or not yet so.",
    )
    assert memory.why_not("zebra", future, as_of=AsOf(AsOf.LATEST.system, START)).stage == "instant"
    assert memory.why_not("zebra", future).found


def test_a_frame_outside_the_conditions_is_lost_at_the_filter(dated: Memory) -> None:
    why = dated.why_not("zebra", 1, where={"tags": ["blue"]})
    assert (why.found, why.stage, why.reason) == (False, "filter", "The conditions in where= leave it out.")
    why = dated.why_not("zebra in April 2023", 1, times="filter")
    assert (why.found, why.stage) == (False, "filter")
    assert "'April 2023' is 2023-04-01T00:00:00Z" in why.reason
    assert dated.why_not("zebra in April 2023", 1).found


def test_a_document_that_is_found_by_its_chunks_is_not_indexed_itself(memory: Memory) -> None:
    whole = chunked(draft("zebra lion", space="default", kind="document"), [(0, 5, None), (6, 10, None)])
    with memory.store.write() as tx:
        [done] = put(tx, [whole], parts=memory.store.parts)
    why = memory.why_not("zebra", done.id)
    assert (why.found, why.stage) == (False, "not indexed")
    assert memory.why_not("zebra", done.chunks[0]).found
    assert texts(memory.search("zebra")) == ["zebra"]


def test_a_frame_that_no_lane_looked_for_says_what_each_lane_did(memory: Memory) -> None:
    memory.remember("zebra")
    frame_id = memory.remember("lion").id
    why = memory.why_not("zebra", frame_id)
    assert (why.found, why.stage) == (False, "no lane")
    assert "text: not among its 1" in why.reason
    assert "vector: the store was opened with embedder=None" in why.reason


def test_a_frame_below_the_limit_says_its_place(memory: Memory) -> None:
    memory.remember_many(f"zebra {'z ' * place}" for place in range(12))
    results = memory.search("zebra", limit=12)
    last = results[-1]
    why = memory.why_not("zebra", last.frame.id, limit=3)
    assert (why.found, why.stage, why.rank) == (False, "below limit", 12)
    assert why.reason == "It came at place 12 of 12, below the limit of 3."
    assert why.hit == last
    for place, hit in enumerate(results, 1):
        why = memory.why_not("zebra", hit.frame.id, limit=12)
        assert (why.found, why.stage, why.rank, why.hit) == (True, "found", place, hit)


def test_asking_why_agrees_with_searching(vector_location: str) -> None:
    with open_memory(vector_location, clock=FrozenClock(START)) as memory:
        ids = memory.remember_many(items(25)).ids
        memory.forget(ids[3], space=ALL)
        for question in QUESTIONS[:5]:
            options: dict[str, Any] = {"space": "alpha", "reference": START}
            places = {
                hit.frame.id: place
                for place, hit in enumerate(memory.search(question, limit=5, **options), 1)
            }
            for frame_id in ids:
                why = memory.why_not(question, frame_id, limit=5, **options)
                assert why.found == (frame_id in places)
                assert not why.found or why.rank == places[frame_id]
                assert why.stage in ("found", "below limit", "missing", "instant", "no lane")


def test_reading_changes_nothing(memory: Memory) -> None:
    memory.remember_many(["zebra one", "zebra two"])
    before = memory.revision
    first = memory.search("zebra")
    for _ in range(3):
        assert memory.search("zebra") == first
        memory.why_not("zebra", 1)
    assert memory.revision == before


def test_a_time_without_frames_is_told_from_a_question_without_time() -> None:
    with open_memory(":memory:", embedder=None) as memory:
        memory.remember("zebra", occurred_at=START)
        for query, said in (
            ("zebra in May 1987", "no frame is of that time"),
            ("zebra", "the question does not ask about time"),
        ):
            [report] = [lane for lane in memory.search(query).lanes if lane.name == "timeline"]
            assert (report.found, report.detail) == (0, said)
