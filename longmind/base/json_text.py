"""JSON that somebody else wrote."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; `ValueError` for whatever cannot be read.

    `json.loads` says `RecursionError` of a text that is nested too deeply, which those who expect a
    `ValueError` do not catch, and a few kilobytes of brackets are enough for it.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
