"""Where the sentences of a text begin and end, once code and other people's words are blotted out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
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
    (("```", "~~~"), pattern(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\1|\Z)", re.MULTILINE | re.DOTALL)),
    (("`",), pattern(r"(?<!`)`[^`\n]{1,400}`(?!`)")),
    ((">", "&gt;", "\u266a"), pattern(r"^[ \t]*(?:>|&gt;|\u266a).*$", re.MULTILINE)),
    (("\n",), _CODE_LINE),
    (("[",), pattern(r"\[[^\[\]:\n]{1,40}: [^\[\]\n]{1,400}\]")),
    (("<!--",), pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)),
    (("<",), pattern(r"</?[A-Za-z][^<>\n]{0,300}>")),
    (("://",), pattern(r"https?://[^\s<>]+")),
)
"""What is blotted out whole, each with marks of which one stands wherever its pattern matches.

Code may also stand on the one line of a text, but then only at its beginning."""
# One character first, since a search for a single set of characters is the quickest there is.
_QUOTED = pattern(
    r"[\"\u201c\u00ab\u201e'](?:(?<=\")[^\"\n]{1,600}\"|(?<=\u201c)[^\u201d\n]{1,600}\u201d"
    r"|(?<=\u00ab)[^\u00bb\n]{1,600}\u00bb|(?<=\u201e)[^\u201c\u201d\n]{1,600}[\u201c\u201d]"
    r"|(?<=')(?<![\w']')(?=\w)[^'\n]{1,200}(?:'\w[^'\n]{0,200}){0,6}(?<=[\w.,!?])'(?!\w))"
)
_SPEECH_BEFORE = pattern(
    r"(?:[,:]|\b(?:said|says|say|saying|told|asked|wrote|write|read|reads|replied|whispered|shouted"
    r"|called out|called it|claims?|goes|like|yelled|thought|sang|sing|means?|meant|typed|answered"
    r"|joked))\s*$",
    re.IGNORECASE,
)
_SELF = pattern(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|our|you|your|is|are|am|was)\b", re.IGNORECASE)

_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st mt jr sr vs etc no approx inc ltd co corp dept gen sgt capt lt rev hon est fig "
    "ave blvd rd jan feb mar apr aug sep sept oct nov dec".split()
)
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS))
_INITIAL = pattern(
    r"(?:\b(?:e\.g|i\.e|u\.s|u\.k|d\.c|a\.m|p\.m|ph\.d|b\.a|m\.a)|(?<!\w)[A-Z])$", re.IGNORECASE
)
_BREAK = pattern(
    r"[.!?\u2026\n\u3002\uff01\uff1f](?:(?<=\n)\s*+|(?<=[\u3002\uff01\uff1f])"
    r"|(?<![.!?\u2026].)(?<=[.!?\u2026])[.!?\u2026]*+[\"'\u201d)\]*_]*+(?=\s|$))"
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


@lru_cache(maxsize=4)  # what a text says and what it puts in doubt are read one right after the other
def mask(text: str) -> str:
    """The text at the same length, apostrophes made plain, with code, markup and quotations blotted out."""
    masked = text.translate(_APOSTROPHES) if not text.isascii() or "\t" in text else text
    for marks, foreign in _MASKED_WHOLE:
        for mark in marks:
            if mark in masked:
                masked = foreign.sub(_blot, masked)
                break
        else:
            if foreign is _CODE_LINE and _may_be_code(masked) and (code := foreign.match(masked)) is not None:
                masked = _blot(code) + masked[code.end() :]
    return _QUOTED.sub(_blot_speech, masked) if _may_quote(masked) else masked


_CODE_WORDS = (
    "import ", "from ", "def ", "class ", "const ", "let ", "var ", "auto ", "int ", "char ", "string ",
    "val ", "return", "print", "console", "echo", "SELECT ", "INSERT ",
)  # fmt: skip


def _may_be_code(masked: str) -> bool:
    """Whether a text of one line may begin with code: it has one of these words or marks."""
    return not masked[:1].isalpha() or "=" in masked or "(" in masked or masked.startswith(_CODE_WORDS)


def _may_quote(masked: str) -> bool:
    """Whether a quotation may begin somewhere: an apostrophe inside a word, as most are, begins none."""
    if '"' in masked or not masked.isascii():
        return True
    for before in masked.split("'")[:-1]:
        if not before or not (before[-1].isalnum() or before[-1] == "_"):
            return True
    return False


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
        at, after = match.span()
        first = masked[at]
        is_line = first == "\n"
        if is_line:
            if _wrapped(masked, start, match):
                continue
        elif first == "." and after == at + 1 and _inside_sentence(masked, at):
            continue
        begin, label = _opening(masked, start, at, label)
        if begin < at:
            question = "?" in match.group() or first == "\uff1f"
            yield Sentence(begin, at, question, paragraph, label)
        start = after
        if is_line and match.group().count("\n") > 1:
            paragraph += 1
            label = None
    begin, label = _opening(masked, start, len(masked), label)
    if begin < len(masked):
        yield Sentence(begin, len(masked), False, paragraph, label)


def _inside_sentence(masked: str, at: int) -> bool:
    """Whether the full stop follows an abbreviation, an initial or a list's number, with more on the line."""
    following = masked[at + 1 : at + 3].lstrip(" ")
    if not following or following[0] == "\n":
        return False
    end = at - 1 if masked[at - 1 : at] == "\n" else at
    begin, least = end, max(0, end - _LONGEST_ABBREVIATION - 1)
    while begin > least and (masked[begin - 1].isalnum() or masked[begin - 1] == "_"):
        begin -= 1
    if end - begin == 1 and _INITIAL.search(masked, max(0, at - 8), at):
        return True
    word = masked[begin:end]
    if word[-1:].isdigit():
        return _LIST_NUMBER.search(masked, max(0, at - 8), at) is not None
    return word.lower() in _ABBREVIATIONS


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
    begin = start + 1 if masked[start : start + 1] == " " else start
    if not masked[begin : begin + 1].isalpha():
        bullet = _BULLET.match(masked, start, end)
        begin = bullet.end() if bullet else start
    at_line_start = (
        start == 0 or "\n" in masked[max(0, start - 2) : begin] or masked[start - 1 : start] == "\n"
    )
    if at_line_start and masked.find(":", begin, end) >= 0 and (match := _LABEL.match(masked, begin, end)):
        return match.end(), match.group(1)
    return begin, label
