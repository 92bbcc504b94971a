"""What a tool takes: the schema of its arguments, and arguments checked against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NotRequired, get_args, get_origin

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.operations.files import confined_value
from longmind.operations.operation import Operation

_MOST_NAMED: Final = 5
_ALIASES: Final = {"frame": "id"}


class Arguments:
    """The arguments of one operation; names it does not have are refused."""

    def __init__(self, operation: Operation, *, shown: Sequence[str] | None = None) -> None:
        self._shown = shown
        self._parameters = {item.name: item for item in operation.parameters}
        fields: dict[str, Any] = {}
        for item in operation.parameters:
            extra = {} if item.required or item.default is None else {"default": item.default}
            note = Field(description=item.help, json_schema_extra=extra)
            hint = Annotated[item.type, note]  # type: ignore[name-defined]
            fields[item.name] = hint if item.required else NotRequired[hint]
        make: Any = TypedDict
        shape = make("Arguments", fields)
        shape.__pydantic_config__ = ConfigDict(extra="forbid")
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(shape)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, as tools show it: of all, or only of those to be shown."""
        schema: dict[str, Any] = _untitled(self._adapter.json_schema())
        if self._shown is None:
            return {"type": "object", "properties": {}, **schema}
        properties = {_ALIASES.get(name, name): _short(schema["properties"][name]) for name in self._shown}
        required = [name for name in schema.get("required", ()) if name in properties]
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}

    def read(self, inputs: Mapping[str, Any] | None, *, files: Path | None) -> dict[str, Any]:
        """The arguments as the operation takes them; paths only inside the folder `files`."""
        try:
            read = self._adapter.validate_python(
                {name: self._parsed(name, value) for name, value in self._named(inputs or {}).items()}
            )
        except ValidationError as error:
            raise self._refused(error) from None
        for name, value in read.items():
            if value is not None:
                read[name] = confined_value(self._parameters[name], value, files)
        return read

    def _named(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Under the names of the operation: answers call a frame's number `id`, and agents do the same."""
        own = {alias: name for name, alias in _ALIASES.items() if name in self._parameters}
        return {
            name if name in self._parameters else own.get(name, name): value for name, value in inputs.items()
        }

    def _parsed(self, name: str, value: Any) -> Any:
        """Some clients write lists and objects as a string of JSON."""
        item = self._parameters.get(name)
        if item is None or not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
            return value
        kinds = {get_origin(part) or part for part in (item.type, *get_args(item.type))}
        if str in kinds or not kinds & {list, dict}:
            return value
        try:
            return parse_json(value)
        except ValueError:
            return value

    def _refused(self, error: ValidationError) -> InvalidInput:
        reasons: dict[str, str] = {}
        for problem in error.errors(include_url=False, include_input=False):
            name = str(problem["loc"][0]) if problem["loc"] else "arguments"
            if problem["type"] == "extra_forbidden":
                reasons.setdefault(name, "there is no such argument")
            elif problem["type"] == "missing":
                reasons.setdefault(name, "it is required")
            else:
                where = ".".join(str(part) for part in problem["loc"][1:] if not _is_type(part))
                reasons.setdefault(name, f"{where + ': ' if where else ''}{problem['msg']}")
        parts = [f"{name[:80]}: {reason}" for name, reason in list(reasons.items())[:_MOST_NAMED]]
        names = ", ".join(self._parameters) or "none"
        return InvalidInput("; ".join(parts) + ".", hint=f"The arguments are: {names}.")


def _is_type(part: Any) -> bool:
    """Pydantic names the branch of a choice in the place of an error, such as `list[str]`."""
    return isinstance(part, str) and ("[" in part or part in ("str", "int", "float", "bool", "none"))


def _short(schema: Mapping[str, Any]) -> dict[str, Any]:
    """As few words as say it: what may be null or is false can be left out, and a time is written as text."""
    schema = {key: value for key, value in schema.items() if key != "default" or value is not False}
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if kinds == [{"type": "string"}, {"type": "integer"}]:
        kinds = kinds[:1]
    if len(kinds) != 1:
        return {**schema, "anyOf": kinds} if kinds else dict(schema)
    return {**kinds[0], **{key: value for key, value in schema.items() if key != "anyOf"}}


def _untitled(schema: Any) -> Any:
    """A schema without the titles that only repeat the names."""
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value) for key, value in schema.items() if key != "title" or isinstance(value, dict)
    }
