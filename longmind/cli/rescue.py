"""Commands for a store that cannot be opened: restore a backup, or recover what is left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longmind.base.addresses import shown_location
from longmind.base.errors import RESTORE_HINT, Corrupt, InvalidInput, NotFound
from longmind.base.secret import Secret, environment_secret
from longmind.cli.arguments import JsonOption
from longmind.cli.output import Block, counted, emit, size

if TYPE_CHECKING:
    from longmind.memory import Memory
    from longmind.store.restore import Restored


def restore(
    backup: Annotated[str, typer.Argument(metavar="BACKUP", help="A file that `longmind backup` wrote.")],
    to: Annotated[str, typer.Argument(metavar="TO", help="The path of the store.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what is at TO; it is kept as TO.before-restore.")
    ] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Check every row of the backup first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put a checked copy of a backup in the place of a store that is damaged, killed or missing.

    No process may have that store open. The backup stays as it is.
    """
    from longmind.memory import Memory

    key = environment_secret(os.environ)
    restored = Memory.restore(backup, to, overwrite=overwrite, deep=deep, key=key)
    emit(restored, as_json=as_json, view=_restored)


def recover(
    store: Annotated[str, typer.Argument(metavar="STORE", help="The path of the store.")],
    as_json: JsonOption = False,
) -> None:
    """Go on with what is left of a store whose log is missing or damaged.

    The writes that only the log held are lost. If there is a recent backup, restore it instead.
    """
    from longmind.memory import Memory

    if "://" in store or store == ":memory:":
        raise InvalidInput(
            f"{shown_location(store)} is not a file.",
            hint="Name a file. A server recovers its stores by itself.",
        )
    path = Path(store).expanduser()
    if not path.exists():
        raise NotFound(f"There is no store at {path}.", hint="Check the path.")
    if path.is_file() and path.stat().st_size == 0 and not Path(f"{path}-wal").exists():
        # Opening it would make a new store of it, and call that recovered.
        raise Corrupt(f"{path} is empty, and there is no log: nothing can be recovered.", hint=RESTORE_HINT)
    key = environment_secret(os.environ)
    try:
        memory, was_damaged = Memory.open(path, create=False, embedder=None, key=key), False
    except Corrupt:
        memory = _opened(path, key)
        was_damaged = True
    with memory:
        report = memory.verify(deep=True)
        damage = [problem.detail for problem in report.problems if not problem.derived]
        if damage:
            raise Corrupt(
                f"{store} is damaged: {damage[0].removeprefix('The store is damaged: ').rstrip('.')}.",
                hint=RESTORE_HINT,
            )
        answer = {
            "store": store,
            "recovered": was_damaged,
            "frames": memory.stats().live,
            "revision": memory.revision,
        }
    emit(answer, as_json=as_json, view=_recovered)


def _opened(path: Path, key: Secret | None) -> Memory:
    """What is left of a store: without its lost log, or under checksums that fit its rows again."""
    from longmind.memory import Memory
    from longmind.store.restore import reseal

    try:
        return Memory.open(path, create=False, embedder=None, accept_lost_log=True, key=key)
    except Corrupt:
        reseal(path)  # raises again if it is not only the checksums of pages that do not fit
    return Memory.open(path, create=False, embedder=None, accept_lost_log=True, key=key)


def _restored(done: Restored) -> Iterator[Block]:
    yield f"Restored {done.path} ({size(done.bytes)})."
    if done.kept is not None:
        yield f"What was there before is now {done.kept}; delete it when you no longer need it."


def _recovered(answer: dict[str, Any]) -> Iterator[Block]:
    if answer["recovered"]:
        yield f"{answer['store']} can be used again. It holds {counted(answer['frames'], 'frame')}."
    else:
        yield f"{answer['store']} opens as it is: its log is whole, and nothing had to be recovered."
