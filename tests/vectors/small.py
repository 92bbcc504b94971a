"""The large ranges of the vector lane at a small size: engines that leave exact search early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from longmind import AsOf, Memory
from longmind.base.filters import View
from longmind.search.embedding import bind_embedder
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.search.results import SearchResults

Search = Callable[..., SearchResults]


def searcher(memory: Memory, *, exact_limit: int, embedder: Any = "hash:32") -> Search:
    """Searches the memory's store; above `exact_limit` windows by codes, or by the server."""
    meaning = bind_embedder(memory.store, embedder, cache=Path(), exact_limit=exact_limit)
    engine = SearchEngine(memory.store, embedding=meaning)

    def search(
        query: str,
        *,
        space: Any = "default",
        where: Any = None,
        as_of: AsOf = AsOf.LATEST,
        limit: int = 10,
        mode: str = "vector",
    ) -> SearchResults:
        return engine.search(
            SearchRequest.of(query, View.of(space, as_of), where=where, limit=limit, mode=mode)
        )

    return search


def method(results: SearchResults) -> str:
    """How the vector lane looked."""
    return next(lane.detail for lane in results.lanes if lane.name == "vector")
