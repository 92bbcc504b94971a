from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longmind import Memory, __version__
from tests.cli.conftest import PROGRAM, Longmind

DEFAULT_STORE = Path(".longmind/memory.mind")


def january(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2025, 1, day, hour, minute, tzinfo=UTC)


# remember


def test_remember_begins_the_memory_of_the_folder_and_leaves_one_file(longmind: Longmind, folder: Path):
    done = longmind("remember", "The kettle is broken.")

    assert (done.code, done.out) == (0, "Remembered frame 1.\n")
    assert "Created a new memory: .longmind/memory.mind" in done.err
    assert [path.name for path in (folder / ".longmind").iterdir()] == ["memory.mind"]


def test_remember_says_that_the_same_text_is_already_there(longmind: Longmind, notes: Memory):
    notes.remember("The kettle is broken.")

    again = longmind("remember", "The kettle is broken.")
    tagged = longmind("remember", "The kettle is broken.", "--tag", "home")

    assert (again.out, again.err) == ("Already there as frame 1; nothing changed.\n", "")
    assert tagged.out == "Already there as frame 1; its tags or metadata were extended.\n"


def test_remember_as_json_gives_the_report_and_nothing_else(longmind: Longmind):
    done = longmind("remember", "The kettle is broken.", "--json")

    assert done.err == ""
    assert done.json["ids"] == [1]
    assert (done.json["created"], done.json["unchanged"]) == (1, 0)


def test_remember_keeps_everything_it_was_told(longmind: Longmind, folder: Path):
    longmind(
        *("remember", "Ça va, 東京 👋", "--title", "Greeting", "--kind", "note", "--tag", "b", "--tag", "a"),
        *("--metadata", "count=3", "--metadata", "who=Ana Luísa", "--metadata", 'list=[1, "x"]'),
        *("--session", "s1", "--role", "user", "--speaker", "Ana", "--uri", "mail:17", "--source", "tool"),
        *("--occurred-at", "2025-03-31 14:30", "--space", "Team Web", "--store", "notes.mind"),
    )

    with Memory.open(folder / "notes.mind", space="team_web") as memory:
        frame = memory.get(1)
    assert (frame.text, frame.title, frame.kind) == ("Ça va, 東京 👋", "Greeting", "note")
    assert frame.tags == ("a", "b")
    assert frame.metadata == {"count": 3, "who": "Ana Luísa", "list": [1, "x"]}
    assert (frame.session, frame.role, frame.speaker, frame.uri) == ("s1", "user", "Ana", "mail:17")
    assert (frame.source, frame.scope, frame.space) == ("tool", "space", "team_web")
    assert frame.occurred.isoformat() == "2025-03-31T14:30:00+00:00"


def test_a_dash_reads_standard_input_and_a_piped_line_equals_the_text(longmind: Longmind, notes: Memory):
    longmind("remember", "-", stdin="Grüße\naus Köln\n".encode())

    assert notes.remember("Grüße\naus Köln").unchanged == 1


def test_a_file_is_remembered_as_it_is(longmind: Longmind, folder: Path, notes: Memory):
    (folder / "note.txt").write_text("First line.\nSecond line.\n", encoding="utf-8")

    longmind("remember", "--file", "note.txt")

    assert notes.get(1).text == "First line.\nSecond line.\n"


def test_a_text_that_begins_with_a_dash_goes_after_two(longmind: Longmind):
    assert longmind("remember", "--", "--json is an option").out == "Remembered frame 1.\n"


def test_what_is_global_is_seen_from_every_space(longmind: Longmind, notes: Memory):
    longmind("remember", "Ours.", "--space", "c", "--scope", "global", "--idempotency-key", "k1")
    longmind("remember", "Ours, again.", "--space", "c", "--scope", "global", "--idempotency-key", "k1")

    assert [frame.text for frame in notes.timeline()] == ["Ours."]


# timeline


