"""E-mail and IP addresses, cards, accounts, social security numbers: what has a form that can be checked."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from typing import Final

from longmind.extract.detectors.match import Match
from longmind.extract.patterns import pattern

_EMAIL = pattern(
    r"(?<![\w.+%-])[\w][\w.+%'-]{0,63}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w-]|\.\w)"
)

# Longest issuer prefixes first; a number is a card only if its issuer makes cards of that length.
_ISSUERS: Final = (
    (pattern(r"3[47]"), {15}),
    (pattern(r"(?:2131|1800)"), {15}),
    (pattern(r"35(?:2[89]|[3-8])"), {16, 17, 18, 19}),
    (pattern(r"3(?:0[0-59]|[689])"), {14, 16, 19}),
    (pattern(r"4"), {13, 16, 19}),
    (pattern(r"5[1-5]"), {16}),
    (pattern(r"2(?:2(?:2[1-9]|[3-9])|[3-6]|7(?:[01]|20))"), {16}),
    (pattern(r"6(?:011|4[4-9]|5)"), {16, 17, 18, 19}),
    (pattern(r"62"), {16, 17, 18, 19}),
    (pattern(r"(?:50|5[6-9]|6)"), set(range(12, 20))),
)
_CARD = pattern(r"(?<![\w.,-])(?<!\d[ ])\d(?:[ -]?\d){11,18}(?![\w-]|[.,]\d)")
_CARD_BEFORE = pattern(
    r"\b(?:card|cc|visa|mastercard|amex|maestro|debit|credit)\b[^\d\n]{0,30}$", re.IGNORECASE
)

_IBAN = pattern(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[A-Za-z0-9]{11,30}"
    r"|(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,3})?)(?![A-Za-z0-9])"
)
_IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25,
    "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip

_SSN = pattern(r"(?<![\w-])(?!000|666|9)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\w-]|\.\d)")

_IPV4 = pattern(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_DOTTED = pattern(r"\d\.\d{1,3}\.\d")
_COLONS = pattern(r"::|[0-9A-Fa-f]:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]")
_VERSION_BEFORE = pattern(r"\b(?:v|version|release|build|v\.|EC|section|chapter)\s{0,2}$", re.IGNORECASE)
_IPV6 = pattern(r"(?<![\w:.])(?=[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:)[0-9A-Fa-f:.]{2,45}(?![\w:])")

_ACCOUNT_WORDS: Final = ("account", "acct", "a/c", "konto", "routing", "sort", "aba", "bsb")
_ACCOUNT = pattern(
    r"\b(?:(?:bank |checking |savings |current |giro )?(?:account|acct|a/c)\.?(?: (?:number|num|no))?"
    r"|konto(?:nummer)?|routing(?: number)?|sort[ -]code"
    r"|aba(?: number)?|bsb)\b[\s.:#]*(?:is |of |: ?)?(?P<number>\d[\d -]{4,20}\d)(?![\w.])",
    re.IGNORECASE,
)


def find_emails(text: str) -> Iterator[Match]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Match("email", match.start(), match.end(), "address@domain")


def find_cards(text: str) -> Iterator[Match]:
    """Numbers of twelve to nineteen digits with a right check digit and a known issuer, or called a card."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(set(digits)) == 1 or not luhn(digits):
            continue
        if _has_issuer(digits):
            yield Match("card", match.start(), match.end(), "issuer and luhn")
        elif _CARD_BEFORE.search(text, max(0, match.start() - 40), match.start()):
            yield Match("card", match.start(), match.end(), "named and luhn")


def _has_issuer(digits: str) -> bool:
    lengths = next((lengths for prefix, lengths in _ISSUERS if prefix.match(digits)), None)
    return lengths is not None and len(digits) in lengths


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it."""
    total = 0
    for position, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if position % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def find_ibans(text: str) -> Iterator[Match]:
    """International account numbers of their country's length and with the right remainder."""
    for match in _IBAN.finditer(text):
        plain = match.group().replace(" ", "")
        end = match.end()
        # A short word after the last group of four reads like one more group: try without it.
        if len(plain) != _IBAN_LENGTHS.get(plain[:2].upper()) and " " in match.group():
            end = match.start() + match.group().rfind(" ")
            plain = text[match.start() : end].replace(" ", "")
        digits = sum(character.isdigit() for character in plain)
        if len(plain) == _IBAN_LENGTHS.get(plain[:2].upper()) and digits >= 8 and _remainder(plain) == 1:
            yield Match("iban", match.start(), end, "mod97")


def _remainder(iban: str) -> int:
    plain = iban.upper()
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97


def find_ssns(text: str) -> Iterator[Match]:
    for match in _SSN.finditer(text):
        yield Match("ssn", match.start(), match.end(), "area-group-serial")


def find_ips(text: str) -> Iterator[Match]:
    """Addresses of both versions; one of version 4 inside one of version 6 is part of that."""
    longer = []
    for match in _IPV6.finditer(text) if _COLONS.search(text) else ():
        address = match.group().rstrip(".")
        if _looks_v6(address) and _is_ip(address):
            longer.append(Match("ip", match.start(), match.start() + len(address), "v6"))
    yield from longer
    ends = {match.end for match in longer}
    for match in _IPV4.finditer(text) if _DOTTED.search(text) else ():
        called_version = _VERSION_BEFORE.search(text, max(0, match.start() - 12), match.start())
        if match.end() not in ends and not called_version and _is_ip(match.group()):
            yield Match("ip", match.start(), match.end(), "v4")


def _looks_v6(address: str) -> bool:
    """More than two words of a programming language joined by colons, as `ab::cd`."""
    groups = [group for group in address.split(":") if group]
    long_enough = len(groups) >= 3 or address.startswith("::") or (len(groups) == 2 and len(groups[0]) == 4)
    return long_enough and any(character.isdigit() for character in address)


def _is_ip(address: str) -> bool:
    """A valid address that is somebody's: not loopback, not unspecified."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (ip.is_loopback or ip.is_unspecified)


def find_accounts(text: str) -> Iterator[Match]:
    """National account, routing and sort numbers, where the words before say so."""
    lowered = text.lower()
    for match in _ACCOUNT.finditer(text) if any(word in lowered for word in _ACCOUNT_WORDS) else ():
        digits = sum(character.isdigit() for character in match.group("number"))
        if 6 <= digits <= 18:
            yield Match("account", match.start("number"), match.end("number"), "named")


DETECTORS: Final[dict[str, Callable[[str], Iterator[Match]]]] = {
    "email": find_emails,
    "card": find_cards,
    "iban": find_ibans,
    "ssn": find_ssns,
    "ip": find_ips,
    "account": find_accounts,
}
