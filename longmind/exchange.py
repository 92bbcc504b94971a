"""Exchange with other memories: bringing in what they keep, and writing out what is kept here for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from longmind.base.caller import audited
from longmind.base.parameters import DryRun, PathLike, User, WriteSpace
from longmind.base.results import Written
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.importers.formats import ExportFormat, ImportReport, ImportSource
    from longmind.ingest.sources import Progress


@audited("")
class Exchange:
    """What `Memory` does with the files of other memories."""

    store: Store
    default_space: str
    default_user: str | None

    def import_from(
        self,
        source: Annotated[ImportSource, "What wrote it."],
        path: Annotated[PathLike, "The file or folder, or the address of a database."],
        *,
        mapping: Annotated[
            Mapping[str, Any] | None, "Of jsonl and csv: which of their fields is which of ours."
        ] = None,
        dry_run: DryRun = False,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[Progress], None] | None = None,
        space: WriteSpace = None,
        user: User = None,
    ) -> ImportReport:
        """Bring in what another memory or chat service exported.

        Original times are kept. What was imported before is not written again, so an interrupted import is
        continued by calling it again. Facts in it are believed less than what the user says here.
        """
        from longmind.importers.run import run_import

        return run_import(
            self.store, source, path, space=self.default_space if space is None else space,
            user=self.default_user if user is None else user, mapping=mapping, dry_run=dry_run,
            cancelled=cancelled, progress=progress,
        )  # fmt: skip

    def export_to(
        self,
        target: Annotated[ExportFormat, "For whom."],
        path: Annotated[PathLike, "The file or folder to write."],
        *,
        overwrite: Annotated[bool, "Replace what is there."] = False,
        space: WriteSpace = None,
        user: User = None,
    ) -> Written:
        """Write what is kept here in the format of another memory: one space, or one user's part of it."""
        from longmind.importers.export import export_to

        return export_to(
            self.store, target, path, overwrite=overwrite,
            space=self.default_space if space is None else space,
            user=self.default_user if user is None else user,
        )  # fmt: skip
