"""One way for every server to do an operation for whoever asks: allowed, counted, and only then done."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from longmind.access.confine import admit, visible_part
from longmind.access.grants import Denied, Grant, Reason
from longmind.access.keyring import KeyRing
from longmind.access.metrics import Metrics
from longmind.base.caller import calling
from longmind.base.errors import LongmindError
from longmind.memory import Memory, without_default_user
from longmind.operations.operation import Operation
from longmind.store.audit import note

_log = logging.getLogger("longmind.access")
_NOBODY: Final = "-"


class Gateway:
    """Does operations on behalf of grants; `face` is how the request came: http or mcp."""

    def __init__(self, metrics: Metrics, *, face: str, keys: KeyRing | None = None) -> None:
        self._metrics = metrics
        self._face = face
        self._keys = keys
        self._used: set[tuple[str, str]] = set()
        """Stores and keys whose first use by this process is in the audit log."""

    def perform(
        self,
        memory: Memory,
        grant: Grant,
        operation: Operation,
        inputs: Mapping[str, Any],
        *,
        files: Callable[[Operation, Mapping[str, Any]], dict[str, Any]] | None = None,
    ) -> Any:
        """The operation's answer, as far as the key may see it; `Denied` before anything is done.

        `files` turns paths among the arguments into those of this machine, or refuses them.
        """
        try:
            admitted = admit(grant, operation, inputs, home=memory.default_space)
        except Denied as denied:
            self.denied(denied.reason, operation=operation.name, key_id=grant.key_id)
            raise
        for action, key_id in () if self._keys is None else self._keys.take_changes():
            self._note_key(memory, action, key_id)
        if grant.key_id is not None:
            self._note_use(memory, grant.key_id)
        outcome = "error"
        try:
            arguments = admitted.inputs if files is None else files(operation, admitted.inputs)
            # The user that the server was started for is one of those that such a key may not be.
            seen = memory if grant.any_user else without_default_user(memory)
            with calling(actor=None if grant.key_id is None else f"key:{grant.key_id}"):
                answer = visible_part(grant, operation, operation(seen, **arguments))
            outcome = "ok"
        finally:
            self._metrics.count_spaces(admitted.spaces, operation.effect, outcome)
        return answer

    def _note_use(self, memory: Memory, key_id: str) -> None:
        """Put down the first use of a key since the server began; not every request, or reads would write."""
        used = (memory.store.engine.location, key_id)
        if used in self._used:
            return
        self._used.add(used)
        self._note_key(memory, "key.use", key_id)

    def _note_key(self, memory: Memory, action: str, key_id: str) -> None:
        try:
            with calling(self._face):
                note(memory.store, action, actor=f"key:{key_id}")
        except LongmindError as error:  # the store is busy or full: whoever only reads must not wait for it
            _log.warning("%s of key %s is not in the audit log: %s", action, key_id, error.message)

    def denied(self, reason: Reason, *, operation: str = _NOBODY, key_id: str | None = None) -> None:
        """Count and log a denied request: why, what and which key, and nothing that was sent."""
        self._metrics.count_denied(self._face, reason)
        _log.warning(
            "denied: face=%s reason=%s operation=%s key=%s", self._face, reason, operation, key_id or _NOBODY
        )
