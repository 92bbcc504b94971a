"""The text lane: BM25 over the postings, inside the filter, best first."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from longmind.base.ordering import first_of_each
from longmind.store.catalog import CatalogView
from longmind.store.engine import Connection, Dialect
from longmind.store.transaction import Snapshot
from longmind.store.typed import check_frame_id, damaged, typed
from longmind.text.index import REBUILT
from longmind.text.postings import Common, Terms, frames_of
from longmind.text.query import TextQuery
from longmind.text.vocabulary import Vocabulary
from longmind.text.word_parts import frames_saying, stems_before

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]
    Counts = NDArray[np.int32]
    Scores = NDArray[np.float64]
    Mask = NDArray[np.bool_]
else:
    Ids = Counts = Scores = Mask = Any

K1: Final = 1.2
B: Final = 0.75
SHORT: Final = 20
"""A frame is not rewarded for being shorter than this many content words."""

COMMON_SHARE: Final = 0.1
COMMON_FROM: Final = 20_000
"""In stores of at least this many frames, words that more than this share of them say are left out
as long as two rarer words remain."""

_PREFIX_LEAST: Final = 3
_EXPANSIONS: Final = 8


@dataclass(frozen=True, slots=True)
class TermUse:
    """What became of one term of the question."""

    term: str
    frames: int
    weight: float
    used: bool
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class TextScores:
    """BM25 for every frame that says any of the terms and that the filter shows."""

    terms: tuple[TermUse, ...]
    found: Ids
    """The ids of these frames, ascending."""
    values: Scores
    """The score of each of them."""

    def of(self, ids: Ids) -> Scores:
        """The scores of these frames, zero for those that were not found."""
        import numpy as np

        if len(self.found) == 0:
            return np.zeros(len(ids))
        places = np.minimum(self.found.searchsorted(ids), len(self.found) - 1)
        return np.where(self.found[places] == ids, self.values[places], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Content words of every frame, and what follows for the score of a frame of each length."""

    words: Counts
    total: int
    """How many frames have any."""
    norms: Scores
    """By length: what BM25 divides by."""
    correction: Scores
    """By length: from BM25's own rule to one without a reward for very short frames."""
    documents: int
    """Frames in the index, also those that have no words."""

    @classmethod
    def of(cls, words: Counts, documents: int) -> Measured:
        import numpy as np

        total = int(np.count_nonzero(words))
        lengths = np.arange(int(words.max(initial=0)) + 1, dtype=np.float64)
        if total == 0:
            return cls(words, 0, np.zeros(len(lengths)), np.ones(len(lengths)), documents)
        mean = float(words.sum()) / total
        floored = np.maximum(lengths, SHORT)
        mean_floored = (float(np.maximum(words, SHORT).sum()) - SHORT * (len(words) - total)) / total
        before = 0.25 + 0.75 * lengths / mean
        after = 0.1 + 0.9 * floored / mean_floored
        scale = K1 * (1 - B + B * lengths / mean)
        return cls(words, total, scale, (1 + K1 * before) / (1 + K1 * after), documents)


@dataclass(slots=True)
class Lengths:
    """Content words of every frame, kept in memory and grown as frames arrive."""

    _lengths: Counts | None = None
    _measured: Measured | None = None
    _documents: int = 0
    _revision: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, snapshot: Snapshot, size: int) -> Measured:
        import numpy as np

        with self._lock:
            if self._lengths is None or _remade_since(snapshot, self._revision):
                self._revision = -1  # first: an exception after it lets all be read again
                self._measured = None
                self._documents = 0
                self._lengths = np.zeros(1, dtype=np.int32)
            if snapshot.revision > self._revision:
                found = snapshot.db.all(
                    "SELECT frame_id, length FROM text_doc WHERE frame_id > ? ORDER BY frame_id",
                    (len(self._lengths) - 1,),
                )
                if found:
                    ids, lengths = zip(*typed(found, "text_doc", int, int), strict=True)
                    check_frame_id(snapshot.db, ids[-1], "text_doc")
                    if list(ids) != sorted(ids) or not 0 <= min(lengths) <= max(lengths) < 2**31:
                        raise damaged("text_doc")
                    # As long as what was read, and no longer: the rest is still to come.
                    grown = np.zeros(ids[-1] + 1, dtype=np.int32)
                    grown[: len(self._lengths)] = self._lengths
                    grown[np.array(ids)] = lengths
                    self._documents += len(found)
                    self._measured = None
                    self._lengths = grown
                self._revision = snapshot.revision
            if self._measured is None or len(self._measured.words) != size:
                known = self._lengths[:size]
                self._measured = Measured.of(np.pad(known, (0, size - len(known))), self._documents)
            return self._measured


