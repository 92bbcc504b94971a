"""The text lane: BM25 over the postings, inside the filter, best first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int32Array, Int64Array, np
from longmind.base.ordering import first_of_each
from longmind.store.catalog import CatalogView
from longmind.store.engine import Connection, Dialect
from longmind.store.follower import Follower, Mirrors, settings_generation
from longmind.store.tables import check_frame_id, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.text.index import REBUILT
from longmind.text.postings import Common, Terms, frames_of
from longmind.text.query import TextQuery
from longmind.text.vocabulary import Vocabulary, frames_saying, stems_before

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
    found: Int64Array
    """The ids of these frames, ascending."""
    values: Float64Array
    """The score of each of them."""

    def of(self, ids: Int64Array) -> Float64Array:
        """The scores of these frames, zero for those that were not found."""

        if len(self.found) == 0:
            return np.zeros(len(ids))
        places = np.minimum(self.found.searchsorted(ids), len(self.found) - 1)
        return np.where(self.found[places] == ids, self.values[places], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Content words of every frame, and what follows for the score of a frame of each length."""

    words: Int32Array
    total: int
    """How many frames have any."""
    norms: Float64Array
    """By length: what BM25 divides by."""
    correction: Float64Array
    """By length: from BM25's own rule to one without a reward for very short frames."""
    documents: int
    """Frames in the index, also those that have no words."""

    @classmethod
    def of(cls, words: Int32Array, documents: int) -> Measured:

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


class Lengths:
    """Content words of every frame, kept in memory."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._table = Follower(mirrors, "lengths", _LengthTable, generation=settings_generation(REBUILT))

    def at(self, snapshot: Snapshot, size: int) -> Measured:
        return self._table.at(snapshot).measured(size)


class _LengthTable:
    """The mirror of `text_doc`."""

    def __init__(self) -> None:

        self._counted: tuple[Int32Array, int] = np.zeros(1, dtype=np.int32), 0
        """The lengths by frame id, as far as they were read, and how many frames have one."""
        self._measured: tuple[object, Measured] | None = None
        """What was last made, and of which lengths."""

    def advance(self, snapshot: Snapshot, since: int) -> None:

        before, documents = self._counted
        rows = snapshot.db.all(
            "SELECT frame_id, length FROM text_doc WHERE frame_id > ? ORDER BY frame_id", (len(before) - 1,)
        )
        if not rows:
            return
        ids, lengths = zip(*typed(rows, "text_doc", int, int), strict=True)
        check_frame_id(snapshot.db, ids[-1], "text_doc")
        if list(ids) != sorted(ids) or not 0 <= min(lengths) <= max(lengths) < 2**31:
            raise damaged("text_doc")
        # As long as what was read, and no longer: the next part is read from there on.
        grown = np.zeros(ids[-1] + 1, dtype=np.int32)
        grown[: len(before)] = before
        grown[np.array(ids)] = lengths
        self._counted = grown, documents + len(rows)

    @property
    def nbytes(self) -> int:
        return 2 * self._counted[0].nbytes  # with those that were measured

    def measured(self, size: int) -> Measured:

        counted, last = self._counted, self._measured
        if last is not None and last[0] is counted and len(last[1].words) == size:
            return last[1]
        words = counted[0][:size]
        measured = Measured.of(np.pad(words, (0, size - len(words))), counted[1])
        self._measured = counted, measured
        return measured


def score_text(
    query: TextQuery,
    *,
    snapshot: Snapshot,
    dialect: Dialect,
    catalog: CatalogView,
    lengths: Measured,
    vocabulary: Vocabulary,
    common: Common,
    mask: BoolArray,
) -> TextScores:
    """Any of the terms; statistics are those of the whole store. `common` keeps the terms that are common."""

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
    postings = terms.postings(read)
    if len(postings.ids) == 0:
        return _nothing(tuple(uses))
    gains = np.repeat([read[term] * (K1 + 1) for term in postings.sizes], list(postings.sizes.values()))
    ids, times = postings.ids, postings.times
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
    frame_ids, values = ids.take(starts), np.add.reduceat(gains.take(order), starts)
    shown = mask.take(frame_ids)
    if not shown.all():
        frame_ids, values = frame_ids[shown], values[shown]
    return TextScores(tuple(uses), frame_ids, values)


def _nothing(uses: tuple[TermUse, ...]) -> TextScores:

    return TextScores(uses, np.zeros(0, dtype=np.int64), np.zeros(0))


def _looked_up(
    snapshot: Snapshot, query: TextQuery, terms: Terms, vocabulary: Vocabulary
) -> list[tuple[int, str, str]]:
    """Each term with the number of frames that say it; a word nobody says stands for its extensions."""
    uses: dict[str, tuple[int, str, str]] = {}
    asked_terms = (*query.terms, *query.identifiers)
    counts = terms.frames(asked_terms)
    for term in asked_terms:
        frames = counts.get(term, 0)
        longer = [] if frames or term.startswith("=") else _extensions(snapshot.db, term)
        for other, count in terms.frames(longer).items():
            uses.setdefault(other, (count, other, f"begins with {term!r}"))
        if not longer:
            uses[term] = (frames, term, "")
    if not any(frames for frames, _, _ in uses.values()):
        for term in query.terms:
            if len(term) < _PREFIX_LEAST and term.isascii():
                continue
            longer = vocabulary.at(snapshot).containing(term, _EXPANSIONS)
            for other, count in terms.frames(longer).items():
                uses[other] = (count, other, f"contains {term!r}")
    return sorted(uses.values())


def _past_stems(
    snapshot: Snapshot,
    dialect: Dialect,
    query: TextQuery,
    vocabulary: Vocabulary,
    mask: BoolArray,
    looked_up: list[tuple[int, str, str]],
) -> tuple[list[tuple[int, str, str]], BoolArray]:
    """Stems whose words have a piece of the question in them, and the frames that say such a word."""

    uses: dict[str, tuple[int, str, str]] = {}
    matching = np.zeros(len(mask), dtype=bool)
    for piece in query.terms:
        for stem in stems_before(vocabulary.at(snapshot), piece):
            ids = frames_of(snapshot.db, stem)
            saying = frames_saying(snapshot.db, dialect, piece, ids, mask)
            if len(saying):
                matching[saying] = True
                uses[stem] = (len(ids), stem, f"has {piece!r} in its words")
    return (sorted(uses.values()), matching) if uses else (looked_up, mask)


def _extensions(db: Connection, term: str) -> list[str]:
    if len(term) < _PREFIX_LEAST and term.isascii():
        return []
    sql = (
        "SELECT DISTINCT term FROM text_posting WHERE term > ? AND term < ? "
        f"ORDER BY term LIMIT {_EXPANSIONS}"
    )
    return [str(row[0]) for row in db.all(sql, (term, term + "\U0010ffff"))]
