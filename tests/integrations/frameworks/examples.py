"""The examples of docs/integrations, run with a fake model in place of the one they name."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

_PAGES = Path(__file__).resolve().parents[3] / "docs" / "integrations"
_PYTHON = re.compile(r"^```py\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run_example(
    page: str, monkeypatch: pytest.MonkeyPatch, folder: Path, *, part: int = 0, **names: Any
) -> dict[str, Any]:
    """Run a Python block of a page in a folder; returns its names.

    A name in `names` stands for a string of the page that is the same but for its signs: `gpt_4o_mini` for
    "gpt-4o-mini". The others are those that the page leaves to the reader.
    """
    monkeypatch.chdir(folder)
    code = _PYTHON.findall((_PAGES / f"{page}.md").read_text("utf-8"))[part]
    for text in re.findall(r'"([^"\n]+)"', code):
        name = re.sub(r"\W", "_", text)
        if name in names:
            code = code.replace(f'"{text}"', name)
    compiled = compile(code, f"{page}.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    scope: dict[str, Any] = dict(names)
    done = eval(compiled, scope)
    if inspect.isawaitable(done):

        async def finish() -> None:
            await done

        asyncio.run(finish())
    return scope
