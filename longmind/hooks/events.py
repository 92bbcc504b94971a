"""What a coding agent says when it calls a hook, and how it wants to be answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from longmind.base.errors import InvalidInput

Agent = Literal["claude-code", "codex", "cursor"]
Occasion = Literal["start", "prompt", "keep"]

EVENTS: Final[Mapping[str, Mapping[str, Occasion]]] = {
    "claude-code": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "keep",
        "PreCompact": "keep",
        "SessionEnd": "keep",
    },
    "codex": {
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "keep",
        "PreCompact": "keep",
    },
    "cursor": {"sessionStart": "start", "beforeSubmitPrompt": "keep", "afterAgentResponse": "keep"},
}
"""By agent, the events under its own names, and what there is to do."""

MOST_CHARACTERS: Final = 9_000
"""Claude Code shows a model only the beginning of what is longer than ten thousand."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said; `key` tells it from all others of its session."""

    key: str
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a hook, whichever agent it comes from."""

    agent: str
    name: str
    occasion: Occasion
    session: str
    folder: Path
    prompt: str = ""
    source: str = ""
    """Why a session starts: startup, resume, clear or compact."""
    transcript: Path | None = None
    said: tuple[Turn, ...] = ()
    """What the call itself tells of what was said."""


def read_event(name: str, payload: Mapping[str, Any], *, agent: str | None, folder: Path) -> Event:
    """The event from the agent's JSON; `folder` is where the hook runs, if the agent names none."""
    whose = agent or ("cursor" if "conversation_id" in payload else "claude-code")
    if whose not in EVENTS:
        raise InvalidInput(f"There is no agent {whose!r}.", hint=f"There are {', '.join(EVENTS)}.")
    known = {_plain(event): event for event in EVENTS[whose]}
    event = known.get(_plain(name))
    if event is None:
        raise InvalidInput(
            f"{whose} has no hook {name!r} here.", hint=f"There are {', '.join(EVENTS[whose])}."
        )
    where = _text(payload, "cwd") or next(iter(_texts(payload.get("workspace_roots"))), "")
    transcript = _text(payload, "transcript_path")
    return Event(
        agent=whose,
        name=event,
        occasion=EVENTS[whose][event],
        session=_text(payload, "session_id") or _text(payload, "conversation_id"),
        folder=Path(where) if where else folder,
        prompt=_text(payload, "prompt"),
        source=_text(payload, "source"),
        transcript=Path(transcript).expanduser() if transcript and whose != "cursor" else None,
        said=_said(event, payload),
    )


def answer(event: Event, context: str) -> str:
    """What to print, in the agent's format; empty where it expects nothing."""
    if event.name == "beforeSubmitPrompt":
        return json.dumps({"continue": True})
    if event.occasion == "keep" or not context:
        return ""
    if event.agent == "cursor":
        return json.dumps({"additional_context": context}, ensure_ascii=False)
    inner = {"hookEventName": event.name, "additionalContext": context}
    return json.dumps({"hookSpecificOutput": inner}, ensure_ascii=False)


def _said(event: str, payload: Mapping[str, Any]) -> tuple[Turn, ...]:
    number = _text(payload, "generation_id") or _text(payload, "turn_id")
    if event == "beforeSubmitPrompt":
        return _turns(number, "user", _text(payload, "prompt"))
    if event == "afterAgentResponse":
        return _turns(number, "assistant", _text(payload, "text"))
    if event == "Stop" and number:
        return _turns(number, "assistant", _text(payload, "last_assistant_message"))
    return ()


def _turns(number: str, role: Literal["user", "assistant"], text: str) -> tuple[Turn, ...]:
    from hashlib import sha256

    if not text.strip():
        return ()
    return (Turn(f"{number}:{role}:{sha256(text.encode(errors='replace')).hexdigest()[:16]}", role, text),)


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def _text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
