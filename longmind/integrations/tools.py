"""Memory as function tools: JSON schemas and callables for any client or framework that takes functions."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from longmind.base.errors import InvalidInput, LongmindError, NotFound
from longmind.memory import Memory

_STRING: Final = {"type": "string"}


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """One tool: call it with its arguments, or give its schema to a model."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON schema."""
    function: Callable[..., str]

    def __call__(self, **arguments: Any) -> str:
        """What the tool answers, as text. What goes wrong is an answer too: the agent can read it."""
        try:
            inspect.signature(self.function).bind(**arguments)
            return self.function(**arguments)
        except LongmindError as error:
            return f"Error: {error}"
        except TypeError as error:
            return f"Error: {self.name} {error}."

    def openai(self) -> dict[str, Any]:
        """For `tools=` of OpenAI's chat completions and everything that speaks it."""
        about = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": about}

    def anthropic(self) -> dict[str, Any]:
        """For `tools=` of Anthropic's messages."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.parameters)}

    def as_function(self) -> Callable[..., str]:
        """A plain function with name, docstring and typed arguments, for frameworks that read those."""
        required = self.parameters.get("required", ())
        kinds = {"string": str, "integer": int, "array": list[str]}
        arguments = [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if name in required else schema.get("default"),
                annotation=kinds[schema["type"]] if name in required else kinds[schema["type"]] | None,
            )
            for name, schema in self.parameters["properties"].items()
        ]
        signature = inspect.Signature(arguments, return_annotation=str)

        def call(*given: Any, **named: Any) -> str:
            bound = signature.bind(*given, **named)
            return self(**{name: value for name, value in bound.arguments.items() if value is not None})

        call.__name__ = call.__qualname__ = self.name
        lines = [
            f"    {name}: {schema.get('description', '')}"
            for name, schema in self.parameters["properties"].items()
        ]
        call.__doc__ = "\n".join([self.description, "", "Args:", *lines])
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {item.name: item.annotation for item in arguments} | {"return": str}
        return call


class MemoryTools:
    """The tools of one memory, for one user: `recall`, `remember`, `forget`, `facts_about`."""

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | None = None,
        space: str | None = None,
        budget: int = 1000,
        prefix: str = "memory_",
    ) -> None:
        self._memory = memory
        self._user = user
        self._space = space
        self._budget = budget
        self.tools = {tool.name: tool for tool in self._make(prefix)}

    def __iter__(self) -> Any:
        return iter(self.tools.values())

    def __len__(self) -> int:
        return len(self.tools)

    def openai(self) -> list[dict[str, Any]]:
        return [tool.openai() for tool in self.tools.values()]

    def anthropic(self) -> list[dict[str, Any]]:
        return [tool.anthropic() for tool in self.tools.values()]

    def functions(self) -> list[Callable[..., str]]:
        return [tool.as_function() for tool in self.tools.values()]

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Do what a model asked for: the name and the arguments of its call, as JSON or parsed."""
        tool = self.tools.get(name)
        if tool is None:
            raise NotFound(f"There is no tool {name!r}.", hint=f"There are {', '.join(self.tools)}.")
        try:
            inputs = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        except ValueError as error:
            raise InvalidInput(
                f"The arguments of {name} are not valid JSON: {error}.",
                hint="Pass the arguments as the model wrote them.",
            ) from None
        return tool(**inputs) if isinstance(inputs, dict) else f"Error: {name} takes an object."

    def _make(self, prefix: str) -> Iterable[FunctionTool]:
        yield FunctionTool(
            f"{prefix}recall",
            "Recall what is known about a question from earlier sessions, people, decisions and documents.",
            _schema(query=("What you want to know.", _STRING), required=("query",)),
            self._recall,
        )
        yield FunctionTool(
            f"{prefix}remember",
            "Remember a text for later sessions: a decision, a preference, a finding, an event.",
            _schema(
                text=("The text to keep, understandable by itself.", _STRING),
                tags=("Tags for it.", {"type": "array", "items": _STRING}),
                required=("text",),
            ),
            self._remember,
        )
        yield FunctionTool(
            f"{prefix}forget",
            "Forget a remembered text by its id, if it was wrong or the user asks for it.",
            _schema(
                frame=("The id that recall or remember named.", {"type": "integer"}), required=("frame",)
            ),
            self._forget,
        )
        yield FunctionTool(
            f"{prefix}facts_about",
            "List what is known to be true of one person or thing.",
            _schema(subject=("The name of the person or thing.", _STRING), required=("subject",)),
            self._facts_about,
        )

    def _recall(self, query: str) -> str:
        context = self._memory.recall(query, budget=self._budget, space=self._space, user=self._user)
        return context.text if context.items else "Nothing is known about it."

    def _remember(self, text: str, tags: list[str] | None = None) -> str:
        report = self._memory.remember(
            text, tags=tags or (), source="agent", space=self._space, user=self._user
        )
        return f"Remembered as {report.ids[0]}." if report.ids else "It is remembered already."

    def _forget(self, frame: int) -> str:
        gone = self._memory.forget(frame, space=self._space, user=self._user)
        return f"Forgot {frame}." if gone else f"{frame} was forgotten before."

    def _facts_about(self, subject: str) -> str:
        hits = self._memory.facts.about(subject, space=self._space, user=self._user)
        lines = [f"{hit.fact.subject} {hit.fact.predicate} {hit.fact.object!s}" for hit in hits]
        return "\n".join(lines) or f"Nothing is known about {subject}."


def _schema(*, required: tuple[str, ...], **fields: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    properties = {name: {**schema, "description": text} for name, (text, schema) in fields.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def memory_tools(memory: Memory, **options: Any) -> MemoryTools:
    """The tools of a memory; takes what `MemoryTools` takes."""
    return MemoryTools(memory, **options)
