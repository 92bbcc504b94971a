"""From a text to the statements in it: sentences, clauses, then the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from longmind.base.errors import InvalidInput
from longmind.base.offsets import ByteOffsets
from longmind.extract.clause_reader import ClauseReader
from longmind.extract.language import other_language
from longmind.extract.normalise import Plain, plain
from longmind.extract.patterns import pattern
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.sentences import mask
from longmind.extract.small_talk import is_news
from longmind.extract.statements import PRONOUN, Statement, TimePhrase, is_slot, slot_named
from longmind.extract.voice import is_meant, own_sentences

DEFAULT_LIMIT = 100_000
_AT_TIMES: Final = pattern(
    r",? (?:late |early |really |all )?(?:(?:on|at) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekdays|"
    r"weekends|weeknights|school nights|the weekend|night|work)|(?:after|before) (?:noon|midnight|bed|lunch|"
    r"dinner|breakfast|work|\w+ (?:o'clock|am|pm)|\d[\d:.]* ?(?:am|pm)?)|"
    r"in (?:the )?(?:morning|evening|afternoon)s?|in (?:winter|summer)|during (?:the|my) \w+|every \w+|"
    r"(?:very |that |too |so )?often)\b",
    re.IGNORECASE,
)


def find_statements(
    text: str,
    *,
    speaker: str | None = None,
    limit: int = DEFAULT_LIMIT,
    closed: bool = False,
    free: bool = True,
    pronouns: bool = False,
    notes: list[str] | None = None,
) -> list[Statement]:
    """What the text says, in the order it says it.

    Statements in the first person have the subject "speaker". `speaker` is the name of whoever wrote the
    text, so that a transcript's label ("Ana: I moved") is known to be theirs. `closed` is for documents: only
    named subjects count, and nobody is "I". Without `free`, only what a slot of the table is for is told.
    With `pronouns` also what is said of "he" or "she" where the text does not say who: their subjects are
    "?he" and "?she". Text beyond the first `limit` characters is not read, nor is text in another language
    than English; `notes` is told of either.
    """
    if limit < 0:
        raise InvalidInput(f"limit must not be negative: {limit}.")
    if notes is not None and len(text) > limit:
        notes.append(f"Only the first {limit} of {len(text)} characters were read for statements.")
    if (foreign := other_language(text)) is not None:
        if notes is not None:
            notes.append(foreign)
        return []
    statements = _read(text[:limit], speaker, closed)
    return [
        statement
        for statement in statements
        if (free or not statement.free) and (pronouns or not statement.subject.startswith(PRONOUN))
    ]


@lru_cache(maxsize=4)  # a turn is read for facts and for memories, one right after the other
def _read(text: str, speaker: str | None, closed: bool) -> tuple[Statement, ...]:
    masked = mask(text)
    spelled = Plain(masked) if closed else plain(masked)
    matches = list(_find(spelled.text, speaker, closed))
    if not matches:
        return ()
    offsets = ByteOffsets(text)
    statements: dict[tuple[str, str, str, bool, bool], Statement] = {}
    maker = _Maker(text, spelled, offsets)
    for match in sorted(matches, key=lambda match: match.value):
        statement = maker.statement(match)
        key = (statement.subject, statement.slot, statement.value.casefold())
        statements.setdefault((*key, statement.polarity, statement.ended), statement)
    return tuple(statements.values())


class _Maker:
    """Makes statements of matches, whose ranges are of the text in plain spelling."""

    def __init__(self, text: str, spelled: Plain, offsets: ByteOffsets) -> None:
        self.text, self.spelled, self.offsets = text, spelled, offsets
        self.changed = spelled.changed

    def _words(self, span: Range) -> str:
        """As written, unless the spelling was mended inside."""
        if not self.changed:
            return self.text[span[0] : span[1]]
        low, high = self._back(span)
        written = self.text[low:high]
        mended = self.spelled.text[span[0] : span[1]]
        return written if written.casefold() == mended.casefold() else mended

    def _back(self, span: Range) -> Range:
        if not self.changed:
            return span
        return self.spelled.back(span[0]), self.spelled.back(span[1], end=True)

    def statement(self, match: RuleMatch) -> Statement:
        slot = slot_named(match.slot)
        start, end = min(match.clause[0], match.value[0]), max(match.clause[1], match.value[1])
        when = None
        offsets = self.offsets
        if match.when is not None:
            if match.then is None:
                start, end = min(start, match.when[0]), max(end, match.when[1])
            low, high = self._back(match.when)
            when = TimePhrase(self._words(match.when), offsets[low], offsets[high])
        low, high = self._back((start, end))
        value_low, value_high = self._back(match.value)
        subject = match.subject
        one = match.one and not is_slot(match.slot)
        return Statement(
            subject=subject if isinstance(subject, str) else self._words(subject),
            slot=match.slot,
            value=self._words(match.value),
            kind=slot.kind,
            cardinality="one" if one else slot.cardinality,
            polarity=match.polarity,
            ended=match.ended,
            start=offsets[low],
            end=offsets[high],
            value_start=offsets[value_low],
            value_end=offsets[value_high],
            rule=match.rule,
            when=when,
            action=match.action,
            old=None if match.old is None else self._words(match.old),
            free=match.free,
            names=match.names,
            verb=match.verb,
            then=match.then,
            whole=match.whole,
        )


def _find(masked: str, speaker: str | None, closed: bool) -> Iterator[RuleMatch]:
    reader = ClauseReader(masked, closed=closed)
    for voiced in own_sentences(masked, speaker=speaker, closed=closed):
        # "Had run it since 2010" tells of a time before another: too little for a fact of its own.
        matches = [
            match
            for match in reader.sentence(voiced)
            if not (match.slot == "did" and match.ended) and not _is_limited(masked, match)
        ]
        if closed and matches:
            matches = [match for match in matches if is_news(masked, match)]
        if matches and is_meant(masked, voiced):
            yield from matches


def _is_limited(masked: str, match: RuleMatch) -> bool:
    """Whether something is denied of some times only: "I don't eat meat on Fridays" is no diet."""
    if match.polarity or match.ended or match.action != "record":
        return False
    return _AT_TIMES.match(masked, match.value[1]) is not None
