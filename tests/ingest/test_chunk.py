from __future__ import annotations

import sysconfig
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longmind.base.errors import InvalidInput
from longmind.base.tokens import open_tokenizer
from longmind.ingest.chunk import Chunk, plan_chunks
from longmind.ingest.readers import default_readers
from longmind.ingest.source import Document, Limits, Section, Source, Unreadable
from tests.ingest import made

TOKENIZER = open_tokenizer("cl100k_base")
READERS = default_readers()


def read(text: str, name: str) -> Document:
    return READERS.read(Source.from_bytes(text.encode(), uri=name))


def checked_plan(document: Document, tokens: int = 400, overlap: int = 40) -> list[Chunk]:
    chunks = plan_chunks(document, tokenizer=TOKENIZER, tokens=tokens, overlap=overlap)
    check(document, chunks, tokens)
    return chunks


def check(document: Document, chunks: list[Chunk], tokens: int) -> None:
    """What must hold of the chunks of any document."""
    data = document.text.encode()
    last = 0
    for number, chunk in enumerate(chunks):
        text = data[chunk.start : chunk.end].decode()
        assert chunk.ordinal == number
        assert text.strip()
        assert chunk.tokens == TOKENIZER.count(text)
        assert chunk.tokens <= tokens
        assert not data[last : chunk.start].decode().strip()
        last = chunk.end
    assert not data[last:].decode().strip()
    for one, two in pairwise(chunks):
        assert one.start < two.start
        assert one.end < two.end
    if document.text.strip() and TOKENIZER.count(document.text) <= tokens:
        assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, len(data))]


def texts_of(document: Document, chunks: list[Chunk]) -> list[str]:
    data = document.text.encode()
    return [data[chunk.start : chunk.end].decode() for chunk in chunks]


