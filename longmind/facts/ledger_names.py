"""Which words may name something in a ledger, kept in memory from one write to the next.

A turn asks for dozens of words, and hardly any is a name. What may be one is looked up, so too many do no
harm: names that were taken away stay here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from longmind.store.transaction import Transaction

_MOST: Final = 10_000
"""Names of one ledger. Where there are more, every word may be one."""
# The limit is written out: SQLite prepares a statement anew at every call if its limit is a parameter.
_KEYS: Final = f"SELECT key_norm FROM fact_entity e WHERE {{}} LIMIT {_MOST + 1}"
_ALIASES: Final = (
    "SELECT a.alias_norm FROM fact_alias a JOIN fact_entity e ON e.entity_id = a.entity_id "
    f"WHERE {{}} LIMIT {_MOST + 1}"
)
_ALL: Final = "e.ledger = ? AND {} > ?"
_LATER: Final = "(e.ledger || '') = ? AND {} > ?"
"""By number, and not by the index of ledgers: of thousands of names a few are new."""


class LedgerNames:
    """The normal forms of keys and aliases, as far as their numbers have been given out."""

    def __init__(self, ledger: str) -> None:
        self._ledger = ledger
        self._transactions = 0
        self._seen_by: Transaction | None = None
        self._keys = _Numbered("fact_entity", _KEYS, "e.entity_id")
        self._aliases = _Numbered("fact_alias", _ALIASES, "a.alias_id")

    def advance(self, tx: Transaction) -> None:
        """Go on in a transaction; before each look."""
        if self._seen_by is not tx:
            self._seen_by = tx
            self._transactions += 1

    def keys_among(self, norms: Collection[str]) -> Collection[str]:
        """Those that may be keys of entities."""
        return self._among(self._keys, norms)

    def names_among(self, norms: Collection[str]) -> Collection[str]:
        """Those that may be names of entities."""
        return self._among(self._aliases, norms)

    def _among(self, numbered: _Numbered, norms: Collection[str]) -> Collection[str]:
        assert self._seen_by is not None
        # Who writes once asks for a few names only, and does not read all of them for that.
        if self._transactions < 2 or not numbered.advance(self._seen_by, self._ledger):
            return norms
        return [norm for norm in norms if norm in numbered.norms]


class _Numbered:
    """Normal forms in rows whose numbers are given out in order and never again."""

    def __init__(self, counter: str, sql: str, number: str) -> None:
        self.norms: set[str] = set()
        self._counter = counter
        self._all, self._later = (sql.format(part.format(number)) for part in (_ALL, _LATER))
        self._last = 0
        self._is_full = False

    def advance(self, tx: Transaction, ledger: str) -> bool:
        """Read what is new; False where that is too much to keep."""
        last = tx.last_number(self._counter)
        if last > self._last and not self._is_full:
            rows = tx.db.all(self._later if self._last else self._all, (ledger, self._last))
            self._is_full = len(rows) > _MOST - len(self.norms)
            self.norms.update(str(norm) for (norm,) in rows)
            self._last = last
        return not self._is_full
