"""Values with a form of their own: numbers, dates, addresses, and words from closed lists."""

from __future__ import annotations

import re

from longmind.extract import lexicon
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import Reader, Spans, extent, known_entry, time_follows, trimmed
from longmind.when.mentions import mention_at
from longmind.when.words import ONES, TENS

_EMAIL = pattern(r"[A-Za-z0-9][\w.+%-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z]{2,24}")
_PHONE = pattern(r"\+?\(?\d[\d ().-]{5,20}\d(?:\s?(?:x|ext\.?)\s?\d{1,5})?")
_AGE_TAIL = pattern(
    r"\s*(?:$|[,.;!)])|\s+(?:and|but|now|today|so|years? old|yrs? old|yo|y/o|year old)\b|\s*-?years?-old\b",
    re.IGNORECASE,
)
_AGE = pattern(r"\d{1,3}(?![\d.,:%/]\d|%)")
_AGE_IN_WORDS = pattern(
    rf"(?:(?:{'|'.join(TENS)})(?:[- ](?:{'|'.join(ONES)}))?|{'|'.join(sorted(ONES, key=len, reverse=True))})"
    r"(?![\w-])",
    re.IGNORECASE,
)
_PREPOSITION = pattern(r"(?:on|in|around|back in|sometime in) ", re.IGNORECASE)
_DATE_WORD = pattern(
    r"\d|january|february|march|april|may|june|july|august|september|october|november|december", re.IGNORECASE
)
_RELATIVE = pattern(r"\b(?:ago|years|weeks|days|next|last)\b", re.IGNORECASE)
_HOUSEMATES = pattern(
    r"(?:my|our|his|her|their) (?:[\w'-]+ ){0,3}?[\w'-]+(?: and (?:(?:my|our|his|her|their|\w+) )?[\w'-]+)?"
    r"(?=$|[,.;!]| (?:in|at|on|near|since|for|now|right)\b)"
)
_STREET = pattern(
    r"(?:(?i:flat|apt\.?|apartment|unit|suite|room) ?[\w-]+,? )?\d{1,5}[A-Za-z]? [A-Z][\w'.-]*"
    r"(?:,? [A-Z][\w'.-]*){0,7}(?: \d{1,6}[A-Z]{0,2}\b)?(?:,? [A-Z][\w'.-]*| \d{4,6}){0,5}"
)
_PRONOUNS = pattern(r"(?:she|he|they|it|xe|ze|any)(?:/\w{2,6}){1,2}|(?:she|he|they) and \w+", re.IGNORECASE)
_ZONE = pattern(
    r"(?:(?:UTC|GMT)\s?[+-]?\s?\d{0,2}(?::?\d\d)?|[A-Z]{2,5}|[A-Z][a-z]+/[A-Z][A-Za-z_]+|(?:Eastern|Central"
    r"|Pacific|Mountain)(?: [A-Z]\w+)*)(?!\w)"
)


def email(text: str, start: int, end: int) -> Spans | None:
    """An e-mail address."""
    match = _EMAIL.match(text, start, end)
    return None if match is None else [(start, match.end())]


def phone(text: str, start: int, end: int) -> Spans | None:
    """A telephone number of seven digits or more."""
    match = _PHONE.match(text, start, end)
    if match is None or not 7 <= sum(c.isdigit() for c in match.group()) <= 17:
        return None
    return [(start, match.end())]


def age(text: str, start: int, end: int) -> Spans | None:
    """A number of years that is somebody's age."""
    match = _AGE.match(text, start, end)
    if match is not None and not 1 <= int(match.group()) <= 120:
        return None
    match = match or _AGE_IN_WORDS.match(text, start, end)
    if match is None or not _ends_age(text, match.end(), end):
        return None
    return [(start, match.end())]


def _ends_age(text: str, stop: int, end: int) -> bool:
    after = stop
    while after < end and text[after] == " ":
        after += 1
    return _AGE_TAIL.match(text, stop, end) is not None or mention_at(text, after, end) is not None


def address(text: str, start: int, end: int) -> Spans | None:
    """A street address that begins with its number."""
    match = _STREET.match(text, start, end)
    if match is None:
        return None
    begin, stop = trimmed(text, start, match.end())
    return [(begin, stop)] if len(text[begin:stop].split()) >= 2 else None


def date(text: str, start: int, end: int) -> Spans | None:
    """A date or a year, as written, without its preposition."""
    mention = mention_at(text, start, end)
    if mention is None:
        return None
    preposition = _PREPOSITION.match(text, start, mention.end)
    begin = start if preposition is None else preposition.end()
    value = text[begin : mention.end]
    dated = _DATE_WORD.search(value) is not None and _RELATIVE.search(value) is None
    return [(begin, mention.end)] if dated else None


def pronouns(text: str, start: int, end: int) -> Spans | None:
    """Pronouns such as they/them."""
    match = _PRONOUNS.match(text, start, end)
    return None if match is None else [(start, match.end())]


def timezone(text: str, start: int, end: int) -> Spans | None:
    """A time zone by its abbreviation, offset or region."""
    match = _ZONE.match(text, start, end)
    return None if match is None else [(start, match.end())]


_STANDS_ALONE = pattern(
    r"\s*(?:$|[,.;:!?)(\ue000\u2026\u2014]|[\U0001f000-\U0001faff\u2600-\u27bf])"
    r"|\s+(?:and|but|so|now|since|for|with|because|too|these|at the moment|right now|again|as well|though"
    r"|by|which|who|or|btw|if|until|when|while|living|all|nowadays|as of|after all|tbh|ngl|lol|haha|imo"
    r"|actually|already)(?![\w-])",
    re.IGNORECASE,
)


_SOMEBODY = pattern(r"(?:seeing|dating) (?:someone|somebody)(?: new)?(?![\w'-])", re.IGNORECASE)


def somebody(text: str, start: int, end: int) -> Spans | None:
    """A partner without a name: "seeing someone"."""
    match = _SOMEBODY.match(text, start, end)
    return None if match is None else [(start, match.end())]


def one_of(entries: frozenset[str]) -> Reader:
    """A reader for adjectives from a list that nothing goes on with: "deaf", but not "deaf to criticism"."""

    def read(text: str, start: int, end: int) -> Spans | None:
        stop = known_entry(text, start, end, entries)
        if stop is None:
            return None
        alone = _STANDS_ALONE.match(text, stop, end) is not None or time_follows(text, stop, end)
        return [(start, stop)] if alone else None

    return read


nationality = one_of(lexicon.NATIONALITIES)
religion = one_of(lexicon.RELIGIONS)
diet = one_of(lexicon.DIETS)
marital = one_of(lexicon.MARITAL)
condition_adjective = one_of(lexicon.CONDITION_ADJECTIVES)


def housemates(text: str, start: int, end: int) -> Spans | None:
    """Those somebody lives with: "my grandparents", or a name."""
    match = _HOUSEMATES.match(text, start, end)
    if match is None or match.end() > extent(text, start, end):
        return None
    return [(start, match.end())]
