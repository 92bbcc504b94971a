"""The terms of many frames at once, as arrays of numbers.

Most of what a short text costs on its way into the index is not its words but what is made for each text: a
list, a counter, a record for each of its terms. Here the texts of a batch are cut as one, and one sort brings
all their postings into the order in which the table holds them. The postings are the same, byte for byte.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from longmind.base import posting_records
from longmind.base.arrays import Int64Array, np
from longmind.base.languages import FOREIGN_WORDS, language_of
from longmind.base.posting_records import RUN, RUN_BITS
from longmind.text.words import (
    ASKS,
    LOWERED,
    SHAPE,
    Counted,
    asks_only,
    camel_parts,
    camels,
    count_terms,
    identifiers,
    joined,
    may_be_camel,
    may_be_joined,
    terms_of,
)

LEAST: Final = 64
"""Texts from which on arrays are worth it; for fewer, numpy need not even be there."""
_CHARACTERS: Final = 1 << 20
"""Of texts that are cut as one: what is in memory beside them is a few times as much."""
_IN_RUN: Final = (1 << RUN_BITS) - 1
_MOST_NUMBERED: Final = 1 << 16
_BETWEEN: Final = "\x01"
"""Stands between two texts; one that has it is counted alone."""
_JOINT: Final = f" {_BETWEEN} "
_END: Final = -1
_FOREIGN: Final = 1 << 40
"""Added to the number of a word that English does not have: the language of its text is then looked at."""


def _keeping_joints(table: bytes) -> bytes:
    changed = bytearray(table)
    changed[ord(_BETWEEN)] = ord(_BETWEEN)
    return bytes(changed)


_LOWERED: Final = _keeping_joints(LOWERED)
_SHAPE: Final = _keeping_joints(SHAPE)


class _Words(dict[str, int]):
    """The index of each word among those met so far."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[str] = []

    def __missing__(self, word: str) -> int:
        self.listed.append(word)  # first: whatever interrupts this, no two words get one index
        index = self[word] = len(self.listed) - 1
        return index


class _Numbers:
    """A number for each term, and for each word that of its term; 0 for a word that says nothing."""

    def __init__(self) -> None:
        self.terms = [""]
        self._of_term = {"": 0}
        self._words = _Words()
        self._of_word = np.zeros(0, dtype=np.int64)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._words)

    def of_words(self, words: Sequence[str]) -> Int64Array:
        """The number of each; those not met before are stemmed all at once."""
        with self._lock:
            indexes = np.fromiter(map(self._words.__getitem__, words), dtype=np.int64, count=len(words))
            new = self._words.listed[len(self._of_word) :]
            if new:
                numbers = [self._number(word, term) for word, term in zip(new, terms_of(new), strict=True)]
                self._of_word = np.concatenate([self._of_word, np.array(numbers, dtype=np.int64)])
            return self._of_word[indexes]

    def of_terms(self, terms: Iterable[str]) -> list[int]:
        with self._lock:
            return [self._of(term) for term in terms]

    def _number(self, word: str, term: str) -> int:
        if word == _BETWEEN:
            return _END
        return self._of(term) + (_FOREIGN if word in FOREIGN_WORDS else 0)

    def _of(self, term: str) -> int:
        number = self._of_term.get(term)
        if number is None:
            self.terms.append(term)
            number = self._of_term[term] = len(self.terms) - 1
        return number


_numbers: _Numbers | None = None


