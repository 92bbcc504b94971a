"""The readers that come with the package, in the order in which they are asked."""

from __future__ import annotations

from recollect.ingest.source import Limits, Reader, Readers

__all__ = ["default_readers"]


def default_readers(limits: Limits | None = None) -> Readers:
    """A fresh registry with every reader of the package; the text reader, asked last, takes what is left."""
    limits = limits or Limits()
    return Readers(lambda: _all(limits), limits=limits)


def _all(limits: Limits) -> list[Reader]:
    from recollect.ingest.readers.code import CodeReader
    from recollect.ingest.readers.html import HtmlReader
    from recollect.ingest.readers.markdown import MarkdownReader
    from recollect.ingest.readers.notebook import NotebookReader
    from recollect.ingest.readers.pdf import PdfReader
    from recollect.ingest.readers.records import RecordsReader
    from recollect.ingest.readers.rst import RstReader
    from recollect.ingest.readers.table import TableReader
    from recollect.ingest.readers.text import TextReader
    from recollect.ingest.readers.word import WordReader

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
