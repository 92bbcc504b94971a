"""`use_context`: what a project's space knows of a topic, to put before a task."""

from __future__ import annotations

from typing import Annotated, Final

from longmind.base.parameters import Budget, User
from longmind.memory import Memory
from longmind.operations.operation import Operation
from longmind.spaces.context import UsedContext


def _use_context(
    memory: Memory,
    project: Annotated[str, "The project's space."],
    topic: Annotated[str, "What the task is about; empty for everything."],
    *,
    limit: Annotated[int, "At most this many objects."] = 5,
    budget: Budget = 1000,
    user: User = None,
) -> UsedContext:
    """What a project's space knows of a topic, as text to put before a task.

    Use it once before working on a part of a project: decisions, guides and code notes kept in its space.
    """
    return memory.space(project, user=user).use_context(topic, limit=limit, budget=budget)


use_context: Final = Operation("use_context", _use_context, example={"project": "shop", "topic": "telemetry"})