class Run:
    """The terms of some texts: `numbers` are indexes into `terms`, one for each time that a text says one."""

    __slots__ = ("lengths", "numbers", "owners", "terms")

    def __init__(self, texts: Sequence[str], vocabulary: _Numbers) -> None:
        whole = _JOINT.join(texts)
        alone: list[int] = []
        if not whole.isascii() or whole.count(_BETWEEN) != len(texts) - 1:
            alone = [at for at, text in enumerate(texts) if not text.isascii() or _BETWEEN in text]
            left_out = set(alone)
            whole = _JOINT.join(["" if at in left_out else text for at, text in enumerate(texts)])
        raw = whole.encode()
        numbers, owners, self.lengths, foreign = _cut(raw, len(texts), vocabulary)
        more: list[int] = []
        whose: list[int] = []
        recounted = sorted({*alone, *foreign})
        if recounted:
            keeps = np.ones(len(texts), dtype=bool)
            keeps[recounted] = False
            kept = keeps[owners]
            numbers, owners = numbers[kept], owners[kept]
            for position in recounted:
                counts, self.lengths[position] = count_terms(texts[position])
                term_numbers = vocabulary.of_terms(counts.elements())
                more += term_numbers
                whose += [position] * len(term_numbers)
        for position, extra in self._extras(texts, raw, set(recounted)):
            term_numbers = vocabulary.of_terms(extra)
            more += term_numbers
            whose += [position] * len(term_numbers)
        if more:
            numbers = np.concatenate([numbers, np.array(more, dtype=np.int64)])
            owners = np.concatenate([owners, np.array(whose, dtype=np.int64)])
        self.numbers, self.owners, self.terms = numbers, owners, vocabulary.terms

    def _extras(self, texts: Sequence[str], raw: bytes, done: set[int]) -> Iterator[tuple[int, list[str]]]:
        """Terms that are not words: parts of names, whole identifiers, and the mark of a question."""
        separator = _BETWEEN.encode()
        shapes = raw.translate(_SHAPE).split(separator)
        whole = zip(texts, raw.split(separator), shapes, strict=True)
        for position, (text, cut, shape) in enumerate(whole):
            if position in done:
                continue
            extra: list[str] = []
            if may_be_camel(shape):
                extra += camel_parts(camels(cut, shape))
                self.lengths[position] += len(extra)
            if may_be_joined(shape):
                names = identifiers(joined(cut, shape))
                self.lengths[position] = self.lengths[position] or len(names)
                extra += names
            if asks_only(text):
                extra.append(ASKS)
            if extra:
                yield position, extra


class Numbered(NamedTuple):
    """The terms of one text among those of a run."""

    run: Run
    position: int

    @property
    def length(self) -> int:
        return self.run.lengths[self.position]


def number_terms(texts: Sequence[str]) -> list[Numbered]:
    """The terms of each text, as `count_terms` counts them."""
    global _numbers
    numbered: list[Numbered] = []
    for batch in _runs(texts):
        vocabulary = _numbers = _numbers or _Numbers()
        run = Run(batch, vocabulary)
        numbered += [Numbered(run, position) for position in range(len(batch))]
        if len(vocabulary) > _MOST_NUMBERED:  # the runs keep what they need of it
            _numbers = None
    return numbered


