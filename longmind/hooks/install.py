"""Setting a coding agent up: which of its files get which entries."""

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
from longmind.hooks.events import EVENTS, Occasion
from longmind.hooks.settings import Outcome

NAME: Final = "longmind"
Kind = Literal["hooks", "cursor-hooks", "mcp", "mcp-toml"]
_SECONDS: Final[Mapping[Occasion, int]] = {"start": 10, "prompt": 5, "keep": 30}
_OURS: Final = re.compile(r"\blongmind(?:\.exe)?[\"']?\s+hook\s")
_TABLE: Final = re.compile(r"\n*\[mcp_servers\.longmind\]\n(?:(?!\[)[^\n]*(?:\n|\Z))*")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to set up, where, and how the commands begin."""

    agent: str
    user: bool
    hooks: bool
    mcp: bool
    program: str
    store: str | None = None
    space: str | None = None
    begin: bool = False

    @property
    def _place(self) -> list[str]:
        store = ["--store", self.store] if self.store else []
        return [*store, *(["--space", self.space] if self.space else [])]

    def hook_command(self, event: str) -> str:
        begin = ["--begin"] if self.begin and EVENTS[self.agent][event] == "start" else []
        return shlex.join([self.program, "hook", event, "--agent", self.agent, *self._place, *begin])

    @property
    def server(self) -> dict[str, Any]:
        return {"command": self.program, "args": ["mcp", *self._place]}


def program() -> str:
    """How the command is called: by its name where the shell finds this very one, else by its path."""
    own = Path(sys.executable).with_name(NAME)
    found = shutil.which(NAME)
    if found and (not own.exists() or Path(found).resolve() == own.resolve()):
        return NAME
    return str(own) if own.exists() else NAME


def install(wanted: Wanted, *, project: Path, home: Path, dry_run: bool) -> tuple[Outcome, ...]:
    """Put the entries into every file that they belong to; once is enough, and twice is the same."""
    return tuple(
        settings.install(
            path,
            without=partial(_without, kind=kind),
            with_ours=partial(_with, kind=kind, wanted=wanted),
            dry_run=dry_run,
        )
        for path, kind in _files(wanted, project=project, home=home)
    )


def uninstall(wanted: Wanted, *, project: Path, home: Path, dry_run: bool) -> tuple[Outcome, ...]:
    """Take the entries out again, the last file first: the first one knows whether the folder is ours."""
    files = reversed([*_files(wanted, project=project, home=home)])
    return tuple(
        settings.uninstall(path, without=partial(_without, kind=kind), dry_run=dry_run)
        for path, kind in files
    )


def _files(wanted: Wanted, *, project: Path, home: Path) -> Iterator[tuple[Path, Kind]]:
    base = home if wanted.user else project
    if wanted.agent == "claude-code":
        if wanted.hooks:
            yield base / ".claude" / "settings.json", "hooks"
        if wanted.mcp:
            yield (home / ".claude.json" if wanted.user else project / ".mcp.json"), "mcp"
    elif wanted.agent == "codex":
        if wanted.hooks:
            yield base / ".codex" / "hooks.json", "hooks"
        if wanted.mcp:
            yield base / ".codex" / "config.toml", "mcp-toml"
    elif wanted.agent == "cursor":
        if wanted.hooks:
            yield base / ".cursor" / "hooks.json", "cursor-hooks"
        if wanted.mcp:
            yield base / ".cursor" / "mcp.json", "mcp"
    else:
        raise InvalidInput(f"There is no agent {wanted.agent!r}.", hint=f"There are {', '.join(EVENTS)}.")


def _with(text: str, kind: Kind, wanted: Wanted) -> str:
    """The text with exactly our entries; the same text if they are there already."""
    if kind == "mcp-toml":
        return _with_table(text, wanted)
    if kind == "mcp":
        if (
            found := jsontext.parse(text).at("mcpServers", NAME)
        ) is not None and found.plain == wanted.server:
            return text
        return jsontext.put(_without(text, kind), ("mcpServers", NAME), wanted.server)
    entries = {event: _entry(kind, event, wanted) for event in EVENTS[wanted.agent]}
    if _entries(text) == {event: [entry] for event, entry in entries.items()}:
        return text
    made = _without(text, kind)
    if kind == "cursor-hooks" and jsontext.parse(made).at("version") is None:
        made = jsontext.put(made, ("version",), 1)
    for event, entry in entries.items():
        made = jsontext.add(made, ("hooks", event), entry)
    return made


def _entry(kind: Kind, event: str, wanted: Wanted) -> dict[str, Any]:
    command = wanted.hook_command(event)
    if kind == "cursor-hooks":
        return {"command": command}
    seconds = _SECONDS[EVENTS[wanted.agent][event]]
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds}]}


def _entries(text: str) -> dict[str, list[Any]]:
    """Our entries, by event."""
    hooks = jsontext.parse(text).at("hooks")
    found: dict[str, list[Any]] = {}
    for event, (_, node) in ({} if hooks is None else hooks.members).items():
        ours = [item.plain for item in node.items if _is_ours(item.plain)]
        if ours:
            found[event] = ours
    return found


def _without(text: str, kind: Kind) -> str:
    if kind == "mcp-toml":
        return _TABLE.sub("", text, count=1) if _is_our_table(text) else text
    if kind == "mcp":
        return _without_member(text, ("mcpServers",), NAME)
    while (place := _first_of_ours(text)) is not None:
        event, number = place
        hooks = jsontext.parse(text).at("hooks", event)
        assert hooks is not None
        text = jsontext.remove(text, hooks, number)
        if len(hooks.items) == 1:
            text = _without_member(text, ("hooks",), event)
    return text


def _first_of_ours(text: str) -> tuple[str, int] | None:
    hooks = jsontext.parse(text).at("hooks")
    for event, (_, node) in ({} if hooks is None else hooks.members).items():
        for number, item in enumerate(node.items):
            if _is_ours(item.plain):
                return event, number
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
    commands = [entry, *(entry["hooks"] if isinstance(entry.get("hooks"), list) else ())]
    found = [item["command"] for item in commands if isinstance(item, dict) and "command" in item]
    return bool(found) and all(isinstance(item, str) and _OURS.search(item + " ") for item in found)


def _with_table(text: str, wanted: Wanted) -> str:
    if _table(text) == wanted.server:
        return text
    if _table(text) is not None and not _is_our_table(text):
        raise InvalidInput(
            "There is an entry mcp_servers.mind of another form.", hint="Take it out, then try again."
        )
    base = _without(text, "mcp-toml")
    arguments = ", ".join(_quoted(item) for item in wanted.server["args"])
    gap = "" if not base else "\n" if base.endswith("\n") else "\n\n"
    made = f"{base}{gap}[mcp_servers.{NAME}]\ncommand = {_quoted(wanted.program)}\nargs = [{arguments}]\n"
    if _table(made) != wanted.server:
        raise InvalidInput("The entry does not fit in.", hint="Add [mcp_servers.mind] by hand.")
    return made


def _is_our_table(text: str) -> bool:
    found, ours = _TABLE.search(text), _table(text)
    return found is not None and isinstance(ours, dict) and "mcp" in ours.get("args", ())


def _table(text: str) -> Any:
    try:
        servers = tomllib.loads(text).get("mcp_servers", {})
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"The TOML cannot be read: {error}.", hint="Mend it, then try again.") from None
    return servers.get(NAME) if isinstance(servers, dict) else None


def _quoted(text: str) -> str:
    """A basic string of TOML, which escapes as JSON does."""
    return json.dumps(text)
