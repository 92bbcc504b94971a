"""Chats of other services: messages as turns, and trees of messages as one conversation with branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.frame import Kind
from longmind.conversation.chats import turns_of
from longmind.importers.records import Item
from longmind.importers.values import kept
from longmind.ingest.report import Skip

BRANCH: Final = "branch"
"""The tag of turns that are not in the conversation as it was last shown: edited or regenerated ones."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: its conversation, when it was written, and what else is known of it."""

    session: str
    title: str | None = None
    occurred_at: int | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict)


def turn_items(message: Mapping[str, Any], message_id: str, context: Place) -> Iterator[Item | Skip]:
    """The turns of one message; what is left out of it is a Skip."""
    left_out: Counter[str] = Counter()
    try:
        turns = list(turns_of([message], left_out))
    except InvalidInput as error:
        yield Skip(f"{context.session}: {message_id}", "unknown_message", error.message)
        return
    for reason in left_out:
        yield Skip(f"{context.session}: {message_id}", "left_out", reason)
    for number, turn in enumerate(turns):
        yield Item(
            id=message_id if number == 0 else f"{message_id}:{number}",
            text=turn.text,
            kind=Kind.TURN,
            title=context.title,
            session=context.session,
            role=turn.role,
            speaker=turn.speaker,
            tags=context.tags,
            occurred_at=context.occurred_at,
            metadata={**context.metadata, **kept(turn.metadata)},
            unknown=context.unknown,
        )


def branches(parents: Mapping[str, str | None], leaf: str | None) -> list[list[str]]:
    """The messages of a tree in order: first those that lead to the leaf, then each branch off them.

    `parents` names the message before each one, in the order in which they were written. Without a leaf the
    newest message is one. Circles and parents that are missing end a branch.
    """
    inner = {parent for parent in parents.values() if parent is not None}
    leaves = [name for name in parents if name not in inner]
    if leaf not in parents:
        leaf = leaves[-1] if leaves else next(reversed(list(parents)), None)
    visited: set[str] = set()
    result: list[list[str]] = []
    for end in dict.fromkeys([leaf, *leaves, *reversed(list(parents))]):
        path: list[str] = []
        name: str | None = end
        while name is not None and name in parents and name not in visited:
            visited.add(name)
            path.append(name)
            name = parents[name]
        if path:
            result.append(path[::-1])
    return result


def branch_places(
    session: str, paths: Sequence[list[str]], make: Callable[[str, str, tuple[str, ...]], None]
) -> None:
    """Call `make` for every message: its id, the session of its branch, and its tags."""
    for number, path in enumerate(paths):
        name = session if number == 0 else f"{session}#{BRANCH}-{number}"
        for message_id in path:
            make(message_id, name, () if number == 0 else (BRANCH,))
