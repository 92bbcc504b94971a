"""One action, defined once: whoever adds an operation finds it in every face and on every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from longmind.cli.app import build
from longmind.operations import registry
from longmind.operations.operation import Operation

ROOT = Path(__file__).resolve().parents[1]
OPERATIONS = list(registry.operations())
DEFAULT_TOOLS = {
    "remember",
    "recall",
    "search",
    "forget",
    "facts.record",
    "facts.about",
    "experience.brief",
    "experience.record",
}


def names(items: list[Operation]) -> list[str]:
    return [item.name for item in items]


def test_operations_have_names_of_their_own() -> None:
    assert len(set(names(OPERATIONS))) == len(OPERATIONS)


def test_every_operation_is_a_command_with_all_its_arguments() -> None:
    top: Any = get_command(build())
    for item in OPERATIONS:
        command = top
        for part in item.path:
            command = command.commands.get(part.replace("_", "-"))
            assert command is not None, f"{item.name} is missing from the command line"
        if item.name in ("copy", "add"):
            continue  # take both stores, and a file of messages, as arguments
        taken = {parameter.name for parameter in command.params}
        for parameter in item.parameters:
            assert parameter.name in taken, f"{item.name} lacks {parameter.name} at the command line"
        assert "as_json" in taken


def test_every_operation_is_a_route() -> None:
    pytest.importorskip("fastapi")
    from longmind import Memory
    from longmind.http.app import create_app
    from longmind.http.routes import route

    with Memory.open(":memory:", embedder=None) as memory:
        paths = create_app(memory).openapi()["paths"]
    for item in OPERATIONS:
        assert "post" in paths.get(route(item), {}), f"{item.name} is missing from HTTP"


def test_every_operation_is_a_tool_and_few_are_given_by_default() -> None:
    pytest.importorskip("mcp")
    from longmind.mcp.tools import OperationTool

    for item in OPERATIONS:
        shown = OperationTool(item, lean=False).shown
        assert set(shown["inputSchema"]["properties"]) == {parameter.name for parameter in item.parameters}
        assert shown["outputSchema"]["type"] == "object", item.name
    assert {item.name for item in OPERATIONS if item.tool} == DEFAULT_TOOLS


def test_every_operation_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for item in OPERATIONS:
        assert f"`{item.name}`" in page, f"{item.name} is missing from docs/operations.md"
        command = " ".join(("longmind", *(part.replace("_", "-") for part in item.path)))
        assert command in commands, f"{command} is missing from docs/commands.md"
