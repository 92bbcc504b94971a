"""Results on disk: JSON in which a new measurement replaces the old one of the same name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def read(path: Path) -> dict[str, Any]:
    """What was kept, or nothing."""
    results: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return results


def keep(path: Path, key: str, results: Mapping[str, Any]) -> None:
    """Put these under `key`, each with its own machine and date, and leave the others as they are."""
    merged = {**read(path).get(key, {}), **results}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({key: merged}, indent=1, ensure_ascii=False) + "\n", "utf-8")
