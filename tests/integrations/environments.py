"""Environments of other frameworks for the tests: built once, by hand or by `make soak`.

    python -m tests.integrations.environments          builds what is missing
    LONGMIND_FRAMEWORKS=/folder                        where they are

Each framework has its own: two of them rarely agree on the versions of what they need.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("LONGMIND_FRAMEWORKS") or ROOT / ".frameworks")
REFERENCE_SERVER = "@modelcontextprotocol/server-memory"
REFERENCE_VERSION = "2026.8.31"
VERSIONS = {
    "langgraph": [
        "langgraph==1.2.20",
        "langchain==1.4.7",
        "langgraph-checkpoint-sqlite==3.1.2",
        "langgraph-checkpoint-postgres==3.2.0",
        "psycopg[binary]",
        "langchain-tests==1.1.9",
        "pytest-asyncio",
    ],
    "openai-agents": ["openai-agents==0.24.0", "openai==3.49.0"],
    "anthropic": ["anthropic==2.8.0"],
    "llama-index": ["llama-index-core==0.14.25"],
    "crewai": ["crewai==1.15.30"],
    "pydantic-ai": ["pydantic-ai-slim==2.66.0"],
    "google-adk": ["google-adk==2.13.0"],
    "autogen": ["autogen-core==0.7.5", "autogen-agentchat==0.7.5", "autogen-ext==0.7.5"],
    "agent-framework": ["agent-framework-core==1.23.0"],
    "haystack": ["haystack-ai==3.4.0"],
    "smolagents": ["smolagents==1.26.0"],
    "agno": ["agno==3.1.10"],
    "strands": ["strands-agents==1.62.0"],
    "dspy": ["dspy==3.4.1"],
    "semantic-kernel": ["semantic-kernel==1.45.0"],
    "mem0": ["mem0ai==2.2.1"],
}
"""What the integrations are tested with."""


def python_of(name: str) -> str:
    """The interpreter of an environment; the test is skipped where it was not built."""
    folder = FOLDER / name
    if not _is_built(name):
        pytest.skip(
            f"the packages of {name} are not there; run: python -m tests.integrations.environments {name}"
        )
    return str(folder / "bin" / "python")


def _is_built(name: str) -> bool:
    """Whether it has the versions named above: an environment of older ones would test something else."""
    built = FOLDER / name / ".ok"
    return built.exists() and built.read_text("utf-8").split("\n") == VERSIONS[name]


def reference_server() -> list[str]:
    """The command of the reference MCP memory server."""
    script = FOLDER / "npm" / "node_modules" / REFERENCE_SERVER / "dist" / "index.js"
    node = shutil.which("node")
    if node is None or not script.exists():
        pytest.skip(
            "the reference memory server is not there; run: python -m tests.integrations.environments npm"
        )
    return [node, str(script)]


def run_in(
    name: str, *words: str, timeout: float = 600, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in an environment, with this checkout of Longmind and nothing that reports home."""
    quiet = {"MEM0_TELEMETRY": "False", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true",
             "HAYSTACK_TELEMETRY_ENABLED": "False", "CREWAI_TRACING_ENABLED": "false"}  # fmt: skip
    return subprocess.run(
        [python_of(name), *words],
        cwd=ROOT,
        env={**os.environ, **quiet, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def check_tests_pass(name: str, module: str) -> None:
    """Run a module of tests in an environment, and fail with what it says."""
    settings = ["addopts=", "filterwarnings=default", "asyncio_mode=auto"]
    options = ["-q", "-x", "-p", "no:cacheprovider", *(word for it in settings for word in ("-o", it))]
    folder = "tests/integrations/frameworks"
    done = run_in(name, "-m", "pytest", *options, f"--confcutdir={folder}", f"{folder}/{module}")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def build(name: str) -> None:
    if name == "npm":
        (FOLDER / "npm").mkdir(parents=True, exist_ok=True)
        package = f"{REFERENCE_SERVER}@{REFERENCE_VERSION}"
        subprocess.run(["npm", "install", "--silent", package], cwd=FOLDER / "npm", check=True)
        return
    folder = FOLDER / name
    if _is_built(name):
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    packages = [*project["dependencies"], "pytest", "pytest-timeout", *VERSIONS[name]]
    subprocess.run([str(folder / "bin" / "pip"), "install", "-q", *packages], check=True)
    (folder / ".ok").write_text("\n".join(VERSIONS[name]), "utf-8")


if __name__ == "__main__":
    for environment in sys.argv[1:] or [*VERSIONS, "npm"]:
        print(f"== {environment}", flush=True)
        try:
            build(environment)
        except (OSError, subprocess.CalledProcessError) as error:
            print(
                f"NOTE: {environment} could not be built ({error}); its tests are skipped.", file=sys.stderr
            )
