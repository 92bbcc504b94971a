"""Source code: the text as it is, a section for each class and function under its qualified name."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from longmind.ingest.encoding import decode
from longmind.ingest.readers.build import Mark, document
from longmind.ingest.source import Document, Limits, Source

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ESCAPE = re.compile(r"\\(?:N\{[^}\n]*\}|[^\n])")
_MOST_PARSED = 4 * 2**20  # characters: past that the light rule is used for Python too

_PARSER = threading.Lock()
"""Python's parser counts its depth for the whole process: two threads in it at once can fail."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class CodeReader:
    """Python by its syntax tree; other languages, and what does not parse, by their definition lines."""

    name = "code"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def accepts(self, source: Source) -> bool:
        return source.media_type in LANGUAGES

    def read(self, data: bytes, source: Source) -> Document:
        language = LANGUAGES.get(source.media_type, "python")
        cookie = next(filter(None, map(_COOKIE.match, data[:400].split(b"\n")[:2])), None)
        decoded = decode(data, declared=cookie[1].decode("ascii", "replace") if cookie else None)
        warnings: list[str] = []
        marks: list[Mark] | None = None
        if language == "python" and len(decoded.text) <= _MOST_PARSED:
            marks = parse_python(decoded.text)
            if marks is None:
                warnings.append(
                    "Not valid Python for this version: definitions were found by their first lines."
                )
        if marks is None:
            marks = list(find_definitions(decoded.text, language))
        return document(
            decoded.text,
            source,
            decoded=decoded,
            limits=self._limits,
            marks=marks,
            title=source.name,
            metadata={"language": language},
            warnings=warnings,
        )


