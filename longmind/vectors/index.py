"""The vectors of the frames: made before the transaction, written inside it, filled in where missing.

`rebuild` by the same embedder compares each frame's rows with what they should be and replaces those that
differ, a batch at a time: no vector is ever missing meanwhile. By another embedder all vectors are made in
`frame_vector_next` and `frame_token_next`, and switched together with the store's embedder in one commit;
until then the old embedder answers. See `store/rebuild.py` and `vectors/switch.py`.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longmind.base.arrays import np
from longmind.base.caller import caller
from longmind.base.errors import Conflict, LongmindError, MissingExtra, Unavailable
from longmind.base.frame import Frame
from longmind.embed.protocol import Embedder
from longmind.store.drafts import Draft
from longmind.store.engine import Connection, Dialect, scalar
from longmind.store.frames import checked_text, load_rows
from longmind.store.parts import Budget, Failed, Part, Problem
from longmind.store.rebuild import clear_abandoned, left_over
from longmind.store.store import Store
from longmind.store.tables import batched, typed
from longmind.store.transaction import Snapshot, Transaction
from longmind.store.visible import among
from longmind.store.write import ids_of
from longmind.vectors.late_interaction import (
    Basis,
    content_pieces,
    fit_basis,
    pack_many,
    plain_basis,
    sample_texts,
    shipped_basis,
)
from longmind.vectors.nearest import EXACT_LIMIT
from longmind.vectors.pgvector import PgVector
from longmind.vectors.rows import BASIS, IDENTITY, count_windows

FILL_BATCH: Final = 64
_ENCODED_AT_ONCE: Final = 256
"""Texts whose token states are in memory together: those of a long one are a quarter of a megabyte."""

_log = logging.getLogger("longmind.vectors")
_told = False
"""Whether this process has said that frames are written without vectors."""


NEXT: Final = (("frame_vector_next", "frame_id"), ("frame_token_next", "frame_id"))
"""Where vectors of another embedder are made, with the key of each table."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A frame's vectors and token signs as they are stored."""

    key: bytes
    windows: int
    vectors: bytes
    signs: bytes | None
    cached: bool = field(default=False, compare=False)
    """True: not computed for this frame, but taken over from one with the same text."""


def embedded_text(text: str, *, title: str | None, speaker: str | None) -> str:
    """What the embedder reads: the text in its context, without the date."""
    if speaker and not text.startswith(speaker):
        text = f"{speaker}: {text}"
    if title and not text.startswith(title):
        text = f"{title}\n{text}"
    return text


def _tell_once(problem: str) -> None:
    """Once a process, for those who call from Python; the other interfaces say it in their own ways."""
    global _told
    if not _told and caller().face == "python":
        _told = True
        _log.warning("Frames are written without vectors, so only words find them. %s", problem)


class VectorRows(Part):
    """The vectors of a store that is opened without their embedder: erased with their frames, and counted.

    `problem` is why, where someone should be told: new frames are written without vectors, and reported.
    """

    name = "vectors"
    makes_vectors = False

    def __init__(self, *, mirror: PgVector | None = None, problem: str = "") -> None:
        self.mirror = mirror
        self.problem = problem

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        if not self.problem:
            return None
        _tell_once(self.problem)
        return [Failed(self.problem, lasting=True)] * len(drafts)

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        counts = {"frame_vector": 0, "frame_token": 0, "frame_vector_next": 0, "frame_token_next": 0}
        for batch in batched(ids):
            clause = among("frame_id", batch)
            for table in counts:
                counts[table] += tx.db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
        if self.mirror is not None:
            counts["frame_window"] = self.mirror.remove(tx, ids)
        return counts

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        counts = self.counts(snapshot)
        return {"frames": counts["frames"], "windows": count_windows(snapshot.db), **counts}

    def counts(self, snapshot: Snapshot) -> Mapping[str, int]:
        frames = scalar(snapshot.db, "SELECT count(*) FROM frame_vector")
        total = scalar(snapshot.db, "SELECT count(*) FROM text_doc")
        unfinished = scalar(snapshot.db, "SELECT count(*) FROM frame_vector_next")
        return {
            "frames": frames,
            "missing": total - frames,
            **({"in an unfinished rebuild": unfinished} if unfinished else {}),
        }

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        cleared = clear_abandoned(store, self.name, NEXT)
        return {"cleared": cleared} if cleared else {}

    def notes(self, snapshot: Snapshot) -> Iterable[str]:
        counts = self.counts(snapshot)
        if counts["missing"] > 0 and (counts["frames"] or self.makes_vectors):
            total = counts["frames"] + counts["missing"]
            yield (
                f"There are vectors for {counts['frames']} of {total} frames; "
                "`maintain` or `reindex` makes the others."
            )
        note = left_over(snapshot.db, self.name, NEXT[0][0])
        if note:
            yield note


