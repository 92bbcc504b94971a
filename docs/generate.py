"""Writes the generated parts of the documentation from the code; with --check, only says what is stale."""

from __future__ import annotations

import inspect
import json
import re
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, Union, get_args, get_origin

from typer.main import get_command

from longmind.base.errors import LongmindError
from longmind.base.parameters import Mark
from longmind.cli.app import build
from longmind.cli.errors import EXIT_CODES
from longmind.operations import registry
from longmind.operations.forms import Parameter
from longmind.operations.operation import Operation

FOLDER: Final = Path(__file__).resolve().parent
_REGION = "<!-- generated: {name} -->\n{text}<!-- end -->"


def error_table() -> Iterator[str]:
    yield "| error | code | also a | exit | meaning |"
    yield "| --- | --- | --- | ---: | --- |"
    for error in LongmindError.__subclasses__():
        if error.__module__ != LongmindError.__module__:
            continue
        built_in = error.__bases__[1].__name__
        meaning = inspect.getdoc(error) or ""
        exit_code = EXIT_CODES[error.code]
        yield f"| `{error.__name__}` | `{error.code}` | `{built_in}` | {exit_code} | {meaning} |"


def command_reference() -> Iterator[str]:
    """The options of the commands that are not operations; operations have a page of their own."""
    operations = {command_of(operation): operation for operation in registry.operations()}
    commands = dict(_commands(get_command(build()), "longmind"))
    yield "## Commands of the memory"
    yield ""
    yield "| command | |"
    yield "| --- | --- |"
    for path, command in commands.items():
        if path in operations:
            name = operations[path].name
            anchor = re.sub(r"[^\w-]", "", name.lower())
            yield f"| [`{path}`](operations.md#{anchor}) | {(command.help or '').strip().splitlines()[0]} |"
    yield ""
    for path, command in commands.items():
        if path not in operations:
            yield f"## {path}"
            yield ""
            yield inspect.cleandoc(command.help or "")
            yield ""
            yield "| | |"
            yield "| --- | --- |"
            yield from (_parameter(entry) for entry in command.params if entry.name != "help")
            yield ""


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    for name, entry in inner.items():
        yield from _commands(entry, f"{path} {name}")
    if not inner:
        yield path, command


def command_of(operation: Operation) -> str:
    return "longmind " + " ".join(part.replace("_", "-") for part in operation.path)


def _parameter(entry: Any) -> str:
    is_flag = getattr(entry, "is_flag", False)
    value = "" if is_flag else entry.metavar or entry.name.upper()
    name = f"{entry.opts[0]} {value}".strip() if entry.param_type_name == "option" else value
    notes = []
    if entry.required:
        notes.append("required")
    default = entry.show_default if isinstance(entry.show_default, str) else entry.default
    if default and not is_flag:
        notes.append(f"default: {default}")
    if entry.envvar:
        notes.append(f"environment: `{entry.envvar}`")
    text = " ".join([entry.help or "", f"({'; '.join(notes)})" if notes else ""]).strip()
    return f"| `{name}` | {text} |".replace("PATH|URL", "PATH\\|URL")


def operation_reference() -> Iterator[str]:
    for group in registry.GROUPS:
        yield f"## {group or 'The memory itself'}"
        yield ""
        if group:
            yield registry.HELP[group]
            yield ""
        for operation in registry.group(group):
            yield from _operation(operation)


def _operation(operation: Operation) -> Iterator[str]:
    yield f"### `{operation.name}`"
    yield ""
    yield operation.description
    yield ""
    effects = {"read": "Reads.", "write": "Writes.", "destroy": "Takes something away."}
    notes = [effects[operation.effect]]
    if operation.begins:
        notes.append("May begin the memory.")
    if operation.effect != "read" and operation.repeatable:
        notes.append("Done twice, it is as if done once.")
    tool = f"`{'_'.join(operation.path)}`{' (given by default)' if operation.tool else ''}"
    yield (
        f"{' '.join(notes)} Command `{command_of(operation)}`, route `POST /v1/{'/'.join(operation.path)}`, "
        f"tool {tool}."
    )
    yield ""
    if operation.parameters:
        yield "| argument | type | |"
        yield "| --- | --- | --- |"
        yield from (_argument(item) for item in operation.parameters)
        yield ""
    if operation.example:
        yield "```json"
        yield json.dumps(operation.example, ensure_ascii=False)
        yield "```"
        yield ""


