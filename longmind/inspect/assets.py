"""The files of the pages: read from the package once, served with headers that keep them to themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

PREFIX: Final = "/inspect"
API: Final = f"{PREFIX}/api/"
_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final[Mapping[str, str]] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

SECURITY: Final[Mapping[str, str]] = {
    # Nothing but our own files runs, and nothing is sent anywhere else. Pictures may be in the answer itself.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file as it is served."""

    content: bytes
    headers: Mapping[str, str]

    @property
    def tag(self) -> str:
        return self.headers["ETag"]


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by its path in the address."""
    files = {
        f"{PREFIX}/{path.relative_to(_FOLDER).as_posix()}": _asset(path)
        for path in sorted(_FOLDER.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    page = files.pop(f"{PREFIX}/index.html")
    return {**files, PREFIX: page, f"{PREFIX}/": page}


def _asset(path: Path) -> Asset:
    content = path.read_bytes()
    headers = {
        "Content-Type": _TYPES[path.suffix],
        "ETag": f'"{hashlib.sha256(content).hexdigest()[:20]}"',
        # Asked again each time, and answered with "not modified": an upgrade is never half old.
        "Cache-Control": "no-cache",
        **SECURITY,
    }
    return Asset(content, headers)
