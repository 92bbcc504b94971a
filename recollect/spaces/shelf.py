"""A space's objects in memory, by the words they say and the places they lie in; kept current by revision."""

from __future__ import annotations

import bisect
import json
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from recollect.base.times import AsOf
from recollect.base.words import fold
from recollect.spaces.rows import ObjectRow, with_text
from recollect.store.transaction import Snapshot
from recollect.text.words import terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Floats = Integers = Mask = Any

FIELDS: Final = ("path", "tags", "summary", "raw", "metadata")
NAMES: Final = ("path", "tags", "metadata")
"""The fields whose words name things."""
LEVELS: Final = {"high": 2, "medium": 1, "low": 0}
_KEPT: Final = 8
_SWEEP: Final = 5000


@dataclass(frozen=True, slots=True)
class Entry:
    """The small columns of one object."""

    id: str
    path: str
    kind: str
    tags: tuple[str, ...]
    hash: str | None
    """Only where the metadata says it."""
    frame_id: int


class Shelf:
    """Objects in slots; a changed object leaves its slot and takes a new one."""

    def __init__(self) -> None:
        import numpy as np

        self.entries: list[Entry | None] = []
        self.slot_of: dict[str, int] = {}
        self.postings: dict[str, dict[str, array[int]]] = {name: {} for name in FIELDS}
        self.kinds: dict[str, array[int]] = {}
        self.tagged: dict[str, array[int]] = {}
        self.places: list[tuple[str, int]] = []
        """Folded paths in order, each ending with a slash: the index of prefixes."""
        self._relevance = np.zeros(16, dtype=np.int64)
        self._updated = np.zeros(16, dtype=np.int64)
        self._created = np.zeros(16, dtype=np.int64)
        self._pinned = np.zeros(16, dtype=bool)
        self._alive = np.zeros(16, dtype=bool)
        self._codes: dict[str, int] = {}
        self._tag_slots: array[int] = array("q")
        self._tag_codes: array[int] = array("q")

    def __len__(self) -> int:
        return len(self.slot_of)

    @property
    def size(self) -> int:
        return len(self.entries)

    @property
    def relevance(self) -> Integers:
        return self._relevance[: self.size]

    @property
    def updated(self) -> Integers:
        return self._updated[: self.size]

    @property
    def created(self) -> Integers:
        return self._created[: self.size]

    @property
    def pinned(self) -> Mask:
        return self._pinned[: self.size]

    @property
    def alive(self) -> Mask:
        return self._alive[: self.size]

    @property
    def newest(self) -> int | None:
        return int(self.updated[self.alive].max()) if len(self) else None

    def add(self, row: ObjectRow, text: str, *, sort: bool = True) -> None:
        self.drop(row.object_id)
        slot = self.size
        tags = tuple(json.loads(row.tags))
        metadata = json.loads(row.metadata)
        stated = metadata.get("hash")
        entry = Entry(
            row.object_id, row.path, row.kind, tags, stated if isinstance(stated, str) else None, row.frame_id
        )
        self.entries.append(entry)
        self._grow()
        self.slot_of[row.object_id] = slot
        self._relevance[slot] = LEVELS[row.relevance]
        self._updated[slot] = row.updated_at
        self._created[slot] = row.created_at
        self._pinned[slot] = bool(row.pinned)
        self._alive[slot] = True
        words = {
            "path": set(terms(row.path)) | set(terms(row.kind)),
            "tags": {word for tag in tags for word in terms(tag)},
            "raw": _words(text),
            "metadata": _words(" ".join(_strings(metadata))),
        }
        words["summary"] = set[str]()
        for said in {row.summary_micro, row.summary_short, row.summary_long}:
            words["summary"] |= words["raw"] if said == text else _words(said)
        for name, found in words.items():
            place = self.postings[name]
            for word in found:
                _append(place, word, slot)
        _append(self.kinds, row.kind, slot)
        for tag in tags:
            _append(self.tagged, tag, slot)
            self._tag_slots.append(slot)
            self._tag_codes.append(self._codes.setdefault(tag, len(self._codes)))
        key = (fold(row.path) + "/", slot)
        if sort:
            bisect.insort(self.places, key)
        else:
            self.places.append(key)

    def sort(self) -> None:
        self.places.sort()

    def drop(self, object_id: str) -> None:
        slot = self.slot_of.pop(object_id, None)
        if slot is None:
            return
        entry = self.entries[slot]
        assert entry is not None
        self._alive[slot] = False
        self.entries[slot] = None
        key = (fold(entry.path) + "/", slot)
        place = bisect.bisect_left(self.places, key)
        if place < len(self.places) and self.places[place] == key:
            del self.places[place]

    @property
    def wasteful(self) -> bool:
        return self.size > 2 * len(self) + _SWEEP

    def slots(self, field_name: str, word: str) -> Integers:
        """Slots whose field says this word, dead ones among them."""
        return _slots(self.postings[field_name].get(word))

    def of_kind(self, kind: str) -> Integers:
        return _slots(self.kinds.get(kind))

    def with_tag(self, tag: str) -> Integers:
        return _slots(self.tagged.get(tag))

    def tag_pairs(self) -> tuple[Integers, Integers]:
        """Every tag of every slot, as two columns: the slot, and a number for the tag."""
        return _slots(self._tag_slots), _slots(self._tag_codes)

    def below(self, prefix: str) -> Integers:
        """Slots whose folded path begins with this: two bisections, whatever the number of paths."""
        import numpy as np

        first = bisect.bisect_left(self.places, (prefix, -1))
        last = bisect.bisect_left(self.places, (prefix + "\U0010ffff", -1))
        return np.fromiter((slot for _, slot in self.places[first:last]), dtype=np.int64)

    def _grow(self) -> None:
        import numpy as np

        if self.size <= len(self._alive):
            return
        room = 2 * len(self._alive)
        self._relevance = np.resize(self._relevance, room)
        self._updated = np.resize(self._updated, room)
        self._created = np.resize(self._created, room)
        self._pinned = np.resize(self._pinned, room)
        self._alive = np.resize(self._alive, room)


