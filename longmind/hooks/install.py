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

from longmind.base.errors import InvalidInput, LongmindError
from longmind.hooks import jsontext, settings
from longmind.hooks.events import EVENTS, Action
from longmind.hooks.settings import Outcome

NAME: Final = "longmind"
AGENTS: Final = ("claude-code", "codex", "cursor", "claude-desktop", "vscode", "gemini", "windsurf")
HOME_ONLY: Final = ("claude-desktop", "windsurf")
"""Agents whose settings are the user's alone, not a project's."""
READ_ONLY_TOOLS: Final = ("search", "recall", "facts_about", "experience_brief")
"""Tools that agents with a list for it may use without asking each time: they change nothing."""
Kind = Literal["hooks", "cursor-hooks", "mcp", "mcp-servers", "mcp-toml", "gitignore"]
_SERVERS: Final[Mapping[str, str]] = {"mcp": "mcpServers", "mcp-servers": "servers"}
"""Under which name a file of JSON lists the servers."""
_IGNORED: Final = (
    "# Longmind: the memory of this project, and copies of settings\n.longmind/\n*.longmind-backup\n"
)
_ALLOW: Final = ("permissions", "allow")
_ALLOWED: Final = tuple(f"mcp__{NAME}__{tool}" for tool in READ_ONLY_TOOLS)
_APPROVED: Final = {"approval_mode": "approve"}
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

    @property
    def codex_server(self) -> dict[str, Any]:
        """The same for Codex, which keeps with a server which of its tools need no approval."""
        return self.server | {"tools": {tool: dict(_APPROVED) for tool in READ_ONLY_TOOLS}}


def has_hooks(agent: str) -> bool:
    return agent in EVENTS


def program() -> str:
    """How the command is called: by its name if every shell finds this very one, otherwise by its path.

    The folder of a virtual environment is on the path only while it is active, and an agent may start
    elsewhere. A link outside of it, as pipx and uv make, is found by everybody.
    """
    own = Path(sys.executable).with_name(NAME)
    if not own.exists():
        return NAME
    on_path = shutil.which(NAME)
    is_own = on_path is not None and Path(on_path).resolve() == own.resolve()
    is_elsewhere = on_path is not None and Path(on_path).parent != own.parent
    in_environment = sys.prefix != sys.base_prefix
    return NAME if is_own and (is_elsewhere or not in_environment) else str(own)


def is_set_up(project: Path, *, home: Path, home_only: bool = False) -> bool:
    """Whether any agent still has our entries in the settings of this project.

    With `home_only` it is asked of the agents that have no projects, which share a memory in the home folder.
    """
    for agent in AGENTS:
        if (agent in HOME_ONLY) != home_only:
            continue
        setup = Setup(agent, user=home_only, hooks=has_hooks(agent), mcp=True, program=NAME)
        for path, kind in _files(setup, project=project, home=home):
            if kind != "gitignore" and entries_in(path, kind):
                return True
    return False


def entries_in(path: Path, kind: Kind) -> bool:
    """Whether a settings file has entries of ours; one that cannot be read has none that would work."""
    try:
        text = path.read_text(encoding="utf-8")
        return _without(text, kind) != text
    except (OSError, UnicodeDecodeError, LongmindError):
        return False


def files_of(agent: str, *, user: bool, project: Path, home: Path) -> list[tuple[Path, Kind]]:
    """The settings of an agent in which our entries would be."""
    setup = Setup(agent, user=user or agent in HOME_ONLY, hooks=has_hooks(agent), mcp=True, program=NAME)
    return [(path, kind) for path, kind in _files(setup, project=project, home=home) if kind != "gitignore"]


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
    outcomes = []
    rules = None
    for path, kind in reversed([*_files(setup, project=project, home=home)]):
        if kind == "gitignore":
            rules = path
        else:
            outcomes.append(settings.uninstall(path, without=partial(_without, kind=kind), dry_run=dry_run))
    if rules is not None and not is_set_up(project, home=home):  # another agent may still need them
        without = partial(_without, kind="gitignore")
        outcomes.append(settings.uninstall(rules, without=without, dry_run=dry_run))
    return tuple(outcomes)


def _files(setup: Setup, *, project: Path, home: Path) -> Iterator[tuple[Path, Kind]]:
    if setup.agent not in AGENTS:
        raise InvalidInput(f"Unknown agent {setup.agent!r}.", hint=f"Known agents: {', '.join(AGENTS)}.")
    base = home if setup.user else project
    if setup.hooks and setup.agent in _HOOK_FILES:
        folder, name, kind = _HOOK_FILES[setup.agent]
        yield base / folder / name, kind
    if setup.mcp:
        yield _server_file(setup, base=base, home=home)
    if not setup.user and _in_repository(project):
        yield project / ".gitignore", "gitignore"


