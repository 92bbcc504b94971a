"""Operations on frames: keep, read, list, change, retire, remove."""

from __future__ import annotations

from typing import Annotated, Any, Final

from longmind.base.errors import InvalidInput
from longmind.base.expiry import ExpiresAt, Ttl
from longmind.base.filters import SpaceLike
from longmind.base.frame import Frame
from longmind.base.parameters import AsUser, FrameId, NewMetadata, NewTags
from longmind.memory import Memory
from longmind.operations.operation import Operation

_FRAME: Final = {"frame_id": "frame"}


def _update(
    memory: Memory,
    frame: FrameId,
    *,
    tags: NewTags = None,
    metadata: NewMetadata = None,
    expires_at: ExpiresAt = None,
    ttl: Ttl = None,
    keep: Annotated[bool, "Let it stay for good: it no longer expires."] = False,
    space: SpaceLike | None = None,
    user: AsUser = None,
) -> Frame:
    """Set a frame's tags or metadata, or when it expires; labels of before stay visible as of before."""
    if keep and (expires_at is not None or ttl is not None):
        raise InvalidInput("It expires or it stays, not both.", hint="Leave out keep, or the moment.")
    changes: dict[str, Any] = {
        "tags": tags,
        "metadata": metadata,
        "expires_at": expires_at,
        "ttl": ttl,
    }
    changed = {name: value for name, value in changes.items() if value is not None}
    if keep:
        changed["expires_at"] = None
    if not changed:
        raise InvalidInput("There is nothing to change.", hint="Give tags, metadata, ttl or keep.")
    return memory.update(frame, **changed, space=space, user=user)


OPERATIONS: Final = (
    Operation(
        "remember",
        Memory.remember,
        effect="write",
        begins=True,
        repeatable=True,
        tool=True,
        example={"text": "Ana prefers trains to planes.", "tags": ["travel"]},
    ),
    Operation(
        "remember_many",
        Memory.remember_many,
        effect="write",
        begins=True,
        repeatable=True,
        example={"items": [{"text": "Ana moved to Porto."}, {"text": "The build takes four minutes."}]},
    ),
    Operation(
        "add",
        Memory.add,
        effect="write",
        begins=True,
        repeatable=True,
        example={
            "messages": [{"role": "user", "content": "I moved to Porto."}],
            "session": "s1",
            "user": "ana",
        },
    ),
    Operation(
        "ingest",
        Memory.ingest,
        effect="write",
        begins=True,
        repeatable=True,
        lasting=True,
        example={"text": "# Notes\n\nOne.\n"},
        rename={"source": "path"},
        without=("session", "occurred_at", "chunk_tokens", "chunk_overlap"),
        opposites={"ignore": ("all_files", "Also what .gitignore ignores.")},
    ),
    Operation("get", Memory.get, rename=_FRAME, example={"frame": 1}),
    Operation("list", Memory.list, example={"limit": 20}),
    Operation(
        "timeline",
        Memory.timeline,
        defaults={"limit": 20},
        opposites={"newest_first": ("oldest_first", "Begin with the oldest.")},
        example={"limit": 20, "since": "2025-01-01"},
    ),
    Operation(
        "update",
        _update,
        effect="write",
        repeatable=True,
        example={"frame": 1, "tags": ["travel", "checked"]},
    ),
    Operation("supersede", Memory.supersede, effect="write", example={"old": 1, "new": 2}),
    Operation(
        "forget",
        Memory.forget,
        effect="destroy",
        repeatable=True,
        tool=True,
        rename=_FRAME,
        example={"frame": 1},
    ),
    Operation("erase", Memory.erase, effect="destroy", rename=_FRAME, example={"frame": 1}),
    Operation("verify_erasure", Memory.verify_erasure),
    Operation("unfinished_erasures", Memory.unfinished_erasures, effect="write", lasting=True),
)
