"""The tests of encryption, run with the build of apsw that can encrypt: the other one is in the environment.

The two builds are one module, so the second one is installed into a folder of its own, and a further run of
pytest finds it there first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.encrypted import CAN_ENCRYPT, KEY
from tests.store.opening import KEY_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
OWN = (
    "tests/store/test_encryption.py",
    "tests/store/test_rekey.py",
    "tests/faults/test_encryption_kills.py",
    "tests/cli/test_encryption.py",
)
SHORT = (
    "(opens_with_it and not called and not hexadecimal) or (wrong_key and not reading) or plain_file "
    "or (same_key and raw) or (holder_of_the_key and 1) or in_place or is_busy or any_column or plain_store "
    "or (leaves_the_old_store and rekey) or take_the_key_from"
)
"""One of each kind, and a passphrase twice: to make a key of one takes long, on purpose."""
PLAIN_ONLY = (
    # They look at plain pages, at kept plain files, or at what only a plain file does.
    "another_application or says_whether or reader_in_the_way or earlier_format or first_checkpoint "
    "or half_of_a_new_file or killed_migration or does_not_rebuild or page_checksums_that_fit or sound_backup"
)

pytestmark = pytest.mark.skipif(CAN_ENCRYPT, reason="this build can encrypt, so they run as they are")


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    command += ["--only-binary=:all:", "--retries", "0", "--timeout", "20", "--target", str(folder)]
    done = subprocess.run([*command, "apsw-sqlite3mc"], capture_output=True, text=True, timeout=120)
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        pytest.skip(f"pip cannot install apsw-sqlite3mc here: {last}")
    return folder


def check_run(build: Path, *words: str, seconds: int, **variables: str) -> None:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "LONGMIND_"))
    }
    path = os.pathsep.join([str(build), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *words,
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**kept, "PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "this apsw cannot encrypt" not in done.stdout  # else nothing of it would have been tested


def test_encrypted_stores_keep_what_they_promise(build: Path) -> None:
    check_run(build, *OWN, "-m", "not soak", "-k", SHORT, seconds=280)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_every_test_of_encryption_passes(build: Path) -> None:
    check_run(build, *OWN, "tests/test_docs.py", "-k", "not generated and not tour", seconds=3500)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["log", "log_endings", "kills", "damage", "erase_kill"])
def test_encrypted_stores_pass_the_tests_of_faults(build: Path, name: str) -> None:
    words = (f"tests/faults/test_{name}.py", "-m", "not soak", "-k", f"not server and not ({PLAIN_ONLY})")
    check_run(build, *words, seconds=3500, **{KEY_VARIABLE: KEY.hex()})
