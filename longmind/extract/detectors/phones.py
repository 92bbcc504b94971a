"""Telephone numbers, by their grouping and the words around them; by a national numbering plan on request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longmind.base.errors import InvalidInput, MissingExtra
from longmind.extract.detectors.match import Match
from longmind.extract.patterns import pattern

_RUN = pattern(
    r"(?<![\d.,])[+(]{0,2}\d(?:[ ().+/\-\u2010-\u2015\u00a0]{0,3}\d){6,40}(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?",
    re.IGNORECASE,
)
_SHAPE = pattern(
    r"(?<![\w./$\u20ac\u00a3-])(?<!\d,)(?:\+|00)?\(?\d{1,4}\)?(?:[ .\-/\u00a0]?\(?\d{1,4}\)?){1,5}\d?"
    r"(?:\s?(?:x|ext\.?)\s?\d{1,6})?(?![\w%$\u20ac\u00a3\u00b0]|[.,/:]\d)",
    re.IGNORECASE,
)
_STRONG_CUE = pattern(
    r"\b(?:phone|telephone|tel|mobile|cell ?phone|fax|call|calling|ring|sms|whatsapp|dial|hotline|landline"
    r"|handy|telefon)\b[^\d\n.]{0,16}\.?:?\s{0,2}$|\b(?:phone|tel|mobile|fax|cell):?\s{0,3}$",
    re.IGNORECASE,
)
_WEAK_CUE = pattern(
    r"\b(?:number|reach(?:ed)?|contact|text|texts"
    r"|my cell)\b[^\d\n.]{0,12}(?:\b(?:at|to|on|is|me|via)|:)?\s{0,3}$",
    re.IGNORECASE,
)
_CUE_AFTER = pattern(r"\s?[-(,]?\s?(?:office|fax|mobile|cell|home|work|landline)\b", re.IGNORECASE)
_NO_PHONE_BEFORE = pattern(
    r"(?:\b(?:order|invoice|account|acct|card|ticket|case|ref|reference|tracking|version|isbn|issn|part"
    r"|serial|model|zip|postal|flight|route|room|page|line|port|id|pin|code|policy|iban|ssn|passport"
    r"|licen[cs]e|vat|tax|between|years?|chapter|step|lottery|winning)\b(?: (?:number|no|num))?\.?"
    r"|[#$\u20ac\u00a3=<>])[\s:#.is]*$",
    re.IGNORECASE,
)
_DATE = pattern(
    r"(?:1[89]|20)\d\d[-/.](?:0?\d|1[0-2])[-/.](?:[0-2]?\d|3[01])(?!\d)"
    r"|(?:[0-2]?\d|3[01])[-/.](?:[0-2]?\d|3[01])[-/.](?:(?:1[89]|20)\d\d|\d{2})(?: \d.*)?$"
)
_GOES_ON = pattern(r"\w\Z|\d[.,/]\Z")
_YEARS = pattern(r"(?:1[89]|20)\d\d[ /-]{1,3}(?:1[89]|20)\d\d$")
_THOUSANDS = pattern(r"\d{1,3}(?:[ .,]\d{3}){1,3}$")
_DECIMALS = pattern(r"\d+\.\d+(?:[ /-]+\d+\.?\d*)*$|\d\d\d-\d\d\d$")
_SOMETHING_ELSE = pattern(r"\d{3}[- ]\d{2}[- ]\d{4}$|(?:\d{1,3}\.){3}\d{1,3}$")
_IN_GROUPS = pattern(r"\(?\d{2,5}\)?(?:[ .-]\d{2,4}){0,4}[ .-]\d{2,7}$")
_NORTH_AMERICAN = pattern(r"(?:\+?1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}(?!\d)")
_GROUPED = pattern(
    r"(?:0\d{1,4}|\(\d{1,5}\))(?:[ .\-/]\d{2,4}){1,5}$|0\d{2,4}[ /-]\d{6,8}$|\d\d(?:[.-]\d\d){3,4}$"
    r"|00\d-\d{3}-\d{3}-\d{4}$"
)


def find_phones(text: str, *, region: str | None = None) -> Iterator[Match]:
    """Numbers that look like one in their surroundings, after those that a region's numbering plan knows.

    The plan is asked only if a region is named: the rules alone find as many of the labelled numbers (bench
    personal: recall 0.935 with and without), the plans of all countries take 48 MB, and a text must give the
    same statements on every machine, whatever is installed there.
    """
    planned: list[tuple[int, int]] = []
    if region is not None:
        for start, end in _by_plan(text, _checked(region)):
            planned.append((start, end))
            yield Match("phone", start, end, "numbering plan")
    following = 0
    for match in _SHAPE.finditer(text):
        start, end = _balanced(text, match.start(), match.end())
        while following < len(planned) and planned[following][1] <= start:
            following += 1
        overlaps = following < len(planned) and planned[following][0] < end
        if not overlaps and (rule := _by_shape(text, start, end)) is not None:
            yield Match("phone", start, end, rule)


def _checked(region: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2}", region):
        raise InvalidInput(
            f"A region is the two-letter code of a country, not {region!r}.", hint="Write 'US' or 'PT'."
        )
    return region.upper()


def _by_plan(text: str, region: str) -> Iterator[tuple[int, int]]:
    try:
        from phonenumbers import Leniency, PhoneNumberMatcher
    except ImportError:
        raise MissingExtra("Numbering plans need phonenumbers.", extra="phones") from None
    for run in _RUN.finditer(text):
        for match in PhoneNumberMatcher(run.group(), region, leniency=Leniency.VALID, max_tries=20):
            start, end = _balanced(text, run.start() + match.start, run.start() + match.end)
            if not _excluded(text, start, end):
                yield start, end


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without brackets around the whole number, nor one that has no partner in it."""
    if text[start] == "(" and text.find(")", start, end) == end - 1:
        return start + 1, end - 1
    if text[start] == "(" and ")" not in text[start:end]:
        start += 1
    if text[end - 1] == ")" and "(" not in text[start:end]:
        end -= 1
    return start, end


def _by_shape(text: str, start: int, end: int) -> str | None:
    number = text[start:end]
    digits = sum(character.isdigit() for character in number)
    if not 7 <= digits <= 17 or _excluded(text, start, end):
        return None
    before = text[max(0, start - 40) : start]
    if _STRONG_CUE.search(before) or _CUE_AFTER.match(text, end):
        return None if _YEARS.match(number) else "named"
    if _WEAK_CUE.search(before) and _IN_GROUPS.match(number):
        return None if _YEARS.match(number) else "named"
    if _THOUSANDS.match(number):
        return None
    if number.startswith("+") and digits >= 8:
        return "country code"
    if _NORTH_AMERICAN.match(number):
        return "3-3-4"
    return "grouping" if _GROUPED.match(number) and digits >= 8 else None


def _excluded(text: str, start: int, end: int) -> bool:
    """Whether it is something else: part of a longer number, a date, an amount, or called another thing."""
    number = text[start:end]
    before = text[max(0, start - 24) : start]
    if (
        _GOES_ON.search(before)
        or _DATE.match(number)
        or _DECIMALS.match(number)
        or _SOMETHING_ELSE.match(number)
    ):
        return True
    return _NO_PHONE_BEFORE.search(before) is not None
