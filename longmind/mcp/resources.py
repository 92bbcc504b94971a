"""Frames, facts and the bundles of project spaces under addresses that an agent can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from longmind.base.errors import InvalidInput, NotFound
from longmind.mcp.callers import Ask
from longmind.mcp.shapes import Shape
from longmind.operations import registry
from longmind.operations.operation import Operation
from longmind.operations.schema import answer_schema
from longmind.operations.values import plain

if TYPE_CHECKING:
    from longmind.memory import Memory

SCHEME: Final = "longmind"
JSON: Final = "application/json"
_NEWEST: Final = 20
_TITLE: Final = 80

_TEMPLATES: Final = (
    ("frame", "longmind://frame/{id}{?space,user}", "One remembered thing, whole, by its id."),
    ("fact", "longmind://fact/{id}{?space,user}", "One fact by its id: its newest period, with evidence."),
    ("facts", "longmind://facts/{subject}{?space,user}", "What is so of a subject now, with evidence."),
    (
        "space",
        "longmind://space/{name}{?topic,user}",
        "What a project's space holds of a topic, or of everything.",
    ),
)


def templates() -> list[dict[str, Any]]:
    return [
        {"name": name, "uriTemplate": address, "description": says, "mimeType": JSON}
        for name, address, says in _TEMPLATES
    ]


def listed(memory: Memory | None, ask: Ask) -> list[dict[str, Any]]:
    """The spaces with a bundle, and the newest frames of the memory's own space."""
    if memory is None:
        return []
    bundles = [
        {
            "name": f"space {item.name}",
            "uri": f"{SCHEME}://space/{quote(item.name, safe='')}",
            "mimeType": JSON,
        }
        for item in ask(memory, registry.find("space.list"), {})
    ]
    timeline = {"limit": _NEWEST}
    frames = [
        {
            "name": f"frame {frame.id}",
            "uri": f"{SCHEME}://frame/{frame.id}",
            "title": " ".join((frame.title or frame.text[: _TITLE * 4]).split())[:_TITLE],
            "mimeType": JSON,
        }
        for frame in ask(memory, registry.find("timeline"), timeline)
    ]
    return [*bundles, *frames]


def read(memory: Memory, address: str, ask: Ask) -> dict[str, Any]:
    """The resource at an address, as plain values."""
    try:
        parts = urlsplit(address)
        query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    except ValueError:
        raise InvalidInput(
            f"{address[:200]!r} is not a valid address.", hint="List the resources to see theirs."
        ) from None
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme == SCHEME and name:
        if parts.netloc in _OPERATIONS:
            operation, argument = _OPERATIONS[parts.netloc]
            value = name if argument == "subject" else _number(name, argument)
            inputs = {argument: value, "space": [query["space"]] if "space" in query else None}
            return _answer(memory, registry.find(operation), {**inputs, "user": query.get("user")}, ask)
        if parts.netloc == "space":
            return _bundle(memory, name, query, ask)
    addresses = ", ".join(shape for _, shape, _ in _TEMPLATES)
    raise NotFound(f"There is no resource {address[:200]!r}.", hint=f"There are {addresses}.")


_OPERATIONS: Final = {
    "frame": ("get", "frame"),
    "fact": ("facts.get", "fact"),
    "facts": ("facts.about", "subject"),
}
"""The operation that answers, and its argument that the address names."""


def _answer(memory: Memory, action: Operation, inputs: dict[str, Any], ask: Ask) -> dict[str, Any]:
    result = ask(memory, action, inputs)
    shaped: dict[str, Any] = Shape(answer_schema(action), lean=True).written(plain(result))
    return shaped


def _bundle(memory: Memory, name: str, query: Mapping[str, str], ask: Ask) -> dict[str, Any]:
    # A space that is not the caller's own is not in the list, so that both are missing in the same words.
    if name not in {item.name for item in ask(memory, registry.find("space.list"), {})}:
        raise NotFound(f"There is no space {name!r}.", hint="List the resources to see which spaces exist.")
    inputs = {"space": name, "topic": query.get("topic", ""), "limit": 200, "user": query.get("user")}
    bundle: dict[str, Any] = plain(ask(memory, registry.find("space.recall"), inputs))
    return bundle


def _number(text: str, name: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise InvalidInput(f"{text[:80]!r} is not a valid {name} id.", hint="Give a positive whole number.")
    return int(text)
