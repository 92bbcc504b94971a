"""Encrypted stores: who can open one, what its copies are, and what becomes of damage and of the erased."""

from __future__ import annotations

import io
import logging
import secrets
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import apsw
import pytest

from longmind import (
    Busy,
    Conflict,
    Corrupt,
    Forbidden,
    InvalidInput,
    Memory,
    MissingExtra,
    Unsupported,
)
from longmind.base.secret import secret_of
from longmind.base.store_files import belongs_to_store
from longmind.store.encrypted_stream import EncryptedReader, EncryptedWriter
from tests.faults.test_erase_kill import check_churn
from tests.store.children import Child
from tests.store.encrypted import (
    CAN_ENCRYPT,
    KEY,
    MARKER,
    OTHER_KEY,
    PASSPHRASE,
    filled,
    looks_encrypted,
    needs_cipher,
    opens,
    texts,
)
from tests.store.opening import KEY_VARIABLE, open_memory

# Opening


@needs_cipher
@pytest.mark.parametrize(
    "key",
    [KEY, KEY.hex(), PASSPHRASE, lambda: KEY, lambda: PASSPHRASE],
    ids=["raw", "hexadecimal", "passphrase", "called", "called-passphrase"],
)
def test_a_store_made_with_a_key_opens_with_it_and_holds_no_readable_byte(tmp_path: Path, key: Any) -> None:
    path = filled(tmp_path / "a.mind", key)
    assert looks_encrypted(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]
    assert len(texts(path, key)) == 60
    with open_memory(path, key=key, read_only=True) as memory:
        assert memory.search(MARKER)


@needs_cipher
def test_the_log_of_an_open_store_holds_no_readable_byte(tmp_path: Path) -> None:
    with open_memory(tmp_path / "a.mind", key=KEY) as memory:
        memory.remember(f"The {MARKER} is in the log.")
        files = {entry.name: entry for entry in tmp_path.iterdir()}
        assert set(files) == {"a.mind", "a.mind-wal", "a.mind-shm"}
        log = files["a.mind-wal"].read_bytes()  # not the database itself: that would drop its locks
        assert len(log) > 4096
        assert MARKER.encode() not in log


@needs_cipher
@pytest.mark.parametrize("key", [None, OTHER_KEY, PASSPHRASE], ids=["none", "raw", "passphrase"])
@pytest.mark.parametrize("read_only", [False, True], ids=["writing", "reading"])
def test_a_missing_or_wrong_key_is_forbidden_and_changes_nothing(
    tmp_path: Path, key: Any, read_only: bool
) -> None:
    path = filled(tmp_path / "a.mind")
    before = path.read_bytes()
    with pytest.raises(Forbidden, match="encrypted") as caught:
        open_memory(path, key=key, read_only=read_only)
    assert caught.value.hint
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]


