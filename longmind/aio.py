"""The same memory for asyncio: every call in a thread of its own, every name as it is."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from functools import partial
from math import inf
from types import TracebackType
from typing import Any, Final, Generic, Literal, Self, TypeVar

from longmind.base.errors import Busy
from longmind.memory import Memory
from longmind.store.lease import LeasePolicy

Inner = TypeVar("Inner")
Answer = TypeVar("Answer")

_PARTS: Final = ("facts", "memories", "experience", "spaces", "media")
"""Attributes that are interfaces of their own."""
_HANDLES: Final = ("conversation", "space")
"""Methods that only return such an interface, and do no work."""
_INGESTS: Final = ("ingest", "photos", "videos", "audio", "import_from")
"""Methods that can be stopped between two files."""
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
        attribute = getattr(self._inner, name)
        if name in _PARTS:
            return AsyncFace(attribute)
        if not callable(attribute):
            return attribute
        if name in _HANDLES:
            return lambda *args, **options: AsyncFace(attribute(*args, **options))
        if inspect.isgeneratorfunction(attribute):
            return partial(_steps, attribute)
        if name in _INGESTS:
            return partial(_stoppable, attribute)
        return partial(_in_thread, attribute)

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
            opened: list[Memory] = []
            try:
                await _in_thread(lambda: opened.append(Memory.open(location, **options)))
            except asyncio.CancelledError:
                for memory in opened:  # nobody will get it, so nobody else would close it
                    await _in_thread(memory.close)
                raise
            return cls(opened[0])

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
                session = self._inner.session(mode=mode, policy="fail" if mode == "write" else "wait")
                leave = session.__exit__  # given up with this frame, should an exception come before `try`
                session.__enter__()
                break
            except Busy:
                if asyncio.get_running_loop().time() >= deadline:
                    raise
                await asyncio.sleep(_POLL_SECONDS)
        try:
            yield self
        except BaseException as error:  # whatever ends the block, the lease learns of it and ends too
            leave(type(error), error, error.__traceback__)
            raise
        else:
            leave(None, None, None)

    async def close(self) -> None:
        """Leave one file behind. Safe to call twice."""
        await _in_thread(self._inner.close)

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


async def _in_thread(function: Callable[..., Answer], *args: Any, **options: Any) -> Answer:
    """Call a function in a thread, in the session of this task."""
    return await _run(partial(function, *args, **options))


async def _stoppable(function: Callable[..., Answer], *args: Any, **options: Any) -> Answer:
    """A call that asks `cancelled` between two documents: told to stop when its task is cancelled."""
    stop, own_check = threading.Event(), options.pop("cancelled", None)

    def cancelled() -> bool:
        return stop.is_set() or (own_check is not None and bool(own_check()))

    return await _run(partial(function, *args, cancelled=cancelled, **options), on_cancel=stop.set)


async def _run(call: Callable[[], Answer], on_cancel: Callable[[], None] | None = None) -> Answer:
    """A task that is cancelled waits for its thread, because a thread cannot be stopped.

    Otherwise the session of the task would end while the thread still reads its snapshot or writes under its
    lease, and whoever gets the connection next would find it in use.
    """
    thread = asyncio.get_running_loop().run_in_executor(None, copy_context().run, call)
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        if on_cancel is not None:
            on_cancel()
        while not thread.done():
            with suppress(asyncio.CancelledError):  # cancelled again: there is still nothing to do but wait
                await asyncio.wait([thread])
        thread.exception()  # looked at, so that asyncio does not report it as never retrieved
        raise


async def _steps(function: Callable[..., Iterator[Any]], *args: Any, **options: Any) -> AsyncIterator[Any]:
    iterator = function(*args, **options)
    while (item := await _in_thread(next, iterator, _END)) is not _END:
        yield item
