"""How the tests of the store open a memory: without what costs time and is tested elsewhere."""

from __future__ import annotations

from typing import Any

from longmind import Memory

PLAIN: dict[str, Any] = {"embedder": None, "extractor": None, "surrogates": False}


def open_memory(location: Any, **options: Any) -> Memory:
    return Memory.open(location, **{**PLAIN, **options})
