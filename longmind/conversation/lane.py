"""Memories as a lane of a context: those that answer, then the strongest."""

from __future__ import annotations

from collections.abc import Sequence

from longmind.base.filters import Where
from longmind.base.frame import Kind
from longmind.context.items import Item
from longmind.context.lanes import RecallRequest, whole
from longmind.context.recipe import LaneRecipe
from longmind.conversation.query import listed
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchRequest
from longmind.search.results import SearchResults
from longmind.store.frames import fetch
from longmind.store.store import Store
from longmind.store.transaction import Snapshot


class MemoriesLane:
    """For recipes: `memories`. Only what is active, long-term before mid-term where both are strong."""

    def __init__(self, store: Store, search: SearchEngine) -> None:
        self._store = store
        self._search = search

    def items(
        self, request: RecallRequest, lane: LaneRecipe, *, results: SearchResults, snapshot: Snapshot
    ) -> Sequence[Item]:
        found = self._search.search(
            SearchRequest(
                request.query,
                request.view,
                where=Where(kind=Kind.MEMORY),
                limit=lane.items,
                lanes=("text", "vector", "facts"),
                times="ignore",
            )
        )
        frames = [hit.frame for hit in found]
        if len(frames) < lane.items:
            known = {frame.id for frame in frames}
            dialect = self._store.engine.dialect
            wanted = [
                item.frame_id
                for layer in ("long", "mid")
                for item in listed(
                    snapshot.db,
                    dialect,
                    request.view,
                    layer=layer,
                    status="active",
                    sort="score",
                    limit=lane.items,
                    exclude_pii=False,
                )
                if item.frame_id not in known
            ]
            frames += fetch(snapshot.db, dialect, wanted[: lane.items - len(frames)], request.view)
        return [whole(frame, "memories", rank) for rank, frame in enumerate(frames, 1)]
