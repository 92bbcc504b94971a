"""No row of a design document is without a test, and no test is on one engine alone without a reason."""

from __future__ import annotations

import pytest

from tests.seeds.coverage import BOTH, Row, exists, rows

ROWS = list(rows())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.document}: {row.row}")
def test_every_row_has_tests_on_both_engines_or_says_why_not(row: Row) -> None:
    assert row.tests
    for test in row.tests:
        assert exists(test), f"{test} does not exist"
    assert row.engines, "say in `alone` why it runs on one engine"
    assert not (row.alone and row.engines == BOTH), "it runs on both, so there is nothing to explain"


def test_rows_are_told_apart() -> None:
    names = [(row.document, row.row) for row in ROWS]
    assert len(set(names)) == len(names)
    assert len(ROWS) > 100
