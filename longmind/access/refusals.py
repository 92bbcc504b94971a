"""How a server says no: one shape of JSON, whichever part of it refuses."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse


def refusal(
    status: int, code: str, message: str, hint: str | None = None, *, retry: int | None = None, **more: Any
) -> JSONResponse:
    """An error as a response; `retry` says after how many seconds it is worth trying again."""
    headers = None if retry is None else {"Retry-After": str(retry)}
    body = {"error": {"code": code, "message": message, "hint": hint, **more}}
    return JSONResponse(body, status, headers)
