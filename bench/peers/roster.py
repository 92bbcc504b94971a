"""The systems we are measured beside, and how to run one in its own interpreter."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = re.compile(r"(?:/[\w.@+-]+)+/")
VARIABLE = "LONGMIND_BENCH_PEERS"
"""The environment may name the peers' interpreter."""

_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "False",
    "MEMVID_TELEMETRY": "0",
    "OPENAI_API_KEY": "unused",
    "TRANSFORMERS_OFFLINE": "1",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """A module in this folder; `package` is what its interpreter must have, None for what ours has anyway."""

    name: str
    module: str
    package: str | None
    label: str
    environment: Mapping[str, str] = field(default_factory=dict)


ROSTER = (
    Peer("fts5", "fts5", None, "SQLite FTS5"),
    Peer("exact", "exact", None, "vectors alone (numpy, exact)"),
    Peer("lancedb", "lance", "lancedb", "LanceDB hybrid"),
    Peer("txtai", "txt", "txtai", "txtai hybrid"),
    Peer("chromadb", "chroma", "chromadb", "Chroma"),
    Peer("qdrant", "qdrant", "qdrant_client", "Qdrant, local"),
    Peer("mem0", "mem", "mem0", "mem0, infer=False"),
    # memvid asks for much of what glibc keeps for libraries; LanceDB falls over when it is there.
    Peer(
        "memvid",
        "video",
        "memvid_sdk",
        "memvid",
        {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=4000000"},
    ),
    Peer("langgraph", "graph", "langgraph", "LangGraph store"),
)


def interpreter(python: str | None) -> str:
    """The one that has the peers: as told, as the environment says, or the one that runs."""
    path = shutil.which(python or os.environ.get(VARIABLE) or sys.executable)
    if path is None:
        raise SystemExit(f"There is no interpreter {python or os.environ[VARIABLE]}.")
    return str(Path(path).absolute())  # not resolved: a link out of an environment would leave it


def installed(peer: Peer, python: str | None) -> bool:
    """Whether the peers' interpreter has it."""
    if peer.package is None:
        return True
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({peer.package!r}) is None)"
    return subprocess.run([interpreter(python), "-c", look], check=False).returncode == 0


def ask(
    peer: Peer,
    folder: Path,
    *,
    python: str | None,
    limit: int = 10,
    timeout: float = 3600,
    again: bool = True,
) -> dict[str, Any]:
    """Run a peer on an exchange folder; its report, or {"failed": why}."""
    output = folder / f"{peer.name}.json"
    if output.is_file() and not again:
        answered: dict[str, Any] = json.loads(output.read_text("utf-8"))
        return answered
    output.unlink(missing_ok=True)
    chosen = sys.executable if peer.package is None else interpreter(python)
    command = [chosen, "-m", f"bench.peers.{peer.module}", str(folder), str(output)]
    try:
        done = subprocess.run(
            [*command, "--limit", str(limit)],
            cwd=ROOT,
            env={**os.environ, **_QUIET, **peer.environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {timeout:.0f} seconds"}
    if done.returncode or not output.is_file():
        last = done.stderr.strip().splitlines() or [f"ended with {done.returncode} and no message"]
        return {"failed": _FOLDERS.sub("", last[-1])[:300]}
    report: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return report
