"""The text lane: BM25 over the postings, inside the filter, best first."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from longmind.base.arrays import Float64Array, Int32Array, Int64Array, np
from longmind.base.columns import AnyColumn, FrameIds, FrameMask, Mask, is_shown, joined
from longmind.base.languages import LANGUAGES
from longmind.base.ordering import first_of_each
from longmind.base.words import fold
from longmind.store import blocks
from longmind.store.catalog import CatalogView, Corpus
from longmind.store.column_rows import Malformed, check_ids, unpack_arrays
from longmind.store.engine import Connection, Dialect, Row
from longmind.store.follower import Mirrors, settings_generation
from longmind.store.segments import EVERYTHING, Segment, SegmentMirrors
from longmind.store.tables import check_frame_id, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.text.index import REBUILT
from longmind.text.languages import MARK, stem_in
from longmind.text.postings import Common
from longmind.text.query import TextQuery
from longmind.text.vocabulary import QuestionTerms, Vocabulary, frames_saying, stems_before
from longmind.text.words import bounded, stem

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
_STEMS: Final = 32
"""Of a piece of a word, so many stems are followed."""
_MEASURED: Final = 16
"""So many corpora of one revision stay measured."""


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
    saying: Mapping[str, Int64Array] = field(default_factory=dict)
    """Of each term that was read, the frames that say it, ascending; also some that the filter hides."""

    def of(self, ids: Int64Array) -> Float64Array:
        """The scores of these frames, zero for those that were not found."""

        if len(self.found) == 0:
            return np.zeros(len(ids))
        positions = np.minimum(self.found.searchsorted(ids), len(self.found) - 1)
        return np.where(self.found[positions] == ids, self.values[positions], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Content words of frames, and what follows for the score of a frame of each length.

    All but `words` are about the frames of one corpus.
    """

    words: AnyColumn
    """By frame id."""
    total: int
    """How many frames have any."""
    norms: Float64Array
    """By length: what BM25 divides by."""
    correction: Float64Array
    """By length: from BM25's own rule to one without a reward for very short frames."""
    documents: int
    """Frames in the index, also those that have no words."""
    in_segments: int
    """The same of all frames of the corpus' segments; never shown."""
    corpus: Corpus
    common: Common
    """Terms that are common in this corpus; of no use where every frame counts, which the engine keeps."""
    languages: list[tuple[str, ...]] = field(default_factory=list)
    """The languages of this corpus beside English, once a question has asked for them."""
    asking: list[Int64Array] = field(default_factory=list)
    """The frames that only ask, once a question has asked for them; no frame becomes one later."""

    @classmethod
    def of(cls, parts: Sequence[LengthArrays], corpus: Corpus) -> Measured:

        words = joined(parts)
        current = [(frames.ids[1:], lengths[1:]) for frames, lengths in parts]
        inside = corpus.inside
        counted = np.concatenate(
            [lengths if inside is None else lengths[is_shown(inside, ids)] for ids, lengths in current]
        )
        documents, in_segments = len(counted), sum(len(ids) for ids, _ in current)
        total = int(np.count_nonzero(counted))
        longest = max(int(lengths.max(initial=0)) for _, lengths in current)
        lengths = np.arange(longest + 1, dtype=np.float64)
        if total == 0:
            return cls(
                words, 0, np.zeros(len(lengths)), np.ones(len(lengths)), documents, in_segments, corpus, {}
            )
        mean = float(counted.sum()) / total
        floored = np.maximum(lengths, SHORT)
        mean_floored = (float(np.maximum(counted, SHORT).sum()) - SHORT * (len(counted) - total)) / total
        before = 0.25 + 0.75 * lengths / mean
        after = 0.1 + 0.9 * floored / mean_floored
        scale = K1 * (1 - B + B * lengths / mean)
        correction = (1 + K1 * before) / (1 + K1 * after)
        return cls(words, total, scale, correction, documents, in_segments, corpus, {})


