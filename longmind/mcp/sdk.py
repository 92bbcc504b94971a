"""The `mcp` package, versions 1 and 2, behind one interface.

Handlers take and give the protocol's own JSON objects. Only this module knows the package's classes, which
version 2 moved and renamed. Both versions must do: CrewAI and Semantic Kernel pin version 1, and version 2
speaks the newer protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from longmind.base.caller import calling

if TYPE_CHECKING:
    from pydantic import BaseModel
    from starlette.types import ASGIApp, Receive, Scope, Send

INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""From the parameters of a request to its result."""

_exceptions: Any = import_module("mcp.shared.exceptions")
_IS_FIRST: Final = not hasattr(_exceptions, "MCPError")
_types: Any = import_module("mcp.types" if _IS_FIRST else "mcp_types")
_server: Any = import_module("mcp.server.lowlevel")


_scope: ContextVar[Mapping[str, Any] | None] = ContextVar("scope", default=None)


def request_scope() -> Mapping[str, Any] | None:
    """The scope of the HTTP request that a handler answers; None over standard input and output."""
    return _scope.get()


class Refused(Exception):
    """Raised by a handler: the request is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def create_server(
    name: str,
    *,
    version: str,
    title: str,
    instructions: str,
    handlers: Mapping[str, Handler],
    input_schema: Callable[[str], dict[str, Any] | None],
) -> Any:
    """A server that answers with these handlers, named as version 2 names them: `list_tools`, `call_tool`.

    `input_schema` gives the schema of a tool's arguments; without it version 2
    lists all tools at every call over HTTP.
    """
    if not _IS_FIRST:
        named = {f"on_{verb}": _second(handler, _result(verb)) for verb, handler in handlers.items()}
        server = _server.Server(name, version=version, title=title, instructions=instructions, **named)
        server.get_tool_input_schema = input_schema  # an argument only from 2.3 on
        return server
    server = _server.Server(name, version=version, instructions=instructions)
    for verb, handler in handlers.items():
        # Not by the decorators, which check arguments against the schema and word refusals their own way.
        server.request_handlers[getattr(_types, f"{_camel(verb)}Request")] = _first(handler, _result(verb))
    return server


def http_app(server: Any, *, path: str, host: str, hosts: Iterable[str], origins: Iterable[str]) -> ASGIApp:
    """The server under a path, for requests to these hosts and from these origins only."""
    from mcp.server.transport_security import TransportSecuritySettings

    security = TransportSecuritySettings(allowed_hosts=list(hosts), allowed_origins=list(origins))
    if not _IS_FIRST:
        app: ASGIApp = server.streamable_http_app(
            streamable_http_path=path, transport_security=security, host=host
        )
        return app
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from starlette.applications import Starlette
    from starlette.routing import Route

    manager = StreamableHTTPSessionManager(server, security_settings=security)
    return Starlette(routes=[Route(path, endpoint=_Endpoint(manager))], lifespan=lambda _: manager.run())


class _Endpoint:
    """An object, because a route calls a function with a request and anything else as an application."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


def _first(handler: Handler, result: type[BaseModel]) -> Callable[[Any], Awaitable[Any]]:
    async def handle(request: Any) -> Any:
        context = _request_context()
        with calling("mcp", claim=_client(getattr(context, "session", None))):
            answer = await _answered(handler, result, request.params, getattr(context, "request", None))
            return _types.ServerResult(answer)

    return handle


def _second(handler: Handler, result: type[BaseModel]) -> Callable[[Any, Any], Awaitable[Any]]:
    async def handle(context: Any, params: Any) -> Any:
        with calling("mcp", claim=_client(getattr(context, "session", None))):
            return await _answered(handler, result, params, context.request)

    return handle


def _request_context() -> Any:
    """What version 1 keeps of the request that is being answered."""
    from mcp.server.lowlevel.server import request_ctx  # type: ignore[attr-defined,unused-ignore]

    return request_ctx.get(None)


def _client(session: Any) -> str | None:
    """What the client calls itself; it may say anything, and nothing."""
    params = getattr(session, "client_params", None)
    info = getattr(params, "clientInfo", None) or getattr(params, "client_info", None)
    name = getattr(info, "name", None)
    return name if isinstance(name, str) else None


async def _answered(
    handler: Handler, result: type[BaseModel], params: BaseModel | None, http_request: Any
) -> BaseModel:
    _scope.set(None if http_request is None else http_request.scope)
    fields = {} if params is None else params.model_dump(mode="json", by_alias=True, exclude_none=True)
    try:
        return result.model_validate(await handler(fields))
    except Refused as refused:
        if _IS_FIRST:
            data = _types.ErrorData(code=refused.code, message=refused.message, data=refused.data)
            raise _exceptions.McpError(data) from None
        raise _exceptions.MCPError(refused.code, refused.message, refused.data) from None


def _result(verb: str) -> type[BaseModel]:
    result: type[BaseModel] = getattr(_types, f"{_camel(verb)}Result")
    return result


def _camel(verb: str) -> str:
    return "".join(word.capitalize() for word in verb.split("_"))
