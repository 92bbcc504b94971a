"""Evidence references: checked, and brought into one spelling each, so that equal ones compare equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from longmind.base.checks import check_label
from longmind.base.errors import InvalidInput
from longmind.experience.validation import Validation
from longmind.experience.values import NO_EVIDENCE, Record, Recorded

MOST_REFERENCES: Final = 100
_FORMS: Final = (
    "file:src/a.py#L10-L20, commit:1a2b3c4, https://…, test:tests/test_a.py::test_b, issue:42, "
    "turn:session#7, frame:12, or the id of a record"
)
_RECORD = re.compile(r"exp_[1-9]\d{0,17}")
_LINES = re.compile(r"(?:#L?|:)(\d{1,9})(?:(?:-L?|:)(\d{1,9}))?\Z")

EvidenceLike = str | int | Record | Recorded
"""A reference as text, the number of a frame, or a record."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One checked reference. `record` still has to be resolved to the frame that is cited."""

    kind: str
    ref: str
    frame_id: int | None = None
    record: str | None = None


def read_references(
    evidence: Iterable[EvidenceLike] | str, errors: Validation, *, required: bool
) -> tuple[Reference, ...]:
    """Distinct references in the order given; every one that is not understood is an error."""
    if isinstance(evidence, str):
        if evidence != NO_EVIDENCE:
            errors.add(f"evidence must be a list of references, or {NO_EVIDENCE!r}; it is {evidence!r}.")
        elif not required:
            errors.add("There is no evidence to attach.")
        return ()
    if not isinstance(evidence, Iterable):
        errors.add(f"evidence must be a list of references, not {type(evidence).__name__}.")
        return ()
    items = list(evidence)
    references = [errors.check(reference, item) for item in items]
    if not items:
        errors.add(f"There is no evidence. Give references ({_FORMS}), or say evidence={NO_EVIDENCE!r}.")
    if len(items) > MOST_REFERENCES:
        errors.add(f"There are {len(items)} references; the most is {MOST_REFERENCES}.")
    return tuple(dict.fromkeys(item for item in references if item is not None))


def reference(item: EvidenceLike) -> Reference:
    """Check one reference and bring it into its one spelling."""
    if isinstance(item, Record | Recorded):
        return Reference("frame", item.id, record=item.id)
    if isinstance(item, int) and not isinstance(item, bool):
        return _frame(str(item))
    text = check_label(item, "A reference")
    if not text.isprintable():
        raise InvalidInput(
            f"The reference {text!r} holds a line break or another invisible character.",
            hint="Write it on one line.",
        )
    if _RECORD.fullmatch(text):
        return Reference("frame", text, record=text)
    if re.match(r"https?://", text, re.IGNORECASE):
        return _url(text)
    kind, colon, rest = text.partition(":")
    parse = _PARSERS.get(kind.strip().lower())
    if not colon or parse is None:
        raise InvalidInput(f"{text!r} is not a reference.", hint=f"Known forms: {_FORMS}.")
    if not rest.strip():
        raise InvalidInput(f"The reference {text!r} names nothing.", hint=f"Known forms: {_FORMS}.")
    return parse(rest.strip())


def _file(rest: str) -> Reference:
    """A path, with a line or a range of lines if it ends in one."""
    match = _LINES.search(rest)
    path = rest[: match.start()] if match else rest
    path = path.removeprefix("./")
    if not path or path.endswith("/"):
        raise InvalidInput(f"'file:{rest}' names no file.", hint="Write file:src/a.py#L10-L20.")
    if match is None:
        return Reference("file", f"file:{path}")
    first, last = int(match[1]), int(match[2] or match[1])
    if not 1 <= first <= last:
        raise InvalidInput(f"'file:{rest}' names no range of lines.", hint="Lines count from 1.")
    lines = f"#L{first}" if first == last else f"#L{first}-L{last}"
    return Reference("file", f"file:{path}{lines}")


def _commit(rest: str) -> Reference:
    if not re.fullmatch(r"[\w./@^~-]{4,200}", rest, re.ASCII):
        raise InvalidInput(f"'commit:{rest}' names no commit.", hint="Write commit:1a2b3c4.")
    is_hash = re.fullmatch(r"[0-9a-fA-F]{4,64}", rest) is not None
    return Reference("commit", f"commit:{rest.lower() if is_hash else rest}")


def _url(rest: str) -> Reference:
    try:
        parts = urlsplit(rest)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme.lower() not in ("http", "https") or re.search(r"\s", rest):
        raise InvalidInput(f"{rest!r} is not a web address.", hint="Write https://example.org/page.")
    netloc = parts.netloc if "@" in parts.netloc else parts.netloc.lower()
    return Reference("url", f"url:{parts._replace(netloc=netloc, path=parts.path or '/').geturl()}")


def _turn(rest: str) -> Reference:
    session, hash_sign, number = rest.rpartition("#")
    if not hash_sign or not session.strip() or not re.fullmatch(r"\d{1,18}", number, re.ASCII):
        raise InvalidInput(f"'turn:{rest}' names no turn.", hint="Write turn:session#7.")
    return Reference("turn", f"turn:{session.strip()}#{int(number)}")


def turn_of(item: Reference) -> tuple[str, int] | None:
    """The session and the number of a turn that is cited."""
    if item.kind != "turn":
        return None
    session, _, number = item.ref.removeprefix("turn:").rpartition("#")
    return session, int(number)


def _frame(rest: str) -> Reference:
    if not re.fullmatch(r"[1-9]\d{0,17}", rest, re.ASCII):
        raise InvalidInput(f"'frame:{rest}' names no frame.", hint="Write frame:12.")
    return Reference("frame", f"frame:{rest}", frame_id=int(rest))


def _plain(kind: str) -> Callable[[str], Reference]:
    return lambda rest: Reference(kind, f"{kind}:{' '.join(rest.split())}")


_PARSERS: Final[Mapping[str, Callable[[str], Reference]]] = {
    "file": _file,
    "commit": _commit,
    "url": _url,
    "test": _plain("test"),
    "issue": _plain("issue"),
    "turn": _turn,
    "frame": _frame,
}
