"""Writes the generated parts of the documentation from the code; with --check, only says what is stale."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from typer.main import get_command

from recollect.base.errors import RecollectError
from recollect.cli.app import build
from recollect.cli.errors import EXIT_CODES

FOLDER: Final = Path(__file__).resolve().parent
_REGION = "<!-- generated: {name} -->\n{text}<!-- end -->"


def error_table() -> Iterator[str]:
    yield "| error | code | also a | exit | meaning |"
    yield "| --- | --- | --- | ---: | --- |"
    for error in RecollectError.__subclasses__():
        if error.__module__ != RecollectError.__module__:
            continue
        built_in = error.__bases__[1].__name__
        meaning = inspect.getdoc(error) or ""
        exit_code = EXIT_CODES[error.code]
        yield f"| `{error.__name__}` | `{error.code}` | `{built_in}` | {exit_code} | {meaning} |"


def command_reference() -> Iterator[str]:
    yield from _commands(get_command(build()), "recollect")


def _commands(command: Any, path: str) -> Iterator[str]:
    inner = getattr(command, "commands", {})
    for name, entry in inner.items():
        yield from _commands(entry, f"{path} {name}")
    if not inner:
        yield f"## {path}"
        yield ""
        yield inspect.cleandoc(command.help or "")
        yield ""
        yield "| | |"
        yield "| --- | --- |"
        yield from (_parameter(entry) for entry in command.params if entry.name != "help")
        yield ""


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


PAGES: Final[dict[str, tuple[str, Callable[[], Iterator[str]]]]] = {
    "errors": ("errors.md", error_table),
    "commands": ("commands.md", command_reference),
}


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
    if stale and "--check" in arguments:
        print(f"Stale: {', '.join(stale)}. Run: make docs")
        return 1
    print(f"Wrote {', '.join(stale)}." if stale else "The generated pages are up to date.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
