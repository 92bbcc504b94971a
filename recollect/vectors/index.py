"""The vectors of the frames: made before the transaction, written inside it, filled in where missing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from recollect.base.errors import Conflict, MissingExtra, RecollectError, Unavailable
from recollect.base.frame import Frame
from recollect.embed.protocol import Embedder, Encoding
from recollect.store.drafts import Draft
from recollect.store.engine import Rows
from recollect.store.frames import batches, checked_text, load_query
from recollect.store.parts import Budget, Failed, Part, Problem
from recollect.store.store import Store
from recollect.store.transaction import Snapshot, Transaction
from recollect.store.typed import typed
from recollect.store.visible import among
from recollect.vectors.neighbours import EXACT_LIMIT
from recollect.vectors.pgvector import PgVector
from recollect.vectors.signs import Basis, content_pieces, fit_basis, pack_signs, plain_basis, shipped_basis
from recollect.vectors.threads import one_thread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
else:
    Floats = Any

IDENTITY: Final = "vectors.embedder"
BASIS: Final = "vectors.basis"
REBUILT: Final = "vectors.rebuilt"
"""The setting that says when all vectors were last forgotten: whoever keeps them in memory looks."""

_REBUILDING: Final = "vectors.rebuilding"
_FILL_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Embedded:
    """A frame's vectors and token signs as they are stored."""

    key: bytes
    windows: int
    vectors: bytes
    signs: bytes | None


def embedded_text(text: str, *, title: str | None, speaker: str | None) -> str:
    """What the embedder reads: the text in its context, without the date."""
    if speaker and not text.startswith(speaker):
        text = f"{speaker}: {text}"
    if title and not text.startswith(title):
        text = f"{title}\n{text}"
    return text


class VectorRows(Part):
    """The vectors of a store that is opened without their embedder: erased with their frames, and counted.

    `problem` is why, where someone should be told: new frames are written without vectors, and reported.
    """

    name = "vectors"

    def __init__(self, *, mirror: PgVector | None = None, problem: str = "") -> None:
        self.mirror = mirror
        self.problem = problem

    def prepare(self, drafts: Sequence[Draft]) -> Sequence[object] | None:
        return [Failed(self.problem)] * len(drafts) if self.problem else None

    def erased(self, tx: Transaction, ids: Sequence[int]) -> Mapping[str, int]:
        counts = {"frame_vector": 0, "frame_token": 0}
        for batch in batches(ids):
            clause = among("frame_id", batch)
            for table in counts:
                counts[table] += tx.rows.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
        if self.mirror is not None:
            counts["frame_window"] = self.mirror.remove(tx, ids)
        return counts

    def stats(self, snapshot: Snapshot) -> Mapping[str, int]:
        row = snapshot.rows.one("SELECT count(*), coalesce(sum(windows), 0) FROM frame_vector")
        total = snapshot.rows.one("SELECT count(*) FROM text_doc")
        frames, windows = row if row else (0, 0)
        return {
            "frames": int(frames),
            "windows": int(windows),
            "missing": int(total[0] if total else 0) - int(frames),
        }


