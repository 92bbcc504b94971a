"""The lines of a brief: each record or note in words, with its citation, in three sizes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from longmind.base.recall_marks import harmless
from longmind.base.times import format_ms
from longmind.base.tokens import Tokenizer
from longmind.context.items import Card
from longmind.context.render import INDENT, text_lines
from longmind.experience.collect import Candidate
from longmind.experience.contradictions import Note
from longmind.experience.values import Record

_TURNS: Final = ("problem", "solution", "failed_tactic", "contradiction", "fact", "preference", "gap")
"""Who goes first where there is not room for all. What worked helps more than what failed, and a
contradiction warns about both; what nobody knows goes last."""

_MEDIUM: Final = 90
_SHORT: Final = 28
"""Tokens of a record's words in its shorter forms: a paragraph, and a line that still names the matter."""

_REFERENCES: Final = 2
_WORD: Final = re.compile(r"\S+")


@dataclass(slots=True)
class Line:
    """A line of a brief in three sizes, each made when it is first looked at."""

    role: str
    rank: int
    source: Candidate | Note
    write: Callable[[int | None, bool], str]
    """Gives the line with so many tokens of its words (None: all), with or without votes and references."""
    forms: dict[int, Card] = field(default_factory=dict)

    def form(self, size: int) -> Card:
        if size not in self.forms:
            text = self.write(*((None, True), (_MEDIUM, True), (_SHORT, False))[size])
            frame_ids = () if self.record is None else (self.record.frame_id,)
            tier = "full" if size == 0 or text == self.form(0).text else "short"
            self.forms[size] = Card(text, self.role, self.rank, frame_ids, tier)
        return self.forms[size]

    def words(self, size: int) -> str:
        """The same without its bullet and its citation, for a card that cites by itself."""
        return re.sub(r" \[frame \d+\]", "", self.form(size).text.removeprefix("- "), count=1)

    @property
    def record(self) -> Record | None:
        return self.source.record


def in_turns(lines: Iterable[Line]) -> list[Line]:
    """One line of each role a round."""
    return sorted(lines, key=lambda line: (line.rank, _TURNS.index(line.role)))


class Writer:
    """Puts candidates and notes into words."""

    def __init__(self, tokenizer: Tokenizer, *, repos: Sequence[str], origins: Mapping[str, str]) -> None:
        self._tokenizer = tokenizer
        self._repos = repos
        self._origins = origins
        """Where facts came from, in words, by id."""

    def lines(self, role: str, sources: Sequence[Candidate | Note]) -> list[Line]:
        return [self._line(role, rank, source) for rank, source in enumerate(sources, 1)]

    def _line(self, role: str, rank: int, source: Candidate | Note) -> Line:
        if isinstance(source, Note):
            return Line(role, rank, source, lambda room, details: self._note(source, room, details))
        return Line(role, rank, source, lambda room, details: self._record(source, room, details))

    def _note(self, note: Note, room: int | None, details: bool) -> str:
        detail = f" ({self._cut(_indented(note.detail), room)})" if details and note.detail else ""
        return f"- {note.text}{detail}"

    def _record(self, item: Candidate, room: int | None, details: bool) -> str:
        record = item.record
        lead = f"- {record.id} [frame {record.frame_id}] {format_ms(record.occurred_at)[:10]}"
        if record.repo not in self._repos:
            lead += f", from {record.repo}"
        if item.problems:
            lead += f", on {', '.join(item.problems[:3])}"
        if item.utility is not None and details:
            lead += f", votes {item.utility.mean:+.2g} ({item.utility.observations})"
        if record.why is None:
            words = self._cut(_indented(record.text), room)
        else:
            half = None if room is None else room // 2
            tactic, why = self._cut(_indented(record.tactic), half), self._cut(_indented(record.why), half)
            words = f"{tactic} Why it failed: {why}"
        return f"{lead}: {words}{self._details(record) if details else ''}"

    def _details(self, record: Record) -> str:
        details = [self._origins[record.id]] if record.id in self._origins else []
        if record.evidence:
            more = len(record.evidence) - _REFERENCES
            named = "; ".join(harmless(ref.removeprefix("url:")) for ref in record.evidence[:_REFERENCES])
            details.append(f"see {named}{f' and {more} more' if more > 0 else ''}")
        return f" ({'; '.join(details)})" if details else ""

    def _cut(self, text: str, room: int | None) -> str:
        """The beginning of a text, in whole words, that takes so many tokens."""
        if room is None or (len(text) <= room or self._tokenizer.count(text) <= room):
            return text
        ends = [match.end() for match in islice(_WORD.finditer(text), room)]
        fitting = bisect_right(ends, room, key=lambda end: self._tokenizer.count(text[:end]))
        beginning = text[: ends[fitting - 1]] if fitting else self._tokenizer.truncate(text, room)
        return f"{beginning} ..."


def _indented(text: str) -> str:
    """Words of a record cannot pass for lines of the brief."""
    return harmless(INDENT.join(text_lines(text.strip())))
