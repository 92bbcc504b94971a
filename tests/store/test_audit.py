"""Tamper evidence: whatever is done to rows or to the log behind the store's back is found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from longmind import ALL, Conflict, Corrupt, InvalidInput, Memory
from longmind.base.hashing import checksum
from longmind.store import audit_log
from longmind.store.audit import AuditHead, note
from longmind.store.changes import TABLES, WITH_FLOATS
from longmind.store.drafts import draft
from tests.store.opening import open_memory
from tests.store.tampering import a_row, behind, found

ROOT = Path(__file__).resolve().parents[2]
FORMATS = Path(__file__).parents[1] / "formats"
NewLocation = Callable[[str], str]


def test_a_text_altered_together_with_the_hash_in_its_frame_is_found(memory: Memory) -> None:
    memory.remember("Ana owes Ben 10 euros.")
    with behind(memory) as db:
        db.run("UPDATE frame_text SET text = 'Ana owes Ben 99 euros.'")
    assert any("frame 1" in problem.detail for problem in memory.verify(deep=True).problems)
    forged = draft("Ana owes Ben 99 euros.", space="default").content_hash()
    names, row = a_row(memory, "frame") or ([], [])
    other = [forged if name == "content_hash" else value for name, value in zip(names, row, strict=True)]
    other[-1] = checksum(*other[:-1])
    with behind(memory) as db:
        db.run("UPDATE frame SET content_hash = ?, checksum = ?", (forged, other[-1]))
    assert memory.get(1).text == "Ana owes Ben 99 euros."  # each row is sound for itself
    assert any("rows of frame were changed" in detail for detail in found(memory))


def test_an_end_of_the_log_that_cannot_be_read_is_damage(tmp_path: Path) -> None:
    path = str(tmp_path / "a.mind")
    with open_memory(path) as memory:
        memory.remember("kept")
        head = audit_log.HEAD.split(", ")
        for column, value in ((head[0], "many"), (head[1], "a text"), (head[2], 7)):
            with memory.store.read() as snapshot:
                before = snapshot.db.one(f"SELECT {column} FROM store_clock")
            assert before is not None
            with behind(memory) as db:
                db.run(f"UPDATE store_clock SET {column} = ?", (value,))
            with pytest.raises(Corrupt, match="end of the audit log is not what was written"):
                memory.remember("lost")
            with pytest.raises(Corrupt, match="end of the audit log is not what was written"):
                memory.audit_head()
            with behind(memory) as db:
                db.run(f"UPDATE store_clock SET {column} = ?", before)
        assert memory.remember("kept too").id == 2


@pytest.mark.parametrize("column", ["actor", "face", "action", "spaces", "changes", "detail"])
def test_an_altered_entry_of_the_log_is_found(memory: Memory, column: str) -> None:
    for number in range(3):
        memory.remember(f"note {number}")
    with behind(memory) as db:
        db.run(f"UPDATE audit_entry SET {column} = 'x' WHERE entry_id = 3")
    assert found(memory) == ["entry 3 of the log is not what was written"]


def test_an_entry_that_is_sealed_anew_breaks_the_one_after_it(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"note {number}")
    with behind(memory) as db:
        before, entry = audit_log.entry_at(db, 2), audit_log.entry_at(db, 3)
        assert before is not None
        assert entry is not None
        forged = entry._replace(actor="somebody else").sealed(before.hash)
        db.run("UPDATE audit_entry SET actor = ?, hash = ? WHERE entry_id = 3", (forged.actor, forged.hash))
    assert found(memory) == ["entry 4 of the log is not what was written"]


def test_two_swapped_entries_are_found(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"note {number}")
    with behind(memory) as db:
        db.run("UPDATE audit_entry SET entry_id = -3 WHERE entry_id = 3")
        db.run("UPDATE audit_entry SET entry_id = 3 WHERE entry_id = 4")
        db.run("UPDATE audit_entry SET entry_id = 4 WHERE entry_id = -3")
    assert "entry 3 of the log is not what was written" in found(memory)


def test_a_removed_entry_is_found_in_the_middle_and_at_the_end_also_after_later_commits(
    memory: Memory,
) -> None:
    for number in range(3):
        memory.remember(f"note {number}")
    with memory.store.read() as snapshot:
        last = audit_log.read_head(snapshot.db).entries
    with behind(memory) as db:
        db.run("DELETE FROM audit_entry WHERE entry_id = ?", (last,))
    assert found(memory)[0] == f"the log ends with entry {last - 1}; {last} were written"
    assert not memory.verify()  # also without reading everything
    memory.remember("later")
    assert f"entries {last} to {last} of the log are missing" in found(memory)


def test_a_store_taken_back_to_an_earlier_state_is_found_with_a_head_only(tmp_path: Path) -> None:
    key = b"k" * 32
    path = tmp_path / "a.mind"
    with open_memory(path) as memory:
        memory.remember("first")
        memory.backup(tmp_path / "old.mind")
        memory.remember("second")
        head = memory.audit_head(key=key)
        assert memory.audit_check(head, key=key)
    path.write_bytes((tmp_path / "old.mind").read_bytes())
    with open_memory(path) as memory:
        assert memory.verify(deep=True)
        check = memory.audit_check(head.to_json(), key=key)
        assert not check
        assert check.problems == (f"the log has lost entry {head.entries}: it was cut off or written anew",)
        memory.remember("another second")
        check = memory.audit_check(head, key=key)
        assert check.problems == (
            f"entry {head.entries} is not the one of the head: the log was written anew",
        )


def test_a_head_holds_after_further_writes_erasures_copies_and_imports(
    location: str, new_location: NewLocation, tmp_path: Path
) -> None:
    with open_memory(location) as memory:
        memory.remember("first")
        head = memory.audit_head(key=b"k" * 32)
        memory.remember("second", tags=["a"])
        memory.erase(1)
        check = memory.audit_check(head, key=b"k" * 32)
        assert check
        assert check.signature == "valid"
        assert check.entries_since >= 2
        memory.export(tmp_path / "all.jsonl")
        for engine in ("sqlite", "postgresql"):
            copied = new_location(engine)
            memory.copy(copied)
            with open_memory(copied) as copy:
                assert copy.audit_check(head)
                assert copy.audit(space=ALL) == memory.audit(space=ALL).entries
                assert copy.verify(deep=True)
    with open_memory(new_location("sqlite")) as memory:
        memory.import_(tmp_path / "all.jsonl")
        assert memory.audit_check(head).signature == "not checked"
        memory.remember("third")
        assert memory.audit_check(head)


def test_a_head_of_another_store_or_with_another_key_does_not_hold(tmp_path: Path) -> None:
    with open_memory(tmp_path / "a.mind") as one, open_memory(tmp_path / "b.mind") as other:
        one.remember("here")
        head = one.audit_head(key=b"k" * 32)
        assert "the head is of another store" in other.audit_check(head, key=b"k" * 32).problems
        with pytest.raises(Conflict, match="another key"):
            one.audit_check(head, key=b"j" * 32)
        with pytest.raises(Conflict, match="does not hold"):
            one.audit_check(replace(head, entries=1), key=b"k" * 32)
        with pytest.raises(Conflict, match="not signed"):
            one.audit_check(replace(head, signature=None), key=b"k" * 32)
        for text in ("", "[]", "{}", '{"format": 1}', "null", '{"format": "longmind.audit/2"}'):
            with pytest.raises(InvalidInput):
                AuditHead.from_json(text)


def test_an_ed25519_head_is_checked_with_the_public_key(tmp_path: Path) -> None:
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    private = ed25519.Ed25519PrivateKey.generate()
    with open_memory(tmp_path / "a.mind") as memory:
        memory.remember("here")
        head = memory.audit_head(key=private.private_bytes_raw(), algorithm="ed25519")
        public = private.public_key().public_bytes_raw()
        assert memory.audit_check(head, key=public, algorithm="ed25519").signature == "valid"
        with pytest.raises(Conflict, match="does not hold"):
            memory.audit_check(replace(head, hash="00" * 32), key=public, algorithm="ed25519")
        with pytest.raises(Conflict, match="signed by ed25519"):
            memory.audit_check(head, key=public)
        # Anybody has the public key, and can make an HMAC with it.
        forged = memory.audit_head(key=public, algorithm="hmac-sha256")
        with pytest.raises(Conflict, match="signed by hmac-sha256"):
            memory.audit_check(forged, key=public, algorithm="ed25519")


def test_a_note_is_part_of_the_chain_and_changes_no_revision(memory: Memory) -> None:
    memory.remember("here")
    revision = memory.revision
    assert note(
        memory.store, "keys.denied", space="default", actor="phone", detail={"key": "phone", "why": "expired"}
    )
    [entry, *_] = memory.audit()
    assert (entry.action, entry.actor, dict(entry.detail)) == (
        "keys.denied",
        "phone",
        {"key": "phone", "why": "expired"},
    )
    assert memory.revision == revision
    assert found(memory) == []
    with pytest.raises(InvalidInput, match="characters"):
        note(memory.store, "keys.denied", detail={"why": "x" * 3000})


def test_a_statement_that_fails_half_way_leaves_the_sums_right(tmp_path: Path) -> None:
    with open_memory(tmp_path / "a.mind") as memory:
        memory.remember("note")
        with memory.store.write() as tx:
            tx.db.run(
                "INSERT INTO frame_key VALUES ('default', 'z', 1, ?)", (checksum("key", "default", "z", 1),)
            )
            with pytest.raises(Conflict):
                tx.db.run(
                    "INSERT INTO frame_key VALUES ('default', 'a', 1, 1), ('default', 'b', 1, 2), "
                    "('default', 'z', 1, 3)"
                )
        assert found(memory) == []


WRITER = """
import sys
from longmind import Memory
with Memory.open(sys.argv[1], embedder=None, surrogates=False, actor=sys.argv[2]) as memory:
    for number in range(int(sys.argv[3])):
        memory.remember(f"{sys.argv[2]} {number}: I live in Porto.", tags=["a"])
        if number % 3 == 0:
            memory.forget(memory.remember(f"{sys.argv[2]} gone {number}").id)
        print(number, flush=True)
