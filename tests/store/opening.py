"""How the tests of the store open a memory: without what costs time and is tested elsewhere."""

from __future__ import annotations

import os
from typing import Any

from longmind import Memory

PLAIN: dict[str, Any] = {"embedder": None, "extractor": None, "surrogates": False}

KEY_VARIABLE = "LONGMIND_TEST_KEY"
"""With it set, the same tests run on encrypted files: see test_encryption_build.py."""


def key_option(location: Any = "file") -> dict[str, Any]:
    """The key that a file is opened with, as an option; none for what is not a file."""
    key = os.environ.get(KEY_VARIABLE)
    is_file = str(location) != ":memory:" and "://" not in str(location)
    return {"key": key} if key and is_file else {}


def open_memory(location: Any, **options: Any) -> Memory:
    return Memory.open(location, **{**PLAIN, **key_option(location), **options})
