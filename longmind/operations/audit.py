"""Operations on the audit log. Keys come from the process that opened the memory, never from a request."""

from __future__ import annotations

from typing import Final

from longmind.memory import Memory
from longmind.operations.operation import Operation

OPERATIONS: Final = (
    Operation("audit.list", Memory.audit, example={"limit": 20, "action": "erase"}),
    Operation("audit.head", Memory.audit_head, without=("algorithm",)),
    Operation("audit.check", Memory.audit_check, types={"head": str}, without=("algorithm",), lasting=True),
)
