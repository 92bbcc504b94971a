"""Over MCP too, a memory and its fact are one, and what others say of secrets waits in quarantine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.mcp.conftest import Agent
from tests.mcp.test_calls import served


def asked(agent: Agent, tool: str, **arguments: Any) -> str:
    """The whole answer as JSON: which fields it leaves out while they are empty does not matter here."""
    return json.dumps(agent.done(tool, **arguments))


def test_a_memory_and_its_fact_are_one_over_mcp(tmp_path: Path):
    with served(":memory:", tmp_path, profile="full") as agent:
        agent.done("turns_add", session="s", role="user", text="I live in Porto.")
        assert "Porto" in asked(agent, "facts_about", subject="user")
        agent.done("memories_update", memory_id=1, content="User lives in Lisbon")
        assert "Lisbon" in asked(agent, "facts_about", subject="user")
        agent.done("facts_retract", subject="user", predicate="lives_in")
        assert "Lisbon" not in asked(agent, "memories_list")


def test_quarantine_is_listed_confirmed_and_rejected_over_mcp(tmp_path: Path):
    told = "Globex's password is hunter2. Ana Lima's pin is 4711."
    with served(":memory:", tmp_path, profile="full") as agent:
        agent.done("remember", text=told, speaker="Greg")
        first, second = agent.done("facts_quarantine")["assertions"]
        assert {first["trust"], second["trust"]} == {"low"}
        assert "hunter2" not in asked(agent, "facts_about", subject="Globex")
        agent.done("facts_confirm", assertion=first["id"])
        agent.done("facts_reject", assertion=second["id"])
        assert "password" not in asked(agent, "facts_quarantine")
        assert "hunter2" in asked(agent, "facts_about", subject="Globex")
        assert "4711" not in asked(agent, "facts_about", subject="Ana Lima")
