"""The objects that the tests of spaces share: the documented example, and a small project around it."""

from __future__ import annotations

from typing import Any

FROZEN = "2025-01-01T00:00:00Z"

DECISION: dict[str, Any] = {
    "id": "mem_runtime_decision_001",
    "path": "lexon/runtime/release_checklist",
    "kind": "decision",
    "raw": "Ship RC once structured memory recalls <200ms and MCP supervisor is green.",
    "summary_micro": "RC go/no-go checklist",
    "summary_short": "Decisions and blockers for promoting Lexon v1.0.0-rc.1 to GA.",
    "summary_long": "Context, telemetry targets, and required samples-smoke report for the release.",
    "tags": ["runtime", "release", "checklist"],
    "metadata": {
        "project": "lexon",
        "space": "runtime",
        "source": "docs/runtime_decision.md",
        "hash": "sha256:6be0...",
        "pii_flags": [],
    },
    "relevance": "high",
    "pinned": True,
    "chunks": [
        {"chunk_id": "runtime_decision_001#0", "text": "Context..."},
        {"chunk_id": "runtime_decision_001#1", "text": "Checklist..."},
    ],
    "created_at": "2025-12-01T11:32:00Z",
    "updated_at": "2025-12-01T12:04:00Z",
}

GUIDE: dict[str, Any] = {
    "id": "mem_guide",
    "path": "lexon/docs/telemetry",
    "kind": "guide",
    "raw": "Telemetry spans are written for every recall. Counters follow. Histograms hold latency.",
    "tags": ["telemetry", "runtime"],
    "metadata": {"project": "lexon"},
    "relevance": "medium",
}

CONFIG: dict[str, Any] = {
    "id": "mem_config",
    "path": "lexon/runtime/config",
    "kind": "config",
    "raw": "timeout = 30\nretries = 2",
    "tags": ["config"],
    "relevance": "low",
}
