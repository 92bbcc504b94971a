"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# onnxruntime, which runs the models, has telemetry unless it is told otherwise before it is loaded. Nothing
# leaves a machine because of Longmind; a variable that is set already is left as it is.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if TYPE_CHECKING:
    from longmind.aio import AsyncMemory
    from longmind.base.errors import (
        Busy,
        Conflict,
        Corrupt,
        Forbidden,
        InvalidInput,
        LongmindError,
        MissingExtra,
        NotFound,
        OverBudget,
        Unavailable,
        Unsupported,
    )
    from longmind.base.filters import Where
    from longmind.base.frame import Frame, Kind
    from longmind.base.names import ALL
    from longmind.base.times import AsOf, Clock, SystemClock
    from longmind.context.items import Context
    from longmind.context.receipt import Receipt
    from longmind.context.recipe import LaneRecipe, Recipe
    from longmind.facts.predicates import KnownPredicate
    from longmind.facts.values import OPEN, Entity, Evidence
    from longmind.ingest.budget import IngestBudget
    from longmind.ingest.report import IngestReport
    from longmind.media.tools import MediaTools
    from longmind.memory import Memory
    from longmind.search.results import Hit, SearchResults
    from longmind.store.erasure import ErasureCertificate
    from longmind.store.lease import timeout
    from longmind.store.upkeep import MaintenancePolicy
    from longmind.testing import FrozenClock

__version__ = "0.1.0"

_HOMES = {
    "aio": ("AsyncMemory",),
    "base.errors": (
        "Busy",
        "Conflict",
        "Corrupt",
        "Forbidden",
        "InvalidInput",
        "MissingExtra",
        "NotFound",
        "OverBudget",
        "LongmindError",
        "Unavailable",
        "Unsupported",
    ),
    "base.filters": ("Where",),
    "base.frame": ("Frame", "Kind"),
    "base.names": ("ALL",),
    "base.access": ("Access",),
    "base.times": ("AsOf", "Clock", "SystemClock"),
    "context.items": ("Context",),
    "context.receipt": ("Receipt",),
    "context.recipe": ("LaneRecipe", "Recipe"),
    "facts.predicates": ("KnownPredicate",),
    "facts.values": ("OPEN", "Entity", "Evidence"),
    "ingest.budget": ("IngestBudget",),
    "ingest.report": ("IngestReport",),
    "media.tools": ("MediaTools",),
    "memory": ("Memory",),
    "search.results": ("Hit", "SearchResults"),
    "store.erasure": ("ErasureCertificate",),
    "store.lease": ("timeout",),
    "store.upkeep": ("MaintenancePolicy",),
    "testing": ("FrozenClock",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALL",
    "OPEN",
    "Access",
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
    "KnownPredicate",
    "LaneRecipe",
    "LongmindError",
    "MaintenancePolicy",
    "MediaTools",
    "Memory",
    "MissingExtra",
    "NotFound",
    "OverBudget",
    "Receipt",
    "Recipe",
    "SearchResults",
    "SystemClock",
    "Unavailable",
    "Unsupported",
    "Where",
    "timeout",
]


def __getattr__(name: str) -> Any:
    """Each name is loaded when it is first used, so that `import longmind` costs next to nothing."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'longmind' has no attribute {name!r}")
    value = getattr(import_module(f"longmind.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
