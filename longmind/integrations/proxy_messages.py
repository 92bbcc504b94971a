"""Requests and answers of OpenAI's two interfaces, as far as a memory needs to understand them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from longmind.integrations.core import text_of

_SYSTEM: Final = ("system", "developer")
Json = dict[str, Any]


def with_instructions(request: Mapping[str, Any], kind: str, text: str) -> Json:
    """The request with more instructions; what the client said itself stays in front."""
    if kind == "responses":
        own = request.get("instructions")
        return {**request, "instructions": f"{own}\n\n{text}" if own else text}
    messages = list(request["messages"])
    first = messages[0] if messages and isinstance(messages[0], Mapping) else {}
    content = first.get("content")
    if first.get("role") in _SYSTEM and isinstance(content, str):
        messages[0] = {**first, "content": f"{content}\n\n{text}"}
    elif first.get("role") in _SYSTEM and isinstance(content, list):
        messages[0] = {**first, "content": [*content, {"type": "text", "text": text}]}
    else:
        messages.insert(0, {"role": "system", "content": text})
    return {**request, "messages": messages}


def answer_of(body: bytes, kind: str, *, is_stream: bool) -> list[Json]:
    """What the assistant said and called, as messages."""
    if kind == "responses":
        return _of_response(_completed(body) if is_stream else json.loads(body))
    message = _streamed(body) if is_stream else json.loads(body)["choices"][0]["message"]
    reply = {"role": "assistant", "content": text_of(message.get("content"))}
    calls = message.get("tool_calls") or []
    return [{**reply, "tool_calls": calls}] if reply["content"] or calls else []


def _events(body: bytes) -> Iterator[Json]:
    for line in body.decode("utf-8", "replace").splitlines():
        if line.startswith("data:") and (text := line[5:].strip()) and text != "[DONE]":
            yield json.loads(text)


def _streamed(body: bytes) -> Json:
    """The message that the pieces of a stream make."""
    texts: list[str] = []
    calls: dict[int, Json] = {}
    for event in _events(body):
        for choice in event.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta") or {}
            texts.append(delta.get("content") or "")
            for piece in delta.get("tool_calls") or ():
                call = calls.setdefault(
                    piece.get("index", 0), {"id": None, "function": {"name": "", "arguments": ""}}
                )
                call["id"] = piece.get("id") or call["id"]
                for name in ("name", "arguments"):
                    call["function"][name] += (piece.get("function") or {}).get(name) or ""
    return {"content": "".join(texts), "tool_calls": [calls[index] for index in sorted(calls)]}


def _completed(body: bytes) -> Json:
    for event in _events(body):
        if event.get("type") in ("response.completed", "response.incomplete"):
            response: Json = event["response"]
            return response
    return {"output": []}


def _of_response(response: Mapping[str, Any]) -> list[Json]:
    blocks: list[Json] = []
    for item in response.get("output") or ():
        if item.get("type") == "message":
            text = "".join(text_of(part) for part in item.get("content") or ())
            blocks += [{"role": "assistant", "content": text}] if text else []
        elif item.get("type") == "function_call":
            call = {
                "id": item.get("call_id"),
                "function": {"name": item.get("name"), "arguments": item.get("arguments")},
            }
            blocks.append({"role": "assistant", "content": "", "tool_calls": [call]})
    return blocks