class VectorIndex(VectorRows):
    """Follows the frames with vectors of one embedder, whose identity the store remembers."""

    makes_vectors = True

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        *,
        mirror: PgVector | None = None,
        exact_limit: int | None = None,
    ) -> None:
        super().__init__(mirror=mirror)
        self.exact_limit = exact_limit
        self.embedder = embedder
        self._store = store
        self.identity = embedder.identity.text()
        self._is_bound = False
        self._basis: Basis | None = None
        self._stored_basis: str | None = None
        self._mismatch = (-1, "")
        """Of which revision, and what it was."""

    @property
    def basis(self) -> Basis | None:
        """Read when it is first needed: opening a store should not cost what only vectors need."""
        if self._basis is None and self._stored_basis is not None:
            self._basis = Basis.from_text(self._stored_basis)
        return self._basis

    def bind(self) -> None:
        """Tie the store to this embedder, or refuse another than the one its vectors are of."""
        with self._store.read() as snapshot:
            stored_identity = self._store.setting(snapshot.db, IDENTITY)
            basis = self._store.setting(snapshot.db, BASIS)
        if stored_identity is not None and stored_identity != self.identity:
            raise Conflict(
                f"The store's vectors are of the embedder {stored_identity}, not of {self.identity}.",
                hint="Open it with that one, or call reindex(embedder=...) to make them anew.",
            )
        if stored_identity is None and not self._store.engine.read_only:
            self._tie()
        elif basis is not None:
            self._stored_basis = basis
        self._is_bound = True
        self._begin_mirror()

    def _begin_mirror(self) -> None:
        if self.mirror is not None:
            self.mirror.begin(
                self._store,
                self.embedder.identity.dimensions,
                above=EXACT_LIMIT if self.exact_limit is None else self.exact_limit,
            )

    def _tie(self) -> None:
        """Say in the store whose vectors it holds."""
        basis = self.make_basis() if self.embedder.supports_tokens else None
        with self._store.write() as tx:
            self.set_identity(tx, None if basis is None else basis.to_text())
        # Read back: the stored form is rounded, and every process must use the same.
        self.use_basis(None if basis is None else basis.to_text())

    def set_identity(self, tx: Transaction, basis: str | None) -> None:
        self._store.set_setting(tx, IDENTITY, self.identity)
        if basis is not None:
            self._store.set_setting(tx, BASIS, basis)

    def use_basis(self, stored: str | None) -> None:
        self._basis, self._stored_basis = None, stored

    def mismatch_at(self, snapshot: Snapshot) -> str:
        """The same of a snapshot, looked up once for each revision."""
        revision, problem = self._mismatch
        if revision != snapshot.revision:
            problem = self.mismatch(snapshot.db)
            self._mismatch = snapshot.revision, problem
        return problem

    def mismatch(self, db: Connection) -> str:
        """Why vectors of this embedder must not meet the store's: another process made them anew."""
        stored_identity = self._store.setting(db, IDENTITY)
        if stored_identity in (None, self.identity):
            return ""
        return (
            f"The store's vectors are now of the embedder {stored_identity}, not of {self.identity}. "
            "Open the store again with that one."
        )

    def make_basis(self) -> Basis:
        identity = self.embedder.identity
        shipped = shipped_basis(identity.provider.partition("+")[0])
        width = getattr(self.embedder, "token_dimensions", identity.dimensions)
        if shipped is not None and len(shipped.mean) == width:
            return shipped
        if identity.provider == "hash":
            return plain_basis(identity.dimensions)

        encodings = self.embedder.encode(sample_texts(), tokens=True)
        states = [encoding.tokens.states for encoding in encodings if encoding.tokens is not None]
        return fit_basis(np.concatenate(states))

    # Following the frames

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object]:
        texts = [
            None if draft.chunks else embedded_text(draft.text, title=draft.title, speaker=draft.speaker)
            for draft in drafts
        ]
        with self._store.read() as snapshot:
            mismatch = self.mismatch(snapshot.db)
        if mismatch:
            return [Failed(mismatch)] * len(drafts)
        try:
            return self.embed(texts)
        except LongmindError as error:
            return [Failed(error.message)] * len(drafts)

    def embed(self, texts: Sequence[str | None], *, anew: bool = False) -> list[Embedded | None]:
        """Each text's vectors; one given twice is embedded once.

        A text embedded before is looked up, unless all is to be made `anew`.
        """
        keys = [None if text is None else self._key(text) for text in texts]
        embedded: dict[bytes, Embedded] = {}
        if not anew:
            with self._store.read() as snapshot:
                embedded = _lookup(snapshot.db, {key for key in keys if key is not None})
        missing = {
            key: text
            for key, text in zip(keys, texts, strict=True)
            if key is not None and text is not None and key not in embedded
        }
        for batch in batched(list(missing), _ENCODED_AT_ONCE):
            embedded |= self._encoded({key: missing[key] for key in batch})
        computed = set(missing)
        items: list[Embedded | None] = []
        for each in keys:
            item = None if each is None else embedded[each]
            if item is not None and item.key not in computed:
                item = Embedded(item.key, item.windows, item.vectors, item.signs, cached=True)
            computed.discard(each or b"")
            items.append(item)
        return items

    def _key(self, text: str) -> bytes:
        return hashlib.blake2b(f"{self.identity}\0{text}".encode(), digest_size=16).digest()

    def _encoded(self, texts: Mapping[bytes, str]) -> dict[bytes, Embedded]:
        basis = self.basis
        encodings = self.embedder.encode(list(texts.values()), tokens=basis is not None)
        signs: dict[bytes, bytes] = {}
        if basis is not None:
            pieces = zip(texts.items(), encodings, strict=True)
            known = [(key, text, found.tokens) for (key, text), found in pieces if found.tokens is not None]
            keeps = content_pieces([text for _, text, _ in known], [tokens for _, _, tokens in known])
            packed = pack_many(basis, [tokens.states for _, _, tokens in known], keeps)
            signs = {key: each for (key, _, _), each in zip(known, packed, strict=True)}
        rows = {}
        for key, encoding in zip(texts, encodings, strict=True):
            vectors = encoding.vectors.astype(np.float16)
            rows[key] = Embedded(key, len(vectors), vectors.tobytes(), signs.get(key))
        return rows

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None and not self.mismatch(tx.db):
            pairs = zip(ids_of(frames), prepared, strict=True)
            self.add(tx, {frame_id: item for frame_id, item in pairs if isinstance(item, Embedded)})

    def add(self, tx: Transaction, embedded: Mapping[int, Embedded]) -> None:
        if embedded:
            add(tx, embedded, written_at=tx.system)
        if self.mirror is not None and embedded and self.mirror.exists(tx.db):
            self.mirror.add(tx, list(embedded), self._windows(embedded))

    def wrong_in_mirror(self, db: Connection, embedded: Mapping[int, Embedded]) -> set[int]:
        """Frames whose vectors the server has no true copy of, where it has copies."""
        if self.mirror is None or not embedded or not self.mirror.exists(db):
            return set()
        return self.mirror.differing(db, list(embedded), self._windows(embedded))

    def _windows(self, embedded: Mapping[int, Embedded]) -> list[Any]:

        width = self.embedder.identity.dimensions
        return [
            np.frombuffer(item.vectors, dtype=np.float16).reshape(-1, width) for item in embedded.values()
        ]

    # Upkeep

    def rebuild(self, store: Store) -> int:
        """Make all vectors anew; those of another embedder give way to them in one commit."""
        from longmind.vectors.switch import mend, replace

        with store.read() as snapshot:
            self.refuse_mismatch(snapshot.db)
            stored_identity = store.setting(snapshot.db, IDENTITY)
        if stored_identity is None or stored_identity == self.identity:
            self.bind()
            total = mend(self, store)
        else:
            total = replace(self, store)
            self._is_bound = True
        self._begin_mirror()
        return total

    def fill(self, store: Store, also: Callable[[Transaction], None]) -> int:
        try:
            total = sum(self._fill(store, Budget(), also))
        except (Unavailable, MissingExtra, Conflict):
            return 0  # searches say how many are missing, and `maintain` tries again
        self._begin_mirror()
        return total

    def refuse_mismatch(self, db: Connection) -> None:
        mismatch = self.mismatch(db) if self._is_bound else ""
        if mismatch:
            raise Conflict(mismatch)

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        done = {**super().maintain(store, budget), **self.embed_missing(store, budget)}
        if "embedder unavailable" in done:
            return done
        self._begin_mirror()
        return done | self._keep_codes(store, budget)

    def embed_missing(self, store: Store, budget: Budget) -> dict[str, int]:
        """Make vectors for frames that have none; how many, and whether the embedder failed."""
        filled = 0
        try:
            for count in self._fill(store, budget):
                filled += count
        except (Unavailable, MissingExtra, Conflict):
            # Nothing is lost by waiting, and whoever wrote before this must not get an error for it.
            return {"embedded": filled, "embedder unavailable": 1}
        return {"embedded": filled} if filled else {}

    def _keep_codes(self, store: Store, budget: Budget) -> dict[str, int]:
        """For the next processes: what a large partition is searched by, unless a server does it."""
        from longmind.vectors.nearest import make_codes
        from longmind.vectors.quantized import can_quantize
        from longmind.vectors.stored_codes import keep_codes

        if store.engine.read_only or self.mirror is not None or not can_quantize():
            return {}
        dimensions = self.embedder.identity.dimensions
        kept = keep_codes(
            store,
            EXACT_LIMIT if self.exact_limit is None else self.exact_limit,
            lambda db, segment: make_codes(db, segment, dimensions, to_keep=True),
            is_over=lambda: budget.exhausted,
        )
        return {"codes": kept} if kept else {}

    def _fill(
        self, store: Store, budget: Budget, also: Callable[[Transaction], None] | None = None
    ) -> Iterator[int]:
        """Embed what has no vectors yet, a batch at a time, each committed before its size is given."""
        after = 0
        while not budget.exhausted:
            size = FILL_BATCH if budget.frames is None else min(FILL_BATCH, budget.frames)
            with store.read() as snapshot:
                ids = missing_ids(snapshot.db, after=after, limit=size)
                if not ids:
                    break
                texts = texts_to_embed(snapshot.db, store.engine.dialect, ids)
            embedded = self.embed(list(texts.values()))
            ready = {
                frame_id: item for frame_id, item in zip(texts, embedded, strict=True) if item is not None
            }
            with store.write() as tx:
                self.refuse_mismatch(tx.db)
                still = set(indexed(tx.db, list(ready)))
                self.add(tx, {frame_id: item for frame_id, item in ready.items() if frame_id in still})
                if also is not None:
                    also(tx)
            after = ids[-1]
            budget.spend(len(ready))
            yield len(ready)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        from longmind.vectors.health import verify

        return verify(self, snapshot, deep=deep)


