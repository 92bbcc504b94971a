"""Where a document is cut: by its structure first, then between paragraphs, lines and sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from longmind.base.errors import InvalidInput
from longmind.base.offsets import to_bytes
from longmind.base.tokens import Tokenizer
from longmind.ingest.atoms import LETTER, SENTENCE, WORD, Atoms, cut_atoms
from longmind.ingest.outline import Outline, read_outline
from longmind.ingest.source import Document

FEWEST = 16
"""The least `tokens` a chunk may be asked to have: any character fits with room to spare."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document's text, `[start, end)` in UTF-8 bytes."""

    ordinal: int
    start: int
    end: int
    title: str
    """The headings above it, the definitions, rows or pages in it; empty if the document names none."""
    tokens: int


def plan_chunks(
    document: Document,
    *,
    tokenizer: Tokenizer,
    tokens: int = 400,
    overlap: int = 40,
    limit: int | None = None,
) -> list[Chunk]:
    """Chunks of at most `tokens` tokens that together cover all text but blank space.

    A document that fits is one chunk, all of it. Otherwise sections are kept whole and joined where they fit
    together; a section too big is cut at its paragraphs, lines or sentences, and each piece begins with
    about `overlap` tokens of the one before. `limit` keeps the first so many; ask for one more to see
    whether there are more.
    """
    if tokens < FEWEST:
        raise InvalidInput(f"A chunk has at least {FEWEST} tokens, not {tokens}.")
    if not 0 <= overlap <= tokens // 2:
        raise InvalidInput(
            f"An overlap is between none and half of the {tokens} tokens, not {overlap}.",
            hint="Leave it out for the default.",
        )
    if limit is not None and limit < 1:
        raise InvalidInput("limit must be at least 1, or None for all.")
    text = document.text
    if not text.strip():
        return []
    planner = _Planner(document, tokenizer, tokens, overlap)
    spans = list(islice(planner.spans(), limit))
    at = to_bytes(text, [position for span in spans for position in (span.start, span.end)])
    return [
        Chunk(ordinal, at[span.start], at[span.end], span.title, span.tokens)
        for ordinal, span in enumerate(spans)
    ]


@dataclass(frozen=True, slots=True)
class _Span:
    """A chunk in characters."""

    start: int
    end: int
    title: str
    tokens: int


class _Planner:
    """One document being cut."""

    def __init__(self, document: Document, tokenizer: Tokenizer, tokens: int, overlap: int) -> None:
        self._document = document
        self._text = document.text
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._overlap = overlap

    def spans(self) -> Iterator[_Span]:
        text, tokens = self._text, self._tokens
        outline = read_outline(self._document)
        short = len(text) <= 8 * tokens
        if short and (count := self._tokenizer.count(text)) <= tokens:
            yield _Span(0, len(text), outline.title(0, len(outline.parts)), count)
            return
        atoms = cut_atoms(
            text,
            cuts={part.start for part in outline.parts},
            tokenizer=self._tokenizer,
            most=max(4, tokens // 8),
            style=outline.style,
        )
        # Counting atoms apart can make runs of one character look up to five times as long as they are.
        if not short and atoms.sums[-1] <= 6 * tokens and (count := self._tokenizer.count(text)) <= tokens:
            yield _Span(0, len(text), outline.title(0, len(outline.parts)), count)
            return
        yield from self._by_structure(outline, atoms)

    def _by_structure(self, outline: Outline, atoms: Atoms) -> Iterator[_Span]:
        at = {start: index for index, start in enumerate(atoms.starts)}
        firsts = [at[part.start] for part in outline.parts] + [len(atoms.starts) - 1]
        sizes = [atoms.sums[first] for first in firsts]
        for group in outline.group(sizes, self._tokens):
            for first, last, count in self._cut(atoms, firsts[group.first], firsts[group.last]):
                start, end = self._trim(atoms.starts[first], atoms.starts[last])
                title = outline.page_title(start, end) or outline.title(group.named, group.last)
                yield _Span(start, end, title, count)

    def _cut(self, atoms: Atoms, first: int, last: int) -> Iterator[tuple[int, int, int]]:
        """Ranges of atoms, each within the limit, each but the first beginning inside the one before."""
        start = done = first
        while done < last:
            end = self._end(atoms, start, done, last)
            count = self._count(atoms, start, end)
            while count > self._tokens and end > done + 1:
                end = self._end(atoms, start, done, end - 1, whole=False)
                count = self._count(atoms, start, end)
            if count > self._tokens and start < done:
                start = done
                continue
            if count:
                yield start, end, count
            done = end
            start = self._overlapping(atoms, start, end) if end < last else end

    def _end(self, atoms: Atoms, start: int, done: int, last: int, *, whole: bool = True) -> int:
        """The strongest break in the upper half of what fits; of equals, the one that makes even pieces."""
        remaining = atoms.tokens(start, last)
        if whole and remaining <= self._tokens:
            return last
        base = atoms.sums[start]
        highest = min(last, max(done + 1, bisect_right(atoms.sums, base + self._tokens) - 1))
        lowest = min(highest, max(done + 1, bisect_left(atoms.sums, base + self._tokens // 2)))
        step = max(1, self._tokens - self._overlap)
        pieces = max(1, -(-(remaining - self._overlap) // step))
        ideal = self._overlap + (remaining - self._overlap) / pieces
        return max(
            range(lowest, highest + 1),
            key=lambda index: (atoms.breaks[index], -abs(atoms.sums[index] - base - ideal), index),
        )

    def _overlapping(self, atoms: Atoms, start: int, end: int) -> int:
        """Where the next piece begins: about the overlap before the end, at a sentence or line if it can."""
        lowest = max(start + 1, bisect_left(atoms.sums, atoms.sums[end] - self._overlap * 3 // 2))
        for weakest, most in (
            (SENTENCE, self._overlap * 3 // 2),
            (WORD, self._overlap),
            (LETTER, self._overlap),
        ):
            candidates = [
                index
                for index in range(lowest, end)
                if atoms.breaks[index] >= weakest and 0 < atoms.tokens(index, end) <= most
            ]
            if candidates:
                return min(
                    candidates, key=lambda index: (abs(atoms.tokens(index, end) - self._overlap), index)
                )
        return end

    def _count(self, atoms: Atoms, first: int, last: int) -> int:
        start, end = self._trim(atoms.starts[first], atoms.starts[last])
        return self._tokenizer.count(self._text[start:end]) if start < end else 0

    def _trim(self, start: int, end: int) -> tuple[int, int]:
        """Without blank space around it, but with the indentation of its first line."""
        text = self._text[start:end]
        end = start + len(text.rstrip())
        if end <= start:
            return start, start
        lead = len(text) - len(text.lstrip())
        line = text.rfind("\n", 0, lead) + 1
        opens = line or start == 0 or self._text[start - 1] == "\n"
        indent = text[line:lead]
        return start + (line if opens and not indent.strip(" \t") else lead), end
