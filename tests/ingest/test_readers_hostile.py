from __future__ import annotations

import sysconfig
import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longmind.ingest.readers import default_readers
from longmind.ingest.source import WORD, Document, Limits, Reader, Source, Unreadable
from tests.ingest import made

READERS = {reader.name: reader for reader in default_readers()}
NAMES = {
    "pdf": "a.pdf",
    "word": "a.docx",
    "html": "a.html",
    "markdown": "a.md",
    "rst": "a.rst",
    "notebook": "a.ipynb",
    "table": "a.csv",
    "records": "a.json",
    "code": "a.py",
    "text": "a.txt",
}
SMALL = Limits(data=1 << 20, text=1 << 20, sections=50, pages=10)


def check(document: Document) -> None:
    """What every document must be, whatever it was made of."""
    data = document.text.encode()
    assert "\0" not in document.text
    assert document.title == document.title.strip()
    document.title.encode()
    last = 0
    for section in document.sections:
        assert last <= section.start < section.end <= len(data)
        data[section.start : section.end].decode()
        section.title.encode()
        assert section.level >= 1
        last = section.end


def check_attempt(reader: Reader, data: bytes, uri: str) -> Document | None:
    try:
        document = reader.read(data, Source.from_bytes(data, uri=uri))
    except Unreadable:
        return None
    check(document)
    return document


SYNTAX = {
    "html": "< > </ <p~ <!-- --> <![CDATA[ <script> </script &# &#x110000; & =\" ' <td> <tr> <h1> </h1> <pre>"
    " <nav> <title> <? text~",
    "markdown": "#~ ##~x¶ ---¶ +++¶ ```¶ ~~~ ¶¶ a:~b¶ ~~-~c¶ ===¶ >~ [ ](",
    "rst": "===¶ ---¶ ab¶ ¶ ***¶ ~x¶ ==¶",
    "table": ', ; " ¶ ~ a 1 é | \r',
    "records": '{ } [ ] "a" : , 1 null ¶ "\\ud800" 1e999 NaN',
    "notebook": '{"cells": [ ] } {"source": "#~x" , 1',
    "code": "def~f():¶ class~A:¶ ~~~~ ¶ x ( \" ' ''' \\ # { } @d¶ async~",
    "pdf": "%PDF-1.4¶ 1~0~obj¶ << >> /Type /Pages stream¶ endstream¶ xref¶ trailer¶ 0~",
}
"""Signs of each format, apart by blanks; `~` stands for a blank and `¶` for a line end."""


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=400))
@settings(max_examples=40, deadline=None)
def test_any_bytes_give_a_document_or_a_reason(name: str, data: bytes) -> None:
    check_attempt(READERS[name], data, NAMES[name])


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(max_size=300))
@settings(max_examples=30, deadline=None)
def test_any_text_gives_a_document_or_a_reason(name: str, text: str) -> None:
    check_attempt(READERS[name], text.encode("utf-8", "surrogatepass"), NAMES[name])


@pytest.mark.parametrize("name", SYNTAX)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_heap_of_the_formats_own_signs_gives_a_document_or_a_reason(
    name: str, data: st.DataObject
) -> None:
    signs = [sign.replace("~", " ").replace("¶", "\n") for sign in SYNTAX[name].split(" ")]
    heap = "".join(data.draw(st.lists(st.sampled_from(signs), max_size=40)))
    check_attempt(READERS[name], heap.encode(), NAMES[name])
    if name == "records":
        check_attempt(READERS[name], heap.encode(), "a.jsonl")
    if name == "code":
        for extension in ("js", "go", "rs", "c", "rb", "sql"):
            check_attempt(READERS[name], heap.encode(), f"a.{extension}")