def _argument(item: Parameter) -> str:
    text = item.help
    if item.required:
        text += " (required)"
    elif item.default not in (None, False, ""):
        text += f" (default: {json.dumps(item.default)})"
    kind = "time" if Mark.MOMENT in item.marks else "path" if Mark.FILE in item.marks else _type(item.type)
    return f"| `{item.name}` | {kind} | {text} |"


_WORDS: Final[dict[Any, str]] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "object",
    Any: "anything",
}


def _type(hint: Any) -> str:
    """A type in words."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(part) for part in inner if part is not type(None)))
    if origin is Literal:
        return ", ".join(f"`{json.dumps(part)}`" for part in inner)
    if origin is list:
        return f"list of {_type(inner[0])}"
    return _WORDS[origin or hint]


def early_answers() -> str:
    """What the MCP server answers first, as its own code would."""
    from longmind.mcp import server
    from longmind.mcp.tools import profile_tools

    answers = {
        "initialize": server.initialize_result(),
        "tools": [tool.shown for tool in profile_tools("default")],
    }
    return json.dumps(answers, ensure_ascii=False, indent=1) + "\n"


def listed_commands() -> str:
    """The common operations as `longmind --help` lists them, which then imports none of them."""
    from longmind.cli.commands import name_of

    whole: Any = get_command(build())
    rows = [(name, whole.commands[name]) for name in map(name_of, registry.group(""))]
    listed = [[name, item.rich_help_panel, item.get_short_help_str(10_000)] for name, item in rows]
    return json.dumps(listed, ensure_ascii=False, indent=1) + "\n"


def coverage_table() -> Iterator[str]:
    # The tests lie beside this folder, and are no package that is installed.
    sys.path.insert(0, str(FOLDER.parent))
    from tests.seeds.coverage import rows, titles

    names = titles()
    number = ""
    for row in rows():
        if row.document != number:
            if number:
                yield ""
            number = row.document
            yield f"## {number}: {names[number]}"
            yield ""
            yield "| seed | row | tests | engines |"
            yield "| --- | --- | --- | --- |"
        tests = "<br>".join(f"`{test}`" for test in row.tests)
        yield f"| {number} | {row.row} | {tests} | {row.engines} |"
    yield ""


def python_reference() -> Iterator[str]:
    import python_reference

    yield from python_reference.lines()


PAGES: Final[dict[str, tuple[str, Callable[[], Iterator[str]]]]] = {
    "errors": ("errors.md", error_table),
    "commands": ("commands.md", command_reference),
    "operations": ("operations.md", operation_reference),
    "python": ("python.md", python_reference),
    "coverage": ("coverage.md", coverage_table),
}


def whole_files() -> Iterator[tuple[Path, str]]:
    """The files that hold nothing but what is generated."""
    import pictures

    from longmind.cli.help import LISTED
    from longmind.mcp.early import ANSWERS

    yield ANSWERS, early_answers()
    yield LISTED, listed_commands()
    for name, svg in pictures.pictures().items():
        yield FOLDER / "pictures" / name, svg


def with_region(page: str, name: str, text: str) -> str:
    """The page with its region of that name replaced."""
    pattern = re.compile(_REGION.format(name=re.escape(name), text=".*?"), re.DOTALL)
    fresh = _REGION.format(name=name, text=text.strip() + "\n")
    replaced, count = pattern.subn(lambda _: fresh, page)
    if count != 1:
        raise SystemExit(f"A page must hold the region {name!r} once; it does {count} times.")
    return replaced


def main(arguments: list[str]) -> int:
    stale = []
    for name, (file, lines) in PAGES.items():
        path = FOLDER / file
        page = path.read_text(encoding="utf-8")
        fresh = with_region(page, name, "\n".join(lines()))
        if fresh != page:
            stale.append(file)
            if "--check" not in arguments:
                path.write_text(fresh, encoding="utf-8")
    for path, text in whole_files():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if "--check" not in arguments:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in arguments:
        print(f"Stale: {', '.join(stale)}. Run: make docs")
        return 1
    print(f"Wrote {', '.join(stale)}." if stale else "The generated pages are up to date.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
