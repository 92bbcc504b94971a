from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from longmind.base.errors import Forbidden, InvalidInput, NotFound
from longmind.ingest.readers import default_readers
from longmind.ingest.source import (
    Document,
    Limits,
    Reader,
    Readers,
    Section,
    Source,
    Unreadable,
    media_type_of,
)
from tests.ingest import made

READERS = default_readers()


def read(data: bytes | str, name: str) -> Document:
    raw = data.encode() if isinstance(data, str) else data
    return READERS.read(Source.from_bytes(raw, uri=name))


def text_of(document: Document, section: Section) -> str:
    return document.text.encode()[section.start : section.end].decode()


def titles(document: Document) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in document.sections]


# Plain text and encodings


def test_plain_text_is_kept_with_newline_line_ends() -> None:
    document = read("one\r\ntwo\rthree", "notes.txt")
    assert document.text == "one\ntwo\nthree"
    assert document.title == "notes"
    assert document.media_type == "text/plain"
    assert document.metadata["encoding"] == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_marked_and_unmarked_unicode_is_recognised(encoding: str) -> None:
    text = "Grüße aus Zürich, viele Wörter in einem Satz."
    assert read(text.encode(encoding), "a.txt").text == text


def test_windows_text_is_read_with_a_warning() -> None:
    document = read("caf\u00e9 \u2013 na\u00efve".encode("cp1252"), "a.txt")
    assert document.text == "café – naïve"
    assert any("cp1252" in warning for warning in document.warnings)


def test_a_few_broken_bytes_in_utf8_are_replaced_and_counted() -> None:
    document = read(("é" * 200).encode() + b"\xff" + b" end", "a.txt")
    assert document.text == "é" * 200 + "\ufffd end"
    assert any("1 characters" in warning for warning in document.warnings)