"""


def start(location: str, name: str, count: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    arguments = [sys.executable, "-c", WRITER, location, name, str(count)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)


def test_two_processes_that_write_in_turn_keep_one_chain(location: str) -> None:
    with open_memory(location):
        pass
    writers = [start(location, name, 6) for name in ("one", "two")]
    with open_memory(location, actor="three") as memory:
        for number in range(8):
            memory.remember(f"three {number}")
        for writer in writers:
            writer.communicate(timeout=60)
            assert writer.returncode == 0
        memory.remember("last")
        assert found(memory) == []
        assert {entry.actor for entry in memory.audit(limit=1000)} == {"one", "two", "three"}


def test_a_writer_killed_in_the_middle_leaves_a_chain_that_holds(location: str) -> None:
    with open_memory(location):
        pass
    for round_ in range(2 if location.endswith(".mind") else 1):
        writer = start(location, f"w{round_}", 10_000)
        assert writer.stdout is not None
        for _ in range(3 + round_):
            writer.stdout.readline()
        time.sleep(0.003 * round_)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    with open_memory(location) as memory:
        assert memory.verify(deep=True).problems == ()
        memory.remember("afterwards")
        assert found(memory) == []


@pytest.mark.parametrize("kept", sorted(FORMATS.glob("format_*.mind")), ids=lambda path: path.stem)
def test_a_file_of_an_older_format_begins_its_log_with_an_entry_over_all_rows(
    kept: Path, tmp_path: Path
) -> None:
    path = tmp_path / kept.name
    path.write_bytes(kept.read_bytes())
    before = int(kept.stem.removeprefix("format_"))
    if before >= 11:
        pytest.skip("has a log")
    with open_memory(path) as memory:
        first = memory.audit(space=ALL)[-1]
        assert (first.id, first.action, dict(first.detail)) == (1, "upgrade", {"format": before})
        assert first.changes["frame"][0] > 0
        assert found(memory) == []


def test_the_tables_with_columns_of_floats_are_those_that_are_listed(
    new_location: NewLocation,
) -> None:
    queries = {
        "sqlite": "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p WHERE p.type = 'REAL'",
        "postgresql": "SELECT table_name FROM information_schema.columns WHERE data_type LIKE 'double%'",
    }
    for engine, sql in queries.items():
        with open_memory(new_location(engine)) as memory, memory.store.read() as snapshot:
            assert {name for (name,) in snapshot.db.all(sql)} & set(TABLES) == WITH_FLOATS