def test_the_timeline_is_a_table_for_people(longmind: Longmind, notes: Memory):
    notes.remember("First.", occurred_at=january(1))
    notes.remember("Second,\n  on two lines.", occurred_at=january(2, 8, 15), tags=["x"])

    assert longmind("timeline").out.splitlines() == [
        "id  when (UTC)        kind  tags  text",
        " 2  2025-01-02 08:15  text  x     Second, on two lines.",
        " 1  2025-01-01 00:00  text        First.",
    ]


def test_the_timeline_as_json_has_the_fields_of_a_frame(longmind: Longmind, notes: Memory):
    notes.remember("First.", occurred_at=january(1), metadata={"n": 1})

    (frame,) = longmind("timeline", "--json").json["frames"]

    kept = notes.get(1)
    assert frame["occurred_at"] == kept.occurred_at
    assert (frame["text"], frame["metadata"], frame["tags"]) == ("First.", {"n": 1}, [])
    assert frame["content_hash"] == kept.content_hash


@pytest.mark.parametrize(
    ("options", "days"),
    [
        (["--kind", "note", "--limit", "2"], [4, 2]),
        (["--since", "2025-01-02", "--until", "2025-01-04", "--oldest-first"], [2, 3]),
        (["--tag", "even", "--session", "s"], [4, 2]),
        (["--as-of", "2025-01-02"], []),
    ],
)
def test_the_timeline_obeys_its_options(
    options: list[str], days: list[int], longmind: Longmind, notes: Memory
):
    for day in (1, 2, 3, 4):
        notes.remember(
            f"Day {day}",
            occurred_at=january(day),
            kind="task" if day == 3 else "note",
            tags=[] if day % 2 else ["even"],
            session="s",
        )

    found = longmind("timeline", "--json", *options).json["frames"]

    assert [int(frame["text"][-1]) for frame in found] == days


def test_the_timeline_shows_what_is_valid_now_and_the_future_as_of_then(longmind: Longmind, notes: Memory):
    notes.remember("The lease ends.", occurred_at=datetime(2199, 5, 31, tzinfo=UTC))

    assert longmind("timeline").out == "Nothing is remembered here for that time.\n"
    assert "The lease ends." in longmind("timeline", "--as-of", "2199-06-01").out


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ([], {"Ours."}),
        (["--space", "a"], {"Mine.", "Ours."}),
        (["--space", "a", "--space", "b"], {"Mine.", "Yours.", "Ours."}),
        (["--space", "*"], {"Mine.", "Yours.", "Ours."}),
    ],
)
def test_a_space_sees_itself_and_what_is_global(
    options: list[str], texts: set[str], longmind: Longmind, notes: Memory
):
    notes.remember("Mine.", space="a")
    notes.remember("Yours.", space="b")
    notes.remember("Ours.", space="c", scope="global")

    found = longmind("timeline", "--json", *options).json["frames"]

    assert {frame["text"] for frame in found} == texts


def test_stored_text_cannot_drive_the_terminal(longmind: Longmind, notes: Memory):
    notes.remember("red \x1b[31m alert \x07 \u202e reversed")

    assert not set("\x1b\x07\u202e") & set(longmind("timeline").out)


# stats, verify, backup, version


def test_stats_count_and_measure(longmind: Longmind, notes: Memory):
    notes.remember("One.")
    notes.remember("Two.", space="work")
    notes.forget(1)

    found = longmind("stats", "--json").json
    assert (found["engine"], found["frames"], found["live"]) == ("sqlite", 2, 1)
    assert found["by_space"] == {"work": 1}
    assert found["location"].endswith(str(DEFAULT_STORE))
    people = longmind("stats").out
    assert "1 (1 more retired)" in people
    assert "KB" in people


def test_verify_says_that_all_is_well(longmind: Longmind, notes: Memory):
    notes.remember("One.")

    assert longmind("verify").out.startswith("All is well")
    deep = longmind("verify", "--deep", "--json")
    assert (deep.code, deep.json["problems"], deep.json["frames"]) == (0, [], 1)


