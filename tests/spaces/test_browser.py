"""The browser of a space: what its keys do, and that it draws on a real terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longmind import Memory
from longmind.cli.space_browser import BACK, DOWN, ENTER, LEFT, RIGHT, Browser
from longmind.spaces.values import MemoryObject
from tests.spaces.samples import CONFIG, DECISION, GUIDE


@pytest.fixture
def items(tmp_path: Path) -> tuple[MemoryObject, ...]:
    with Memory.open(tmp_path / "s.mind", embedder=None) as memory:
        space = memory.space("runtime")
        for payload in (DECISION, GUIDE, CONFIG):
            space.remember_structured(payload)
        return space.list()


def test_branches_open_and_close(items: tuple[MemoryObject, ...]) -> None:
    browser = Browser("runtime", items)
    assert browser.body(80) == ["+ lexon/"]
    browser.press(ENTER)
    assert browser.body(80) == ["- lexon/", "  + docs/", "  + runtime/"]
    browser.press(DOWN)
    browser.press(RIGHT)
    assert browser.body(80)[2].strip().startswith("telemetry [guide, medium]")
    browser.press(LEFT)
    assert browser.body(80) == ["- lexon/", "  + docs/", "  + runtime/"]
    browser.press("a")
    assert len(browser.body(80)) == 6
    browser.press("q")
    assert browser.done


def test_a_filter_leaves_what_speaks_of_it_and_opens_it(items: tuple[MemoryObject, ...]) -> None:
    browser = Browser("runtime", items)
    browser.press("/")
    for letter in "histogramsx":
        browser.press(letter)
    assert browser.head() == "runtime (0 of 3)  filter: histogramsx_"
    browser.press(BACK)
    browser.press(ENTER)
    assert browser.head() == "runtime (1 of 3)  filter: histograms"
    assert len(browser.body(80)) == 3
    browser.press(BACK)
    browser.press("p")
    assert [item.id for item in browser.chosen()] == ["mem_runtime_decision_001"]


def test_an_object_is_shown_in_full_and_left_again(items: tuple[MemoryObject, ...]) -> None:
    browser = Browser("runtime", items)
    browser.press("a")
    for _ in range(5):
        browser.press(DOWN)
    browser.press(ENTER)
    assert browser.head() == "lexon/runtime/release_checklist"
    assert any("Ship RC once structured memory" in line for line in browser.body(60))
    assert max(len(line) for line in browser.body(60)) < 60
    browser.press("q")
    assert browser.shown is None
    assert not browser.done


def test_an_empty_space_can_be_walked_through() -> None:
    browser = Browser("none", ())
    for key in (DOWN, ENTER, LEFT, "/", "x", ENTER, "p", "a"):
        browser.press(key)
    assert browser.body(80) == []


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
def test_it_draws_on_a_terminal_and_leaves_by_its_key(
    items: tuple[MemoryObject, ...], tmp_path: Path
) -> None:
    import fcntl
    import pty
    import select
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [
        sys.executable,
        "-c",
        "from longmind.cli.app import run; run()",
        "space",
        "browse",
        "runtime",
    ]
    process = subprocess.Popen(
        [*command, "--store", str(tmp_path / "s.mind")],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
        close_fds=True,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""

    def wait_for(text: bytes) -> None:
        nonlocal seen
        until = time.monotonic() + 60
        while text not in seen and time.monotonic() < until:
            if select.select([ours], [], [], 0.2)[0]:
                seen += os.read(ours, 65_536)
        assert text in seen, seen

    try:
        wait_for(b"runtime (3 of 3)")
        os.write(ours, b"a")
        wait_for(b"release_checklist")
        os.write(ours, b"q")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
