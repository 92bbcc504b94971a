"""Commands that change the key of a store: encrypt, rekey, decrypt. No key is ever an argument."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from longmind.base.errors import InvalidInput
from longmind.base.secret import NEW_VARIABLE, VARIABLE, Secret, environment_secret, secret_of
from longmind.cli.arguments import JsonOption
from longmind.cli.output import Block, emit, size

if TYPE_CHECKING:
    from longmind.store.encryption import Reencrypted

StoreArgument = Annotated[str, typer.Argument(metavar="STORE", help="The path of the store.")]
_SOURCES: Final = "64 hex digits, or a file, command or keyring entry by {0}_FILE, {0}_COMMAND, {0}_KEYRING"


def encrypt(store: StoreArgument, as_json: JsonOption = False) -> None:
    """Encrypt a store in place.

    The key comes from LONGMIND_KEY, LONGMIND_KEY_FILE, LONGMIND_KEY_COMMAND or LONGMIND_KEY_KEYRING; at a
    terminal you are asked for a passphrase. No process may have the store open. If it is interrupted, run it
    again. Without the key nobody can read the store, and nothing can recover it.
    """
    from longmind.memory import Memory

    key = _secret(VARIABLE, "Passphrase for the store", confirm=True)
    emit(Memory.encrypt(store, key=key), as_json=as_json, view=_view)


def rekey(store: StoreArgument, as_json: JsonOption = False) -> None:
    """Give an encrypted store another key.

    The old key comes from LONGMIND_KEY (or _FILE, _COMMAND, _KEYRING), the new one from LONGMIND_NEW_KEY (or
    the same endings); at a terminal you are asked for what is not set. Backups keep the key they have.
    """
    from longmind.memory import Memory

    old = _secret(VARIABLE, "Present passphrase")
    new = _secret(NEW_VARIABLE, "New passphrase", confirm=True)
    emit(Memory.rekey(store, key=old, new_key=new), as_json=as_json, view=_view)


def decrypt(store: StoreArgument, as_json: JsonOption = False) -> None:
    """Make a plain store of an encrypted one, in place; the key comes from where `encrypt` takes it."""
    from longmind.memory import Memory

    key = _secret(VARIABLE, "Passphrase of the store")
    emit(Memory.decrypt(store, key=key), as_json=as_json, view=_view)


def _secret(variable: str, prompt: str, *, confirm: bool = False) -> Secret:
    """From the environment, or from whoever sits at the terminal."""
    secret = environment_secret(os.environ, variable)
    if secret is not None:
        return secret
    if not sys.stdin.isatty():
        raise InvalidInput(
            f"There is no key: {variable} is not set.", hint=f"Set it to {_SOURCES.format(variable)}."
        )
    typed = getpass.getpass(f"{prompt}: ")
    if confirm and getpass.getpass("Once more: ") != typed:
        raise InvalidInput("The two passphrases differ. Nothing was changed.", hint="Try again.")
    return secret_of(typed, "The passphrase")


def _view(done: Reencrypted) -> Iterator[Block]:
    state = "encrypted" if done.encrypted else "not encrypted"
    if not done.changed:
        yield f"{done.path} is already {state}. Nothing was changed."
        return
    yield f"{done.path} is now {state} ({size(done.bytes)})."
    if done.encrypted:
        yield "Keep the key: without it, the store cannot be read by anyone."
        yield "Backups and copies made before are as they were; delete those you no longer want readable."
