"""What `longmind doctor` says about the agents that are set up here."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from longmind.base.times import format_ms
from longmind.cli.output import counted
from longmind.hooks import paths
from longmind.hooks.install import AGENTS, HOME_ONLY, entries_in, files_of, has_hooks

_COMMAND = re.compile(r'(?:"command"\s*:|^command\s*=)\s*("(?:[^"\\]|\\.)*")', re.MULTILINE)
"""In JSON and in TOML, which escape strings alike."""


class AgentState(NamedTuple):
    """One agent: what was looked at, whether all of it is well, and what to do if not."""

    agent: str
    fine: bool
    says: str
    mend: str | None


def agents(store: str | None, *, project: Path, home: Path) -> Iterator[AgentState]:
    """A line for each agent that has entries of ours, in this project or for all of them."""
    location = paths.find_store(store, project)
    states = paths.status(location)
    for agent in AGENTS:
        for user in (True,) if agent in HOME_ONLY else (False, True):
            files = files_of(agent, user=user, project=project, home=home)
            present = [(path, kind) for path, kind in files if entries_in(path, kind)]
            if present:
                yield _state(agent, user, files, present, location, states.get(agent, {}))


def _state(
    agent: str,
    user: bool,
    files: Sequence[tuple[Path, str]],
    present: Sequence[tuple[Path, str]],
    location: str,
    status: dict[str, object],
) -> AgentState:
    kinds = {kind for _, kind in present}
    parts = []
    again = f"longmind install {agent}{' --user' if user and agent not in HOME_ONLY else ''}"
    mend = None
    if has_hooks(agent):
        there = bool(kinds & {"hooks", "cursor-hooks"})
        parts.append("hooks present" if there else "no hooks")
    parts.append("server listed" if any(kind.startswith("mcp") for kind in kinds) else "no MCP server")
    programs = sorted({program for path, _ in present for program in _programs(path)})
    lost = [program for program in programs if shutil.which(program) is None]
    parts.append(f"command not found: {lost[0]}" if lost else "command found")
    if agent not in HOME_ONLY:
        parts.append("memory found" if location else "no memory in this folder")
        if not location:
            mend = "longmind init"
    if has_hooks(agent):
        parts.append(_events(status))
    if lost or len(present) < len(files):
        mend = again
    errors = status.get("errors", 0)
    if errors:
        parts.append(f"{errors} errors, the last: {status.get('error', '')}")
    fine = not lost and (bool(location) or agent in HOME_ONLY)
    return AgentState(
        f"{agent}{' (user)' if user and agent not in HOME_ONLY else ''}", fine, "; ".join(parts), mend
    )


def _events(status: dict[str, object]) -> str:
    at = status.get("at")
    if not isinstance(at, int):
        return "no event yet"
    turns = status.get("turns")
    kept = counted(turns if isinstance(turns, int) else 0, "turn")
    return f"last event {status.get('event')} at {format_ms(at)[:16]}Z, {kept} kept"


def _programs(path: Path) -> Iterator[str]:
    """The programs that our entries in a settings file call."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    for match in _COMMAND.finditer(text):
        command = json.loads(match[1])
        if "longmind" in command:
            try:
                yield shlex.split(command)[0] if " hook " in command else command
            except ValueError:
                continue
