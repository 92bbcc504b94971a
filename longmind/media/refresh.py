"""Makes thumbnails and vectors of photos that were read without them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from longmind.base.errors import LongmindError, Unsupported
from longmind.base.filters import View, Where
from longmind.base.frame import Frame, Kind
from longmind.ingest.report import Skip
from longmind.ingest.source import Source, Unreadable
from longmind.media.nearest import identity
from longmind.media.part import put
from longmind.media.tools import MediaTools
from longmind.store import frames
from longmind.store.drafts import Attachment
from longmind.store.engine import Connection
from longmind.store.store import Store
from longmind.store.visible import Clause, both, either, visible

_FILE: Final = "file"


@dataclass(slots=True)
class Refreshed:
    thumbnails: int = 0
    vectors: int = 0
    skipped: list[Skip] = field(default_factory=list)


def refresh(store: Store, tools: MediaTools, view: View, limit: int | None) -> Refreshed:
    """One transaction for each photo, so that an interrupted call keeps what it made."""
    if tools.thumbnails is None and tools.images is None:
        raise Unsupported(
            "There is nothing to make: neither thumbnails nor an image embedder are set.",
            hint="Set LONGMIND_THUMBNAILS=256 or LONGMIND_IMAGES=FOLDER.",
        )
    made = Refreshed()
    with store.read() as snapshot:
        ids = _lacking(snapshot.db, tools, view, limit)
    for frame_id in ids:
        with store.read() as snapshot:
            rows = frames.fetch(snapshot.db, store.engine.dialect, [frame_id], view)
        if not rows:  # retired since it was listed
            continue
        frame = rows[0]
        try:
            attached = _attached(frame, tools)
        except Unreadable as error:
            made.skipped.append(Skip(frame.uri or "", error.reason, error.message))
            continue
        except LongmindError as error:
            made.skipped.append(Skip(frame.uri or "", error.code, error.message))
            continue
        with store.write() as tx:
            if frames.stored(tx.db, [frame_id]):
                put(tx.db, frame_id, attached)
        made.thumbnails += tools.thumbnails is not None
        made.vectors += tools.images is not None
    return made


def _lacking(db: Connection, tools: MediaTools, view: View, limit: int | None) -> list[int]:
    missing: list[Clause] = []
    if tools.thumbnails is not None:
        missing.append(Clause("NOT EXISTS (SELECT 1 FROM media_thumbnail t WHERE t.frame_id = f.frame_id)"))
    if tools.images is not None:
        missing.append(
            Clause(
                "NOT EXISTS (SELECT 1 FROM media_vector v WHERE v.frame_id = f.frame_id AND v.embedder = ?)",
                (identity(tools.images),),
            )
        )
    photos = visible(view, Where(kind=Kind.PHOTO))
    condition = both([photos, Clause("f.start_byte IS NULL"), either(missing)])
    sql = f"SELECT f.frame_id FROM frame f WHERE {condition.sql} ORDER BY f.frame_id"
    ids = [int(row[0]) for row in db.all(sql, condition.values)]
    return ids if limit is None else ids[:limit]


def _attached(frame: Frame, tools: MediaTools) -> list[Attachment]:
    import hashlib

    from longmind.media.pictures import open_picture, picture_vector, small_copy, upright

    address = urlsplit(frame.uri or "")
    if address.scheme != _FILE:
        raise Unreadable("unsupported", "It was not read from a file.")
    data = Source.from_path(Path(unquote(address.path))).load()
    if frame.metadata.get("hash") != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise Unreadable("unsupported", "Its file has changed since; read it again.")
    image = upright(open_picture(data))
    attached: list[Attachment] = []
    if tools.thumbnails is not None:
        attached.append(small_copy(image, tools.thumbnails))
    if tools.images is not None:
        attached.append(picture_vector(image, tools.images))
    return attached
