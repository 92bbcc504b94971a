"""Photos, videos and sound of one memory: reading them, their parts, and pictures that look alike."""

from __future__ import annotations

from typing import Final

from longmind.base.filters import SpaceLike, View, Where
from longmind.base.frame import FrameList
from longmind.base.parameters import FrameId
from longmind.base.times import AsOf
from longmind.media.tools import MediaTools
from longmind.store import frames
from longmind.store.edit import check_frame_id
from longmind.store.store import Store

_MOST_PARTS: Final = 100_000


class Media:
    """What a memory does with photos, videos and sound beside searching them."""

    def __init__(self, store: Store, space: str, tools: MediaTools) -> None:
        self._store = store
        self._space = space
        self.tools = tools
        """What reads text in pictures and speech; set its fields before the first ingest."""

    def parts(
        self, frame_id: FrameId, *, space: SpaceLike | None = None, as_of: AsOf = AsOf.LATEST
    ) -> FrameList:
        """The blocks of text in a photo with their boxes, or the seconds of a recording, in order."""
        view, number = self._view(space, as_of), check_frame_id(frame_id)
        dialect = self._store.engine.dialect
        with self._store.read() as snapshot:
            frames.get(snapshot.db, dialect, number, view)  # refuses what is not there
            page = frames.page(
                snapshot.db, dialect, view, Where(parent=number), limit=_MOST_PARTS, cursor=None, chunks=True
            )
        return FrameList(page.frames)

    def _view(self, space: SpaceLike | None, as_of: AsOf = AsOf.LATEST) -> View:
        return View.of(self._space if space is None else space, as_of)
