"""Changes to frames that a caller asks for, by id or by filter: labels, superseding, retiring, erasing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longmind.base.checks import check_metadata, check_tags
from longmind.base.errors import InvalidInput
from longmind.base.expiry import UNCHANGED, Unchanged
from longmind.base.filters import View, Where
from longmind.base.frame import Forgotten, Frame
from longmind.base.parameters import WhereLike
from longmind.store import expiry, frames, write
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.store.erasure import ErasureCertificate


def update(
    store: Store,
    frame_id: int,
    view: View,
    *,
    tags: Iterable[str] | None,
    metadata: Mapping[str, Any] | None,
    expires_at: int | Unchanged | None = UNCHANGED,
) -> Frame:
    """Replace a frame's tags or metadata, or when it expires."""
    new_tags = None if tags is None else check_tags(tags)
    new_values = None if metadata is None else check_metadata(metadata)
    with store.write() as tx:
        frame = frames.get(tx.db, store.engine.dialect, check_frame_id(frame_id), view)
        if frame.start is not None:
            raise InvalidInput(f"Frame {frame_id} is a chunk.", hint=f"Update its parent {frame.parent}.")
        redactor = store.redaction.redactor(frame.space, tx)
        if redactor is not None:
            new_tags = None if new_tags is None else check_tags([redactor.text(tag) for tag in new_tags])
            new_values = None if metadata is None else check_metadata(redactor.value(dict(metadata)))
        changed = write.relabel(
            tx,
            frame_id,
            add_tags=new_tags or (),
            drop_tags=() if new_tags is None else set(frame.tags) - set(new_tags),
            set_metadata=new_values,
            drop_metadata=() if new_values is None else set(frame.metadata) - set(new_values),
        )
        if not isinstance(expires_at, Unchanged):
            expiry.put_moment(tx, frame_id, expires_at)
        for part in store.parts if changed else ():
            part.relabelled(tx, frame_id)
        # Also where its new labels hide it from now on: whoever changed it is told what it is now.
        return frames.get(tx.db, store.engine.dialect, frame_id, replace(view, with_hidden=True))


def supersede(store: Store, old: int, new: int, view: View) -> Forgotten:
    """Retire one frame in favour of another."""
    ids = check_frame_id(old), check_frame_id(new)
    with store.write() as tx:
        write.supersede(tx, *ids, view=view, parts=store.parts)
    return Forgotten((old,))


def forget(store: Store, frame_id: int | None, where: WhereLike, view: View) -> Forgotten:
    """Retire a frame, or all that match, hidden ones too: what is to go goes whole."""
    view = replace(view, with_hidden=True)
    with store.write(makes_room=True) as tx:
        if where is None:
            ids = write.resolve(tx.db, [check_frame_id(frame_id)], view)
        else:
            ids = frames.select_ids(tx.db, view, _condition(frame_id, where))
        return Forgotten(tuple(write.retire(tx, ids, reason="forgotten", parts=store.parts)))


def erase(store: Store, frame_id: int | None, where: WhereLike, view: View) -> ErasureCertificate:
    """Remove a frame, or all that match."""
    from longmind.store import erasure

    view = replace(view, with_hidden=True)
    if where is None:
        return erasure.erase(store, [check_frame_id(frame_id)], view=view)
    condition = _condition(frame_id, where)
    with store.read() as snapshot:
        ids = frames.select_whole_ids(snapshot.db, view, condition)
    return erasure.erase(store, ids, view=view)


def check_frame_id(frame_id: object) -> int:
    """A number that a frame can have."""
    # 2**63: the first integer that neither engine can store.
    if isinstance(frame_id, bool) or not isinstance(frame_id, int) or not 0 < frame_id < 2**63:
        raise InvalidInput(
            f"{frame_id!r} is not a valid frame id.", hint="Give a positive whole number, or where=."
        )
    return frame_id


def _condition(frame_id: int | None, where: WhereLike) -> Where:
    if frame_id is not None:
        raise InvalidInput(
            "Give an id or where=, not both.", hint="Use where={'ids': [...]} to narrow a filter down."
        )
    condition = Where.of(where)
    if condition.is_empty:
        raise InvalidInput("An empty where= would match everything.", hint="Give at least one condition.")
    return condition
