"""Personal data and secrets in a text: where they stand, what they are, and the text without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from longmind.base.errors import InvalidInput
from longmind.base.offsets import ByteOffsets
from longmind.extract.detectors import Match, numbers, phones, places, secrets
from longmind.extract.patterns import pattern

KINDS: Final = ("key", "email", "iban", "card", "ssn", "ip", "account", "phone", "address")
"""What can be found. Where two readings overlap, the kind that stands earlier here is kept."""

# Most text holds no number long enough to be a card or a telephone, and need not be searched for one.
_DIGIT = pattern(r"\d")
_LONG_NUMBER = pattern(r"\d(?:[^\d\n]{0,3}\d){5}")


@dataclass(frozen=True, slots=True)
class PersonalSpan:
    """One piece of personal data: `start` and `end` are UTF-8 bytes, `rule` names what recognised it."""

    kind: str
    start: int
    end: int
    text: str
    rule: str


Mask: TypeAlias = str | Callable[[PersonalSpan], str]


def find_personal(
    text: str, *, kinds: Iterable[str] | None = None, region: str | None = None
) -> list[PersonalSpan]:
    """Personal data in the order of the text, without overlaps.

    `region`, a country's two letters, adds the numbers of its numbering plan written without a country code;
    it needs the extra `phones`.
    """
    selected = _checked(kinds)
    if _DIGIT.search(text) is None:
        selected &= {"key", "email"}
    elif _LONG_NUMBER.search(text) is None:
        selected -= {"iban", "card", "ssn", "account", "phone"}
    matches: list[Match] = []
    for kind in KINDS:
        if kind in selected:
            further = sorted(_detect(kind, text, region), key=lambda match: (match.start, -match.end))
            matches = _without_overlaps(matches, further)
    if not matches:
        return []
    offsets = ByteOffsets(text)
    return [
        PersonalSpan(
            match.kind, offsets[match.start], offsets[match.end], text[match.start : match.end], match.rule
        )
        for match in matches
    ]


def redact(text: str, spans: Iterable[PersonalSpan], *, mask: Mask = "[{kind}]") -> str:
    """The text with each span replaced by `mask`, in which {kind} stands for the span's kind."""
    data = text.encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    position = 0
    for span in sorted(spans, key=lambda span: span.start):
        value = data[span.start : span.end]
        if span.start < position or value != span.text.encode("utf-8", "surrogatepass"):
            raise InvalidInput(
                f"Bytes {span.start} to {span.end} are not what the span says, or overlap another span.",
                hint="Pass the spans that find_personal gave for exactly this text.",
            )
        put = mask(span) if callable(mask) else mask.replace("{kind}", span.kind)
        pieces += [data[position : span.start], put.encode("utf-8", "surrogatepass")]
        position = span.end
    pieces.append(data[position:])
    return b"".join(pieces).decode("utf-8", "surrogatepass")


def _checked(kinds: Iterable[str] | None) -> frozenset[str]:
    if kinds is None:
        return frozenset(KINDS)
    if isinstance(kinds, str):
        raise InvalidInput(
            f"kinds is a collection of names, not one string: {kinds!r}.", hint=f"Write [{kinds!r}]."
        )
    selected = frozenset(kinds)
    if unknown := sorted(selected - set(KINDS)):
        raise InvalidInput(
            f"No such kind of personal data: {', '.join(unknown)}.", hint=f"Known are {', '.join(KINDS)}."
        )
    return selected


def _detect(kind: str, text: str, region: str | None) -> Iterator[Match]:
    if kind == "phone":
        return phones.find_phones(text, region=region)
    if kind == "key":
        return secrets.find_keys(text)
    if kind == "address":
        return places.find_addresses(text)
    return numbers.DETECTORS[kind](text)


def _without_overlaps(matches: list[Match], further: list[Match]) -> list[Match]:
    """Both lists merged by position; what is found now gives way to what is kept and what precedes it."""
    merged: list[Match] = []
    others = iter(matches)
    following = next(others, None)
    for match in further:
        while following is not None and following.start < match.end:
            merged.append(following)
            following = next(others, None)
        if not merged or merged[-1].end <= match.start:
            merged.append(match)
    if following is not None:
        merged.append(following)
    merged.extend(others)
    return merged