def _runs(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    first = size = 0
    for position, text in enumerate(texts):
        size += len(text)
        if size > _CHARACTERS:
            yield texts[first : position + 1]
            first, size = position + 1, 0
    if first < len(texts):
        yield texts[first:]


def _cut(raw: bytes, count: int, vocabulary: _Numbers) -> tuple[Int64Array, Int64Array, list[int], list[int]]:
    """The numbers of the terms, whose they are, how many each text has, and which texts are foreign."""
    words = raw.translate(_LOWERED).decode("ascii").split()
    numbers = vocabulary.of_words(words)
    ends = numbers == _END
    owners = np.cumsum(ends)
    bounds = [-1, *np.flatnonzero(ends).tolist(), len(words)]
    foreign = [
        owner
        for owner in np.unique(owners[numbers >= _FOREIGN]).tolist()
        if language_of(words[bounds[owner] + 1 : bounds[owner + 1]]) is not None
    ]
    says_something = (numbers != 0) & ~ends
    numbers, owners = numbers[says_something], owners[says_something]
    lengths = np.bincount(owners, minlength=count).tolist()
    return numbers & (_FOREIGN - 1), owners, lengths, foreign


_Piece = tuple[list[str], Int64Array, Int64Array]
"""Terms, and of each time that one is said its index among them and the frame that says it."""


class Group(NamedTuple):
    """Frames whose terms are in one run, by ascending id."""

    run: Run
    positions: list[int]
    ids: list[int]

    def lengths(self) -> list[tuple[int, int]]:
        lengths = self.run.lengths
        return [(frame_id, lengths[at]) for frame_id, at in zip(self.ids, self.positions, strict=True)]

    def piece(self) -> _Piece:
        run = self.run
        frame_ids = np.full(len(run.lengths), -1, dtype=np.int64)
        frame_ids[self.positions] = self.ids
        speakers = frame_ids[run.owners]
        if len(self.ids) == len(run.lengths):
            return run.terms, run.numbers, speakers
        is_written = speakers >= 0
        return run.terms, run.numbers[is_written], speakers[is_written]


class Single(NamedTuple):
    """Frames whose terms were counted one by one."""

    counted: dict[int, Counted]

    def lengths(self) -> list[tuple[int, int]]:
        return [(frame_id, length) for frame_id, (_, length) in self.counted.items()]

    def piece(self) -> _Piece:
        vocabulary = _Numbers()
        term_numbers: list[int] = []
        speakers: list[int] = []
        for frame_id, (counts, _) in self.counted.items():
            numbers = vocabulary.of_terms(counts.elements())
            term_numbers += numbers
            speakers += [frame_id] * len(numbers)
        return vocabulary.terms, np.array(term_numbers, dtype=np.int64), np.array(speakers, dtype=np.int64)


def by_run(ids: Sequence[int], items: Sequence[Numbered | Counted]) -> list[Group | Single]:
    """The frames by the run that their terms are in; the ids ascend."""
    groups: list[Group | Single] = []
    run: Run | None = None
    positions: list[int] = []
    written: list[int] = []
    counted: dict[int, Counted] = {}
    for frame_id, item in zip(ids, items, strict=True):
        if not isinstance(item, Numbered):
            counted[frame_id] = item
            continue
        if item.run is not run:
            run, positions, written = item.run, [], []
            groups.append(Group(run, positions, written))
        positions.append(item.position)
        written.append(frame_id)
    return [*groups, Single(counted)] if counted else groups


def pack(groups: Sequence[Group | Single]) -> dict[int, dict[str, bytes]]:
    """The records of frames by the first block of a run and by term."""
    pieces = [group.piece() for group in groups]
    return _packed([piece for piece in pieces if len(piece[1])])


def _packed(pieces: Sequence[_Piece]) -> dict[int, dict[str, bytes]]:
    if not pieces:
        return {}
    terms, ranks = _ranked(pieces)
    speakers = np.concatenate([speakers for _, _, speakers in pieces])
    first_run = int(speakers.min()) >> RUN_BITS
    rows = ((speakers >> RUN_BITS) - first_run) * len(terms) + ranks
    occurrences = np.sort((rows << RUN_BITS) | (speakers & _IN_RUN))
    starts = np.flatnonzero(np.concatenate([[True], occurrences[1:] != occurrences[:-1]]))
    times = np.diff(starts, append=len(occurrences))
    postings = occurrences[starts]
    rows = postings >> RUN_BITS
    begins = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    records = posting_records.runs(postings & _IN_RUN, times, begins)
    numbers, term_ranks = np.divmod(rows[begins], len(terms))
    runs: dict[int, dict[str, bytes]] = {}
    for number, rank, row in zip(numbers.tolist(), term_ranks.tolist(), records, strict=True):
        runs.setdefault((first_run + number) * RUN, {})[terms[rank]] = row
    return runs


def _ranked(pieces: Sequence[_Piece]) -> tuple[list[str], Int64Array]:
    """All the terms in order, and of each time that one is said its rank."""
    used: list[tuple[Int64Array, list[str]]] = []
    for terms, numbers, _ in pieces:
        is_used = np.zeros(len(terms), dtype=bool)
        is_used[numbers] = True
        used_numbers = np.flatnonzero(is_used)
        used.append((used_numbers, [terms[number] for number in used_numbers.tolist()]))
    ordered = sorted({term for _, used_terms in used for term in used_terms})
    ranks = {term: rank for rank, term in enumerate(ordered)}
    ranked = []
    for (_, numbers, _), (used_numbers, used_terms) in zip(pieces, used, strict=True):
        by_number = np.zeros(int(used_numbers[-1]) + 1, dtype=np.int64)
        by_number[used_numbers] = np.fromiter(
            map(ranks.__getitem__, used_terms), dtype=np.int64, count=len(used_terms)
        )
        ranked.append(by_number[numbers])
    return ordered, np.concatenate(ranked)
