"""What is held of one subject, found by predicate and by word.

A text is compared with all that is known of whoever it speaks of. Somebody may have told thousands of things,
and a sentence is about a few of them: to go through all would make every turn cost what the life before it
was long.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable
from typing import Final

from longmind.facts.held_facts import MOST, CurrentFact, HeldFact, by_span, held_of
from longmind.facts.words import stem_of, words_of
from longmind.store.engine import Connection

_MARGIN: Final = 200
"""So many more are read, so that not every fact that ends leads to another reading."""
_SPOKEN: Final = re.compile(r"\w+")


class SubjectFacts:
    """The facts of a subject, each list of them with the newest first.

    Of a subject with more than `MOST` the newest are here, and all of the predicates that were asked for.
    What is answered does not depend on what else was asked before: never more than the newest `MOST`.
    """

    def __init__(self, ledger: str, norm: str) -> None:
        self._ledger, self._norm = ledger, norm
        self._spans: dict[int, HeldFact] = {}
        self._numbers: list[int] = []
        """Of the spans, ascending."""
        self._floor = 0
        """From this span on all are here."""
        self._is_all = False
        self._of_fact: dict[int, set[int]] = {}
        self._by_predicate: dict[str, dict[int, HeldFact]] = {}
        self._whole: set[str] = set()
        """Predicates of which all are here, as far as they are among the newest."""
        self._by_word: dict[str, set[int]] | None = None
        """Made when first asked for."""
        self._listed: dict[tuple[str, ...], list[HeldFact]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    def load(self, db: Connection) -> list[HeldFact]:
        """Read the newest; return what is here from now on."""
        rows = held_of(db, self._ledger, self._norm, most=MOST + _MARGIN)
        self._is_all = len(rows) < MOST + _MARGIN
        self._floor = 0 if self._is_all else rows[-1].span_id
        return self._add_all(rows)

    def add(self, row: HeldFact) -> None:
        if row.span_id in self._spans:
            return
        self._spans[row.span_id] = row
        if self._numbers and row.span_id < self._numbers[-1]:
            insort(self._numbers, row.span_id)
        else:
            self._numbers.append(row.span_id)
        self._of_fact.setdefault(row.fact_id, set()).add(row.span_id)
        self._by_predicate.setdefault(row.predicate, {})[row.span_id] = row
        if self._by_word is not None:
            self._index(row)
        self._forget_lists(row.predicate)

    def remove(self, fact_id: int) -> None:
        """Take out what is here of a fact."""
        for span_id in self._of_fact.pop(fact_id, ()):
            row = self._spans.pop(span_id)
            del self._numbers[bisect_left(self._numbers, span_id)]
            of_predicate = self._by_predicate[row.predicate]
            del of_predicate[span_id]
            if not of_predicate:
                del self._by_predicate[row.predicate]
            if self._by_word is not None:
                for word in _words_in(row.fact):
                    self._by_word[word].discard(span_id)
            self._forget_lists(row.predicate)

    @property
    def is_short(self) -> bool:
        """Whether so many were taken out that older ones are among the newest now."""
        return not self._is_all and len(self._numbers) - bisect_left(self._numbers, self._floor) < MOST

    def missing(self, predicates: Collection[str]) -> set[str]:
        """Those of some predicates of which older facts may be in the store."""
        return set() if self._is_all else set(predicates) - self._whole

    def load_predicates(self, db: Connection, predicates: Collection[str]) -> list[HeldFact]:
        """Read all of some predicates; return what is here from now on."""
        rows: list[HeldFact] = []
        for predicate in sorted(predicates):
            rows += held_of(db, self._ledger, self._norm, predicates=[predicate])
        self._whole.update(predicates)
        return self._add_all(rows)

    def newest(self) -> list[HeldFact]:
        if () not in self._listed:
            self._listed[()] = [self._spans[number] for number in reversed(self._numbers[-MOST:])]
        return self._listed[()]

    def of(self, predicates: Collection[str]) -> list[HeldFact]:
        """Those of some predicates, which must not be `missing`."""
        key = tuple(sorted(predicates))
        if key not in self._listed:
            rows = [row for name in key for row in self._by_predicate.get(name, {}).values()]
            self._listed[key] = sorted(rows, key=by_span, reverse=True)[:MOST]
        return self._listed[key]

    def sharing(
        self, words: Iterable[str], predicates: Collection[str] = (), or_of: Collection[str] = ()
    ) -> list[HeldFact]:
        """Those of `newest`, or `of` some predicates, whose value may have one of some words.

        Words are as in `words_of`, as they are written in small letters, or stems of either. Facts `or_of`
        some further predicates are there whatever their words are.
        """
        if self._by_word is None:
            self._by_word = {}
            for row in self._spans.values():
                self._index(row)
        found: set[int] = set()
        for word in words:
            found.update(self._by_word.get(word, ()))
        for name in or_of:
            found.update(self._by_predicate.get(name, ()))
        rows = [self._spans[number] for number in sorted(found, reverse=True)]
        if predicates:
            wanted = frozenset(predicates)
            rows = [row for row in rows if row.predicate in wanted]
            among_all = sum(len(self._by_predicate.get(name, ())) for name in wanted) if rows else 0
            oldest = self.of(predicates)[-1].span_id if among_all > MOST else 0
        else:
            oldest = self._numbers[-MOST] if len(self._numbers) > MOST else 0
        return [row for row in rows if row.span_id >= oldest] if oldest else rows

    def predicates(self) -> Collection[str]:
        """Those of all that is here."""
        return self._by_predicate.keys()

    def _add_all(self, rows: Iterable[HeldFact]) -> list[HeldFact]:
        added = [row for row in rows if row.span_id not in self._spans]
        for row in sorted(added, key=by_span):
            self.add(row)
        return added

    def _index(self, row: HeldFact) -> None:
        assert self._by_word is not None
        for word in _words_in(row.fact):
            self._by_word.setdefault(word, set()).add(row.span_id)

    def _forget_lists(self, predicate: str) -> None:
        for key in [key for key in self._listed if not key or predicate in key]:
            del self._listed[key]


def _words_in(fact: CurrentFact) -> set[str]:
    """Under which a fact is found: the words of its value, their stems, and those as they are written."""
    words = words_of(str(fact.value))
    return {*words, *map(stem_of, words), *_SPOKEN.findall(str(fact.value).casefold())}
