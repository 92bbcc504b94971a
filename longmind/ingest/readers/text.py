"""Plain text, and whatever else turns out to be text."""

from __future__ import annotations

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import document
from longmind.ingest.source import Document, Limits, Source


class TextReader:
    """Keeps the text as it is; asked last, it takes anything and refuses what is binary."""

    name = "text"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return True

    def read(self, data: bytes, source: Source) -> Document:
        decoded = decode(data)
        return document(decoded.text, source, decoded=decoded, limits=self._limits)
