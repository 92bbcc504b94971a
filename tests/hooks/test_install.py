from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from longmind import Memory
from longmind.hooks.install import READ_ONLY_TOOLS
from tests import commands
from tests.hooks.conftest import PROGRAM

AGENTS = ("claude-code", "codex", "cursor")
FILES = {
    "claude-code": (".claude/settings.json", ".mcp.json"),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json"),
}
USER_FILES = FILES | {"claude-code": (".claude/settings.json", ".claude.json")}
SETTINGS = """{
\t// what I like
\t"model": "opus",
\t"hooks": {
\t\t"Stop": [
\t\t\t{"hooks": [{"type": "command", "command": "say done"}]}, /* keep */
\t\t],
\t},
}
"""
TOML = """# my settings
model = "gpt-5.2-codex"

[mcp_servers.other]
command = "other"  # not ours
"""


def run(command: str, agent: str, *options: str, folder: Path) -> dict[str, Any]:
    done = commands.run(
        [str(PROGRAM), command, agent, *options, "--json"],
        cwd=folder,
        text=True,
        env={**os.environ, "HOME": str(folder / "home")},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path


@pytest.fixture
def settled(folder: Path) -> dict[str, bytes]:
    """A project whose agents are set up already, each in its own manner."""
    written = {
        ".claude/settings.json": SETTINGS,
        ".mcp.json": '{"mcpServers": {"other": {"command": "other"}}}',
        ".codex/hooks.json": '{"hooks": {}}\r\n',
        ".codex/config.toml": TOML,
        ".cursor/hooks.json": '{\n    "version": 1,\n    "hooks": {"stop": [{"command": "./audit.sh"}]}\n}',
        ".cursor/mcp.json": "",
    }
    for name, text in written.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return everything(folder)


@pytest.mark.parametrize("agent", AGENTS)
def test_twice_is_once_and_undone_is_as_before(agent: str, folder: Path, settled: dict[str, bytes]):
    run("install", agent, folder=folder)
    once = everything(folder)
    again = run("install", agent, folder=folder)
    assert everything(folder) == once
    assert {item["status"] for item in again["files"]} == {"unchanged"}

    undone = run("uninstall", agent, folder=folder)

    assert everything(folder) == settled
    assert {item["status"] for item in undone["files"]} == {"restored"}


@pytest.mark.parametrize("where", ["--project", "--user"])
@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_made_is_gone_again(agent: str, where: str, folder: Path):
    run("install", agent, where, folder=folder)
    base, files = (folder, FILES) if where == "--project" else (folder / "home", USER_FILES)
    for name in files[agent]:
        assert (base / name).is_file()
    assert any(b"longmind" in text for text in everything(folder).values())

    run("uninstall", agent, where, folder=folder)

    assert [path.name for path in folder.rglob("*")] == ["home"]


def test_the_hooks_are_added_to_those_there_are(folder: Path, settled: dict[str, bytes]):
    run("install", "claude-code", "--hooks", folder=folder)

    text = (folder / ".claude/settings.json").read_text()
    for line in SETTINGS.splitlines()[:6]:
        assert line in text
    assert text.count(" hook Stop --agent claude-code") == 1
    assert (folder / ".mcp.json").read_bytes() == settled[".mcp.json"]


def test_servers_are_added_to_those_there_are(folder: Path, settled: dict[str, bytes]):
    for agent in AGENTS:
        run("install", agent, "--mcp", "--store", "notes.mind", folder=folder)

    servers = json.loads((folder / ".mcp.json").read_text())["mcpServers"]
    assert servers["other"] == {"command": "other"}
    assert servers["longmind"]["args"] == ["mcp", "--store", "notes.mind"]
    table = tomllib.loads((folder / ".codex/config.toml").read_text())["mcp_servers"]
    approved = {tool: {"approval_mode": "approve"} for tool in READ_ONLY_TOOLS}
    assert table["longmind"] == servers["longmind"] | {"tools": approved}
    assert (folder / ".codex/config.toml").read_text().startswith(TOML)
    assert (folder / ".claude/settings.json").read_bytes() == settled[".claude/settings.json"]


def test_a_second_install_with_other_options_replaces_the_first(folder: Path, settled: dict[str, bytes]):
    for agent in AGENTS:
        run("install", agent, folder=folder)
        run("install", agent, "--space", "team", "--begin", folder=folder)

    for name, text in everything(folder).items():
        if not name.endswith("-backup") and not name.startswith(".longmind/"):
            assert text.count(b"hook Stop ") <= 1, name
            assert b"team" in text, name
    for agent in AGENTS:
        run("uninstall", agent, folder=folder)
    assert everything(folder) == settled


def test_a_file_that_was_edited_since_loses_only_our_entries(folder: Path, settled: dict[str, bytes]):
    edits = {
        "claude-code": (".claude/settings.json", '"model": "opus"', '"model": "sonnet"'),
        "codex": (".codex/config.toml", "gpt-5.2-codex", "gpt-6"),
        "cursor": (".cursor/hooks.json", "./audit.sh", "./other.sh"),
    }
    for agent, (name, old, new) in edits.items():
        run("install", agent, folder=folder)
        path = folder / name
        path.write_text(path.read_text().replace(old, new))

        done = run("uninstall", agent, folder=folder)

        [note] = [item["note"] for item in done["files"] if item["path"].endswith(name)]
        assert "changed since" in note
        left = path.read_text()
        assert new in left
        assert "longmind" not in left
    assert json.loads((folder / ".cursor/hooks.json").read_text())["hooks"] == {
        "stop": [{"command": "./other.sh"}]
    }
    assert not [name for name in everything(folder) if name.endswith("-backup")]


def test_a_dry_run_writes_nothing(folder: Path, settled: dict[str, bytes]):
    for agent in AGENTS:
        done = run("install", agent, "--dry-run", folder=folder)
        assert {item["status"] for item in done["files"]} == {"changed"}
    assert everything(folder) == settled


@pytest.mark.parametrize("text", ['{"hooks": ', '{"hooks": []}', "[]", '{"hooks": {"Stop": "x"}}', "\xff"])
def test_settings_that_cannot_be_read_are_left_alone(text: str, folder: Path):
    path = folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))

    done = commands.run([str(PROGRAM), "install", "claude-code"], cwd=folder, text=True)

    assert done.returncode == 2
    assert "settings.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_bytes() == text.encode("latin-1")


