from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from longmind import Memory
from longmind.base import errors
from longmind.base.errors import LongmindError
from longmind.cli.errors import EXIT_CODES, in_shell
from tests.cli.conftest import Longmind


def test_every_category_has_an_exit_code_of_its_own():
    categories = [kind for kind in LongmindError.__subclasses__() if kind.__module__ == errors.__name__]

    assert {kind.code for kind in categories} | {LongmindError.code} == set(EXIT_CODES)
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)


@pytest.mark.parametrize("command", [["timeline"], ["stats"], ["verify"], ["backup", "copy.mind"]])
def test_a_first_run_without_a_memory_says_how_to_begin_one(
    command: list[str], longmind: Longmind, folder: Path
):
    done = longmind(*command)

    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "error: Longmind found no memory in this folder (.longmind/memory.mind).\n"
        ' hint: Create one with: longmind remember "…", or name another with --store or LONGMIND_STORE.\n'
    )
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["stats", "--store", "nothing.mind"], 3, "begin it with: longmind remember"),
        (["stats", "--store", "no/such/folder/x"], 3, "Check the path"),
        (["remember", "x", "--store", "no/such/folder/x"], 3, "Create it first"),
        (["remember", "x", "--store", "."], 2, "is a folder"),
        (["stats", "--store", "mysql://host/db"], 2, "postgresql://"),
        (["stats", "--store", "postgresql://127.0.0.1:1/none"], 7, "check host, port"),
        (["remember"], 2, "standard input"),
        (["remember", "x", "--file", "y"], 2, "one of them"),
        (["remember", "--file", "missing.txt"], 3, "missing.txt does not exist"),
        (["remember", "--file", "."], 2, "cannot be read"),
        (["remember", "   "], 2, "text is empty"),
        (["remember", "-"], 2, "text is empty"),
        (["remember", "x", "--metadata", "novalue"], 2, "key=value"),
        (["remember", "x", "--occurred-at", "31/03/2025"], 2, "2025-03-31"),
        (["remember", "x", "--occurred-at", "1743379200"], 2, "unix milliseconds"),
        (["remember", "x", "--space", "no spaces!"], 2, "is not a valid name for a space"),
        (["timeline", "--limit", "many"], 2, "longmind timeline --help"),
        (["timeline", "--no-such-option"], 2, "longmind timeline --help"),
        (["no-such-command"], 2, "longmind --help"),
        (["models"], 2, "longmind models --help"),
        (["backup"], 2, "longmind backup --help"),
    ],
)
def test_a_wrong_call_says_what_to_do_and_writes_nothing(
    arguments: list[str], code: int, says: str, longmind: Longmind, folder: Path
):
    done = longmind(*arguments, "--json")

    assert (done.code, EXIT_CODES[done.error["code"]]) == (code, code)
    assert says in f"{done.error['message']} {done.error['hint']}"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["timeline", "--limit", "0"], "between 1 and"),
        (["timeline", "--space", "no spaces!"], "is not a valid name for a space"),
        (["remember", "x", "--source", "nobody"], "source must be one of"),
        (["remember", "x", "--metadata", "deep=" + "[" * 100 + "]" * 100], "nested deeper"),
    ],
)
def test_what_the_memory_refuses_is_an_error_for_people(
    arguments: list[str], says: str, longmind: Longmind, notes: Memory
):
    done = longmind(*arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert says in done.err
    assert notes.timeline() == ()


def test_text_that_is_not_utf8_is_refused(longmind: Longmind, folder: Path):
    (folder / "latin.txt").write_bytes("Größe".encode("latin-1"))

    assert "not UTF-8" in longmind("remember", "--file", "latin.txt").err
    assert longmind("remember", "-", stdin=b"\xff\xfe\x00").code == 2


def test_a_backup_does_not_replace_a_file_unasked(longmind: Longmind, folder: Path, notes: Memory):
    (folder / "precious.txt").write_text("mine")

    done = longmind("backup", "precious.txt")

    assert done.code == 4
    assert "--overwrite" in done.err
    assert (folder / "precious.txt").read_text() == "mine"


def test_a_file_that_is_no_memory_is_refused_and_left_alone(longmind: Longmind, folder: Path):
    (folder / "letter.txt").write_text("Dear reader, this is no database. " * 100)
    before = (folder / "letter.txt").read_bytes()

    # A mistyped path, which is something else than a damaged memory.
    for command in (("stats",), ("remember", "x")):
        done = longmind(*command, "--store", "letter.txt")
        assert done.code == 2
        assert "a text file, not a memory" in done.err
    assert (folder / "letter.txt").read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities the way Linux does")
def test_a_file_that_may_only_be_read_is_read_and_not_written(longmind: Longmind, folder: Path):
    store = folder / "locked" / "notes.mind"
    store.parent.mkdir()
    with Memory.open(store) as memory:
        memory.remember("Written before.")
    store.chmod(0o444)
    store.parent.chmod(0o555)
    try:
        read = longmind("timeline", "--store", str(store), obedient=True)
        checked = longmind("verify", "--deep", "--store", str(store), obedient=True)
        refused = longmind("remember", "x", "--store", str(store), "--json", obedient=True)
        hindered = longmind("remember", "x", "--store", f"{store}.new", obedient=True)
    finally:
        store.parent.chmod(0o755)
        store.chmod(0o644)

    assert (read.code, checked.code) == (0, 0)
    assert read.out.endswith("Written before.\n")
    assert (refused.code, refused.error["code"]) == (11, "forbidden")
    assert hindered.code == 11


@pytest.mark.skipif(sys.platform != "linux", reason="drops capabilities the way Linux does")
def test_a_folder_that_may_not_be_written_says_so_on_the_first_remember(longmind: Longmind, folder: Path):
    folder.chmod(0o555)
    try:
        done = longmind("remember", "x", obedient=True)
    finally:
        folder.chmod(0o755)

    assert done.code == 11
    assert "--store" in done.err


def test_a_defect_is_a_message_and_shows_its_trace_only_when_asked(folder: Path):
    script = (
        "from longmind.cli import app, arguments\n"
        "def broken(*given, **named): raise ZeroDivisionError('oh no')\n"
        "arguments.reading = broken\n"
        "app.run(['stats'])\n"
    )

    def run(**env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, text=True, timeout=60
        )

    plain = run()
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.startswith("error: Unexpected ZeroDivisionError: oh no\n hint: ")
    assert "Traceback" not in plain.stderr
    assert "Traceback" in run(LONGMIND_DEBUG="1").stderr


@pytest.mark.parametrize(
    ("hint", "typed"),
    [
        ("facts.quarantine() lists them.", "longmind facts quarantine lists them."),
        ("Start from a built-in recipe: memory.recipes() lists them.", "longmind recipes lists them."),
        ("Ask by key; resolve() lists them.", "longmind facts resolve lists them."),
        ("Import into another space, or pass replace=True.", "or pass --replace."),
        ("Name the user, or leave user= out for what all users share.", "or leave --user out for"),
        # What no command has is left as it is.
        ("Open it without read_only=True.", "without read_only=True."),
        ("Convert its keys with str().", "with str()."),
        ("Write it as postgresql://host/db?store=name.", "?store=name."),
        ("Measure them with len(text.encode()).", "len(text.encode())."),
    ],
)
def test_hints_of_the_library_name_commands_and_options(hint: str, typed: str):
    assert typed in str(in_shell(hint))


def test_a_hint_on_the_command_line_can_be_typed(longmind: Longmind, notes: Memory):
    assert "hint: longmind users lists" in longmind("export", "--user", "bob", "out.jsonl").err
    assert "hint: longmind facts quarantine lists them." in longmind("facts", "confirm", "99").err
