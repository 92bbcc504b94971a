"""How much a request may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take, and how many there may be."""

    body_bytes: int = 16 * 2**20
    seconds: float = 60.0
    at_once: int = 64