@needs_cipher
def test_a_wrong_key_is_forbidden_beside_the_log_of_a_killed_writer(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mind", tmp_path / "copy" / "a.mind"
    copy.parent.mkdir()
    with open_memory(path, key=KEY) as memory:
        memory.remember(f"The {MARKER}.")
        for name in ("a.mind", "a.mind-wal", "a.mind-shm"):
            shutil.copy(tmp_path / name, copy.parent / name)
    before = {entry.name: entry.read_bytes() for entry in copy.parent.iterdir()}
    for key in (OTHER_KEY, None, PASSPHRASE):
        assert not opens(copy, key)
    after = {entry.name: entry.read_bytes() for entry in copy.parent.iterdir()}
    assert {name: after[name] for name in ("a.mind", "a.mind-wal")} == {
        name: before[name] for name in ("a.mind", "a.mind-wal")
    }
    assert texts(copy) == [f"The {MARKER}."]


@needs_cipher
def test_a_plain_file_is_not_opened_with_a_key(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.mind", None)
    before = path.read_bytes()
    with pytest.raises(Forbidden, match="not encrypted") as caught:
        open_memory(path, key=KEY)
    assert "longmind encrypt" in str(caught.value.hint)
    assert path.read_bytes() == before


@needs_cipher
def test_an_empty_file_becomes_an_encrypted_store(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    path.touch()
    assert looks_encrypted(filled(path))
    with pytest.raises(InvalidInput):
        open_memory(":memory:", key=KEY)


@needs_cipher
def test_what_is_no_store_is_corrupt_with_a_key_too(tmp_path: Path) -> None:
    (tmp_path / "a.mind").write_bytes(secrets.token_bytes(8192))
    with pytest.raises(Corrupt):
        open_memory(tmp_path / "a.mind", key=KEY)


def test_an_encrypted_file_without_a_key_is_forbidden_in_every_build(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    head = secrets.token_bytes(16) + bytes((16, 0, 2, 2, 32, 64, 32, 32))
    path.write_bytes(head + secrets.token_bytes(8192 - len(head)))
    with pytest.raises(Forbidden, match="is encrypted, and no key was given"):
        open_memory(path)
    assert belongs_to_store(path.rename(tmp_path / "a.bin"))


@pytest.mark.skipif(CAN_ENCRYPT, reason="this apsw can encrypt")
def test_a_build_that_cannot_encrypt_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match="pip uninstall -y apsw && pip install apsw-sqlite3mc"):
        open_memory(tmp_path / "a.mind", key=KEY)
    filled(tmp_path / "b.mind", None)
    with pytest.raises(MissingExtra):
        Memory.encrypt(tmp_path / "b.mind", key=KEY)
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.mind"]


def test_postgresql_names_what_to_use_there() -> None:
    for act in (
        lambda url: open_memory(url, key=KEY),
        lambda url: Memory.encrypt(url, key=KEY),
        lambda url: Memory.rekey(url, key=KEY, new_key=OTHER_KEY),
        lambda url: Memory.decrypt(url, key=KEY),
    ):
        with pytest.raises(Unsupported, match="disk"):
            act("postgresql://nobody@localhost:1/none?store=a")


@needs_cipher
def test_the_key_shows_nowhere(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    key = secrets.token_bytes(32)
    path = filled(tmp_path / "a.mind", key)
    seen = []
    with open_memory(path, key=key) as memory:
        seen += [repr(memory), repr(memory.store), repr(vars(memory.store)), repr(vars(memory.store.engine))]
        seen += [repr(memory.stats())]
        with memory.store.read() as snapshot:
            seen.append(repr(snapshot.db.all("SELECT * FROM store_setting")))
    with pytest.raises(Forbidden) as caught:
        open_memory(path, key=OTHER_KEY)
    seen += [str(caught.value), repr(caught.getrepr(style="long", funcargs=False)), caplog.text]
    for secret in (key, OTHER_KEY):
        assert not [text for text in seen if secret.hex() in text or repr(secret)[2:-1] in text]
    assert key not in path.read_bytes()


_FORKED = """
import os, sys
from longmind import Memory

folder = sys.argv[1]

def fill(name):
    with Memory.open(f"{folder}/{name}.mind", key=bytes(32), embedder=None) as memory:
        memory.remember_many([f"{name} {number} " + "words " * 99 for number in range(50)])

fill("parent")
child = os.fork()
fill("second" if child else "child")
if child:
    os.waitpid(child, 0)
"""


@needs_cipher
def test_no_nonce_is_used_twice_also_not_after_a_fork(tmp_path: Path) -> None:
    """Two pages under one nonce and one key would show each other's text."""
    subprocess.run([sys.executable, "-c", _FORKED, str(tmp_path)], check=True, timeout=120)
    nonces: list[bytes] = []
    for name in ("parent", "child", "second"):
        raw = (tmp_path / f"{name}.mind").read_bytes()
        nonces += [raw[end - 32 : end - 16] for end in range(4096, len(raw) + 1, 4096)]
    assert len(nonces) > 300
    assert len(set(nonces)) == len(nonces)


def test_a_build_that_shares_nonces_after_a_fork_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "mc_version", "SQLite3 Multiple Ciphers 2.5.0", raising=False)
    with pytest.raises(MissingExtra, match="pip install --upgrade apsw-sqlite3mc"):
        open_memory(tmp_path / "a.mind", key=KEY)


# Copies


@needs_cipher
@pytest.mark.parametrize("key", [KEY, PASSPHRASE], ids=["raw", "passphrase"])
def test_backups_copies_and_restored_stores_have_the_same_key(tmp_path: Path, key: Any) -> None:
    path = filled(tmp_path / "a.mind", key)
    expected = texts(path, key)
    with open_memory(path, key=key) as memory:
        memory.backup(tmp_path / "backup.mind")
        memory.copy(tmp_path / "copy.mind")
    for name in ("backup.mind", "copy.mind"):
        assert looks_encrypted(tmp_path / name)
        assert texts(tmp_path / name, key) == expected
        assert not opens(tmp_path / name, OTHER_KEY)
    with pytest.raises(Forbidden):
        Memory.restore(tmp_path / "backup.mind", tmp_path / "b.mind")
    assert not (tmp_path / "b.mind").exists()
    Memory.restore(tmp_path / "backup.mind", path, overwrite=True, key=key, deep=True)
    assert texts(path, key) == expected
    filled(tmp_path / "plain.mind", None)
    with pytest.raises(Conflict, match="would not be"):
        Memory.restore(tmp_path / "plain.mind", path, overwrite=True)
    assert looks_encrypted(path)


@needs_cipher
def test_a_plain_store_is_copied_to_an_encrypted_one_with_a_key(tmp_path: Path) -> None:
    with open_memory(filled(tmp_path / "a.mind", None)) as memory:
        memory.copy(tmp_path / "b.mind", key=KEY)
    assert looks_encrypted(tmp_path / "b.mind")
    assert texts(tmp_path / "b.mind") == texts(tmp_path / "a.mind", None)


@needs_cipher
def test_compacting_keeps_the_encryption_and_all_rows(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.mind")
    expected = texts(path)
    with open_memory(path, key=KEY) as memory:
        memory.compact()
        memory.maintain()
        memory.flush()
        assert memory.verify(deep=True)
        assert not memory.verify(deep=True).notes
    assert looks_encrypted(path)
    assert texts(path) == expected


@needs_cipher
@pytest.mark.parametrize("seed", [1, 3])
def test_the_erased_is_gone_even_for_the_holder_of_the_key(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After random writes, splits of pages and erasures, also from what lies between the rows of a page."""
    monkeypatch.setenv(KEY_VARIABLE, KEY.hex())
    check_churn(tmp_path / "a.mind", seed, rounds=2, embedder=None)
    assert looks_encrypted(tmp_path / "a.mind")


def test_an_export_over_an_encrypted_store_in_use_is_refused_and_its_log_stays(tmp_path: Path) -> None:
    path = tmp_path / "held.data"
    head = secrets.token_bytes(16) + bytes((16, 0, 2, 2, 32, 64, 32, 32))
    path.write_bytes(head + secrets.token_bytes(8192 - len(head)))
    log = tmp_path / "held.data-wal"
    log.write_bytes(b"\x37\x7f\x06\x82" + bytes(4096))
    holder = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0])
    holder.xLock(apsw.SQLITE_LOCK_SHARED)
    try:
        with open_memory(tmp_path / "a.mind") as memory, pytest.raises((Busy, InvalidInput)):
            memory.export(path, overwrite=True)
        assert log.exists()
    finally:
        holder.xUnlock(apsw.SQLITE_LOCK_NONE)
        holder.xClose()


# Exports


@needs_cipher
def test_an_export_is_encrypted_on_request_and_imported_with_the_key(tmp_path: Path) -> None:
    path, lines = filled(tmp_path / "a.mind", PASSPHRASE), tmp_path / "a.jsonl"
    with open_memory(path, key=PASSPHRASE) as memory:
        memory.export(tmp_path / "plain.jsonl")
        memory.export(lines, encrypt=True)
    assert MARKER.encode() in (tmp_path / "plain.jsonl").read_bytes()
    assert MARKER.encode() not in lines.read_bytes()
    with open_memory(tmp_path / "b.mind", key=PASSPHRASE) as memory:
        memory.import_(lines)
    assert texts(tmp_path / "b.mind", PASSPHRASE) == texts(path, PASSPHRASE)


def test_a_plain_store_exports_with_a_key_that_is_given(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    with open_memory(filled(tmp_path / "a.mind", None)) as memory:
        with pytest.raises(InvalidInput, match="no key"):
            memory.export(lines, encrypt=True)
        memory.export(lines, key=PASSPHRASE)
    assert MARKER.encode() not in lines.read_bytes()
    with open_memory(tmp_path / "b.mind") as memory:
        for key in (None, KEY, "another"):
            with pytest.raises(Forbidden, match="encrypted"):
                memory.import_(lines, key=key)
        assert memory.import_(lines, key=PASSPHRASE).frames == 60


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 200_000])
def test_an_encrypted_stream_gives_back_what_was_written_and_no_damaged_byte(size: int) -> None:
    content, secret = secrets.token_bytes(size), secret_of(KEY)
    file = io.BytesIO()
    writer = EncryptedWriter(file, secret)
    for start in range(0, size, 7_000):
        writer.write(content[start : start + 7_000])
    writer.finish()
    raw = file.getvalue()
    assert _read(raw) == content
    places = {*range(0, len(raw), max(1, len(raw) // 40)), 27, 28, 60, len(raw) - 1}
    for place in places:
        changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        if place >= 28:  # the mark at the beginning decides whether it is taken for one at all
            with pytest.raises((Corrupt, Forbidden)):
                _read(changed)
    part = 65_536 + 16
    for cut in (raw[:-1], raw + b"x", raw[: 92 + part], raw[:92], raw[:92] + raw[92 + part :]):
        if cut != raw:
            with pytest.raises((Corrupt, Forbidden)):
                _read(cut)


def _read(raw: bytes) -> bytes:
    return io.BufferedReader(EncryptedReader(io.BytesIO(raw), secret_of(KEY), "the export")).read()


# Damage


@needs_cipher
@pytest.mark.parametrize("read_only", [False, True])
def test_damage_to_any_page_is_an_error_and_never_an_answer(tmp_path: Path, read_only: bool) -> None:
    path = filled(tmp_path / "a.mind")
    with open_memory(path, key=KEY) as memory:
        memory.compact()  # so that no page is unused, and none is left unread
    raw = path.read_bytes()
    damaged = tmp_path / "damaged.mind"
    for number in range(0, len(raw) // 4096, 10):
        start = number * 4096
        page = raw[start : start + 4096]
        for changed in (
            page[:77] + bytes([page[77] ^ 4]) + page[78:],
            bytes(4096),
            page[:4090] + bytes(6),
            raw[-4096:] if start + 4096 < len(raw) else raw[4096:8192],
        ):
            damaged.write_bytes(raw[:start] + changed + raw[start + 4096 :])
            assert _is_noticed(damaged, read_only)
    for cut in (1, 4096, 5 * 4096):
        damaged.write_bytes(raw[:-cut])
        assert _is_noticed(damaged, read_only)


def _is_noticed(path: Path, read_only: bool) -> bool:
    try:
        with open_memory(path, key=KEY, read_only=read_only) as memory:
            return not memory.verify(deep=True)
    except (Corrupt, Forbidden):
        return True


@needs_cipher
def test_page_1_damaged_while_the_store_is_open_is_corrupt(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.mind")
    with open_memory(path, key=KEY) as memory:
        memory.flush()
        with path.open("r+b") as file:
            file.seek(500)
            file.write(b"damage")
        engine = memory.store.engine
        while engine._idle:  # type: ignore[attr-defined]
            engine.discard(engine._idle.pop())  # type: ignore[attr-defined]
        with pytest.raises(Corrupt):
            memory.list()


# Several processes


@needs_cipher
@pytest.mark.parametrize("key", [KEY.hex(), PASSPHRASE])
def test_processes_that_make_the_same_store_at_once_all_write_to_it(tmp_path: Path, key: str) -> None:
    path = tmp_path / "a.mind"
    with ExitStack() as stack:
        writers = [
            stack.enter_context(Child("write_encrypted", str(path), key, str(number))) for number in range(4)
        ]
        for child in writers:
            child.hear("done")
            child.end()
    assert len(texts(path, key)) == 4 * 10
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]
