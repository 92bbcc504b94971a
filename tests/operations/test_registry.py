"""Every operation says what its faces need to know, and nothing of Python is missing among them."""

from __future__ import annotations

import json
import types
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from jsonschema import Draft202012Validator
from typer.main import get_command

from longmind import Memory
from longmind.base.errors import NotFound
from longmind.cli.app import build
from longmind.conversation.memories import Memories
from longmind.conversation.turns import Conversation
from longmind.experience.interface import Experience
from longmind.facts.ledger import Ledger
from longmind.operations import registry, schema
from longmind.operations.operation import Operation
from longmind.spaces.registry import Spaces
from longmind.spaces.space import ProjectSpace

ALL = {operation.name: operation for operation in registry.operations()}
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
JSON_TYPES = (str, int, float, bool, dict, list, type(None), Any)

OTHERWISE: dict[type, dict[str, str]] = {
    Memory: {"import_": "import"},
    Ledger: {
        "upsert_entity": "facts.entity",
        "add_alias": "facts.alias",
        "define_predicate": "facts.predicate",
    },
    Conversation: {"add_turn": "turns.add", "add_turns": "turns.add_many"},
    Memories: {},
    Experience: dict.fromkeys(
        ("problem", "solution", "failed_tactic", "fact", "preference", "change"), "experience.record"
    ),
    Spaces: {"import_": "space.import"},
    ProjectSpace: {
        "remember_structured": "space.remember",
        "recall_context": "space.recall",
        "list": "space.objects",
    },
}
"""What is called otherwise among the operations."""

GROUP = {
    Memory: "",
    Ledger: "facts.",
    Conversation: "turns.",
    Memories: "memories.",
    Experience: "experience.",
    Spaces: "space.",
    ProjectSpace: "space.",
}

APART = {
    "Memory.open": "is how a face gets its memory",
    "Memory.restore": "replaces a store that nobody has open; the command line has it",
    "Memory.encrypt": "changes a store that nobody has open, and takes a key; the command line has it",
    "Memory.rekey": "changes a store that nobody has open, and takes a key; the command line has it",
    "Memory.decrypt": "changes a store that nobody has open, and takes a key; the command line has it",
    "Memory.close": "is what a face does in the end",
    "Memory.session": "is a context manager; each operation is one already",
    "Memory.flush": "is done by closing",
    "Memory.revision": "is in stats",
    "Memory.embedder": "is told by longmind doctor",
    "Memory.readers": "takes readers written in Python",
    "Memory.wait_for_change": "waits inside a process; others ask for stats",
    "Memory.audit": "is audit.list",
    "Memory.audit_head": "is audit.head",
    "Memory.audit_check": "is audit.check",
    "Memory.watch": "goes on until it is stopped: longmind ingest --watch",
    "Memory.conversation": "is a handle: turns.*",
    "Memory.facts": "is a handle: facts.*",
    "Memory.memories": "is a handle: memories.*",
    "Memory.experience": "is a handle: experience.*",
    "Memory.snapshots": "is a handle: snapshot.*",
    "Memory.space": "is a handle: space.*",
    "Memory.spaces": "is a handle: space.*",
    "Memory.golden": "is a handle: golden.*",
    "Memory.media": "is a handle: photos, videos, audio, media.*",
    "Ledger.timeline": "draws facts.history as a picture; the command line draws it with --chart",
    "Memories.conversation": "is a handle: turns.*",
    "Experience.briefing": "is for the lanes of contexts",
    "Spaces.space": "is a handle: space.*",
    "ProjectSpace.replay": "is part of replay, which knows by the receipt what to replay",
    "ProjectSpace.redactor": "gives an object that works on texts in this process",
    "Conversation.add_messages": "is part of add, which reads the forms of chats first",
    "Conversation.said": "is part of add, which compares what was sent with what is there",
    "Conversation.find_keys": "is part of add, which compares what was sent with what is there",
}
"""What is no operation, and why."""


@pytest.mark.parametrize("operation", ALL.values(), ids=str)
def test_an_operation_describes_itself_and_its_arguments(operation: Operation):
    assert operation.summary.endswith(".")
    for item in operation.parameters:
        assert item.help, item.name
        assert _is_json(item.type), item.name


@pytest.mark.parametrize("operation", ALL.values(), ids=str)
def test_an_example_fits_the_signature(operation: Operation):
    names = {item.name for item in operation.parameters}
    required = {item.name for item in operation.parameters if item.required}

    assert set(operation.example) <= names
    assert not operation.example or required <= set(operation.example)
    assert json.loads(json.dumps(operation.example)) == operation.example


@pytest.mark.parametrize("operation", ALL.values(), ids=str)
def test_the_schema_of_an_answer_is_that_of_an_object(operation: Operation):
    found = schema.answer_schema(operation)

    Draft202012Validator.check_schema(found)
    assert found["type"] == "object"


def test_names_are_their_own_and_lead_to_their_operation():
    assert len(ALL) == sum(1 for _ in registry.operations())
    assert all(registry.find(name) is operation for name, operation in ALL.items())
    assert set(registry.HELP) == set(registry.GROUPS) - {""}
    for wrong in ("facts.nonsense", "nonsense.record", "nonsense", "facts"):
        with pytest.raises(NotFound):
            registry.find(wrong)


def test_agents_get_eight_tools_by_default():
    assert {name for name, operation in ALL.items() if operation.tool} == DEFAULT_TOOLS


def test_what_takes_something_away_says_so():
    taking = ("forget", "erase", "delete", "retract", "gc")
    assert all(
        operation.effect == "destroy" for name, operation in ALL.items() if name.rpartition(".")[2] in taking
    )


@pytest.mark.parametrize("home", OTHERWISE, ids=lambda home: home.__name__)
def test_everything_public_in_python_is_an_operation_or_has_a_reason(home: type):
    missing = []
    for name in dir(home):
        if name.startswith("_") or f"{home.__name__}.{name}" in APART:
            continue
        if OTHERWISE[home].get(name, GROUP[home] + name) not in ALL:
            missing.append(name)
    assert missing == []


def test_no_reason_is_left_for_what_is_gone():
    homes = {home.__name__: home for home in OTHERWISE}
    gone = [name for name in APART if not hasattr(homes[name.partition(".")[0]], name.partition(".")[2])]
    assert gone == []


def test_every_operation_has_its_command():
    commands: set[str] = set()

    def walk(command: Any, path: str) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, f"{path} {name}".strip())
        commands.add(path)

    walk(get_command(build()), "")
    wanted = {name.replace(".", " ").replace("_", "-") for name in ALL}
    assert wanted - commands == set()


def _is_json(hint: Any) -> bool:
    """Whether JSON can say values of this type."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return all(_is_json(part) for part in get_args(hint))
    if origin is Literal:
        return all(isinstance(part, str) for part in get_args(hint))
    if origin is list:
        return _is_json(get_args(hint)[0])
    return (origin or hint) in JSON_TYPES