@dataclass(slots=True)
class _Held:
    shelf: Shelf
    revision: int
    erasures: int


@dataclass(slots=True)
class Shelves:
    """The shelves of one store, each brought up to date when it is asked for."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    _held: OrderedDict[str, _Held] = field(default_factory=OrderedDict)

    def at(self, snapshot: Snapshot, space: str, as_of: AsOf) -> Shelf:
        """The space as of an instant. Hold `lock` while using it."""
        if as_of.system < snapshot.revision:
            return _load(snapshot, space, as_of)
        held = self._held.get(space)
        if held is not None and snapshot.revision < held.revision:
            return _load(snapshot, space, AsOf.LATEST)
        erasures = _erasures(snapshot)
        if held is None or held.erasures != erasures or held.shelf.wasteful:
            held = _Held(_load(snapshot, space, AsOf.LATEST), snapshot.revision, erasures)
            self._held[space] = held
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)
        elif held.revision < snapshot.revision:
            _follow(held.shelf, snapshot, space, held.revision)
            held.revision = snapshot.revision
        self._held.move_to_end(space)
        return held.shelf


def _load(snapshot: Snapshot, space: str, as_of: AsOf) -> Shelf:
    shelf = Shelf()
    for row, text in with_text(snapshot.rows, space, as_of):
        shelf.add(row, text, sort=False)
    shelf.sort()
    return shelf


def _follow(shelf: Shelf, snapshot: Snapshot, space: str, revision: int) -> None:
    rows = snapshot.rows
    ids = {
        str(row[0])
        for column in ("since", "until")
        for row in rows.all(
            f"SELECT object_id FROM space_object WHERE space = ? AND {column} > ?", (space, revision)
        )
    }
    for name in sorted(ids):
        shelf.drop(name)
    for row, text in with_text(rows, space, AsOf.LATEST, ids=sorted(ids)):
        shelf.add(row, text)


def _erasures(snapshot: Snapshot) -> int:
    row = snapshot.rows.one("SELECT count(*) FROM erasure")
    return int(row[0]) if row else 0


def _words(text: str) -> set[str]:
    # The ellipsis that extraction puts in would send a plain text down the slow path for all scripts.
    return set(terms(text.replace("…", " ")))


def _append(place: dict[str, array[int]], word: str, slot: int) -> None:
    found = place.get(word)
    if found is None:
        place[word] = array("q", (slot,))
    else:
        found.append(slot)


def _slots(found: array[int] | None) -> Integers:
    import numpy as np

    return np.array(found if found is not None else (), dtype=np.int64)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _strings(item)
