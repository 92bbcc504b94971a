"""PDF: the text of each page; what is encrypted, damaged or only pictures is refused with the reason."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from longmind.base.errors import run_install
from longmind.ingest.readers.build import Builder
from longmind.ingest.source import Document, Limits, Source, Unreadable

if TYPE_CHECKING:
    import pypdf


class PdfReader:
    """Needs `pypdf`. Page n of the text begins at byte `metadata["page_starts"][n - 1]`."""

    name = "pdf"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type == "application/pdf"

    def read(self, data: bytes, source: Source) -> Document:
        if b"%PDF-" not in data[:1024]:
            raise Unreadable("damaged", "It does not begin like a PDF file.")
        reader = _open(data)
        warnings: list[str] = []
        builder = Builder(self._limits)
        failed = 0
        starts: list[int] = []
        for number, text in self._pages(reader, warnings):
            if text is None:
                failed += 1
                text = ""
            text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
            builder.write("\n\n" if builder.length and text else "")
            starts.append(builder.size)
            builder.begin(f"page {number}", kind="page")
            builder.write(text)
        if failed:
            warnings.append(f"{failed} pages could not be read.")
        if not builder.length:
            if failed:
                raise Unreadable("damaged", "None of its pages could be read.")
            raise Unreadable(
                "unsupported",
                "Its pages hold no text, only pictures.",
                hint="Run text recognition over it first.",
            )
        about = _about(reader)
        title = about.pop("title", "")
        return builder.finish(
            source, title=title, metadata={**about, "page_starts": starts}, warnings=warnings
        )

    def _pages(self, reader: pypdf.PdfReader, warnings: list[str]) -> Iterator[tuple[int, str | None]]:
        try:
            count = len(reader.pages)
        except Exception as error:  # the library raises whatever a broken file provokes
            raise Unreadable(
                "damaged", f"Its list of pages cannot be read ({type(error).__name__})."
            ) from error
        if count > self._limits.pages:
            warnings.append(f"Only the first {self._limits.pages:,} of {count:,} pages were read.")
        for index in range(min(count, self._limits.pages)):
            try:
                yield index + 1, reader.pages[index].extract_text()
            except Exception:  # as above; one broken page must not cost the others
                yield index + 1, None


def _open(data: bytes) -> pypdf.PdfReader:
    try:
        import pypdf
    except ImportError:
        raise Unreadable("missing_extra", "Reading PDF files needs pypdf.", hint=run_install("pdf")) from None
    _quiet()
    try:
        reader = pypdf.PdfReader(BytesIO(data), strict=False)
        locked = reader.is_encrypted and not reader.decrypt("")
    except pypdf.errors.DependencyError:
        raise Unreadable("missing_extra", "This PDF file is encrypted.", hint=run_install("crypto")) from None
    except Exception as error:  # the library raises whatever a broken file provokes
        raise Unreadable("damaged", f"It cannot be read as PDF ({type(error).__name__}).") from error
    if locked:
        raise Unreadable("encrypted", "This PDF file needs a password.", hint="Save a copy without one.")
    return reader


def _about(reader: pypdf.PdfReader) -> dict[str, Any]:
    try:
        information: Mapping[str, Any] = reader.metadata or {}
        names = {"title": "/Title", "author": "/Author", "subject": "/Subject", "created": "/CreationDate"}
        texts = {key: str(information.get(name) or "").strip()[:1000] for key, name in names.items()}
    except Exception:  # a document can be read without its title
        return {}
    return {key: text for key, text in texts.items() if text}


def _quiet() -> None:
    """Keep the library's notes on broken files off stderr, unless the application listens to them."""
    logger = logging.getLogger("pypdf")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
