"""The call of a coding agent's hook: the event in its JSON, and the answer in its format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from longmind.base.errors import InvalidInput

Agent = Literal["claude-code", "codex", "cursor"]
Action = Literal["start", "prompt", "save"]
"""What a hook does: give context at the start or for a prompt, or save what was said."""

EVENTS: Final[Mapping[str, Mapping[str, Action]]] = {
    "claude-code": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "save",
        "PreCompact": "save",
        "SessionEnd": "save",
    },
    "codex": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "save",
        "PreCompact": "save",
        "SessionEnd": "save",
    },
    "cursor": {"sessionStart": "start", "beforeSubmitPrompt": "save", "afterAgentResponse": "save"},
}
"""The events of each agent under its own names, and what to do at them."""

MOST_CHARACTERS: Final = 9_000
"""Claude Code shows a model only the beginning of a text above ten thousand characters."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message; `key` identifies it within its session, so that it is stored once."""

    key: str
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook, whichever agent it comes from."""

    agent: str
    name: str
    action: Action
    session: str
    folder: Path
    prompt: str = ""
    source: str = ""
    """Why a session starts: startup, resume, clear or compact."""
    transcript: Path | None = None
    turns: tuple[Turn, ...] = ()
    """The messages that the call itself carries; the others are in the transcript."""


def read_event(name: str, payload: Mapping[str, Any], *, agent: str | None, folder: Path) -> Event:
    """The event from the agent's JSON; `folder` is where the hook runs, if the agent names none."""
    agent = agent or ("cursor" if "conversation_id" in payload else "claude-code")
    if agent not in EVENTS:
        raise InvalidInput(f"There is no agent {agent!r}.", hint=f"There are {', '.join(EVENTS)}.")
    events = {_folded(event): event for event in EVENTS[agent]}
    event = events.get(_folded(name))
    if event is None:
        raise InvalidInput(
            f"{agent} has no hook {name!r} here.", hint=f"There are {', '.join(EVENTS[agent])}."
        )
    cwd = _text(payload, "cwd") or next(iter(_texts(payload.get("workspace_roots"))), "")
    transcript = _text(payload, "transcript_path")
    return Event(
        agent=agent,
        name=event,
        action=EVENTS[agent][event],
        session=_text(payload, "session_id") or _text(payload, "conversation_id"),
        folder=Path(cwd) if cwd else folder,
        prompt=_text(payload, "prompt"),
        source=_text(payload, "source"),
        transcript=Path(transcript).expanduser() if transcript and agent != "cursor" else None,
        turns=_turns(event, payload),
    )


def answer(event: Event, context: str) -> str:
    """What to print, in the agent's format; empty where it expects nothing."""
    if event.name == "beforeSubmitPrompt":
        return json.dumps({"continue": True})
    if event.action == "save" or not context:
        return ""
    if event.agent == "cursor":
        return json.dumps({"additional_context": context}, ensure_ascii=False)
    inner = {"hookEventName": event.name, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": inner}, ensure_ascii=False)


def _turns(event: str, payload: Mapping[str, Any]) -> tuple[Turn, ...]:
    turn_id = _text(payload, "generation_id") or _text(payload, "turn_id")
    if event == "beforeSubmitPrompt":
        return _turn(turn_id, "user", _text(payload, "prompt"))
    if event == "afterAgentResponse":
        return _turn(turn_id, "assistant", _text(payload, "text"))
    if event == "Stop" and turn_id:
        return _turn(turn_id, "assistant", _text(payload, "last_assistant_message"))
    return ()


def _turn(turn_id: str, role: Literal["user", "assistant"], text: str) -> tuple[Turn, ...]:
    return (Turn(turn_key(turn_id, role, text), role, text),) if text.strip() else ()


def turn_key(turn_id: str, role: str, text: str) -> str:
    """The same for a message in a payload and in a transcript, where both name the agent's turn."""
    from hashlib import sha256

    return f"{turn_id}:{role}:{sha256(text.encode(errors='replace')).hexdigest()[:16]}"


def _folded(name: str) -> str:
    """Agents write session-start, session_start and SessionStart."""
    return name.replace("-", "").replace("_", "").lower()


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
