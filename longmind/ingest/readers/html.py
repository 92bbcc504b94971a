"""HTML: the readable text with headings, lists and tables; scripts, styles and page furniture dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any, NamedTuple

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import Builder
from longmind.ingest.source import Document, Limits, Source, Unreadable

_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,64})((?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)>")
_OPENING = re.compile(r"<(?:[A-Za-z!?]|/[A-Za-z])")
_LONGEST_TAG = 1 << 16
_ATTRIBUTE = re.compile(r"(?<![-\w:.])([A-Za-z_:][-\w:.]*+)\s*+=\s*+(\"[^\"]*+\"|'[^']*+'|[^\s\"'>]++)")
_HUGE_NUMBER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{7,});?")
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)

_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "noembed", "noframes")
}
_DROPPED = frozenset("script style xmp noembed noframes textarea".split())
_HIDDEN = frozenset(
    "noscript template svg math iframe object canvas audio video select button datalist".split()
)
_FURNITURE = frozenset("nav footer aside menu".split())
_MAIN = frozenset(("main", "article"))
_PARAGRAPHS = frozenset(
    "p div section article main header footer nav aside blockquote pre ul ol dl table figure form fieldset"
    " details address hr h1 h2 h3 h4 h5 h6 body".split()
)
_LINES = frozenset("li dt dd tr br figcaption caption summary option legend".split())
_MATTERING = (
    _HIDDEN | _FURNITURE | _MAIN | _PARAGRAPHS | _LINES | _RAW.keys()
    | {"html", "head", "body", "meta", "img", "td", "th"}
)  # fmt: skip
_SPACES = re.compile(r"\s+")
_DOUBLED = re.compile(r" {2,}")
_LONG_ROW = 400  # characters: a table row longer than that is layout, and keeps its paragraphs
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class HtmlReader:
    name = "html"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in {"text/html", "application/xhtml+xml"}

    def read(self, data: bytes, source: Source) -> Document:
        charset = _CHARSET.search(data[:4096])
        decoded = decode(data, declared=charset[1].decode("ascii") if charset else None)
        if len(decoded.text) > self._limits.text:
            raise Unreadable("too_large", f"It holds more than {self._limits.text:,} characters.")
        page = _Page()
        for token in _scan(decoded.text):
            page.take(token)
        builder = Builder(self._limits)
        for run in page.body():
            builder.write(run.gap if builder.length else "")
            if run.level:
                builder.begin(run.text, run.level)
            builder.write(run.text)
        return builder.finish(
            source,
            title=page.title or page.first_heading,
            metadata={**page.metadata, "encoding": decoded.encoding},
            warnings=decoded.warnings,
        )


class _Token(NamedTuple):
    tag: str  # "" for text
    text: str  # the text, or the tag's attributes
    closing: bool = False


def _scan(html: str) -> Iterator[_Token]:
    """Tags and the text between them in one pass; whatever cannot be a tag is text or is skipped."""
    at = 0
    closed = -1  # the next ">": looked for once, so that a million "<" stay linear
    while at < len(html):
        opening = _OPENING.search(html, at)
        opened = opening.start() if opening else -1
        if closed < opened:
            closed = html.find(">", opened)
        if opened < 0 or closed < 0:
            yield _Token("", _unescape(html[at:]))
            return
        if opened > at:
            yield _Token("", _unescape(html[at:opened]))
        if tag := _TAG.match(html, opened, opened + _LONGEST_TAG):
            name = tag[2].lower()
            at = tag.end()
            if name in _MATTERING:
                yield _Token(name, tag[3], bool(tag[1]))
            if name in _RAW and not tag[1]:
                end_tag = _RAW[name].search(html, at)
                stop = end_tag.start() if end_tag else len(html)
                if name not in _DROPPED:
                    yield _Token("", _unescape(html[at:stop]))
                at = stop
        elif html.startswith("<!--", opened):
            end = html.find("-->", opened + 4)
            at = len(html) if end < 0 else end + 3
        elif html.startswith("<![CDATA[", opened):
            end = html.find("]]>", opened)
            yield _Token("", html[opened + 9 : end if end >= 0 else len(html)])
            at = len(html) if end < 0 else end + 3
        else:
            at = closed + 1


@dataclass(frozen=True, slots=True)
class _Run:
    """Text that belongs together, the line ends before it, and where on the page it stands."""

    text: str
    gap: str
    level: int
    main: bool
    furniture: bool


class _Page:
    """What has been read of a page so far."""

    def __init__(self) -> None:
        self.title = ""
        self.first_heading = ""
        self.metadata: dict[str, Any] = {}
        self._runs: list[_Run] = []
        self._words: list[str] = []
        self._gap = 0
        self._cells = 0
        self._level = 0
        self._depth = dict.fromkeys(("title", "head", "pre", "hidden", "furniture", "main"), 0)
        self._bullet = False

    def take(self, token: _Token) -> None:
        if not token.tag:
            self._text(token.text)
        elif token.closing:
            self._close(token.tag)
        else:
            self._open(token.tag, token.text)

    def body(self) -> list[_Run]:
        """The main part if the page marks one that is not trifling, else all but its furniture."""
        self._flush()
        total = sum(len(run.text) for run in self._runs)
        for runs in (
            [run for run in self._runs if run.main and not run.furniture],
            [run for run in self._runs if not run.furniture],
        ):
            size = sum(len(run.text) for run in runs)
            if size >= 200 and size * 5 >= total:
                return runs
        return self._runs

    def _text(self, text: str) -> None:
        depth = self._depth
        if depth["hidden"] or not text or (depth["head"] and not text.strip()):
            return
        if depth["title"]:
            self.title = self.title or text.strip()
        elif depth["pre"]:
            self._words.append(text)
        else:
            self._words.append(_SPACES.sub(" ", text))

    def _open(self, tag: str, attributes: str) -> None:
        self._count(tag, 1)
        if tag == "body":
            self._depth["head"] = 0
        if tag == "html" and (language := _attributes(attributes).get("lang")):
            self.metadata["language"] = language
        elif tag == "meta":
            self._meta(_attributes(attributes))
        elif tag == "img" and (alt := _attributes(attributes).get("alt", "").strip()):
            self._text(f" {alt} ")
        elif tag in ("td", "th"):
            if self._cells:
                self._words.append(" | ")
            self._cells += 1
        self._break(tag)
        if tag in _HEADINGS:
            self._level = int(tag[1])
        elif tag == "li":
            self._bullet = True

    def _close(self, tag: str) -> None:
        self._break(tag)
        self._count(tag, -1)
        if tag in _HEADINGS:
            self._level = 0

    def _count(self, tag: str, step: int) -> None:
        group = (
            "hidden" if tag in _HIDDEN
            else "furniture" if tag in _FURNITURE
            else "main" if tag in _MAIN
            else tag
        )  # fmt: skip
        if group in self._depth:
            self._depth[group] = max(0, self._depth[group] + step)

    def _break(self, tag: str) -> None:
        lines = 2 if tag in _PARAGRAPHS else 1 if tag in _LINES else 0
        if self._cells and tag in ("p", "div", "br") and sum(map(len, self._words)) < _LONG_ROW:
            self._words.append(" ")
        elif lines:
            self._flush()
            self._gap = max(self._gap, lines)

    def _flush(self) -> None:
        text = "".join(self._words)
        self._words.clear()
        self._cells = 0
        text = text.strip("\n") if self._depth["pre"] else _DOUBLED.sub(" ", text).strip()
        if not text.strip():
            return
        if self._bullet:
            text = f"- {text.lstrip()}"
        if self._level and not self.first_heading:
            self.first_heading = text
        inside = self._depth
        self._runs.append(
            _Run(text, "\n" * self._gap or " ", self._level, bool(inside["main"]), bool(inside["furniture"]))
        )
        self._gap, self._bullet = 0, False

    def _meta(self, attributes: dict[str, str]) -> None:
        key = (attributes.get("name") or attributes.get("property") or "").lower()
        value = attributes.get("content", "").strip()
        names = {"description": "description", "author": "author", "keywords": "keywords", "date": "date",
                  "article:published_time": "date", "og:description": "description"}  # fmt: skip
        if value and key in names:
            self.metadata.setdefault(names[key], value[:1000])


def _attributes(text: str) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(text):
        attributes.setdefault(name.lower(), _unescape(value.strip("\"'")))
    return attributes


def _unescape(text: str) -> str:
    return unescape(_HUGE_NUMBER.sub("\ufffd", text)) if "&" in text else text
