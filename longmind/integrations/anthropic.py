"""Claude's memory tool over a Longmind memory: a virtual folder `/memories` of one user.

`client.beta.messages.tool_runner(..., tools=[LongmindMemoryTool(memory, user="ana")])`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from longmind.base.errors import LongmindError
from longmind.integrations.core import in_thread, missing
from longmind.integrations.folder import MemoryFolder
from longmind.memory import Memory

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        BetaFunctionToolResultType,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand as CreateCommand,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818DeleteCommand as DeleteCommand,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818InsertCommand as InsertCommand,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818RenameCommand as RenameCommand,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818StrReplaceCommand as StrReplaceCommand,
    )
    from anthropic.types.beta import (
        BetaMemoryTool20250818ViewCommand as ViewCommand,
    )
except ImportError as error:
    raise missing("the Anthropic SDK", "anthropic", error) from None


def _answer(work: Callable[[], str]) -> str:
    """What Claude reads: the answer, or what was wrong with the request."""
    try:
        return work()
    except LongmindError as error:
        return f"Error: {error}"


def _lines(command: ViewCommand) -> tuple[int, int] | None:
    span = command.view_range
    return None if not span or len(span) != 2 else (span[0], span[1])


class LongmindMemoryTool(BetaAbstractMemoryTool):
    """For `Anthropic` clients."""

    def __init__(
        self, memory: Memory, *, user: str | None = None, space: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._folder = MemoryFolder(memory, user=user, space=space)

    def view(self, command: ViewCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.view(command.path, _lines(command)))

    def create(self, command: CreateCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.create(command.path, command.file_text))

    def str_replace(self, command: StrReplaceCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.replace(command.path, command.old_str, command.new_str))

    def insert(self, command: InsertCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: DeleteCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.delete(command.path))

    def rename(self, command: RenameCommand) -> BetaFunctionToolResultType:
        return _answer(lambda: self._folder.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> BetaFunctionToolResultType:
        return _answer(self._folder.clear)


class AsyncLongmindMemoryTool(BetaAsyncAbstractMemoryTool):
    """For `AsyncAnthropic` clients: the same, without holding up the event loop."""

    def __init__(
        self, memory: Memory, *, user: str | None = None, space: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._tool = LongmindMemoryTool(memory, user=user, space=space)

    async def view(self, command: ViewCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.view, command)

    async def create(self, command: CreateCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.create, command)

    async def str_replace(self, command: StrReplaceCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.str_replace, command)

    async def insert(self, command: InsertCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.insert, command)

    async def delete(self, command: DeleteCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.delete, command)

    async def rename(self, command: RenameCommand) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> BetaFunctionToolResultType:
        return await in_thread(self._tool.clear_all_memory)
