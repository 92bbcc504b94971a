"""How much somebody takes, after somebody changed it."""

from __future__ import annotations

import pytest

from tests.facts.test_doubt import check_replaced, told

FIRST = "Noor takes 20 mg of omeprazole in the morning."


@pytest.mark.parametrize(
    "second",
    [
        "The GP raised Noor's omeprazole to 40 mg.",
        "Noor's omeprazole has been raised from 20 mg to 40 mg.",
        "Her week was fine, and the consultant has upped Noor's omeprazole dose to 40 mg.",
    ],
)
def test_a_new_dose_takes_the_place_of_the_old_one(second: str) -> None:
    check_replaced(FIRST, second, "20 mg", "Noor omeprazole 40 mg")


@pytest.mark.parametrize(
    "second",
    [
        "The GP might raise Noor's omeprazole to 40 mg.",
        "Has the GP raised Noor's omeprazole to 40 mg?",
        "If the GP raised Noor's omeprazole to 40 mg, she would sleep.",
        "The GP raised Otto's omeprazole to 40 mg.",
        "The GP raised Noor's hopes.",
    ],
)
def test_a_dose_stays(second: str) -> None:
    assert any("Noor takes 20 mg of omeprazole" in line for line in told(FIRST, second))
