"""ARCHITECTURE.md names what is there: files that exist, every folder, and the layers that are checked."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "longmind"
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SECTIONS = {text.partition("\n")[0]: text for text in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
FOLDERS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def folders_of(heading: str) -> list[Path]:
    return [PACKAGE / name for name in re.findall(r"`([\w/]+)/`", heading)]


def files_named(section: str) -> list[str]:
    return re.findall(r"`([\w/.*-]+\.(?:py|sql|json))`", section)


# Where the section of a folder lists its files, the list has to be complete.
LISTED = [heading for heading, text in SECTIONS.items() if "| file | |" in text]


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_file_that_is_named_exists(heading: str) -> None:
    bases = [*folders_of(heading), PACKAGE, ROOT]
    missing = [
        name for name in files_named(SECTIONS[heading]) if not any(list(base.glob(name)) for base in bases)
    ]
    assert missing == []


def test_every_folder_of_the_package_has_a_heading() -> None:
    described = {folder.name for heading in SECTIONS for folder in folders_of(heading)}
    assert [name for name in FOLDERS if name not in described] == []


@pytest.mark.parametrize("heading", LISTED)
def test_a_list_of_files_is_complete(heading: str) -> None:
    names = files_named(SECTIONS[heading])
    unnamed = [
        path.name
        for folder in folders_of(heading)
        for path in sorted(folder.glob("*.py"))
        if path.name != "__init__.py" and not any(fnmatch(path.name, name) for name in names)
    ]
    assert unnamed == []


def test_every_module_says_in_one_sentence_what_it_is_for() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    silent = [str(path) for path in modules if not re.match(r'(?:#!.*\n)?r?"""\S', path.read_text("utf-8"))]
    assert silent == []


def test_the_layers_are_those_that_are_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    [contract] = [item for item in project["tool"]["importlinter"]["contracts"] if item["type"] == "layers"]
    block = re.search(r"```\n(cli\n.*?)```", SECTIONS["What each layer may import"], re.DOTALL)
    assert block is not None
    assert block[1].split("\n")[:-1] == contract["layers"]
    names = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    modules = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("__")}
    assert names == modules | set(FOLDERS)
