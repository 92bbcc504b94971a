"""Endings told by who brought them about, and periods told by what else happened then."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from longmind import AsOf, FrozenClock, Memory
from tests.facts.test_doubt import told

SAID = datetime(2025, 5, 7, 9, tzinfo=UTC)


def held_in(text: str, day: str | None, *before: str) -> list[str]:
    """What is held on a day, or now, after somebody said all this."""
    clock = FrozenClock(SAID)
    with Memory.open(":memory:", clock=clock, embedder=None) as memory:
        for each in (*before, text):
            memory.conversation("c").add_turn("user", each)
            clock.advance(days=1)
        at = AsOf.LATEST
        if day is not None:
            at = AsOf(system=memory.revision, valid=datetime.fromisoformat(day).replace(tzinfo=UTC))
        hits = [change.after for change in memory.facts.diff(AsOf(system=0, valid=0), at) if change.after]
        facts = [f"{hit.fact.subject} {hit.fact.predicate} {hit.fact.object}" for hit in hits]
        return [fact for fact in facts if not fact.startswith("session:")]


@pytest.mark.parametrize(
    "second",
    [
        "Nordea made me redundant on Friday.",
        "The bank let me go last month.",
        "They've laid us off, the whole team.",
        "My boss sacked me yesterday.",
        "So they gave me the push this morning.",
        "I was made redundant along with the others.",
    ],
)
def test_whom_a_firm_dismissed_works_there_no_more(second: str) -> None:
    assert "user works_at Nordea" not in told("I work at Nordea.", second)


@pytest.mark.parametrize(
    "second",
    [
        "My boss let me go early.",
        "They let me go home at three.",
        "Mum let me go on Friday.",
        "They let me go on Friday to the fair.",
        "She gave me the push I needed.",
        "If Nordea made me redundant, I'd travel.",
        "Nordea might make me redundant.",
        "Has Nordea made anybody redundant?",
        "Nordea made my colleague Ines redundant.",
        "The coach really fired me up.",
        "They laid a new carpet at Nordea.",
        "The judge let him off.",
    ],
)
def test_whom_nobody_dismissed_still_works_there(second: str) -> None:
    assert "user works_at Nordea" in told("I work at Nordea.", second)


def test_a_relative_whom_somebody_dismissed_works_nowhere() -> None:
    after = told("My sister Rita works at Nordea. I work at Nordea too.", "Nordea let Rita go in March.")
    assert "user works_at Nordea" in after
    assert "Rita works_at Nordea" not in after


@pytest.mark.parametrize(
    ("second", "is_divorced"),
    [
        ("Ian and Carol got divorced last week.", True),
        ("Ian and Carol's divorce came through.", True),
        ("Carol and Ian split up after Easter.", False),
        ("Ian got divorced.", True),
        ("Ian's divorce is final.", True),
    ],
)
def test_a_couple_that_parted_is_married_no_more(second: str, is_divorced: bool) -> None:
    after = told("My brother is Ian. Ian is married to Carol.", second)
    assert not any("married_to" in fact for fact in after), after
    assert ("Ian marital_status divorced" in after) == is_divorced
    assert "user brother Ian" in after


@pytest.mark.parametrize(
    "second",
    [
        "Ian and Carol split the bill.",
        "Ian and Carol nearly split up.",
        "Did Ian and Carol split up?",
        "Ian and Tom split up at the station.",
        "If Ian and Carol got divorced, I'd be sad.",
        "Ian and Carol broke the vase.",
        "Carol's sister got divorced.",
    ],
)
def test_a_couple_that_did_not_part_is_still_married(second: str) -> None:
    assert "Ian married_to Carol" in told("My brother is Ian. Ian is married to Carol.", second)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I'm a school governor and I coach the under-9s.", "I do yoga on Mondays now.", "school governor"),
        ("I'm very fond of opera.", "These days my brother Leo keeps bees.", "opera"),
        ("I'm scared of heights.", "I only drink tea now.", "heights"),
    ],
)
def test_something_else_that_is_so_now_ends_nothing_that_somebody_is(
    first: str, second: str, kept: str
) -> None:
    assert any(kept in fact for fact in told(first))
    assert any(kept in fact for fact in told(first, second))


@pytest.mark.parametrize(
    ("text", "day", "expected"),
    [
        ("Until we moved here in 2019 our vet was Ms Lund.", "2018-03-01", "user vet Ms Lund"),
        ("Before I left in 2016 my boss was Karl Adler, a kind man.", "2015-03-01", "user boss Karl Adler"),
        ("I was a scout leader until the kids came in 2014.", "2012-03-01", "scout leader"),
        ("I lived in Turku until 2018 and I've been living in Oulu ever since.", "2021-01-01", "Oulu"),
        ("I worked at Saab until 2017 and I've been working at Scania ever since.", "2021-01-01", "Scania"),
        ("Acme's CFO is Ann Lee. She took over in 2021 from Bob Ray.", "2022-01-01", "Acme cfo Ann Lee"),
        ("Acme's CFO is Ann Lee. She took over in 2021 from Bob Ray.", "2019-01-01", "Acme cfo Bob Ray"),
        ("Our coach is Ana Diaz, who succeeded Per Holm in June 2020.", "2020-03-01", "Per Holm"),
        (
            "Our chair is Ada Kern. She replaced Max Orth in 2022, who had been chair since 2015.",
            "2016-03-01",
            "Max Orth",
        ),
        ("In 2012 I was driving a taxi in Hull.", "2012-05-01", "taxi"),
        ("Back in 2009 I was teaching chess at a club.", "2009-05-01", "chess"),
    ],
)
def test_a_period_is_told_by_what_happened_then(text: str, day: str, expected: str) -> None:
    assert any(expected in fact for fact in held_in(text, day)), held_in(text, day)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Until we moved here in 2019 our vet was Ms Lund.", "Lund"),
        ("Acme's CFO is Ann Lee. She took over in 2021 from Bob Ray, who'd been CFO since 2011.", "Bob Ray"),
        ("I was a scout leader until the kids came in 2014.", "scout"),
        ("In 2012 I was driving a taxi in Hull.", "taxi"),
        ("In 2015 I was stacking shelves at Lidl.", "Lidl"),
        ("Three years ago I was renovating a barn in Wales.", "barn"),
    ],
)
def test_what_was_so_then_is_not_held_now(text: str, never: str) -> None:
    assert not any(never in fact for fact in held_in(text, None)), held_in(text, None)


def test_who_had_a_role_before_is_not_taken_for_who_has_it_now() -> None:
    facts = held_in("Our GP was Dr Poole until 2022.", "2021-03-01", "Our GP is Dr Anand.")
    assert "user gp Dr Poole" in facts
    assert not any(fact.startswith("Dr Anand") for fact in facts)


def test_a_memory_of_who_had_a_role_says_so(memory: Memory) -> None:
    memory.conversation("c").add_turn("user", "Our landlord was Mrs Dunn until 2022.")
    contents = {item.content for item in memory.memories.list(limit=10)}
    assert contents <= {"User's landlord was Mrs Dunn"}


@pytest.mark.parametrize("day", ["Sunday", "Friday"])
def test_what_happened_on_a_weekday_lies_before_it_was_said(day: str) -> None:
    """It is said on a Wednesday."""
    [fact] = [fact for fact in held_in(f"Biscuit died on {day}.", None) if "died" in fact]
    assert "May 2025" in fact
    assert int(fact.split(" May")[0].split()[-1]) < SAID.day


@pytest.mark.parametrize(
    ("first", "second", "gone", "kept"),
    [
        (
            "We own a touring caravan and a dinghy.",
            "The dinghy went to its new owners today.",
            "dinghy",
            "caravan",
        ),
        ("I own a boat and a motorbike.", "I sold the boat.", "boat", "motorbike"),
        ("We have a van and two bikes.", "We sold the van last week.", "van", "bikes"),
        ("We have two cats and a dog.", "The dog died in May.", "dog", "cats"),
        ("I take a statin and an aspirin.", "I've come off the aspirin.", "aspirin", "statin"),
        (
            "Now I'm retired I do mornings at the food bank and Fridays in the charity shop.",
            "Monday was my last day at the food bank.",
            "food bank",
            "charity shop",
        ),
    ],
)
def test_of_two_things_told_at_once_one_may_end(first: str, second: str, gone: str, kept: str) -> None:
    before = told(first)
    assert any(gone in fact for fact in before), before
    after = told(first, second)
    assert not any(gone in fact and "went_to" not in fact for fact in after), after
    assert any(kept in fact for fact in after), after


@pytest.mark.parametrize(
    "second",
    [
        "Should I sell the boat?",
        "My brother sold his boat.",
        "I left the boat at the jetty.",
        "We might sell the boat next year.",
        "The boat went to the workshop for a week.",
    ],
)
def test_neither_ends_where_nothing_is_over(second: str) -> None:
    after = told("I own a boat and a motorbike.", second)
    assert {"user owns boat", "user owns motorbike"} <= set(after), after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The boat is sold, which leaves us with the caravan.", "has the caravan"),
        ("That leaves me with the Corsa.", "has the Corsa"),
    ],
)
def test_what_somebody_is_left_with_they_have(text: str, expected: str) -> None:
    assert any(expected in fact for fact in told(text)), told(text)


def test_who_is_left_with_a_question_has_nothing() -> None:
    assert not any("question" in fact for fact in told("That leaves us with the question of lunch."))


def test_a_house_that_is_named_after_a_mother_is_not_the_mother() -> None:
    facts = held_in("**Mama's Fish House**: a famous place.", None)
    assert "user mother Fish House" not in facts