LengthArrays = tuple[FrameIds, Int32Array]
"""The frames of a segment that are indexed, and the content words of each; in slot 0 stands a 0."""


class Lengths:
    """Content words of frames, kept in memory by segment."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._tables = SegmentMirrors(
            mirrors, "lengths", _LengthTable, generation=settings_generation(REBUILT)
        )

    def at(self, snapshot: Snapshot, size: int, corpus: Corpus) -> Measured:
        """Of the frames below an id, `size`; those behind it came after the snapshot."""
        first, *others = [self._tables.of(part.segment).at(snapshot) for part in corpus.parts]
        return first.measured(size, corpus, [first.counted, *(table.counted for table in others)])


class _LengthTable:
    """The mirror of `text_doc`, for the frames of one segment."""

    def __init__(self, segment: Segment) -> None:

        self._segment = segment
        self.counted: LengthArrays = FrameIds(np.zeros(1, dtype=np.int64)), np.zeros(1, dtype=np.int32)
        self._measured: list[tuple[list[LengthArrays], int, Measured]] = []
        """What was last made, newest first, and of which lengths."""

    def advance(self, snapshot: Snapshot, since: int) -> None:

        if since < 0:
            self._load_blocks(snapshot.db)
        frames, before = self.counted
        rows = self._rows(snapshot.db, int(frames.ids[-1]))
        if not rows:
            return
        ids, lengths = zip(*typed(rows, "text_doc", int, int), strict=True)
        check_frame_id(snapshot.db, ids[-1], "text_doc")
        if list(ids) != sorted(ids) or not 0 <= min(lengths) <= max(lengths) < 2**31:
            raise damaged("text_doc")
        self.counted = (
            FrameIds(np.concatenate([frames.ids, np.array(ids, dtype=np.int64)])),
            np.concatenate([before, np.array(lengths, dtype=np.int32)]),
        )

    def _load_blocks(self, db: Connection) -> None:
        """Take what is there as blocks that were made since the index was, up to the first gap."""
        rebuilt = blocks.rebuilt_at(db, REBUILT)
        covered, ids, lengths = 0, [self.counted[0].ids], [self.counted[1]]
        for key in blocks.keys(db, self._segment, blocks.LENGTHS):
            is_next = key.revision > rebuilt and key.first_id == covered + 1
            data = blocks.read(db, key) if is_next else None
            if data is None:
                break
            try:
                frame_ids, words = block_lengths(data, (key.first_id, key.last_id))
            except Malformed:
                break  # its frames are read as rows
            check_frame_id(db, key.last_id, "segment_block")
            ids.append(frame_ids)
            lengths.append(words)
            covered = key.last_id
        self.counted = FrameIds(np.concatenate(ids)), np.concatenate(lengths)

    def _rows(self, db: Connection, last: int) -> list[Row]:
        if self._segment == EVERYTHING:
            sql = "SELECT frame_id, length FROM text_doc WHERE frame_id > ? ORDER BY frame_id"
            return db.all(sql, (last,))
        here = self._segment.clause()
        # CROSS JOIN: SQLite keeps this order of the tables, and reads no lengths of other segments.
        return db.all(
            "SELECT f.frame_id, d.length FROM frame f CROSS JOIN text_doc d "
            f"WHERE d.frame_id = f.frame_id AND {here.sql} AND f.frame_id > ? ORDER BY f.frame_id",
            (*here.values, last),
        )

    @property
    def nbytes(self) -> int:
        frames, words = self.counted
        return words.nbytes + frames.ids.nbytes

    def measured(self, size: int, corpus: Corpus, counted: list[LengthArrays]) -> Measured:
        for lengths, up_to, measured in self._measured:
            is_same = len(lengths) == len(counted) and all(map(operator.is_, lengths, counted))
            if is_same and measured.corpus is corpus and up_to == size:
                return measured
        measured = Measured.of([_below(lengths, size) for lengths in counted], corpus)
        current = [item for item in self._measured if item[0][0] is counted[0]]
        self._measured = [(counted, size, measured), *current][:_MEASURED]
        return measured


def block_lengths(data: bytes, ids: tuple[int, int]) -> tuple[Int64Array, Int32Array]:
    """The frames of a block and how many words each has; `Malformed` if it holds anything else."""
    arrays, _ = unpack_arrays(data)
    frame_ids, words = check_ids(arrays.get("ids"), ids), arrays.get("lengths")
    if words is None or words.dtype != np.int32 or len(words) != len(frame_ids) or np.any(words < 0):
        raise Malformed
    return frame_ids, words


def _below(lengths: LengthArrays, size: int) -> LengthArrays:
    """Those of frames whose ids are below `size`."""
    frames, words = lengths
    if int(frames.ids[-1]) < size:
        return lengths
    count = int(frames.ids.searchsorted(size))
    return FrameIds(frames.ids[:count]), words[:count]


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
    """Any of the terms, by the statistics of the corpus. `common` keeps the terms that are common in all."""

    total = lengths.total
    if total == 0 or query.is_empty:
        return _nothing(())
    if lengths.corpus.inside is not None:
        common = lengths.common
    terms = vocabulary.terms(snapshot, common, lengths.corpus)
    if not lengths.languages:
        lengths.languages.append(_languages(terms))
    looked_up = _looked_up(query, terms, lengths.languages[0])
    if not any(frames for frames, _, _ in looked_up):
        looked_up, mask = _past_stems(snapshot, dialect, query, terms, mask) or (looked_up, mask)
    uses, read = _weighted(looked_up, total, common, snapshot.revision)
    postings = terms.postings(read)
    if len(postings.ids) == 0:
        return _nothing(tuple(uses))
    gains = np.repeat([read[term] * (K1 + 1) for term in postings.sizes], list(postings.sizes.values()))
    ids, times = postings.ids, postings.times
    if ids.max() >= catalog.size:
        current = ids < catalog.size
        ids, times, gains = ids[current], times[current], gains[current]
    words = lengths.words.take(ids)
    gains *= times
    # "clip" where every place is known to be there: numpy takes twice as long to make sure of it.
    gains /= times + lengths.norms.take(words, mode="clip")
    gains *= lengths.correction.take(words, mode="clip")
    # Frames by id: of runs that ascend, a stable sort is fast, and much less is touched than all frames.
    order = ids.argsort(kind="stable")
    ids = ids.take(order, mode="clip")
    starts = first_of_each(ids).nonzero()[0]
    frame_ids = ids.take(starts, mode="clip")
    values = np.add.reduceat(gains.take(order, mode="clip"), starts)
    shown = is_shown(mask, frame_ids)
    if not shown.all():
        frame_ids, values = frame_ids[shown], values[shown]
    return TextScores(tuple(uses), frame_ids, values, postings.by_term())


def _weighted(
    looked_up: Iterable[tuple[int, str, str]], total: int, common: Common, revision: int
) -> tuple[list[TermUse], dict[str, float]]:
    """Which terms are read, with their weights; the terms come from the rarest to the most common."""
    uses: list[TermUse] = []
    read: dict[str, float] = {}
    for frames, term, note in looked_up:
        if frames == 0:
            uses.append(TermUse(term, 0, 0.0, False, note or "no frame says it"))
            continue
        # Rounded, since the last bit of a logarithm is the C library's own. Every later step is exactly
        # rounded, in an order that neither the other frames nor the processor changes.
        weight = round(math.log(1 + (total - frames + 0.5) / (frames + 0.5)), 9)
        is_common = total >= COMMON_FROM and frames > COMMON_SHARE * total
        if is_common:
            common[term] = revision, frames
        else:
            common.pop(term, None)
        if is_common and len(read) >= 2:
            uses.append(TermUse(term, frames, weight, False, "very common, and rarer words remain"))
            continue
        read[term] = weight
        uses.append(TermUse(term, frames, weight, True, note))
    return uses, read


def _nothing(uses: tuple[TermUse, ...]) -> TextScores:

    return TextScores(uses, np.zeros(0, dtype=np.int64), np.zeros(0))


def _languages(terms: QuestionTerms) -> tuple[str, ...]:
    """Those that some frame of the corpus is in, beside English."""
    present = terms.frames([MARK + name for name in LANGUAGES])
    return tuple(name for name in LANGUAGES if MARK + name in present)


def _stems_by(languages: Sequence[str], query: TextQuery) -> dict[str, tuple[str, str]]:
    """The stems that the question's words have in these languages, each with its language and the word."""
    stems = {
        bounded(stem_in(language, word)): (language, word) for language in languages for word in query.words
    }
    return {term: origin for term, origin in stems.items() if term not in query.terms}


