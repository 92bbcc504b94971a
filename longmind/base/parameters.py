"""Types of arguments that many calls share, with the help that every interface shows for them.

A text in `Annotated` is help; a `Mark` says more about an argument than its type does. Python ignores both.
The interfaces (command line, HTTP, MCP, the reference) read them when they offer a method as an operation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Literal

from longmind.base.filters import UserLike, Where


class Mark(Enum):
    """What an argument is, beyond its type."""

    TEXT = "text"
    """A text that a person may want to pipe in."""
    MOMENT = "moment"
    """A time. JSON writes it as ISO 8601 or unix milliseconds."""
    STAMP = "stamp"
    """A time that Python takes as RFC 3339 text."""
    PAIRS = "pairs"
    """Keys with values, which a person writes as key=value."""
    DURATION = "duration"
    """A length of time: seconds, or a number and a unit."""
    FILE = "file"
    """A path on the machine where the memory is."""
    EMBEDDER = "embedder"
    """An embedder. A request names one; only the process itself gives an address or a folder."""


PathLike = str | os.PathLike[str]
WhereLike = Where | Mapping[str, Any] | None

Limit = Annotated[int, "At most this many."]
FrameId = Annotated[int, "The id of a frame."]
MaybeFrameId = Annotated[int | None, "The id of a frame."]
WriteSpace = Annotated[str | None, "The space to write to; the memory's own if it is not given."]
InSpace = Annotated[str | None, "The space it is in; the memory's own if it is not given."]
User = Annotated[str | None, "Whose it is: an id or address of your own. Without it, all users share it."]
AsUser = Annotated[UserLike, "Who asks: sees their own part too, besides what all users share."]
Tags = Annotated[Iterable[str], "Tags for it."]
Metadata = Annotated[Mapping[str, Any] | None, "Keys with values.", Mark.PAIRS]
NewTags = Annotated[Iterable[str] | None, "All tags it should have from now on."]
NewMetadata = Annotated[Mapping[str, Any] | None, "All metadata it should have from now on.", Mark.PAIRS]
SessionName = Annotated[str, "The conversation, by a name of your own."]
Scope = Annotated[Literal["space", "global"], "Who sees it: its space, or every space."]
Source = Annotated[str, "Who writes: user, agent, tool, import or system."]
IdempotencyKey = Annotated[str | None, "Write once for this key, however often it is tried."]
Budget = Annotated[int, "The most tokens the text may have."]
DryRun = Annotated[bool, "Show what would change without writing anything."]
Now = Annotated[datetime | int, "The moment to compute with; now by default."]
MaybeNow = Annotated[datetime | int | None, "The moment to compute with; now by default."]
