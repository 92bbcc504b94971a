"""A small HTTP client on the standard library: for model servers, downloads, and our own server.

Every exchange has a deadline and a limit on the size of the answer, uses a connection of its own, and follows
no redirect to another host. Messages name the address, never a key.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urljoin, urlsplit

from longmind.base.errors import InvalidInput, LongmindError, Unavailable
from longmind.base.json_text import parse_json

if TYPE_CHECKING:
    from http.client import HTTPResponse

Failure = Literal[
    "timeout", "unreachable", "interrupted", "too_large", "redirect", "status", "not_json", "bad_answer"
]
"""`unreachable`: nothing was sent. `interrupted`: the connection broke after it stood, so that the server may
have done what it was asked for."""

RETRIED: Final = frozenset({429, 500, 502, 503, 504, 529})
"""Statuses that mean "not now": too many requests, and servers that are overloaded or restarting."""

_BLOCK: Final = 1 << 16
_REDIRECTS: Final = 5
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_KEY: Final = re.compile(r"[\x21-\x7e]+")


class HttpFailed(Unavailable):
    """A server could not be asked, or gave no usable answer. `failure` says why; `status` is its status."""

    def __init__(
        self,
        message: str,
        *,
        failure: Failure = "unreachable",
        status: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.failure = failure
        self.status = status


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered; `retry_after` is how many seconds it asks us to wait, or 0."""

    status: int
    body: bytes
    retry_after: float = 0.0


