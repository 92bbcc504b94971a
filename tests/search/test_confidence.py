"""Confidence says whether a hit bears on the question at all, and so whether there is an answer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longmind import InvalidInput, Memory
from longmind.base.filters import View
from longmind.embed.protocol import EmbedderIdentity
from longmind.search import constants
from longmind.search.confidence import names_nothing, said_together
from longmind.search.question import Question
from longmind.search.request import SearchRequest
from longmind.testing import HashEmbedder
from longmind.text.lane import TermUse, TextScores

VIOLINS = [
    f"The violin by {maker} has a {wood} back and a {tone} tone."
    for maker in ("Amati", "Guarneri", "Stradivari", "Bergonzi", "Ruggeri", "Montagnana")
    for wood, tone in (("maple", "bright"), ("poplar", "dark"), ("willow", "warm"), ("pear", "thin"))
]


@pytest.fixture(params=["words alone", "with vectors"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    embedder = None if request.param == "words alone" else HashEmbedder()
    with Memory.open(tmp_path / "store.mind", embedder=embedder) as opened:
        opened.remember_many([{"text": text} for text in VIOLINS])
        yield opened


def test_confidence_is_high_for_what_is_known_and_low_for_what_is_not(memory: Memory) -> None:
    known = memory.search("poplar back of the violin by Guarneri")
    assert known[0].confidence > 0.6
    assert "Guarneri" in known[0].frame.text
    assert "poplar" in known[0].frame.text
    unknown = memory.search("quantum chromodynamics and the colour charge of gluons")
    assert all(hit.confidence < max(unknown.known_from, 0.45) for hit in unknown)
    assert all(0 <= hit.confidence <= 1 for hit in [*known, *unknown])


def test_least_confidence_filters_before_the_limit(memory: Memory) -> None:
    every = memory.search("the warm willow violin", limit=20)
    middle = every[len(every) // 2].confidence
    chosen = memory.search("the warm willow violin", limit=20, min_score=middle)
    assert [hit.frame.id for hit in chosen] == [h.frame.id for h in every if h.confidence >= middle]
    assert not memory.search("the warm willow violin", min_score=1.0)
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        memory.search("violin", min_score=7)


def test_recall_says_that_it_knows_nothing_and_spends_nothing(memory: Memory) -> None:
    context = memory.recall("quantum chromodynamics")
    assert context.text == ""
    assert context.total_tokens == 0
    assert any("nothing stored seems to be about this" in note for note in context.notes)
    assert memory.replay(context.receipt).same
    assert "Amati" in memory.recall("the violins of Amati").text
    strict = memory.recall("the violins of Amati", min_score=1.0)
    assert (strict.text, strict.total_tokens) == ("", 0)
    assert any("no text has a confidence of 1.00" in note for note in strict.notes)
    assert memory.replay(strict.receipt).same


def test_recall_shows_what_is_far_off_to_whoever_asks_for_it(memory: Memory) -> None:
    context = memory.recall("quantum violin chromodynamics theory", min_score=0)
    assert context.items
    assert context.receipt.request["min_score"] == 0
    assert memory.replay(context.receipt).same


def test_a_question_that_names_nothing_is_answered_by_what_is_there(memory: Memory) -> None:
    assert memory.recall("what's new?").items


def test_old_questions_do_not_come_before_the_answer(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store.mind", embedder=HashEmbedder()) as memory:
        memory.remember_many(
            [
                {"text": "What is the wifi password of the office?"},
                {"text": "wifi password of the office?"},
                {"text": "Does anybody know the office wifi password? Which one is it?"},
                {"text": "The office network is called Harbour, its wifi password is blue-heron-42."},
            ]
        )
        assert "blue-heron-42" in memory.search("wifi password of the office")[0].frame.text
        asked = memory.search("which questions about the wifi password did somebody ask")
        assert not any(step.name == "only asks" for hit in asked for step in hit.steps)


def test_words_that_are_common_elsewhere_still_count_in_a_small_space(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store.mind", embedder=None) as memory:
        memory.remember_many([{"text": f"release build number {n}", "space": "builds"} for n in range(300)])
        memory.remember("The release party is on Friday.", space="home")
        memory.remember("Buy oat milk.", space="home")
        alone = memory.search("release", space="home")
        assert "party" in alone[0].frame.text
        assert alone[0].confidence > 0.6


class KnownScale(HashEmbedder):
    """Is taken for the default model, whose cosines are known without measuring them."""

    @property
    def identity(self) -> EmbedderIdentity:
        return replace(super().identity, model=constants.UNRELATED_OF)


def test_what_has_no_vector_yet_is_judged_by_its_words(tmp_path: Path) -> None:
    """As after a hook, which writes without a model: what was said before must reach the next session."""
    store = tmp_path / "store.mind"
    with Memory.open(store, embedder=KnownScale()) as memory:
        memory.remember("The boiler is serviced in May.")
    with Memory.open(store, embedder=None) as memory:
        memory.conversation("first").add_turn("user", "Orders go through the zebra outbox table.")
    with Memory.open(store, embedder=KnownScale()) as memory:
        results = memory.search("Which table do orders go through?")
        assert "zebra" in results[0].frame.text
        assert results[0].confidence >= results.known_from
        assert "zebra" in memory.recall("Which table do orders go through?").text
        assert memory.recall("How do whales sleep?").text == ""


def test_a_request_is_met_by_what_its_asker_says_of_themselves(tmp_path: Path) -> None:
    """As little in common with the request as any other text, and yet what should shape the answer."""
    with Memory.open(tmp_path / "store.mind", embedder=KnownScale()) as memory:
        own = memory.remember("My knees hurt after running downhill.").ids[0]
        others = [
            memory.remember(text, **said).ids[0]
            for text, said in (
                ("Knees hurt after running downhill.", {}),
                ("My knees hurt after running downhill!", {"role": "assistant", "session": "s"}),
                ("My knees hurt after running downhill, too.", {"speaker": "Ben", "session": "t"}),
            )
        ]
        sure = {
            hit.frame.id: hit.confidence for hit in memory.search("Can you suggest an activity for Sunday?")
        }
        assert sure[own] > 2 * max(sure[other] for other in others)
        # Looking something up is another matter: whose words they are makes no difference.
        sure = {hit.frame.id: hit.confidence for hit in memory.search("Which activity was on Sunday?")}
        assert sure[own] < 2 * max(sure[other] for other in others)


def test_words_are_said_together_and_a_name_counts_where_some_text_has_it() -> None:
    def use(term: str, frames: int, note: str = "") -> TermUse:
        return TermUse(term, frames, 2.0 if frames else 0.0, bool(frames), note)

    saying = {term: np.array(ids) for term, ids in (("carolin", [4]), ("beach", [7, 9]), ("swimmer", [9]))}
    text = TextScores(
        (use("carolin", 1), use("beach", 2), use("swimmer", 1, "begins with 'swim'"), use("xyzzy", 0)),
        np.array([4, 7, 9]),
        np.ones(3),
        saying,
    )
    rarest = math.log(1 + 100.5 / 0.5)
    assert said_together(text, np.array([7, 9]), 100) == pytest.approx(4 / (6 + rarest))
    assert said_together(text, np.array([4, 9]), 100) == pytest.approx(6 / (6 + rarest))
    assert said_together(text, np.array([2]), 100) == 0
    # Two words that stand for one that nobody says are one word.
    both = replace(text, terms=(*text.terms, use("swimwear", 1, "begins with 'swim'")))
    assert said_together(both, np.array([9]), 100) == pytest.approx(4 / (6 + rarest))
    # Where no words were looked up, as for vectors alone, they speak neither for nor against a hit.
    assert said_together(None, np.array([4]), 100) == constants.SAID_USUALLY
    ids = np.array([4, 7, 8])
    assert names_nothing(text, ("carolin",), ids).tolist() == [False, True, True]
    assert names_nothing(text, ("carolin", "beach"), ids).tolist() == [False, False, True]
    assert not names_nothing(text, ("xyzzy",), ids).any()  # a name that no text has says nothing of any
    assert not names_nothing(text, (), ids).any()


def test_names_are_words_with_a_capital_that_are_no_days_or_months() -> None:
    def named(query: str) -> tuple[str, ...]:
        return Question(SearchRequest.of(query, View.of("default"))).named

    assert named("When did Caroline see Ben in May, on a Sunday?") == ("carolin", "ben")
    assert named("Sneakers: which did I buy?") == ()