def test_nul_and_lone_surrogates_are_replaced_and_counted() -> None:
    document = read(b"a" * 100 + b"\0b", "a.txt")
    assert document.text == "a" * 100 + "\ufffdb"
    assert document.warnings
    record = read(r'{"a": "x\ud800y"}', "a.json")
    assert record.text == "a: x\ufffdy\n"
    assert record.warnings


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 8, b"\x89PNG\r\n\x1a\n" + b"\0" * 50, b"\x7fELF" + bytes(200)]
)
def test_binaries_are_refused_as_such(data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        read(data, "thing")
    assert caught.value.reason == "binary"


def test_a_mark_that_lies_is_an_encoding_error() -> None:
    with pytest.raises(Unreadable) as caught:
        read(b"\xef\xbb\xbf" + b"\xff\xfe\xfd" * 40, "a.txt")
    assert caught.value.reason == "encoding"


# Markdown and reStructuredText


def test_markdown_headings_become_sections_and_front_matter_metadata() -> None:
    document = read(
        "---\ntitle: The \u00dcber Guide\ntags: [a, 'b c']\nauthors:\n  - Ana\n  - Bo\n---\n\nIntro.\n\n"
        "# First *bold* [link](x)\n\ntext\n\n```sh\n# not a heading\n```\n\n## Sub ##\nmore\n\n"
        "Under\n-----\nx\n",
        "guide.md",
    )
    assert document.title == "The Über Guide"
    assert document.metadata["front_matter"] == {
        "title": "The Über Guide",
        "tags": ["a", "b c"],
        "authors": ["Ana", "Bo"],
    }
    assert document.text.startswith("Intro.")
    assert titles(document) == [(1, "First bold link"), (2, "Sub"), (2, "Under")]
    assert text_of(document, document.sections[1]) == "## Sub ##\nmore\n\n"
    assert text_of(document, document.sections[2]) == "Under\n-----\nx\n"


def test_a_line_drawn_at_the_top_is_not_front_matter() -> None:
    text = "---\nJust a thought\n---\nand another"
    assert read(text, "a.md").text == text


def test_toml_front_matter_is_read_too() -> None:
    document = read('+++\ntitle = "T"\ndate = 2024-01-02\n+++\nBody', "a.md")
    assert document.metadata["front_matter"] == {"title": "T", "date": "2024-01-02"}
    assert document.text == "Body"


def test_rst_levels_follow_the_order_of_their_styles() -> None:
    document = read(
        "=====\nTitle\n=====\n\nIntro\n\nPart\n====\n\nx\n\nSub\n---\ny\n\nPart 2\n======\nz\n", "a.rst"
    )
    assert document.title == "Title"
    assert titles(document) == [(1, "Title"), (2, "Part"), (3, "Sub"), (2, "Part 2")]
    assert text_of(document, document.sections[0]).startswith("=====\nTitle")


# HTML


def test_html_keeps_what_is_read_and_drops_the_rest() -> None:
    document = read(
        "<!DOCTYPE html><html lang=de><head><title>Tom &amp; Jerry</title><style>p{}</style>"
        '<meta name="description" content="About cats"></head><body><nav><a href=/>Home</a></nav><main>'
        "<h1>Head <em>line</em></h1><p>One two &lt;three&gt; &#x4e2d;</p>"
        "<script>alert('<p>no</p>')</script><!-- hidden --><ul><li>first<li>second</ul>"
        "<h2>Table</h2><table><tr><th>A<th>B<tr><td>1<td><p>2</p></table>"
        "<pre>  code\n    more</pre>" + "<p>Filler text that makes it long.</p>" * 8 + "</main>"
        "<footer>Imprint</footer></body></html>",
        "page.html",
    )
    assert document.title == "Tom & Jerry"
    assert document.metadata["language"] == "de"
    assert document.metadata["description"] == "About cats"
    for gone in ("alert", "hidden", "p{}", "Home", "Imprint"):
        assert gone not in document.text
    assert "One two <three> 中" in document.text
    assert "- first\n- second" in document.text
    assert "A | B\n1 | 2" in document.text
    assert "  code\n    more" in document.text
    assert titles(document) == [(1, "Head line"), (2, "Table")]


def test_html_without_a_main_part_keeps_everything_when_little_would_be_left() -> None:
    assert read("<nav>only this", "a.html").text == "only this"


def test_the_encoding_an_html_page_declares_is_used() -> None:
    page = "<meta charset=windows-1251><p>Привет, мир</p>".encode("cp1251")
    assert read(page, "a.html").text == "Привет, мир"


# PDF and Word


def test_a_pdf_has_a_section_for_each_page() -> None:
    document = read(made.pdf(["First page\nhas two lines", "Second (page)"], title="My Paper"), "a.pdf")
    assert document.title == "My Paper"
    assert titles(document) == [(1, "page 1"), (1, "page 2")]
    assert text_of(document, document.sections[1]) == "Second (page)"
    assert "First page\nhas two lines" in document.text
    starts = document.metadata["page_starts"]
    assert document.text.encode()[starts[1] :] == b"Second (page)"
    assert document.metadata["author"] == "A. Writer"


def test_a_locked_pdf_is_refused_as_encrypted_and_one_with_an_empty_password_is_read() -> None:
    with pytest.raises(Unreadable) as caught:
        read(made.pdf(["secret"], password="x"), "a.pdf")
    assert caught.value.reason == "encrypted"
    assert "open text" in read(made.pdf(["open text"], password=""), "a.pdf").text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.4 and nothing else", "damaged"),
        (b"no pdf at all", "damaged"),
        (made.pdf(["one", "two"])[:300], "damaged"),
        (made.pdf(["", ""]), "unsupported"),
    ],
)
def test_a_broken_or_empty_pdf_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(data, "a.pdf")
    assert caught.value.reason == reason


def test_a_word_file_gives_headings_lists_and_tables() -> None:
    document = read(
        made.docx(
            made.paragraph("Überblick", style="berschrift1")
            + made.paragraph("Some text & more.")
            + made.paragraph("one", item=True)
            + made.paragraph("two", item=True)
            + made.paragraph("Detail", style="H2")
            + made.table([["A", "B"], ["1", "2"]])
            + "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr>"
            + "<w:r><w:t>x</w:t><w:tab/><w:t>y</w:t></w:r></w:p>",
            title="The Report",
        ),
        "a.docx",
    )
    assert document.title == "The Report"
    assert document.metadata["author"] == "Ana"
    assert titles(document) == [(1, "Überblick"), (2, "Detail")]
    assert document.text == "Überblick\n\nSome text & more.\n\n- one\n- two\n\nDetail\n\nA | B\n1 | 2\n\nx\ty"
    assert text_of(document, document.sections[1]).startswith("Detail")


def test_an_old_or_locked_word_file_is_refused_with_the_reason() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    for data, reason in ((old, "unsupported"), (old + "EncryptedPackage".encode("utf-16-le"), "encrypted")):
        with pytest.raises(Unreadable) as caught:
            read(data, "a.doc")
        assert caught.value.reason == reason


# Tables and records


def test_csv_rows_read_as_columns_and_values() -> None:
    document = read('name;city\nAna;"Porto;\nPT"\n;\nBö;Wien\n', "people.csv")
    assert document.text == "name: Ana\ncity: Porto; PT\n\nname: Bö\ncity: Wien\n"
    assert [section.title for section in document.sections] == ["row 1", "row 2"]
    assert text_of(document, document.sections[1]) == "name: Bö\ncity: Wien\n"
    assert document.metadata["columns"] == ["name", "city"]


