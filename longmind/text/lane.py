"""The text lane: BM25 over the postings, inside the filter, best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from longmind.base.arrays import BoolArray, Float64Array, Int32Array, Int64Array, np
from longmind.base.ordering import first_of_each
from longmind.base.words import fold
from longmind.store.catalog import CatalogView, Corpus
from longmind.store.engine import Connection, Dialect
from longmind.store.follower import Follower, Mirrors, settings_generation
from longmind.store.tables import check_frame_id, damaged, typed
from longmind.store.transaction import Snapshot
from longmind.text.index import REBUILT
from longmind.text.languages import LANGUAGES, MARK, stem_in
from longmind.text.postings import Common, Terms, frames_of
from longmind.text.query import TextQuery
from longmind.text.vocabulary import Vocabulary, frames_saying, stems_before
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
_EXTENSIONS_READ: Final = 64
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

    def of(self, ids: Int64Array) -> Float64Array:
        """The scores of these frames, zero for those that were not found."""

        if len(self.found) == 0:
            return np.zeros(len(ids))
        places = np.minimum(self.found.searchsorted(ids), len(self.found) - 1)
        return np.where(self.found[places] == ids, self.values[places], 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Content words of every frame, and what follows for the score of a frame of each length.

    All but `words` are about the frames of one corpus.
    """

    words: Int32Array
    total: int
    """How many frames have any."""
    norms: Float64Array
    """By length: what BM25 divides by."""
    correction: Float64Array
    """By length: from BM25's own rule to one without a reward for very short frames."""
    documents: int
    """Frames in the index, also those that have no words."""
    in_store: int
    """The same of all spaces; never shown."""
    corpus: Corpus
    common: Common
    """Terms that are common in this corpus; of no use where every frame counts, which the engine keeps."""
    languages: list[tuple[str, ...]] = field(default_factory=list)
    """The languages of this corpus beside English, once a question has asked for them."""

    @classmethod
    def of(cls, words: Int32Array, indexed: BoolArray, corpus: Corpus) -> Measured:

        inside, in_store = corpus.inside, int(np.count_nonzero(indexed))
        counted = words if inside is None else words[inside]
        documents = in_store if inside is None else int(np.count_nonzero(indexed & inside))
        total = int(np.count_nonzero(counted))
        lengths = np.arange(int(words.max(initial=0)) + 1, dtype=np.float64)
        if total == 0:
            return cls(
                words, 0, np.zeros(len(lengths)), np.ones(len(lengths)), documents, in_store, corpus, {}
            )
        mean = float(counted.sum()) / total
        floored = np.maximum(lengths, SHORT)
        mean_floored = (float(np.maximum(counted, SHORT).sum()) - SHORT * (len(counted) - total)) / total
        before = 0.25 + 0.75 * lengths / mean
        after = 0.1 + 0.9 * floored / mean_floored
        scale = K1 * (1 - B + B * lengths / mean)
        correction = (1 + K1 * before) / (1 + K1 * after)
        return cls(words, total, scale, correction, documents, in_store, corpus, {})


class Lengths:
    """Content words of every frame, kept in memory."""

    def __init__(self, mirrors: Mirrors) -> None:
        self._table = Follower(mirrors, "lengths", _LengthTable, generation=settings_generation(REBUILT))

    def at(self, snapshot: Snapshot, size: int, corpus: Corpus) -> Measured:
        return self._table.at(snapshot).measured(size, corpus)


