"""Whether a request comes from a page of another site: browsers say so, and other programs do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from longmind.access.grants import Denied
from longmind.base.errors import InvalidInput

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing. A page elsewhere may send them, and cannot read the answer."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "::1")
_PORTS: Final = {"http": 80, "https": 443}
_OWN_SITE: Final = ("same-origin", "none")

Headers = Mapping[str, str]
"""The headers of a request, whichever server received it; names in lower case."""


def check_origin_name(text: str) -> str:
    """An origin that may be allowed: scheme, host and port, as browsers write it."""
    try:
        parts = urlsplit(text.strip().rstrip("/"))
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_origin = parts.scheme in _PORTS and parts.hostname and "@" not in parts.netloc
    if not is_origin or parts.path or parts.query or parts.fragment:
        raise InvalidInput(
            f"{text!r} is not an origin.", hint="Write scheme, host and port: https://app.example:8443"
        )
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{shown}"


class OriginCheck:
    """Refuses what a page of another origin sends, unless that origin is allowed."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = tuple(dict.fromkeys(check_origin_name(origin) for origin in allowed))

    def check(self, method: str, headers: Headers) -> None:
        """`Denied` for an unsafe method from elsewhere.

        A program that is not a browser sends neither header. A browser sends Origin with every unsafe
        method, and a page cannot change it.
        """
        if method in SAFE_METHODS:
            return
        origin = headers.get("origin")
        if origin is not None:
            if origin in self.allowed or _is_same(origin, headers.get("host", "")):
                return
        elif headers.get("sec-fetch-site", "none").lower() in _OWN_SITE:
            return
        raise Denied(
            "origin",
            "Pages of other origins may not use this server.",
            hint="To allow one, start the server with --allow-origin ORIGIN.",
        )


def check_content_type(method: str, headers: Headers) -> None:
    """A body must say that it is JSON: a form on any page can send other types without being asked."""
    if method in SAFE_METHODS:
        return
    declared = headers.get("content-type")
    if declared is None and not _has_body(headers):
        return
    kind = (declared or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Denied(
            "content_type", "The body must be JSON.", hint="Send the header Content-Type: application/json."
        )


def host_name(header: str) -> str:
    """The name in a Host header, without its port."""
    name = header.strip().lower()
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _is_same(origin: str, host: str) -> bool:
    """Whether a page was loaded from the address that it now asks; a proxy may have ended its TLS."""
    try:
        page = urlsplit(origin)
        host_parts = urlsplit(f"{page.scheme}://{host}")
        return (
            page.scheme in _PORTS
            and page.hostname is not None
            and page.hostname == host_parts.hostname
            and (page.port or _PORTS[page.scheme]) == (host_parts.port or _PORTS[page.scheme])
        )
    except ValueError:
        return False