def test_csv_without_names_numbers_its_columns() -> None:
    assert read("1,2\n3,4\n", "a.csv").text == "column 1: 1\ncolumn 2: 2\n\ncolumn 1: 3\ncolumn 2: 4\n"


def test_tsv_and_a_table_that_is_none() -> None:
    assert read("a\tb\nx\ty\n", "a.tsv").text == "a: x\nb: y\n"
    broken = read('a,b\n"' + "x" * 200_000, "a.csv")
    assert broken.text.startswith("a,b\n")
    assert broken.warnings


def test_json_lines_and_json_read_as_paths_and_values() -> None:
    lines = read('{"a": {"b": [1, 2]}, "c": null}\nnot json\n\n{"d": [{"e": "é"}]}\n', "a.jsonl")
    assert lines.text == "a.b: 1, 2\nc: null\n\nnot json\n\nd[0].e: é\n"
    assert [section.title for section in lines.sections] == ["row 1", "row 2", "row 4"]
    assert any("1 lines" in warning for warning in lines.warnings)
    document = read(json.dumps({"name": "x", "deps": {"y": "1.0"}}), "package.json")
    assert document.text == "name: x\n\ndeps.y: 1.0\n"
    assert [section.title for section in document.sections] == ["name", "deps"]


def test_json_that_is_none_or_too_deep_is_kept_as_text_with_a_warning() -> None:
    for data in ("{not json", "[" * 100_000 + "]" * 100_000, "1" * 5_000):
        document = read(data, "a.json")
        assert document.text == data
        assert document.warnings


def test_a_notebook_gives_its_text_and_code() -> None:
    book = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Title\n", "words"]},
            {"cell_type": "code", "source": "print(1)", "outputs": [{"data": {"image/png": "AAAA"}}]},
        ],
        "metadata": {"language_info": {"name": "python"}},
    }
    document = read(json.dumps(book), "a.ipynb")
    assert document.text == "# Title\nwords\n\n```python\nprint(1)\n```"
    assert document.title == "Title"


# Registry and sources


def test_a_reader_registered_later_or_with_priority_is_asked_first() -> None:
    class Pictures:
        def __init__(self, name: str) -> None:
            self.name = name

        def accepts(self, source: Source) -> bool:
            return source.media_type.startswith("image/")

        def read(self, data: bytes, source: Source) -> Document:
            return Document(uri=source.uri, title=self.name, text="a picture")

    readers = default_readers()
    source = Source.from_bytes(b"\xff\xd8\xff\xe0", uri="a.jpg")
    readers.register(Pictures("photos"), priority=10)
    readers.register(Pictures("other"))
    assert readers.read(source).title == "photos"
    readers.register(Pictures("photos"), priority=-1)
    assert readers.read(source).title == "other"
    assert all(isinstance(reader, Reader) for reader in readers)
    assert [reader.name for reader in readers][-1] == "photos"
    with pytest.raises(Unreadable) as caught:
        Readers().find(source)
    assert caught.value.reason == "unsupported"


def test_a_source_too_large_is_refused_before_it_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1001)
    with pytest.raises(Unreadable) as caught:
        default_readers(Limits(data=1000)).read(Source.from_path(path))
    assert caught.value.reason == "too_large"


def test_a_source_from_a_path_knows_its_size_time_and_type(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("<!doctype html><p>hello")
    source = Source.from_path(path, uri="docs/page")
    assert (source.size, source.media_type, source.name) == (23, "text/html", "page")
    assert source.modified == path.stat().st_mtime_ns // 1_000_000
    assert READERS.read(source).text == "hello"
    with pytest.raises(NotFound):
        Source.from_path(tmp_path / "gone")
    path.unlink()
    with pytest.raises((NotFound, Forbidden)):
        source.load()


def test_unreadable_has_fixed_reasons_and_survives_pickling() -> None:
    error = Unreadable("encrypted", "It is locked.", hint="Unlock it.")
    again = pickle.loads(pickle.dumps(error))
    assert (again.reason, again.message, again.hint, str(again)) == (
        "encrypted",
        "It is locked.",
        "Unlock it.",
        str(error),
    )
    assert isinstance(error, InvalidInput)
    with pytest.raises(InvalidInput):
        Unreadable("tired", "no such reason")  # type: ignore[arg-type]


def test_media_types_come_from_the_name_then_from_the_first_bytes() -> None:
    assert media_type_of("A.PDF") == "application/pdf"
    assert media_type_of("x", b"%PDF-1.7") == "application/pdf"
    assert media_type_of("run", b"#!/usr/bin/env python3\n") == "text/x-python"
    assert media_type_of("x", b"anything") == "application/octet-stream"
