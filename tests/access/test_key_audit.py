"""What is written down of keys: their first use in the audit log, the rest in the log of the server."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from longmind import ALL, FrozenClock, Memory
from longmind.access.keyring import KeyRing
from longmind.access.keys import KeyFile
from tests.access.conftest import Client, listening, make_key
from tests.store.encrypted import KEY, OTHER_KEY, needs_cipher

HOUR = 3_600_000


def test_the_first_use_of_a_key_by_a_server_is_in_the_audit_log_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    reader = make_key(file, "reader", spaces=["default"])
    writer = make_key(file, "writer", spaces=["default"], role="write")
    with (
        Memory.open(tmp_path / "a.mind", embedder="hash") as memory,
        listening(memory, keys=KeyRing(file)) as port,
    ):
        for _ in range(3):
            assert Client(port, reader)("/v1/list", {})[0] == 200
        assert Client(port, writer)("/v1/remember", {"text": "one"})[0] == 200
        uses = [entry for entry in memory.audit(space=ALL) if entry.action == "key.use"]
        ids = {key.name: f"key:{key.id}" for key in KeyFile(file).read()}
        assert [entry.actor for entry in uses] == [ids["writer"], ids["reader"]]
        assert {entry.face for entry in uses} == {"http"}
        assert memory.verify(deep=True)


def test_keys_that_are_created_and_revoked_while_a_server_runs_are_in_the_audit_log(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    first = make_key(file, "first", spaces=["default"])
    with (
        Memory.open(tmp_path / "a.mind", embedder="hash") as memory,
        listening(memory, keys=KeyRing(file)) as port,
    ):
        assert Client(port, first)("/v1/list", {})[0] == 200
        make_key(file, "second", spaces=["default"], role="write")
        assert Client(port, first)("/v1/list", {})[0] == 200
        KeyFile(file).revoke("second", now=HOUR)
        assert Client(port, first)("/v1/list", {})[0] == 200
        [second] = [f"key:{key.id}" for key in KeyFile(file).read() if key.name == "second"]
        noted = [(entry.action, entry.actor) for entry in memory.audit(space=ALL) if "key" in entry.action]
        assert noted[:2] == [("key.end", second), ("key.create", second)]
        assert len(noted) == 3  # and the use of the first one
        assert memory.verify(deep=True)


def test_a_read_with_a_key_is_answered_while_another_writes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "keys.json"
    reader = make_key(file, "reader", spaces=["default"])
    path = tmp_path / "a.mind"
    with (
        Memory.open(path, embedder="hash", busy_timeout=0.2) as memory,
        Memory.open(path, embedder="hash") as other,
        listening(memory, keys=KeyRing(file)) as port,
    ):
        with other.store.write():
            assert Client(port, reader)("/v1/list", {})[0] == 200
        assert "not in the audit log" in caplog.text


def test_keys_that_are_created_and_revoked_while_a_server_runs_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "keys.json"
    make_key(file, "first", spaces=["work"])
    ring = KeyRing(file)
    assert not ring.is_open
    assert "key created" not in caplog.text  # it was there before
    with caplog.at_level(logging.WARNING, "longmind.access"):
        secret = make_key(file, "second", spaces=["work"], role="write")
        grant = ring.grant(f"Bearer {secret}")
        assert f"key created: key={grant.key_id} role=write" in caplog.text
        KeyFile(file).revoke("second", now=10 * HOUR)
        assert not ring.is_open
    assert f"key ended: key={grant.key_id}" in caplog.text
    assert secret not in caplog.text


@needs_cipher
def test_encrypting_a_store_and_changing_its_key_are_in_its_audit_log(tmp_path: Path) -> None:
    path = tmp_path / "a.mind"
    with Memory.open(path, embedder="hash") as memory:
        memory.remember("one")
    Memory.encrypt(path, key=KEY)
    Memory.encrypt(path, key=KEY)  # it is already, and nothing is done
    Memory.rekey(path, key=KEY, new_key=OTHER_KEY)
    Memory.decrypt(path, key=OTHER_KEY)
    with Memory.open(path, embedder="hash") as memory:
        done = [entry.action for entry in memory.audit(space=ALL)]
        assert done[:3] == ["decrypt", "rekey", "encrypt"]
        assert done.count("encrypt") == 1
        assert memory.verify(deep=True)


def test_what_is_done_with_snapshots_and_what_expires_is_in_the_audit_log(tmp_path: Path) -> None:
    clock = FrozenClock(1_700_000_000_000)
    with Memory.open(tmp_path / "a.mind", clock=clock, embedder="hash") as memory:
        memory.remember("one", ttl=60)
        memory.snapshots.create("first")
        memory.remember("two")
        memory.snapshots.restore("first")
        memory.snapshots.delete("first")
        clock.advance(seconds=61)
        memory.maintain()
        done = {entry.action: entry for entry in memory.audit(space=ALL)}
        assert {"snapshot.create", "snapshot.restore", "snapshot.delete", "maintain"} <= done.keys()
        added, removed = done["maintain"].changes["frame"]
        assert removed - added == 1
        assert memory.verify(deep=True)