@pytest.mark.parametrize(
    "make",
    [
        lambda: made.pdf(["one two", "three"]),
        lambda: made.docx(made.paragraph("one") + made.table([["a", "b"]])),
    ],
    ids=["pdf", "word"],
)
@given(where=st.integers(0, 5000), what=st.binary(min_size=1, max_size=12), cut=st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_damaged_file_gives_a_document_or_a_reason(
    make: Callable[[], bytes], where: int, what: bytes, cut: bool
) -> None:
    data = make()
    where %= len(data)
    broken = data[:where] + (b"" if cut else what + data[where + len(what) :])
    name = "pdf" if data.startswith(b"%PDF") else "word"
    check_attempt(READERS[name], broken, NAMES[name])


def _nested(opening: str, closing: str = "", times: int = 100_000) -> bytes:
    return (opening * times + "x" + closing * times).encode()


HOSTILE = {
    "a.html": [
        b"<" * 500_000 + b">",
        b"<a " * 200_000,
        b'<a "' * 100_000 + b">",
        b"<!--" * 200_000,
        b"<![CDATA[" * 100_000,
        b"</" * 200_000 + b">",
        b"<p <" * 100_000 + b">",
        b"&#" + b"9" * 100_000 + b";",
        b"&" * 200_000,
        b"<img " + b"a" * 60_000 + b">",
        _nested("<div>", "</div>"),
        _nested("<table><tr><td>", times=50_000),
    ],
    "a.md": [
        b"#" * 500_000,
        b"# " + b" " * 500_000 + b"#" * 500_000,
        _nested("> "),
        _nested("[", "]"),
        b"---\n" + b"a: b\n" * 100_000,
        b"---\n" * 30_000,
        b"```\n" * 100_000,
        b"\n" * 500_000,
        b"a\n=\n" * 20_000,
    ],
    "a.rst": [b"=" * 500_000, b"===\n" * 100_000, b"ab\n--\n\n" * 50_000],
    "a.json": [_nested("[", "]"), _nested('{"a":', "}"), b"[" + b"{}," * 20_000 + b"{}]", b"9" * 100_000],
    "a.jsonl": [b"[]\n" * 20_000, _nested("[", "]"), b'{"' + b"k" * 200_000 + b'": {"a": 1, "b": 2}}'],
    "a.csv": [b'"' * 300_000, b"," * 300_000, b"a\n" * 20_000, b"a,b\n" + b'"x\n' * 50_000],
    "a.py": [
        _nested("(", ")"),
        b"-" * 200_000 + b"1",
        b"x = " + b"a." * 100_000 + b"b",
        b"\\" * 300_000,
        b"if x:\n" + b"".join(b" " * depth + b"if x:\n" for depth in range(1, 300)),
        b"def f(): pass\n" * 20_000,
        b"f'" + b"{" * 50_000,
    ],
    "a.c": [
        b"a b c d e f g " * 20_000,
        (b"a*& :<>" * 100 + b"\n") * 500,
        b"int f(" + b"(" * 900 + b"\n{\n",
        b"{\n" * 50_000,
    ],
    "a.js": [(b"const x = " + b"(" * 300 + b"\n") * 500, (b"export " * 100 + b"\n") * 1000],
    "a.rs": [(b"impl<" + b"a" * 190 + b"> " + b"b, " * 100 + b"\n") * 300],
    "a.txt": [b"a" * 1_000_000, b"\r" * 500_000, b"\xff" * 500_000, b"\xef\xbb\xbf" * 100_000],
    "a.pdf": [
        b"%PDF-1.4\n" + b"<<" * 100_000,
        b"%PDF-1.4\n" + b"[" * 100_000,
        b"%PDF-1.4\n" + b"1 0 obj\n" * 20_000,
        b"%PDF-1.4\nxref\n0 99999999\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("uri", "case"), [(uri, case) for uri, cases in HOSTILE.items() for case in range(len(cases))]
)
def test_input_made_to_hang_a_reader_does_not(uri: str, case: int) -> None:
    source = Source.from_bytes(HOSTILE[uri][case], uri=uri)
    check_attempt(default_readers().find(source), HOSTILE[uri][case], uri)


def test_a_zip_bomb_in_a_word_file_is_refused_as_too_large() -> None:
    bomb = made.docx("<w:p/>" * 400_000)
    assert len(bomb) < SMALL.data
    with pytest.raises(Unreadable) as caught:
        default_readers(SMALL).read(Source.from_bytes(bomb, uri="a.docx"))
    assert caught.value.reason == "too_large"


def test_a_member_that_lies_about_its_size_is_bounded_all_the_same() -> None:
    data = bytearray(made.docx("<w:p/>" * 400_000))
    info = zipfile.ZipFile(BytesIO(bytes(data))).getinfo("word/document.xml")
    size = info.file_size.to_bytes(4, "little")
    at = data.rfind(size)  # in the directory at the end of the file
    data[at : at + 4] = (1000).to_bytes(4, "little")
    check_attempt(
        default_readers(SMALL).find(Source.from_bytes(bytes(data), uri="a.docx")), bytes(data), "a.docx"
    )


def test_an_entity_bomb_in_a_word_file_is_refused() -> None:
    entities = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + level)} "{f"&{chr(97 + level)};" * 10}">' for level in range(9)
    )
    bomb = made.docx(made.paragraph("x"), declaration=f"<!DOCTYPE w [{entities}]>")
    with pytest.raises(Unreadable, match="document type"):
        default_readers().read(Source.from_bytes(bomb, uri="a.docx"))


