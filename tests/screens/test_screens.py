"""What people see in a terminal, kept as text: a change of output shows up in the change that makes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from longmind.cli import app, sm
from tests.screens.walk import HERE, screens
from tests.screens.walks import WALKS, commands


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal")
def test_the_screens_of_every_walk_are_as_kept() -> None:
    seen = screens()
    assert set(seen) == set(WALKS)
    for name, text in seen.items():
        kept = (HERE / f"{name}.txt").read_text(encoding="utf-8")
        assert text == kept, f"{name}.txt differs; if it should, run: python -m tests.screens.walk"


def _paths(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of every command below this one."""
    groups = getattr(command, "commands", None)
    if groups is None:
        yield path
        return
    for name, inner in groups.items():
        yield from _paths(inner, (*path, name))


def test_every_command_has_a_screen() -> None:
    walked = [tuple(line.split()) for name in WALKS for line in commands(name)]
    programs = {"longmind": app.build(None), "sm": sm.app}
    for program, application in programs.items():
        for path in _paths(typer.main.get_command(application), (program,)):
            assert any(words[: len(path)] == path for words in walked), (
                f"{' '.join(path)} is in no walk: add it to tests/screens/walks.py, "
                "then run: python -m tests.screens.walk"
            )
