"""Connections that send the head of a request too slowly are closed; uvicorn alone would wait for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

HEAD_SECONDS: Final = 10.0
"""For the request line and all headers together, however many pieces they come in."""
_LATE: Final = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


def timed_protocol(seconds: float, late: Callable[[], None]) -> type[asyncio.Protocol]:
    """The class for uvicorn's `http` option; `late` is called when a connection is given up."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class TimedProtocol(H11Protocol):
        """Waits for a head as long as is allowed. The body has limits of its own, in the guard."""

        _timer: asyncio.TimerHandle | None = None
        _began = False

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            self._began = True
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            super().send_400_response(msg)
            if self.cycle is not None:
                # Who was about to answer the same request finds that nobody waits for it.
                self.cycle.disconnected = True

        def _watch(self) -> None:
            """The time runs from the first byte of a head, or from the connection, to the end of the head."""
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._timer is None:
                self._timer = self.loop.call_later(seconds, self._give_up)

        def _stop(self) -> None:
            self._began = False
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _give_up(self) -> None:
            if self.transport.is_closing() or self.conn.their_state is not h11.IDLE:
                return
            if self._began:
                late()
                self.transport.write(_LATE)
            self.transport.close()

    return TimedProtocol
