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


class LastById:
    """The object with the last id comes first."""

    name = "test-last-by-id"

    def score(self, index: SpaceIndex, question: Question) -> Scores:
        scores = np.zeros(index.size)
        scores[[index.slot_of[name] for name in sorted(index.slot_of)]] = np.arange(len(index.slot_of))
        return Scores(scores, np.ones(index.size, dtype=bool))


def test_the_page_shows_every_protocol() -> None:
    text = PAGE.read_text("utf-8")
    offered = re.findall(r"^\| `(\w+)` \|", protocols.__doc__ or "", re.MULTILINE)
    assert len(offered) == 9
    assert set(offered) <= set(protocols.__all__)
    for name in offered:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        assert f"](#{words.replace(' ', '-')}" in text, name


def test_a_registered_ordering_orders_a_space() -> None:
    ordering: Ordering = LastById()
    register_ordering(ordering)
    with Memory.open(":memory:", embedder=None, ordering=ordering.name) as memory:
        space = memory.space("shop")
        for number, path in enumerate(("tea/b", "tea/c", "tea/a")):
            space.remember_structured({"id": f"tea-{number}", "path": path, "kind": "guide", "raw": "Tea."})
        bundle = space.recall_context("tea")
    assert [section["path"] for section in bundle.to_dict()["sections"]] == ["tea/a", "tea/c", "tea/b"]
    assert not bundle.warnings


@pytest.mark.parametrize("name", ["basic", "Mine", ""])
def test_names_that_orderings_cannot_have_are_refused(name: str) -> None:
    ordering = LastById()
    ordering.name = name
    with pytest.raises(InvalidInput):
        register_ordering(ordering)
