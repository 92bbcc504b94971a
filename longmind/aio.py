"""The same memory for asyncio: every call in a thread of its own, every name as it is."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager
from math import inf
from types import TracebackType
from typing import Any, Final, Generic, Literal, Self, TypeVar

from longmind.base.errors import Busy
from longmind.memory import Memory
from longmind.store.lease import LeasePolicy

Inner = TypeVar("Inner")

_FACES: Final = ("facts", "memories", "experience", "spaces")
"""Attributes that are interfaces of their own."""
_MAKERS: Final = ("conversation", "space")
"""Methods that only make such an interface, and do no work."""
_POLL_SECONDS: Final = 0.05
_END: Final = object()


class AsyncFace(Generic[Inner]):
    """Wraps any interface: methods become coroutines, iterators asynchronous, values stay what they are."""

    def __init__(self, inner: Inner) -> None:
        self._inner = inner

    @property
    def sync(self) -> Inner:
        """What is wrapped."""
        return self._inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in _FACES:
            return AsyncFace(found)
        if not callable(found):
            return found
        if name in _MAKERS:
            return lambda *given, **named: AsyncFace(found(*given, **named))
        if inspect.isgeneratorfunction(found):
            return functools.partial(_stepping, found)
        return functools.partial(asyncio.to_thread, found)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._inner)})

    def __repr__(self) -> str:
        return f"<asynchronous {self._inner!r}>"


class AsyncMemory(AsyncFace[Memory]):
    """`Memory` for asyncio.

    `async with AsyncMemory.open("agent.mind") as memory: await memory.remember("…")`
    """

    @classmethod
    def open(cls, location: str | os.PathLike[str], **options: Any) -> Opening[Self]:
        """Takes what `Memory.open` takes; to be awaited, or entered with `async with`."""

        async def make() -> Self:
            return cls(await asyncio.to_thread(Memory.open, location, **options))

        return Opening(make)

    @asynccontextmanager
    async def session(
        self, *, mode: Literal["read", "write"], policy: LeasePolicy | str | float = "wait"
    ) -> AsyncIterator[Self]:
        """As `Memory.session`; while it waits for another writer, other tasks go on."""
        patience = LeasePolicy.of(policy).seconds
        deadline = asyncio.get_running_loop().time() + (inf if patience is None else patience)
        while True:
            try:
                # Entered here and not in a thread: the session belongs to this task.
                held = self._inner.session(mode=mode, policy="fail" if mode == "write" else "wait")
                leave = held.__exit__  # given up with this frame, should an exception come before `try`
                held.__enter__()
                break
            except Busy:
                if asyncio.get_running_loop().time() >= deadline:
                    raise
                await asyncio.sleep(_POLL_SECONDS)
        try:
            yield self
        except BaseException as error:
            leave(type(error), error, error.__traceback__)
            raise
        else:
            leave(None, None, None)

    async def close(self) -> None:
        """Leave one file behind. Safe to call twice."""
        await asyncio.to_thread(self._inner.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


Opened = TypeVar("Opened", bound=AsyncMemory)


class Opening(Generic[Opened]):
    """A memory that is about to be opened."""

    def __init__(self, make: Callable[[], Awaitable[Opened]]) -> None:
        self._make = make
        self._opened: Opened | None = None

    def __await__(self) -> Generator[Any, Any, Opened]:
        return self._make().__await__()

    async def __aenter__(self) -> Opened:
        self._opened = await self._make()
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


async def _stepping(function: Callable[..., Iterator[Any]], *given: Any, **named: Any) -> AsyncIterator[Any]:
    steps = function(*given, **named)
    while (item := await asyncio.to_thread(next, steps, _END)) is not _END:
        yield item
