"""From chosen candidates to text: lines with citations, in sections, never above the budget."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from longmind.base.recall_marks import CLOSE, OPEN, harmless
from longmind.base.times import format_ms
from longmind.base.tokens import Tokenizer
from longmind.experience.brief import ROLES, BriefItem
from longmind.experience.collect import Candidate
from longmind.experience.contradictions import Note
from longmind.experience.values import Record

HEADINGS: Final[Mapping[str, str]] = {
    "problem": "Similar problems",
    "failed_tactic": "Did not work",
    "solution": "Worked",
    "fact": "True now",
    "preference": "Preferences",
    "contradiction": "Contradictions",
    "gap": "Not known",
}
FIRST: Final = ("problem", "solution", "failed_tactic", "contradiction", "fact", "preference", "gap")
"""Who goes first where there is not room for all: in turns, one of each role a round."""

_MEDIUM: Final = 90
_SHORT: Final = 28
"""Tokens of a record's words in its shorter forms."""

_SHARE: Final = 0.4
"""Of the budget: what one item may take at most, unless it is the only one."""

_REFERENCES: Final = 2
_WORD: Final = re.compile(r"\S+")


@dataclass(slots=True)
class Line:
    """One item to be: its forms from the fullest to the shortest, made when they are looked at."""

    role: str
    source: Candidate | Note
    make: Callable[[int | None, bool], str]
    """Gives the line for so many tokens of its words (None: all), with or without what is said beside."""
    place: int
    tier: int = -1
    """Which of its forms is in; -1 for none."""
    forms: dict[int, str] = field(default_factory=dict)

    def form(self, tier: int) -> str:
        if tier not in self.forms:
            room, beside = ((None, True), (_MEDIUM, True), (_SHORT, False))[tier]
            self.forms[tier] = self.make(room, beside)
        return self.forms[tier]

    def words(self, tier: int) -> str:
        """The same without its mark and its citation, for what cites by itself."""
        return re.sub(r" \[frame \d+\]", "", self.form(tier).removeprefix("- "), count=1)

    @property
    def record(self) -> Record | None:
        return self.source.record


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits, as text, with its exact size; and the lines that had no room."""

    items: tuple[BriefItem, ...]
    text: str
    tokens: int
    left: tuple[Line, ...]


class Writer:
    """Words for candidates and notes."""

    def __init__(self, tokenizer: Tokenizer, *, repos: Sequence[str], origins: Mapping[str, str]) -> None:
        self._tokenizer = tokenizer
        self._repos = repos
        self._origins = origins
        """Where facts came from, in words, by id."""

    def line(self, role: str, place: int, source: Candidate | Note) -> Line:
        if isinstance(source, Note):
            return Line(role, source, lambda room, beside: self._note(source, room, beside), place)
        return Line(role, source, lambda room, beside: self._record(source, room, beside), place)

    def _note(self, note: Note, room: int | None, beside: bool) -> str:
        detail = f" ({self._cut(_indented(note.detail), room)})" if beside and note.detail else ""
        return f"- {note.text}{detail}"

    def _record(self, item: Candidate, room: int | None, beside: bool) -> str:
        record = item.record
        lead = f"- {record.id} [frame {record.frame_id}] {format_ms(record.occurred_at)[:10]}"
        if record.repo not in self._repos:
            lead += f", from {record.repo}"
        if item.problems:
            lead += f", on {', '.join(item.problems[:3])}"
        if item.utility is not None and beside:
            lead += f", votes {item.utility.mean:+.2g} ({item.utility.observations})"
        if record.why is None:
            words = self._cut(_indented(record.text), room)
        else:
            half = None if room is None else room // 2
            tactic, why = self._cut(_indented(record.tactic), half), self._cut(_indented(record.why), half)
            words = f"{tactic} Why it failed: {why}"
        return f"{lead}: {words}{self._beside(record) if beside else ''}"

    def _beside(self, record: Record) -> str:
        said = [self._origins[record.id]] if record.id in self._origins else []
        if record.evidence:
            more = len(record.evidence) - _REFERENCES
            named = "; ".join(harmless(ref.removeprefix("url:")) for ref in record.evidence[:_REFERENCES])
            said.append(f"see {named}{f' and {more} more' if more > 0 else ''}")
        return f" ({'; '.join(said)})" if said else ""

    def _cut(self, text: str, room: int | None) -> str:
        """The beginning of a text, in whole words, that takes so many tokens."""
        if room is None or (len(text) <= room or self._tokenizer.count(text) <= room):
            return text
        ends = [match.end() for match in islice(_WORD.finditer(text), room)]
        fitting = bisect_right(ends, room, key=lambda end: self._tokenizer.count(text[:end]))
        kept = text[: ends[fitting - 1]] if fitting else self._tokenizer.truncate(text, room)
        return f"{kept} ..."


def pack(lines: Sequence[Line], *, budget: int, tokenizer: Tokenizer, mark: str) -> Packed:
    """Everything in short first, in turns; then what room is left makes the first ones fuller."""
    costs: dict[str, int] = {}

    def cost(text: str) -> int:
        if text not in costs:
            costs[text] = tokenizer.count("\n" + text)
        return costs[text]

    turns = sorted(lines, key=lambda line: (line.place, FIRST.index(line.role)))
    spent = tokenizer.count(OPEN.format(id=mark)) + cost(CLOSE)
    headed: set[str] = set()
    for line in turns:
        heading = 0 if line.role in headed else cost(HEADINGS[line.role])
        if spent + heading + cost(line.form(2)) <= budget:
            line.tier = 2
            spent += heading + cost(line.form(2))
            headed.add(line.role)
    chosen = [line for line in turns if line.tier >= 0]
    most = budget if len(chosen) == 1 else int(_SHARE * budget)
    for line in chosen:
        for tier in (0, 1):
            more = cost(line.form(tier)) - cost(line.form(2))
            if spent + more <= budget and (cost(line.form(tier)) <= most or more == 0):
                spent += more
                line.tier = tier
                break
    # Each line was counted by itself: the whole may differ by a little, and is what counts.
    while chosen:
        text = render(chosen, mark=mark)
        tokens = tokenizer.count(text)
        if tokens <= budget:
            break
        chosen.pop().tier = -1
    else:
        text, tokens = "", 0
    items = [_item(line, cost) for line in _laid_out(chosen)]
    return Packed(tuple(items), text, tokens, tuple(line for line in turns if line.tier < 0))


def render(lines: Sequence[Line], *, mark: str) -> str:
    """The whole brief; the same lines give the same bytes."""
    out = [OPEN.format(id=mark)]
    role = ""
    for line in _laid_out(lines):
        if line.role != role:
            role = line.role
            out.append(HEADINGS[role])
        out.append(line.form(line.tier))
    return "\n".join([*out, CLOSE])


def _laid_out(lines: Sequence[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: (ROLES.index(line.role), line.place))


def _item(line: Line, cost: Callable[[str], int]) -> BriefItem:
    record, source = line.record, line.source
    text = line.form(line.tier)
    return BriefItem(
        role=line.role,
        text=text,
        tokens=cost(text),
        tier="full" if text == line.form(0) else "short",
        record_id=None if record is None else record.id,
        frame_id=None if record is None else record.frame_id,
        score=source.score,
        problems=tuple(source.problems) if isinstance(source, Candidate) else (),
        reasons=tuple(source.reasons) if isinstance(source, Candidate) else (),
    )


def _indented(text: str) -> str:
    """Words of a record cannot pass for lines of the brief; blank lines are left out."""
    lines = [line.rstrip() for line in text.strip().splitlines() if line.strip()]
    return harmless("\n  ".join(lines))
