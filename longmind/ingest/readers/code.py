"""Source code: the text as it is, a section for each class and function under its qualified name."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from dataclasses import replace

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import Mark, document
from longmind.ingest.readers.definitions import LANGUAGES, find_definitions
from longmind.ingest.source import Document, Limits, Source

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ESCAPE = re.compile(r"\\(?:N\{[^}\n]*\}|[^\n])")
_MOST_PARSED = 4 * 2**20  # characters: past that the light rule is used for Python too

_PARSER = threading.Lock()
"""Python's parser counts its depth for the whole process: two threads in it at once can fail."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class CodeReader:
    """Python by its syntax tree; other languages, and what does not parse, by their definition lines."""

    name = "code"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in LANGUAGES

    def read(self, data: bytes, source: Source) -> Document:
        language = LANGUAGES.get(source.media_type, "python")
        cookie = next(filter(None, map(_COOKIE.match, data[:400].split(b"\n")[:2])), None)
        decoded = decode(data, declared=cookie[1].decode("ascii", "replace") if cookie else None)
        warnings: list[str] = []
        marks: list[Mark] | None = None
        if language == "python" and len(decoded.text) <= _MOST_PARSED:
            marks = parse_python(decoded.text)
            if marks is None:
                warnings.append(
                    "Not valid Python for this version: definitions were found by their first lines."
                )
        if marks is None:
            marks = list(find_definitions(decoded.text, language))
        return document(
            decoded.text,
            source,
            decoded=decoded,
            limits=self._limits,
            marks=marks,
            title=source.name,
            metadata={"language": language},
            warnings=warnings,
        )


def parse_python(text: str) -> list[Mark] | None:
    """Classes and functions with their decorators and the comments above them; None if it does not parse."""
    try:
        with _PARSER:
            tree = ast.parse(_ESCAPE.sub(_neutral, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    length = len(text)

    def walk(body: list[ast.stmt], above: str, level: int) -> Iterator[Mark]:
        for node in body:
            if not isinstance(node, Definition):
                continue
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            while first and lines[first - 1].lstrip().startswith("#"):
                first -= 1
            end = min(starts[min(node.end_lineno or node.lineno, len(lines))], length)
            name = f"{above}.{node.name}" if above else node.name
            inner = list(walk(node.body, name, level + 1)) if isinstance(node, ast.ClassDef) else []
            yield Mark(starts[first], level, name, "definition", None if inner or level > 1 else end)
            yield from inner[:-1]
            if inner:
                yield replace(inner[-1], end=end)

    return _ordered(walk(tree.body, "", 1))


def _neutral(escape: re.Match[str]) -> str:
    """An escape that means nothing, so that parsing code with odd ones warns of nothing."""
    text = escape[0]
    return "x" + text[1] if text[1] in "{}" else "x" * len(text)


def _ordered(marks: Iterator[Mark]) -> list[Mark]:
    """Without those that begin where another already did: two definitions on one line are one section."""
    kept: list[Mark] = []
    for mark in marks:
        if not kept or mark.at > kept[-1].at:
            kept.append(mark)
    return kept
