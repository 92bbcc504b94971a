"""A store with the ledger as one of its parts, on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from longmind import FrozenClock
from longmind.base.filters import View
from longmind.facts.extraction import ReferenceExtractor
from longmind.facts.ledger import Ledger
from longmind.facts.part import FactsPart
from longmind.ingest import pipeline
from longmind.store import erasure, write
from longmind.store.drafts import chunked, draft
from longmind.store.erasure import ErasureCertificate
from longmind.store.store import Store, open_store


class World:
    """A store with frames and facts, as a test moves it along."""

    def __init__(self, store: Store, clock: FrozenClock) -> None:
        self.store = store
        self.clock = clock
        self.facts = Ledger(store, "default")

    def remember(self, text: str, *, space: str = "default", **given: Any) -> int:
        return pipeline.remember(self.store, [draft(text, space=space, **given)]).ids[0]

    def remember_chunks(self, text: str, *ranges: tuple[int, int], space: str = "default") -> tuple[int, ...]:
        """A document cut at these bytes: its id, then those of its chunks."""
        whole = chunked(draft(text, space=space), [(start, end, None) for start, end in ranges])
        first = pipeline.remember(self.store, [whole]).ids[0]
        return tuple(range(first, first + 1 + len(ranges)))

    def forget(self, *ids: int, reason: str = "forgotten") -> None:
        with self.store.write() as tx:
            write.retire(tx, ids, reason=reason, parts=self.store.parts)

    def supersede(self, old: int, new: int, *, space: str = "default") -> None:
        with self.store.write() as tx:
            write.supersede(tx, old, new, view=View((space,)), parts=self.store.parts)

    def erase(self, *ids: int, space: str = "default") -> ErasureCertificate:
        return erasure.erase(self.store, ids, view=View((space,)))

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.store.read() as snapshot:
            return snapshot.db.all(sql)


@pytest.fixture
def new_world(clock: FrozenClock) -> Iterator[Callable[..., World]]:
    """Opens stores that the test's end closes."""
    opened: list[Store] = []

    def make(location: str, *, part: FactsPart | None = None, **given: Any) -> World:
        store = open_store(location, clock=clock, parts=[part or FactsPart(ReferenceExtractor())], **given)
        opened.append(store)
        return World(store, clock)

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def world(location: str, new_world: Callable[..., World]) -> World:
    """A new store with the reference extractor; the test runs once per engine."""
    return new_world(location)


@pytest.fixture
def quiet(location: str, new_world: Callable[..., World]) -> World:
    """A new store that reads nothing from its frames."""
    return new_world(location, part=FactsPart())


@pytest.fixture
def home(quiet: World) -> World:
    """A ledger in which everybody lives in one place at a time."""
    quiet.facts.define_predicate("lives_in", cardinality="one")
    return quiet
