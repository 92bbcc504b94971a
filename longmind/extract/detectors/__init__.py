"""Detectors of personal data, by what they look for, and what they yield."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of a string that is personal data of some kind, by the named rule."""

    kind: str
    start: int
    end: int
    rule: str