def check_address(url: str) -> str:
    """The address of a server, if it can be used and holds no secret that a message would show."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise InvalidInput(
            f"An endpoint's address cannot be read: {error}.",
            hint="Write it in full: https://host:port/path.",
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInput(
            "An endpoint's address begins with http:// or https:// and names a host.",
            hint="Write it in full: https://host:port/path.",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput(
            "An endpoint's address cannot contain a user, password, query or fragment.",
            hint="Give the key as api_key.",
        )
    return url


def check_key(key: str | None) -> str | None:
    """An API key that can be sent in a header. The message does not repeat it."""
    if key is not None and not _KEY.fullmatch(key):
        raise InvalidInput(
            "The API key contains characters that are not allowed in one; is it empty, or has it a newline?",
            hint="Copy the key again, without quotes or line ends.",
        )
    return key


def exchange(
    method: str,
    url: str,
    *,
    timeout: float,
    most_bytes: int,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    name: str | None = None,
) -> Response:
    """Send one request and read the whole answer, within `timeout` seconds; any status is an answer.

    `name` is what messages call the server; its address, unless something else is given.
    """
    deadline = time.monotonic() + timeout
    with _open(method, url, timeout, headers or {}, body, name or url) as response:
        content = bytearray()
        while block := response.read1(_BLOCK):
            content += block
            if len(content) > most_bytes:
                raise HttpFailed(f"{name or url} sent more than {most_bytes >> 20} MiB.", failure="too_large")
            # The socket's timeout starts again with every block, so a server that sends one byte at a time
            # would never reach it.
            if time.monotonic() > deadline:
                raise TimeoutError
        return Response(response.status, bytes(content), _seconds(response.getheader("Retry-After")))


@contextmanager
def download(url: str, *, timeout: float) -> Iterator[IO[bytes]]:
    """The body of a public file as a stream; `timeout` is for each read.

    For files whose hash is checked afterwards: unlike elsewhere, redirects to other hosts are followed (model
    hubs serve large files from mirrors) and the proxies of the environment are used, as pip does.
    """
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=timeout) as response:
            yield response
    except LongmindError:
        raise
    except HTTPError as error:
        error.close()
        message = f"{url} answered with status {error.code}."
        raise HttpFailed(message, failure="status", status=error.code) from None
    except (OSError, HTTPException) as error:
        raise HttpFailed(f"{url} cannot be read ({error}).", failure="unreachable") from None


@dataclass(frozen=True, slots=True)
class JsonClient:
    """Posts JSON to one server. A refusal for now is tried again; a connection that fails is not, because
    whoever asks has another way to answer.

    `timeout` is for each attempt; with `within`, all attempts and pauses together end in so many seconds.
    """

    url: str
    name: str
    """What messages call the server, such as "The embedding endpoint https://host/v1"."""
    hint: str
    timeout: float
    most_bytes: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str | None = field(default=None, repr=False)
    """The secret in the headers, so that a server that repeats it does not get it into a message."""
    retries: int = 0
    first_pause: float = 0.5
    longest_pause: float = 10.0
    within: float | None = None
    sleep: Callable[[float], None] = time.sleep

    def post(self, path: str, value: Any) -> Any:
        """The answer to one request, as a JSON value; anything but status 200 and JSON is `HttpFailed`."""
        response = self._try(path, json.dumps(value).encode())
        if response.status != 200:
            detail = f"answered with status {response.status}{self._quoted(response.body)}"
            raise self.failed(detail, failure="status", status=response.status)
        try:
            return parse_json(response.body)
        except (ValueError, RecursionError):
            raise self.failed("sent an answer that is not JSON", failure="not_json") from None

    def failed(self, detail: str, *, failure: Failure, status: int | None = None) -> HttpFailed:
        return HttpFailed(f"{self.name} {detail}.", failure=failure, status=status, hint=self.hint)

    def _try(self, path: str, payload: bytes) -> Response:
        end = None if self.within is None else time.monotonic() + self.within
        pause = self.first_pause
        for attempt in range(self.retries + 1):
            timeout = self.timeout if end is None else max(0.01, end - time.monotonic())
            response = self._send(path, payload, timeout)
            wait = min(max(pause, response.retry_after), self.longest_pause)
            late = end is not None and time.monotonic() + wait >= end
            if response.status not in RETRIED or attempt == self.retries or late:
                break
            self.sleep(wait)
            pause *= 2
        return response

    def _send(self, path: str, payload: bytes, timeout: float) -> Response:
        try:
            return exchange(
                "POST",
                self.url.rstrip("/") + path,
                timeout=timeout,
                most_bytes=self.most_bytes,
                headers={"Content-Type": "application/json", "Accept": "application/json", **self.headers},
                body=payload,
                name=self.name,
            )
        except HttpFailed as error:
            if error.failure == "timeout":  # the limit that was set, not what an earlier attempt left of it
                detail = f"did not answer within {self.within or self.timeout:g} s"
                raise self.failed(detail, failure="timeout") from None
            raise HttpFailed(error.message, failure=error.failure, hint=self.hint) from None

    def _quoted(self, body: bytes) -> str:
        """The beginning of what the server said."""
        text = " ".join(body[:2000].decode("utf-8", "replace").split())
        if self.key is not None:
            text = text.replace(self.key, "[key]")
        return f": {text[:200]}" if text else ""


@contextmanager
def _open(
    method: str, url: str, timeout: float, headers: Mapping[str, str], body: bytes | None, name: str
) -> Iterator[HTTPResponse]:
    """An answer whose body is still to be read. What fails, here or while reading, is `HttpFailed`."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection  # 50 ms that most commands save

    connected = False
    try:
        for _ in range(_REDIRECTS + 1):
            parts = urlsplit(url)
            kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
            connection = kind(parts.hostname or "", parts.port, timeout=timeout)
            with closing(connection):
                target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
                connection.connect()
                connected = True
                connection.request(method, target, body=body, headers=dict(headers))
                with closing(connection.getresponse()) as response:  # it may have taken over the socket
                    location = response.getheader("Location")
                    # A POST is never sent a second time: its answer is the redirect itself.
                    if method != "GET" or response.status not in _REDIRECTING or not location:
                        yield response
                        return
                    url = _redirected(url, location, name)
        raise HttpFailed(f"{name} redirects in a circle.", failure="redirect")
    except LongmindError:
        raise
    except TimeoutError:
        raise HttpFailed(f"{name} did not answer within {timeout:g} s.", failure="timeout") from None
    except (OSError, HTTPException) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        detail = f"({reason or type(error).__name__})"
        if connected:
            message = f"{name} ended the connection before it had answered {detail}."
            raise HttpFailed(message, failure="interrupted") from None
        raise HttpFailed(f"{name} cannot be reached {detail}.", failure="unreachable") from None


def _redirected(url: str, location: str, name: str) -> str:
    """The address that a redirect leads to, if it is on the same server: the headers may hold a key."""
    old, new = urlsplit(url), urlsplit(urljoin(url, location))
    if (old.scheme, old.netloc) != (new.scheme, new.netloc):
        raise HttpFailed(f"{name} redirects to another server, {new.hostname}.", failure="redirect")
    return new.geturl()


def _seconds(header: str | None) -> float:
    """What Retry-After asks for, if it is a number; dates are rare here and ignored."""
    return float(header) if header is not None and re.fullmatch(r"\d{1,6}", header.strip()) else 0.0
