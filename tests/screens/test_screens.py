"""What people see in a terminal, kept as text: a change of output shows up in the change that makes it."""

from __future__ import annotations

import sys

import pytest

from tests.screens.walk import HERE, WALKS, screens


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal")
def test_the_screens_of_every_walk_are_as_kept() -> None:
    seen = screens()
    assert set(seen) == set(WALKS)
    for name, text in seen.items():
        kept = (HERE / f"{name}.txt").read_text(encoding="utf-8")
        assert text == kept, f"{name}.txt differs; if it should, run: python -m tests.screens.walk"
