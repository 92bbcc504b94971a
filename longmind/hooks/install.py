"""Sets up a coding agent: which of its files get which entries."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from longmind.base.errors import InvalidInput
from longmind.hooks import jsontext, settings
from longmind.hooks.events import EVENTS, Action
from longmind.hooks.settings import Outcome

NAME: Final = "longmind"
Kind = Literal["hooks", "cursor-hooks", "mcp", "mcp-toml"]
_SECONDS: Final[Mapping[Action, int]] = {"start": 10, "prompt": 5, "save": 30}
_CODEX_END_SECONDS: Final = 3
"""Codex allows no more there, and warns at every start of a session if more is asked for."""
_OURS: Final = re.compile(r"\blongmind(?:\.exe)?[\"']?\s+hook\s")
_TABLE: Final = re.compile(r"\n*\[mcp_servers\.longmind\]\n(?:(?!\[)[^\n]*(?:\n|\Z))*")


@dataclass(frozen=True, slots=True)
class Setup:
    """What to set up, for whom, and how the commands begin."""

    agent: str
    user: bool
    hooks: bool
    mcp: bool
    program: str
    store: str | None = None
    space: str | None = None
    begin: bool = False
    whose: str | None = None
    """Whose memory the agent reads and writes; what all share, if it is not given."""

    @property
    def _options(self) -> list[str]:
        store = ["--store", self.store] if self.store else []
        space = ["--space", self.space] if self.space else []
        return [*store, *space, *([] if self.whose is None else ["--user", self.whose])]

    def hook_command(self, event: str) -> str:
        begin = ["--begin"] if self.begin and EVENTS[self.agent][event] == "start" else []
        return shlex.join([self.program, "hook", event, "--agent", self.agent, *self._options, *begin])

    @property
    def server(self) -> dict[str, Any]:
        return {"command": self.program, "args": ["mcp", *self._options]}


def program() -> str:
    """How the command is called: by its name where the shell finds this very one, else by its path."""
    own = Path(sys.executable).with_name(NAME)
    on_path = shutil.which(NAME)
    if on_path and (not own.exists() or Path(on_path).resolve() == own.resolve()):
        return NAME
    return str(own) if own.exists() else NAME


def install(setup: Setup, *, project: Path, home: Path, dry_run: bool) -> tuple[Outcome, ...]:
    """Put the entries into every file that they belong to; doing it twice changes nothing."""
    return tuple(
        settings.install(
            path,
            without=partial(_without, kind=kind),
            with_ours=partial(_with, kind=kind, setup=setup),
            dry_run=dry_run,
        )
        for path, kind in _files(setup, project=project, home=home)
    )


def uninstall(setup: Setup, *, project: Path, home: Path, dry_run: bool) -> tuple[Outcome, ...]:
    """Take the entries out again, the last file first: the first one knows whether we made the folder."""
    files = reversed([*_files(setup, project=project, home=home)])
    return tuple(
        settings.uninstall(path, without=partial(_without, kind=kind), dry_run=dry_run)
        for path, kind in files
    )


def _files(setup: Setup, *, project: Path, home: Path) -> Iterator[tuple[Path, Kind]]:
    base = home if setup.user else project
    if setup.agent == "claude-code":
        if setup.hooks:
            yield base / ".claude" / "settings.json", "hooks"
        if setup.mcp:
            yield (home / ".claude.json" if setup.user else project / ".mcp.json"), "mcp"
    elif setup.agent == "codex":
        if setup.hooks:
            yield base / ".codex" / "hooks.json", "hooks"
        if setup.mcp:
            yield base / ".codex" / "config.toml", "mcp-toml"
    elif setup.agent == "cursor":
        if setup.hooks:
            yield base / ".cursor" / "hooks.json", "cursor-hooks"
        if setup.mcp:
            yield base / ".cursor" / "mcp.json", "mcp"
    else:
        raise InvalidInput(f"There is no agent {setup.agent!r}.", hint=f"There are {', '.join(EVENTS)}.")


def _with(text: str, kind: Kind, setup: Setup) -> str:
    """The text with exactly our entries; the same text if they are there already."""
    if kind == "mcp-toml":
        return _with_table(text, setup)
    if kind == "mcp":
        entry = jsontext.parse(text).at("mcpServers", NAME)
        if entry is not None and entry.plain == setup.server:
            return text
        return jsontext.put(_without(text, kind), ("mcpServers", NAME), setup.server)
    entries = {event: _entry(kind, event, setup) for event in EVENTS[setup.agent]}
    if _entries(text) == {event: [entry] for event, entry in entries.items()}:
        return text
    text = _without(text, kind)
    if kind == "cursor-hooks" and jsontext.parse(text).at("version") is None:
        text = jsontext.put(text, ("version",), 1)
    for event, value in entries.items():
        text = jsontext.add(text, ("hooks", event), value)
    return text


def _entry(kind: Kind, event: str, setup: Setup) -> dict[str, Any]:
    command = setup.hook_command(event)
    if kind == "cursor-hooks":
        return {"command": command}
    seconds = _SECONDS[EVENTS[setup.agent][event]]
    if setup.agent == "codex" and event == "SessionEnd":
        seconds = _CODEX_END_SECONDS
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _entries(text: str) -> dict[str, list[Any]]:
    """Our entries, by event."""
    hooks = jsontext.parse(text).at("hooks")
    entries: dict[str, list[Any]] = {}
    for event, (_, node) in ({} if hooks is None else hooks.members).items():
        ours = [item.plain for item in node.items if _is_ours(item.plain)]
        if ours:
            entries[event] = ours
    return entries


def _without(text: str, kind: Kind) -> str:
    if kind == "mcp-toml":
        return _TABLE.sub("", text, count=1) if _is_our_table(text) else text
    if kind == "mcp":
        return _without_member(text, ("mcpServers",), NAME)
    # One at a time, parsed again each time: a removal moves what follows it.
    while (first := _first_of_ours(text)) is not None:
        event, index = first
        hooks = jsontext.parse(text).at("hooks", event)
        assert hooks is not None
        text = jsontext.remove(text, hooks, index)
        if len(hooks.items) == 1:
            text = _without_member(text, ("hooks",), event)
    return text


def _first_of_ours(text: str) -> tuple[str, int] | None:
    hooks = jsontext.parse(text).at("hooks")
    for event, (_, node) in ({} if hooks is None else hooks.members).items():
        for index, item in enumerate(node.items):
            if _is_ours(item.plain):
                return event, index
    return None


def _without_member(text: str, path: tuple[str, ...], key: str) -> str:
    """Without a member, and without the object that held nothing else."""
    container = jsontext.parse(text).at(*path)
    if container is None or key not in container.members:
        return text
    text = jsontext.remove(text, container, list(container.members).index(key))
    if len(container.members) == 1 and path:
        return _without_member(text, path[:-1], path[-1])
    return text


def _is_ours(entry: Any) -> bool:
    """Whether an entry calls nothing but our hook."""
    if not isinstance(entry, dict):
        return False
    hooks = [entry, *(entry["hooks"] if isinstance(entry.get("hooks"), list) else ())]
    commands = [hook["command"] for hook in hooks if isinstance(hook, dict) and "command" in hook]
    return bool(commands) and all(
        isinstance(command, str) and _OURS.search(command + " ") for command in commands
    )


def _with_table(text: str, setup: Setup) -> str:
    if _table(text) == setup.server:
        return text
    if _table(text) is not None and not _is_our_table(text):
        raise InvalidInput(
            f"There is an entry mcp_servers.{NAME} of another form.", hint="Remove it, then try again."
        )
    base = _without(text, "mcp-toml")
    arguments = ", ".join(_quoted(item) for item in setup.server["args"])
    gap = "" if not base else "\n" if base.endswith("\n") else "\n\n"
    edited = f"{base}{gap}[mcp_servers.{NAME}]\ncommand = {_quoted(setup.program)}\nargs = [{arguments}]\n"
    if _table(edited) != setup.server:
        raise InvalidInput("The entry cannot be added.", hint=f"Add [mcp_servers.{NAME}] by hand.")
    return edited


def _is_our_table(text: str) -> bool:
    server = _table(text)
    return _TABLE.search(text) is not None and isinstance(server, dict) and "mcp" in server.get("args", ())


def _table(text: str) -> Any:
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The TOML cannot be read: {error}.", hint="Fix it, then try again.") from None
    return servers.get(NAME) if isinstance(servers, dict) else None


def _quoted(text: str) -> str:
    """A basic string of TOML, which has the escapes of JSON."""
    return json.dumps(text)