def test_the_installed_command_is_the_one_that_answers(folder: Path):
    run("install", "claude-code", "--begin", folder=folder)
    hooks = json.loads((folder / ".claude/settings.json").read_text())["hooks"]
    [command] = [entry["hooks"][0]["command"] for entry in hooks["SessionStart"]]

    done = subprocess.run(
        command, shell=True, cwd=folder, input=json.dumps({"cwd": str(folder)}), text=True, check=False
    )

    assert done.returncode == 0
    assert (folder / ".longmind" / "memory.mind").is_file()


NEW_AGENTS = {
    "claude-desktop": ("home/.config/Claude/claude_desktop_config.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "windsurf": ("home/.codeium/windsurf/mcp_config.json", "mcpServers"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="desktop settings are elsewhere on other systems")
def test_agents_without_hooks_get_the_server_and_a_memory_and_lose_both_again(folder: Path):
    for agent, (name, key) in NEW_AGENTS.items():
        done = run("install", agent, folder=folder)
        server = json.loads((folder / name).read_text())[key]["longmind"]
        assert Path(server["command"]).is_absolute() or server["command"] == "longmind"
        memory = Path(done["memory"]["path"])
        assert (folder / memory).is_file()
        assert memory.is_absolute() == (agent in ("claude-desktop", "windsurf"))
        if memory.is_absolute():
            assert server["args"] == ["mcp", "--store", str(memory)]
        assert {item["status"] for item in run("install", agent, folder=folder)["files"]} == {"unchanged"}
    for agent in NEW_AGENTS:
        run("uninstall", agent, folder=folder)
    run("uninstall", "claude-desktop", "--delete-memory", folder=folder)
    assert [path.name for path in folder.rglob("*") if path.is_file()] == []


@pytest.mark.skipif(sys.platform != "linux", reason="desktop settings are elsewhere on other systems")
def test_a_memory_that_two_applications_share_stays_until_both_are_gone(folder: Path):
    shared = folder / "home/.longmind/memory.mind"
    for agent in ("claude-desktop", "windsurf"):
        run("install", agent, folder=folder)
    run("uninstall", "windsurf", folder=folder)
    assert shared.is_file()
    run("uninstall", "claude-desktop", folder=folder)
    assert not shared.exists()


def test_a_repository_ignores_the_memory_until_the_last_agent_is_gone(folder: Path):
    (folder / ".git").mkdir()
    (folder / ".gitignore").write_bytes(b"*.pyc")
    before = everything(folder)
    run("install", "claude-code", folder=folder)
    run("install", "codex", folder=folder)
    rules = (folder / ".gitignore").read_text()
    assert rules.startswith("*.pyc\n")
    assert ".longmind/\n" in rules
    allowed = json.loads((folder / ".claude/settings.json").read_text())["permissions"]["allow"]
    assert "mcp__longmind__search" in allowed
    assert not any("remember" in rule or "forget" in rule for rule in allowed)

    run("uninstall", "claude-code", folder=folder)
    assert ".longmind/" in (folder / ".gitignore").read_text()
    run("uninstall", "codex", folder=folder)
    assert everything(folder) == before


def test_a_memory_with_content_stays_unless_its_deletion_is_asked_for(folder: Path):
    run("install", "cursor", folder=folder)
    with Memory.open(folder / ".longmind/memory.mind", embedder=None) as memory:
        memory.remember("Keep this.")
    assert run("uninstall", "cursor", folder=folder)["memory"]["removed"] is False
    assert (folder / ".longmind/memory.mind").is_file()
    run("uninstall", "cursor", "--delete-memory", folder=folder)
    assert not (folder / ".longmind").exists()


def test_the_doctor_has_a_line_for_each_agent(folder: Path):
    run("install", "claude-code", folder=folder)
    hooks = json.loads((folder / ".claude/settings.json").read_text())["hooks"]
    command = hooks["SessionStart"][0]["hooks"][0]["command"]
    payload = json.dumps({"cwd": str(folder), "session_id": "one"})
    subprocess.run(command, shell=True, cwd=folder, input=payload, text=True, check=True)
    environment = {**os.environ, "HOME": str(folder / "home")}
    doctor = [str(PROGRAM), "doctor", "--json"]

    def line() -> dict[str, Any]:
        done = commands.run(doctor, cwd=folder, text=True, env=environment)
        [agent] = [item for item in json.loads(done.stdout)["findings"] if item["about"].startswith("agent")]
        return agent

    fine = line()
    assert (fine["about"], fine["state"]) == ("agent claude-code", "ok")
    for part in (
        "hooks present",
        "server listed",
        "command found",
        "memory found",
        "last event SessionStart",
    ):
        assert part in fine["says"]
    text = (folder / ".mcp.json").read_text()
    program = json.loads(text)["mcpServers"]["longmind"]["command"]
    (folder / ".mcp.json").write_text(text.replace(program, "/nowhere/longmind"))
    broken = line()
    assert broken["state"] == "wrong"
    assert "command not found: /nowhere/longmind" in broken["says"]
    assert broken["mend"] == "longmind install claude-code"