class VectorIndex(VectorRows):
    """Follows the frames with vectors of one embedder, whose identity the store remembers."""

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
        self._identity = embedder.identity.text()
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
            known = self._store.setting(snapshot.rows, IDENTITY)
            basis = self._store.setting(snapshot.rows, BASIS)
        if known is not None and known != self._identity:
            raise Conflict(
                f"The store's vectors are of the embedder {known}, not of {self._identity}.",
                hint="Open it with that one, or call reindex(embedder=...) to make them anew.",
            )
        if known is None and not self._store.engine.read_only:
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

    def _tie(self, *, afresh: bool = False) -> None:
        """Say in the store whose vectors it holds; `afresh` forgets those it has in the same transaction."""
        basis = self._make_basis() if self.embedder.supports_tokens else None
        with self._store.write() as tx:
            if afresh:
                tx.rows.run("DELETE FROM frame_token")
                tx.rows.run("DELETE FROM frame_vector")
                if self.mirror is not None:
                    self.mirror.drop(tx)
                self._store.set_setting(tx, _REBUILDING, self._identity)
                self._store.set_setting(tx, REBUILT, str(tx.system))
            self._store.set_setting(tx, IDENTITY, self._identity)
            if basis is not None:
                self._store.set_setting(tx, BASIS, basis.to_text())
        # Read back: the stored form is rounded, and every process must use the same.
        self._basis, self._stored_basis = None, None if basis is None else basis.to_text()

    def mismatch_at(self, snapshot: Snapshot) -> str:
        """The same of a snapshot, looked up once for each revision."""
        revision, known = self._mismatch
        if revision != snapshot.revision:
            known = self.mismatch(snapshot.rows)
            self._mismatch = snapshot.revision, known
        return known

    def mismatch(self, rows: Rows) -> str:
        """Why vectors of this embedder must not meet the store's: another process made them anew."""
        known = self._store.setting(rows, IDENTITY)
        if known in (None, self._identity):
            return ""
        return (
            f"The store's vectors are now of the embedder {known}, not of {self._identity}. "
            "Open the store again with that one."
        )

    def _make_basis(self) -> Basis:
        identity = self.embedder.identity
        shipped = shipped_basis(identity.provider)
        if shipped is not None and len(shipped.mean) == identity.dimensions:
            return shipped
        if identity.provider == "hash":
            return plain_basis(identity.dimensions)
        import numpy as np

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
            mismatch = self.mismatch(snapshot.rows)
        if mismatch:
            return [Failed(mismatch)] * len(drafts)
        try:
            return self.embed(texts)
        except RecollectError as error:
            return [Failed(error.message)] * len(drafts)

    def embed(self, texts: Sequence[str | None]) -> list[Embedded | None]:
        """Each text's vectors; a text embedded before is looked up, and one given twice embedded once."""
        keys = [None if text is None else self._key(text) for text in texts]
        with self._store.read() as snapshot:
            known = _lookup(snapshot.rows, {key for key in keys if key is not None})
        missing = {
            key: text
            for key, text in zip(keys, texts, strict=True)
            if key is not None and text is not None and key not in known
        }
        encodings = (
            self.embedder.encode(list(missing.values()), tokens=self.basis is not None) if missing else []
        )
        for (key, text), encoding in zip(missing.items(), encodings, strict=True):
            known[key] = self._stored(key, text, encoding)
        return [None if key is None else known[key] for key in keys]

    def _key(self, text: str) -> bytes:
        return hashlib.blake2b(f"{self._identity}\0{text}".encode(), digest_size=16).digest()

    def _stored(self, key: bytes, text: str, encoding: Encoding) -> Embedded:
        import numpy as np

        signs = None
        if self.basis is not None and encoding.tokens is not None:
            states = encoding.tokens.states[content_pieces(text, encoding.tokens)]
            with one_thread():
                signs = pack_signs(self.basis, states)
        vectors = encoding.vectors.astype(np.float16)
        return Embedded(key, len(vectors), vectors.tobytes(), signs)

    def written(self, tx: Transaction, frames: Sequence[Frame], prepared: Sequence[object] | None) -> None:
        if prepared is not None and not self.mismatch(tx.rows):
            pairs = zip(frames, prepared, strict=True)
            self._add(tx, {frame.id: item for frame, item in pairs if isinstance(item, Embedded)})

    def _add(self, tx: Transaction, embedded: Mapping[int, Embedded]) -> None:
        import numpy as np

        add(tx, embedded)
        if self.mirror is not None and embedded and self.mirror.exists(tx.rows):
            width = self.embedder.identity.dimensions
            windows = [
                np.frombuffer(item.vectors, dtype=np.float16).reshape(-1, width) for item in embedded.values()
            ]
            self.mirror.add(tx, list(embedded), windows)

    # Upkeep

    def rebuild(self, store: Store) -> int:
        """Forget all vectors, tie the store to this embedder, and make them anew, a batch at a time.

        Interrupted, it leaves fewer vectors, never wrong ones; the next call or `maintain` goes on.
        """
        with store.read() as snapshot:
            self._refuse_mismatch(snapshot.rows)
            begun = store.setting(snapshot.rows, _REBUILDING) == self._identity
            # `maintain` may have finished what was interrupted.
            unfinished = bool(missing_ids(snapshot.rows, after=0, limit=1))
        if not (begun and unfinished):
            self._tie(afresh=True)
        self.bind()
        total = sum(self._fill(store, Budget()))
        with store.write() as tx:
            store.set_setting(tx, _REBUILDING, "")
        self._begin_mirror()
        return total

    def _refuse_mismatch(self, rows: Rows) -> None:
        mismatch = self.mismatch(rows) if self._is_bound else ""
        if mismatch:
            raise Conflict(mismatch)

    def maintain(self, store: Store, budget: Budget) -> Mapping[str, int]:
        filled = 0
        try:
            for count in self._fill(store, budget):
                filled += count
        except (Unavailable, MissingExtra, Conflict):
            # Nothing is lost by waiting, and whoever wrote before this must not get an error for it.
            return {"embedded": filled, "embedder unavailable": 1}
        self._begin_mirror()
        return {"embedded": filled} if filled else {}

    def _fill(self, store: Store, budget: Budget) -> Iterator[int]:
        """Embed what has no vectors yet, a batch at a time, each committed before its size is given."""
        after = 0
        while not budget.exhausted:
            size = _FILL_BATCH if budget.frames is None else min(_FILL_BATCH, budget.frames)
            with store.read() as snapshot:
                ids = missing_ids(snapshot.rows, after=after, limit=size)
                if not ids:
                    break
                clause = among("f.frame_id", ids)
                found = snapshot.rows.all(load_query(store.engine.dialect, clause.sql), clause.values)
            frames = [checked_text(row) for row in found]
            made = self.embed(
                [embedded_text(text, title=row.title, speaker=row.speaker) for row, text in frames]
            )
            ready = {
                row.frame_id: item for (row, _), item in zip(frames, made, strict=True) if item is not None
            }
            with store.write() as tx:
                self._refuse_mismatch(tx.rows)
                still = set(_present(tx.rows, list(ready)))
                self._add(tx, {frame_id: item for frame_id, item in ready.items() if frame_id in still})
            after = ids[-1]
            budget.spend(len(ready))
            yield len(ready)

    def verify(self, snapshot: Snapshot, *, deep: bool) -> Iterable[Problem]:
        width = self.embedder.identity.dimensions * 2
        dangling = snapshot.rows.all(
            "SELECT v.frame_id FROM frame_vector v LEFT JOIN text_doc d ON d.frame_id = v.frame_id "
            "WHERE d.frame_id IS NULL LIMIT 20"
        )
        for (frame_id,) in dangling:
            yield Problem(
                "vectors", f"there are vectors of frame {frame_id}, which is not indexed", derived=True
            )
        wrong = snapshot.rows.all(
            f"SELECT frame_id FROM frame_vector WHERE length(data) <> windows * {width} LIMIT 20"
        )
        for (frame_id,) in wrong:
            yield Problem("vectors", f"the vectors of frame {frame_id} have a wrong size", derived=True)
        if deep:
            yield from self._verify_lengths(snapshot)

    def _verify_lengths(self, snapshot: Snapshot) -> Iterable[Problem]:
        import numpy as np

        dimensions = self.embedder.identity.dimensions
        for frame_id, data in snapshot.rows.all("SELECT frame_id, data FROM frame_vector"):
            if not isinstance(data, bytes) or len(data) % (dimensions * 2):
                yield Problem("vectors", f"the vectors of frame {frame_id} are damaged", derived=True)
                continue
            vectors = np.frombuffer(bytes(data), dtype=np.float16).reshape(-1, dimensions).astype(np.float32)
            lengths = np.linalg.norm(vectors, axis=1)
            if not np.all(np.abs(lengths - 1) < 0.01):
                yield Problem("vectors", f"the vectors of frame {frame_id} are damaged", derived=True)


