"""reStructuredText: underlined headings to sections, the text kept as written."""

from __future__ import annotations

from collections.abc import Iterator

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import Mark, document
from longmind.ingest.source import Document, Limits, Source

_ADORNMENTS = frozenset("=-`:'\"~^_*+#<>.!$%&(),/;?@[\\]{|}")


class RstReader:
    name = "rst"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in {"text/x-rst", "text/prs.fallenstein.rst"}

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        marks = list(find_headings(decoded.text))
        title = marks[0].title if marks else ""
        return document(decoded.text, source, decoded=decoded, limits=self._limits, marks=marks, title=title)


def find_headings(text: str) -> Iterator[Mark]:
    """Titles with a line below, or above and below; levels in the order in which the styles first appear."""
    styles: list[str] = []
    lines = text.split("\n")
    at = 0
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        over = lines[number - 1] if number else ""
        title = line.strip()
        if (
            title
            and _adorns(under, title)
            and not _adorns(line, "")
            and (not over.strip() or _adorns(over, title))
        ):
            overlined = _adorns(over, title) and over.rstrip() == under.rstrip()
            if overlined or line[0] not in " \t":
                style = under[0] * (2 if overlined else 1)
                if style not in styles:
                    styles.append(style)
                yield Mark(at - (len(over) + 1 if overlined else 0), styles.index(style) + 1, title)
        at += len(line) + 1


def _adorns(line: str, title: str) -> bool:
    line = line.rstrip()
    return len(line) >= max(3, len(title)) and line[0] in _ADORNMENTS and line.count(line[0]) == len(line)