def parse_python(text: str) -> list[Mark] | None:
    """Classes and functions with their decorators and the comments above them; None if it does not parse."""
    try:
        with _PARSER:
            tree = ast.parse(_ESCAPE.sub(_neutral, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    length = len(text)

    def walk(body: list[ast.stmt], above: str, level: int) -> Iterator[Mark]:
        for node in body:
            if not isinstance(node, Definition):
                continue
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            while first and lines[first - 1].lstrip().startswith("#"):
                first -= 1
            end = min(starts[min(node.end_lineno or node.lineno, len(lines))], length)
            name = f"{above}.{node.name}" if above else node.name
            inner = list(walk(node.body, name, level + 1)) if isinstance(node, ast.ClassDef) else []
            yield Mark(starts[first], level, name, "definition", None if inner or level > 1 else end)
            yield from inner[:-1]
            if inner:
                yield replace(inner[-1], end=end)

    return _ordered(walk(tree.body, "", 1))


def _neutral(escape: re.Match[str]) -> str:
    """An escape that means nothing, so that parsing code with odd ones warns of nothing."""
    text = escape[0]
    return "x" + text[1] if text[1] in "{}" else "x" * len(text)


def _ordered(marks: Iterator[Mark]) -> list[Mark]:
    """Without those that begin where another already did: two definitions on one line are one section."""
    marks_kept: list[Mark] = []
    for mark in marks:
        if not marks_kept or mark.at > marks_kept[-1].at:
            marks_kept.append(mark)
    return marks_kept


LANGUAGES: Mapping[str, str] = {
    "text/x-python": "python",
    "text/javascript": "javascript",
    "text/typescript": "typescript",
    "text/x-java": "java",
    "text/x-kotlin": "kotlin",
    "text/x-scala": "scala",
    "text/x-csharp": "csharp",
    "text/x-swift": "swift",
    "text/x-go": "go",
    "text/x-rust": "rust",
    "text/x-c": "c",
    "text/x-php": "php",
    "text/x-ruby": "ruby",
    "text/x-lua": "lua",
    "text/x-shellscript": "shell",
    "text/x-sql": "sql",
    "text/x-dart": "dart",
    "text/x-elixir": "elixir",
}

# The rules are verbose patterns: white space in them, outside of brackets, matches nothing.
_NAME = r"[A-Za-z_$][\w$]{0,200}"
_MODIFIERS = r"""(?:(?:export|default|declare|public|private|protected|internal|fileprivate|static|final
    |abstract|sealed|open|override|async|inline|virtual|partial|readonly|data|suspend|unsafe|const|extern|mutating
    |lazy|implicit|case|companion|inner|new|synchronized|pub(?:\([\w:]{1,40}\))?)[ \t]+){0,6}"""
_BLOCK = rf"""{_MODIFIERS}
    (?:class|interface|struct|enum|trait|object|record|protocol|extension|namespace|module|union|mixin|actor)
    (?:[ \t]+class)?[ \t]+(?P<block>{_NAME}(?:[.:]{{1,2}}{_NAME})*)"""
_FUNCTION = rf"""{_MODIFIERS}(?:function\*?|func|fun|fn|def|sub|proc)[ \t]+
    (?P<name>{_NAME}(?:[.:]{_NAME})*[?!]?)"""
_ARROW = rf"""(?:export[ \t]+)?(?:const|let|var)[ \t]+(?P<arrow>{_NAME})[^=\n]{{0,120}}=[ \t]*(?:async[ \t]*)?
    (?:function\b|\([^()\n]{{0,300}}\)[^=\n]{{0,80}}=>|{_NAME}[ \t]*=>)"""
# A call looks like a method up to its brackets: only a line that ends by opening a block is taken.
_METHOD = rf"""{_MODIFIERS}(?:[\w<>\[\],.?&*: ]{{1,120}}[ \t*&])?(?P<method>~?{_NAME}(?:::~?{_NAME})*)[ \t]*
    \([^;{{}}\n]*\)[^;=\n]{{0,120}}\{{[ \t]*$"""
_GO = rf"""func[ \t]*(?:\([ \t]*(?:\w+[ \t]+)?\*?(?P<on>\w+)[^)\n]{{0,80}}\)[ \t]*)?(?P<go>{_NAME})
    |type[ \t]+(?P<type>{_NAME})[ \t]"""
_RUST = rf"""{_MODIFIERS}
    (?:impl(?:<[^>\n]{{0,200}}>)?[ \t]+(?:[\w:<>,\ ]{{1,200}}?[ \t]for[ \t]+)?(?P<impl>{_NAME})
    |mod[ \t]+(?P<mod>{_NAME})|macro_rules![ \t]*(?P<macro>{_NAME}))"""
_SHELL = r"(?:function[ \t]+)?(?P<shell>[A-Za-z_][\w-]{0,200})[ \t]*\([ \t]*\)[ \t]*\{?"
_SQL = r"""create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:(?:temp(?:orary)?|unique|materialized|virtual)[ \t]+)?
    (?:table|view|index|function|procedure|trigger|type|schema)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?
    (?P<sql>[\w.\"`\[\]]{1,200})"""
_ELIXIR = r"""def(?:module|protocol|impl)[ \t]+(?P<mod>[A-Za-z_][\w.]{0,200})
    |def(?:p|macro|macrop|struct)?[ \t]+(?P<elixir>[A-Za-z_][\w.?!]{0,200})"""

_BRACES = (_BLOCK, _FUNCTION, _METHOD)
_SPECIAL: Mapping[str, tuple[str, ...]] = {
    "python": (_BLOCK, _FUNCTION),
    "javascript": (_BLOCK, _FUNCTION, _ARROW, _METHOD),
    "typescript": (_BLOCK, _FUNCTION, _ARROW, _METHOD),
    "go": (_GO,),
    "rust": (_BLOCK, _FUNCTION, _RUST),
    "ruby": (_BLOCK, _FUNCTION),
    "lua": (rf"(?:local[ \t]+)?{_FUNCTION}",),
    "shell": (_FUNCTION, _SHELL),
    "sql": (_SQL,),
    "elixir": (_ELIXIR,),
}
_CONTAINERS = frozenset(("block", "impl", "mod"))
_NOT_NAMES = frozenset(
    "if for while switch catch return else do try using lock foreach synchronized when match loop unless"
    " until function and or not in is with".split()
)
_LEAD = re.compile(r"[ \t]*(?://|\#|/?\*|--|@|\[\w)")
_TAIL = re.compile(
    r"[ \t]*(?:[)}\]{\#]|\$\$|(?:end|else|catch|rescue|ensure|finally|elif|except|then|begin|as)\b"
    r"|(?:public|private|protected):)"
)
_LONGEST_LINE = 1000


def find_definitions(text: str, language: str) -> Iterator[Mark]:
    """A definition runs from its line, or the comments above, to where the indentation returns."""
    braces = _METHOD in _SPECIAL.get(language, _BRACES)
    rule = _rule(language)
    open_blocks: list[tuple[int, str, bool]] = []  # indentation, qualified name, whether it holds others
    current: Mark | None = None
    at = 0
    lead: int | None = None  # where the comments and attributes just above begin
    lines = text.split("\n")
    for number, line in enumerate(lines):
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" \t"))
        name, holds = "", False
        if bare and len(line) <= _LONGEST_LINE:
            opens = braces and number + 1 < len(lines) and lines[number + 1].strip() == "{"
            name, holds = _name(rule.match(f"{line} {{" if opens else line))
        leads = bool(bare) and bool(_LEAD.match(line))
        returns = bool(bare) and not _TAIL.match(line)
        while returns and open_blocks and open_blocks[-1][0] >= indent:
            open_blocks.pop()
        if name and all(holding for _, _, holding in open_blocks):
            start = at if lead is None else lead
            if current:
                yield replace(current, end=min(start, current.end or start))
            qualified = f"{open_blocks[-1][1]}.{name}" if open_blocks else name
            current = Mark(start, len(open_blocks) + 1, qualified, "definition")
            open_blocks.append((indent, qualified, holds))
        elif current and current.end is None and returns and not open_blocks and not leads:
            current = replace(current, end=at if lead is None else lead)
        lead = (at if lead is None else lead) if leads and not name else None
        at += len(line) + 1
    if current:
        yield replace(current, end=current.end or len(text))


@cache
def _rule(language: str) -> re.Pattern[str]:
    rules = "|".join(_SPECIAL.get(language, _BRACES))
    return re.compile(
        rf"(?P<indent>[ \t]*)(?:{rules})", re.VERBOSE | (re.IGNORECASE if language == "sql" else 0)
    )


def _name(match: re.Match[str] | None) -> tuple[str, bool]:
    if match is None:
        return "", False
    groups = {key: value for key, value in match.groupdict().items() if value and key != "indent"}
    key, name = next(((key, value) for key, value in groups.items() if key != "on"), ("", ""))
    if not name or name in _NOT_NAMES:
        return "", False
    if "on" in groups:
        name = f"{groups['on']}.{name}"
    return name.strip('"`[]'), key in _CONTAINERS
