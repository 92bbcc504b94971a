"""Erasing for good, and the certificate that says so."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from longmind.base.checks import canonical_json
from longmind.base.errors import RESTORE_HINT, Busy, Corrupt, InvalidInput
from longmind.base.filters import View
from longmind.base.hashing import checksum
from longmind.base.json_text import parse_json
from longmind.base.results import Listing
from longmind.store.engine import Connection
from longmind.store.frames import COLUMNS, checked_row, stored, with_chunks
from longmind.store.partition_rows import remove_rows, whole_frames
from longmind.store.parts import Part
from longmind.store.store import Store
from longmind.store.tables import batched
from longmind.store.transaction import Transaction
from longmind.store.visible import among
from longmind.store.write import resolve, rewrite

OPEN_GATE: Final = "INSERT INTO store_erasing (one) VALUES (1) ON CONFLICT DO NOTHING"
"""Lets rows of kept history go until the end of a transaction. A gate that somebody left open is closed then,
too."""
_PATIENCE: Final = 5.0
"""Seconds to wait for readers of an older state, which keep the log from being emptied."""

_TABLES: Final = (
    "frame_tag",
    "frame_meta",
    "frame_key",
    "frame_expiry",
    "frame_absence",
    "frame_staged",
    "media_thumbnail",
    "media_vector",
    "frame_text",
)


@dataclass(frozen=True, slots=True)
class ErasureCertificate:
    """What was erased, without saying what it said: hashes are keyed, and the key is only here."""

    store_id: str
    erased_at: int
    frames: tuple[int, ...]
    counts: Mapping[str, int]
    hashes: tuple[str, ...]
    key: str
    scrubbed: bool
    """True: none of the erased bytes was left in the stored pages or the log."""
    user: str | None = None
    """Whose data it was, where all of one person's was erased."""

    def to_json(self) -> str:
        fields = asdict(self)
        if self.user is None:
            del fields["user"]  # as certificates were written before there were users
        return canonical_json(fields, "certificate")

    @classmethod
    def from_json(cls, text: str) -> ErasureCertificate:
        try:
            raw: dict[str, Any] = parse_json(text)
            certificate = cls(**{**raw, "frames": tuple(raw["frames"]), "hashes": tuple(raw["hashes"])})
            bytes.fromhex(certificate.key)
            if not all(type(frame_id) is int for frame_id in certificate.frames):
                raise ValueError("frames are numbers")
            if not isinstance(certificate.user, str | None):
                raise ValueError("a user is a text")
            return certificate
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InvalidInput(
                "This is not an erasure certificate.",
                hint="Pass the certificate that erase returned, unchanged.",
            ) from None

    def sealed(self) -> bytes:
        """What the store keeps of it."""
        return hashlib.sha256(self.to_json().encode()).digest()


@dataclass(frozen=True, slots=True)
class ErasureCheck:
    """Whether a certificate still holds; falsy if it does not."""

    problems: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.problems


def erase(store: Store, ids: Sequence[int], *, view: View) -> ErasureCertificate:
    """Remove frames, their chunks and everything derived from them, and clean the bytes behind them."""

    def choose(tx: Transaction) -> tuple[Sequence[int], Sequence[str]]:
        resolve(tx.db, ids, view)
        for frame_id, row in stored(tx.db, ids).items():
            if row.start_byte is not None:
                raise InvalidInput(
                    f"Frame {frame_id} is a chunk of frame {row.parent_id}.",
                    hint="Erase that one, the whole.",
                )
        return ids, ()

    return _erase(store, choose)


def erase_parts(
    store: Store, find: Callable[[Connection], Sequence[str]], *, user: str | None = None
) -> ErasureCertificate:
    """Remove every row of some parts of spaces, found in the transaction that removes them.

    `user` is the person whose parts they are, for the certificate.
    """

    def choose(tx: Transaction) -> tuple[Sequence[int], Sequence[str]]:
        parts = find(tx.db)
        return whole_frames(tx.db, parts), parts

    return _erase(store, choose, user=user)


def erase_staged(store: Store, find: Callable[[Connection], Sequence[int]]) -> ErasureCertificate:
    """Remove documents that were never published, found in the transaction that removes them."""
    return _erase(store, lambda tx: (find(tx.db), ()))


