"""Long-term memory for AI agents, in one file."""

from __future__ import annotations

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
from recollect.ingest.report import IngestReport
from recollect.memory import Memory
from recollect.store.erasure import ErasureCertificate
from recollect.store.lease import timeout
from recollect.store.upkeep import MaintenancePolicy

__version__ = "0.1.0"

__all__ = [
    "ALL",
    "AsOf",
    "Busy",
    "Clock",
    "Conflict",
    "Corrupt",
    "ErasureCertificate",
    "Forbidden",
    "Frame",
    "FrozenClock",
    "IngestReport",
    "InvalidInput",
    "Kind",
    "MaintenancePolicy",
    "Memory",
    "MissingExtra",
    "NotFound",
    "OverBudget",
    "RecollectError",
    "SystemClock",
    "Unavailable",
    "Unsupported",
    "Where",
    "timeout",
]
