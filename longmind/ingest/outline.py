"""A document's structure: the parts its sections make, what they are called, and which go together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longmind.base.offsets import to_characters
from longmind.ingest.atoms import Style
from longmind.ingest.readers.build import DEEPEST
from longmind.ingest.readers.code import LANGUAGES
from longmind.ingest.source import Document, Section, SectionKind

_MARKDOWN = frozenset({"text/markdown", "text/x-markdown", "application/x-ipynb+json"})
_LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True)
class Part:
    """The text from `start`, in characters, to the next part; without a kind it lies between sections."""

    start: int
    level: int = 0
    path: tuple[str, ...] = ()
    kind: SectionKind | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Parts `[first, last)` that are cut as one, called after those from `named` on."""

    first: int
    last: int
    named: int
    tokens: int
    definitions: int = 0
    tiny: bool = True


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts, in order, which together are the whole text; pages only name what lies on them."""

    parts: tuple[Part, ...]
    style: Style
    pages: tuple[tuple[int, str], ...] = ()

    def title(self, first: int, last: int) -> str:
        """Headings: the path they share. Definitions and rows: their names."""
        parts = [part for part in self.parts[first:last] if part.kind]
        if not parts:
            return ""
        if parts[0].kind == "heading":
            return _joined(_common([part.path for part in parts]))
        names = list(dict.fromkeys(part.path[-1] for part in parts))
        return _short(", ".join(names) if len(names) <= 3 else f"{names[0]} … {names[-1]}")

    def page_title(self, start: int, end: int) -> str:
        if not self.pages:
            return ""
        begins = [at for at, _ in self.pages]
        first = max(0, bisect_right(begins, start) - 1)
        last = max(first, bisect_right(begins, end - 1) - 1)
        names = [self.pages[first][1], self.pages[last][1]]
        return names[0] if first == last else f"{names[0]} – {names[1]}"

    def group(self, sums: Sequence[int], tokens: int) -> list[Group]:
        """Subtrees that fit stay whole, and neighbours under one heading are joined while they fit.

        `sums[i]` are the tokens before part i. Definitions are joined only where all of them are tiny.
        """
        grouping = _Grouping(self.parts, sums, tokens)
        grouping.visit(0, len(self.parts))
        grouping.close()
        return grouping.done


class _Grouping:
    def __init__(self, parts: Sequence[Part], sums: Sequence[int], tokens: int) -> None:
        self.done: list[Group] = []
        self._parts = parts
        self._sums = sums
        self._tokens = tokens
        self._ends = _subtree_ends(parts)
        self._open: Group | None = None

    def visit(self, first: int, last: int) -> None:
        """Siblings; the depth of this recursion is that of the levels."""
        at = first
        while at < last:
            end = self._ends[at]
            if self._size(at, end) <= self._tokens:
                self._add(at, end, named_alone=False)
            elif end == at + 1:
                self._oversized(at)
            else:
                self._keep_lead_only()
                if self._size(at, at + 1) <= self._tokens:
                    self._add(at, at + 1, named_alone=True)
                else:
                    self._oversized(at)
                self.visit(at + 1, end)
                self.close()
            at = end

    def close(self) -> None:
        if self._open:
            self.done.append(self._open)
            self._open = None

    def _add(self, first: int, last: int, *, named_alone: bool) -> None:
        size = self._size(first, last)
        # A class whose methods follow apart is their heading, not a definition beside them.
        definition = self._parts[first].kind == "definition" and not named_alone
        unit = Group(first, last, first, size, int(definition), not definition or size <= self._tokens // 8)
        group = self._open
        if group and group.tokens + size <= self._tokens:
            both = group.definitions + unit.definitions
            tiny = group.tiny and unit.tiny
            if both <= 1 or tiny:
                self._open = Group(group.first, last, group.named, group.tokens + size, both, tiny)
                return
        self.close()
        self._open = unit

    def _oversized(self, at: int) -> None:
        """A part to be cut further; a heading or a few lines just before it stay with its beginning."""
        self._keep_lead_only()
        first = self._open.first if self._open else at
        self._open = None
        self.done.append(Group(first, at + 1, at, self._size(first, at + 1)))

    def _keep_lead_only(self) -> None:
        lead = self._open
        if lead and (lead.definitions or lead.tokens > self._tokens // 8):
            self.close()

    def _size(self, first: int, last: int) -> int:
        return self._sums[last] - self._sums[first]


def read_outline(document: Document) -> Outline:
    sections = document.sections
    if sections and all(section.kind == "page" for section in sections):
        at = to_characters(document.text, [section.start for section in sections])
        pages = tuple((at[section.start], section.title) for section in sections)
        return Outline((Part(0),), "prose", pages)
    kinds = {section.kind for section in sections}
    style: Style = "prose"
    if kinds & {"definition", "row"} or document.media_type in LANGUAGES:
        style = "lines"
    elif document.media_type in _MARKDOWN:
        style = "markdown"
    return Outline(tuple(_parts(document, sections)), style)


def _parts(document: Document, sections: Sequence[Section]) -> Iterator[Part]:
    text = document.text
    at = to_characters(text, [offset for section in sections for offset in (section.start, section.end)])
    above: list[tuple[int, str]] = []
    last = 0
    blank = True  # nothing but blank space since the last part began: it goes with what comes next
    for section in sections:
        start, end = at[section.start], at[section.end]
        if end <= start or start < last:
            continue
        if text[last:start].strip():
            yield Part(last)
            blank = False
        level = max(1, min(section.level, DEEPEST))
        while above and above[-1][0] >= level:
            above.pop()
        path: tuple[str, ...] = (section.title,)
        if section.kind == "heading":
            path = (*(title for _, title in above), section.title)
            above.append((level, section.title))
        yield Part(0 if blank else start, level, path, section.kind)
        last, blank = end, False
    if text[last:].strip() or not last:
        yield Part(last)


def _subtree_ends(parts: Sequence[Part]) -> list[int]:
    """For each part, where the parts beneath it end; one that lies between sections has none."""
    ends = list(range(1, len(parts) + 1))
    waiting: list[int] = []
    for index, part in enumerate(parts):
        while waiting and parts[waiting[-1]].level >= part.level:
            ends[waiting.pop()] = index
        if part.kind:
            waiting.append(index)
    for index in waiting:
        ends[index] = len(parts)
    return ends


def _common(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    low, high = min(paths), max(paths)
    shared = next((at for at, (one, two) in enumerate(zip(low, high, strict=False)) if one != two), None)
    return low[: min(len(low), len(high))] if shared is None else low[:shared]


def _joined(path: tuple[str, ...]) -> str:
    while len(path) > 1 and len(" > ".join(path)) > _LONGEST_TITLE:
        path = path[1:]
    return _short(" > ".join(path))


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"