def test_verify_shows_what_is_worth_knowing_and_no_damage(longmind: Longmind, folder: Path):
    with Memory.open(folder / "a.mind", embedder=None) as memory:
        memory.remember("Before there were vectors.")
    with Memory.open(folder / "a.mind", embedder="hash") as memory:
        memory.remember("Since then.")
    note = "There are vectors for 1 of 2 frames; `maintain` or `reindex` makes the others."

    people = longmind("verify", "--store", "a.mind")
    program = longmind("verify", "--store", "a.mind", "--json")

    assert (people.code, program.code) == (0, 0)
    assert f"Note: {note}\n" in people.out
    assert program.json["notes"] == [note]


def test_verify_finds_damage_and_exits_with_its_code(longmind: Longmind, notes: Memory, folder: Path):
    padding = [f"Note {number} fills a part of a page. " * 12 for number in range(200)]  # opening reads few
    notes.remember_many([*padding[:100], "The word to be damaged is quetzal.", *padding[100:]])
    notes.close()
    file = folder / DEFAULT_STORE
    raw = file.read_bytes()
    assert raw.count(b"quetzal") >= 1
    file.write_bytes(raw.replace(b"quetzal", b"quetzel"))

    people, program = longmind("verify", "--deep"), longmind("verify", "--deep", "--json")

    assert (people.code, program.code) == (10, 10)
    assert "longmind restore BACKUP TO" in people.out
    assert program.json["problems"]


def test_a_backup_is_a_memory_of_its_own(longmind: Longmind, notes: Memory, folder: Path):
    notes.remember("One.")

    done = longmind("backup", "copy.mind", "--json")
    notes.remember("Two.")
    again = longmind("backup", "copy.mind", "--overwrite")

    assert done.json["path"] == "copy.mind"
    assert done.json["bytes"] > 0
    assert again.out.startswith("Wrote copy.mind (")
    with Memory.open(folder / "copy.mind", read_only=True) as copy:
        assert copy.timeline() == notes.timeline()


def test_the_version_is_that_of_the_package(longmind: Longmind):
    assert longmind("version").out == longmind("--version").out == f"longmind {__version__}\n"
    assert longmind("version", "--json").json == {"version": __version__}


# all of it on both engines, by option and by environment


def test_the_commands_work_on_both_engines(location: str, longmind: Longmind):
    def on_it(*arguments: str):
        return longmind(*arguments, env={"LONGMIND_STORE": location})

    assert longmind("remember", "One.", "--store", location).out == "Remembered frame 1.\n"
    assert on_it("remember", "One.", "--json").json["unchanged"] == 1
    assert [frame["text"] for frame in on_it("timeline", "--json").json["frames"]] == ["One."]
    assert on_it("stats", "--json").json["live"] == 1
    assert on_it("verify", "--deep").code == 0
    backup = on_it("backup", "copy", "--json")
    if location.startswith("postgresql"):
        assert backup.code == 9
        assert backup.error["hint"].startswith("pg_dump")
    else:
        assert backup.code == 0


# help, start-up, pipes


def test_without_arguments_the_help_is_shown(longmind: Longmind):
    done = longmind()

    assert done.code == 0
    assert {"remember", "timeline", "stats", "verify", "backup", "models"} <= set(done.out.split())
    assert "\x1b" not in done.out


def test_help_through_a_pipe_has_the_topics_and_cuts_nothing(longmind: Longmind):
    shown = longmind("--help").out
    assert "..." not in shown.partition("Remember and recall:")[2]
    topics = ("Remember and recall:", "Look after it:", "Facts, conversations, ", "Agents and programs:")
    assert all(f"\n{topic}" in shown for topic in topics)
    assert shown.count("\n  copy ") == shown.count("\n  remember ") == 1
    assert "..." not in longmind("facts", "--help").out.partition("\nCommands:")[2]


