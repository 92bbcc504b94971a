"""The redactor that a space's policy asks for."""

from __future__ import annotations

from longmind.extract.redaction import FLAGS
from longmind.extract.redaction import Redactor as _Redactor
from longmind.spaces.policies import Policy

__all__ = ["FLAGS", "Redactor"]


class Redactor(_Redactor):
    """Applies one policy to one object's texts, and collects the flags of what it found."""

    def __init__(self, policy: Policy, key: bytes) -> None:
        super().__init__(policy.detectors, policy.patterns, key)