class _LengthTable:
    """The mirror of `text_doc`."""

    def __init__(self) -> None:

        self._counted: tuple[Int32Array, BoolArray] = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=bool)
        """The lengths by frame id, as far as they were read, and which frames have one."""
        self._measured: list[tuple[object, Measured]] = []
        """What was last made, newest first, and of which lengths."""

    def advance(self, snapshot: Snapshot, since: int) -> None:

        before, indexed_before = self._counted
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
        indexed = np.zeros(len(grown), dtype=bool)
        indexed[: len(before)] = indexed_before
        places = np.array(ids)
        grown[places], indexed[places] = lengths, True
        self._counted = grown, indexed

    @property
    def nbytes(self) -> int:
        words, indexed = self._counted
        return (1 + len(self._measured)) * words.nbytes + indexed.nbytes

    def measured(self, size: int, corpus: Corpus) -> Measured:

        counted, made = self._counted, self._measured
        for lengths, measured in made:
            if lengths is counted and measured.corpus is corpus and len(measured.words) == size:
                return measured
        # The lengths themselves are the same for every corpus of one revision.
        same = (m.words for lengths, m in made if lengths is counted and len(m.words) == size)
        words = next(same, None)
        if words is None:
            words = np.pad(counted[0][:size], (0, max(0, size - len(counted[0]))))
        indexed = np.pad(counted[1][:size], (0, max(0, size - len(counted[1]))))
        measured = Measured.of(words, indexed, corpus)
        current = [item for item in made if item[0] is counted]
        self._measured = [(counted, measured), *current][:_MEASURED]
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
    """Any of the terms, by the statistics of the corpus. `common` keeps the terms that are common in all."""

    total = lengths.total
    if total == 0 or query.is_empty:
        return _nothing(())
    uses: list[TermUse] = []
    read: dict[str, float] = {}
    inside = lengths.corpus.inside
    if inside is not None:
        common = lengths.common
    terms = Terms(snapshot, common, inside)
    if not lengths.languages:
        lengths.languages.append(_languages(terms))
    looked_up = _looked_up(snapshot, query, terms, vocabulary, lengths.languages[0])
    if not any(frames for frames, _, _ in looked_up):
        looked_up, mask = _past_stems(snapshot, dialect, query, vocabulary, terms, lengths.corpus, mask) or (
            looked_up,
            mask,
        )
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


def _languages(terms: Terms) -> tuple[str, ...]:
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
    snapshot: Snapshot, query: TextQuery, terms: Terms, vocabulary: Vocabulary, languages: Sequence[str]
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
        longer = {} if frames or term.startswith("=") else _first_said(terms, _extensions(snapshot.db, term))
        for other, count in longer.items():
            uses.setdefault(other, (count, other, f"begins with {term!r}"))
        if not longer:
            uses[term] = (frames, term, "")
    if not any(frames for frames, _, _ in uses.values()):
        for term in query.terms:
            if len(term) < _PREFIX_LEAST and term.isascii():
                continue
            longer = _first_said(terms, vocabulary.at(snapshot).containing(term))
            for other, count in longer.items():
                uses[other] = (count, other, f"contains {term!r}")
    return sorted(uses.values())


def _past_stems(
    snapshot: Snapshot,
    dialect: Dialect,
    query: TextQuery,
    vocabulary: Vocabulary,
    terms: Terms,
    corpus: Corpus,
    mask: BoolArray,
) -> tuple[list[tuple[int, str, str]], BoolArray] | None:
    """Stems whose words have a piece of the question in them, and the frames that say such a word."""

    uses: dict[str, tuple[int, str, str]] = {}
    matching = np.zeros(len(mask), dtype=bool)
    for piece in query.terms:
        for term in _first_said(terms, stems_before(vocabulary.at(snapshot), piece), limit=_STEMS):
            ids = corpus.among(frames_of(snapshot.db, term))
            saying = frames_saying(snapshot.db, dialect, piece, ids, mask)
            if len(saying):
                matching[saying] = True
                uses[term] = (len(ids), term, f"has {piece!r} in its words")
    return (sorted(uses.values()), matching) if uses else None


def _first_said(terms: Terms, candidates: Iterable[str], *, limit: int = _EXPANSIONS) -> dict[str, int]:
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


def _extensions(db: Connection, term: str) -> Iterator[str]:
    if len(term) < _PREFIX_LEAST and term.isascii():
        return
    sql = (
        "SELECT DISTINCT term FROM text_posting WHERE term > ? AND term < ? "
        f"ORDER BY term LIMIT {_EXTENSIONS_READ}"
    )
    last, end = term, term + "\U0010ffff"
    while rows := db.all(sql, (last, end)):
        yield from (str(row[0]) for row in rows)
        if str(rows[-1][0]) <= last:  # in the order of a damaged tree, which would be read for ever
            raise damaged("text_posting")
        last = str(rows[-1][0])
