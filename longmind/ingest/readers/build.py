"""Putting a document together: text and sections with byte ranges, inside limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longmind.base.offsets import to_bytes
from longmind.ingest.encoding import Decoded, clean
from longmind.ingest.source import Document, Limits, Section, SectionKind, Source, Unreadable, title_of

_LONGEST_TITLE = 200
DEEPEST = 32
"""Levels of nesting that sections tell apart; anything deeper counts as this deep."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a section begins (and, if it does not run on to the next one, ends), in characters."""

    at: int
    level: int
    title: str
    kind: SectionKind = "heading"
    end: int | None = None


class Builder:
    """Collects text from its beginning to its end, and the sections that begin on the way."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._bytes = 0
        self._length = 0
        self._marks: list[tuple[str, int, int, SectionKind]] = []
        self._dropped = 0
        self.replaced = 0

    @property
    def length(self) -> int:
        """Characters written so far."""
        return self._length

    @property
    def size(self) -> int:
        """UTF-8 bytes written so far."""
        return self._bytes

    def write(self, text: str) -> None:
        text, replaced = clean(text)
        self.replaced += replaced
        self._length += len(text)
        if self._length > self._limits.text:
            raise Unreadable("too_large", f"It holds more than {self._limits.text:,} characters of text.")
        self._bytes += len(text) if text.isascii() else len(text.encode())
        self._parts.append(text)

    def begin(self, title: str, level: int = 1, kind: SectionKind = "heading") -> None:
        """Begin a section here; past the limit the text runs on in the last one."""
        if len(self._marks) >= self._limits.sections:
            self._dropped += 1
            return
        self._marks.append((tidy_title(title), min(level, DEEPEST), self._bytes, kind))

    def finish(
        self,
        source: Source,
        *,
        title: str = "",
        media_type: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        warnings: Iterable[str] = (),
    ) -> Document:
        ends = [*(start for _, _, start, _ in self._marks), self._bytes][1:]
        sections = tuple(
            Section(name, level, start, end, kind)
            for (name, level, start, kind), end in zip(self._marks, ends, strict=True)
            if end > start
        )
        notes = list(warnings)
        if self.replaced:
            notes.append(f"{self.replaced} characters could not be kept and were replaced.")
        if self._dropped:
            notes.append(_untold(self._dropped, self._limits))
        return Document(
            uri=source.uri,
            title=tidy_title(title) or tidy_title(title_of(source)),
            text="".join(self._parts),
            media_type=media_type or source.media_type,
            metadata=dict(metadata or {}),
            sections=sections,
            warnings=tuple(notes),
        )


def document(
    text: str,
    source: Source,
    *,
    decoded: Decoded | None = None,
    limits: Limits,
    marks: Iterable[Mark] = (),
    title: str = "",
    metadata: Mapping[str, Any] | None = None,
    warnings: Iterable[str] = (),
) -> Document:
    """A document of a text that is kept as it is, with sections at the marks."""
    if len(text) > limits.text:
        raise Unreadable("too_large", f"It holds more than {limits.text:,} characters of text.")
    sections = list(marks)
    notes = [*(decoded.warnings if decoded else ()), *warnings]
    if len(sections) > limits.sections:
        notes.append(_untold(len(sections) - limits.sections, limits))
        sections = sections[: limits.sections]
    following = [*(mark.at for mark in sections), len(text)][1:]
    spans = [
        (mark, nearest if mark.end is None else min(mark.end, nearest))
        for mark, nearest in zip(sections, following, strict=True)
    ]
    at = to_bytes(text, [position for mark, end in spans for position in (mark.at, end)])
    return Document(
        uri=source.uri,
        title=tidy_title(title) or tidy_title(title_of(source)),
        text=text,
        media_type=source.media_type,
        metadata={**(metadata or {}), **({"encoding": decoded.encoding} if decoded else {})},
        sections=tuple(
            Section(tidy_title(mark.title), min(mark.level, DEEPEST), at[mark.at], at[end], mark.kind)
            for mark, end in spans
            if end > mark.at
        ),
        warnings=tuple(notes),
    )


def tidy_title(title: str) -> str:
    """One line, without doubled white space, of at most 200 characters, fit to be stored."""
    line = re.sub(r"\s+", " ", clean(title[: 4 * _LONGEST_TITLE])[0]).strip()
    return line if len(line) <= _LONGEST_TITLE else line[: _LONGEST_TITLE - 1].rstrip() + "…"


def _untold(count: int, limits: Limits) -> str:
    return f"{count} sections beyond the first {limits.sections:,} were not told apart."
