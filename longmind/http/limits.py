"""How much a request may take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may take, and how many there may be."""

    body_bytes: int = 16 * 2**20
    seconds: float = 60.0
    at_once: int = 64
    """Requests in progress; further ones are told to come back."""
    workers: int = 4
    """Requests worked on at the same time. More would only take turns, each with a connection of its own."""
    lasting: int = 2
    """Of those that may take minutes; they have workers of their own, so that the others need not wait."""
