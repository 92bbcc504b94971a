"""An import from start to end: which importer, how far it is, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args

from longmind.base.addresses import shown_location
from longmind.base.checks import check_choice
from longmind.base.parameters import PathLike
from longmind.importers.files import Files
from longmind.importers.formats import ImportReport, ImportSource
from longmind.importers.records import Importer, Options
from longmind.importers.write import Writer
from longmind.ingest.report import Skip
from longmind.ingest.sources import Progress
from longmind.store.store import Store

_MODULES: Final[Mapping[str, str]] = {
    "mcp-memory": "knowledge_graph",
    "mem0": "mem0",
    "langgraph": "langgraph",
    "letta": "letta",
    "chatgpt": "chatgpt",
    "claude": "claude",
    "graphiti": "graphiti",
    "vault": "vault",
    "jsonl": "mapped",
    "csv": "mapped",
}


def importer_of(name: str) -> Importer:
    """The importer of a format, imported when it is asked for."""
    check_choice(name, "source", get_args(ImportSource))
    importer: Importer = import_module(f"longmind.importers.{_MODULES[name]}").IMPORTERS[name]
    return importer


def run_import(
    store: Store,
    source: str,
    path: PathLike,
    *,
    space: str,
    user: str | None,
    mapping: Mapping[str, Any] | None,
    dry_run: bool,
    cancelled: Callable[[], bool] | None,
    progress: Callable[[Progress], None] | None,
) -> ImportReport:
    """Read a source and write its batches in order, each in one transaction.

    Stopped or killed, it has written whole batches; calling it again writes the rest.
    """
    importer = importer_of(source)
    location = os.fspath(path)
    files = _database(location) if "://" in location else Files(Path(location))
    writer = Writer(store, source=source, space=space, user=user)
    batches = 0
    stopped = False
    for record in importer.read(files, Options(dict(mapping or {}))):
        if cancelled is not None and cancelled():
            stopped = True
            break
        if isinstance(record, Skip):
            writer.tally.skip(record)
            continue
        (writer.plan if dry_run else writer.write)(record)
        batches += 1
        if progress is not None:
            progress(Progress(batches, 0, record.name))
    tally = writer.tally
    return ImportReport(
        source=source,
        path=shown_location(location),
        batches=batches,
        created=tally.created,
        unchanged=tally.unchanged,
        superseded=tally.superseded,
        retired=tally.retired,
        facts=tally.facts,
        kinds=dict(sorted(tally.kinds.items())),
        skip_counts=dict(sorted(tally.skip_counts.items())),
        skipped=tuple(tally.skips),
        warnings=tuple(sorted(tally.warnings)),
        dry_run=dry_run,
        cancelled=stopped,
    )


def _database(location: str) -> Files:
    from longmind.importers.databases import Database

    return Database(location)
