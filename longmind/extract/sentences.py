"""Where the sentences of a text begin and end, once code and other people's words are blotted out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from longmind.extract.patterns import pattern

MASK = "\ue000"
"""Stands, character for character, for what is not the writer's own assertion: code, quotations, markup."""

LONGEST_SENTENCE = 600
"""Characters; what is longer is no sentence a rule was made for, and is passed over."""

_APOSTROPHES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "\u00a0": " ", "\t": " "}
)

_CODE_LINE = pattern(
    r"^[ \t]*(?:\$ |>>> |\.\.\. |#!|#include\b|//|/\*|<\?|@\w+\(|import [\w.{]|from [\w.]+ import\b"
    r"|def \w+\(|class \w+[(:{]|(?:const|let|var|auto|int|char|string|val) \w+ ?[:=]|return[ ;(]|(?:print"
    r"|println|console\.log|echo|printf)\b ?[(\"']|\w[\w.\[\]]* ?(?:[-+*/]?=|:=) ?[\"'\[{(]|SELECT .* FROM "
    r"|INSERT INTO |\w[\w.]*\([^)\n]*\);?[ \t]*$|[{}\])]+[;,]?[ \t]*$).*$",
    re.MULTILINE,
)
_MASKED_WHOLE = (
    pattern(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\1|\Z)", re.MULTILINE | re.DOTALL),
    pattern(r"(?<!`)`[^`\n]{1,400}`(?!`)"),
    pattern(r"^[ \t]*(?:>|&gt;|\u266a).*$", re.MULTILINE),
    _CODE_LINE,
    pattern(r"\[[^\[\]:\n]{1,40}: [^\[\]\n]{1,400}\]"),
    pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL),
    pattern(r"</?[A-Za-z][^<>\n]{0,300}>"),
    pattern(r"https?://[^\s<>]+"),
)
_QUOTED = pattern(
    r"\"[^\"\n]{1,600}\"|\u201c[^\u201d\n]{1,600}\u201d|\u00ab[^\u00bb\n]{1,600}\u00bb"
    r"|\u201e[^\u201c\u201d\n]{1,600}[\u201c\u201d]"
    r"|(?<![\w'])'(?=\w)[^'\n]{1,200}(?:'\w[^'\n]{0,200}){0,6}(?<=[\w.,!?])'(?!\w)"
)
_SPEECH_BEFORE = pattern(
    r"(?:[,:]|\b(?:said|says|say|saying|told|asked|wrote|write|read|reads|replied|whispered|shouted"
    r"|called out|called it|claims?|goes|like|yelled|thought|sang|sing|means?|meant|typed|answered"
    r"|joked))\s*$",
    re.IGNORECASE,
)
_SELF = pattern(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our|you|your|is|are|am|was)\b", re.IGNORECASE)

_ABBREVIATION = pattern(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|mt|jr|sr|vs|e\.g|i\.e|etc|no|approx|inc|ltd|co|corp|dept|gen|sgt|capt|lt"
    r"|rev|hon|est|fig|ave|blvd|rd|jan|feb|mar|apr|aug|sept?|oct|nov|dec|u\.s|u\.k|d\.c|a\.m|p\.m|ph\.d"
    r"|b\.a|m\.a)|(?<!\w)[A-Z])$",
    re.IGNORECASE,
)
_BREAK = pattern(
    r"(?P<stop>(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d)\]*_]*+)(?=\s|$)|(?P<line>\n\s*+)"
    r"|(?P<mark>[\u3002\uff01\uff1f])"
)
_LIST_NUMBER = pattern(r"(?:\A|\n)[ ]{0,4}\d{1,3}$")
_BULLET = pattern(r"\s*(?:[-*\u2022\u2013]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|\*\*|__)*")


class Sentence(NamedTuple):
    """`start` and `end` are positions in the masked text; `label` is who a transcript says is speaking."""

    start: int
    end: int
    question: bool
    paragraph: int
    label: str | None


def mask(text: str) -> str:
    """The text at the same length, apostrophes made plain, with code, markup and quotations blotted out."""
    masked = text.translate(_APOSTROPHES) if not text.isascii() or "\t" in text else text
    for foreign in _MASKED_WHOLE:
        masked = foreign.sub(_blot, masked)
    return _QUOTED.sub(_blot_speech, masked)


def _blot(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", MASK, match.group())


def _blot_speech(match: re.Match[str]) -> str:
    """A short quoted name ("Dune") stays; anything that could be somebody's words goes."""
    quoted = match.group()
    words = quoted.split()
    before = match.string[max(0, match.start() - 24) : match.start()]
    if (
        len(words) <= 6
        and not _SELF.search(quoted)
        and not _SPEECH_BEFORE.search(before)
        and quoted[-2] not in ",?!"
    ):
        return quoted
    return MASK * len(quoted)


def split_sentences(masked: str) -> Iterator[Sentence]:
    """Sentences in order, with the speaker's label of a transcript taken off and kept."""
    paragraph = 0
    label: str | None = None
    start = 0
    for match in _BREAK.finditer(masked):
        stop, line = match.group("stop"), match.group("line")
        if stop is not None and _inside_sentence(masked, match):
            continue
        if line is not None and _wrapped(masked, start, match):
            continue
        begin, label = _opening(masked, start, match.start(), label)
        if begin < match.start():
            question = "?" in match.group() or match.group() == "\uff1f"
            yield Sentence(begin, match.start(), question, paragraph, label)
        start = match.end()
        if line is not None and line.count("\n") > 1:
            paragraph += 1
            label = None
    begin, label = _opening(masked, start, len(masked), label)
    if begin < len(masked):
        yield Sentence(begin, len(masked), False, paragraph, label)


def _inside_sentence(masked: str, match: re.Match[str]) -> bool:
    """A single full stop after an abbreviation, an initial or a list's number, with more on the line."""
    if match.group("stop") != ".":
        return False
    following = masked[match.end() : match.end() + 2].lstrip(" ")
    if not following or following.startswith("\n"):
        return False
    if _LIST_NUMBER.search(masked, max(0, match.start() - 8), match.start()):
        return True
    return bool(_ABBREVIATION.search(masked, max(0, match.start() - 8), match.start()))


def _wrapped(masked: str, start: int, match: re.Match[str]) -> bool:
    """A line break that only wraps a long line of prose."""
    if match.group().count("\n") > 1 or match.start() - start == 0:
        return False
    line_start = masked.rfind("\n", 0, match.start()) + 1
    return match.start() - line_start >= 50 and masked[match.end() : match.end() + 1].islower()


_LABEL = pattern(
    r"(?:\[[^\]\n]{1,40}\]\s*)?(?:\*\*)?([A-Z][\w'.-]{0,30}(?: [A-Z][\w'.-]{0,30}){0,2})"
    r"(?: \([^)\n]{1,40}\))?(?::\*\*|\*\*:|:)\s+"
)


def _opening(masked: str, start: int, end: int, label: str | None) -> tuple[int, str | None]:
    """Past blanks, bullets and a `Name:` label: where the sentence proper begins, and whose it is."""
    bullet = _BULLET.match(masked, start, end)
    begin = bullet.end() if bullet else start
    at_line_start = (
        start == 0 or "\n" in masked[max(0, start - 2) : begin] or masked[start - 1 : start] == "\n"
    )
    if at_line_start and (match := _LABEL.match(masked, begin, end)):
        return match.end(), match.group(1)
    return begin, label
