"""Redaction of personal data before anything is stored; only a keyed hash of it remains."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from longmind.spaces.patterns import check_pattern, find
from longmind.spaces.policies import Policy

FLAGS: Final = "pii_flags"
_DIGEST = re.compile(r"(?:sha\d+|md5|blake\d\w?):[0-9a-f.…]+", re.IGNORECASE)
_FLAG = re.compile(r"[a-z]+:[0-9a-f]{32}")


class Redactor:
    """Applies one policy to one object's texts, and collects the flags of what it found."""

    def __init__(self, policy: Policy, key: bytes) -> None:
        self._kinds = policy.detectors
        self._patterns = tuple(_compiled(text) for text in policy.patterns)
        self._key = key
        self.flags: set[str] = set()

    @property
    def idle(self) -> bool:
        return not self._kinds and not self._patterns

    def text(self, text: str) -> str:
        if self.idle or not text:
            return text
        for pattern in self._patterns:
            pieces, last = [], 0
            for start, end in find(pattern, text):
                self._flag("pattern", text[start:end])
                pieces += [text[last:start], "[redacted]"]
                last = end
            text = "".join([*pieces, text[last:]])
        if self._kinds:
            from longmind.extract.personal import find_personal, redact

            spans = find_personal(text, kinds=self._kinds)
            for span in spans:
                self._flag(span.kind, span.text)
            text = redact(text, spans)
        return text

    def value(self, value: Any, *, name: str | None = None) -> Any:
        """The same for every string inside a JSON value; digests of content stay what they are."""
        if isinstance(value, str):
            if (name == "hash" and _DIGEST.fullmatch(value)) or (name == FLAGS and _FLAG.fullmatch(value)):
                return value
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(item, name=name) for item in value]
        if isinstance(value, Mapping):
            return {
                self.text(key) if isinstance(key, str) else key: self.value(item, name=str(key))
                for key, item in value.items()
            }
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= 1_000_000:
            masked = self.text(str(value))
            return value if masked == str(value) else masked
        return value

    def _flag(self, kind: str, secret: str) -> None:
        message = f"{kind}\0{secret}".encode("utf-8", "surrogatepass")
        self.flags.add(f"{kind}:{hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]}")


@lru_cache(maxsize=256)
def _compiled(text: str) -> re.Pattern[str]:
    return check_pattern(text)
