"""Operations as tools: their names, schemas and annotations, and how one is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

from longmind.base.errors import LongmindError
from longmind.base.recall_marks import OPEN
from longmind.mcp.arguments import Arguments
from longmind.mcp.contexts import use_context
from longmind.mcp.knowledge_graph import GraphTool, graph_tools
from longmind.mcp.listing import CallContext, entry_of
from longmind.mcp.settings import Profile
from longmind.mcp.shapes import Shape
from longmind.mcp.truncate import CUT, fit, written
from longmind.operations import registry
from longmind.operations.operation import Operation
from longmind.operations.schema import answer_schema
from longmind.operations.values import plain

SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "remember": ("text", "tags", "occurred_at"),
    "forget": ("frame",),
    "search": ("query", "limit", "tags", "as_of"),
    "recall": ("query", "budget", "as_of"),
    "facts_record": ("subject", "predicate", "value", "valid_from", "valid_to"),
    "facts_about": ("subject", "predicates", "as_of"),
    "experience_record": ("kind", "text", "evidence", "no_evidence", "problems", "why"),
    "experience_brief": ("text", "budget"),
}
"""What the default profile shows: few, since every request to a model carries them. The others work too."""

MARK: Final = OPEN.partition("{")[0]
"""How a text begins that is made for a model to read."""


class OperationTool:
    """One operation, as an agent sees and calls it."""

    def __init__(self, operation: Operation, *, lean: bool) -> None:
        self.operation = operation
        self._lean = lean
        self.name = "_".join(operation.path)

    @cached_property
    def arguments(self) -> Arguments:
        return Arguments(self.operation, shown=SHOWN.get(self.name) if self._lean else None)

    @cached_property
    def _shape(self) -> Shape:
        return Shape(answer_schema(self.operation), lean=self._lean)

    @cached_property
    def shown(self) -> dict[str, Any]:
        """Its entry in the list of tools."""
        described = self.operation.description
        return entry_of(
            self.operation,
            name=self.name,
            description=_brief(described) if self._lean else described,
            inputs=self.arguments.schema,
            answer=self._shape.schema,
        )

    def call(self, inputs: Mapping[str, Any] | None, context: CallContext) -> dict[str, Any]:
        """Do it; what cannot be done becomes an error that the agent can read."""
        try:
            read = self.arguments.read(inputs, files=context.files)
            memory = context.holder.memory(begins=self.operation.begins)
            answer = self._shape.written(plain(context.ask(memory, self.operation, read)))
        except LongmindError as error:
            return failed(error)
        return tool_result(fit(answer, budget=context.budget, count=context.count))


Tool = OperationTool | GraphTool


def profile_tools(profile: Profile) -> Iterator[Tool]:
    """The few that every agent has a use for, or all operations and `use_context`; or those of a graph."""
    if profile == "memory":
        yield from graph_tools()
        return
    for operation in registry.operations():
        if operation.tool or profile == "full":
            yield OperationTool(operation, lean=profile == "default")
    if profile == "full":
        yield OperationTool(use_context, lean=False)


def _brief(description: str) -> str:
    """What it does, and in one sentence when to use it."""
    first, _, rest = description.partition("\n\n")
    return f"{first}\n{rest.partition('. ')[0].rstrip('.')}." if rest else first


def tool_result(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer as structured content, and as text: its own if it is one for a model, else as JSON."""
    text = answer.get("text")
    content = written(answer)
    if isinstance(text, str) and text.startswith(MARK):
        content = "\n".join([text, *answer.get("notes", ()), *([answer[CUT]] if CUT in answer else ())])
    return {"content": [{"type": "text", "text": content}], "structuredContent": answer}


def failed(error: LongmindError) -> dict[str, Any]:
    """An error in words: what was wrong, and what to do about it."""
    return {"content": [{"type": "text", "text": f"{error.code}: {error}"}], "isError": True}
