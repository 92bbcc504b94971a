"""A chat's own list of messages, as OpenAI and Anthropic write them, taken in as turns of a conversation.

Chat clients send the whole list again with every message. A turn is therefore named by everything that was
said before it: what is there already is known again, a message that was edited begins a branch of its own,
and of a list that lost its beginning only what is new is written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.checks import canonical_json, check_label, check_text, optional_label
from longmind.base.errors import InvalidInput
from longmind.base.hashing import encode_fields
from longmind.conversation.turns import Conversation
from longmind.conversation.values import Extracted

_INSTRUCTIONS: Final = ("system", "developer")
_RESULTS: Final = ("tool", "function")
_SPOKEN: Final = ("text", "input_text", "output_text", "refusal")
_LEAST_OVERLAP: Final = 2
"""Messages that must agree before the rest of a shortened list is taken to follow on what is there."""
_CHAIN_KEY: Final = re.compile(r"chat:([0-9a-f]{64})")
_LOOKED_BACK: Final = 1000


@dataclass(frozen=True, slots=True)
class ChatReport:
    """What became of a chat's messages."""

    session: str
    space: str
    user: str | None
    turns: tuple[int, ...]
    """The turns of the list in order, by their frames: those that are new and those that were there."""
    added: int
    """How many of them are new."""
    learned: tuple[Extracted, ...]
    """What the new ones told, and what became of it."""
    extractor: str
    """Who read them."""
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    """What was left out, such as images and instructions."""


@dataclass(slots=True)
class ChatTurn:
    """One thing that was said or done in a message."""

    role: str
    text: str
    speaker: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    """Given where the message has an id of its own."""

    def digest(self) -> bytes:
        return encode_fields((self.role, self.speaker, self.text, self.key))


def add_messages(
    conversation: Conversation,
    messages: Iterable[Mapping[str, Any]],
    *,
    extract: bool,
    expires_at: int | None = None,
) -> ChatReport:
    """Write the turns of a list that are not there yet."""
    left_out: Counter[str] = Counter()
    turns = list(turns_of(messages, left_out))
    keys = _keys(conversation, turns)
    fields = [
        {
            "role": turn.role,
            "text": turn.text,
            "speaker": turn.speaker,
            "metadata": turn.metadata,
            "idempotency_key": key,
            "expires_at": expires_at,
        }
        for turn, key in zip(turns, keys, strict=True)
    ]
    reports = conversation.add_messages(fields, extract=extract)
    new = [report for report in reports if report.created]
    return ChatReport(
        session=conversation.session,
        space=conversation.space,
        user=conversation.user,
        turns=tuple(report.turn_id for report in reports),
        added=len(new),
        learned=tuple(item for report in new for item in report.extracted),
        extractor=next((report.extractor for report in new if report.extractor != "none"), "none"),
        warnings=tuple(dict.fromkeys(warning for report in new for warning in report.warnings)),
        notes=tuple(f"{count} of {what} left out" for what, count in sorted(left_out.items())),
    )


# Which of them are there


def _keys(conversation: Conversation, turns: Sequence[ChatTurn]) -> list[str]:
    """A name for each turn: its message's own id, or a hash over it and all before it."""
    start = hashlib.sha256(encode_fields(("chat", conversation.session))).digest()
    keys = _chain(start, turns)
    if not turns or conversation.find_keys(keys[:1]):
        return keys
    # None of a list's beginning is there: it may be a list whose beginning was cut off.
    earlier = conversation.said(_LOOKED_BACK)
    heard = [(turn.role, turn.text) for turn in turns]
    for length in range(min(len(earlier), len(heard)), _LEAST_OVERLAP - 1, -1):
        tail = earlier[-length:]
        if [(role, text) for role, text, _ in tail] == heard[:length] and all(key for *_, key in tail):
            known_keys = [str(key) for *_, key in tail]
            return [*known_keys, *_chain(_state(known_keys[-1], start), turns[length:])]
    return keys


def _chain(state: bytes, turns: Sequence[ChatTurn]) -> list[str]:
    keys = []
    for turn in turns:
        state = hashlib.sha256(state + turn.digest()).digest()
        keys.append(f"chat:{state.hex()}" if turn.key is None else turn.key)
    return keys


def _state(key: str, start: bytes) -> bytes:
    # A turn that was added by itself may have any key, also one that only begins like ours.
    match = _CHAIN_KEY.fullmatch(key)
    return bytes.fromhex(match[1]) if match else start


# What a message says


