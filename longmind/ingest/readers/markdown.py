"""Markdown: front matter to metadata, headings to sections, the text kept as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import Mark, document
from longmind.ingest.source import Document, Limits, Source

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_CLOSING = re.compile(r"(?:^|[ \t])#+$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_NOT_A_TITLE = re.compile(r"\s*(?:[-*+>|]\s|\d+[.)]\s|\||$)| {4}|\t")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_MOST_FRONT = 64 * 1024


class MarkdownReader:
    name = "markdown"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in {"text/markdown", "text/x-markdown"}

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        front, text = split_front_matter(decoded.text)
        marks = list(find_headings(text))
        stated = front.get("title")
        title = (
            stated if isinstance(stated, str) else next((mark.title for mark in marks if mark.level == 1), "")
        )
        metadata = {"front_matter": front} if front else {}
        return document(
            text, source, decoded=decoded, limits=self._limits, marks=marks, title=title, metadata=metadata
        )


def find_headings(text: str) -> Iterator[Mark]:
    """Headings outside fenced code, `# so` and underlined."""
    fence = ""
    at = 0
    candidate: tuple[int, str] | None = None  # a paragraph of one line so far: a title if it gets underlined
    blank = True
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        heading = under = None
        if fence:
            if opened and opened[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opened and not (opened[1][0] == "`" and "`" in line[opened.end() :]):
            fence = opened[1]
        elif heading := _ATX.match(line):
            title = line[heading.end() :].strip()
            yield Mark(at, len(heading[1]), _plain(_CLOSING.sub("", title)))
        elif candidate and (under := _UNDERLINE.match(line)):
            yield Mark(candidate[0], 1 if under[1][0] == "=" else 2, _plain(candidate[1]))
        plain = not (fence or opened or heading or under)
        candidate = (at, line.strip()) if plain and blank and not _NOT_A_TITLE.match(line) else None
        blank = bool(heading or under) or not line.strip()
        at += len(line) + 1


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The block between `---` (YAML) or `+++` (TOML) lines at the very top, and the text after it."""
    mark = text[:3]
    if mark not in {"---", "+++"} or text[3:].split("\n", 1)[0].strip():
        return {}, text
    head = text[:_MOST_FRONT]
    closing = re.compile(r"^(?:---|\.\.\.)[ \t]*$" if mark == "---" else r"^\+\+\+[ \t]*$", re.MULTILINE)
    begin = head.find("\n") + 1
    end = closing.search(head, begin) if begin else None
    if end is None:
        return {}, text
    block = text[begin : end.start()]
    front = _yaml(block) if mark == "---" else _toml(block)
    return (front, text[end.end() :].lstrip("\n")) if front is not None else ({}, text)


def _yaml(block: str) -> dict[str, Any] | None:
    """Keys with scalars or lists of scalars; what is nested deeper is kept as it is written.

    None if it does not look like keys and values at all: `---` is also how people draw a line.
    """
    front: dict[str, Any] = {}
    nested: list[str] = []
    key = ""

    def close() -> None:
        lines = [line for line in nested if line.strip()]
        if key and lines and not front[key]:
            items = [line.strip() for line in lines]
            if all(item.startswith("- ") for item in items):
                front[key] = [_scalar(item[2:]) for item in items]
            else:
                front[key] = "\n".join(lines)
        nested.clear()

    for line in block.split("\n"):
        match = _KEY.match(line)
        if match:
            close()
            key, value = match[1], (match[2] or "").strip()
            if value.startswith("[") and value.endswith("]"):
                front[key] = [_scalar(item) for item in value[1:-1].split(",") if item.strip()]
            else:
                front[key] = "" if value in {"|", ">", "|-", ">-"} else _scalar(value)
        elif line.startswith((" ", "\t", "- ")) and key:
            nested.append(line)
        elif line.strip() and not line.startswith("#"):
            return None
    close()
    return front or None


def _toml(block: str) -> dict[str, Any] | None:
    import tomllib

    try:
        plain: dict[str, Any] = json.loads(json.dumps(tomllib.loads(block), default=str))
    except (ValueError, RecursionError):
        return None
    return plain or None


def _scalar(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.split(" #", 1)[0].rstrip()


def _plain(title: str) -> str:
    """A heading's words without its links, emphasis and code marks."""
    return re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", _LINK.sub(r"\1", title[:1000])).strip()
