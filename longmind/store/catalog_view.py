"""The catalog at one snapshot: the columns of the segments that a view names, and the masks made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from longmind.base.arrays import BoolArray, Int32Array, Int64Array, np
from longmind.base.columns import FrameIds, Mask, is_shown, joined, joined_mask
from longmind.base.filters import EVERYTHING, Condition, View, Where
from longmind.base.names import ALL
from longmind.base.times import FOREVER, AsOf
from longmind.store.segments import Segment
from longmind.store.transaction import Snapshot
from longmind.store.visible import both, matching

if TYPE_CHECKING:
    from longmind.store.catalog import _FrameTable

CODED: Final = ("space", "kind", "session", "role", "speaker", "source")
_TESTED: Final = {
    "kind": "kind",
    "session": "session",
    "role": "role",
    "speaker": "speaker",
    "source": "source",
    "occurred_at": "occurred_at",
    "parent_id": "parent",
    "frame_id": "",
}
"""The columns of `frame` that a condition is tested by in memory, and their names here.

Not the uri, which is another one for nearly every frame and is rarely asked for.
"""


@dataclass(slots=True)
class Columns:
    """Arrays by slot, or by frame id where they are of several segments; -1 is a missing text or id."""

    present: BoolArray
    is_global: BoolArray
    is_chunk: BoolArray
    is_turn: BoolArray
    """Part of a conversation: in a session, and said by somebody."""
    has_chunks: BoolArray
    """A document that is found through its chunks."""
    space: Int32Array
    kind: Int32Array
    session: Int32Array
    role: Int32Array
    speaker: Int32Array
    source: Int32Array
    parent: Int64Array
    ordinal: Int64Array
    occurred_at: Int64Array
    recorded_at: Int64Array
    retired_at: Int64Array
    content: Int64Array
    """The first eight bytes of the content hash: ties that do not depend on the order of writing."""
    talk: Int64Array
    """A number for space and session together, -1 outside of sessions."""
    previous: Int64Array
    """With `next`, the ids of the frames beside this one in its session by time; 0 for none."""
    next: Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class PartView:
    """One segment at a snapshot."""

    segment: Segment
    frames: FrameIds
    columns: Columns
    table: _FrameTable

    def slots(self, ids: Int64Array) -> Int64Array:
        """Of those of the frames that are here."""
        slots = self.frames.slots(ids)
        return slots[slots > 0]

    def code(self, name: str, value: str, shared: dict[str, dict[str, int]]) -> int | None:
        return (shared[name] if name in shared else self.table.codes[name]).get(value)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The frames whose words count for one view: those of its spaces, and global ones, at its system time.

    Neither the caller's conditions nor valid time change it, so that a filter never changes a score.
    """

    inside: Mask | None
    """By frame id; None where every frame of the segments counts, and these are the whole store."""
    speakers: frozenset[int] | None
    """The codes of those who speak in these frames; None where every frame counts."""
    parts: tuple[PartView, ...] = ()

    def among(self, ids: Int64Array) -> Int64Array:
        """Those of the frames that count."""
        return ids if self.inside is None else ids[is_shown(self.inside, ids)]


