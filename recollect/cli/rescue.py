"""Commands for a store that cannot be opened: put a backup in its place, or go on with what is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.base.errors import Corrupt, InvalidInput
from recollect.cli.arguments import JsonOption
from recollect.cli.output import Block, emit
from recollect.cli.views import size

if TYPE_CHECKING:
    from recollect.store.restoring import Restored


def restore(
    backup: Annotated[str, typer.Argument(metavar="BACKUP", help="A file that `recollect backup` wrote.")],
    to: Annotated[str, typer.Argument(metavar="TO", help="The store to put it in the place of.")],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the store; it is kept as NAME.before-restore.")
    ] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Check every row of the backup first.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the place of a store that is damaged, killed or missing. Nobody may have it open."""
    from recollect.memory import Memory

    emit(Memory.restore(backup, to, overwrite=overwrite, deep=deep), as_json=as_json, view=_restored)


def recover(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A file whose log is missing or damaged.")],
    as_json: JsonOption = False,
) -> None:
    """Go on with what is left of a store whose log is missing or damaged. The last writes may be lost."""
    from recollect.memory import Memory

    if "://" in store or store == ":memory:":
        raise InvalidInput(f"{store} is not a file.", hint="A server recovers its stores by itself.")
    place = Path(store).expanduser()
    try:
        Memory.open(place, create=False, embedder=None, accept_lost_log=True).close()
    except Corrupt:
        from recollect.store.restoring import reseal

        reseal(place)  # raises again if it is not only the checksums of pages that do not fit
    with Memory.open(place, create=False, embedder=None, accept_lost_log=True) as memory:
        report = memory.verify(deep=True)
        damage = [problem.detail for problem in report.problems if not problem.derived]
        if damage:
            raise Corrupt(
                f"{store} opens, but it is damaged: {damage[0]}.",
                hint="Restore a backup: recollect restore BACKUP TO.",
            )
        answer = {"store": store, "frames": memory.stats().live, "revision": memory.revision}
    emit(answer, as_json=as_json, view=_recovered)


def _restored(done: Restored) -> Iterator[Block]:
    yield f"Restored {done.path} ({size(done.bytes)})."
    if done.kept is not None:
        yield f"The store that was there is now {done.kept}; delete it when you no longer need it."


def _recovered(answer: dict[str, Any]) -> Iterator[Block]:
    yield f"{answer['store']} can be used again. It holds {answer['frames']:,} frames."
