"""Bytes to text: which encoding, what had to be replaced, and when it is not text at all."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from longmind.ingest.source import Unreadable

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (
    b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b", b"BZh", b"\xfd7zXZ",
    b"7z\xbc\xaf", b"\x7fELF", b"MZ\x90", b"\xca\xfe\xba\xbe", b"SQLite format 3\0", b"Rar!", b"RIFF",
    b"OggS", b"ID3", b"\0asm", b"\xd0\xcf\x11\xe0", b"\x28\xb5\x2f\xfd", b"wOFF", b"wOF2", b"!<arch>",
)  # fmt: skip
_CONTROLS = bytes(code for code in range(32) if code not in b"\b\t\n\v\f\r\x1b") + b"\x7f"
_CONTROL = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS = 0.02  # of the bytes: more than that is not text in any single-byte encoding or UTF-8
_UNFIT = re.compile("[\x00\ud800-\udfff]")
_CHARSETS = re.compile(r"iso8859|cp\d|koi8|mac|shift_jis|euc_|gb|big5|johab|tis-620|ptcp154")
_SAMPLE = 8192


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with `\\n` line ends, without NUL and lone surrogates; `replaced` counts what was lost."""

    text: str
    encoding: str
    replaced: int = 0
    warnings: tuple[str, ...] = ()


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are those of something other than text."""
    if any(head.startswith(bom) for bom, _ in _BOMS):
        return False
    if head.startswith(_SIGNATURES):
        return True
    return _wide(head) is None and _too_many_controls(head)


def decode(data: bytes, *, declared: str | None = None) -> Decoded:
    """By byte order mark, else UTF-8, UTF-16, the declared encoding, or Windows-1252 with a warning."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _replacing(data[len(bom) :], encoding)
    if looks_binary(data[:_SAMPLE]):
        raise Unreadable("binary", "These bytes are not text.")
    wide = _wide(data[:_SAMPLE])
    if wide is not None:
        return _replacing(data, wide)
    if _too_many_controls(data):
        raise Unreadable("binary", "These bytes are not text.")
    try:
        return _finish(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if declared is not None and (decoded := _declared(data, declared)) is not None:
        return decoded
    lenient = data.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    if broken * 50 < len(lenient) - len(lenient.encode("ascii", "ignore")):
        return _replacing(data, "utf-8")
    try:
        guess, text = "cp1252", data.decode("cp1252")
    except UnicodeDecodeError:
        guess, text = "latin-1", data.decode("latin-1")
    return _finish(text, guess, warnings=(f"Not UTF-8: read as {guess}, so some letters may be wrong.",))


def clean(text: str) -> tuple[str, int]:
    """The text with NUL and lone surrogates replaced by U+FFFD, and how many there were."""
    return _UNFIT.subn("\ufffd", text)


def _finish(text: str, encoding: str, *, lost: int = 0, warnings: tuple[str, ...] = ()) -> Decoded:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, unfit = clean(text)
    replaced = lost + unfit
    if replaced:
        warnings = (*warnings, f"{replaced} characters could not be kept and were replaced.")
    return Decoded(text, encoding, replaced, warnings)


def _replacing(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, "replace")
    lost = text.count("\ufffd") - data.count("\ufffd".encode(encoding))
    if lost > 8 and lost * 10 > len(text):
        raise Unreadable("encoding", f"These bytes say that they are {encoding}, and are not.")
    if text.count("\0") * 10 > len(text):
        raise Unreadable("binary", "These bytes are not text.")
    return _finish(text, encoding, lost=max(0, lost))


def _declared(data: bytes, declared: str) -> Decoded | None:
    try:
        name = codecs.lookup(declared.strip()).name
        return _finish(data.decode(name), name) if _CHARSETS.match(name) else None
    except (LookupError, ValueError):
        return None


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: Latin text has its NUL bytes in every second place."""
    if len(head) < 4:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd * 10 > half * 4 and even * 20 < half:
        encoding = "utf-16-le"
    elif even * 10 > half * 4 and odd * 20 < half:
        encoding = "utf-16-be"
    else:
        return None
    text = head.decode(encoding, "replace")
    return None if len(_CONTROL.findall(text)) > _MOST_CONTROLS * len(text) else encoding


def _too_many_controls(data: bytes) -> bool:
    return len(data) - len(data.translate(None, _CONTROLS)) > _MOST_CONTROLS * len(data)
