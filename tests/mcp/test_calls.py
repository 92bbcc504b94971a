from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longmind import Memory
from longmind.mcp.lazy_memory import Holder
from longmind.mcp.server import create_server
from longmind.mcp.settings import Settings
from longmind.operations import registry
from tests.mcp.conftest import DEFAULT, Agent, connected, said

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
NAMES = sorted({item.name for operation in registry.operations() for item in operation.parameters})
HARMLESS = sorted(
    "_".join(item.path) for item in registry.operations() if item.name not in ("reindex", "models.install")
)


@contextmanager
def served(location: str, files: Path, **options: Any) -> Iterator[Agent]:
    """A server in this process, behind the official client."""
    holder = Holder(lambda begins: Memory.open(location, embedder="hash", create=True))
    try:
        with connected(create_server(holder, Settings(files=files, **options))) as agent:
            yield agent
    finally:
        holder.close()


def test_every_default_tool_works_on_both_engines(location: str, tmp_path: Path):
    examples = {"_".join(item.path): item.example for item in registry.operations() if item.tool}
    with served(location, tmp_path) as agent:
        assert set(agent.tools) == DEFAULT == set(examples)
        for name in ("remember", "facts_record", "experience_record", *sorted(examples)):
            agent.done(name, **examples[name])


def test_what_an_agent_writes_is_in_the_audit_log_under_its_clients_name(location: str, tmp_path: Path):
    with served(location, tmp_path, profile="full") as agent:
        agent.done("remember", text="Ana lives in Porto.")
        [entry] = agent.done("audit_list", action="remember")["entries"]
        assert entry["face"] == "mcp"
        assert entry["actor"] == "mcp"  # what the official client calls itself where nobody named it
        assert not agent.done("audit_list", space=["other"]).get("entries")
    with served(location, tmp_path) as agent:
        assert "audit_list" not in agent.tools


def test_verify_and_unfinished_erasures_say_all_they_know(location: str, tmp_path: Path):
    with Memory.open(location, embedder=None) as memory:
        memory.remember("Before there were vectors.")
    with served(location, tmp_path, profile="full") as agent:
        assert agent.done("verify")["notes"] == [
            "There are vectors for 0 of 1 frames; `maintain` or `reindex` makes the others."
        ]
        assert not agent.done("unfinished_erasures").get("certificates")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    folder = tmp_path_factory.mktemp("fuzz")
    with served(str(folder / "fuzz.mind"), folder, profile="full", max_tokens=1000) as agent:
        agent.done("remember", text="Something to look at.")
        agent.tools  # noqa: B018 - the client checks answers against the schemas of the list
        yield agent


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(HARMLESS),
    arguments=st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=6), VALUES, max_size=4),
)
def test_whatever_is_sent_is_answered_or_refused_in_words(full: Agent, name: str, arguments: dict[str, Any]):
    found = full.portal.call(full.client.call_tool, name, arguments)

    assert isinstance(found, types.CallToolResult)
    if found.is_error:
        assert "unexpected" not in said(found), said(found)
        assert "Traceback" not in said(found)
        assert said(found).partition(":")[0].replace("_", "").isalpha()


def _arguments(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments under their own names, most of them of the wrong kind."""
    known = [
        item.name for item in registry.find(name.replace("_", ".", 1) if "." in name else name).parameters
    ]
    return st.dictionaries(st.sampled_from(known), VALUES, min_size=1, max_size=5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", ["search", "recall", "remember", "forget", "list", "timeline"])
@given(data=st.data())
def test_arguments_of_the_wrong_kind_are_refused_by_name(full: Agent, name: str, data: st.DataObject):
    arguments = data.draw(_arguments(name))

    found = full.portal.call(full.client.call_tool, name, arguments)

    assert isinstance(found, types.CallToolResult)
    if found.is_error:
        assert "unexpected" not in said(found), said(found)