def _erase(
    store: Store,
    choose: Callable[[Transaction], tuple[Sequence[int], Sequence[str]]],
    *,
    user: str | None = None,
) -> ErasureCertificate:
    store_id = store.id
    with store.write(makes_room=True) as tx:
        ids, parts = choose(tx)
        doomed = _with_followers(tx, ids, store.parts)
        key = store.entropy(32)
        names = [row.content_hash for row in stored(tx.db, doomed).values()]
        counts = _remove(tx, doomed, store.parts, parts)
        certificate = ErasureCertificate(
            store_id=store_id,
            erased_at=tx.system,
            frames=tuple(doomed),
            counts=counts,
            hashes=tuple(sorted(_keyed(key, name) for name in names)),
            key=key.hex(),
            scrubbed=False,
            user=user,
        )
        number = tx.allocate("erasure")
        _seal(tx, number, certificate)
        _keep_pending(tx, number, certificate.to_json())
    # Killed from here on, it is completed by the next open, and its certificate issued again.
    if not store.engine.scrub():
        return certificate
    confirmed = replace(certificate, scrubbed=True)
    try:
        with store.write(makes_room=True) as tx:
            _seal(tx, number, confirmed)
            tx.db.run("DELETE FROM erasure_pending WHERE erasure_id = ?", (number,))
    except Busy:
        return certificate
    with suppress(Busy):  # the key stood in the pending row, and is to be in the certificate alone
        store.engine.flush(patience=0)
    return confirmed


def remove_wording(store: Store, tx: Transaction, facts: Collection[int]) -> dict[str, int]:
    """Remove the frames that only put facts into words which are about to be erased; counts by table."""
    ids = sorted({frame_id for part in store.parts for frame_id in part.wording(tx, facts)})
    if not ids:
        return {}
    note_change(tx)
    return _remove(tx, _with_followers(tx, ids, store.parts), store.parts, ())


def scrub(store: Store, number: int) -> bool:
    """Clean the bytes behind an erasure without a certificate that `mark` noted."""
    if not store.engine.scrub():
        return False
    with suppress(Busy), store.write(makes_room=True) as tx:  # left standing, it is only cleaned once more
        tx.db.run("DELETE FROM erasure_pending WHERE erasure_id = ?", (number,))
    return True


def note_change(tx: Transaction) -> None:
    """Let everything kept in memory be read again, in every process, as after an erasure."""
    number = tx.allocate("erasure")
    values = (number, tx.system, 0, hashlib.sha256(f"nothing was erased, {number}".encode()).digest())
    tx.db.run(
        "INSERT INTO erasure (erasure_id, erased_at, frames, certificate_hash, checksum) "
        "VALUES (?, ?, ?, ?, ?)",
        (*values, checksum(*values)),
    )


def mark(tx: Transaction) -> int:
    """Note in the transaction that deletes that its bytes are still to be cleaned."""
    number = tx.allocate("erasure")
    _keep_pending(tx, number, "")
    return number


def resume(store: Store, *, patience: float = 0.0) -> None:
    """Complete the erasures that were cut off before their bytes were gone, unless a reader is in the way.

    Their first certificates, should anyone hold one, stay valid: each gets a second record.
    """
    with store.read() as snapshot:
        numbers = [number for number, text in _pending(snapshot.db) if not _is_scrubbed(text)]
    if not numbers or not store.engine.scrub(patience=patience):
        return
    with store.write(makes_room=True) as tx:
        for number, text in _pending(tx.db):
            if number not in numbers or _is_scrubbed(text):
                continue  # it came, or was completed, after the bytes were cleaned
            if not text:
                tx.db.run("DELETE FROM erasure_pending WHERE erasure_id = ?", (number,))
                continue
            confirmed = replace(ErasureCertificate.from_json(text), scrubbed=True)
            _seal(tx, tx.allocate("erasure"), confirmed)
            _keep_pending(tx, number, confirmed.to_json())


@dataclass(frozen=True, slots=True, eq=False)
class Certificates(Listing[ErasureCertificate]):
    """Certificates of erasures."""

    certificates: tuple[ErasureCertificate, ...]


def unfinished(store: Store) -> tuple[ErasureCertificate, ...]:
    """Complete what was cut off, and hand over the certificates that nobody received; each is given once.

    One whose bytes a reader still keeps says so, and is given again.
    """
    resume(store, patience=_PATIENCE)
    with store.read() as snapshot:
        pending = [(number, text) for number, text in _pending(snapshot.db) if text]
    done = [number for number, text in pending if _is_scrubbed(text)]
    if done:
        with store.write(makes_room=True) as tx:
            for number in done:
                tx.db.run("DELETE FROM erasure_pending WHERE erasure_id = ?", (number,))
    return tuple(ErasureCertificate.from_json(text) for _, text in pending)


def note_pending(db: Connection) -> Iterable[str]:
    """What `verify` says of erasures whose certificates nobody received."""
    count = sum(1 for _, text in _pending(db) if text)
    if count:
        erasures = "1 erasure was" if count == 1 else f"{count} erasures were"
        yield f"{erasures} cut off or held up; `unfinished_erasures` completes and returns the certificates."


def _keep_pending(tx: Transaction, number: int, text: str) -> None:
    tx.db.run(
        "INSERT INTO erasure_pending (erasure_id, certificate, checksum) VALUES (?, ?, ?) "
        "ON CONFLICT (erasure_id) DO UPDATE SET certificate = excluded.certificate, "
        "checksum = excluded.checksum",
        (number, text, checksum("pending", number, text)),
    )


