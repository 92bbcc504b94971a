"""A server that runs on this machine, asked over HTTP if it serves the same store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from longmind.base.errors import InvalidInput, Unavailable
from longmind.base.http import exchange
from longmind.base.json_text import parse_json
from longmind.hooks.events import Turn
from longmind.hooks.source import Note

_READ_SECONDS: Final = 2.0
_WRITE_SECONDS: Final = 20.0
_BUDGET: Final = 800
_BRIEF: Final = 500
_BATCH: Final = 50
_MOST_BYTES: Final = 16 << 20
"""Of one answer; what a hook asks for is a few kilobytes."""


class Server:
    """The operations as routes."""

    def __init__(
        self, address: tuple[str, int], *, space: str | None, token: str | None, user: str | None = None
    ) -> None:
        self._address = address
        self._space = space
        self._user = user
        self._headers = {"Content-Type": "application/json"}
        self._secret = {"Authorization": f"Bearer {token}"} if token else {}

    def serves(self, store_id: str) -> bool:
        """Whether it is ours, and has this store."""
        try:
            answer = self._send("GET", "/health", None, seconds=_READ_SECONDS)
        except (Unavailable, InvalidInput):
            return False
        return bool(store_id) and answer.get("store") == store_id

    def recall(self, question: str, *, session: str) -> str:
        context = self._ask("recall", {"query": question, "budget": _BUDGET}, several=True)
        return str(context.get("text", "")) if context.get("items") else ""

    def brief(self, topic: str) -> str:
        body = {"text": topic, "budget": _BRIEF} | ({"repo": self._space} if self._space else {})
        body |= {} if self._user is None else {"user": self._user}
        brief = self._send("POST", "/v1/experience/brief", body, seconds=_READ_SECONDS)
        has_records = any(item.get("record_id") for item in brief.get("items", ()))
        return str(brief.get("text", "")) if has_records else ""

    def notes(self, *, kinds: Sequence[str], tags: Sequence[str], session: str, limit: int) -> list[Note]:
        body: dict[str, Any] = {"limit": limit}
        if kinds:
            body["kinds"] = list(kinds)
        if tags:
            body["where"] = {"any_tags": list(tags)}
        if session:
            body["sessions"] = [session]
        timeline = self._ask("timeline", body, several=True)
        return [
            Note(item["id"], item["occurred_at"], item["text"], item.get("speaker") or item.get("role") or "")
            for item in timeline.get("frames", ())
        ]

    def add(self, session: str, turns: Sequence[Turn]) -> None:
        for start in range(0, len(turns), _BATCH):
            batch = [
                {"role": turn.role, "text": turn.text, "idempotency_key": turn.key}
                for turn in turns[start : start + _BATCH]
            ]
            self._ask("turns/add_many", {"session": session, "turns": batch}, seconds=_WRITE_SECONDS)

    def close(self) -> None:
        return

    def _ask(
        self, path: str, asked: dict[str, Any], *, several: bool = False, seconds: float = _READ_SECONDS
    ) -> dict[str, Any]:
        if self._space:
            asked = asked | {"space": [self._space] if several else self._space}
        if self._user is not None:
            asked = asked | {"user": self._user}
        return self._send("POST", f"/v1/{path}", asked, seconds=seconds)

    def _send(
        self, method: str, path: str, asked: Mapping[str, Any] | None, *, seconds: float
    ) -> dict[str, Any]:
        url = f"http://{self._address[0]}:{self._address[1]}{path}"
        body = None if asked is None else json.dumps(asked).encode()
        # Who listens there is known only by what it answers without the token.
        headers = self._headers if asked is None else self._headers | self._secret
        response = exchange(method, url, timeout=seconds, most_bytes=_MOST_BYTES, headers=headers, body=body)
        try:
            answer = parse_json(response.body)
        except ValueError:
            raise Unavailable(f"The server answered {path} with something that is not JSON.") from None
        if not isinstance(answer, dict):
            raise Unavailable(f"The server answered {path} with no object.")
        if response.status in (400, 422):
            raise InvalidInput(f"The server refused {path}: {answer.get('error')}.")
        if response.status != 200:
            raise Unavailable(f"The server answered {path} with {response.status}: {answer.get('error')}.")
        return answer
