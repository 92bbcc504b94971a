"""A store encrypted, given another key and decrypted in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from longmind import (
    Busy,
    Corrupt,
    Forbidden,
    Memory,
    NotFound,
)
from tests.store.children import Child
from tests.store.encrypted import (
    KEY,
    OTHER_KEY,
    PASSPHRASE,
    filled,
    looks_encrypted,
    needs_cipher,
    opens,
    texts,
)
from tests.store.opening import open_memory

# Another key, in place


@needs_cipher
def test_a_store_is_encrypted_rekeyed_and_decrypted_in_place(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.mind", None)
    expected = texts(path, None)
    for again in (True, False):
        assert Memory.encrypt(path, key=KEY).changed is again
        assert looks_encrypted(path)
        assert texts(path, KEY) == expected
    done = Memory.rekey(path, key=KEY, new_key=PASSPHRASE)
    assert (done.encrypted, done.bytes) == (True, path.stat().st_size)
    assert not opens(path, KEY)
    assert texts(path, PASSPHRASE) == expected
    for again in (True, False):
        assert Memory.decrypt(path, key=PASSPHRASE).changed is again
        assert texts(path, None) == expected
    with open_memory(path) as memory:
        assert not memory.verify(deep=True).notes  # its pages have checksums again
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]


@needs_cipher
def test_a_store_in_use_is_busy_and_stays_as_it_is(tmp_path: Path) -> None:
    plain, encrypted = filled(tmp_path / "a.mind", None), filled(tmp_path / "b.mind")
    with open_memory(plain), pytest.raises(Busy, match="in use"):
        Memory.encrypt(plain, key=KEY)
    with Child("write", str(plain)) as child:
        child.hear("ready")
        with pytest.raises(Busy, match="in use") as caught:
            Memory.encrypt(plain, key=KEY)
        assert caught.value.hint
    with open_memory(encrypted, key=KEY):
        for act in (
            lambda: Memory.rekey(encrypted, key=KEY, new_key=OTHER_KEY),
            lambda: Memory.decrypt(encrypted, key=KEY),
        ):
            with pytest.raises(Busy):
                act()
    assert len(texts(plain, None)) == len(texts(encrypted)) == 60


@needs_cipher
def test_changing_a_key_needs_the_present_one_and_a_store(tmp_path: Path) -> None:
    path, plain = filled(tmp_path / "a.mind"), filled(tmp_path / "b.mind", None)
    before = path.read_bytes()
    for act in (
        lambda: Memory.rekey(path, key=OTHER_KEY, new_key=PASSPHRASE),
        lambda: Memory.decrypt(path, key=OTHER_KEY),
        lambda: Memory.encrypt(path, key=OTHER_KEY),
        lambda: Memory.rekey(plain, key=KEY, new_key=OTHER_KEY),
    ):
        with pytest.raises(Forbidden):
            act()
    with pytest.raises(NotFound):
        Memory.encrypt(tmp_path / "none.mind", key=KEY)
    (tmp_path / "other.mind").write_bytes(b"text" * 4000)
    with pytest.raises(Corrupt):
        Memory.encrypt(tmp_path / "other.mind", key=KEY)
    assert path.read_bytes() == before


@needs_cipher
def test_a_damaged_store_is_not_encrypted_over(tmp_path: Path) -> None:
    path = filled(tmp_path / "a.mind")
    raw = bytearray(path.read_bytes())
    raw[20 * 4096 + 100] ^= 1
    path.write_bytes(raw)
    with pytest.raises(Corrupt):
        Memory.rekey(path, key=KEY, new_key=OTHER_KEY)
    assert path.read_bytes()[4096:] == raw[4096:]
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.mind"]
