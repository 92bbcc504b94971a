"""The readers that come with the package, in the order in which they are asked."""

from __future__ import annotations

from longmind.ingest.source import Limits, Reader, Readers

__all__ = ["default_readers"]


def default_readers(limits: Limits | None = None) -> Readers:
    """A fresh registry with every reader of the package; the text reader, asked last, takes what is left."""
    limits = limits or Limits()
    return Readers(lambda: _all(limits), limits=limits)


def _all(limits: Limits) -> list[Reader]:
    from longmind.ingest.readers.code import CodeReader
    from longmind.ingest.readers.html import HtmlReader
    from longmind.ingest.readers.markdown import MarkdownReader
    from longmind.ingest.readers.notebook import NotebookReader
    from longmind.ingest.readers.pdf import PdfReader
    from longmind.ingest.readers.records import RecordsReader
    from longmind.ingest.readers.rst import RstReader
    from longmind.ingest.readers.table import TableReader
    from longmind.ingest.readers.text import TextReader
    from longmind.ingest.readers.word import WordReader

    return [
        PdfReader(limits),
        WordReader(limits),
        HtmlReader(limits),
        MarkdownReader(limits),
        RstReader(limits),
        NotebookReader(limits),
        TableReader(limits),
        RecordsReader(limits),
        CodeReader(limits),
        TextReader(limits),
    ]
