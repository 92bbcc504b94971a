"""The status of an HTTP answer for each kind of error, for whichever server gives it."""

from __future__ import annotations

from typing import Final

from longmind.access.grants import Reason
from longmind.base import errors

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

DENIED: Final[dict[Reason, int]] = {
    "no_key": 401,
    "unknown_key": 401,
    "expired_key": 401,
    "framing": 400,
    "slow": 408,
    "body_size": 413,
    "content_type": 415,
    "rate": 429,
    "busy": 503,
}
"""By the reason of a denial; anything else is 403."""
