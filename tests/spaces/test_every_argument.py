"""In a space that redacts, no text of any argument of any operation is stored as it was given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longmind import FrozenClock, LongmindError, Memory
from longmind.operations import registry
from longmind.operations.operation import Operation, Parameter
from tests import raw
from tests.conftest import START

SECRET = re.compile(rb"EMP-\d{6}", re.IGNORECASE)
NAMES_OF_WHO_OR_WHERE = {"space", "repo", "user", "to_space"}
"""They say where something is kept and whose it is, not what is kept."""
STORE_WIDE = {"snapshot.create", "save_recipe", "memories.configure"}
"""What they keep belongs to no space, so that no space's rules hold for it."""


def _shapes(secret: str, parameter: Parameter) -> Iterator[Any]:
    """The secret in every form that an argument of this type may take."""
    kind = str(parameter.type)
    if "str" in kind:
        yield secret
    if "list" in kind:
        deep = {"tags": [secret], "metadata": {secret: [secret]}}
        yield [secret]
        yield [{"text": secret, "title": secret, "role": secret, "speaker": secret, "kind": secret, **deep}]
        yield [{"role": "user", "text": secret, "speaker": secret, "idempotency_key": secret}]
        yield [{"role": "user", "content": secret, "name": secret}]
        told = {"subject": secret, "predicate": secret, "value": secret, "qualifiers": {secret: secret}}
        yield [told]
        yield [{"kind": "solution", "text": secret, "why": secret, "evidence": [f"file:{secret}"], **deep}]
        yield [f"file:{secret}"]
    if "dict" in kind or "Mapping" in kind:
        yield {secret: secret}
        yield {"a": {secret: [secret]}}
        yield {"path": secret, "raw": secret, "kind": secret, "tags": [secret], "metadata": {secret: secret}}


def _begin(memory: Memory) -> None:
    """Something of everything, so that the examples find what they name."""
    memory.remember("Ana lives in Porto.")
    memory.remember("Bo lives in Rome.")
    memory.facts.record("Ana", "likes", "tea")
    memory.conversation("s1").add_turn("user", "I like tea, and my name is Ana.")
    memory.memories.remember("The sky is blue")
    memory.golden.add("home?", texts=["Porto"])
    experience = memory.experience
    problem = experience.problem("It fails", evidence="none")
    experience.solution("Restart it", problem=problem.id, evidence="none")
    space = memory.space("ruled")
    for name in ("app/runtime/release_checklist", "two"):
        space.remember_structured({"path": name, "raw": f"About {name}."})


EXAMPLES: dict[str, dict[str, Any]] = {
    "update": {"frame": 1},
    "facts.retract": {"subject": "Ana", "predicate": "likes", "value": "tea"},
    "facts.end": {"subject": "Ana", "predicate": "likes"},
    "experience.record": {"kind": "solution", "text": "Try again", "no_evidence": True},
    "experience.revise": {"record": "exp_2", "text": "Restart it twice", "no_evidence": True},
    "space.link": {"which": "two", "to": "app/runtime/release_checklist"},
    "space.remember": {"object": {"path": "three", "raw": "Three."}},
}


def _calls(operation: Operation, given: dict[bytes, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each argument in turn with a secret of its own, by which a leak is told."""
    names = {item.name for item in operation.parameters}
    home = {name: "ruled" for name in ("space", "repo") if name in names}
    example = {**operation.example, **EXAMPLES.get(operation.name, {}), **home}
    for parameter in operation.parameters:
        if parameter.name in NAMES_OF_WHO_OR_WHERE:
            continue
        secret = f"EMP-{100_000 + len(given)}"
        given[secret.encode()] = f"{operation.name} {parameter.name}"
        for shape in _shapes(secret, parameter):
            changed = {**example, parameter.name: shape}
            if parameter.name == "evidence":
                changed.pop("no_evidence", None)
            yield parameter.name, changed


def test_no_text_of_any_argument_is_stored_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some arguments name files to write
    path = tmp_path / "s.mind"
    given: dict[bytes, str] = {}
    taken: set[tuple[str, str]] = set()
    with Memory.open(path, clock=FrozenClock(START), embedder=None, space="ruled") as memory:
        memory.space("ruled").set_policy({"pii_redaction": ["emails", r"EMP-\d{6}"], "allow_delete": True})
        _begin(memory)
        for operation in registry.operations():
            if operation.effect == "read" or operation.name in STORE_WIDE | {"space.set_policy"}:
                continue
            if any(word in operation.name for word in ("erase", "delete", "forget", "restore", "import")):
                continue  # they remove what the others need, or read files
            for name, inputs in _calls(operation, given):
                try:
                    operation(memory, **inputs)
                    taken.add((operation.name, name))
                except (LongmindError, TypeError):
                    continue  # refused: not a form that this argument takes; the interfaces check types first
    connection = raw.connect(path)
    tables = [
        str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    leaks = {
        (given.get(found.upper(), "?"), table)
        for table in tables
        for row in connection.execute(f"SELECT * FROM {table}").fetchall()
        for column in row
        for found in SECRET.findall(column if isinstance(column, bytes) else str(column).encode())
    }
    connection.close()
    assert not leaks
    assert {("remember", "role"), ("facts.end", "reason"), ("facts.record", "predicate")} <= taken
    assert {("golden.add", "texts"), ("facts.entity", "kind"), ("experience.record", "evidence")} <= taken
    assert len(taken) > 60
