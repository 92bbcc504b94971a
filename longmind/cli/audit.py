"""The audit log at a shell: `longmind audit` lists it; heads are signed and checked with keys from files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from longmind.base.errors import Corrupt, InvalidInput
from longmind.base.store_files import read_user_file
from longmind.cli import arguments, errors
from longmind.cli.arguments import JsonOption, StoreOption
from longmind.cli.commands import command
from longmind.cli.output import emit
from longmind.cli.views import audit as views
from longmind.operations import registry
from longmind.operations.spaces import key_in

KEY_VARIABLE: Final = "LONGMIND_AUDIT_KEY_FILE"

commands = typer.Typer()
"""Added to the commands made of operations; one of the same name replaces it."""

KeyFileOption = Annotated[
    str | None,
    typer.Option("--key-file", envvar=KEY_VARIABLE, metavar="PATH", help="A file with the key."),
]


@commands.command("head")
def head_of_log(
    sign: Annotated[bool, typer.Option("--sign", help="Sign it with the key.")] = False,
    key_file: KeyFileOption = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="How to sign: hmac-sha256 or ed25519.")
    ] = "hmac-sha256",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """The end of the audit log, to be kept elsewhere and checked later: with --sign, signed.

    An Ed25519 key file holds the 32 bytes of the private key; the public key checks the signature.
    """
    if sign and key_file is None:
        raise InvalidInput("There is no key to sign with.", hint=f"Name it: --key-file or {KEY_VARIABLE}.")
    with arguments.reading(store) as memory:
        shown = memory.audit_head(key=key_in(key_file) if sign else None, algorithm=algorithm)
    emit(shown, as_json=as_json, view=views.head)


@commands.command()
def check(
    head: Annotated[Path, typer.Argument(metavar="HEAD", help="The file with the head.")],
    key_file: KeyFileOption = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="How it is signed: hmac-sha256 or ed25519.")
    ] = "hmac-sha256",
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that the log still holds what a head says, and that all rows agree with it.

    With --algorithm ed25519 the key file holds the public key.
    """
    try:
        text = read_user_file(head).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{head} cannot be read: {error}.", hint="Check the path.") from None
    with arguments.reading(store) as memory:
        result = memory.audit_check(text, key=key_in(key_file), algorithm=algorithm)
    emit(result, as_json=as_json, view=views.checked)
    if not result:
        raise typer.Exit(errors.EXIT_CODES[Corrupt.code])


def callback() -> Callable[..., None]:
    """`longmind audit` without a command lists the log, with the options of `longmind audit list`."""
    show = command(registry.find("audit.list"))

    def listing(context: typer.Context, **typed: Any) -> None:
        if context.invoked_subcommand is None:
            show(**typed)

    options = inspect.signature(show).parameters.values()
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    listing.__signature__ = inspect.Signature([first, *options])  # type: ignore[attr-defined]
    listing.__annotations__ = {item.name: item.annotation for item in (first, *options)}
    listing.__doc__ = registry.HELP["audit"]
    return listing
