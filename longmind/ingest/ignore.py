"""Patterns as in `.gitignore`, matched in time that no pattern can make long."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line: what each folder and name on the way must match; None stands for any number of folders."""

    segments: tuple[re.Pattern[str] | None, ...]
    ignored: bool
    folders_only: bool

    def matches(self, names: list[str], *, folder: bool) -> bool:
        if self.folders_only and not folder:
            return False
        segments = self.segments
        at = here = 0
        star, resume = -1, 0
        while here < len(names):
            if at < len(segments) and (segment := segments[at]) is None:
                star, resume = at, here
                at += 1
            elif at < len(segments) and segment and segment.fullmatch(names[here]):
                at, here = at + 1, here + 1
            elif star >= 0:
                resume += 1
                at, here = star + 1, resume
            else:
                return False
        return all(segment is None for segment in segments[at:])


@dataclass(frozen=True, slots=True)
class Patterns:
    """Lines in order, of which the last that matches decides."""

    patterns: tuple[_Pattern, ...]

    @classmethod
    def parse(cls, lines: Iterable[str]) -> Patterns:
        return cls(tuple(pattern for line in lines if (pattern := _parse(line)) is not None))

    def verdict(self, path: str) -> bool | None:
        """True to ignore a relative path (a folder's ends with a slash), False not to, None if unmatched."""
        names = path.rstrip("/").split("/")
        for pattern in reversed(self.patterns):
            if pattern.matches(names, folder=path.endswith("/")):
                return pattern.ignored
        return None

    def covers(self, path: str) -> bool:
        """Whether the path, or a folder on the way to it, is matched; what lies deeper decides."""
        verdict = None
        end = path.find("/")
        while end >= 0:
            below = self.verdict(path[: end + 1])
            verdict = verdict if below is None else below
            end = path.find("/", end + 1)
        last = self.verdict(path)
        return bool(verdict if last is None else last)


def _parse(line: str) -> _Pattern | None:
    text = line.rstrip("\r\n")
    if text.startswith("#"):
        return None
    text = re.sub(r"(?<!\\) +\Z", "", text)
    ignored = not text.startswith("!")
    text = text if ignored else text[1:]
    folders_only = text.endswith("/")
    names = text.rstrip("/").split("/")
    if not any(names):
        return None
    anchored = len(names) > 1
    if names[0] == "":
        names = names[1:]
    segments: list[re.Pattern[str] | None] = [] if anchored else [None]
    for name in names:
        if name == "**":
            if not segments or segments[-1] is not None:
                segments.append(None)
        else:
            segments.append(_segment(name))
    if segments[-1] is None:  # "folder/**" is all that lies in the folder, not the folder
        segments.append(_segment("*"))
    return _Pattern(tuple(segments), ignored, folders_only)


def _segment(glob: str) -> re.Pattern[str]:
    """One name. Only the last `*` may try several places: the others match as early as they can."""
    fixed: list[str] = [""]
    at = 0
    while at < len(glob):
        character = glob[at]
        at += 1
        if character == "*":
            fixed.append("")
        elif character == "?":
            fixed[-1] += "."
        elif character == "[" and (bracket := _bracket(glob, at)) is not None:
            fixed[-1] += bracket[0]
            at = bracket[1]
        elif character == "\\" and at < len(glob):
            fixed[-1] += re.escape(glob[at])
            at += 1
        else:
            fixed[-1] += re.escape(character)
    if len(fixed) == 1:
        return re.compile(fixed[0], re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in fixed[1:-1] if part)
    return re.compile(f"{fixed[0]}{middle}.*{fixed[-1]}", re.DOTALL)


def _bracket(glob: str, at: int) -> tuple[str, int] | None:
    """A character class as a pattern and where it ends; None if it does not end."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    begin = at
    members: list[str] = []
    while at < len(glob) and (glob[at] != "]" or at == begin):
        if glob.startswith("[:", at) and (end := glob.find(":]", at)) > 0 and glob[at + 2 : end] in _NAMED:
            members.append(_NAMED[glob[at + 2 : end]])
            at = end + 2
            continue
        if glob[at] == "\\" and at + 1 < len(glob):
            at += 1
        low = high = glob[at]
        at += 1
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            high = glob[at + 1]
            at += 2
        if low <= high:
            members.append(f"{re.escape(low)}-{re.escape(high)}")
    if at >= len(glob):
        return None
    inside = "".join(members)
    if not inside:
        return ("." if negated else r"(?!)"), at + 1
    return f"[{'^' if negated else ''}{inside}]", at + 1


_NAMED = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "A-Za-z0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "xdigit": "0-9A-Fa-f",
    "punct": r"!-/:-@\[-`{-~",
}