def _looked_up(
    query: TextQuery, terms: QuestionTerms, languages: Sequence[str]
) -> list[tuple[int, str, str]]:
    """Each term with the number of frames that say it; a word nobody says stands for its extensions."""
    uses: dict[str, tuple[int, str, str]] = {}
    asked_terms = (*query.terms, *query.identifiers)
    stems = _stems_by(languages, query)
    counts = terms.frames((*asked_terms, *stems))
    found_elsewhere = set()
    for term, (language, word) in stems.items():
        if term in counts:
            uses[term] = (counts[term], term, f"{word!r} in {language.title()}")
            found_elsewhere.add(stem(fold(word)))
    for term in asked_terms:
        frames = counts.get(term, 0)
        if not frames and term in found_elsewhere:
            continue
        longer = {} if frames or term.startswith("=") else _first_said(terms, _extensions(terms, term))
        for other, count in longer.items():
            uses.setdefault(other, (count, other, f"begins with {term!r}"))
        if not longer:
            uses[term] = (frames, term, "")
    if not any(frames for frames, _, _ in uses.values()):
        for term in query.terms:
            if len(term) < _PREFIX_LEAST and term.isascii():
                continue
            longer = _first_said(terms, terms.containing(term))
            for other, count in longer.items():
                uses[other] = (count, other, f"contains {term!r}")
    return sorted(uses.values())


