from __future__ import annotations

import io
import re

import pytest

from longmind.cli.output import Table, clean, minute, one_line, plain, show, size


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(table: Table, stream: io.StringIO) -> list[str]:
    show([table], stream)
    text = re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue())
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_a_pipe_gets_whole_lines_and_a_terminal_gets_lines_that_fit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    table = Table(("id", "text"), [(7, "word " * 50)])

    assert drawn(table, io.StringIO())[1] == " 7  " + ("word " * 50).strip()
    terminal = drawn(table, Terminal())
    assert all(len(line) <= 60 for line in terminal)
    assert terminal[-1].startswith("  7   word word")
    assert terminal[-1].endswith("…")


def test_brackets_in_stored_text_are_not_markup(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")

    assert "[red]x[/red]" in "\n".join(drawn(Table(("text",), [("[red]x[/red]",)]), Terminal()))


def test_control_characters_become_visible_and_other_scripts_stay():
    assert clean("a\x1b[31mb\x00c\x9bd\u202ee") == "a\ufffd[31mb\ufffdc\ufffdd\ufffde"
    assert clean("naïve 東京 👩‍👩‍👧 שלום\n\tok") == "naïve 東京 👩‍👩‍👧 שלום\n\tok"


def test_one_line_is_the_beginning_of_a_text():
    assert one_line("a\n\n b\tc ") == "a b c"
    assert one_line("x" * 10, most=10) == "x" * 10
    assert one_line("x" * 11, most=10) == "x" * 9 + "…"
    assert one_line("a " + " " * 1000, most=10) == "a…"


def test_values_keep_their_names_in_json():
    assert plain({"frames": (Table(("a",), [(1,)]),)}) == {
        "frames": [{"headings": ["a"], "rows": [[1]], "title": None}]
    }


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 KB"), (23_800_000, "23.8 MB")]
)
def test_sizes_are_in_the_unit_a_person_would_choose(count: int, text: str):
    assert size(count) == text


def test_an_instant_outside_the_calendar_stays_a_number():
    assert minute(0) == "1970-01-01 00:00"
    assert minute(2**62) == str(2**62)
