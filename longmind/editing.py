"""Changing and removing what is remembered: by id, by filter, or all of one person's."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from longmind.base.caller import audited
from longmind.base.expiry import UNCHANGED, Ttl, TtlLike, Unchanged, expiry
from longmind.base.filters import SpaceLike, UserLike, View
from longmind.base.frame import Forgotten, Frame
from longmind.base.parameters import AsUser, FrameId, MaybeFrameId, NewMetadata, NewTags, WhereLike
from longmind.people import erase_person
from longmind.store import edit
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.store.erasure import ErasureCertificate


@audited("")
class Editing:
    """What `Memory` does to frames that are there."""

    store: Store
    default_space: str
    default_user: str | None

    def update(
        self,
        frame_id: FrameId,
        *,
        tags: NewTags = None,
        metadata: NewMetadata = None,
        expires_at: datetime | int | Unchanged | None = UNCHANGED,
        ttl: Ttl = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> Frame:
        """Set a frame's tags or metadata, or when it expires; labels of before stay visible as of before.

        `expires_at=None` lets it stay for good.
        """
        expires = _new_expiry(expires_at, ttl, now=self.store.now())
        return edit.update(
            self.store, frame_id, self._own(space, user), tags=tags, metadata=metadata, expires_at=expires
        )

    def supersede(
        self,
        old: Annotated[int, "The frame that no longer holds."],
        new: Annotated[int, "The frame that holds instead."],
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> Forgotten:
        """Retire a frame in favour of another; the history links them."""
        return edit.supersede(self.store, old, new, self._own(space, user))

    def forget(
        self,
        frame_id: MaybeFrameId = None,
        *,
        where: WhereLike = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> Forgotten:
        """Retire a frame, or all that match: gone from answers, still there as of before.

        Use it when something was wrong, is no longer wanted, or the user asks to forget it. The answer names
        the frames that were retired now; forgetting twice changes nothing.
        """
        return edit.forget(self.store, frame_id, where, self._own(space, user))

    def erase(
        self,
        frame_id: MaybeFrameId = None,
        *,
        where: WhereLike = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
    ) -> ErasureCertificate:
        """Remove a frame, or all that match, with everything derived from it, and return a certificate.

        With `user` and neither a frame nor a filter: everything of that person, in all spaces or in those
        that `space` names.
        """
        if isinstance(user, str) and frame_id is None and where is None:
            return erase_person(self.store, user, space)
        return edit.erase(self.store, frame_id, where, self._own(space, user))

    def _own(self, space: SpaceLike | None, user: UserLike) -> View:
        """What may be changed: a user's own part, if one is named, else what all share."""
        own_space = self.default_space if space is None else space
        return View.of(own_space, user=self.default_user if user is None else user, to_change=True)


def _new_expiry(
    expires_at: datetime | int | Unchanged | None, ttl: TtlLike, *, now: int
) -> int | Unchanged | None:
    if isinstance(expires_at, Unchanged):
        return expires_at if ttl is None else expiry(None, ttl, now=now)
    return expiry(expires_at, ttl, now=now)