def turns_of(messages: Iterable[Mapping[str, Any]], left_out: Counter[str]) -> Iterator[ChatTurn]:
    """What was said and done in messages, as OpenAI or Anthropic write them; counts what is left out."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidInput(
            "messages must be a list of messages.", hint='Give [{"role": "user", "content": "…"}].'
        )
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Mapping):
            raise InvalidInput(
                f"Message {number} is not a mapping with role and content.",
                hint="Write it as {'role': 'user', 'content': 'Hello'}.",
            )
        turns = list(_of_message(message, number, left_out))
        for turn in turns:
            check_text(turn.text, f"message {number}")
            optional_label(turn.speaker, f"the name in message {number}")
        yield from _named(message, turns, number)


def _named(message: Mapping[str, Any], turns: list[ChatTurn], number: int) -> list[ChatTurn]:
    """With the message's own id, where it has one."""
    name = message.get("id")
    if isinstance(name, str) and name.strip():
        for index, turn in enumerate(turns):
            turn.key = check_label(f"message:{name}:{index}", f"the id of message {number}")
    return turns


def _of_message(message: Mapping[str, Any], number: int, left_out: Counter[str]) -> Iterator[ChatTurn]:
    role = message.get("role")
    role = role if isinstance(role, str) else repr(role)[:40]
    if role in _INSTRUCTIONS:
        left_out["the instructions to the model (system, developer)"] += 1
        return
    content = message.get("content")
    if role in _RESULTS:
        text = "\n\n".join(_texts(content, number, left_out))
        yield from _result(text, message.get("tool_call_id") or message.get("name"))
        return
    if role not in ("user", "assistant"):
        raise InvalidInput(
            f"Message {number} has the role {role!r}.",
            hint="Roles are user, assistant, tool, system and developer.",
        )
    speaker = message.get("name")
    texts: list[str] = []
    for part in _parts(content, number):
        kind = part.get("type")
        if kind == "tool_result":
            yield from _spoken(role, texts, speaker)
            texts = []
            text = "\n\n".join(_texts(part.get("content"), number, left_out))
            yield from _result(text, part.get("tool_use_id"))
        elif kind == "tool_use":
            yield from _spoken(role, texts, speaker)
            texts = []
            yield _call(part.get("name"), part.get("input"), part.get("id"))
        else:
            texts += _text_of(part, number, left_out)
    yield from _spoken(role, texts, speaker)
    yield from _calls(message, number)


def _parts(content: Any, number: int) -> list[Mapping[str, Any]]:
    """The content as a list of parts, however it is written."""
    if content is None:
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list | tuple) and all(isinstance(part, str | Mapping) for part in content):
        return [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    raise InvalidInput(
        f"The content of message {number} is neither a text nor a list of parts.",
        hint="Write it as the provider does: a string, or [{'type': 'text', 'text': ...}].",
    )


def _texts(content: Any, number: int, left_out: Counter[str]) -> list[str]:
    return [text for part in _parts(content, number) for text in _text_of(part, number, left_out)]


def _text_of(part: Mapping[str, Any], number: int, left_out: Counter[str]) -> list[str]:
    kind = str(part.get("type", "text"))
    if kind in _SPOKEN:
        text = part.get("text", part.get("refusal"))
        if not isinstance(text, str):
            raise InvalidInput(
                f"A part of message {number} has no text.",
                hint="Write it as {'type': 'text', 'text': 'Hello'}.",
            )
        return [text] if text.strip() else []
    left_out[f"the parts that are not text ({kind[:40]})"] += 1
    return []


def _spoken(role: str, texts: Sequence[str], speaker: Any) -> Iterator[ChatTurn]:
    if texts:
        name = speaker if isinstance(speaker, str) and speaker.strip() and role == "user" else None
        yield ChatTurn(role, "\n\n".join(texts), name)


def _result(text: str, name: Any) -> Iterator[ChatTurn]:
    if text.strip():
        yield ChatTurn("tool", text, metadata={"tool_call": str(name)} if name else {})


def _calls(message: Mapping[str, Any], number: int) -> Iterator[ChatTurn]:
    """What an assistant's message calls, as OpenAI writes it; `function_call` is how it once was."""
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple) or not all(isinstance(call, Mapping) for call in calls):
        raise InvalidInput(
            f"tool_calls of message {number} is not a list of calls.",
            hint="Write it as the provider does: [{'id': ..., 'function': {...}}].",
        )
    for call in calls:
        function = call.get("function") or call.get("custom") or call
        if isinstance(function, Mapping):
            yield _call(
                function.get("name"), function.get("arguments", function.get("input")), call.get("id")
            )
    old = message.get("function_call")
    if isinstance(old, Mapping):
        yield _call(old.get("name"), old.get("arguments"), None)


def _call(name: Any, arguments: Any, call_id: Any) -> ChatTurn:
    """A call in words: `get_weather({"city": "Porto"})`."""
    if arguments is None:
        arguments = {}
    canonical_json(
        arguments, "the arguments of a tool call"
    )  # refused if they are not JSON, or nested deeply
    written = (
        arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    )
    about = {"tool": str(name or "tool")} | ({"tool_call": str(call_id)} if call_id else {})
    return ChatTurn("assistant", f"Called {name or 'a tool'}({written})", metadata=about)
