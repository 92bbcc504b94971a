"""The systems we are measured beside, and how to run one in its own interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=4000000",  # memvid asks for much
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


ROSTER = (
    Peer("fts5", "fts5", None, "SQLite FTS5"),
    Peer("exact", "exact", None, "vectors alone (numpy, exact)"),
    Peer("lancedb", "lance", "lancedb", "LanceDB hybrid"),
    Peer("txtai", "txt", "txtai", "txtai hybrid"),
    Peer("chromadb", "chroma", "chromadb", "Chroma"),
    Peer("qdrant", "qdrant", "qdrant_client", "Qdrant, local"),
    Peer("mem0", "mem", "mem0", "mem0, infer=False"),
    Peer("memvid", "video", "memvid_sdk", "memvid"),
    Peer("langgraph", "graph", "langgraph", "LangGraph store"),
)


def installed(peer: Peer, python: str | None) -> bool:
    """Whether the peers' interpreter has it."""
    if peer.package is None:
        return True
    if python is None:
        return False
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({peer.package!r}) is None)"
    return subprocess.run([python, "-c", look], check=False).returncode == 0


def ask(
    peer: Peer, folder: Path, *, python: str | None, limit: int = 10, timeout: float = 3600
) -> dict[str, Any]:
    """Run a peer on an exchange folder; its report, or {"failed": why}."""
    interpreter = sys.executable if peer.package is None else python
    assert interpreter is not None
    output = folder / f"{peer.name}.json"
    output.unlink(missing_ok=True)
    command = [interpreter, "-m", f"bench.peers.{peer.module}", str(folder), str(output)]
    try:
        done = subprocess.run(
            [*command, "--limit", str(limit)],
            cwd=ROOT,
            env={**os.environ, **_QUIET},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {timeout:.0f} seconds"}
    if done.returncode or not output.is_file():
        last = done.stderr.strip().splitlines() or ["no message"]
        return {"failed": last[-1][:300]}
    report: dict[str, Any] = json.loads(output.read_text("utf-8"))
    return report
