"""Keys, tokens and passwords: known prefixes, and random strings where the words around say what they are."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from longmind.extract.detectors import Match
from longmind.extract.patterns import pattern

_PRIVATE = pattern(
    r"-----BEGIN (?P<what>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----(?:(?!-----).){0,20000}?(?:-----END "
    r"(?P=what)-----|\Z)",
    re.DOTALL,
)
_JWT = pattern(r"(?<![\w.-])eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,2048}(?![\w-])")
_URL_PASSWORD = pattern(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:(?P<secret>[^\s:/@]{3,128})@")

# What every such key contains, so that a text without it need not be searched; then the whole key.
_PREFIXED: Final = tuple(
    (name, tuple(marks.split()), pattern(rf"(?<![\w-]){key}(?![\w-])"))
    for name, marks, key in (
        ("openai", "sk-", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}"),
        ("stripe", "_live_ _test_", r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,128}"),
        ("stripe webhook", "whsec_", r"whsec_[A-Za-z0-9]{24,128}"),
        ("github", "gh", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
        ("github", "github_pat_", r"github_pat_[A-Za-z0-9_]{50,255}"),
        ("gitlab", "gl", r"gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,64}"),
        ("slack", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
        ("slack", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,250}"),
        ("aws", "AKIA ASIA AGPA AIDA AROA ANPA", r"(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}"),
        ("google", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
        ("google", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,400}"),
        ("google", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,64}"),
        ("sendgrid", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
        ("hugging face", "hf_", r"hf_[A-Za-z0-9]{30,64}"),
        ("npm", "npm_", r"npm_[A-Za-z0-9]{30,64}"),
        ("pypi", "pypi-", r"pypi-[A-Za-z0-9_-]{50,300}"),
        ("digitalocean", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
        ("shopify", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        ("square", "sq0", r"(?:sq0atp|sq0csp)-[A-Za-z0-9_-]{20,64}"),
        ("mailgun", "key-", r"key-[a-f0-9]{32}"),
        ("telegram", ":", r"\d{8,10}:[A-Za-z0-9_-]{35}"),
        ("databricks", "dapi", r"dapi[a-f0-9]{32}"),
        ("vault", "hv", r"hv[sb]\.[A-Za-z0-9_-]{20,200}"),
        ("grafana", "glsa_", r"glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}"),
        ("age", "AGE-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
        (
            "webhook",
            "hooks.slack",
            r"https://hooks\.slack\.com/services/T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,40}",
        ),
    )
)
_SCHEMES: Final = ("bearer", "basic", "token")
_NAMES: Final = ("key", "secret", "token", "pass", "pwd")
_BEARER = pattern(r"\b(?:Bearer|Basic|Token)\s+(?P<secret>[A-Za-z0-9_.~+/=-]{16,4096})", re.IGNORECASE)
_ASSIGNED = pattern(
    r"(?<![A-Za-z])(?P<name>(?:[\w-]{0,40}[_-])?(?:api[_ -]?key|apikey|secret(?:[_ -]?key)?"
    r"|access[_ -]?(?:key|token)|auth[_ -]?token|client[_ -]?secret|private[_ -]?key|token"
    r"|password|passwd|passphrase|pwd)(?:[_-][\w-]{0,20})?)[\"']?\s{0,3}(?::=|=>|=|:"
    r"|\bis\b)\s{0,3}[\"'`]?(?P<secret>[^\s\"'`,;<>(){}]{6,512})",
    re.IGNORECASE,
)
_PASSWORD = pattern(r"pass|pwd", re.IGNORECASE)
_PLACEHOLDER = pattern(
    r"(?:your|my|the|example|changeme|placeholder|xxx|\*\*\*|\.\.\.|redacted|none|null|true|false|os\.|env"
    r"|process\.|getenv|\$\{?|<|%|secret$|token$|required|invalid|incorrect|wrong|missing|expired)",
    re.IGNORECASE,
)

_REFERENCE = pattern(
    r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|[A-Za-z_]\w*\[|[A-Za-z_]+$|[a-z]+(?:_[a-z]+)+$"
)
"""Code that names where the secret is kept, and not the secret."""


def find_keys(text: str) -> Iterator[Match]:
    """Secrets by what they begin with, by their envelope, or by the name they are given."""
    for rule, mark, envelope in (("private key", "-----BEGIN ", _PRIVATE), ("jwt", "eyJ", _JWT)):
        for match in envelope.finditer(text) if mark in text else ():
            yield Match("key", match.start(), match.end(), rule)
    for rule, marks, key in _PREFIXED:
        # Not by `any`: every memory is looked through, and hardly any has one of the marks.
        for mark in marks:
            if mark in text:
                break
        else:
            continue
        for match in key.finditer(text):
            if rule in ("webhook", "telegram") or _varied(match.group()):
                yield Match("key", match.start(), match.end(), rule)
    for match in _URL_PASSWORD.finditer(text) if "://" in text else ():
        yield Match("key", match.start("secret"), match.end("secret"), "password in a URL")
    lowered = text.lower()
    for match in _BEARER.finditer(text) if any(word in lowered for word in _SCHEMES) else ():
        if _random(match.group("secret")):
            yield Match("key", match.start("secret"), match.end("secret"), "bearer")
    for match in _ASSIGNED.finditer(text) if any(word in lowered for word in _NAMES) else ():
        secret = match.group("secret").rstrip(".!?")
        if _named_secret(match.group("name"), secret):
            start = match.start("secret")
            yield Match("key", start, start + len(secret), "named")


def _named_secret(name: str, secret: str) -> bool:
    if len(secret) < 6 or _PLACEHOLDER.match(secret) or _REFERENCE.match(secret):
        return False
    if _PASSWORD.search(name):
        return any(not character.isalpha() for character in secret)
    return len(secret) >= 12 and _random(secret)


def entropy(text: str) -> float:
    """Bits per character, by how often each character occurs in the text itself."""
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


def _varied(secret: str) -> bool:
    return entropy(secret) >= 2.8


def _random(secret: str) -> bool:
    """Whether a string is too mixed to be words: digits among letters, and many different characters."""
    mixed = any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)
    return mixed and entropy(secret) >= 3.0
