"""Postings are read once, counted rightly, and the same whether a term is known as common or not."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from longmind import Memory
from longmind.text.postings import Terms, frames_of
from tests.vectors.opening import open_memory

TEXTS = ("zebra river river", "zebra stone", "zebra", "river", "lamp")
SAID = {"zebra": {1: 1, 2: 1, 3: 1}, "river": {1: 2, 4: 1}, "stone": {2: 1}, "lamp": {5: 1}}


@pytest.fixture
def memory(location: str) -> Iterable[Memory]:
    with open_memory(location, embedder=None) as opened:
        opened.remember_many(TEXTS)
        yield opened


@pytest.mark.parametrize("common", [(), ("zebra",), ("zebra", "river", "nobody")])
@pytest.mark.parametrize("padding", [0, 40])
def test_terms_are_counted_and_read(memory: Memory, common: tuple[str, ...], padding: int) -> None:
    wanted = ["river", "zebra", "nobody", "lamp", *(f"unsaid{number}" for number in range(padding))]
    with memory.store.read() as snapshot:
        terms = Terms(snapshot, dict.fromkeys(common, (0, 99)))
        assert terms.frames(wanted) == {"river": 2, "zebra": 3, "lamp": 1}
        found = terms.postings(["zebra", "river", "stone", "nobody"])
        read: dict[str, dict[int, int]] = {}
        place = 0
        for term, size in found.sizes.items():
            pairs = list(zip(found.ids.tolist(), found.times.tolist(), strict=True))
            read[term] = dict(pairs[place : place + size])
            place += size
        assert read == {term: SAID[term] for term in ("river", "stone", "zebra")}
        assert len(terms.postings([]).ids) == 0
        assert frames_of(snapshot.db, "river").tolist() == [1, 4]
        assert frames_of(snapshot.db, "nobody").tolist() == []


def test_a_term_that_became_common_or_rare_is_scored_the_same(
    memory: Memory, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an engine remembers of earlier questions never changes an answer."""
    import longmind.text.lane as lane

    monkeypatch.setattr(lane, "COMMON_FROM", 4)
    monkeypatch.setattr(lane, "COMMON_SHARE", 0.3)

    def asked(asker: Memory) -> list[tuple[int, float]]:
        found = asker.search("zebra river stone lamp", lanes=["text"])
        why = "very common, and rarer words remain"
        [report] = found.lanes
        assert report.detail == f"looked for lamp, stone; left out river ({why}), zebra ({why})"
        return [(hit.frame.id, hit.score) for hit in found]

    first = asked(memory)
    assert asked(memory) == first
    with open_memory(location, embedder=None) as fresh:
        assert asked(fresh) == first
    memory.remember_many(f"paper {number}" for number in range(20))
    both = memory.search("zebra river stone lamp", lanes=["text"])
    with open_memory(location, embedder=None) as fresh:
        again = fresh.search("zebra river stone lamp", lanes=["text"])
    assert [(hit.frame.id, hit.score) for hit in both] == [(hit.frame.id, hit.score) for hit in again]
    assert {hit.frame.id for hit in both} == {1, 2, 3, 4, 5}
