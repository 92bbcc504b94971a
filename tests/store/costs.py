"""What an act costs, counted in pages that SQLite looks at: the same on every machine, unlike time."""

from __future__ import annotations

import apsw


def pages_read() -> int:
    """Pages that all connections of this process have looked at so far, in memory or not."""
    counters = (apsw.SQLITE_DBSTATUS_CACHE_HIT, apsw.SQLITE_DBSTATUS_CACHE_MISS)
    return sum(connection.status(counter)[0] for connection in apsw.connections() for counter in counters)
