"""Word (.docx): paragraphs, headings, lists and tables, straight from the package's XML."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from xml.parsers import expat

from longmind.ingest.readers.build import Builder
from longmind.ingest.source import WORD, Document, Limits, Source, Unreadable

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADING = re.compile(r"heading\s*([1-9])$", re.IGNORECASE)
_DEEPEST = 256
_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "created": "created",
    "modified": "modified",
}

Attributes = dict[str, str]


class WordReader:
    name = "word"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in {WORD, "application/msword"} or source.extension == ".docm"

    def read(self, data: bytes, source: Source) -> Document:
        if data.startswith(_OLE):
            if "EncryptedPackage".encode("utf-16-le") in data:
                raise Unreadable(
                    "encrypted", "This Word file needs a password.", hint="Save a copy without one."
                )
            raise Unreadable("unsupported", "This is the old Word format.", hint="Save it as .docx.")
        package = _Package(data, self._limits)
        body = package.member("word/document.xml")
        if body is None:
            raise Unreadable("damaged", "It is not a Word file: word/document.xml is missing.")
        styles = _Styles()
        _parse(package.member("word/styles.xml") or b"", styles.start, styles.end)
        about = _Properties()
        _parse(package.member("docProps/core.xml") or b"", about.start, about.end, about.text)
        builder = Builder(self._limits)
        reader = _Body(builder, styles.levels)
        _parse(body, reader.start, reader.end, reader.text)
        reader.finish()
        notes = package.member("word/footnotes.xml")
        if notes:
            _parse(notes, reader.start, reader.end, reader.text)
            reader.finish()
        title = about.found.pop("title", "") or reader.title
        return builder.finish(source, title=title, media_type=WORD, metadata=about.found)


class _Package:
    """The zip file, whose members are read up to a limit whatever size they say they have."""

    def __init__(self, data: bytes, limits: Limits) -> None:
        self._most = limits.data
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except Exception as error:  # a broken directory raises several unrelated kinds
            raise Unreadable(
                "damaged", f"It cannot be opened as a Word file ({type(error).__name__})."
            ) from error

    def member(self, name: str) -> bytes | None:
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            return None
        if info.flag_bits & 1:
            raise Unreadable("encrypted", f"Its part {name} needs a password.")
        try:
            with self._zip.open(info) as member:
                data = member.read(self._most + 1)
        except Exception as error:  # damage shows as errors of zipfile, zlib, lzma and others
            raise Unreadable(
                "damaged", f"Its part {name} cannot be unpacked ({type(error).__name__})."
            ) from error
        if len(data) > self._most:
            raise Unreadable("too_large", f"Its part {name} unpacks to more than {self._most:,} bytes.")
        return data


class _Styles:
    """Which paragraph styles are headings, and of which level."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._style = ""

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "name" and self._style:
            if heading := _HEADING.match(value):
                self.levels[self._style] = int(heading[1])
            elif value.lower() == "title":
                self.levels[self._style] = 1
        elif name == "outlineLvl" and self._style and value.isdecimal() and len(value) == 1 and value != "9":
            self.levels.setdefault(self._style, int(value) + 1)

    def end(self, name: str) -> None:
        if name == "style":
            self._style = ""


class _Properties:
    """What the file says about itself."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._inside = ""

    def start(self, name: str, attributes: Attributes) -> None:
        self._inside = _PROPERTIES.get(name, "")

    def end(self, name: str) -> None:
        self._inside = ""

    def text(self, text: str) -> None:
        if self._inside:
            self.found[self._inside] = (self.found.get(self._inside, "") + text)[:1000].strip()


class _Body:
    """Writes the paragraphs as they end; a table's row becomes one line."""

    def __init__(self, builder: Builder, levels: dict[str, int]) -> None:
        self.title = ""
        self._builder = builder
        self._levels = levels
        self._words: list[str] = []
        self._cells: list[list[str]] = []  # one list of finished cells for each row that is open
        self._style = ""
        self._outline = 0
        self._listed = False
        self._running = False
        self._reading = False
        self._skipping = 0
        self._last = ""

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Fallback":  # the same text again, for older programs
            self._skipping += 1
        elif self._skipping:
            return
        elif name in ("r", "t"):
            self._running = True
            self._reading = name == "t"
        elif name in ("tab", "br", "cr", "noBreakHyphen") and self._running:
            self._words.append({"tab": "\t", "noBreakHyphen": "-"}.get(name, "\n"))
        elif name == "pStyle":
            self._style = attributes.get("val", "")
        elif name == "outlineLvl" and attributes.get("val", "") in tuple("012345678"):
            self._outline = int(attributes["val"]) + 1
        elif name == "numPr":
            self._listed = True
        elif name == "tr":
            self._paragraph()
            self._cells.append([])
        elif name == "tc":
            self._words.clear()

    def end(self, name: str) -> None:
        if name == "Fallback":
            self._skipping = max(0, self._skipping - 1)
        elif self._skipping:
            return
        elif name in ("r", "t"):
            self._running = name == "t"
            self._reading = False
        elif name == "p":
            if self._cells:
                self._words.append(" ")
                self._forget_style()
            else:
                self._paragraph()
        elif name == "tc" and self._cells:
            self._cells[-1].append(re.sub(r"\s+", " ", "".join(self._words)).strip())
            self._words.clear()
        elif name == "tr" and self._cells:
            row = " | ".join(self._cells.pop())
            if self._cells:  # a table inside a cell
                self._words.append(row + " ")
            elif row.strip(" |"):
                self._write(row, "row")

    def text(self, text: str) -> None:
        if self._reading and not self._skipping:
            self._words.append(text)

    def finish(self) -> None:
        self._cells.clear()
        self._paragraph()

    def _paragraph(self) -> None:
        text = "".join(self._words).strip("\n").rstrip()
        self._words.clear()
        level = self._levels.get(self._style, 0) or self._outline
        if text.strip():
            listed = self._listed and not level
            self._write(f"- {text.lstrip()}" if listed else text, "item" if listed else "paragraph", level)
        self._forget_style()

    def _forget_style(self) -> None:
        self._style, self._outline, self._listed = "", 0, False

    def _write(self, text: str, kind: str, level: int = 0) -> None:
        if self._builder.length:
            self._builder.write("\n" if kind == self._last != "paragraph" else "\n\n")
        if level:
            self._builder.begin(text, level)
            self.title = self.title or text
        self._builder.write(text)
        self._last = kind


def _parse(
    data: bytes,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None],
    text: Callable[[str], None] | None = None,
) -> None:
    """Feed the handlers; a document type, from which alone entity bombs can be built, is refused."""
    if not data:
        return
    depth = 0

    def refuse(*_: object) -> None:
        raise Unreadable("damaged", "It declares a document type, which no Word file does.")

    def opened(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Unreadable("damaged", f"Its parts are nested more than {_DEEPEST} deep.")
        start(_local(name), {_local(key): value for key, value in attributes.items()})

    def closed(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(_local(name))

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    if text is not None:
        parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("damaged", f"Its XML is broken: {error}.") from error


def _local(name: str) -> str:
    return name.rpartition(":")[2]
