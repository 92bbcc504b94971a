"""Redaction: personal data and what the user's patterns match, replaced before anything is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from longmind.base.checks import MAX_DEPTH
from longmind.base.disguises import TextView, views
from longmind.base.errors import InvalidInput
from longmind.base.patterns import Pattern, check_pattern
from longmind.extract.personal import KINDS, find_personal

FLAGS: Final = "pii_flags"
"""The metadata key under which the keyed hashes of what was redacted are kept."""

_DIGESTS: Final = ("hash", "dhash")
_DIGEST = re.compile(r"(?:sha\d+|md5|blake\d\w?|dhash):[0-9a-f.…]+", re.IGNORECASE)
_FLAG = re.compile(r"[a-z]+:[0-9a-f]{32}")
_MASK = re.compile(rf"\[(?:redacted|{'|'.join(KINDS)})(?:-[0-9a-f]{{8}})?\]")
_ROUNDS: Final = 4
_CERTAIN: Final = ("key", "email", "iban", "card")
"""What is looked for with letters and digits put together, too: the others would take dates and versions."""


class _Found(NamedTuple):
    """A range of the text, what it is, and what it says without its disguise."""

    start: int
    end: int
    kind: str
    secret: str


class Redactor:
    """Applies the rules of one space to texts, and collects the flags of what it found."""

    def __init__(self, kinds: Sequence[str], patterns: Iterable[str], key: bytes) -> None:
        self._kinds = tuple(kinds)
        self._patterns = tuple(map(_runnable, patterns))
        self._key = key
        self.flags: set[str] = set()

    @property
    def idle(self) -> bool:
        return not self._kinds and not self._patterns

    def text(self, text: str) -> str:
        """The text with a mask for each thing found, such as [email]."""
        return self._masked(text, lambda found: f"[{_shown(found.kind)}]")

    def name(self, text: str) -> str:
        """The same for what tells things apart, such as a path: different secrets leave different masks."""
        return self._masked(
            text, lambda found: f"[{_shown(found.kind)}-{self._flag(found).split(':')[1][:8]}]"
        )

    def value(self, value: Any, *, name: str | None = None, depth: int = 0) -> Any:
        """The same for every string inside a JSON value; digests of content stay what they are."""
        if depth > MAX_DEPTH:
            raise InvalidInput(
                f"A value is nested deeper than {MAX_DEPTH} levels.", hint="Keep it as a text."
            )
        if isinstance(value, str):
            if (name in _DIGESTS and _DIGEST.fullmatch(value)) or (name == FLAGS and _FLAG.fullmatch(value)):
                return value
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(item, name=name, depth=depth + 1) for item in value]
        if isinstance(value, Mapping):
            return {
                self.text(key) if isinstance(key, str) else key: self.value(
                    item, name=str(key), depth=depth + 1
                )
                for key, item in value.items()
            }
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= 10_000:
            try:
                written = str(value)
            except ValueError:  # too many digits for a number that could be kept: refused by the checks
                return value
            masked = self.text(written)
            return value if masked == written else masked
        return value

    def _masked(self, text: str, mask: Any) -> str:
        if self.idle or not text:
            return text
        for _ in range(_ROUNDS):
            spans = self._find(text)
            if not spans:
                break
            pieces, last = [], 0
            for item in spans:
                self.flags.add(self._flag(item))
                pieces += [text[last : item.start], mask(item)]
                last = item.end
            text = "".join([*pieces, text[last:]])
        return text

    def _find(self, text: str) -> list[_Found]:
        masks = [match.span() for match in _MASK.finditer(text)] if "[" in text else []
        spans = [
            item
            for number, view in enumerate(views(text))
            for item in self._in_view(view, together=number == 2)
            if not any(start <= item.start and item.end <= end for start, end in masks)
        ]
        return _united(spans)

    def _in_view(self, view: TextView, *, together: bool) -> Iterator[_Found]:
        for pattern in self._patterns:
            for start, end in pattern.find(view.text):
                yield _Found(*view.origin(start, end), "pattern", view.text[start:end])
        kinds = [kind for kind in self._kinds if kind in _CERTAIN] if together else self._kinds
        if kinds:
            position = character = 0
            data = view.text.encode("utf-8", "surrogatepass")
            for span in find_personal(view.text, kinds=kinds):
                character += len(data[position : span.start].decode("utf-8", "surrogatepass"))
                end = character + len(span.text)
                yield _Found(*view.origin(character, end), span.kind, span.text)
                position, character = span.end, end

    def _flag(self, span: _Found) -> str:
        message = f"{span.kind}\0{span.secret}".encode("utf-8", "surrogatepass")
        return f"{span.kind}:{hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]}"


def _united(spans: list[_Found]) -> list[_Found]:
    """In order, and one for those that overlap: a pattern's, else that of the longest."""
    united: list[_Found] = []
    for item in sorted(spans, key=lambda item: (item.start, -item.end, item.kind != "pattern")):
        if united and item.start < united[-1].end:
            last = united[-1]
            better = item if item.kind == "pattern" != last.kind else last
            united[-1] = better._replace(start=last.start, end=max(last.end, item.end))
        else:
            united.append(item)
    return united


def _shown(kind: str) -> str:
    return "redacted" if kind == "pattern" else kind


def _runnable(text: str) -> Pattern:
    """A pattern of a stored policy. One that cannot run stops the write: skipping it would stop redacting."""
    try:
        return check_pattern(text)
    except InvalidInput as error:
        raise InvalidInput(
            f"Nothing was written: a pattern of the space's policy can no longer be run. {error.message}",
            hint=f"Replace {text!r} in pii_redaction with set_policy, then write again.",
        ) from None
