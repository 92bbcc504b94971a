"""What every route does with a request: find out who asks, and do the operation in its lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from starlette.requests import Request

from longmind.access.guard import BODY_BYTES, grant_of
from longmind.access.perform import Gateway
from longmind.http.lanes import Lanes
from longmind.memory import Memory
from longmind.operations import registry
from longmind.operations.files import confined
from longmind.operations.operation import Operation

T = TypeVar("T")


class Service:
    """One memory behind one server; `files` is the folder for paths on this machine, None for none."""

    def __init__(self, memory: Memory, gateway: Gateway, lanes: Lanes, *, files: str | None) -> None:
        self.memory = memory
        self._gateway = gateway
        self._lanes = lanes
        self._files = files

    def _confined(self, operation: Operation, inputs: Mapping[str, Any]) -> dict[str, Any]:
        return confined(operation, inputs, self._files)

    async def answer(
        self,
        request: Request,
        operation: str | Operation,
        inputs: Mapping[str, Any],
        shape: Callable[[Any], T],
    ) -> T:
        """The shaped answer of an operation, for whoever sent the request."""
        action = registry.find(operation) if isinstance(operation, str) else operation
        grant = grant_of(request.scope)

        def work() -> T:
            return shape(self._gateway.perform(self.memory, grant, action, inputs, files=self._confined))

        return await self._lanes.run(action, work, body_bytes=request.scope.get(BODY_BYTES, 0))
