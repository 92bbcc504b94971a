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
from longmind.access.statuses import STATUSES
from longmind.base import errors
from longmind.base.errors import InvalidInput, LongmindError

_SEE_ROUTES: Final = "Operations are sent with POST to /v1/…; /docs lists them."
_REPORT: Final = "This is a defect of the server; its log has more."
_HINTS: Final = {
    errors.Busy.code: "Try again soon.",
    errors.Unavailable.code: "Try again later; the server's log has more.",
    errors.Corrupt.code: "Run `longmind verify --deep` on the store.",
    "error": _REPORT,
}
"""For errors that say nothing themselves about what to do next."""
_LONGEST_NAME: Final = 80
"""Characters of a name that came with the request: a refusal does not send back all that was sent."""


def report_errors(app: FastAPI) -> None:
    """Let every failure of a route become a refusal."""

    @app.exception_handler(LongmindError)
    def known(request: Request, error: LongmindError) -> Response:
        retry = getattr(error, "seconds", 1) if isinstance(error, errors.Busy) else None
        more = {"reason": error.reason} if isinstance(error, Denied) else {}
        status = STATUSES.get(error.code, 500)
        return refusal(status, error.code, error.message, _hint(request, error), retry=retry, **more)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        fields = [_problem(item) for item in error.errors()]
        message = "; ".join(f"{item['field']}: {item['message']}" for item in fields)
        return refusal(422, InvalidInput.code, message, _see_arguments(request), fields=fields)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        is_ours = error.status_code in (404, 405)
        code = "not_found" if error.status_code == 404 else "invalid_input"
        hint = _SEE_ROUTES if is_ours else _see_arguments(request)
        answer = refusal(error.status_code, code, str(error.detail), hint)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> Response:
        return refusal(500, "error", f"Unexpected {type(error).__name__}.", _REPORT)


def _hint(request: Request, error: LongmindError) -> str:
    """What to do next; where the error itself does not say, where to look."""
    if error.hint is not None:
        return error.hint
    return _HINTS.get(error.code) or _see_arguments(request)


def _see_arguments(request: Request) -> str:
    return f"The arguments of {request.url.path[:_LONGEST_NAME]} are described at /docs."


def _problem(item: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, and with which field."""
    if item["type"] == "json_invalid":
        reason = item.get("ctx", {}).get("error", item["msg"])
        return {"field": "body", "message": f"Invalid JSON: {reason} (character {item['loc'][-1]})"}
    return {"field": _field(item["loc"]), "message": str(item["msg"])}


def _field(location: Sequence[Any]) -> str:
    """The name of what was wrong, without where in the request it stood."""
    names = [str(part)[:_LONGEST_NAME] for part in location]
    return ".".join(names[1:]) or names[0] if names else "request"
