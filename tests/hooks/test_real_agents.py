"""Claude Code and Codex themselves, from npm, with a model that answers from a script."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from longmind import Memory
from tests.hooks.conftest import PROGRAM, turns
from tests.hooks.model_servers import ANSWER, ModelServer, model_server

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

PACKAGES = {"claude-code": ("@anthropic-ai/claude-code", "claude"), "codex": ("@openai/codex", "codex")}
FOLDER_VARIABLE = "LONGMIND_TEST_AGENTS"
"""A folder in which the packages are, or are to be kept between runs."""


@pytest.fixture(scope="module", params=PACKAGES)
def agent(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The name of an agent, and its program."""
    package, program = PACKAGES[request.param]
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    kept = os.environ.get(FOLDER_VARIABLE)
    folder = Path(kept) if kept else tmp_path_factory.mktemp("agents")
    path = folder / request.param / "node_modules" / ".bin" / program
    if not path.exists():
        (folder / request.param).mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", package]
        done = subprocess.run(
            command, cwd=folder / request.param, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"{package} cannot be installed from npm: {done.stderr.splitlines()[-1:]}")
    return request.param, path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def environment(home: Path, server: ModelServer) -> dict[str, str]:
    home.mkdir(exist_ok=True)
    (home / ".codex").mkdir(exist_ok=True)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LONGMIND_", "ANTHROPIC"))
    }
    return kept | {
        "HOME": str(home),
        "CODEX_HOME": str(home / ".codex"),
        "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}",
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "not a key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "LONGMIND_SERVER": "http://127.0.0.1:9",
    }


def prompt(
    agent: tuple[str, Path], project: Path, variables: dict[str, str], server: ModelServer, text: str
) -> str:
    """One session of the agent with one prompt; returns what it printed."""
    name, program = agent
    if name == "claude-code":
        command = [str(program), "-p", text]
    else:
        settings = Path(variables["CODEX_HOME"]) / "config.toml"
        settings.write_text(
            'model = "scripted"\nmodel_provider = "scripted"\n'
            f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{server.url}/v1"\n'
            'wire_api = "responses"\n'
            f'[projects."{project}"]\ntrust_level = "trusted"\n',
            encoding="utf-8",
        )
        command = [str(program), "exec", "--dangerously-bypass-hook-trust", text]
    done = subprocess.run(
        command,
        cwd=project,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_said_in_one_session_reaches_the_model_in_the_next(
    agent: tuple[str, Path], project: Path, tmp_path: Path
) -> None:
    with model_server() as server:
        variables = environment(tmp_path / "home", server)
        for command in (["init"], ["install", agent[0]]):
            subprocess.run([PROGRAM, *command], cwd=project, env=variables, check=True, capture_output=True)

        assert ANSWER in prompt(
            agent, project, variables, server, "Orders go through the zebra outbox table."
        )
        with Memory.open(project / ".longmind" / "memory.mind", embedder=None) as memory:
            assert turns(memory) == [
                ("user", "Orders go through the zebra outbox table."),
                ("assistant", ANSWER),
            ]
        before = len(server.requests)
        prompt(agent, project, variables, server, "Which table do orders go through?")

        sent = json.dumps(server.requests[before:])
        assert "<longmind" in sent
        assert "zebra outbox table" in sent
    log = project / ".longmind" / "hook.log"
    assert not log.exists(), log.read_text(encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, "uninstall", agent[0]], cwd=project, env=variables, check=True, capture_output=True
    )
    assert done.returncode == 0
    assert sorted(path.name for path in project.iterdir()) == [".git", ".longmind"]
