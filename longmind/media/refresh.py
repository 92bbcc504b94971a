"""Makes thumbnails and vectors of photos that were read without them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
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


@dataclass(slots=True)
class Refreshed:
    thumbnails: int = 0
    vectors: int = 0
    skipped: list[Skip] = field(default_factory=list)


def refresh(
    store: Store, tools: MediaTools, view: View, folders: Sequence[Path], limit: int | None
) -> Refreshed:
    """One transaction for each photo, so that an interrupted call keeps what it made.

    Only files in `folders` are opened: the addresses in a store may be anybody's.
    """
    if tools.thumbnails is None and tools.images is None:
        raise Unsupported(
            "There is nothing to make: neither thumbnails nor an image embedder are set.",
            hint="Set LONGMIND_THUMBNAILS=256 or LONGMIND_IMAGES=FOLDER.",
        )
    refreshed = Refreshed()
    with store.read() as snapshot:
        ids = _lacking(snapshot.db, tools, view)
    roots = [folder.expanduser().resolve() for folder in folders]
    for frame_id in ids:
        if limit is not None and max(refreshed.thumbnails, refreshed.vectors) >= limit:
            break
        with store.read() as snapshot:
            rows = frames.fetch(snapshot.db, store.engine.dialect, [frame_id], view)
        if not rows:  # retired since it was listed
            continue
        frame = rows[0]
        path = _file(frame)
        if path is None or not any(path.is_relative_to(root) for root in roots):
            continue
        try:
            attached = _attached(frame, path, tools)
        except Unreadable as error:
            refreshed.skipped.append(Skip(frame.uri or "", error.reason, error.message))
            continue
        except LongmindError as error:
            refreshed.skipped.append(Skip(frame.uri or "", error.code, error.message))
            continue
        with store.write() as tx:
            if frames.stored(tx.db, [frame_id]):
                put(tx.db, frame_id, attached)
        refreshed.thumbnails += tools.thumbnails is not None
        refreshed.vectors += tools.images is not None
    return refreshed


def _lacking(db: Connection, tools: MediaTools, view: View) -> list[int]:
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
    return [int(row[0]) for row in db.all(sql, condition.values)]


def _file(frame: Frame) -> Path | None:
    address = urlsplit(frame.uri or "")
    return Path(unquote(address.path)).resolve() if address.scheme == "file" else None


def _attached(frame: Frame, path: Path, tools: MediaTools) -> list[Attachment]:
    from longmind.media.pictures import open_picture, picture_vector, small_copy, upright

    data = Source.from_path(path).load()
    if frame.metadata.get("hash") != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise Unreadable("unsupported", "Its file has changed since; read it again.")
    image = upright(open_picture(data))
    attached: list[Attachment] = []
    if tools.thumbnails is not None:
        attached.append(small_copy(image, tools.thumbnails))
    if tools.images is not None:
        attached.append(picture_vector(image, tools.images))
    return attached