def add(tx: Transaction, embedded: Mapping[int, Embedded]) -> None:
    if not embedded:
        return
    tx.rows.many(
        "INSERT INTO frame_vector (frame_id, text_key, written_at, windows, data) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (frame_id) DO UPDATE SET text_key = excluded.text_key, "
        "written_at = excluded.written_at, windows = excluded.windows, data = excluded.data",
        [(frame_id, item.key, tx.system, item.windows, item.vectors) for frame_id, item in embedded.items()],
    )
    signs = [(frame_id, item.signs) for frame_id, item in embedded.items() if item.signs is not None]
    tx.rows.many(
        "INSERT INTO frame_token (frame_id, data) VALUES (?, ?) "
        "ON CONFLICT (frame_id) DO UPDATE SET data = excluded.data",
        signs,
    )


def missing_ids(rows: Rows, *, after: int, limit: int) -> list[int]:
    """Frames that are indexed and have no vectors yet."""
    found = rows.all(
        "SELECT d.frame_id FROM text_doc d LEFT JOIN frame_vector v ON v.frame_id = d.frame_id "
        f"WHERE v.frame_id IS NULL AND d.frame_id > ? ORDER BY d.frame_id LIMIT {limit}",
        (after,),
    )
    return [int(row[0]) for row in found]


def sample_texts() -> list[str]:
    """Plain English that every Python carries, to learn a model's directions from."""
    from pydoc_data import topics

    paragraphs = [
        " ".join(paragraph.split())
        for _, text in sorted(topics.topics.items())
        for paragraph in text.split("\n\n")
        if 200 < len(paragraph) < 600
    ]
    return paragraphs[:: max(1, len(paragraphs) // 96)]


def _present(rows: Rows, ids: Sequence[int]) -> list[int]:
    clause = among("frame_id", ids)
    return [
        int(row[0]) for row in rows.all(f"SELECT frame_id FROM text_doc WHERE {clause.sql}", clause.values)
    ]


def _lookup(rows: Rows, keys: Iterable[bytes]) -> dict[bytes, Embedded]:
    wanted = sorted(keys)
    found: dict[bytes, Embedded] = {}
    for first in range(0, len(wanted), 500):
        clause = among("v.text_key", wanted[first : first + 500])
        sql = (
            "SELECT v.text_key, v.windows, v.data, t.data FROM frame_vector v "
            f"LEFT JOIN frame_token t ON t.frame_id = v.frame_id WHERE {clause.sql}"
        )
        for key, windows, data, signs in typed(
            rows.all(sql, clause.values), "frame_vector", bytes, int, bytes, (bytes, type(None))
        ):
            found[key] = Embedded(key, windows, data, signs)
    return found
