"""How a server says no: one shape of JSON, whichever part of it refuses."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse


class Answer(JSONResponse):
    """JSON that can always be sent: half of a character, which a request may hold, is shown as `?`."""

    def render(self, content: Any) -> bytes:
        try:
            return super().render(content)
        except UnicodeEncodeError:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            return text.encode("utf-8", "replace")


def refusal(
    status: int, code: str, message: str, hint: str | None = None, *, retry: int | None = None, **more: Any
) -> JSONResponse:
    """An error as a response; `retry` says after how many seconds it is worth trying again."""
    headers = None if retry is None else {"Retry-After": str(retry)}
    body = {"error": {"code": code, "message": message, "hint": hint, **more}}
    return Answer(body, status, headers)
