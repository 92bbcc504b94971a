"""Keys and passphrases: what is one, where it comes from, and that it never shows itself."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import types
from pathlib import Path

import pytest

from longmind import Forbidden, InvalidInput, MissingExtra, NotFound, Unavailable
from longmind.base.secret import Secret, environment_secret, secret_of
from longmind.spaces.sync import changed_files

KEY = bytes(range(32))
SALT = b"s" * 16
WORDS = "correct horse battery stäple"


def command(code: str) -> str:
    return f"{sys.executable} -c '{code}'"


def test_32_bytes_and_64_digits_are_the_key_itself() -> None:
    for given in (KEY, bytearray(KEY), KEY.hex(), KEY.hex().upper(), lambda: KEY, lambda: KEY.hex()):
        assert secret_of(given).key_for(SALT) == KEY  # type: ignore[arg-type]


def test_any_other_text_is_a_passphrase_with_another_key_for_every_salt() -> None:
    first = secret_of(WORDS).key_for(SALT)
    assert len(first) == 32
    assert first == secret_of("correct horse battery sta\u0308ple").key_for(SALT)  # the same, decomposed
    assert len({first, secret_of(WORDS).key_for(b"t" * 16), secret_of(WORDS + " ").key_for(SALT)}) == 3


def test_a_passphrase_is_derived_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    calls = []
    real = hashlib.scrypt
    monkeypatch.setattr(hashlib, "scrypt", lambda *given, **named: calls.append(1) or real(*given, **named))
    keys = {secret_of("derived only once").key_for(SALT) for _ in range(3)}
    assert (len(keys), len(calls)) == (1, 1)


@pytest.mark.parametrize("given", [b"", KEY[:31], KEY + b"x", "", "  ", 7, None, "\ud800"])
def test_what_is_no_key_is_refused_without_being_shown(given: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        secret_of(given)  # type: ignore[arg-type]
    assert KEY.hex()[:20] not in str(caught.value)


def test_a_function_that_fails_is_named_by_its_error_only() -> None:
    def fetch() -> bytes:
        raise RuntimeError("hunter2 is not the password")

    with pytest.raises(Unavailable, match="RuntimeError") as caught:
        secret_of(fetch)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_secret_shows_nothing_and_is_not_pickled() -> None:
    secret = secret_of(WORDS)
    assert repr(secret) == str(secret) == f"{secret}" == "<Secret>"
    assert not hasattr(secret, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(secret)


def test_the_environment_names_one_source(tmp_path: Path) -> None:
    file = tmp_path / "key"
    assert environment_secret({}) is None
    assert environment_secret({"LONGMIND_KEY": ""}) is None
    sources = [{"LONGMIND_KEY": KEY.hex()}, {"LONGMIND_KEY_COMMAND": command(f'print("{KEY.hex()}")')}]
    for raw in (KEY, KEY.hex().encode(), KEY.hex().encode() + b"\n", KEY.hex().encode() + b"\r\n"):
        file.write_bytes(raw)
        secret = environment_secret({"LONGMIND_KEY_FILE": str(file)})
        assert secret is not None
        assert secret.key_for(SALT) == KEY
    for source in sources:
        secret = environment_secret(source)
        assert secret is not None
        assert secret.key_for(SALT) == KEY
    with pytest.raises(InvalidInput, match="LONGMIND_KEY and LONGMIND_KEY_FILE"):
        environment_secret({"LONGMIND_KEY": KEY.hex(), "LONGMIND_KEY_FILE": str(file)})


def test_a_passphrase_is_one_line_of_a_file_or_a_command(tmp_path: Path) -> None:
    file = tmp_path / "key"
    expected = secret_of(WORDS).key_for(SALT)
    for text in (WORDS, WORDS + "\n", WORDS + "\r\n"):
        file.write_bytes(text.encode())
        secret = environment_secret({"LONGMIND_KEY_FILE": str(file)})
        assert isinstance(secret, Secret)
        assert secret.key_for(SALT) == expected
    typed = b"a line of exactly 32 characters!"
    file.write_bytes(typed)
    secret = environment_secret({"LONGMIND_KEY_FILE": str(file)})
    assert secret is not None
    assert secret.key_for(SALT) == secret_of(typed.decode()).key_for(SALT) != typed


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ({"LONGMIND_KEY": "hunter2"}, InvalidInput),
        ({"LONGMIND_KEY_FILE": "/does/not/exist"}, NotFound),
        ({"LONGMIND_KEY_FILE": "/"}, Forbidden),
        ({"LONGMIND_KEY_COMMAND": "no-such-command-here"}, NotFound),
        ({"LONGMIND_KEY_COMMAND": "'"}, InvalidInput),
        ({"LONGMIND_KEY_COMMAND": command('print("hunter2"); raise SystemExit(3)')}, Unavailable),
        ({"LONGMIND_KEY_COMMAND": command('print("hunter2\\n" * 2)')}, InvalidInput),
        ({"LONGMIND_KEY_COMMAND": command("pass")}, InvalidInput),
        ({"LONGMIND_KEY_KEYRING": "hunter2"}, InvalidInput),
    ],
)
def test_a_source_without_a_key_says_which_it_is_and_never_what_it_gave(
    source: dict[str, str], error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        environment_secret(source)
    assert next(iter(source)) in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_the_command_does_not_get_the_other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGMIND_NEW_KEY", KEY.hex())
    line = command('import os; print("LONGMIND_NEW_KEY" in os.environ)')
    secret = environment_secret({"LONGMIND_KEY_COMMAND": line})
    assert secret is not None
    assert secret.key_for(SALT) == secret_of("False").key_for(SALT)


def test_programs_that_we_start_do_not_get_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a program of the user's that runs in the place of git."""
    seen = tmp_path / "seen"
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "git").write_text(f"#!/bin/sh\nenv > {seen}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("LONGMIND_KEY", KEY.hex())
    monkeypatch.setenv("LONGMIND_NEW_KEY_FILE", "/somewhere/key")
    monkeypatch.delenv("LONGMIND_HELPER")  # which all tests have, and is no secret
    assert changed_files(tmp_path) == ()
    assert "PATH=" in seen.read_text()
    assert "LONGMIND" not in seen.read_text()


def test_a_keyring_gives_a_key_by_service_and_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MissingExtra, match=r"longmind\[keyring\]"):
        environment_secret({"LONGMIND_KEY_KEYRING": "longmind/work"})
    entries = {("longmind", "work"): KEY.hex()}
    ring = types.SimpleNamespace(get_password=lambda service, name: entries.get((service, name)))
    monkeypatch.setitem(sys.modules, "keyring", ring)
    secret = environment_secret({"LONGMIND_KEY_KEYRING": "longmind/work"})
    assert secret is not None
    assert secret.key_for(SALT) == KEY
    with pytest.raises(NotFound, match="keyring set longmind home"):
        environment_secret({"LONGMIND_KEY_KEYRING": "longmind/home"})
