"""Postal addresses."""

from __future__ import annotations

import pytest

from longmind.extract.detectors.places import find_addresses


def hits(text: str) -> list[str]:
    return [text[match.start : match.end] for match in find_addresses(text)]


@pytest.mark.parametrize(
    "address",
    [
        "742 Evergreen Terrace, Springfield, IL 62704",
        "10 Downing Street, London SW1A 2AA",
        "221B Baker Street",
        "1600 N. Clark St Apt 4, Chicago, IL 60614",
        "Rua de Santa Catarina 312",
        "Via Garibaldi 12",
        "Hauptstraße 5",
        "Vesterbrogade 14",
        "PO Box 1234, Chester, PA 19016",
    ],
)
def test_addresses_are_found_with_their_town(address: str) -> None:
    assert hits(f"Write to {address}.") == [address]


def test_a_named_address_needs_no_word_for_street() -> None:
    assert hits("She lives at 14 Bramley, Leeds.") == ["14 Bramley, Leeds"]


@pytest.mark.parametrize(
    "text",
    [
        "5 minutes on the way",
        "During 1971, Acme grew",
        "mediated via activation of 5",
        "let it rest in a warm place for 24 hours",
        "The 3 big hits on the road",
        "Pier 39, Fisherman's Wharf",
    ],
)
def test_other_numbers_near_such_words_are_left(text: str) -> None:
    assert hits(text) == []
