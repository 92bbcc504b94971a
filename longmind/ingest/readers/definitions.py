"""Definitions found by their first lines and their indentation, for languages that are not parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from longmind.ingest.readers.build import Mark

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


def _name(found: re.Match[str] | None) -> tuple[str, bool]:
    if found is None:
        return "", False
    groups = {key: value for key, value in found.groupdict().items() if value and key != "indent"}
    key, name = next(((key, value) for key, value in groups.items() if key != "on"), ("", ""))
    if not name or name in _NOT_NAMES:
        return "", False
    if "on" in groups:
        name = f"{groups['on']}.{name}"
    return name.strip('"`[]'), key in _CONTAINERS