@pytest.mark.parametrize(
    "arguments", [["--help"], ["version"], ["timeline"], ["stats", "--json"], ["models", "list"]]
)
def test_light_commands_load_no_heavy_package(
    arguments: list[str], longmind: Longmind, notes: Memory, folder: Path
):
    notes.remember("One.")
    script = (
        "import sys, atexit\n"
        "heavy = ('numpy', 'onnxruntime', 'tokenizers', 'psycopg', 'httpx', 'fastapi', 'rich')\n"
        "atexit.register(lambda: print([name for name in heavy if name in sys.modules], file=sys.stderr))\n"
        "from longmind.cli.app import run\n"
        f"run({arguments!r})\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_a_reader_that_stops_early_is_no_error(notes: Memory, folder: Path):
    notes.remember_many([f"{number} {'x' * 300}" for number in range(1000)])

    pipe = f"'{PROGRAM}' timeline --limit 1000 | head -n 1"
    done = subprocess.run(["bash", "-c", pipe], cwd=folder, capture_output=True, text=True, timeout=60)

    assert done.stdout.startswith("  id")
    assert done.stderr == ""


# restore and recover


def test_a_backup_is_restored_and_the_store_that_was_there_is_kept(longmind: Longmind, folder: Path):
    with Memory.open(folder / "m.mind", embedder=None) as memory:
        memory.remember("kept")
        memory.backup(folder / "b.mind")
        memory.remember("newer")

    refused = longmind("restore", "b.mind", "m.mind")
    done = longmind("restore", "b.mind", "m.mind", "--overwrite", "--deep", "--json")
    stats = longmind("stats", "--store", "m.mind", "--json")

    assert refused.code != 0
    assert "--overwrite" in refused.err
    assert done.json["kept"] == str(folder / "m.mind.before-restore")
    assert stats.json["live"] == 1


def test_a_store_without_its_log_names_the_command_that_goes_on_without(longmind: Longmind, folder: Path):
    with Memory.open(folder / "m.mind", embedder=None) as memory:
        memory.remember("one")
        memory.remember("two")
        shutil.copy(folder / "m.mind", folder / "copy.mind")

    refused = longmind("stats", "--store", "copy.mind")
    recovered = longmind("recover", "copy.mind", "--json")
    stats = longmind("stats", "--store", "copy.mind", "--json")

    assert refused.code != 0
    assert "longmind recover" in refused.err
    assert recovered.json["frames"] == stats.json["live"]


def test_many_texts_come_from_a_file_json_lines_or_standard_input(longmind: Longmind, folder: Path):
    (folder / "notes.txt").write_text("One line.\n\nAnother line.\n")
    (folder / "notes.jsonl").write_text('{"text": "Third.", "tags": ["a"]}\n{"text": "Fourth."}\n')

    for given, stdin in (
        ("notes.txt", b""),
        ("notes.jsonl", b""),
        ("-", b"Fifth.\n"),
        ('[{"text": "Sixth."}]', b""),
    ):
        done = longmind("remember-many", given, stdin=stdin)
        assert done.code == 0, done.err
    texts = [frame["text"] for frame in longmind("list", "--json").json["frames"]]
    assert texts == ["One line.", "Another line.", "Third.", "Fourth.", "Fifth.", "Sixth."]
    missing = longmind("remember-many", "nothing.txt")
    assert (missing.code, "nothing.txt does not exist." in missing.err) == (3, True)


def test_a_text_file_is_a_mistyped_path_and_not_a_damaged_memory(longmind: Longmind, folder: Path):
    (folder / "notes.txt").write_text("hello")

    for command in (["stats"], ["remember", "x"]):
        done = longmind(*command, "--store", "notes.txt")
        assert done.code == 2
        assert "notes.txt is a text file, not a memory." in done.err
    assert (folder / "notes.txt").read_text() == "hello"
