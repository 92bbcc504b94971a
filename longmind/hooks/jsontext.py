"""Editing JSON as text: what is not touched keeps its bytes, its comments and its order."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.errors import InvalidInput

_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BESIDE: Final = re.compile(r"(?:[ \t]*(?://[^\n]*|/\*.*?\*/))*", re.DOTALL)
"""Comments that stand after a value in its line."""
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD: Final = re.compile(r"[^\s,\]}/]+")
_MOST_DEPTH: Final = 100


@dataclass(slots=True)
class Node:
    """A value and where it stands; `members` by key, `items` in order."""

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
    """The value in a text; comments and commas at the end are let pass, as editors do."""
    if not text.strip("\ufeff \t\r\n"):
        return Node("object", 0, 0)
    reader = _Reader(text)
    node = reader.value(_skip(text, 0), 0)
    if _skip(text, node.end) != len(text):
        raise InvalidInput(f"There is something after the JSON, at character {_skip(text, node.end)}.")
    return node


def add(text: str, path: Sequence[str], item: Any) -> str:
    """Put an item at the end of the list at a path, which is made if it is not there."""
    return _put(text, path, [item], item)


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Set the value at a path that is not there yet."""
    return _put(text, path, value, None)


def remove(text: str, container: Node, place: int) -> str:
    """Take the member or item at a place out of its container."""
    spans = _spans(container)
    start, end = spans[place]
    if len(spans) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if place + 1 < len(spans):
        return text[:start] + text[spans[place + 1][0] :]
    return text[: spans[place - 1][1]] + text[end:]


def _put(text: str, path: Sequence[str], value: Any, item: Any) -> str:
    if not text.strip("\ufeff \t\r\n"):
        return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    node = parse(text)
    for place, key in enumerate(path):
        if node.kind != "object":
            raise InvalidInput(f"{'.'.join(path[:place]) or 'The file'} is no JSON object.")
        if key not in node.members:
            rest = _nested(path[place + 1 :], value)
            return _insert(text, node, f"{json.dumps(key)}: ", rest)
        node = node.members[key][1]
    if node.kind != "array":
        raise InvalidInput(f"{'.'.join(path)} is no list.")
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
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _comma_after(text: str, at: int) -> int:
    """Just behind the comma that follows a value; 0 if none does."""
    place = _skip(text, at)
    return place + 1 if text[place : place + 1] == "," else 0


def _indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


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
        found = _STRING.match(text, at) if first == '"' else _WORD.match(text, at)
        try:
            if found is None:
                raise ValueError
            return Node("value", at, found.end(), json.loads(found[0]))
        except ValueError:
            raise self._wrong(at) from None

    def _object(self, at: int, depth: int) -> Node:
        node, place = Node("object", at), _skip(self._text, at + 1)
        while self._text[place : place + 1] != "}":
            key = _STRING.match(self._text, place)
            colon = _skip(self._text, key.end()) if key else place
            if key is None or self._text[colon : colon + 1] != ":":
                raise self._wrong(place)
            member = self.value(_skip(self._text, colon + 1), depth + 1)
            node.members[json.loads(key[0])] = (place, member)
            place = self._next(member.end, "}")
        node.end = place + 1
        return node

    def _array(self, at: int, depth: int) -> Node:
        node, place = Node("array", at), _skip(self._text, at + 1)
        while self._text[place : place + 1] != "]":
            item = self.value(place, depth + 1)
            node.items.append(item)
            place = self._next(item.end, "]")
        node.end = place + 1
        return node

    def _next(self, at: int, close: str) -> int:
        place = _skip(self._text, at)
        mark = self._text[place : place + 1]
        if mark == ",":
            return _skip(self._text, place + 1)
        if mark != close:
            raise self._wrong(place)
        return place

    def _wrong(self, at: int) -> InvalidInput:
        line = self._text.count("\n", 0, at) + 1
        return InvalidInput(f"The JSON cannot be read at line {line}.", hint="Mend it, then try again.")
