"""Spaces in memory: a few columns of each object, kept current; words are looked up in the text index."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from longmind.base.arrays import BoolArray, Int64Array, UInt8Array, np
from longmind.base.partitions import parts_seen
from longmind.base.times import FOREVER, AsOf
from longmind.base.words import fold
from longmind.spaces import fields
from longmind.spaces.rows import Entry, entries
from longmind.store.engine import Connection, Row
from longmind.store.follower import Follower, Mirrors
from longmind.store.tables import stored_names
from longmind.store.transaction import Snapshot
from longmind.store.visible import Clause, among, during
from longmind.text.posting_table import FIELDS, TERMS

LEVELS: Final = {"high": 2, "medium": 1, "low": 0}
"""Relevance as a number."""
_COLUMNS: Final = "object_id path kind tags frame_id relevance pinned created_at updated_at".split()
_SLACK: Final = 5000
"""Up to this many dead slots are tolerated, whatever the number of objects."""
_BITS: Final = {
    "path": fields.PATH,
    "tags": fields.TAGS,
    "summary": fields.SUMMARY,
    "metadata": fields.METADATA,
    "raw": fields.RAW,
}
T = TypeVar("T")
_OBJECT_BYTES: Final = 300
"""Of an object, beside the arrays: its id and its path, each in a list and in a table by name."""


class SpaceIndex:
    """Objects in slots; a changed object leaves its slot and takes a new one."""

    def __init__(self, space: str, as_of: AsOf) -> None:

        self.space = space
        self.as_of = as_of
        self.ids: list[str] = []
        self.alive: BoolArray = np.zeros(0, dtype=bool)
        self.pinned: BoolArray = np.zeros(0, dtype=bool)
        self.frames: Int64Array = np.zeros(0, dtype=np.int64)
        self.relevance: Int64Array = np.zeros(0, dtype=np.int64)
        self.created: Int64Array = np.zeros(0, dtype=np.int64)
        self.updated: Int64Array = np.zeros(0, dtype=np.int64)
        self._kinds: Int64Array = np.zeros(0, dtype=np.int64)
        self._slot_of: dict[str, int] = {}
        self._paths: list[str] = []
        """Folded, with a slash at the end."""
        self._sorted_paths: tuple[list[str], Int64Array] | None = None
        """Paths in order, and the slots they belong to; made when first needed."""
        self._kind_codes: dict[str, int] = {}
        self._tags: list[str] = []
        """As JSON; few questions ask for them, so they are parsed when one does."""
        self._tags_parsed = 0
        """The number of slots whose tags are in the three below."""
        self._tag_codes: dict[str, int] = {}
        self._tag_slots: list[int] = []
        self._tag_of_slot: list[int] = []
        self._outdated: dict[int, Mapping[str, int]] = {}
        """Postings of versions that are not the newest of their frame: those in the store are not theirs."""
        self._derived: dict[str, Any] = {}
        """What follows from the objects alone, until one changes."""
        self._db: Connection | None = None
        self._looked_up: dict[str, UInt8Array] = {}
        """By word, which fields of each object say it, for the snapshot in use."""

    def __len__(self) -> int:
        return len(self._slot_of)

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def slot_of(self) -> Mapping[str, int]:
        """Slots by the ids of their objects."""
        return self._slot_of

    @property
    def newest(self) -> int | None:
        return int(self.updated[self.alive].max()) if len(self) else None

    @property
    def nbytes(self) -> int:
        numbers = (self.frames, self.relevance, self.created, self.updated, self._kinds)
        return sum(array.nbytes for array in (self.alive, self.pinned, *numbers)) + _OBJECT_BYTES * self.size

    @property
    def wasteful(self) -> bool:
        return self.size > 2 * len(self) + _SLACK

    # Changing

    def reading(self, db: Connection) -> SpaceIndex:
        """The same index, for questions within one snapshot of the revision it is at."""
        self._db = db
        self._looked_up = {}
        return self

    def add(self, rows: Sequence[Row]) -> None:
        """Take in objects, as rows of `_COLUMNS`, each in place of the one with the same id."""

        if not rows:
            return
        column = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True))
        first = self.size
        self.drop(column["object_id"])
        self.ids += column["object_id"]
        self._slot_of.update(zip(column["object_id"], range(first, self.size), strict=True))
        self._paths += [fold(path) + "/" for path in column["path"]]
        self.alive = np.append(self.alive, np.ones(len(rows), dtype=bool))
        self.pinned = np.append(self.pinned, np.array(column["pinned"], dtype=bool))
        self.frames = np.append(self.frames, column["frame_id"])
        self.relevance = np.append(self.relevance, [LEVELS[level] for level in column["relevance"]])
        self.created = np.append(self.created, column["created_at"])
        self.updated = np.append(self.updated, column["updated_at"])
        self._kinds = np.append(self._kinds, [_code(self._kind_codes, kind) for kind in column["kind"]])
        self._tags += column["tags"]
        if self._sorted_paths is not None:
            for slot in range(first, self.size):
                self._insert_path(slot)
        self._changed()

    def drop(self, ids: Iterable[str]) -> None:
        slots = [slot for name in ids if (slot := self._slot_of.pop(name, None)) is not None]
        if slots:
            self.alive[slots] = False
            self._changed()

    def frame_of(self, object_id: str) -> int | None:
        slot = self._slot_of.get(object_id)
        return None if slot is None else int(self.frames[slot])

    def outdated(self, object_id: str, postings: Mapping[str, int]) -> None:
        """Use these postings for an object instead of those of its frame."""
        self._outdated[self._slot_of[object_id]] = postings

    def _changed(self) -> None:
        self._derived = {}
        self._looked_up = {}

    # Words

    def seek(self, words: Iterable[str]) -> None:
        """Look up several words at once, which costs little more than one."""

        missing = sorted(set(words) - self._looked_up.keys())
        assert self._db is not None
        unlisted = self.derive("unlisted", SpaceIndex._unlisted)
        in_frame = TERMS.arrays(self._db, missing)
        number, slots, said_in = self._listed(missing)
        for position, word in enumerate(missing):
            mask: UInt8Array = np.zeros(self.size, dtype=np.uint8)
            if word in in_frame:
                saying = self._slots_of_frames(in_frame[word][0])
                saying = saying[saying >= 0]
                mask[saying] = unlisted[saying]
            here = number == position
            mask[slots[here]] = said_in[here]
            self._looked_up[word] = mask

    def slots(self, field: str, word: str) -> Int64Array:
        """Slots of objects whose field contains this word."""
        if word not in self._looked_up:
            self.seek([word])
        return (self._looked_up[word] & _BITS[field]).nonzero()[0]

    def uses(self, words: Sequence[str]) -> dict[str, int]:
        """How often each word is a name, counted by field."""

        ordered = sorted(set(words))
        number, _, said_in = self._listed(ordered)
        counts = np.zeros(len(ordered), dtype=np.int64)
        for bit in (fields.PATH, fields.TAGS, fields.METADATA):
            counts += np.bincount(number[(said_in & bit) > 0], minlength=len(ordered))
        return dict(zip(ordered, counts.tolist(), strict=True))

    def named(self, words: Sequence[str]) -> dict[str, Int64Array]:
        """For each word the slots of objects that have it in one of their names."""
        number, slots, said_in = self._listed(words)
        is_name = (said_in & fields.NAMES) > 0
        return {word: slots[is_name & (number == position)] for position, word in enumerate(words)}

    def _listed(self, words: Sequence[str]) -> tuple[Int64Array, Int64Array, UInt8Array]:
        """The postings of these words in `text_field`: which word, whose, and the fields that say it."""

        assert self._db is not None
        numbers, frames = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        values = [np.zeros(0, dtype=np.uint8)]
        arrays = FIELDS.arrays(self._db, words)
        for position, word in enumerate(words):
            if word in arrays:
                ids, said_in = arrays[word]
                numbers.append(np.full(len(ids), position, dtype=np.int64))
                frames.append(ids)
                values.append(said_in)
        slots = self._slots_of_frames(np.concatenate(frames))
        ours = slots >= 0
        if self._outdated:
            ours &= ~np.isin(slots, list(self._outdated))
        number, slots, said_in = np.concatenate(numbers)[ours], slots[ours], np.concatenate(values)[ours]
        more = [
            (position, slot, postings[word])
            for position, word in enumerate(words)
            for slot, postings in self._outdated.items()
            if word in postings
        ]
        if more:
            extra = np.array(more, dtype=np.int64).T
            number, slots = np.append(number, extra[0]), np.append(slots, extra[1])
            said_in = np.append(said_in, extra[2].astype(np.uint8))
        return number, slots, said_in

    def _unlisted(self) -> UInt8Array:
        """By slot, the fields of those words of its frame that are not listed."""

        _, slots, said_in = self._listed([fields.UNLISTED])
        unlisted: UInt8Array = np.zeros(self.size, dtype=np.uint8)
        unlisted[slots] = said_in
        return unlisted

    def _slots_of_frames(self, frames: Int64Array) -> Int64Array:
        """For each frame the slot of its object, or -1 where it is not one of a living object here."""

        order = self.derive("by frame", SpaceIndex._by_frame)
        if not len(order):
            return np.full(len(frames), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.frames[order], frames), len(order) - 1)
        slots: Int64Array = np.where(self.frames[order[at]] == frames, order[at], -1)
        return slots

    def _by_frame(self) -> Int64Array:

        living = np.flatnonzero(self.alive)
        return living[np.argsort(self.frames[living], kind="stable")]

    def derive(self, name: str, make: Callable[[SpaceIndex], T]) -> T:
        """What follows from the objects alone, made once until one of them changes."""
        if name not in self._derived:
            self._derived[name] = make(self)
        value: T = self._derived[name]
        return value

    # Kinds, tags, paths

    def of_kind(self, kind: str) -> Int64Array:
        code = self._kind_codes.get(kind, -1)
        slots: Int64Array = ((self._kinds == code) & self.alive).nonzero()[0]
        return slots

    def with_tag(self, tag: str) -> Int64Array:
        slots, codes = self.tag_pairs()
        tagged: Int64Array = slots[codes == self._tag_codes.get(tag, -1)]
        return tagged

    def tag_pairs(self) -> tuple[Int64Array, Int64Array]:
        """Every tag of every object, as two columns: the slot, and a number for the tag."""
        return self.derive("tags", SpaceIndex._tag_pairs)

    def _tag_pairs(self) -> tuple[Int64Array, Int64Array]:

        for slot in range(self._tags_parsed, self.size):
            for tag in _tags(self._tags[slot]):
                self._tag_slots.append(slot)
                self._tag_of_slot.append(_code(self._tag_codes, tag))
        self._tags_parsed = self.size
        slots = np.array(self._tag_slots, dtype=np.int64)
        living = self.alive[slots]
        return slots[living], np.array(self._tag_of_slot, dtype=np.int64)[living]

    def below(self, prefix: str) -> Int64Array:
        """Slots whose folded path begins with this: two bisections, whatever the number of paths."""

        if self._sorted_paths is None:
            order = sorted(np.flatnonzero(self.alive).tolist(), key=self._paths.__getitem__)
            self._sorted_paths = [self._paths[slot] for slot in order], np.array(order, dtype=np.int64)
        paths, slots = self._sorted_paths
        first = bisect.bisect_left(paths, prefix)
        last = bisect.bisect_left(paths, prefix + "\U0010ffff")
        inside = slots[first:last]
        return inside[self.alive[inside]]

    def _insert_path(self, slot: int) -> None:

        assert self._sorted_paths is not None
        paths, slots = self._sorted_paths
        at = bisect.bisect_left(paths, self._paths[slot])
        paths.insert(at, self._paths[slot])
        self._sorted_paths = paths, np.insert(slots, at, slot)

    def entries_of(self, slots: Iterable[int]) -> list[Entry]:
        """The names of these objects, in the order given."""
        assert self._db is not None
        return entries(self._db, self.space, self.as_of, [self.ids[slot] for slot in slots])


def load(db: Connection, space: str, as_of: AsOf) -> SpaceIndex:
    """Read a space as of an instant."""
    index = SpaceIndex(space, as_of)
    inside = among("x.space", parts_seen(space)) & during("x", as_of)
    index.add(_rows(db, inside))
    if as_of.system != FOREVER:
        later = "EXISTS (SELECT 1 FROM space_object y WHERE y.frame_id = x.frame_id AND y.since > x.since)"
        for row, postings in fields.of_versions(db, inside & Clause(later)):
            if index.frame_of(row.object_id) == row.frame_id:
                index.outdated(row.object_id, postings)
    return index


def follow(index: SpaceIndex, db: Connection, revision: int) -> None:
    """Take in what was opened or closed since a revision."""
    in_spaces = among("space", parts_seen(index.space))
    closed = f"SELECT object_id FROM space_object WHERE {in_spaces.sql} AND until > ?"
    index.drop(str(row[0]) for row in db.all(closed, (*in_spaces.values, revision)))
    opened = among("x.space", parts_seen(index.space)) & Clause("x.until IS NULL")
    if len(in_spaces.values) == 1:
        index.add(_rows(db, opened & Clause("x.since > ?", (revision,))))
        return
    # A user's object stands before a shared one with the same id, and the shared one returns behind it.
    touched = f"SELECT object_id FROM space_object WHERE {in_spaces.sql} AND (until > ? OR since > ?)"
    values = (*in_spaces.values, revision, revision)
    index.add(_rows(db, opened & Clause(f"x.object_id IN ({touched})", values)))


def _rows(db: Connection, clause: Clause) -> list[Row]:
    """The objects, each once: of two with one id, the user's own."""
    columns = ", ".join(f"x.{name}" for name in _COLUMNS)
    rows = db.all(f"SELECT {columns} FROM space_object x WHERE {clause.sql} ORDER BY x.space", clause.values)
    return list({row[0]: row for row in rows}.values())