def test_a_word_file_nested_very_deeply_is_refused() -> None:
    deep = made.docx("<w:sdt>" * 5_000 + "</w:sdt>" * 5_000)
    with pytest.raises(Unreadable) as caught:
        default_readers().read(Source.from_bytes(deep, uri="a.docx"))
    assert caught.value.reason == "damaged"


@pytest.mark.parametrize("uri", ["a.txt", "a.md", "a.html", "a.csv", "a.json", "a.py", "a.c"])
def test_a_hundred_megabytes_are_refused_at_once(uri: str) -> None:
    with pytest.raises(Unreadable) as caught:
        default_readers().read(Source.from_bytes(b"word " * 20_000_000, uri=uri))
    assert caught.value.reason == "too_large"


@pytest.mark.parametrize(
    ("uri", "data"),
    [
        ("a.md", b"# x\n" * 200),
        ("a.csv", b"a,b\n" * 200),
        ("a.jsonl", b"[1]\n" * 200),
        ("a.html", b"<h1>x</h1>" * 200),
        ("a.py", b"def f(): pass\n" * 200),
    ],
)
def test_sections_past_the_limit_run_on_in_the_last_one_with_a_warning(uri: str, data: bytes) -> None:
    document = default_readers(SMALL).read(Source.from_bytes(data, uri=uri))
    check(document)
    assert len(document.sections) == SMALL.sections
    assert any("not told apart" in warning for warning in document.warnings)


def test_text_that_grows_past_the_limit_is_refused() -> None:
    key = "k" * 90
    data = ('{"' + key + '": [' + "{}," * 1 + ",".join(['{"a": [{"b": 1}]}'] * 20_000) + "]}").encode()
    with pytest.raises(Unreadable) as caught:
        default_readers(SMALL).read(Source.from_bytes(data, uri="a.json"))
    assert caught.value.reason == "too_large"


def test_a_pdf_past_the_page_limit_is_cut_with_a_warning() -> None:
    document = default_readers(SMALL).read(Source.from_bytes(made.pdf(["page"] * 12), uri="a.pdf"))
    assert len(document.sections) == SMALL.pages
    assert any("first 10 of 12 pages" in warning for warning in document.warnings)


def test_files_of_the_installed_packages_give_a_document_or_a_reason() -> None:
    root = Path(sysconfig.get_paths()["purelib"])
    files = islice(
        (path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".pyc"), 300
    )
    readers = default_readers(Limits(data=4 << 20))
    read = 0
    for path in files:
        try:
            document = readers.read(Source.from_path(path))
        except Unreadable:
            continue
        check(document)
        read += 1
    assert read > 100


def test_the_word_media_type_is_recognised_by_content_alone() -> None:
    data = made.docx(made.paragraph("hello"))
    assert Source.from_bytes(data).media_type == WORD
    assert default_readers().read(Source.from_bytes(data)).text == "hello"
