"""What the documentation shows is run: Python blocks in order, shell blocks through the real command."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from longmind.cli import sm
from longmind.cli.app import build
from tests import commands
from tests.store.encrypted import needs_cipher

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/integrations/*.md")])
DOCUMENTED_SERVER = "postgresql://localhost/agents?store="

_numbers = itertools.count(1)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """One fenced block; `output` is the text block that follows it at once, if there is one."""

    language: str
    code: str
    line: int
    output: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    found = []
    for here, after in itertools.zip_longest(fences, fences[1:]):
        follows = after is not None and after[1] == "text" and not text[here.end() : after.start()].strip()
        line = text.count("\n", 0, here.start()) + 2
        found.append(Block(here[1], here[2], line, after[2] if follows and after else None))
    return found


def runs_in_a_shell(block: Block) -> bool:
    return block.language in ("bash", "console") and block.code.startswith(("longmind ", "sm ", "git "))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def on_our_server(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Replaces the server that the pages name by the one the tests start, if a block wants it."""
    prefix = f"docs{next(_numbers)}_"

    def replace(code: str) -> str:
        if DOCUMENTED_SERVER not in code:
            return code
        url: str = request.getfixturevalue("postgres_url")
        return code.replace(DOCUMENTED_SERVER, f"{url}{'&' if '?' in url else '?'}store={prefix}")

    return replace


_RUNNABLE = [
    pytest.param(page, marks=needs_cipher) if page.name == "encryption.md" else page for page in PAGES
]


@pytest.mark.parametrize("page", _RUNNABLE, ids=name_of)
def test_the_python_blocks_run_and_print_what_the_page_says(page, tmp_path, monkeypatch, on_our_server):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language != "python":
            continue
        # The line number of the page shows in a traceback.
        code = "\n" * (block.line - 1) + on_our_server(block.code)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if block.output is not None:
            assert re.sub(r"docs\d+_", "", printed.getvalue()) == block.output, f"{page.name}:{block.line}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_shell_blocks_run_without_an_error(page, tmp_path, on_our_server):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LONGMIND_")}
    environment["LONGMIND_HELPER"] = "off"
    environment["PATH"] = os.pathsep.join(
        [commands.programs(), str(Path(sys.executable).parent), environment["PATH"]]
    )
    for block in filter(runs_in_a_shell, blocks(page)):
        script = ["bash", "-euo", "pipefail", "-c", on_our_server(block.code)]
        done = subprocess.run(script, cwd=tmp_path, env=environment, capture_output=True, timeout=120)
        assert done.returncode == 0, f"{page.name}:{block.line}\n{done.stdout!r}\n{done.stderr!r}"


_SHOWN = re.compile(r"(?:^|`|\$ )((?:longmind|sm) [a-z][^`\n]*)", re.MULTILINE)
"""Commands in blocks and in sentences; those in blocks that run are looked at too."""


@functools.cache
def program(name: str) -> Any:
    return get_command(build() if name == "longmind" else sm.app)


def unknown_words(shown: str) -> list[str]:
    """What a command line says that the command does not know: its own name, or names of options."""
    words = shlex.split(re.split(r" [|>&]|<|;| #", shown.replace("'", " ").replace('"', " "))[0])
    command = program(words[0])
    for position, word in enumerate(words[1:], 1):
        if not hasattr(command, "commands"):
            break
        if word.startswith("-"):
            continue
        if word not in command.commands:
            return [" ".join(words[: position + 1])]
        command = command.commands[word]
    options = {name for item in command.params for name in (*item.opts, *item.secondary_opts)} | {"--help"}
    typed = [re.split(r"[=\[]", word)[0] for word in words[1:] if word.startswith("--") and word != "--"]
    return [word for word in typed if word not in options]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_a_page_shows_exists_with_its_options(page):
    if page.name == "CHANGELOG.md":
        pytest.skip("it tells of commands as they were")
    text = page.read_text(encoding="utf-8")
    wrong = {shown: unknown for shown in _SHOWN.findall(text) if (unknown := unknown_words(shown))}
    assert wrong == {}


def test_the_generated_pages_are_up_to_date():
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_other_pages_lead_somewhere(page):
    broken = []
    for target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = page.parent / file if file else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            broken.append(target)
    assert broken == []


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_is_reachable_from_the_readme():
    linked = {ROOT / target.partition("#")[0] for target in _LINK.findall((ROOT / "README.md").read_text())}
    overview = (ROOT / "docs" / "integrations.md").read_text()
    linked |= {ROOT / "docs" / target.partition("#")[0] for target in _LINK.findall(overview)}
    assert [name_of(page) for page in PAGES if page not in linked and page.name != "README.md"] == []


def test_every_page_is_in_the_navigation_of_the_site():
    named = set(
        re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    )
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert pages - named == set()
    beside = {"index.md", "architecture.md", "contributing.md", "security-policy.md", "changelog.md"}
    assert named - pages == beside


def test_every_test_that_a_page_names_is_there():
    named = {
        (name_of(page), path)
        for page in PAGES
        for path in re.findall(r"`(tests/[\w/.-]+)`", page.read_text(encoding="utf-8"))
    }
    assert {page for page, _ in named} >= {"docs/security.md", "docs/durability.md"}
    assert [(page, path) for page, path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.soak
def test_the_site_is_built_without_a_broken_link(tmp_path):
    pytest.importorskip("mkdocs", reason="the site is built with: pip install 'longmind[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "search" / "search_index.json").is_file()


def test_the_tour_plays_every_scene():
    command = [sys.executable, str(ROOT / "examples" / "tour.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stderr
    assert "the certificate holds: True" in done.stdout
    assert "damage found by a deep check: False" in done.stdout
    assert "home now: Braga" in done.stdout
    assert "Nothing here mentions" not in done.stdout
    assert "Enter: go on" not in done.stdout, "nobody is asked when nobody is there"
