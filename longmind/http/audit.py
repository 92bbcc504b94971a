"""Requests as the audit log sees them, and the log itself as a page to GET."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from longmind.base.caller import calling
from longmind.http.service import Service
from longmind.operations import registry
from longmind.operations.values import plain


class Calling:
    """Middleware: whatever a request writes was written over HTTP."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with calling("http"):
            await self._app(scope, receive, send)


def audit_routes(service: Service) -> APIRouter:
    """`GET /audit`: the same answer as `POST /v1/audit/list`, for a browser or curl."""
    router = APIRouter()
    operation = registry.find("audit.list")

    @router.get("/audit", tags=["audit"], summary=operation.summary)
    async def read_log(
        request: Request,
        since: Annotated[str | None, Query(description="Only from this moment on.")] = None,
        until: Annotated[str | None, Query(description="Only before this moment.")] = None,
        action: Annotated[str | None, Query(description="Only this action or group of actions.")] = None,
        actor: Annotated[str | None, Query(description="Only what this actor did.")] = None,
        user: Annotated[str | None, Query(description="Only what concerns this user.")] = None,
        limit: Annotated[int, Query(description="At most this many.")] = 100,
        cursor: Annotated[str | None, Query(description="Where the page before ended.")] = None,
        space: Annotated[list[str] | None, Query(description="Spaces, or * for all.")] = None,
    ) -> Any:
        asked = {
            "since": since,
            "until": until,
            "action": action,
            "actor": actor,
            "user": user,
            "limit": limit,
            "cursor": cursor,
            "space": space,
        }
        inputs = {name: value for name, value in asked.items() if value is not None}
        return await service.answer(request, operation, inputs, plain)

    return router