@dataclass(frozen=True, eq=False)
class CatalogView:
    """The catalog at one snapshot."""

    parts: tuple[PartView, ...]
    codes: dict[str, dict[str, int]]
    """Of the columns whose numbers all segments share."""
    voices: dict[str, set[int]]
    """Speakers by each word of their names, folded."""
    snapshot: Snapshot

    @cached_property
    def columns(self) -> Columns:
        """By frame id."""
        [first, *others] = self.parts
        if not others and first.frames.is_identity:
            return first.columns
        names = [column.name for column in fields(Columns)]
        by_id: dict[str, Any] = {
            name: joined([(part.frames, getattr(part.columns, name)) for part in self.parts])
            for name in names
        }
        return Columns(**by_id)

    @cached_property
    def size(self) -> int:
        """One more than the highest id."""
        return 1 + max(int(part.frames.ids[-1]) for part in self.parts)

    def code(self, name: str, value: str) -> int | None:
        return self.codes[name].get(value)

    def visible(self, view: View, where: Where) -> Mask:
        """By frame id: may a request with this view and filter see the frame?"""
        return joined_mask([(part.frames, mask) for part, mask in self.masks(view, where)])

    def masks(self, view: View, where: Where) -> list[tuple[PartView, BoolArray]]:
        """Segment by segment: may a request with this view and filter see the frame?"""
        shown = view.as_of, view.spaces, view.user, view.is_own, view.with_hidden
        return [(part, self._part_visible(part, view, where, shown)) for part in self.parts]

    def inside(self, view: View) -> list[tuple[PartView, BoolArray]]:
        """Segment by segment: is the frame in the view's spaces, whenever it was there?"""
        return [(part, part.columns.present & self._in_spaces(part, view)) for part in self.parts]

    def _part_visible(self, part: PartView, view: View, where: Where, shown: tuple[Any, ...]) -> BoolArray:
        # By how much has expired, not by the clock, which never stands still.
        conditions = "" if where == EVERYTHING else repr(where)
        key = (self.snapshot.revision, len(part.frames), shown, self._lapsed(part, view), conditions)
        cached = part.table.mask(key)
        if cached is not None:
            return cached
        mask = self._at_instant(part, view) & self._in_spaces(part, view)
        mask = self._matching(part, mask, where, view)
        mask.setflags(write=False)
        part.table.keep(key, mask)
        return mask

    def corpus(self, view: View) -> Corpus:
        """The frames whose statistics a read of this view may use."""
        at_end = view.at(AsOf(system=view.as_of.system, valid=FOREVER))
        system = min(view.as_of.system, self.snapshot.revision)
        named = (at_end.spaces, at_end.user, at_end.is_own, at_end.with_hidden)
        sizes = tuple(len(part.frames) for part in self.parts)
        lapsed = tuple(self._lapsed(part, at_end) for part in self.parts)
        return self.parts[0].table.corpus(
            (self.snapshot.revision, sizes, *named, system, lapsed), lambda: self._corpus(at_end)
        )

    def _corpus(self, view: View) -> Corpus:
        masks = [self._at_instant(part, view) & self._in_spaces(part, view) for part in self.parts]
        if self._is_whole() and np.array_equal(masks[0], self.parts[0].columns.present):
            return Corpus(None, None, self.parts)
        heard = np.zeros(len(self.codes["speaker"]) + 1, dtype=bool)
        for part, inside in zip(self.parts, masks, strict=True):
            inside.setflags(write=False)
            heard[part.columns.speaker[inside]] = True  # the last place is for frames without a speaker
        inside_all = joined_mask([(part.frames, mask) for part, mask in zip(self.parts, masks, strict=True)])
        return Corpus(inside_all, frozenset(heard[:-1].nonzero()[0].tolist()), self.parts)

    def _is_whole(self) -> bool:
        """Whether there are no other frames in the store: then postings need no look for them."""
        [part, *others] = self.parts
        if others or part.segment.kind == "all":
            return not others
        return (
            part.frames.is_identity
            and self.snapshot.db.one(
                "SELECT 1 FROM frame WHERE frame_id > ? LIMIT 1", (int(part.frames.ids[-1]),)
            )
            is None
        )

    def _at_instant(self, part: PartView, view: View) -> BoolArray:
        system = min(view.as_of.system, self.snapshot.revision)
        columns, table = part.columns, part.table
        mask: BoolArray = columns.present & (columns.recorded_at <= system) & (columns.retired_at > system)
        if view.as_of.valid != FOREVER:
            mask &= columns.occurred_at <= view.as_of.valid
        if not view.with_hidden:
            mask[part.slots(table.hidden(self.snapshot))] = False
        mask[part.slots(table.absences.at(system))] = False
        for first, last in table.staged.at(system):
            start, end = part.frames.ids.searchsorted((first, last + 1))
            mask[start:end] = False
        moment = view.expiry_moment
        if moment is not None:
            mask[part.slots(table.expired(self.snapshot, moment))] = False
        return mask

    def _lapsed(self, part: PartView, view: View) -> int:
        moment = view.expiry_moment
        if moment is None:
            return 0
        expired = part.table.expired(self.snapshot, moment)
        return len(part.slots(expired)) if len(expired) else 0

    def _in_spaces(self, part: PartView, view: View) -> BoolArray:

        everywhere = np.ones(len(part.frames), dtype=bool)
        if part.segment.kind == "partition" or (view.spaces is ALL and view.user is ALL):
            return everywhere
        if part.segment.kind == "global" and not view.is_own:
            return everywhere
        mask: BoolArray = part.columns.is_global & (not view.is_own)
        spaces = part.table.codes["space"]
        if view.spaces is ALL or view.user is ALL:
            codes = [code for name, code in list(spaces.items()) if view.covers(name)]
        else:
            codes = [spaces[name] for name in view.spaces if name in spaces]
        return mask | np.isin(part.columns.space, codes)

    def _matching(self, part: PartView, mask: BoolArray, where: Where, view: View) -> BoolArray:
        for condition in where.conditions():
            if condition.column in _TESTED:
                mask &= self._test(part, condition)
        rest = matching(where, view, besides=_TESTED)
        if not rest.is_true:
            clause = both([part.segment.clause(), rest])
            sql = f"SELECT f.frame_id FROM frame f WHERE {clause.sql}"
            rows = self.snapshot.db.all(sql, clause.values)
            mask &= _among(part, (row[0] for row in rows))
        return mask

    def _test(self, part: PartView, condition: Condition) -> BoolArray:

        if condition.column == "frame_id":
            return _among(part, condition.value)
        name = _TESTED[condition.column]
        column, value = getattr(part.columns, name), condition.value
        if condition.test == ">=":
            return np.asarray(column >= value)
        if condition.test == "<":
            return np.asarray(column < value)
        if name in CODED:
            codes = (part.code(name, text, self.codes) for text in value)
            value = [code for code in codes if code is not None]
        return np.isin(column, value)


def _among(part: PartView, ids: Iterable[int]) -> BoolArray:

    mask = np.zeros(len(part.frames), dtype=bool)
    # Ids that somebody typed may be larger than any array holds.
    mask[part.slots(np.array([frame_id for frame_id in ids if 0 < frame_id < 1 << 62], dtype=np.int64))] = (
        True
    )
    return mask