def _past_stems(
    snapshot: Snapshot, dialect: Dialect, query: TextQuery, terms: QuestionTerms, mask: Mask
) -> tuple[list[tuple[int, str, str]], Mask] | None:
    """Stems whose words have a piece of the question in them, and the frames that say such a word."""

    uses: dict[str, tuple[int, str, str]] = {}
    matching: set[int] = set()
    for piece in query.terms:
        for term in _first_said(terms, stems_before(terms, piece), limit=_STEMS):
            ids = terms.frame_ids(term)
            saying = frames_saying(snapshot.db, dialect, piece, ids, mask)
            if len(saying):
                matching.update(saying.tolist())
                uses[term] = (len(ids), term, f"has {piece!r} in its words")
    if not uses:
        return None
    frames = FrameIds(np.array([0, *sorted(matching)], dtype=np.int64))
    shown = np.ones(len(frames), dtype=bool)
    shown[0] = False
    return sorted(uses.values()), FrameMask([(frames, shown)])


def _first_said(
    terms: QuestionTerms, candidates: Iterable[str], *, limit: int = _EXPANSIONS
) -> dict[str, int]:
    """The first of the terms that a frame of the corpus says, and how many do.

    The limit counts these alone: words of other spaces take no places, and so do not show by their effect.
    """
    counts: dict[str, int] = {}
    remaining = iter(candidates)
    while len(counts) < limit and (batch := list(islice(remaining, limit))):
        uses = terms.frames(batch)
        for term in batch:
            if term in uses and len(counts) < limit:
                counts[term] = uses[term]
    return counts


def _extensions(terms: QuestionTerms, term: str) -> Iterator[str]:
    if len(term) < _PREFIX_LEAST and term.isascii():
        return iter(())
    return terms.extensions(term)
