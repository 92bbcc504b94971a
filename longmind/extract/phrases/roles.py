"""Values that say what somebody does for a living."""

from __future__ import annotations

import re

from longmind.extract import lexicon
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import Spans, may_follow

_WORD = pattern(r"[\w'&/-]+")
_PHRASE = pattern(r"[\w'&/-]+(?: [\w'&/-]+){0,7}")
_NOT_INSIDE = frozenset(
    "and or but who that than in at of with from for to like bit lot little fan not very too such".split()
)
_OF_WHAT = pattern(r" of (?:the )?[a-z][\w-]*(?: [a-z][\w-]*)?(?= at | for | and |$|[,.;])")
_LEADERS = frozenset(
    "head director chief vp president professor chair chairman chairwoman treasurer secretary captain editor "
    "mayor principal coordinator trustee".split()
)
_WORKPLACE_AHEAD = pattern(r"\s+(?:at|of|for) (?:the )?[A-Z]")
_GOES_ON = pattern(r" (?:of|based|working|living|specializing)\b")
_ANY_ROLE = pattern(
    r"(?:an?|the) [\w'&/-]+(?: [\w'&/-]+){0,4}?"
    r"(?=$|[,.;]| (?:at|for|in|with|and|on|since|now|but|so|of|from|to|who|where|these|nowadays|again|as|btw|"
    r"tbh|lol|haha|though|too|until|because)\b)",
    re.IGNORECASE,
)
_ARTICLE = pattern(r"(?:an?|the|our|one of the) ", re.IGNORECASE)
_NO_WORK = pattern(
    r"(?:retired|unemployed|self-employed)(?=$|[,.;!]| (?:now|and|but|at the moment)\b)", re.IGNORECASE
)
_NO_ROLE = pattern(
    r"\b(?:team|whole|result|favou?r|volunteer|way|living|child|kid|unit|group|couple)\b", re.IGNORECASE
)


_STUDENT = pattern(r"(?:student|undergrad|undergraduate|freshman|sophomore)$", re.IGNORECASE)


def occupation(text: str, start: int, end: int) -> Spans | None:
    """An occupation told by its noun: "a paediatric nurse", "the lead developer"."""
    match = _PHRASE.match(text, start, end)
    if match is None:
        return None
    words = list(_WORD.finditer(match.group()))
    article = words[0].group().lower() in ("a", "an", "the", "our")
    for number in range(len(words) - 1, -1, -1):
        low = words[number].group().lower()
        pair = f"{words[number - 1].group().lower()} {low}" if number else low
        if low not in lexicon.OCCUPATIONS and pair not in lexicon.OCCUPATIONS:
            continue
        stop = start + words[number].end()
        modifiers = [word.group().lower() for word in words[1 if article else 0 : number]]
        if any(word in lexicon.NOT_A_ROLE or word in _NOT_INSIDE for word in modifiers) or (
            not article and modifiers[2:]
        ):
            continue
        vague = low in lexicon.AMBIGUOUS_OCCUPATIONS and pair not in lexicon.OCCUPATIONS and not modifiers
        if vague and _WORKPLACE_AHEAD.match(text, stop, end) is None:
            continue
        if low in _LEADERS and (of := _OF_WHAT.match(text, stop, end)) is not None:
            stop = of.end()
        return [(start, stop)] if may_follow(text, stop, end) or _GOES_ON.match(text, stop, end) else None
    return None


def occupation_with_article(text: str, start: int, end: int) -> Spans | None:
    """An occupation after "be", where only an article makes it one: "I'm a nurse"."""
    if (match := _NO_WORK.match(text, start, end)) is not None:
        return [(start, match.end())]
    return occupation(text, start, end) if _ARTICLE.match(text, start, end) else None


def role(text: str, start: int, end: int) -> Spans | None:
    """After "work as": any short noun phrase with an article, or an occupation without one."""
    spans = occupation(text, start, end)
    if spans is not None:
        return spans
    match = _ANY_ROLE.match(text, start, end)
    if match is None or _NO_ROLE.search(match.group()):
        return None
    return [(start, match.end())]


def student(text: str, start: int, end: int) -> Spans | None:
    """Somebody who studies, of whatever sort."""
    spans = occupation_with_article(text, start, end)
    return spans if spans is not None and _STUDENT.search(text[spans[0][0] : spans[0][1]]) else None


_TITLE = pattern(
    r"(?:an? |the )?[\w'&/-]+(?: [\w'&/-]+){0,3}?(?=$|[,.;!]| (?:at|for|in|on|this|last|today|yesterday|"
    r"and|with|of|after)\b)",
    re.IGNORECASE,
)


def title(text: str, start: int, end: int) -> Spans | None:
    """After "promoted to" whatever stands there is what somebody is now."""
    spans = role(text, start, end)
    match = _TITLE.match(text, start, end) if spans is None else None
    return spans if match is None else [(start, match.end())]