_HOOK_FILES: Final[Mapping[str, tuple[str, str, Kind]]] = {
    "claude-code": (".claude", "settings.json", "hooks"),
    "codex": (".codex", "hooks.json", "hooks"),
    "cursor": (".cursor", "hooks.json", "cursor-hooks"),
}


def _server_file(setup: Setup, *, base: Path, home: Path) -> tuple[Path, Kind]:
    """Where an agent lists its MCP servers."""
    match setup.agent:
        case "claude-code":
            return (home / ".claude.json" if setup.user else base / ".mcp.json"), "mcp"
        case "codex":
            return base / ".codex" / "config.toml", "mcp-toml"
        case "cursor":
            return base / ".cursor" / "mcp.json", "mcp"
        case "gemini":
            return base / ".gemini" / "settings.json", "mcp"
        case "windsurf":
            return home / ".codeium" / "windsurf" / "mcp_config.json", "mcp"
        case "vscode":
            folder = _applications(home) / "Code" / "User" if setup.user else base / ".vscode"
            return folder / "mcp.json", "mcp-servers"
        case _:
            return _applications(home) / "Claude" / "claude_desktop_config.json", "mcp"


def _applications(home: Path) -> Path:
    """Where desktop applications keep their settings."""
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return home / "AppData" / "Roaming" if sys.platform == "win32" else home / ".config"


def _in_repository(folder: Path) -> bool:
    return any((parent / ".git").exists() for parent in (folder, *folder.parents))


def _with(text: str, kind: Kind, setup: Setup) -> str:
    """The text with exactly our entries; the same text if they are there already."""
    if kind == "gitignore":
        return _with_rules(text)
    if kind == "mcp-toml":
        return _with_table(text, setup)
    if kind in _SERVERS:
        server = setup.server | ({"type": "stdio"} if kind == "mcp-servers" else {})
        entry = jsontext.parse(text).at(_SERVERS[kind], NAME)
        if entry is not None and entry.plain == server:
            return text
        return jsontext.put(_without(text, kind), (_SERVERS[kind], NAME), server)
    entries = {event: _entry(kind, event, setup) for event in EVENTS[setup.agent]}
    allowed = _ALLOWED if setup.agent == "claude-code" and setup.mcp else ()
    if _entries(text) == {event: [entry] for event, entry in entries.items()} and _allowed(text) == allowed:
        return text
    text = _without(text, kind)
    if kind == "cursor-hooks" and jsontext.parse(text).at("version") is None:
        text = jsontext.put(text, ("version",), 1)
    for event, value in entries.items():
        text = jsontext.add(text, ("hooks", event), value)
    for rule in allowed:
        text = jsontext.add(text, _ALLOW, rule)
    return text


def _with_rules(text: str) -> str:
    """The rules of git with ours, unless the lines are there already, ours or the user's."""
    lines = {line.strip().rstrip("/") for line in text.splitlines()}
    if {".longmind", "*.longmind-backup"} <= lines:
        return text
    base = _without(text, "gitignore")
    return base + ("" if not base or base.endswith("\n") else "\n") + _IGNORED


def _allowed(text: str) -> tuple[str, ...]:
    """The rules in a list of permissions that are for our tools."""
    node = jsontext.parse(text).at(*_ALLOW)
    rules = [] if node is None else [item.plain for item in node.items]
    return tuple(rule for rule in rules if isinstance(rule, str) and rule in _ALLOWED)


def _without_allowed(text: str) -> str:
    while (node := jsontext.parse(text).at(*_ALLOW)) is not None:
        index = next((at for at, item in enumerate(node.items) if item.plain in _ALLOWED), None)
        if index is None:
            return text
        text = jsontext.remove(text, node, index)
        if len(node.items) == 1:
            return _without_member(text, _ALLOW[:1], _ALLOW[1])
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
    if kind == "gitignore":
        return text.replace(_IGNORED, "", 1)
    if kind in _SERVERS:
        return _without_member(text, (_SERVERS[kind],), NAME)
    text = _without_allowed(text) if kind == "hooks" else text
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
    if _table(text) == setup.codex_server:
        return text
    if _table(text) is not None and not _is_our_table(text):
        raise InvalidInput(
            f"There is an entry mcp_servers.{NAME} of another form.", hint="Remove it, then try again."
        )
    base = _without(text, "mcp-toml")
    arguments = ", ".join(_quoted(item) for item in setup.server["args"])
    gap = "" if not base else "\n" if base.endswith("\n") else "\n\n"
    tools = ", ".join(f'{tool} = {{ approval_mode = "approve" }}' for tool in READ_ONLY_TOOLS)
    edited = (
        f"{base}{gap}[mcp_servers.{NAME}]\ncommand = {_quoted(setup.program)}\nargs = [{arguments}]\n"
        f"tools = {{ {tools} }}\n"
    )
    if _table(edited) != setup.codex_server:
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
