"""Edits JSON as text: everything else keeps its bytes, its comments and its order."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.errors import InvalidInput

_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BESIDE: Final = re.compile(r"(?:[ \t]*(?://[^\n]*|/\*.*?\*/))*", re.DOTALL)
"""Comments after a value, on its line."""
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD: Final = re.compile(r"[^\s,\]}/]+")
_MOST_DEPTH: Final = 100


@dataclass(slots=True)
class Node:
    """A value and its span in the text; `members` by key, `items` in order."""

    kind: str
    start: int
    end: int = 0
    value: Any = None
    members: dict[str, tuple[int, Node]] = field(default_factory=dict)
    """Where the key begins, and the value."""
    items: list[Node] = field(default_factory=list)

    def at(self, *path: str) -> Node | None:
        node: Node | None = self
        for key in path:
            node = node.members[key][1] if node is not None and key in node.members else None
        return node

    @property
    def plain(self) -> Any:
        if self.kind == "object":
            return {key: node.plain for key, (_, node) in self.members.items()}
        return [node.plain for node in self.items] if self.kind == "array" else self.value


def parse(text: str) -> Node:
    """The value in a text; comments and trailing commas are allowed, as in the agents' own parsers."""
    if not text.strip("\ufeff \t\r\n"):
        return Node("object", 0, 0)
    reader = _Reader(text)
    node = reader.value(_skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise InvalidInput(f"There is something after the JSON, at character {_skip(text, node.end)}.")
    return node


def add(text: str, path: Sequence[str], item: Any) -> str:
    """Append an item to the list at a path, which is created if it is missing."""
    return _put(text, path, [item], item)


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Set the value at a path that does not exist yet."""
    return _put(text, path, value, None)


def remove(text: str, container: Node, index: int) -> str:
    """Take a member or item out of its container."""
    spans = _spans(container)
    start, end = spans[index]
    if len(spans) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if index + 1 < len(spans):
        return text[:start] + text[spans[index + 1][0] :]
    return text[: spans[index - 1][1]] + text[end:]


def _put(text: str, path: Sequence[str], value: Any, item: Any) -> str:
    if not text.strip("\ufeff \t\r\n"):
        return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    node = parse(text)
    for depth, key in enumerate(path):
        if node.kind != "object":
            raise InvalidInput(f"{'.'.join(path[:depth]) or 'The file'} is not a JSON object.")
        if key not in node.members:
            rest = _nested(path[depth + 1 :], value)
            return _insert(text, node, f"{json.dumps(key)}: ", rest)
        node = node.members[key][1]
    if node.kind != "array":
        raise InvalidInput(f"{'.'.join(path)} is not a list.")
    return _insert(text, node, "", item)


def _insert(text: str, container: Node, head: str, value: Any) -> str:
    unit = _unit(text)
    outer = _indent(text, container.start)
    spans = _spans(container)
    inner = text[container.start + 1 : container.end - 1]
    if spans and "\n" not in inner:
        comma = "" if _comma_after(text, spans[-1][1]) else ", "
        at = _comma_after(text, spans[-1][1]) or spans[-1][1]
        return text[:at] + comma + head + json.dumps(value, ensure_ascii=False) + text[at:]
    indent = _indent(text, spans[0][0]) if spans else outer + unit
    lines = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", "\n" + indent)
    if not spans:
        tail = text[container.end - 1 :]
        return f"{text[: container.start + 1]}\n{indent}{head}{lines}\n{outer}{tail}"
    last = spans[-1][1]
    comma = "" if _comma_after(text, last) else ","
    beside = _BESIDE.match(text, _comma_after(text, last) or last)
    at = beside.end() if beside else last
    return f"{text[:last]}{comma}{text[last:at]}\n{indent}{head}{lines}{text[at:]}"


def _spans(container: Node) -> list[tuple[int, int]]:
    if container.kind == "object":
        return [(start, node.end) for start, node in container.members.values()]
    return [(node.start, node.end) for node in container.items]


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _comma_after(text: str, at: int) -> int:
    """The position after the comma that follows a value; 0 if none does."""
    position = _skip(text, at)
    return position + 1 if text[position : position + 1] == "," else 0


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """The indentation of one level, as the file has it."""
    indented = re.search(r"\n([ \t]+)\S", text)
    return indented[1] if indented else "  "


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, at: int, depth: int) -> Node:
        if depth > _MOST_DEPTH:
            raise InvalidInput("The JSON is nested too deep.")
        text = self._text
        first = text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        token = _STRING.match(text, at) if first == '"' else _WORD.match(text, at)
        try:
            if token is None:
                raise ValueError
            return Node("value", at, token.end(), json.loads(token[0]))
        except ValueError:
            raise self._wrong(at) from None

    def _object(self, at: int, depth: int) -> Node:
        node, position = Node("object", at), _skip(self._text, at + 1)
        while self._text[position : position + 1] != "}":
            key = _STRING.match(self._text, position)
            colon = _skip(self._text, key.end()) if key else position
            if key is None or self._text[colon : colon + 1] != ":":
                raise self._wrong(position)
            member = self.value(_skip(self._text, colon + 1), depth + 1)
            node.members[json.loads(key[0])] = (position, member)
            position = self._next(member.end, "}")
        node.end = position + 1
        return node

    def _array(self, at: int, depth: int) -> Node:
        node, position = Node("array", at), _skip(self._text, at + 1)
        while self._text[position : position + 1] != "]":
            item = self.value(position, depth + 1)
            node.items.append(item)
            position = self._next(item.end, "]")
        node.end = position + 1
        return node

    def _next(self, at: int, close: str) -> int:
        position = _skip(self._text, at)
        mark = self._text[position : position + 1]
        if mark == ",":
            return _skip(self._text, position + 1)
        if mark != close:
            raise self._wrong(position)
        return position

    def _wrong(self, at: int) -> InvalidInput:
        line = self._text.count("\n", 0, at) + 1
        return InvalidInput(f"The JSON cannot be read at line {line}.", hint="Fix it, then try again.")
