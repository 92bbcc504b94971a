"""Says whether a question asks for the newest state of things, or for the oldest, and by which words."""

from __future__ import annotations

import re

from longmind.search.wording import Rule
from longmind.when.words import DAY_PARTS, PLAIN_WEEKDAYS, SEASONS, UNITS

_NAMES = "|".join([*UNITS, *PLAIN_WEEKDAYS, *SEASONS, *DAY_PARTS, "weekend", "few", "couple"])
_TIMES = rf"(?:{_NAMES}|[0-9]+)"
_RECENCY = Rule(
    rf"""(?x)
    \b(?: (?<!at\ the\ )latest | newest
        | most\ (?:recent|recently|current|up[ -]to[ -]date)
        | recent | recently | lately | currently | nowadays | presently | these\ days
        | (?:my|our|his|her|their|your|its|the)\ current
        | at\ the\ moment | right\ now | at\ present | as\ of\ (?:now|today)
        | last\ time
        | the\ last\ (?:one|thing|message|conversation|chat|call|meeting|visit|trip|session|note|email)
        | when\ (?:did|was|were|have|has|had)\ (?:\w{{1,30}}\ ){{1,3}}last(?=\ (?!{_TIMES}\b)\w)
        | (?:the|my|our|his|her|their|your)\ last
          (?=\ (?!{_TIMES}\b)\w{{1,30}}\ (?:i|we|you|he|she|they|that)\b)
        | last\ (?:updated|changed|seen|visited|mentioned|said|talked|spoke|discussed|met|saw)
        | (?<!until\ )(?<!till\ )(?<!by\ )(?<!from\ )now(?=\W{{0,9}}$)
    )\b
    """,
    "latest newest most recent recently lately currently nowadays presently these current moment now present "
    "today last",
)
_OLDEST = Rule(
    r"""(?x)
    \b(?: oldest | earliest | (?:the\ )?very\ first | originally | initially
        | (?:for\ )?the\ first\ time | first\ time
        | the\ first\ (?:one|thing|message|conversation|chat|call|meeting|visit|trip|session|note|email)
        | when\ (?:did|was|were|have|has|had)\ (?:[\w'’]{1,30}\ ){1,4}first(?=\ (?!name\b|class\b|aid\b)\w)
        | first\ (?:mentioned|said|seen|talked|spoke|discussed|met|saw|heard|visited|reported|used|tried)
        | (?:my|our|his|her|their|your)\ first
          (?=\ (?!name\b|names\b|language\b)\w{1,30}\ (?:i|we|you|he|she|they|that)\b)
    )\b
    """,
    "oldest earliest first originally initially",
)
_SPACES = re.compile(r"\s+")


def asks_recency(text: str, *, most_characters: int = 2_000) -> str | None:
    """The words that ask for what is newest ('latest', 'last time', 'currently'), or None."""
    return _said(_RECENCY, text[: max(most_characters, 0)])


def asks_oldest(text: str, *, most_characters: int = 2_000) -> str | None:
    """The words that ask for what came first ('earliest', 'first time', 'originally'), or None."""
    return _said(_OLDEST, text[: max(most_characters, 0)])


def _said(rule: Rule, text: str) -> str | None:
    if not rule.may_match(text):
        return None
    match = rule.pattern.search(_SPACES.sub(" ", text))
    return match.group() if match else None
