from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from longmind import __version__
from tests.mcp.conftest import DEFAULT, Agent, begin, over_stdio, said


@pytest.fixture(scope="module")
def agent(folder: Path) -> Iterator[Agent]:
    """One server process for the tests of this module."""
    with begin(folder) as memory:
        memory.remember("Ana prefers trains to planes.", tags=["travel"])
        memory.facts.record("ana", "lives_in", "Porto")
        memory.space("shop").remember_structured(
            {"path": "telemetry/otel", "kind": "decision", "raw": "Telemetry goes through OpenTelemetry."}
        )
    with over_stdio(folder) as connected:
        yield connected


def test_the_server_says_who_it_is(agent: Agent):
    info = agent.client.server_info

    assert (info.name, info.version) == ("longmind", __version__)


def test_a_client_of_the_older_protocol_is_served_too(folder: Path, agent: Agent):
    with over_stdio(folder, mode="legacy") as older:
        assert set(older.tools) == DEFAULT
        assert older.done("search", query="trains")["hits"]


def test_the_default_profile_has_eight_tools_that_say_when_to_use_them(agent: Agent):
    assert set(agent.tools) == DEFAULT
    for tool in agent.tools.values():
        assert "Use it" in (tool.description or "")
        assert len(tool.description or "") < 400
        assert tool.output_schema is not None


def test_annotations_say_what_a_tool_does_to_the_memory(agent: Agent):
    shown = {name: tool.annotations for name, tool in agent.tools.items()}

    assert {name for name, notes in shown.items() if notes and notes.read_only_hint} == {
        "recall",
        "search",
        "facts_about",
        "experience_brief",
    }
    assert [name for name, notes in shown.items() if notes and notes.destructive_hint] == ["forget"]
    assert not any(notes is None or notes.open_world_hint for notes in shown.values())


# Every default tool


def test_what_is_remembered_is_recalled_as_text_and_structure(agent: Agent):
    kept = agent.done("remember", text="The kettle of the third floor is broken.", tags=["office"])
    found = agent.call("recall", query="what is wrong with the kettle?")

    assert kept["created"] == 1
    assert "The kettle of the third floor is broken." in said(found)
    assert said(found).startswith("<longmind id=")
    assert found.structured_content is not None
    assert found.structured_content["text"] in said(found)


def test_a_search_gives_frames_with_written_out_times_and_no_empty_fields(agent: Agent):
    [hit, *_] = agent.done("search", query="trains", limit=1)["hits"]

    assert hit["frame"]["text"] == "Ana prefers trains to planes."
    assert hit["frame"]["occurred_at"].endswith("Z")
    assert "title" not in hit["frame"]


def test_what_is_forgotten_is_not_found_again(agent: Agent):
    [frame] = agent.done("remember", text="The password of the guests is swordfish.")["ids"]

    assert agent.done("forget", frame=frame)["frames"] == [frame]
    assert "swordfish" not in said(agent.call("search", query="guests password"))


def test_a_recorded_fact_is_known_of_its_subject(agent: Agent):
    agent.done("facts_record", subject="ben", predicate="works_at", value="the bakery")

    [hit] = agent.done("facts_about", subject="ben")["facts"]
    assert hit["fact"]["object"] == "the bakery"


def test_recorded_experience_is_in_the_brief(agent: Agent):
    made = agent.done("experience_record", kind="problem", text="The tests hang on macOS.", no_evidence=True)
    brief = agent.call("experience_brief", text="tests hang on macOS")

    assert made
    assert "The tests hang on macOS." in said(brief)


# Refusals


def test_wrong_arguments_are_named(agent: Agent):
    assert "query: it is required" in agent.refused("search")
    assert "quarry: there is no such argument" in agent.refused("search", query="x", quarry="y")
    assert "limit:" in agent.refused("search", query="x", limit="many")
    assert "0" in agent.refused("search", query="x", limit=0)
    assert "not a valid time" in agent.refused("recall", query="x", as_of="yesterday week")


def test_lists_written_as_json_texts_are_taken(agent: Agent):
    assert agent.done("search", query="trains", tags='["travel"]')["hits"]


def test_an_unknown_tool_is_an_error_that_names_the_known_ones(agent: Agent):
    with pytest.raises(MCPError, match=r"There is no tool 'explode'.*recall"):
        agent.call("explode")


# Resources and the prompt


def test_frames_facts_and_bundles_can_be_read(agent: Agent):
    assert agent.read("longmind://frame/1")["text"] == "Ana prefers trains to planes."
    assert agent.read("longmind://fact/1")["fact"]["subject"] == "Ana"  # read from the frame
    assert agent.read("longmind://facts/ana")["facts"]
    bundle = agent.read("longmind://space/shop?topic=telemetry")
    assert [section["path"] for section in bundle["sections"]] == ["telemetry/otel"]


def test_the_newest_frames_and_the_spaces_are_listed(agent: Agent):
    assert {"longmind://frame/1", "longmind://space/shop"} <= set(agent.resources())
    shown = agent.portal.call(agent.client.list_resource_templates).resource_templates
    assert {item.name for item in shown} == {"frame", "fact", "facts", "space"}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("longmind://frame/999", "There is no frame 999"),
        ("longmind://frame/x", "'x' is not a valid frame id"),
        ("longmind://space/nowhere", "There is no space 'nowhere'"),
        ("longmind://secret/1", "There is no resource"),
        ("file:///etc/passwd", "There is no resource"),
    ],
)
def test_an_address_without_anything_is_an_error_in_words(agent: Agent, address: str, message: str):
    with pytest.raises(MCPError, match=message):
        agent.read(address)


def test_use_context_is_a_prompt_with_what_the_space_knows(agent: Agent):
    shown = agent.portal.call(agent.client.list_prompts).prompts

    assert [prompt.name for prompt in shown] == ["use_context"]
    text = agent.prompt("use_context", project="shop", topic="telemetry", budget="300")
    assert "Telemetry goes through OpenTelemetry." in text
    assert text.startswith("<longmind id=")
    with pytest.raises(MCPError, match="topic: it is required"):
        agent.prompt("use_context", project="shop")