def score_text(
    query: TextQuery,
    *,
    snapshot: Snapshot,
    dialect: Dialect,
    catalog: CatalogView,
    lengths: Measured,
    vocabulary: Vocabulary,
    common: Common,
    mask: Mask,
) -> TextScores:
    """Any of the terms; statistics are those of the whole store. `common` keeps the terms that are common."""
    import numpy as np

    total = lengths.total
    if total == 0 or query.is_empty:
        return _nothing(())
    uses: list[TermUse] = []
    read: dict[str, float] = {}
    terms = Terms(snapshot, common)
    looked_up = _looked_up(snapshot, query, terms, vocabulary)
    if not any(frames for frames, _, _ in looked_up):
        looked_up, mask = _past_stems(snapshot, dialect, query, vocabulary, mask, looked_up)
    for frames, term, note in looked_up:
        if frames == 0:
            uses.append(TermUse(term, 0, 0.0, False, note or "no frame says it"))
            continue
        # Rounded, since the last bit of a logarithm is the C library's own. Every later step is exactly
        # rounded, in an order that neither the other frames nor the processor changes.
        weight = round(math.log(1 + (total - frames + 0.5) / (frames + 0.5)), 9)
        is_common = total >= COMMON_FROM and frames > COMMON_SHARE * total
        if is_common:
            common[term] = snapshot.revision, frames
        else:
            common.pop(term, None)
        if is_common and len(read) >= 2:
            uses.append(TermUse(term, frames, weight, False, "very common, and rarer words remain"))
            continue
        read[term] = weight
        uses.append(TermUse(term, frames, weight, True, note))
    said = terms.postings(read)
    if len(said.ids) == 0:
        return _nothing(tuple(uses))
    gains = np.repeat([read[term] * (K1 + 1) for term in said.sizes], list(said.sizes.values()))
    ids, times = said.ids, said.times
    if ids.max() >= catalog.size:
        inside = ids < catalog.size
        ids, times, gains = ids[inside], times[inside], gains[inside]
    words = lengths.words.take(ids)
    gains *= times
    gains /= times + lengths.norms.take(words)
    gains *= lengths.correction.take(words)
    # Frames by id: of runs that ascend, a stable sort is fast, and much less is touched than all frames.
    order = ids.argsort(kind="stable")
    ids = ids.take(order)
    starts = first_of_each(ids).nonzero()[0]
    found, values = ids.take(starts), np.add.reduceat(gains.take(order), starts)
    shown = mask.take(found)
    if not shown.all():
        found, values = found[shown], values[shown]
    return TextScores(tuple(uses), found, values)


def _nothing(uses: tuple[TermUse, ...]) -> TextScores:
    import numpy as np

    return TextScores(uses, np.zeros(0, dtype=np.int64), np.zeros(0))


def _looked_up(
    snapshot: Snapshot, query: TextQuery, terms: Terms, vocabulary: Vocabulary
) -> list[tuple[int, str, str]]:
    """Each term with the number of frames that say it; a word nobody says stands for its extensions."""
    found: dict[str, tuple[int, str, str]] = {}
    wanted = (*query.terms, *query.identifiers)
    known = terms.frames(wanted)
    for term in wanted:
        frames = known.get(term, 0)
        longer = [] if frames or term.startswith("=") else _extensions(snapshot.db, term)
        for other, count in terms.frames(longer).items():
            found.setdefault(other, (count, other, f"begins with {term!r}"))
        if not longer:
            found[term] = (frames, term, "")
    if not any(frames for frames, _, _ in found.values()):
        for term in query.terms:
            if len(term) < _PREFIX_LEAST and term.isascii():
                continue
            longer = vocabulary.at(snapshot).containing(term, _EXPANSIONS)
            for other, count in terms.frames(longer).items():
                found[other] = (count, other, f"contains {term!r}")
    return sorted(found.values())


def _past_stems(
    snapshot: Snapshot,
    dialect: Dialect,
    query: TextQuery,
    vocabulary: Vocabulary,
    mask: Mask,
    looked_up: list[tuple[int, str, str]],
) -> tuple[list[tuple[int, str, str]], Mask]:
    """Stems whose words have a piece of the question in them, and the frames that say such a word."""
    import numpy as np

    found: dict[str, tuple[int, str, str]] = {}
    said = np.zeros(len(mask), dtype=bool)
    for piece in query.terms:
        for stem in stems_before(vocabulary.at(snapshot), piece):
            ids = frames_of(snapshot.db, stem)
            saying = frames_saying(snapshot.db, dialect, piece, ids, mask)
            if len(saying):
                said[saying] = True
                found[stem] = (len(ids), stem, f"has {piece!r} in its words")
    return (sorted(found.values()), said) if found else (looked_up, mask)


def _extensions(db: Connection, term: str) -> list[str]:
    if len(term) < _PREFIX_LEAST and term.isascii():
        return []
    sql = (
        "SELECT DISTINCT term FROM text_posting WHERE term > ? AND term < ? "
        f"ORDER BY term LIMIT {_EXPANSIONS}"
    )
    return [str(row[0]) for row in db.all(sql, (term, term + "\U0010ffff"))]


def _remade_since(snapshot: Snapshot, revision: int) -> bool:
    """Whether lengths that were read before may be gone or other than they were."""
    if snapshot.revision <= revision:
        return False
    rebuilt = snapshot.db.one("SELECT value FROM store_setting WHERE name = ?", (REBUILT,))
    if rebuilt is not None and int(rebuilt[0]) > revision:
        return True
    return snapshot.db.one("SELECT 1 FROM erasure WHERE erased_at > ? LIMIT 1", (revision,)) is not None
