"""Jupyter notebooks: Markdown cells as they are, code cells as fenced code, outputs left out."""

from __future__ import annotations

import json
from typing import Any

from longmind.ingest.encoding import clean, decode
from longmind.ingest.readers.build import document
from longmind.ingest.readers.markdown import find_headings
from longmind.ingest.source import Document, Limits, Source, Unreadable


class NotebookReader:
    name = "notebook"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type == "application/x-ipynb+json"

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        try:
            book = json.loads(decoded.text)
        except (ValueError, RecursionError) as error:
            raise Unreadable("damaged", "It is not valid JSON.") from error
        cells = book.get("cells") if isinstance(book, dict) else None
        if not isinstance(cells, list):
            raise Unreadable("damaged", "It is not a notebook: it has no cells.")
        language = _language(book)
        text, replaced = clean("\n\n".join(filter(None, (_cell(cell, language) for cell in cells))))
        marks = list(find_headings(text))
        return document(
            text,
            source,
            decoded=decoded,
            limits=self._limits,
            marks=marks,
            title=next((mark.title for mark in marks if mark.level == 1), ""),
            metadata={"language": language} if language else {},
            warnings=[f"{replaced} characters could not be kept and were replaced."] if replaced else (),
        )


def _cell(cell: Any, language: str) -> str:
    written = cell.get("source", "") if isinstance(cell, dict) else ""
    text = (
        "".join(part for part in written if isinstance(part, str)) if isinstance(written, list) else written
    )
    if not isinstance(text, str) or not text.strip():
        return ""
    text = text.replace("\r\n", "\n").strip("\n")
    return f"```{language}\n{text}\n```" if cell.get("cell_type") == "code" else text


def _language(book: dict[str, Any]) -> str:
    value: Any = book
    for key in ("metadata", "language_info", "name"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value.isalnum() else ""
