"""Where recalled text stands in a text that comes back: it is remembered already, and no new evidence.

Agents quote, re-wrap, escape and shorten what they were given, so a context is known by any of its marks:
the tag around it in any case and spacing, behind "> " or escaped for HTML or JSON; and where the tag is lost,
by the citations at the ends of its lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from longmind.base.disguises import Edit, TextView

# The product was once called Recollect: contexts of that time may still stand in transcripts and notes.
_NAME: Final = "(?:longmind|recollect)"
_HINT = re.compile(rf"{_NAME}|\[\s*frame\s+\d", re.IGNORECASE)
_OPEN: Final = rf"<\s*{_NAME}\s+id\s*=\s*[\"']?[0-9a-f]{{8,64}}[\"']?\s*>"
_CLOSE: Final = rf"<\s*\\?/\s*{_NAME}\s*>"
_BOUND = re.compile(rf"(?P<open>{_OPEN})|{_CLOSE}", re.IGNORECASE)
_SAYS = re.compile(r"\s*recalled\s+data,?\s+not\s+instructions", re.IGNORECASE)
_QUOTED = re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+")
_ESCAPED = re.compile(
    r"&(?:amp;)?(?:lt|gt|quot|#39|#60|#62);|\\u00(?:3c|3e|22|2f)|\\(?=[<>\[\]/\"])", re.IGNORECASE
)
_PLAIN: Final = {"lt": "<", "gt": ">", "quot": '"', "#39": "'", "#60": "<", "#62": ">"}
_CODES: Final = {"3c": "<", "3e": ">", "22": '"', "2f": "/"}
_CITING = re.compile(r"\[\s*frame\s+\d+\s*\][\s.,;:!?)\"'*_`]*$", re.IGNORECASE)
_HEADING = re.compile(r"\s*(?:#+\s*)?(?:known facts|\d{4}-\d{2}-\d{2}(?:\s.{0,300})?)\s*:?\s*", re.IGNORECASE)

Range = tuple[int, int]


def echoes(text: str) -> list[Range]:
    """Where the outermost contexts begin and end, in order and without overlaps."""
    if not may_echo(text):
        return []
    # As it stands first: an escaped mark inside a context is a stored text's own, and does not end it.
    views = [TextView(text)]
    if "&" in text or "\\" in text:
        views.append(views[0].rewritten(_unescaped(text)))
    spans = [span for view in views for span in _echoes_in(view)]
    return [(_line_start(text, start), end) for start, end in _outer(spans)]


def may_echo(text: str) -> bool:
    """Nearly every text has no trace of a mark, and is told so at the speed of looking for a word."""
    if text.isascii():
        lowered = text.lower()
        if "[" not in text and "longmind" not in lowered and "recollect" not in lowered:
            return False
    return _HINT.search(text) is not None


def _echoes_in(view: TextView) -> list[Range]:
    if ">" in view.text:
        view = view.rewritten(_unquoted(view.text))  # without the marks of a quotation
    marked = _marked(view.text)
    lines = [line for line in _cited(view.text) if not any(a <= line[0] and line[1] <= b for a, b in marked)]
    return [view.origin(start, end) for start, end in _outer([*marked, *lines]) if end > start]


def _line_start(text: str, start: int) -> int:
    """From the beginning of the line, where nothing but the mark of a quotation stands before."""
    first = text.rfind("\n", 0, start) + 1
    return first if ">" in text[first:start] and not text[first:start].strip(" \t>") else start


def _unescaped(text: str) -> Iterator[Edit]:
    for match in _ESCAPED.finditer(text):
        entity = match[0].lower()
        if entity.startswith("&"):
            plain = _PLAIN[entity[1:-1].removeprefix("amp;")]
        else:
            plain = _CODES.get(entity[-2:], "") if len(entity) > 1 else ""
        yield match.start(), match.end(), plain


def _unquoted(text: str) -> Iterator[Edit]:
    for match in _QUOTED.finditer(text):
        yield match.start(), match.end(), ""


def _marked(text: str) -> list[Range]:
    """From tag to tag.

    A context whose end is missing reaches to the next one, or to the end of the text; but a mark that neither
    ends nor says what it marks is somebody's writing about marks, and stays.
    """
    open_marks: list[re.Match[str]] = []
    spans: list[Range] = []
    starts: list[int] = []
    for mark in _BOUND.finditer(text):
        if mark["open"]:
            starts.append(mark.start())
            open_marks.append(mark)
        elif open_marks:
            spans.append((open_marks.pop().start(), mark.end()))
    for mark in open_marks:
        if _SAYS.match(text, mark.end()):
            following = bisect_right(starts, mark.start())
            spans.append((mark.start(), starts[following] if following < len(starts) else len(text)))
    return spans


def _cited(text: str) -> Iterator[Range]:
    """Lines that end by citing a frame, as every line of a context does, with the lines that belong to them.

    Citations that stand in a stored text are shown with round brackets, so a line that ends with square ones
    was shown by us.
    """
    position = 0
    heading: Range | None = None
    inside = False
    for line in text.splitlines(keepends=True):
        start, end = position, position + len(line.rstrip("\r\n"))
        position += len(line)
        body = text[start:end]
        if _CITING.search(body):
            inside = True
            yield (start if heading is None else heading[0]), end
            heading = None
            continue
        if inside and body.startswith("  ") and body.strip():
            yield start, end
            continue
        inside = False
        if body.strip():
            heading = (start, end) if _HEADING.fullmatch(body) else None


def _outer(spans: list[Range]) -> list[Range]:
    outer: list[Range] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not outer or start >= outer[-1][1]:
            outer.append((start, end))
    return outer
