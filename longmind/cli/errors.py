"""How an error leaves the command line: one exit code per category, a message for people or for programs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import Final

from longmind.base import errors
from longmind.base.errors import LongmindError
from longmind.cli.output import clean, styled

EXIT_CODES: Final[Mapping[str, int]] = {
    LongmindError.code: 1,
    errors.InvalidInput.code: 2,  # also what shells and argument parsers use for wrong usage
    errors.NotFound.code: 3,
    errors.Conflict.code: 4,
    errors.Busy.code: 5,
    errors.OverBudget.code: 6,
    errors.Unavailable.code: 7,
    errors.MissingExtra.code: 8,
    errors.Unsupported.code: 9,
    errors.Corrupt.code: 10,
    errors.Forbidden.code: 11,
}
"""By the error's `code`. 0 is success, 1 an error without a category, 130 an interruption."""

DEBUG_VARIABLE: Final = "LONGMIND_DEBUG"

_CALL = re.compile(r"\b(?:memory\.)?((?:[a-z_]+\.)?[a-z_]+)\(\)")
_KEYWORD = re.compile(r"\b([a-z_]+)=(?:True\b|(?![^\s.,;:)]))")
"""An argument that is switched on, or only named: `replace=True`, `user=`."""


def report(error: BaseException, *, as_json: bool) -> int:
    """Write the error to standard error, without a traceback, and return its exit code."""
    if isinstance(error, LongmindError):
        return write(error.code, error.message, in_shell(error.hint), as_json=as_json)
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    return write(
        LongmindError.code,
        f"Unexpected {type(error).__name__}: {error}",
        f"This is a defect of Longmind. Set {DEBUG_VARIABLE}=1 to see where it happened, and report it.",
        as_json=as_json,
    )


def in_shell(hint: str | None) -> str | None:
    """A hint as people at a shell would follow it.

    The library speaks of its own calls and arguments; those that are operations have commands and options.
    """
    if hint is None or not (_CALL.search(hint) or _KEYWORD.search(hint)):
        return hint
    from longmind.operations import registry

    found = list(registry.operations())
    options = {parameter.name for item in found for parameter in item.parameters}

    def command(call: re.Match[str]) -> str:
        named = [item for item in found if call[1] in (item.name, item.name.rpartition(".")[2])]
        exact = [item for item in named if item.name == call[1]] or named
        if len(exact) != 1:  # not an operation, or one of several: as the library says it
            return call[0]
        return " ".join(["longmind", *exact[0].path]).replace("_", "-")

    def option(keyword: re.Match[str]) -> str:
        return f"--{keyword[1].replace('_', '-')}" if keyword[1] in options else keyword[0]

    return _KEYWORD.sub(option, _CALL.sub(command, hint))


def write(code: str, message: str, hint: str | None, *, as_json: bool) -> int:
    if as_json:
        body = {"error": {"code": code, "message": message, "hint": hint}}
        print(json.dumps(body), file=sys.stderr)
    else:
        print(styled("error:", "31;1", sys.stderr), clean(message), file=sys.stderr)
        if hint:
            print(styled(" hint:", "36", sys.stderr), clean(hint), file=sys.stderr)
    return EXIT_CODES.get(code, 1)
