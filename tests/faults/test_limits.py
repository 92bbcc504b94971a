"""A full disk, a limit on file sizes and one on descriptors: an error of ours, and nothing lost by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.children import ROOT
from tests.store.opening import open_memory

SCRIPT = """
import json, os, resource, signal, sys
from longmind import LongmindError
from tests.store.opening import open_memory

location, limit = sys.argv[1:]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then the write fails with EFBIG
written, error = [], None
held = []
with open_memory(location) as memory:
    written.append(memory.remember("before the limit").id)
    if limit == "size":
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
    try:
        if limit == "descriptors":
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
            while True:
                try:
                    held.append(os.open(os.devnull, os.O_RDONLY))
                except OSError:
                    break
            open_memory(location).close()
        else:
            for number in range(400):
                written.append(memory.remember(f"{number} " + os.urandom(20_000).hex()).id)
    except LongmindError as failure:
        error = [failure.code, str(failure)]
    for descriptor in held:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if limit != "disk":
        written.append(memory.remember("after the limit").id)
print(json.dumps({"written": written, "error": error}))
"""


def at_the_limit(location: Path, limit: str) -> tuple[list[int], list[str]]:
    import json

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(location), limit], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["error"] is not None, "the limit was not met"
    return told["written"], told["error"]


def check(location: Path, written: list[int]) -> None:
    with open_memory(location) as memory:
        for frame_id in written:
            assert memory.get(frame_id).id == frame_id
        assert memory.verify(deep=True)
        assert memory.remember("the store works again").id


def test_a_limit_on_the_size_of_files_loses_nothing(tmp_path: Path) -> None:
    written, (code, message) = at_the_limit(tmp_path / "a.mind", "size")
    assert code in ("over_budget", "unavailable"), message
    check(tmp_path / "a.mind", written)


def test_no_descriptor_left_does_not_read_as_a_matter_of_permissions(tmp_path: Path) -> None:
    written, (code, message) = at_the_limit(tmp_path / "a.mind", "descriptors")
    assert code == "unavailable", message
    assert "descriptor" in message
    check(tmp_path / "a.mind", written)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        written, (code, message) = at_the_limit(disk / "a.mind", "disk")
        assert code == "over_budget", message
        assert "disk is full" in message
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        check(disk / "a.mind", written)
    finally:
        subprocess.run(["umount", disk], check=True)


FEW_LEFT = """
import os, resource, sys
from longmind import LongmindError
from tests.store.opening import open_memory

location = sys.argv[1]
open_memory(location).close()
for spare in range(12):
    held = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass
    for _ in range(spare):
        os.close(held.pop())
    said = "opened"
    try:
        open_memory(location).close()
    except LongmindError as failure:
        said = f"{failure.code} {failure}"
    for descriptor in held:
        os.close(descriptor)
    print(said)
"""


def test_too_few_descriptors_are_never_reported_as_permissions(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FEW_LEFT, str(tmp_path / "few.mind")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    said = done.stdout.splitlines()
    assert said[-1] == "opened"
    refused = [line for line in said if line != "opened"]
    assert refused
    assert all(line.startswith("unavailable") and "file descriptor" in line for line in refused), refused
