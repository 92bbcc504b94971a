"""The smallest pieces a chunk is made of, and how good each place between two of them is to cut at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from longmind.base.tokens import Tokenizer

LETTER, WORD, WRAP, SENTENCE, LINE, PARAGRAPH, SECTION = range(7)
"""How good a place is to cut at; WRAP is a line end in the middle of a sentence."""

Style = Literal["prose", "markdown", "lines"]
"""Whether a line end may fall inside a sentence, may mean structure, or always ends what it ends."""

_LONGEST = 120  # characters in an atom: about 30 tokens, so that an overlap can be made of atoms
_LINE = re.compile(r"[^\n]*+(?:\n(?:[ \t]*+\n)*+|\Z)")
_SENTENCE_END = re.compile(r"[.!?…]['\"”’)\]]{0,3}(?=\s+(\S))|[。！？]['\"”’」』）]{0,3}")
_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|cf|fig|nos?|vol|pp|approx|inc|ltd|jr|sr|al|[a-z])\.\Z",
    re.IGNORECASE,
)
_STARTS_ITEM = re.compile(r"\s*+(?:[-*+•>|#]|\d{1,3}[.)]\s)")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？：；…|]['\"”’」』）)\]*_`]{0,3}\Z")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_JOINER = "\u200d"
_SHORT_LINE = 50  # characters: a line that ends sooner than this was ended on purpose


@dataclass(frozen=True, slots=True)
class Atoms:
    """Consecutive pieces that make up a text; piece i is `text[starts[i]:starts[i + 1]]`."""

    starts: Sequence[int]
    breaks: Sequence[int]
    """How good a place `starts[i]` is to cut at."""
    sums: Sequence[int]
    """Tokens of the pieces before i, each counted alone: close to, and mostly not below, the true count."""

    def tokens(self, first: int, last: int) -> int:
        return self.sums[last] - self.sums[first]


def cut_atoms(text: str, *, cuts: set[int], tokenizer: Tokenizer, most: int, style: Style = "prose") -> Atoms:
    """Pieces of at most `most` tokens (or one character), none reaching across one of the `cuts`."""
    starts: list[int] = []
    breaks: list[int] = []
    counts: list[int] = []
    for start, end, strength in _pieces(text, sorted(cuts | {len(text)}), style):
        count = tokenizer.count(text[start:end])
        parts = [(start, count)]
        if count > most and end - start > 1:
            parts = _halved(text, start, end, tokenizer, most)
        for part, size in parts:
            starts.append(part)
            breaks.append(strength if part == start else LETTER)
            counts.append(size)
    return Atoms((*starts, len(text)), (*breaks, SECTION), tuple(accumulate(counts, initial=0)))


def _pieces(text: str, cuts: list[int], style: Style) -> Iterator[tuple[int, int, int]]:
    """Start, end and strength of sentences, lines and parts of them."""
    at = 0
    for cut in cuts:
        before = ""  # the line before, with the line ends and blank lines after it
        fenced = False
        while at < cut:
            match = _LINE.match(text, at, cut)
            end = match.end() if match and match.end() > at else cut
            fence = style == "markdown" and _FENCE.match(text, at) is not None
            strength = (
                _line_end(before, text[at:end], as_prose=style != "lines" and not fenced)
                if before
                else SECTION
            )
            verbatim = fenced or fence or (style == "lines" and end - at <= _LONGEST)
            for start, stop, within in _sentences(text, at, end) if not verbatim else [(at, end, SENTENCE)]:
                yield from _words(text, start, stop, strength if start == at else within)
            fenced = fenced != fence
            before = text[at:end]
            at = end


def _line_end(before: str, line: str, *, as_prose: bool) -> int:
    written = before.rstrip()
    if before.count("\n", len(written)) > 1:
        return PARAGRAPH if as_prose or not before.startswith((" ", "\t")) else LINE
    if as_prose and len(written) >= _SHORT_LINE and not _ENDS_SENTENCE.search(written):
        return LINE if _STARTS_ITEM.match(line) else WRAP
    return LINE


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Sentences of one line; the white space between two goes to the second, as in the vocabularies."""
    at = start
    for match in _SENTENCE_END.finditer(text, start, end):
        following = match[1]
        if following and (
            following.islower() or _ABBREVIATION.search(text, max(at, match.start() - 8), match.start() + 1)
        ):
            continue
        if text[match.end() : end].isspace() or match.end() == end:
            break
        yield at, match.end(), SENTENCE
        at = match.end()
    yield at, end, SENTENCE


def _words(text: str, start: int, end: int, strength: int) -> Iterator[tuple[int, int, int]]:
    """Parts of at most _LONGEST characters that end between words where there are any."""
    while end - start > _LONGEST:
        reach = start + _LONGEST
        cut = max(text.rfind(space, start + 1, reach) for space in " \t\n")
        cut = max(cut, *(text.rfind(mark, start, reach) + 1 for mark in "，、；："))
        if cut > start:
            yield start, cut, strength
            strength = WORD
        else:
            cut = _between_letters(text, reach, start)
            yield start, cut, strength
            strength = LETTER
        start = cut
    yield start, end, strength


def _halved(text: str, start: int, end: int, tokenizer: Tokenizer, most: int) -> list[tuple[int, int]]:
    """Starts and token counts of parts that are small enough, whatever the characters cost."""
    parts: list[tuple[int, int]] = []
    waiting = [(start, end)]
    while waiting:
        begin, stop = waiting.pop()
        count = tokenizer.count(text[begin:stop])
        if count <= most or stop - begin == 1:
            parts.append((begin, count))
        else:
            middle = _between_letters(text, (begin + stop) // 2, begin)
            waiting += [(middle, stop), (begin, middle)]
    return parts


def _between_letters(text: str, at: int, after: int) -> int:
    """The place at or shortly before `at`, but after `after`, that does not cut a letter from its marks."""
    for index in range(at, max(after, at - 16), -1):
        if not (
            unicodedata.category(text[index])[0] == "M"
            or text[index] == _JOINER
            or text[index - 1] == _JOINER
        ):
            return index
    return at
