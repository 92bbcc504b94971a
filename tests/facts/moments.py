"""Moments, and what is held at them, for the tests of the ledger."""

from __future__ import annotations

from typing import Any

from longmind import AsOf
from tests.conftest import START
from tests.facts.conftest import World

DAY = 86_400_000
T0, T1, T2, T3 = (START + days * DAY for days in (-400, -200, -100, -50))
FOREVER = AsOf.LATEST.system


def valid_at(moment: int) -> AsOf:
    return AsOf(system=FOREVER, valid=moment)


def values(
    world: World, as_of: AsOf = AsOf.LATEST, subject: str = "ana", predicate: str = "lives_in"
) -> list[Any]:
    return [hit.fact.object for hit in world.facts.about(subject, predicate=predicate, as_of=as_of)]