def _code(codes: dict[str, int], name: str) -> int:
    return codes.setdefault(name, len(codes))


@lru_cache(maxsize=4096)
def _tags(stored: str) -> tuple[str, ...]:
    return tuple(stored_names(stored, "space_object"))


@dataclass(slots=True)
class SpaceIndexes:
    """The indexes of one store's spaces, each brought up to date when it is asked for."""

    mirrors: Mirrors = field(default_factory=Mirrors)
    lock: threading.RLock = field(default_factory=threading.RLock)
    _followers: dict[str, Follower[_Latest]] = field(default_factory=dict)

    def at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        """The space as of an instant. Hold `lock`, and the snapshot, while using it."""
        return self._at(snapshot, space, as_of).reading(snapshot.db)

    def _at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> SpaceIndex:
        if as_of.system < snapshot.revision:
            return load(snapshot.db, space, as_of)
        follower = self._followers.get(space)
        if follower is None:
            # There may be any number of spaces: those that were dropped from memory leave nothing here.
            self._followers = {name: one for name, one in self._followers.items() if one.revision >= 0}
            follower = self._followers[space] = Follower(self.mirrors, "spaces", partial(_Latest, space))
        if snapshot.revision < follower.revision:
            return load(snapshot.db, space, AsOf.LATEST)
        if follower.at(snapshot).index.wasteful:
            follower.drop()
        return follower.at(snapshot).index


class _Latest:
    """The mirror of a space as it is now."""

    def __init__(self, space: str) -> None:
        self._space = space
        self.index = SpaceIndex(space, AsOf.LATEST)

    def advance(self, snapshot: Snapshot, since: int) -> None:
        if since < 0:
            self.index = load(snapshot.db, self._space, AsOf.LATEST)
        else:
            follow(self.index, snapshot.db, since)

    @property
    def nbytes(self) -> int:
        return self.index.nbytes
