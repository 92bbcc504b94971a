"""The extension points: every name is there, and what is registered is used."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from longmind import Memory, protocols
from longmind.base.errors import InvalidInput
from longmind.protocols import Ordering, Question, Scores, SpaceIndex, register_ordering

PAGE = Path(__file__).resolve().parents[1] / "docs" / "extending.md"


class LastWritten:
    """By slot: the object that was written last comes first."""

    name = "test-last-written"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        return Scores(np.arange(index.size, dtype=float), np.ones(index.size, dtype=bool))


def test_the_page_shows_every_protocol() -> None:
    text = PAGE.read_text("utf-8")
    offered = re.findall(r"^\| `(\w+)` \|", protocols.__doc__ or "", re.MULTILINE)
    assert len(offered) == 8
    assert set(offered) <= set(protocols.__all__)
    for name in offered:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        assert f"](#{words.replace(' ', '-')}" in text, name


def test_a_registered_ordering_orders_a_space() -> None:
    ordering: Ordering = LastWritten()
    register_ordering(ordering)
    with Memory.open(":memory:", embedder=None, ordering=ordering.name) as memory:
        space = memory.space("shop")
        for path in ("tea/b", "tea/c", "tea/a"):
            space.remember_structured({"path": path, "kind": "guide", "raw": "Tea."})
        bundle = space.recall_context("tea")
    assert [section["path"] for section in bundle.to_dict()["sections"]] == ["tea/a", "tea/c", "tea/b"]
    assert not bundle.warnings


@pytest.mark.parametrize("name", ["basic", "Mine", ""])
def test_names_that_orderings_cannot_have_are_refused(name: str) -> None:
    ordering = LastWritten()
    ordering.name = name
    with pytest.raises(InvalidInput):
        register_ordering(ordering)
