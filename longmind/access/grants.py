"""What whoever asks may do: which spaces, as which user, in which role."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from longmind.base.errors import Forbidden, InvalidInput
from longmind.base.names import canonical_space

Role = Literal["read", "write", "admin"]
ROLES: Final[tuple[Role, ...]] = ("read", "write", "admin")
"""From the least to the most: each may do what those before it may."""

ROLE_NAMES: Final = {"reader": "read", "writer": "write", "owner": "admin"}
"""What people call those who hold a role in a space: a reader may read, a writer write, an owner rule."""

EVERY_SPACE: Final = "*"
_BELOW: Final = "/*"
_MOST_USER_BYTES: Final = 256

Reason = Literal[
    "no_key", "unknown_key", "expired_key", "rate", "role", "space", "user", "files",
    "host", "origin", "framing", "content_type", "body_size", "slow", "busy",
]  # fmt: skip
"""Why a request was denied, as logs and metrics say it: never with anything from the request itself."""


class Denied(Forbidden):
    """A request that its key does not allow."""

    def __init__(self, reason: Reason, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason: Reason = reason


@dataclass(frozen=True, slots=True)
class Grant:
    """What one key, or the owner, may do."""

    spaces: tuple[str, ...]
    """Names, `team/*` for everything below a name, or `*` for every space."""
    role: Role = "read"
    user: str | None = None
    """The one user it acts as; None and not `any_user`: only the shared part of its spaces."""
    any_user: bool = False
    key_id: str | None = None

    @property
    def is_everywhere(self) -> bool:
        """Whether no space and no user is kept from it, so that the store as a whole is not either."""
        return EVERY_SPACE in self.spaces and self.any_user

    @property
    def home(self) -> str | None:
        """The space meant where none is named, if it has only one."""
        only = self.spaces[0] if len(self.spaces) == 1 else EVERY_SPACE
        return None if only.endswith(EVERY_SPACE) else only

    @property
    def names(self) -> tuple[str, ...] | None:
        """Its spaces, if they can be told without looking into a store."""
        return None if any(name.endswith(EVERY_SPACE) for name in self.spaces) else self.spaces

    def may(self, role: Role) -> bool:
        return ROLES.index(role) <= ROLES.index(self.role)

    def covers(self, space: str) -> bool:
        """Whether a space, by its canonical name, is one of its own."""
        return any(
            pattern in (EVERY_SPACE, space)
            or (pattern.endswith(_BELOW) and space.startswith(pattern.removesuffix(EVERY_SPACE)))
            for pattern in self.spaces
        )


OWNER: Final = Grant((EVERY_SPACE,), "admin", any_user=True)
"""Who has the server's token, or asks from this machine where there are no keys."""


def check_pattern(text: str) -> str:
    """A space, `name/*`, or `*`, in its canonical form."""
    pattern = text.strip()
    if pattern == EVERY_SPACE:
        return pattern
    if pattern.endswith(_BELOW):
        return canonical_space(pattern.removesuffix(_BELOW)) + _BELOW
    return canonical_space(pattern)


def check_user(user: str) -> str:
    """A user's name as it is compared: NFC, 1 to 256 bytes."""
    name = unicodedata.normalize("NFC", user)
    try:
        length = len(name.encode())
    except UnicodeEncodeError:
        length = 0
    if not 0 < length <= _MOST_USER_BYTES or "\0" in name:
        raise InvalidInput(
            "A user is named by 1 to 256 bytes of text.", hint="Give a shorter name, or leave out --user."
        )
    return name
