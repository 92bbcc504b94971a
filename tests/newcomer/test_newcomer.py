"""Plays a newcomer: installs the wheel, pastes the README, sets up every agent, and takes all of it away."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AGENTS = ("claude-code", "codex", "cursor", "vscode", "gemini", "claude-desktop", "windsurf")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def find_interpreter(version: str) -> str | None:
    """A Python of this version: on the path, or one that pyenv keeps without having it chosen."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    kept = [str(path) for path in sorted(versions.glob(f"{version}.*/bin/python{version}"))]
    for candidate in (shutil.which(f"python{version}"), *kept):
        # pyenv puts a command of every version on the path, which fails unless that version is chosen.
        if candidate and not subprocess.run([candidate, "--version"], capture_output=True).returncode:
            return candidate
    return None


def play(program: Path, project: Path, home: Path, agents: tuple[str, ...]) -> bool:
    """Set up agents in a project, drive a session of Claude Code by its settings, and undo everything.

    Returns whether all files are then as before.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LONGMIND_")}
    environment |= {"HOME": str(home), "LONGMIND_HELPER": "off", "LONGMIND_SERVER": "http://127.0.0.1:9"}

    def run(*words: str, text: str = "") -> str:
        done = subprocess.run(
            [str(program), *words], cwd=project, env=environment, input=text, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "notes.txt").write_text("mine")
    before = everything(project), everything(home)
    for agent in agents:
        run("install", agent, "--json")
    hooks = json.loads((project / ".claude/settings.json").read_text())["hooks"]

    def hook(event: str, **payload: str) -> str:
        command = hooks[event][0]["hooks"][0]["command"]
        body = json.dumps({"cwd": str(project), "hook_event_name": event, **payload})
        done = subprocess.run(
            command, shell=True, cwd=home, env=environment, input=body, capture_output=True, text=True,
            timeout=60, check=True,
        )  # fmt: skip
        return done.stdout

    transcript = home / "session.jsonl"
    turn = {"type": "user", "uuid": "u1", "message": {"content": "Orders go through an outbox table."}}
    transcript.write_text(json.dumps(turn) + "\n")
    assert hook("SessionStart", session_id="one", source="startup") == ""
    hook("Stop", session_id="one", transcript_path=str(transcript))
    told = hook("UserPromptSubmit", session_id="two", prompt="Which table do orders go through?")
    assert "Orders go through an outbox table." in told
    doctor = json.loads(run("doctor", "--json"))["findings"]
    [line] = [item for item in doctor if item["about"] == "agent claude-code"]
    assert "1 turn kept" in line["says"]
    transcript.unlink()
    for agent in agents:
        run("uninstall", agent, "--delete-memory", "--json")
    return (everything(project), everything(home)) == before


def test_agents_are_set_up_used_and_taken_away_again(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "shop").mkdir()
    agents = ("claude-code", "windsurf")
    assert play(Path(sys.executable).with_name("longmind"), tmp_path / "shop", tmp_path / "home", agents)


@pytest.mark.soak
@pytest.mark.parametrize("python", PYTHONS)
def test_everything_that_is_needed_has_a_wheel_for_every_python(python: str) -> None:
    """Asked of the package index alone, so also for a Python that is not installed here."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"Programming Language :: Python :: {python}" in needed["classifiers"]
    wanted = [*needed["dependencies"], *needed["optional-dependencies"]["mcp"]]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--target", "unused", "--only-binary=:all:",
         "--ignore-installed", "-q", "--python-version", python, *wanted],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "No matching distribution found for apsw" in done.stderr and "Retrying" in done.stderr:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_wheel_in_a_fresh_environment_does_what_the_readme_says(python: str, tmp_path: Path) -> None:
    interpreter = find_interpreter(python)
    if interpreter is None:
        pytest.skip(f"Python {python} is not installed here")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    wheels = tmp_path / "wheels"
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(wheels), str(ROOT)]
    subprocess.run(pip, check=True, env=environment)
    [wheel] = wheels.glob("longmind-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert "longmind/py.typed" in archive.namelist()
        assert not [name for name in archive.namelist() if name.startswith(("tests/", "bench/"))]
    place = tmp_path / "env"
    subprocess.run([interpreter, "-m", "venv", str(place)], check=True, env=environment)
    extra = f"longmind[mcp] @ {wheel.as_uri()}"
    subprocess.run([str(place / "bin/pip"), "install", "-q", extra], check=True, env=environment)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"Python {python}: {size / 1e6:.0f} MB")

    desk = tmp_path / "desk"
    desk.mkdir()
    on_path = {**environment, "PATH": f"{place / 'bin'}{os.pathsep}{environment['PATH']}"}
    subprocess.run(["longmind", "init"], cwd=desk, env=on_path, check=True)
    for language, code in _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        command = ["python", "-c", code] if language == "python" else ["bash", "-euc", code]
        done = subprocess.run(command, cwd=desk, env=on_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (code, done.stderr)
    (tmp_path / "home").mkdir()
    (tmp_path / "shop").mkdir()
    assert play(place / "bin" / "longmind", tmp_path / "shop", tmp_path / "home", AGENTS)
