"""Every integration with the framework's real package, in an environment of its own."""

from __future__ import annotations

import sys

import pytest

from tests.integrations.environments import REFERENCE_VERSION, ROOT, VERSIONS, check_tests_pass

SMALL = {
    "openai-agents": "test_openai_agents.py",
    "anthropic": "test_anthropic.py",
    "pydantic-ai": "test_pydantic_ai.py",
    "agent-framework": "test_agent_framework.py",
    "autogen": "test_autogen.py",
}
LARGE = {
    "langgraph": "test_langgraph.py",
    "llama-index": "test_llama_index.py",
    "crewai": "test_crewai.py",
    "google-adk": "test_google_adk.py",
    "haystack": "test_haystack.py",
    "smolagents": "test_smolagents.py",
    "agno": "test_agno.py",
    "strands": "test_strands.py",
    "dspy": "test_dspy.py",
    "semantic-kernel": "test_semantic_kernel.py",
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_framework_gets_a_memory(name: str) -> None:
    check_tests_pass(name, SMALL[name])


@pytest.mark.soak
@pytest.mark.parametrize("name", LARGE)
def test_a_large_framework_gets_a_memory(name: str) -> None:
    check_tests_pass(name, LARGE[name])


@pytest.mark.soak
def test_the_official_openai_client_works_through_the_proxy() -> None:
    check_tests_pass("openai-agents", "test_openai_client.py")


def test_the_table_of_frameworks_names_the_versions_that_are_tested() -> None:
    lines = (ROOT / "docs" / "integrations.md").read_text("utf-8").splitlines()
    versions = {line.split("|")[2].strip() for line in lines if line.startswith("|")}
    tested = {name: requirements[0].partition("==")[2] for name, requirements in VERSIONS.items()}
    del tested["mem0"]  # read by an importer
    others = {VERSIONS["langgraph"][1].partition("==")[2], REFERENCE_VERSION, "openai 3.49.0"}
    assert versions - {"tested with", "---", ""} == {*tested.values(), *others}
    assert "openai==3.49.0" in VERSIONS["openai-agents"]
    assert {*SMALL, *LARGE, "mem0"} == VERSIONS.keys()


def test_no_framework_is_imported_with_longmind() -> None:
    import subprocess

    program = (
        "import sys, longmind, longmind.integrations.core, longmind.integrations.tools\n"
        "wrong = {'langgraph', 'langchain', 'agents', 'anthropic', 'pydantic_ai', 'crewai', 'haystack'}\n"
        "print(sorted(wrong & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "module",
    [
        "agent_framework",
        "anthropic",
        "autogen",
        "crewai",
        "google_adk",
        "haystack",
        "langchain",
        "langgraph",
        "llama_index",
        "openai_agents",
        "pydantic_ai",
    ],
)
def test_a_framework_that_is_missing_says_what_to_install(module: str) -> None:
    import importlib

    from longmind import MissingExtra

    try:
        importlib.import_module(f"longmind.integrations.{module}")
    except MissingExtra as error:
        assert "pip install 'longmind[" in str(error)  # noqa: PT017 - it may also be installed here
