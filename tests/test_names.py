"""Names that must agree: the distribution in every hint, the files in ARCHITECTURE.md, the product."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import longmind.protocols
import longmind.testing
from longmind import MissingExtra
from longmind.cli.setup import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FRAMEWORKS = {
    "agent-framework", "anthropic", "autogen", "crewai", "google-adk", "haystack", "langchain", "langgraph",
    "llama-index", "openai-agents", "pydantic-ai",
}  # fmt: skip
_EXTRA = re.compile(r"MissingExtra\([^()]*extra=\"([\w-]+)\"")
_INSTALL = re.compile(r"pip install [\"']?([A-Za-z0-9_-]+)(?:\[([a-z0-9_,{}-]+)\])?")


def sources() -> list[Path]:
    return [
        *sorted((ROOT / "longmind").rglob("*.py")),
        *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "benchmarks.md"),  # has peers
        ROOT / "README.md",
    ]


def test_every_hint_names_the_distribution_and_extras_that_exist() -> None:
    extras = set(PROJECT["optional-dependencies"])
    required = {re.split(r"[<>=\[]", item)[0].lower() for item in PROJECT["dependencies"]}
    distribution = PROJECT["name"]
    seen = 0
    for path in sources():
        for name, chosen in _INSTALL.findall(path.read_text("utf-8")):
            if name.startswith("-"):
                continue
            where = f"{path.relative_to(ROOT)}: pip install {name}[{chosen}]"
            # The build of SQLite that can encrypt takes the place of apsw, which no extra can express.
            assert name == distribution or (name in {*required, "apsw-sqlite3mc"} and not chosen), where
            if chosen and "{" not in chosen:  # a name that is filled in is one of the extras themselves
                assert set(chosen.split(",")) <= extras, where
            seen += 1
        for extra in _EXTRA.findall(path.read_text("utf-8")):
            assert extra in extras, f"{path.relative_to(ROOT)}: extra={extra!r}"
            seen += 1
    assert seen > 15


def test_every_hint_for_an_extra_has_the_same_form() -> None:
    """It is written down once; whoever needs an extra names it, and nothing else."""
    extras = set(PROJECT["optional-dependencies"])
    seen = []
    for path in sorted((ROOT / "longmind").rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        if where != "longmind/base/errors.py":
            assert "longmind[" not in path.read_text("utf-8"), f"{where}: use install_command or run_install"
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            name, line = call.func.id, f"{where}:{call.lineno}"
            if name in ("install_command", "run_install"):
                given = call.args[0]
            elif name == "MissingExtra":
                keywords = {item.arg: item.value for item in call.keywords}
                hint = ast.unparse(keywords.get("hint", ast.Constant("")))
                # The build of SQLite that can encrypt takes the place of apsw, which no extra can express.
                own = "run_install" in hint or "apsw" in hint or "INSTALL" in hint
                assert own or "hint" not in keywords, f"{line}: {hint}"
                given = keywords.get("extra", ast.Constant("all"))
            else:
                continue
            if isinstance(given, ast.Constant):
                assert given.value in extras, line
            seen.append(line)
    assert len(seen) > 30
    assert MissingExtra("It needs x.", extra="pdf").hint == "Run: pip install 'longmind[pdf]'"


def test_doctor_looks_for_every_extra() -> None:
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - {"all", "browser", "dev", "docs"}
    complete = re.findall(r"[\w-]+", PROJECT["optional-dependencies"]["all"][0].partition("[")[2])
    # Large models and tables, and what only some desktops have, are asked for by name.
    # Frameworks often disagree on versions, so that each is asked for by name as well.
    assert (
        set(complete)
        == set(EXTRAS)
        - {"gpu", "model", "multilingual", "heic", "keyring", "ocr", "places", "speech"}
        - FRAMEWORKS
    )


def test_every_file_that_the_architecture_names_is_there() -> None:
    folders: list[Path] = []
    for line in (ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            folders = [ROOT / "longmind" / name for name in re.findall(r"`(\w+)/`", line)]
        for name in re.findall(r"`([\w/]+\.py)`", line):
            places = [*folders, ROOT / "longmind", ROOT]
            assert any((place / name).exists() for place in places), f"{name} in: {line}"


def test_the_old_name_stands_only_where_old_files_are_known() -> None:
    listed = subprocess.run(["git", "grep", "-lIi", "recollect"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode > 1:
        pytest.skip("not a git checkout")
    known = {
        "longmind/base/recalled_text.py",
        "longmind/base/partial.py",
        "longmind/base/recall_marks.py",
        "longmind/base/signatures.py",
        "longmind/base/store_files.py",
        "longmind/spaces/file.py",
        "longmind/store/transfer.py",
    }
    found = {name for name in listed.stdout.split() if name.startswith("longmind/")}
    assert found == known


@pytest.mark.parametrize("module", [longmind, longmind.protocols, longmind.testing])
def test_every_public_name_can_be_imported(module: ModuleType) -> None:
    """They are loaded by the name of their home at their first use, which no type checker looks at."""
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
