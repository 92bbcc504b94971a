"""Who calls a tool: over standard input the one who started the server, over HTTP the holder of a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from longmind.access.grants import Denied, Grant
from longmind.access.rules import is_offered
from longmind.memory import Memory
from longmind.operations.operation import Operation

if TYPE_CHECKING:
    from longmind.access.perform import Gateway

Ask = Callable[[Memory, Operation, Mapping[str, Any]], Any]
"""Does an operation on a memory, as far as the caller may."""

Scope = Mapping[str, Any] | None


class Callers:
    """What callers may do. Without a gateway there are no keys, and everything is allowed."""

    def __init__(self, gateway: Gateway | None = None) -> None:
        self._gateway = gateway

    def ask(self, scope: Scope) -> Ask:
        """How the caller behind a request does operations."""
        gateway = self._gateway
        if gateway is None:
            return lambda memory, operation, inputs: operation(memory, **inputs)
        grant = _grant(scope)
        return lambda memory, operation, inputs: gateway.perform(memory, grant, operation, inputs)

    def offers(self, scope: Scope) -> Callable[[Operation], bool]:
        """Which operations the caller gets to see."""
        if self._gateway is None:
            return lambda operation: True
        grant = _grant(scope)
        return lambda operation: is_offered(grant, operation)


def _grant(scope: Scope) -> Grant:
    """What the guard found out about the request; nothing is allowed if it was not asked."""
    from longmind.access.guard import GRANT

    grant = None if scope is None else scope.get(GRANT)
    if not isinstance(grant, Grant):
        raise Denied("no_key", "It is not known who asks.", hint="Send the request over HTTP with a key.")
    return grant
