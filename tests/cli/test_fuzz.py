"""Whatever is typed, the answer is a result or an error that says what to do; never a traceback."""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import Memory
from longmind.cli.app import _outcome
from longmind.cli.errors import EXIT_CODES
from longmind.operations import registry

COMMANDS = [[part.replace("_", "-") for part in item.path] for item in registry.operations()]
OPTIONS = sorted(
    {f"--{item.name.replace('_', '-')}" for entry in registry.operations() for item in entry.parameters}
    | {"--tag", "--kind", "--session", "--lane", "--json", "--file", "--nonsense"}
)
UNEXPECTED = EXIT_CODES["error"]

words = st.one_of(
    st.sampled_from(
        ["", "-", "--", "x", "1", "-1", "0", "999999999999999999999", "1e400", "nan", "{}", "[]", "null", "{"]
    ),
    st.sampled_from(["2025-01-01", "yesterday", "a=b", "=", "../../etc/passwd", "*", "exp_1", "\x00"]),
    st.text(max_size=12),
    st.sampled_from(OPTIONS),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGMIND_STORE", "fuzz.mind")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"piped\n")))
    with Memory.open("fuzz.mind", embedder=None) as memory:
        memory.remember("Ana lives in Porto.")
    return tmp_path


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=st.sampled_from(COMMANDS), rest=st.lists(words, max_size=6))
def test_no_arguments_break_the_command(folder: Path, command: list[str], rest: list[str]) -> None:
    os.chdir(folder)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _outcome([*command, *rest], as_json=False)
    assert code != UNEXPECTED, (command, rest, err.getvalue())
    assert code in (0, *EXIT_CODES.values())
    if code:
        assert err.getvalue().startswith("error:") or code == EXIT_CODES["corrupt"]
