"""Times as the JSON of a space writes them: RFC 3339."""

from __future__ import annotations

import re
from datetime import datetime

from longmind.base.errors import InvalidInput
from longmind.base.times import to_ms

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)")


def parse_rfc3339(value: object, name: str) -> int:
    """An instant with its zone, as unix milliseconds."""
    if isinstance(value, str) and _RFC3339.fullmatch(value.strip()):
        text = re.sub(r"(\.\d{6})\d+", r"\1", value.strip().upper().replace(" ", "T"))
        try:
            return to_ms(datetime.fromisoformat(text), name)
        except ValueError:
            pass
    raise InvalidInput(f"{name}: {value!r} is no RFC 3339 time.", hint="Write 2025-01-01T00:00:00Z.")


def instant(value: datetime | int | str | None, name: str) -> int | None:
    """A time as any caller may give it."""
    if value is None:
        return None
    return parse_rfc3339(value, name) if isinstance(value, str) else to_ms(value, name)
