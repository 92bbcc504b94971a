"""Small copies and vectors of pictures: written, checked and erased with their frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.store.drafts import Attachment, Draft
from longmind.store.engine import Connection, scalar
from longmind.store.parts import Part, Problem
from longmind.store.tables import Tables
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.write import ids_of


class ThumbnailRow(NamedTuple):
    frame_id: int
    media_type: str
    width: int
    height: int
    picture: bytes


class VectorRow(NamedTuple):
    frame_id: int
    embedder: str
    """The name and the version of the model: vectors of two models are never compared."""
    vector: bytes
    """Float16, little-endian, of length one."""


TABLES: Final = Tables(
    {ThumbnailRow: "media_thumbnail", VectorRow: "media_vector"}, keys={ThumbnailRow: 1, VectorRow: 2}
)


@dataclass(frozen=True, slots=True)
class SmallCopy(Attachment):
    """A picture as it is stored: small, and without anything its camera wrote."""

    media_type: str
    width: int
    height: int
    picture: bytes


@dataclass(frozen=True, slots=True)
class PictureVector(Attachment):
    embedder: str
    vector: bytes


class MediaPart(Part):
    """Keeps what the readers of photos and videos attached to their frames."""

    name = "media"

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        attached = [draft.attached for draft in drafts]
        return attached if any(attached) else None

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        for frame_id, attached in zip(ids_of(frames), prepared or (), strict=False):
            if isinstance(attached, tuple):
                put(tx.db, frame_id, attached)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        if deep:
            yield from TABLES.verify(snapshot.db, ThumbnailRow)
            yield from TABLES.verify(snapshot.db, VectorRow)

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        return {
            "thumbnails": scalar(snapshot.db, "SELECT count(*) FROM media_thumbnail"),
            "picture_vectors": scalar(snapshot.db, "SELECT count(*) FROM media_vector"),
        }


def put(db: Connection, frame_id: int, attached: Iterable[object]) -> None:
    """Store what belongs to a frame, in place of what was there of the same kind."""
    for item in attached:
        if isinstance(item, SmallCopy):
            TABLES.upsert(db, ThumbnailRow(frame_id, item.media_type, item.width, item.height, item.picture))
        elif isinstance(item, PictureVector):
            TABLES.upsert(db, VectorRow(frame_id, item.embedder, item.vector))