def add(tx: Transaction, embedded: Mapping[int, Embedded], *, written_at: int, suffix: str = "") -> None:
    """Write the rows of these frames; `suffix` names the tables of a rebuild."""
    if not embedded:
        return
    tx.db.many(
        f"INSERT INTO frame_vector{suffix} (frame_id, text_key, written_at, windows, data) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (frame_id) DO UPDATE SET text_key = excluded.text_key, "
        "written_at = excluded.written_at, windows = excluded.windows, data = excluded.data",
        [(frame_id, item.key, written_at, item.windows, item.vectors) for frame_id, item in embedded.items()],
    )
    signs = [(frame_id, item.signs) for frame_id, item in embedded.items() if item.signs is not None]
    tx.db.many(
        f"INSERT INTO frame_token{suffix} (frame_id, data) VALUES (?, ?) "
        "ON CONFLICT (frame_id) DO UPDATE SET data = excluded.data",
        signs,
    )


def texts_to_embed(db: Connection, dialect: Dialect, ids: Sequence[int]) -> dict[int, str]:
    clause = among("f.frame_id", ids)
    loaded = [checked_text(row) for row in load_rows(db, dialect, clause)]
    return {
        row.frame_id: embedded_text(text, title=row.title, speaker=row.speaker)
        for row, text in sorted(loaded, key=lambda pair: pair[0].frame_id)
    }


