"""What is kept in memory of a space: a few numbers for each object, and where its words stand."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from longmind.base.times import AsOf
from longmind.spaces import words as marks
from longmind.spaces.rows import Entry, entries
from longmind.spaces.words import LINE, Numbers, name_of, name_of_kind, name_of_tag
from longmind.store.engine import Connection, Row
from longmind.text.postings import frames_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Names = NDArray[np.uint64]
    Marks = NDArray[np.uint8]
else:
    Floats = Integers = Mask = Names = Marks = Any

NAMES: Final = ("path", "tags", "metadata")
"""The fields whose words name things."""
_MARKS: Final = {
    "path": marks.PATH,
    "tags": marks.TAGS,
    "summary": marks.SUMMARY,
    "metadata": marks.METADATA,
}
Kept = TypeVar("Kept")
_SWEEP: Final = 5000
_MOST_RUNS: Final = 32
_OBJECT_BYTES: Final = 300
"""Of an object, beside the arrays: its id and its path, each in a list and in a table by name."""
_FEW: Final = 12
"""Up to this many names are looked for one by one; more of them go through a sieve first."""


@dataclass(slots=True)
class _Run:
    """Words of objects that were read together: name, where it stands, and the slot it belongs to."""

    names: Names
    marks: Marks
    owners: Integers


class SpaceIndex:
    """Objects in slots; a changed object leaves its slot and takes a new one."""

    def __init__(self, space: str, as_of: AsOf) -> None:
        import numpy as np

        self.space = space
        self.as_of = as_of
        self.ids: list[str] = []
        self._slot_of: dict[str, int] | None = None
        self.pinned: Mask = np.zeros(0, dtype=bool)
        self.alive: Mask = np.zeros(0, dtype=bool)
        self._numbers: Integers = np.zeros((len(Numbers._fields), 0), dtype=np.int64)
        self._runs: list[_Run] = []
        self._rows: Connection | None = None
        self._places: list[str] = []
        self._prefixes: tuple[list[str], Integers] | None = None
        """Places in order, and the slots they belong to."""
        self._kept: dict[str, Any] = {}
        """What follows from the objects alone, until one changes."""
        self._found: dict[str, dict[str, Integers]] = {}
        """Slots by word and field, for the snapshot in hand."""

    def __len__(self) -> int:
        return self.kept("living", lambda _: int(self.alive.sum()))

    @property
    def slot_of(self) -> Mapping[str, int]:
        """Slots by the ids of their objects; made when it is first needed."""
        return self._by_id()

    def _by_id(self) -> dict[str, int]:
        if self._slot_of is None:
            living = self.alive.tolist()
            self._slot_of = {name: slot for slot, name in enumerate(self.ids) if living[slot]}
        return self._slot_of

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def relevance(self) -> Integers:
        return self._number("level")

    @property
    def updated(self) -> Integers:
        return self._number("updated_at")

    @property
    def created(self) -> Integers:
        return self._number("created_at")

    def _number(self, name: str) -> Integers:
        found: Integers = self._numbers[Numbers._fields.index(name)]
        return found

    @property
    def newest(self) -> int | None:
        return int(self.updated[self.alive].max()) if len(self) else None

    @property
    def nbytes(self) -> int:
        arrays = [self._numbers, self.alive, self.pinned]
        arrays += [array for run in self._runs for array in (run.names, run.marks, run.owners)]
        return sum(array.nbytes for array in arrays) + _OBJECT_BYTES * self.size

    @property
    def wasteful(self) -> bool:
        return self.size > 2 * len(self) + _SWEEP

    # Changing

    def reading(self, db: Connection) -> SpaceIndex:
        """The same shelf, for questions within one snapshot of the revision it is at."""
        self._rows = db
        self._found = {}
        return self

    def add(self, found: Sequence[Row]) -> None:
        """Put lines on the shelf, each in place of that of the same object."""
        import numpy as np

        if not found:
            return
        columns = dict(zip(LINE, zip(*found, strict=True), strict=True))
        first = self.size
        if first:
            self.drop(columns["object_id"])
        self.ids += columns["object_id"]
        if self._slot_of is not None:
            self._slot_of.update(zip(columns["object_id"], range(first, self.size), strict=True))
        packed = np.frombuffer(b"".join(columns["numbers"]), dtype="<i8").reshape(len(found), -1)
        self._numbers = np.concatenate([self._numbers, packed.T], axis=1)
        self.pinned = self._number("pinned") > 0
        self.alive = np.concatenate([self.alive, np.ones(len(found), dtype=bool)])
        counts = np.fromiter(map(len, columns["fields"]), dtype=np.int64, count=len(found))
        run = _Run(
            np.frombuffer(b"".join(columns["words"]), dtype="<u8"),
            np.frombuffer(b"".join(columns["fields"]), dtype=np.uint8),
            np.repeat(np.arange(first, self.size), counts),
        )
        self._runs.append(run)
        if len(self._runs) > _MOST_RUNS:
            self._merge()
        self._places += columns["place"]
        if self._prefixes is not None:
            for slot in range(first, self.size):
                self._shelve(slot)
        self._changed()

    def drop(self, ids: Iterable[str]) -> None:
        held = self._by_id()
        slots = [slot for name in ids if (slot := held.pop(name, None)) is not None]
        if slots:
            self.alive[slots] = False
            self._changed()

    def _changed(self) -> None:
        self._kept = {}
        self._found = {}

    def _merge(self) -> None:
        import numpy as np

        runs = self._runs[1:]
        self._runs[1:] = [
            _Run(
                np.concatenate([run.names for run in runs]),
                np.concatenate([run.marks for run in runs]),
                np.concatenate([run.owners for run in runs]),
            )
        ]

    # Words

    def seek(self, words: Iterable[str]) -> None:
        """Look up several words at once, which costs little more than one."""
        missing = sorted({word for word in words if word not in self._found})
        hits = self._hits([name_of(word) for word in missing])
        for number, word in enumerate(missing):
            chosen = hits[0] == number
            owners, mark = hits[1][chosen], hits[2][chosen]
            found = {name: owners[(mark & bit) > 0] for name, bit in _MARKS.items()}
            found["raw"] = self._raw(
                word, more=owners[(mark & marks.UNINDEXED) > 0], less=owners[(mark & marks.INDEXED) > 0]
            )
            found["summary"] = _union(
                found["summary"], found["raw"][self._number("covers")[found["raw"]] > 0]
            )
            self._found[word] = found

    def slots(self, field_name: str, word: str) -> Integers:
        """Slots of objects whose field says this word."""
        if word not in self._found:
            self.seek([word])
        return self._found[word][field_name]

    def uses(self, words: Sequence[str]) -> dict[str, int]:
        """How often each word is a name, counted by field."""
        import numpy as np

        ordered = sorted(set(words))
        number, _, mark = self._hits([name_of(word) for word in ordered])
        counts = np.zeros(len(ordered), dtype=np.int64)
        for name in NAMES:
            counts += np.bincount(number[(mark & _MARKS[name]) > 0], minlength=len(ordered))
        return dict(zip(ordered, counts.tolist(), strict=True))

    def named(self, words: Sequence[str]) -> dict[str, Integers]:
        """For each word the slots of objects that have it in one of their names."""
        number, owners, mark = self._hits([name_of(word) for word in words])
        among_names = (mark & sum(_MARKS[name] for name in NAMES)) > 0
        return {word: owners[among_names & (number == place)] for place, word in enumerate(words)}

    def kept(self, name: str, make: Callable[[SpaceIndex], Kept]) -> Kept:
        """What follows from the objects alone, made once until one of them changes."""
        if name not in self._kept:
            self._kept[name] = make(self)
        found: Kept = self._kept[name]
        return found

    def of_kind(self, kind: str) -> Integers:
        return self._hits([name_of_kind(kind)])[1]

    def with_tag(self, tag: str) -> Integers:
        return self._hits([name_of_tag(tag)])[1]

    def tag_pairs(self) -> tuple[Integers, Integers]:
        """Every tag of every object, as two columns: the slot, and a number for the tag."""
        return self.kept("tags", lambda _: self._tag_pairs())

    def _tag_pairs(self) -> tuple[Integers, Integers]:
        import numpy as np

        owners, names = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint64)]
        for run in self._runs:
            places = np.flatnonzero(run.marks == marks.TAG)
            places = places[self.alive[run.owners[places]]]
            owners.append(run.owners[places])
            names.append(run.names[places])
        _, codes = np.unique(np.concatenate(names), return_inverse=True)
        return np.concatenate(owners), codes

    def _hits(self, names: Sequence[bytes]) -> tuple[Integers, Integers, Marks]:
        """Where these names stand in living objects: which of them, whose, and in which fields."""
        import numpy as np

        empty = np.zeros(0, dtype=np.int64)
        if not names:
            return empty, empty, empty.astype(np.uint8)
        wanted = np.frombuffer(b"".join(names), dtype="<u8")
        order = np.argsort(wanted)
        ordered = wanted[order]
        sieve = np.zeros(1 << 16, dtype=bool)
        sieve[ordered & 0xFFFF] = True
        numbers, owners, fields = [empty], [empty], [empty.astype(np.uint8)]
        for run in self._runs:
            if len(ordered) <= _FEW:
                places = np.concatenate([np.flatnonzero(run.names == name) for name in ordered])
            else:
                places = np.flatnonzero(sieve[run.names.view("<u2")[::4]])
            places = places[self.alive[run.owners[places]]]
            at = np.minimum(np.searchsorted(ordered, run.names[places]), len(ordered) - 1)
            same = ordered[at] == run.names[places]
            numbers.append(order[at[same]])
            owners.append(run.owners[places[same]])
            fields.append(run.marks[places[same]])
        return np.concatenate(numbers), np.concatenate(owners), np.concatenate(fields)

    def _raw(self, word: str, *, more: Integers, less: Integers) -> Integers:
        """Slots whose raw text says the word: the text index's answer, put right."""
        import numpy as np

        assert self._rows is not None
        frames = frames_of(self._rows, word)
        slots = self.slots_of_frames(frames)
        return _union(slots[~np.isin(slots, less)] if len(less) else slots, more)

    def slots_of_frames(self, frames: Integers) -> Integers:
        """The living objects whose frames or chunks these are, ascending, each once."""
        import numpy as np

        order = self.kept("order", lambda _: self._by_frame())
        if not len(order) or not len(frames):
            return np.zeros(0, dtype=np.int64)
        place = np.searchsorted(self._number("frame_id")[order], frames, side="right") - 1
        slots = order[np.maximum(place, 0)]
        found = np.zeros(self.size, dtype=bool)
        found[slots[(place >= 0) & (frames <= self._number("last_frame")[slots])]] = True
        return np.flatnonzero(found)

    def _by_frame(self) -> Integers:
        import numpy as np

        living = np.flatnonzero(self.alive)
        return living[np.argsort(self._number("frame_id")[living], kind="stable")]

    # Places and entries

    def below(self, prefix: str) -> Integers:
        """Slots whose folded path begins with this: two bisections, whatever the number of paths."""
        import numpy as np

        if self._prefixes is None:
            order = sorted(np.flatnonzero(self.alive).tolist(), key=self._places.__getitem__)
            self._prefixes = [self._places[slot] for slot in order], np.array(order, dtype=np.int64)
        names, slots = self._prefixes
        first = bisect.bisect_left(names, prefix)
        last = bisect.bisect_left(names, prefix + "\U0010ffff")
        found = slots[first:last]
        return found[self.alive[found]]

    def _shelve(self, slot: int) -> None:
        import numpy as np

        assert self._prefixes is not None
        names, slots = self._prefixes
        at = bisect.bisect_left(names, self._places[slot])
        names.insert(at, self._places[slot])
        self._prefixes = names, np.insert(slots, at, slot)

    def entries_of(self, slots: Iterable[int]) -> list[Entry]:
        """The names of these objects, in the order given."""
        assert self._rows is not None
        return entries(self._rows, self.space, self.as_of, [self.ids[slot] for slot in slots])


def _union(one: Integers, other: Integers) -> Integers:
    import numpy as np

    if not len(other):
        return one
    found: Integers = np.union1d(one, other)
    return found
