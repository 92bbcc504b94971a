"""Telephone numbers by plan, by shape and by the words around them."""

from __future__ import annotations

import pytest

from longmind.extract.detectors.phones import find_phones


def hits(text: str, region: str | None = None) -> list[str]:
    return [text[match.start : match.end] for match in find_phones(text, region=region)]


@pytest.mark.parametrize(
    "number",
    [
        "(415) 555-0132",
        "415-555-0132",
        "415.555.0132",
        "+44 20 7946 0958",
        "+1-212-555-0187x123",
        "020 7946 0958",
        "01 23 45 67 89",
        "+46 (0)8 928 571 38",
        "0171/1234567",
    ],
)
def test_numbers_are_known_by_their_shape(number: str) -> None:
    assert hits(f"Here it is: {number}") == [number]


@pytest.mark.parametrize(
    "text", ["Phone: 467 3395", "call me at 78 651 450", "99 668472 (office)", "Tel. 28-64-66-98"]
)
def test_short_numbers_are_known_by_what_is_said_around_them(text: str) -> None:
    assert len(hits(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "on 2023-02-10/11",
        "17.05.2024",
        "1234567",
        "12 345 678 inhabitants",
        "order 415-555-0132",
        "x = 4155550132",
        "4.17175960541",
        "reach 190-195 degrees",
        "1999-2004",
        "$415 555 0132",
        "219-09-9999",
    ],
)
def test_other_numbers_are_left(text: str) -> None:
    assert hits(text) == []


def test_brackets_without_a_partner_stay_outside() -> None:
    assert hits("(1-800-433-7300 in the US)") == ["1-800-433-7300"]


def test_brackets_around_a_whole_number_stay_outside() -> None:
    assert hits("our hotline 1-800-MEMORIES (1-800-636-7437) is free") == ["1-800-636-7437"]
    assert hits("Here it is: (415) 555-0132") == ["(415) 555-0132"]