def missing_ids(db: Connection, *, after: int, limit: int) -> list[int]:
    """Frames that are indexed and have no vectors yet."""
    rows = db.all(
        "SELECT d.frame_id FROM text_doc d LEFT JOIN frame_vector v ON v.frame_id = d.frame_id "
        f"WHERE v.frame_id IS NULL AND d.frame_id > ? ORDER BY d.frame_id LIMIT {limit}",
        (after,),
    )
    return [int(row[0]) for row in rows]


def indexed(db: Connection, ids: Sequence[int]) -> list[int]:
    clause = among("frame_id", ids)
    return [int(row[0]) for row in db.all(f"SELECT frame_id FROM text_doc WHERE {clause.sql}", clause.values)]


def _lookup(db: Connection, keys: Iterable[bytes]) -> dict[bytes, Embedded]:
    ordered = sorted(keys)
    embedded: dict[bytes, Embedded] = {}
    for batch in batched(ordered):
        clause = among("v.text_key", batch)
        sql = (
            "SELECT v.text_key, v.windows, v.data, t.data FROM frame_vector v "
            f"LEFT JOIN frame_token t ON t.frame_id = v.frame_id WHERE {clause.sql}"
        )
        for key, windows, data, signs in typed(
            db.all(sql, clause.values), "frame_vector", bytes, int, bytes, (bytes, type(None))
        ):
            embedded[key] = Embedded(key, windows, data, signs)
    return embedded
