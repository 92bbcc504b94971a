"""Which tests show which row of the design documents, and on which engines they run."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).resolve().parents[1]
BOTH: Final = "SQLite, PostgreSQL"
_ON_BOTH: Final = frozenset({"location"})
"""The fixture that runs a test once for each engine."""


@dataclass(frozen=True)
class Row:
    """Something that a document asks for."""

    document: str
    row: str
    tests: tuple[str, ...]
    alone: str
    """Why no test of it runs on both engines."""

    @property
    def engines(self) -> str:
        return BOTH if any(runs_on_both(test) for test in self.tests) else self.alone


def rows() -> Iterator[Row]:
    content = tomllib.loads((TESTS / "seeds" / "rows.toml").read_text("utf-8"))
    for document in content["document"]:
        for entry in document["rows"]:
            yield Row(document["number"], entry["row"], tuple(entry["tests"]), entry.get("alone", ""))


def titles() -> dict[str, str]:
    content = tomllib.loads((TESTS / "seeds" / "rows.toml").read_text("utf-8"))
    return {document["number"]: document["title"] for document in content["document"]}


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return (TESTS / path).is_file() and name in _functions(TESTS / path)


def runs_on_both(test: str) -> bool:
    """Whether a test, or a fixture that it asks for, is run for every engine."""
    path, _, name = test.partition("::")
    files = [TESTS / path, *(folder / "conftest.py" for folder in (TESTS / path).parents)]
    files = [file for file in files if file.is_file() and TESTS in file.parents]
    wanted, seen = [name], set[str]()
    while wanted:
        current = wanted.pop()
        if current in _ON_BOTH:
            return True
        if current in seen:
            continue
        seen.add(current)
        function = next((_functions(file)[current] for file in files if current in _functions(file)), None)
        if function is not None:
            if _names_engines(function):
                return True
            wanted += [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
            wanted += _used_fixtures(function)
    return False


@cache
def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _names_engines(function: ast.FunctionDef) -> bool:
    """Parametrized by ENGINES, or a test that goes from one engine to the other."""
    decorated = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
    return "ENGINES" in decorated or "ENGINES" in ast.unparse(function)


def _used_fixtures(function: ast.FunctionDef) -> Sequence[str]:
    return [
        str(argument.value)
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and "usefixtures" in ast.unparse(decorator.func)
        for argument in decorator.args
        if isinstance(argument, ast.Constant)
    ]
