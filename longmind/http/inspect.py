"""The Inspector at `/inspect`: its files for everybody, what they show under the same keys as every route."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from longmind.access.guard import grant_of
from longmind.access.refusals import Answer
from longmind.base.errors import InvalidInput
from longmind.base.json_text import parse_json
from longmind.http.service import Service
from longmind.inspect.assets import API, SECURITY, Asset, assets
from longmind.inspect.inspector import Inspector
from longmind.operations.values import plain


def inspect_routes(service: Service, *, write: bool) -> APIRouter:
    """The pages, and the questions they ask."""
    router = APIRouter()
    inspector = Inspector(service.memory, write=write)
    for path, asset in assets().items():
        router.add_api_route(path, _page(asset), methods=["GET", "HEAD"], include_in_schema=False)

    @router.post(f"{API}session", include_in_schema=False)
    def session(request: Request) -> JSONResponse:
        return _answer(inspector.session(grant_of(request.scope)))

    @router.post(f"{API}{{name}}", include_in_schema=False)
    async def call(name: str, request: Request) -> JSONResponse:
        try:
            inputs = parse_json((await request.body()).decode() or "{}")
        except ValueError:
            raise InvalidInput("The body is not valid JSON.", hint="Send a JSON object.") from None
        operation, arguments = inspector.prepare(name, inputs)
        return await service.answer(request, operation, arguments, lambda result: _answer(plain(result)))

    return router


def _page(asset: Asset) -> Any:
    def page(request: Request) -> Response:
        if request.headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=dict(asset.headers))
        return Response(asset.content, headers=dict(asset.headers))

    return page


def _answer(value: Any) -> JSONResponse:
    return Answer(value, headers={"Cache-Control": "no-store", **SECURITY})
