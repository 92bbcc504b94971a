"""What was erased is not read from texts again, until somebody states it on purpose.

Only keyed hashes are kept: which statement it was cannot be told from the store.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from longmind.base.errors import RESTORE_HINT, Corrupt
from longmind.base.hashing import checksum, encode_fields
from longmind.extract.conflicts import normal_value
from longmind.facts.canonical import canonical_text
from longmind.facts.slots import standard, wordings
from longmind.facts.values import Value, shown
from longmind.store.engine import Connection
from longmind.store.erasure import OPEN_GATE
from longmind.store.tables import Tables, put_setting
from longmind.store.transaction import Transaction
from longmind.store.visible import Clause

KEY: Final = "conversation.tombstone_key"


class TombstoneRow(NamedTuple):
    space: str
    name: bytes
    recorded_at: int


_TOMBSTONES: Final = Tables({TombstoneRow: "conversation_tombstone"}, keys={TombstoneRow: 2})


def statement_fields(subject: str, predicate: str, value: Value, *, holds: bool = True) -> list[str]:
    """What makes two statements one, however they are worded: `loves` and `likes` say the same."""
    slot = wordings(canonical_text(standard(predicate)))[0]
    polarity_word = "holds" if holds else "denied"
    return ["statement", canonical_text(subject), slot, normal_value(shown(value)), polarity_word]


def keyed(secret: str, space: str, fields: Sequence[str]) -> bytes:
    return hmac.new(bytes.fromhex(secret), encode_fields([space, *fields]), hashlib.sha256).digest()


def secret_of(tx: Transaction, space: str) -> str | None:
    """The key of the hashes; None where nothing is suppressed in this part of a space."""

    def is_there() -> bool:
        sql = "SELECT 1 FROM conversation_tombstone WHERE space = ? LIMIT 1"
        return tx.db.one(sql, (space,)) is not None

    return _secret(tx.db) if tx.known("conversation_tombstone", space, is_there) else None


def _secret(db: Connection) -> str | None:
    row = db.one("SELECT value, checksum FROM store_setting WHERE name = ?", (KEY,))
    if row is not None and row[1] != checksum(KEY, row[0]):
        raise Corrupt(f"The setting {KEY} is damaged.", hint=RESTORE_HINT)
    return None if row is None else str(row[0])


def suppressed(db: Connection, space: str, names: Iterable[bytes]) -> set[bytes]:
    """Those of some names that are not to be read again."""
    also = Clause("x.space = ?", (space,))
    return {row.name for row in _TOMBSTONES.select_among(db, TombstoneRow, "name", set(names), also)}


def suppress(
    tx: Transaction, space: str, statements: Iterable[Sequence[str]], *, entropy: Callable[[int], bytes]
) -> None:
    """Note what is not to be read again."""
    listed = list(statements)
    if not listed:
        return
    secret = _secret(tx.db)
    if secret is None:
        secret = entropy(32).hex()
        assert tx.system
        put_setting(tx.db, KEY, secret)
    names = {keyed(secret, space, fields) for fields in listed}
    missing = sorted(names - suppressed(tx.db, space, names))
    _TOMBSTONES.insert(tx.db, [TombstoneRow(space, name, tx.system) for name in missing])


def lift(tx: Transaction, space: str, statements: Iterable[Sequence[str]]) -> int:
    """Let some statements be read again, because somebody made one on purpose."""
    secret = secret_of(tx, space)
    if secret is None:
        return 0
    names = suppressed(tx.db, space, {keyed(secret, space, fields) for fields in statements})
    if not names:
        return 0
    assert tx.system
    opened = tx.db.one("SELECT 1 FROM store_erasing") is None
    if opened:
        tx.db.run(OPEN_GATE)
    _TOMBSTONES.delete(tx.db, [TombstoneRow(space, name, 0) for name in names])
    if opened:
        tx.db.run("DELETE FROM store_erasing")
    return len(names)
