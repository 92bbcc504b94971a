"""What is over is often named by its sort alone: "the firm", "our car", "any painkillers"."""

from __future__ import annotations

import pytest

from longmind.extract.kinds import kinds, kinds_by_noun
from longmind.facts.kinds import kinds_of
from tests.facts.test_doubt import told


@pytest.mark.parametrize(
    ("first", "second", "gone"),
    [
        ("I work as a cook at the Harbour Grill.", "I have changed jobs.", "Harbour Grill"),
        ("I'm an associate at Pryce & Lomax.", "I left the firm in March.", "Pryce"),
        ("Our son Emil works at Lidl.", "Our son has a new job.", "Lidl"),
        ("I use a Nokia for work.", "I got a new phone at the weekend.", "Nokia"),
        ("We watch series on Hulu.", "We've cancelled our streaming subscription.", "Hulu"),
        ("We have a dog called Bess.", "Our dog died last night.", "Bess"),
        ("I take naproxen every morning.", "I don't need any painkillers now.", "naproxen"),
        ("I'm taking a course in Polish.", "My language course is over.", "Polish"),
        ("We lease a Kia.", "The lease on our car ended, so we gave it back.", "Kia"),
        ("My brother Olav lives in Bergen.", "My brother has sold the house.", "Bergen"),
        ("I'm on Fedora.", "I wiped that distro yesterday.", "Fedora"),
        ("We're flying to Tallinn on 3 June.", "The trip in June is off.", "Tallinn"),
        ("I play squash on Sundays.", "I've switched sports.", "squash"),
        ("I bank with Monzo.", "I've changed banks.", "Monzo"),
        ("My phone contract is with Vodafone.", "We switched to a different carrier.", "Vodafone"),
        ("I have a cat called Tosca.", "I no longer have any pets.", "Tosca"),
        ("I drive a Clio.", "I signed the car over to my niece.", "Clio"),
        ("My gym is Ironhold.", "The gym is closed for good.", "Ironhold"),
        ("My gym is Ironhold.", "The gym has closed down.", "Ironhold"),
        ("I work at Klarna.", "I left Klarna early in 2024.", "Klarna"),
    ],
)
def test_what_is_over_need_not_be_named(first: str, second: str, gone: str) -> None:
    before = {line for line in told(first) if gone in line}
    assert before
    assert before.isdisjoint(told(first, second))


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("I drive a Clio.", "I left the car at the station.", "Clio"),
        ("I drive a Clio.", "My neighbour sold the car he had.", "Clio"),
        ("I drive a Clio.", "I'd like a new car one day.", "Clio"),
        ("I drive a Clio.", "We bought a second car for my son.", "Clio"),
        ("I live in Ghent.", "I left the house at seven.", "Ghent"),
        ("I work at Klarna.", "I have a new phone.", "Klarna"),
        ("I work at Klarna.", "If I changed jobs, I'd move north.", "Klarna"),
        ("I work at Klarna.", "My sister has changed jobs.", "Klarna"),
        ("I work at Klarna.", "I'm thinking of leaving the firm.", "Klarna"),
        ("I use a Nokia for work.", "I switched off my phone.", "Nokia"),
        ("I use a Nokia for work.", "I dropped my phone in the bath.", "Nokia"),
        ("We have a dog called Bess.", "I left the dog with my parents.", "Bess"),
        ("We have a dog called Bess.", "We left Bess with our neighbours.", "Bess"),
        ("We have a dog called Bess.", "Our neighbour's dog died.", "Bess"),
        ("We have a dog called Bess.", "Does the new dog food have any meat in it?", "Bess"),
        ("My cats are Pip and Juno.", "Our cat died.", "Pip"),
        ("I take naproxen every morning.", "The chemist has no painkillers left.", "naproxen"),
        ("I take naproxen every morning.", "My aunt takes no painkillers.", "naproxen"),
        ("I bank with Monzo.", "The bank closed at four today.", "Monzo"),
        ("I train at Ironhold.", "The gym closed early on Friday.", "Ironhold"),
        ("I train at Ironhold.", "The gym is shut this week.", "Ironhold"),
        ("I train at Ironhold.", "I nearly cancelled my gym membership.", "Ironhold"),
        ("My dentist is Dr Fairweather.", "The dentist is closed on Mondays.", "Fairweather"),
        ("My bank is Barclays.", "The bank was closed over Christmas.", "Barclays"),
        ("I work at Klarna.", "I left Klarna at five.", "Klarna"),
        ("I work at Klarna.", "I left Klarna early today.", "Klarna"),
        ("I work at Klarna.", "left klarna early, im at home", "Klarna"),
        ("I'm signed up for the Oslo run.", "I nearly pulled out of the Oslo run.", "Oslo run"),
        ("I play squash on Sundays.", "Any sport is better than none.", "squash"),
        ("I'm on Fedora.", "What is a good distro for my mother?", "Fedora"),
        ("I study law at Leiden.", "My course starts in September.", "law"),
    ],
)
def test_a_sort_of_thing_that_is_not_over_ends_nothing(first: str, second: str, kept: str) -> None:
    after = told(first, second)
    assert any(kept in line for line in after), after


def _of(predicate: str, value: str) -> set[str]:
    return {noun for number in kinds_of(predicate, value) for noun in kinds()[number].nouns}


def test_a_thing_is_of_a_sort_by_its_predicate_or_by_its_name() -> None:
    assert "firm" in _of("works_at", "Klarna")
    assert "phone" in _of("uses", "Samsung for the booking app")
    assert "painkiller" in _of("habit", "take ibuprofen every day")
    assert "database" in _of("is_on", "Postgres 16")
    assert "bank" not in _of("likes", "the river bank")


def test_a_name_that_is_also_a_plain_word_counts_only_with_a_capital() -> None:
    assert "car" in _of("drives", "a red Golf")
    assert "car" not in _of("plays", "golf on Sundays")
    assert "chat tool" in _of("uses", "Slack at work")
    assert "chat tool" not in _of("has", "some slack on Fridays")


def test_the_longest_noun_is_what_a_sentence_names() -> None:
    assert "streaming subscription" in kinds_by_noun()
    kept = told("I have a subscription to Wired.", "We cancelled our streaming subscription.")
    assert any("Wired" in line for line in kept), kept