def _pending(db: Connection) -> list[tuple[int, str]]:
    sql = "SELECT erasure_id, certificate, checksum FROM erasure_pending ORDER BY erasure_id"
    pending = []
    for number, text, hashed in db.all(sql):
        if checksum("pending", number, text) != hashed:
            raise Corrupt(
                f"The unfinished erasure {number} is damaged.",
                hint=RESTORE_HINT,
            )
        pending.append((int(number), str(text)))
    return pending


def _is_scrubbed(text: str) -> bool:
    return bool(text) and ErasureCertificate.from_json(text).scrubbed


def verify_erasure(store: Store, certificate: ErasureCertificate) -> ErasureCheck:
    """Check a certificate against the store: issued here, and nothing of it is back."""
    problems = []
    with store.read() as snapshot:
        db = snapshot.db
        if certificate.store_id != store.setting(db, "store_id"):
            problems.append("the certificate was issued by another store")
        issued = db.one("SELECT 1 FROM erasure WHERE certificate_hash = ?", (certificate.sealed(),))
        if issued is None:
            problems.append("the store has no record of this certificate, or it was altered")
            return ErasureCheck(tuple(problems))
        for batch in batched(certificate.frames):
            for table in ("frame", *_TABLES):
                clause = among("frame_id", batch)
                rows = db.all(f"SELECT DISTINCT frame_id FROM {table} WHERE {clause.sql}", clause.values)
                problems += [f"frame {row[0]} is still in {table}" for row in rows]
        key, erased = bytes.fromhex(certificate.key), set(certificate.hashes)
        for frame_id, name in db.all("SELECT frame_id, content_hash FROM frame"):
            if _keyed(key, bytes(name)) in erased:
                problems.append(f"the same content was remembered again as frame {frame_id}")
    return ErasureCheck(tuple(problems))


def _with_followers(tx: Transaction, ids: Sequence[int], parts: Sequence[Part]) -> list[int]:
    """The frames, their chunks, and whatever any part cannot keep without them."""
    doomed = with_chunks(tx.db, ids)
    while True:
        more = {frame_id for part in parts for frame_id in part.doomed(tx, doomed)} - set(doomed)
        if not more:
            return doomed
        doomed = with_chunks(tx.db, [*doomed, *sorted(more)])


def _remove(
    tx: Transaction, doomed: Sequence[int], parts: Iterable[Part], partitions: Sequence[str]
) -> dict[str, int]:
    counts: dict[str, int] = {}
    tx.db.run(OPEN_GATE)
    for part in reversed(list(parts)):
        for table, count in part.erased(tx, doomed).items():
            counts[table] = counts.get(table, 0) + count
    _unlink_successors(tx, doomed)
    for table in _TABLES:
        counts[table] = 0
        for batch in batched(doomed):
            clause = among("frame_id", batch)
            counts[table] += tx.db.run(f"DELETE FROM {table} WHERE {clause.sql}", clause.values)
    counts["frame"] = 0
    for condition in ("start_byte IS NOT NULL", "start_byte IS NULL"):  # chunks point to their parents
        for batch in batched(doomed):
            clause = among("frame_id", batch)
            counts["frame"] += tx.db.run(
                f"DELETE FROM frame WHERE {condition} AND {clause.sql}", clause.values
            )
    for table, count in remove_rows(tx.db, partitions).items():
        counts[table] = counts.get(table, 0) + count
    tx.db.run("DELETE FROM store_erasing")
    return {table: count for table, count in sorted(counts.items()) if count}


def _unlink_successors(tx: Transaction, doomed: Sequence[int]) -> None:
    """Frames that an erased one had superseded stay retired, and no longer say by what."""
    for batch in batched(doomed):
        clause = among("superseded_by", batch)
        rows = tx.db.all(
            f"SELECT {', '.join(COLUMNS)}, checksum FROM frame WHERE {clause.sql}", clause.values
        )
        rewrite(tx.db, [checked_row(row)._replace(superseded_by=None) for row in rows])


def _seal(tx: Transaction, number: int, certificate: ErasureCertificate) -> None:
    values = (number, certificate.erased_at, len(certificate.frames), certificate.sealed())
    tx.db.run(
        "INSERT INTO erasure (erasure_id, erased_at, frames, certificate_hash, checksum) "
        "VALUES (?, ?, ?, ?, ?) ON CONFLICT (erasure_id) DO UPDATE "
        "SET certificate_hash = excluded.certificate_hash, checksum = excluded.checksum",
        (*values, checksum(*values)),
    )


def _keyed(key: bytes, name: bytes) -> str:
    return hmac.new(key, name, hashlib.sha256).hexdigest()
