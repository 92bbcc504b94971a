"""How the tests of search open a memory: small vectors without a model, and nothing beside the indexes."""

from __future__ import annotations

from typing import Any

from longmind import Memory


def open_memory(location: Any, **options: Any) -> Memory:
    return Memory.open(location, **{"embedder": "hash:32", "extractor": None, "surrogates": False, **options})
