"""Subtitles and captions (SRT, WebVTT) as timed cues: who said what, from when to when."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES: Final = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}(?:\s|$)")
_VOICE: Final = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]{1,200})>", re.IGNORECASE)
_MARKUP: Final = re.compile(r"<[^<>]{0,200}>|\{\\[^{}]{0,200}\}")
_SPEAKER: Final = re.compile(r"^[-\u2013\u2014>\s]*([^\W\d_][\w.' \-]{0,40}?)\s?:\s+(?=\S)")
_NOT_SPOKEN: Final = re.compile(r"^(?:note|style|region|x-timestamp-map)\b", re.IGNORECASE)
_NO_SPEAKER: Final = frozenset({"http", "https", "note", "warning", "chapter", "part", "time"})


@dataclass(frozen=True, slots=True)
class Cue:
    """A line of speech. Times are milliseconds from the start; `speaker` where the subtitles name one."""

    start: int
    end: int
    text: str
    speaker: str | None = None


def is_subtitles(text: str) -> bool:
    """Whether a text begins as SRT or WebVTT does, whatever its file is called."""
    head = text[:4096].lstrip("\ufeff \t\r\n")
    return head.startswith("WEBVTT") or any(map(_TIMES.match, head.splitlines()[:3]))


def read_cues(text: str) -> list[Cue]:
    """The cues in the order of their times, without markup, notes and styles.

    Broken blocks are passed over. A cue that ends before it starts lasts no time. Captions that roll up
    repeat the lines before them; what the cue before has said is not said again.
    """
    cues = sorted(_cues(text.lstrip("\ufeff")), key=lambda cue: (cue.start, cue.end))
    distinct: list[Cue] = []
    before: Cue | None = None
    for cue in cues:
        fresh = cue.text if before is None else _without_repeats(before, cue)
        if fresh:
            distinct.append(Cue(cue.start, cue.end, fresh, cue.speaker))
        before = cue
    return distinct


def _cues(text: str) -> Iterator[Cue]:
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        times = _TIMES.match(lines[number])
        number += 1
        if times is None:
            continue
        start, end = _ms(times.groups()[:4]), _ms(times.groups()[4:])
        spoken = []
        while number < len(lines) and lines[number].strip() and not _TIMES.match(lines[number]):
            spoken.append(lines[number])
            number += 1
        # A number that counts the next cue belongs to that one: some files have no blank line between.
        if spoken and number < len(lines) and _TIMES.match(lines[number]) and spoken[-1].strip().isdigit():
            spoken.pop()
        yield from _spoken(spoken, start, max(end, start))


def _spoken(lines: list[str], start: int, end: int) -> Iterator[Cue]:
    if lines and _NOT_SPOKEN.match(lines[0]):
        return
    speaker: str | None = None
    words: list[str] = []
    for line in lines:
        voice = _VOICE.search(line)
        plain = html.unescape(_MARKUP.sub("", line)).strip()
        name = voice[1].strip() if voice else None
        match = _SPEAKER.match(plain)
        if name is None and match is not None and _is_name(match[1]):
            name, plain = match[1].strip(), plain[match.end() :]
        if name is not None and name != speaker:
            if words:
                yield Cue(start, end, " ".join(words), speaker)
            speaker, words = name, []
        plain = plain.lstrip("-\u2013\u2014 ").strip()
        if plain:
            words.append(plain)
    if words:
        yield Cue(start, end, " ".join(words), speaker)


def _is_name(text: str) -> bool:
    """'MAN 2', 'Ana Silva': who speaks stands in capitals or with a capital for each word."""
    return text.casefold() not in _NO_SPEAKER and (text.isupper() or text.istitle())


def _without_repeats(before: Cue, cue: Cue) -> str:
    """What a rolling caption adds to the one before it, which it begins with."""
    if cue.start > before.end + 1000 or cue.speaker != before.speaker:
        return cue.text
    if cue.text == before.text:
        return "" if cue.start <= before.end else cue.text
    return cue.text[len(before.text) :].lstrip() if cue.text.startswith(before.text + " ") else cue.text


def _ms(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, fraction = parts
    whole = (int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))
