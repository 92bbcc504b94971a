"""The turns of a session from the transcript that the agent writes: one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from longmind.base.json_text import parse_json
from longmind.base.recall_marks import without_echo
from longmind.base.store_files import open_user_file
from longmind.hooks.events import Turn, turn_key

MOST_BYTES: Final = 32 * 1024 * 1024
"""Of a longer stretch only the end is read, to bound the time and memory of a hook."""
_ROLES: Final = ("user", "assistant")
_NOT_SAID: Final = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isApiErrorMessage",
    "isVisibleInTranscriptOnly",
)
_CODEX_ROLES: Final[Mapping[str, Literal["user", "assistant"]]] = {
    "UserMessage": "user",
    "AgentMessage": "assistant",
    "user_message": "user",
    "agent_message": "assistant",
}
_ADDED = re.compile(r"<(system-reminder|environment_context|user_instructions)>.*?</\1>", re.DOTALL)
_COMMAND = re.compile(r"\s*(?:<(?:command-|local-command-|bash-)|\[Request interrupted|Caveat: The messages)")


def read_turns(path: Path, since: int = 0) -> tuple[list[Turn], int]:
    """The turns in the complete lines from byte `since` on, and where those lines end."""
    with open_user_file(path) as file:
        size = file.seek(0, 2)
        start = since if 0 <= since <= size else 0
        start = max(start, size - MOST_BYTES)
        file.seek(start)
        content = file.read(MOST_BYTES)
    end = content.rfind(b"\n") + 1
    turns, position = [], start
    for line in content[:end].splitlines(keepends=True):
        turn = _turn(line, position)
        position += len(line)
        if turn is not None:
            turns.append(turn)
    return turns, start + end


def _turn(line: bytes, position: int) -> Turn | None:
    try:
        entry = parse_json(line)
    except ValueError:
        return None
    if not isinstance(entry, dict):
        return None
    parse = _codex if isinstance(entry.get("payload"), dict) else _claude
    message = parse(entry, position)
    if message is None:
        return None
    key, role, content = message
    text = without_echo(_ADDED.sub("", content))[0].strip()
    return Turn(key, role, text) if text and not _COMMAND.match(text) else None


def _claude(entry: Mapping[str, Any], position: int) -> tuple[str, Literal["user", "assistant"], str] | None:
    message, role = entry.get("message"), entry.get("type")
    if role not in _ROLES or not isinstance(message, dict) or any(entry.get(name) for name in _NOT_SAID):
        return None
    return str(entry.get("uuid") or position), role, "\n\n".join(_texts(message.get("content")))


def _codex(entry: Mapping[str, Any], position: int) -> tuple[str, Literal["user", "assistant"], str] | None:
    """From what people saw; what the model saw is logged too, but with instructions and context mixed in."""
    payload = entry["payload"]
    if entry.get("type") != "event_msg":
        return None
    item = payload.get("item")
    if payload.get("type") == "item_completed" and isinstance(item, dict):
        role = _CODEX_ROLES.get(str(item.get("type")))
        text = "\n\n".join(_texts(item.get("content")))
        return None if role is None else (turn_key(str(payload.get("turn_id")), role, text), role, text)
    # Earlier versions have a line of its own for each message.
    role, message = _CODEX_ROLES.get(str(payload.get("type"))), payload.get("message")
    return None if role is None or not isinstance(message, str) else (str(position), role, message)


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, dict) or not isinstance(part.get("text"), str):
            continue
        if str(part.get("type")).lower() == "text":
            yield part["text"]
