"""Conversation: the token of `sm`, state changes, dates beside memories, and what a score means."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory

SM = (sys.executable, "-m", "longmind.cli.sm")


def sm(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SM, *arguments], capture_output=True, text=True, env={**os.environ, **variables}, check=False
    )


def test_sm_names_the_variable_that_it_reads_its_token_from(tmp_path: Path) -> None:
    refused = sm(
        "serve", "--host", "0.0.0.0", "--db", str(tmp_path / "s.mind"), "--keys", str(tmp_path / "none")
    )
    assert refused.returncode != 0
    assert "SM_TOKEN" in refused.stderr
    assert "LONGMIND_TOKEN" not in refused.stderr


def test_sm_says_serving_once_it_listens(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [*SM, "serve", "--port", str(port), "--db", str(tmp_path / "s.mind")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            line = server.stderr.readline()
            assert line == f"Serving on http://127.0.0.1:{port}\n"
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            # A port that is taken is not announced.
            second = sm("serve", "--port", str(port), "--db", str(tmp_path / "t.mind"))
            assert "Serving" not in second.stderr
            assert "cannot be listened on" in second.stderr
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        (
            "My favourite tea is sencha.",
            "My favourite tea changed to matcha.",
            "User's favorite tea is matcha",
        ),
        ("My name is Alex.", "My name has changed to Alexa.", "User's name is Alexa"),
        (
            "My address is 12 Elm Street.",
            "My address was changed from 12 Elm Street to 3 Oak Road.",
            "User's address is 3 Oak Road",
        ),
    ],
)
def test_changed_to_is_a_state_change(memory: Memory, before: str, change: str, after: str) -> None:
    talk = memory.conversation("s1")
    talk.add_turn("user", before)
    [old] = memory.memories.list().items
    talk.add_turn("user", change)
    assert [item.content for item in memory.memories.list(status="active")] == [after]
    assert old.id in [item.id for item in memory.memories.list(status="archived")]


def test_dated_events_reach_the_memories_with_their_dates(memory: Memory) -> None:
    talk = memory.conversation("s1")
    talk.add_turn("user", "We got married on June 5, 2020.")
    talk.add_turn("user", "I moved to Lisbon on 3 March 2021.")
    contents = " ".join(item.content for item in memory.memories.list())
    assert re.search(r"married on (?:June 5 2020|5 June 2020)", contents)
    assert "Lisbon on 3 March 2021" in contents


def test_get_context_prints_dates_beside_memories(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "s.mind"
    with Memory.open(path, embedder=None, clock=clock) as memory:
        memory.conversation("s1").add_turn("user", "I like sencha.")
    shown = sm("get-context", "--session", "s1", "--db", str(path)).stdout
    assert re.search(r"2023-11-14 .*User likes sencha", shown)


def test_search_scores_are_matches(location: str) -> None:
    with Memory.open(location, embedder=None) as memory:
        memory.memories.remember("User likes sencha tea", importance=1)
        memory.memories.remember("The sister of the user likes the green tea from Kyoto")
        found = memory.memories.search("green tea from Kyoto")
        assert len(found.matches) == len(found.items) == 2
        assert list(found.matches) == sorted(found.matches, reverse=True), "best first"
        assert "Kyoto" in found.items[0].content
        assert found.items[0].score < found.items[1].score, "the other one is the stronger memory"


def test_sm_search_shows_matches_and_not_strength(tmp_path: Path) -> None:
    path = str(tmp_path / "s.mind")
    with Memory.open(path, embedder="hash") as memory:
        strength = memory.memories.remember("User likes sencha tea", importance=1).score
        [match] = memory.memories.search("sencha").matches
    shown = sm("search", "sencha", "--db", path).stdout
    assert "match" in shown
    assert f"{match:.3f}" in shown
    assert f"{strength:.3f}" not in shown
