"""Numbers whose form can be checked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longmind.extract.detectors.numbers import DETECTORS, luhn


def hits(kind: str, text: str) -> list[str]:
    return [text[match.start : match.end] for match in DETECTORS[kind](text)]


@given(st.text(alphabet="0123456789", min_size=1, max_size=18))
def test_exactly_one_digit_completes_a_luhn_number(digits: str) -> None:
    assert sum(luhn(digits + str(last)) for last in range(10)) == 1


CARDS = ("4111111111111111", "5555-5555-5555-4444", "3782 822463 10005", "6011111111111117", "30569309025904")


@pytest.mark.parametrize("number", CARDS)
def test_cards_of_each_issuer_are_found(number: str) -> None:
    assert hits("card", f"use {number}, please") == [number]


def test_a_number_called_a_card_needs_no_known_issuer_but_its_check_digit() -> None:
    assert hits("card", "my card 9111111111111111") == []
    assert hits("card", "my card 9111111111111110") == ["9111111111111110"]
    assert hits("card", "parcel 9111111111111110") == []


@pytest.mark.parametrize(
    "iban",
    ["GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432", "gb82west12345698765432", "NO9386011117947"],
)
def test_ibans_are_found_solid_or_in_fours(iban: str) -> None:
    assert hits("iban", f"pay to {iban} now") == [iban]


def test_an_iban_of_the_wrong_length_or_remainder_is_none() -> None:
    assert hits("iban", "GB82 WEST 1234 5698 7654 33 or GB82 WEST 1234 5698 7654") == []


@pytest.mark.parametrize(
    "text", ["000-12-3456", "666-12-3456", "912-12-3456", "123-00-4567", "123-45-0000", "1123-45-6789"]
)
def test_impossible_social_security_numbers_are_none(text: str) -> None:
    assert hits("ssn", text) == []


@pytest.mark.parametrize(
    "text", ["203.0.113.7", "fe80::1ff:fe23:4567:890a", "2001:db8:0:0:0:0:2:1", "::ffff:203.0.113.7"]
)
def test_addresses_of_both_versions_are_found(text: str) -> None:
    assert hits("ip", f"from {text}, twice") == [text]


@pytest.mark.parametrize(
    "text", ["256.1.1.1", "1.2.3", "1.2.3.4.5", "version 1.2.3.4", "12:30:45", "a::b", "127.0.0.1", "::"]
)
def test_what_is_no_address_of_anybody_is_left(text: str) -> None:
    assert hits("ip", text) == []


@pytest.mark.parametrize(
    "text", ["a@b.co", "first.last+tag@sub.example.org", "o'neil@example.ie", "x_y%z@example.museum"]
)
def test_mail_addresses_are_found(text: str) -> None:
    assert hits("email", f"<{text}>") == [text]


def test_account_numbers_need_to_be_called_so() -> None:
    assert hits("account", "account number: 1234 5678, sort code 12-34-56") == ["1234 5678", "12-34-56"]
    assert hits("account", "number 12345678") == []
