"""Tests that run inside the environment of one framework; see environments.py."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from longmind import Memory

_MODULES = {
    "test_agent_framework.py": "agent_framework",
    "test_agno.py": "agno",
    "test_anthropic.py": "anthropic",
    "test_autogen.py": "autogen_core",
    "test_crewai.py": "crewai",
    "test_dspy.py": "dspy",
    "test_google_adk.py": "google.adk",
    "test_haystack.py": "haystack",
    "test_langgraph.py": "langgraph",
    "test_llama_index.py": "llama_index",
    "test_openai_agents.py": "agents",
    "test_openai_client.py": "openai",
    "test_pydantic_ai.py": "pydantic_ai",
    "test_semantic_kernel.py": "semantic_kernel",
    "test_smolagents.py": "smolagents",
    "test_strands.py": "strands",
}


def _is_here(module: str) -> bool:
    parent = module.partition(".")[0]
    return find_spec(parent) is not None and (parent == module or find_spec(module) is not None)


# Each runs in the environment of its framework, which test_frameworks.py starts or says is missing.
collect_ignore = [file for file, module in _MODULES.items() if not _is_here(module)]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "agent.mind", embedder=None) as opened:
        yield opened
