"""Where a page looks, and how much of it at once."""

from __future__ import annotations

from typing import Any, Final

from longmind.base.filters import SpaceLike, View
from longmind.base.times import AsOf
from longmind.memory import Memory

MOST: Final = 500
"""Rows that a page may ask for at once."""


def view_of(memory: Memory, space: SpaceLike | None, user: Any, as_of: AsOf) -> View:
    """The view of a request, with the memory's own space and user where none is named."""
    spaces = memory.default_space if space is None else space
    named_user = memory.default_user if user is None else user
    return View.of(spaces, as_of, named_user, now=memory.store.now())
