"""How errors leave the server: one status per category, always the same JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from longmind.access.grants import Denied
from longmind.access.refusals import refusal
from longmind.base import errors
from longmind.base.errors import InvalidInput, LongmindError

STATUSES: Final = {
    errors.InvalidInput.code: 422,
    errors.NotFound.code: 404,
    errors.Conflict.code: 409,
    errors.Busy.code: 503,
    errors.OverBudget.code: 507,
    errors.Unavailable.code: 503,
    errors.MissingExtra.code: 501,
    errors.Unsupported.code: 501,
    errors.Corrupt.code: 500,
    errors.Forbidden.code: 403,
}
"""By the error's `code`; anything else is 500."""


def report_errors(app: FastAPI) -> None:
    """Let every failure of a route become a refusal."""

    @app.exception_handler(LongmindError)
    def known(request: Request, error: LongmindError) -> Response:
        retry = 1 if isinstance(error, errors.Busy) else None
        more = {"reason": error.reason} if isinstance(error, Denied) else {}
        return refusal(
            STATUSES.get(error.code, 500), error.code, error.message, error.hint, retry=retry, **more
        )

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        fields = [_problem(item) for item in error.errors()]
        message = "; ".join(f"{item['field']}: {item['message']}" for item in fields)
        return refusal(422, InvalidInput.code, message, fields=fields)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        code = "not_found" if error.status_code == 404 else "invalid_input"
        answer = refusal(error.status_code, code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        return refusal(500, "error", f"Unexpected {type(error).__name__}.")


def _problem(item: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, and with which field."""
    if item["type"] == "json_invalid":
        reason = item.get("ctx", {}).get("error", item["msg"])
        return {"field": "body", "message": f"Invalid JSON: {reason} (character {item['loc'][-1]})"}
    return {"field": _field(item["loc"]), "message": str(item["msg"])}


def _field(location: Sequence[Any]) -> str:
    """The name of what was wrong, without where in the request it stood."""
    names = [str(part) for part in location]
    return ".".join(names[1:]) or names[0] if names else "request"
