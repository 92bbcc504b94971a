"""How a server answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from longmind.base.errors import InvalidInput

Profile = Literal["default", "full", "memory"]
"""`memory` has the tools of the reference MCP memory server."""
MAX_TOKENS: Final = 4000
LEAST_TOKENS: Final = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """Which tools there are, how long an answer may be, and where files may be."""

    profile: Profile = "default"
    max_tokens: int = MAX_TOKENS
    files: Path | None = None
    """The folder for paths that tools take; None refuses all."""

    def __post_init__(self) -> None:
        if self.max_tokens < LEAST_TOKENS:
            raise InvalidInput(
                f"max_tokens is {self.max_tokens}.", hint=f"An answer needs at least {LEAST_TOKENS}."
            )