SIGNS = (
    "The_cat_sat._ Ünïcode_ 日本語の文章です。 ok¶ ¶¶ ____x_=_1¶ -_item¶ 😀👍🏽 aaaaaaaaaaaa é \t"
    " ##_Head¶ ```¶"
    " |_a_|_b_|¶ Dr._Who_said:_“Yes!”_ ===================== \u2028 \u3000 ไทยไม่มีวรรค 👨\u200d👩\u200d👧"
)
words = st.sampled_from(SIGNS.split(" ")).map(lambda word: word.replace("_", " ").replace("¶", "\n"))
bodies = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=600),
    st.lists(words, max_size=200).map("".join),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Any text with any sections that are in order, of any kind."""
    text = draw(bodies)
    kind = draw(st.sampled_from(["heading", "definition", "row", "page"]))
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    at = [len(text[:place].encode()) for place in places]
    sections = [
        Section(
            f"s{start}",
            draw(st.integers(1, 4)),
            start,
            draw(st.sampled_from([end, (start + end) // 2])),
            kind,
        )
        for start, end in pairwise(at)
    ]
    data = text.encode()
    sound = [
        section
        for section in sections
        if section.end > section.start and (section.end == len(data) or data[section.end] & 0xC0 != 0x80)
    ]
    media_type = draw(st.sampled_from(["text/plain", "text/markdown", "text/x-python"]))
    return Document(uri="x", title="x", text=text, media_type=media_type, sections=tuple(sound))


@given(document=documents(), tokens=st.integers(16, 120), part=st.integers(0, 50))
@settings(max_examples=250, deadline=None)
def test_chunks_are_exact_ranges_within_the_limit_and_cover_the_document(
    document: Document, tokens: int, part: int
) -> None:
    checked_plan(document, tokens, tokens * part // 100)


@given(body=bodies, name=st.sampled_from(["a.txt", "a.md", "a.py", "a.rst", "a.csv", "a.html", "a.js"]))
@example(body="\ufeff x", name="a.txt")
@settings(max_examples=100, deadline=None)
def test_chunks_of_what_a_reader_makes_cover_it(body: str, name: str) -> None:
    try:
        document = read(body, name)
    except Unreadable:
        return
    checked_plan(document, 32, 6)


@given(document=documents())
@settings(max_examples=40, deadline=None)
def test_the_same_document_is_always_cut_the_same(document: Document) -> None:
    assert checked_plan(document, 40, 8) == checked_plan(document, 40, 8)


@given(document=documents(), limit=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_a_limit_keeps_the_first_chunks(document: Document, limit: int) -> None:
    some = plan_chunks(document, tokenizer=TOKENIZER, tokens=24, overlap=4, limit=limit)
    assert some == checked_plan(document, 24, 4)[:limit]


def test_a_short_document_is_one_chunk_all_of_it() -> None:
    document = read("\n  Short, and with space around it. \n", "a.txt")
    (chunk,) = checked_plan(document)
    assert (chunk.start, chunk.end) == (0, len(document.text))


def test_a_blank_document_has_no_chunks() -> None:
    assert checked_plan(read(" \n\t \n", "a.txt")) == []


def test_prose_is_cut_between_sentences_with_an_overlap_of_whole_sentences() -> None:
    sentences = [
        f"This is sentence number {number}, which Dr. Smith wrote about item {number}."
        for number in range(200)
    ]
    document = read(" ".join(sentences), "a.txt")
    chunks = checked_plan(document)
    texts = texts_of(document, chunks)
    assert len(chunks) > 5
    for text in texts:
        assert text.startswith("This is")
        assert text.endswith(".")
        assert text[:-1].rsplit(" ", 1)[1].isdigit()
    for one, two in pairwise(chunks):
        shared = document.text.encode()[two.start : one.end].decode()
        assert 20 <= TOKENIZER.count(shared) <= 60
    assert min(chunk.tokens for chunk in chunks) > 150


def test_hard_wrapped_prose_is_cut_between_sentences_not_at_line_ends() -> None:
    line = "a line that was broken by an editor at a column and goes on in the\n"
    text = "".join(f"Sentence {number} begins here and is {line}next one. " for number in range(120))
    document = read(text, "a.txt")
    for piece in texts_of(document, checked_plan(document, 200, 20)):
        assert piece.startswith("Sentence")
        assert piece.endswith(".")


def test_paragraphs_are_kept_whole_where_they_fit() -> None:
    paragraph = "Words about a thing. " * 12
    document = read("\n\n".join(f"P{number}. {paragraph}" for number in range(40)), "a.txt")
    for piece in texts_of(document, checked_plan(document, 400, 0)):
        assert piece.startswith("P")
        assert piece.endswith("thing.")


def test_text_without_spaces_or_stops_is_cut_without_splitting_a_letter_from_its_marks() -> None:
    document = read("e\u0301👨‍👩‍👧" * 400, "a.txt")
    for piece in texts_of(document, checked_plan(document)):
        assert piece[0] in "e👨"


def test_chinese_is_cut_between_sentences() -> None:
    document = read("我们今天去了公园，然后在那里吃了午饭。天气很好！" * 200, "a.txt")
    for piece in texts_of(document, checked_plan(document)):
        assert piece[-1] in "。！"


def test_headings_name_the_chunks_and_small_sections_join_under_one_heading() -> None:
    body = "Some words in here. " * 30
    text = (
        f"# Guide\n\nIntro.\n\n## Install\n\n{body}\n\n### Linux\n\nShort.\n\n### Mac\n\nShort.\n\n"
        f"## Use\n\n{body * 4}\n\n## Tiny one\n\nx\n\n## Tiny two\n\ny\n"
    )
    document = read(text, "guide.md")
    chunks = checked_plan(document)
    texts = texts_of(document, chunks)
    titles = [chunk.title for chunk in chunks]
    assert titles[0] == "Guide"
    assert texts[0].startswith("# Guide")
    assert "### Mac" in texts[0]
    uses = [text for title, text in zip(titles, texts, strict=True) if title == "Guide > Use"]
    assert len(uses) >= 2
    assert uses[0].startswith("## Use")
    assert titles[-1] == "Guide"
    assert texts[-1] == "## Tiny one\n\nx\n\n## Tiny two\n\ny"


def test_a_heading_is_never_left_alone_at_the_end_of_a_chunk() -> None:
    body = "Some words in here that fill the page. " * 40
    document = read(
        "".join(f"# Title {number}\n\n## Part {number}\n\n{body}\n\n" for number in range(6)), "a.md"
    )
    for piece in texts_of(document, checked_plan(document)):
        assert not piece.split("\n")[-1].startswith("#")


def test_code_is_cut_by_definition_and_two_are_only_joined_when_both_are_tiny() -> None:
    def function(name: str, lines: int) -> str:
        return f"def {name}(value):\n" + "    value = value + 1  # add one to it\n" * lines + "\n\n"

    names = [f"middle_{number}" for number in range(8)]
    text = "import os\n\n" + "".join(function(name, 15) for name in names)
    text += function("tiny_a", 1) + function("tiny_b", 1) + function("huge", 80)
    document = read(text, "a.py")
    chunks = checked_plan(document)
    texts = texts_of(document, chunks)
    assert [chunk.title for chunk in chunks[:8]] == names
    assert texts[0].startswith("import os")
    assert all(text.count("def middle") == 1 for text in texts[:8])
    assert chunks[8].title == "tiny_a, tiny_b"
    assert [chunk.title for chunk in chunks[9:]] == ["huge"] * (len(chunks) - 9)
    assert len(chunks) > 10


def test_a_class_too_big_is_cut_between_its_methods() -> None:
    methods = "".join(
        f"    def method_{number}(self):\n" + "        self.value = self.value + 1\n" * 20 + "\n"
        for number in range(5)
    )
    document = read(f'class Thing:\n    """What it is."""\n\n{methods}', "a.py")
    chunks = checked_plan(document)
    assert [chunk.title for chunk in chunks] == [
        "Thing, Thing.method_0",
        *(f"Thing.method_{number}" for number in range(1, 5)),
    ]
    assert all(text.startswith(("    def", "class")) for text in texts_of(document, chunks))


def test_rows_are_never_cut_where_they_fit() -> None:
    rows = "\n".join(f"{number},Name {number},Some text about number {number}" for number in range(300))
    document = read(f"id,name,text\n{rows}\n", "a.csv")
    chunks = checked_plan(document)
    assert len(chunks) > 10
    for chunk, text in zip(chunks, texts_of(document, chunks), strict=True):
        assert text.startswith("id: ")
        assert chunk.title.startswith("row ")
    assert chunks[0].title.startswith("row 1 … row ")


def test_chunks_of_a_pdf_run_across_pages_and_say_which() -> None:
    line = "A line of words on this page which is long enough to matter here."
    document = READERS.read(Source.from_bytes(made.pdf(["\n".join([line] * 6)] * 12), uri="a.pdf"))
    chunks = checked_plan(document)
    assert chunks[0].title.startswith("page 1 – page ")
    assert chunks[-1].title.endswith(" – page 12")
    assert len(chunks) < 8


@pytest.mark.parametrize(
    "unit",
    ["a", " a", "\n", "a\n", "=", "中", "क्", "👨‍👩‍👧", "# a\n", "```\n", ". ", "- \n", "\u0301", "a\n\n"],
)
@pytest.mark.parametrize("media_type", ["text/plain", "text/markdown", "text/x-python"])
def test_monotonous_text_is_cut_in_time(unit: str, media_type: str) -> None:
    text = unit * (20_000 // len(unit)) + "x"
    checked_plan(Document(uri="x", title="x", text=text, media_type=media_type))


def test_very_many_sections_are_cut_in_time() -> None:
    text = "x = 1\n" * 30_000
    sections = tuple(Section(f"s{at}", 1 + at % 40, at * 6, at * 6 + 6) for at in range(30_000))
    chunks = plan_chunks(Document(uri="x", title="x", text=text, sections=sections), tokenizer=TOKENIZER)
    assert chunks[-1].end == len(text) - 1


def test_impossible_sizes_are_refused() -> None:
    document = read("x", "a.txt")
    for wrong in ({"tokens": 3}, {"overlap": -1}, {"tokens": 100, "overlap": 80}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            plan_chunks(document, tokenizer=TOKENIZER, **wrong)


def test_a_section_that_cuts_a_character_is_refused() -> None:
    document = Document(uri="x", title="x", text="é" * 500, sections=(Section("s", 1, 1, 5),))
    with pytest.raises(InvalidInput, match="inside a character"):
        plan_chunks(document, tokenizer=TOKENIZER)


def test_files_of_the_installed_packages_are_covered() -> None:
    root = Path(sysconfig.get_paths()["purelib"])
    files = islice(
        (path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".pyc"), 300
    )
    readers = default_readers(Limits(data=60_000))
    planned = 0
    for path in files:
        try:
            document = readers.read(Source.from_path(path))
        except Unreadable:
            continue
        planned += len(checked_plan(document))
    assert planned > 300
