"""The server of `longmind inspect`: the pages and their questions, with nothing but the standard library."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, cast

from longmind.access.grants import Denied, Grant
from longmind.access.keyring import KeyRing, TooOften
from longmind.access.metrics import Metrics
from longmind.access.origins import LOOPBACK, OriginCheck, check_content_type, host_name
from longmind.access.perform import Gateway
from longmind.access.statuses import DENIED, STATUSES
from longmind.base.caller import calling
from longmind.base.errors import InvalidInput, LongmindError, NotFound, Unavailable
from longmind.base.json_text import parse_json
from longmind.inspect.assets import API, PREFIX, SECURITY, assets
from longmind.inspect.inspector import Inspector
from longmind.operations.files import confined
from longmind.operations.values import plain

PORT: Final = 8790
_BODY_BYTES: Final = 2**20
_IDLE_SECONDS: Final = 60
"""How long a connection may be silent: a browser keeps some open that it does not use."""
_log = logging.getLogger("longmind.inspect")


class InspectServer(ThreadingHTTPServer):
    """Serves one Inspector on this machine."""

    daemon_threads = True

    def __init__(
        self, inspector: Inspector, ring: KeyRing, *, host: str = "127.0.0.1", port: int = PORT
    ) -> None:
        self.inspector = inspector
        self.ring = ring
        self.gateway = Gateway(Metrics(), face="http")
        self.origins = OriginCheck()
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise Unavailable(
                f"{host}:{port} cannot be listened on: {error.strerror}.",
                hint="Another program may be there; choose --port, or --port 0 for any that is free.",
            ) from None

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        name = str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}{PREFIX}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closed a connection is not worth a traceback; anything else is in the log."""
        _log.debug("a connection ended early", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server_version = "longmind"
    sys_version = ""
    _has_unread_body = False

    @property
    def desk(self) -> InspectServer:
        return cast(InspectServer, self.server)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        _log.debug(format, *arguments)

    def do_GET(self) -> None:
        with self._refusing():
            self._check_host()
            path = self.path.partition("?")[0]
            if path == "/":
                self._send(302, b"", {"Location": f"{PREFIX}/"})
                return
            asset = assets().get(path)
            if asset is None:
                raise NotFound(
                    f"{path} is not a page of the Inspector.", hint=f"The Inspector is at {PREFIX}/."
                )
            unchanged = self.headers.get("If-None-Match") == asset.tag
            self._send(304 if unchanged else 200, b"" if unchanged else asset.content, asset.headers)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        with self._refusing():
            self._check_host()
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.desk.origins.check("POST", headers)
            check_content_type("POST", headers)
            inputs = self._inputs()
            grant = self.desk.ring.grant(headers.get("authorization", ""))
            if not self.path.startswith(API):
                raise NotFound(
                    f"{self.path} is not a route of the Inspector.", hint=f"Questions go to {API}NAME."
                )
            answer = self._answer(grant, self.path.removeprefix(API), inputs)
            self._send_json(200, answer)

    def _answer(self, grant: Grant, name: str, inputs: Any) -> Any:
        inspector = self.desk.inspector
        if name == "session":
            return inspector.session(grant)
        operation, arguments = inspector.prepare(name, inputs)
        with calling("http"):
            return plain(
                self.desk.gateway.perform(
                    inspector.memory, grant, operation, arguments,
                    files=lambda action, given: confined(action, given, None),
                )
            )  # fmt: skip

    def _check_host(self) -> None:
        """A page elsewhere may have pointed its own name at this machine; with keys it can read nothing."""
        if self.desk.ring.is_open and host_name(self.headers.get("Host", "")) not in LOOPBACK:
            raise Denied("host", "This host name is not served.", hint="Ask for 127.0.0.1.")

    def parse_request(self) -> bool:
        is_whole = super().parse_request()
        if is_whole:
            length = self.headers.get("Content-Length", "0")
            self._has_unread_body = length != "0" or "Transfer-Encoding" in self.headers
        return is_whole

    def _inputs(self) -> Any:
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers:
            raise Denied("framing", "The body comes in chunks.", hint="Send it whole, with its length.")
        if not length.isdigit() or int(length) > _BODY_BYTES:
            raise Denied("body_size", f"The body must have at most {_BODY_BYTES} bytes.")
        body = self.rfile.read(int(length))
        self._has_unread_body = False
        try:
            return parse_json(body.decode() or "{}")
        except ValueError:
            raise InvalidInput("The body is not valid JSON.", hint="Send a JSON object.") from None

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Whatever goes wrong becomes an answer that says so."""
        try:
            yield
        except Denied as denied:
            self.desk.gateway.denied(denied.reason)
            more = {"Retry-After": str(denied.seconds)} if isinstance(denied, TooOften) else {}
            self._refuse(DENIED.get(denied.reason, 403), denied, more, reason=denied.reason)
        except LongmindError as error:
            self._refuse(STATUSES.get(error.code, 500), error)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True
        except Exception as error:  # a defect must reach the page as a message, not end the connection
            _log.exception("an unexpected error")
            message = f"Unexpected {type(error).__name__}."
            self._send_json(
                500, _problem("error", message, "This is a defect of the Inspector; its log has more.")
            )

    def _refuse(
        self, status: int, error: LongmindError, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        self._send_json(status, _problem(error.code, error.message, error.hint, **more), headers)

    def _send_json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
        fixed = {"Content-Type": "application/json", "Cache-Control": "no-store", **SECURITY}
        self._send(status, content, {**fixed, **(headers or {})})

    def _send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if self._has_unread_body:
            # What is left on the connection is not a request, even if it is written like one.
            self.send_header("Connection", "close")
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(content)


def _problem(code: str, message: str, hint: str | None, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "hint": hint, **more}}


def inspect(
    inspector: Inspector,
    ring: KeyRing,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    listening: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve the Inspector until interrupted; `listening` is called with the address to open."""
    with InspectServer(inspector, ring, host=host, port=port) as server:
        listening(server.url)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            return
        finally:
            ring.close()
