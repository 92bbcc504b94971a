"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.asynchronous import AsyncMemory
    from recollect.base.clock import Clock, FrozenClock, SystemClock
    from recollect.base.errors import (
        Busy,
        Conflict,
        Corrupt,
        Forbidden,
        InvalidInput,
        MissingExtra,
        NotFound,
        OverBudget,
        RecollectError,
        Unavailable,
        Unsupported,
    )
    from recollect.base.filters import Where
    from recollect.base.frame import Frame, Kind
    from recollect.base.names import ALL
    from recollect.base.times import AsOf
    from recollect.context.items import Context
    from recollect.context.receipt import Receipt
    from recollect.context.recipe import LaneRecipe, Recipe
    from recollect.facts.values import OPEN, Entity, Evidence
    from recollect.ingest.budget import IngestBudget
    from recollect.ingest.report import IngestReport
    from recollect.memory import Memory
    from recollect.search.results import Hit, SearchResults
    from recollect.store.erasure import ErasureCertificate
    from recollect.store.lease import timeout
    from recollect.store.upkeep import MaintenancePolicy

__version__ = "0.1.0"

_HOMES = {
    "asynchronous": ("AsyncMemory",),
    "base.clock": ("Clock", "FrozenClock", "SystemClock"),
    "base.errors": (
        "Busy",
        "Conflict",
        "Corrupt",
        "Forbidden",
        "InvalidInput",
        "MissingExtra",
        "NotFound",
        "OverBudget",
        "RecollectError",
        "Unavailable",
        "Unsupported",
    ),
    "base.filters": ("Where",),
    "base.frame": ("Frame", "Kind"),
    "base.names": ("ALL",),
    "base.times": ("AsOf",),
    "context.items": ("Context",),
    "context.receipt": ("Receipt",),
    "context.recipe": ("LaneRecipe", "Recipe"),
    "facts.values": ("OPEN", "Entity", "Evidence"),
    "ingest.budget": ("IngestBudget",),
    "ingest.report": ("IngestReport",),
    "memory": ("Memory",),
    "search.results": ("Hit", "SearchResults"),
    "store.erasure": ("ErasureCertificate",),
    "store.lease": ("timeout",),
    "store.upkeep": ("MaintenancePolicy",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALL",
    "OPEN",
    "AsOf",
    "AsyncMemory",
    "Busy",
    "Clock",
    "Conflict",
    "Context",
    "Corrupt",
    "Entity",
    "ErasureCertificate",
    "Evidence",
    "Forbidden",
    "Frame",
    "FrozenClock",
    "Hit",
    "IngestBudget",
    "IngestReport",
    "InvalidInput",
    "Kind",
    "LaneRecipe",
    "MaintenancePolicy",
    "Memory",
    "MissingExtra",
    "NotFound",
    "OverBudget",
    "Receipt",
    "Recipe",
    "RecollectError",
    "SearchResults",
    "SystemClock",
    "Unavailable",
    "Unsupported",
    "Where",
    "timeout",
]


def __getattr__(name: str) -> Any:
    """Each name is loaded when it is first used, so that `import recollect` costs next to nothing."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    value = getattr(import_module(f"recollect.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
