"""Ties a store to an embedder, or says why search has to do without."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from longmind.base.errors import InvalidInput, MissingExtra, Unavailable
from longmind.base.filters import View
from longmind.embed import BUILT_IN, DEFAULT, Embedder, open_embedder
from longmind.store.store import Store
from longmind.store.transaction import Snapshot
from longmind.vectors.device import Device
from longmind.vectors.index import VectorIndex, VectorRows
from longmind.vectors.late_interaction import Basis
from longmind.vectors.nearest import EXACT_LIMIT, NearestFrames
from longmind.vectors.pgvector import PgVector
from longmind.vectors.rows import IDENTITY

AUTO: Final[Literal["auto"]] = "auto"
"""The embedder that the store remembers; for a new store the default one, if it is installed."""

_HASHED: Final = re.compile(r"hash/[^/]*/([0-9]{1,5})/[^/]*")


@dataclass(frozen=True, slots=True)
class EmbedderBinding:
    """The embedder's side of search; without an index, `problem` says why."""

    part: VectorRows | None = None
    """What follows the frames: the index, or, without an embedder, the rows of the one there was."""
    neighbours: NearestFrames | None = None
    problem: str = ""

    def within(self, view: View) -> EmbedderBinding:
        """The same, looking only at the vectors of what a view may show."""
        return self if self.neighbours is None else replace(self, neighbours=self.neighbours.within(view))

    @property
    def index(self) -> VectorIndex | None:
        return self.part if isinstance(self.part, VectorIndex) else None

    @property
    def embedder(self) -> Embedder | None:
        return None if self.index is None else self.index.embedder

    def mismatch(self, snapshot: Snapshot) -> str:
        """Why the store's vectors are of no use to this embedder; empty where they are."""
        return "" if self.index is None else self.index.mismatch_at(snapshot)

    @property
    def basis(self) -> Basis | None:
        return None if self.index is None else self.index.basis


def bind_embedder(
    store: Store,
    spec: str | Embedder | None,
    *,
    cache: Path,
    exact_limit: int | None = None,
    device: Device = "auto",
) -> EmbedderBinding:
    """A named embedder that does not fit or is not installed is an error; what does not answer is a lack.

    With AUTO all of these but a misfit are lacks, which searches and writes report.
    """
    if spec is None:
        rows = VectorRows(mirror=_mirror(store))
        return EmbedderBinding(rows, problem="the store was opened with embedder=None")
    embedder = None if spec == AUTO else open_embedder(spec, cache=cache, device=device)
    try:
        chosen = embedder or _remembered(store, cache, device)
        return bind(store, chosen, exact_limit=exact_limit, device=device)
    except (Unavailable, MissingExtra) as error:
        rows = VectorRows(mirror=_mirror(store), problem=str(error))
        return EmbedderBinding(rows, problem=rows.problem)


def bind(
    store: Store, embedder: Embedder, *, exact_limit: int | None = None, device: Device = "auto"
) -> EmbedderBinding:
    index = VectorIndex(store, embedder, mirror=_mirror(store), exact_limit=exact_limit)
    index.bind()
    return EmbedderBinding(index, _neighbours(store, index, device))


def rebind_embedder(store: Store, embedder: Embedder, device: Device = "auto") -> EmbedderBinding:
    """Another embedder for a store that has one; its vectors are made anew by the index's `rebuild`."""
    index = VectorIndex(store, embedder, mirror=_mirror(store))
    return EmbedderBinding(index, _neighbours(store, index, device))


def _mirror(store: Store) -> PgVector | None:
    return PgVector() if store.engine.dialect.name == "postgresql" else None


def _neighbours(store: Store, index: VectorIndex, device: Device) -> NearestFrames:
    return NearestFrames(
        store.mirrors,
        index.embedder.identity.dimensions,
        remote=index.mirror,
        exact_limit=EXACT_LIMIT if index.exact_limit is None else index.exact_limit,
        device=device,
    )


def _remembered(store: Store, cache: Path, device: Device) -> Embedder:
    with store.read() as snapshot:
        stored = store.setting(snapshot.db, IDENTITY)
    if stored is None:
        return open_embedder(DEFAULT, cache=cache, device=device)
    # Only embedders that are part of this package: a store must not choose an address or a folder.
    provider = stored.partition("/")[0]
    if provider in BUILT_IN:
        return open_embedder(provider, cache=cache, device=device)
    if hashed := _HASHED.fullmatch(stored):
        with suppress(InvalidInput):  # not one that this package made; a misfit like any other
            return open_embedder(f"hash:{hashed[1]}", cache=cache)
    raise Unavailable(
        f"The store's vectors are of the embedder {stored}.",
        hint="Open it with embedder= to search by meaning.",
    )
