"""What the words of a question say: the terms to look up, its type, and the time it speaks of.

The type is chosen by rules that can say why; it sets the weights of reciprocal rank fusion. What a question
names and whether it asks for advice set those of score fusion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from longmind.base.words import STOP_WORDS, WORD
from longmind.search.request import SearchRequest
from longmind.search.timeline import TimeSense, sense_of_time
from longmind.search.wording import (
    Rule,
    asking_part,
    is_request,
    looked_up_part,
    may_lead_on,
    side_meant,
    wants_several,
)
from longmind.text.query import TextQuery, plan_text
from longmind.text.words import terms
from longmind.when.words import MONTHS, WEEKDAYS

QueryType = Literal["factual", "semantic", "temporal", "exploratory"]

_TEMPORAL: Final = Rule(
    r"\b(?:when|how long|how often|what (?:time|date|day|month|year)|since when|until when|"
    r"before|after|first|last|latest|recent(?:ly)?|newest|oldest|yesterday|today|tomorrow|ago|"
    r"earlier|later|timeline|history)\b",
    "when long often time date day month year since until before after first last latest recent recently "
    "newest oldest yesterday today tomorrow ago earlier later timeline history",
)
_FACTUAL: Final = re.compile(
    r"^\s*(?:who|whose|whom|where|which|what(?:'s| is| are| was| were)|is|are|was|were|does|do|did|has|have|"
    r"how (?:many|much|old|far|big|tall))\b",
    re.IGNORECASE,
)
_EXPLORATORY: Final = Rule(
    r"\b(?:tell me about|what do (?:we|you|i) know|everything|overview|summar\w+|list|show me|explore|"
    r"anything about|all about|in general|ideas?)\b",
    "tell know everything overview list show explore anything all general idea ideas",
    stems=("summar",),
)
_IDENTIFIER: Final = re.compile(r"\w[_./:]\w|\w::\w|\"[^\"]+\"")
_IN_IDENTIFIERS: Final = re.compile(r"[_./:\"]")
_TIME_NAMES: Final = frozenset({*MONTHS, *WEEKDAYS})


@dataclass(frozen=True, slots=True)
class Classified:
    """A question's type, and the rule that said so."""

    type: QueryType
    reason: str


def classify(query: str) -> Classified:
    """The first rule that fits, in this order: exploratory, temporal, factual; else semantic."""
    text = asking_part(query)
    rules: list[tuple[QueryType, Rule | re.Pattern[str], str]] = [
        ("exploratory", _EXPLORATORY, "asks for a survey"),
        ("temporal", _TEMPORAL, "asks about time"),
        ("factual", _FACTUAL, "begins like a question of fact"),
    ]
    if _IN_IDENTIFIERS.search(text):
        rules.append(("factual", _IDENTIFIER, "names an identifier or a quotation"))
    for kind, pattern, reason in rules:
        match = pattern.search(text)
        if match:
            return Classified(kind, f"{reason}: {match[0].strip()!r}")
    return Classified("semantic", "no rule for another type fits")


def _begins_sentence(text: str, start: int) -> bool:
    """Whether a word has its capital from where it stands."""
    before = text[:start].rstrip(" \"'(\u201c\u2018\u00bf\u00a1")
    return not before or before[-1] in ".!?:;\n"


class Question:
    """Each part is worked out when a step first needs it, and once.

    Not all at the start: while this thread computes, the one that embeds or scans vectors cannot begin.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request = request

    @cached_property
    def terms(self) -> TextQuery:
        return plan_text(looked_up_part(self._request.query))

    @cached_property
    def type(self) -> Classified:
        return classify(self._request.query)

    @cached_property
    def is_request(self) -> bool:
        return is_request(self._request.query)

    @cached_property
    def wants_several(self) -> bool:
        """True: it asks for what stands in several texts, such as the order of events."""
        return wants_several(self._request.query)

    @cached_property
    def may_lead_on(self) -> bool:
        """True: its answer may be about something that only another text names."""
        return may_lead_on(self._request.query)

    @cached_property
    def side(self) -> str | None:
        """The role whose turns are asked for, if one is."""
        return side_meant(self._request.query)

    @cached_property
    def _content(self) -> list[tuple[str, bool]]:
        """Its content words, each with whether it is a name: a capital inside the sentence."""
        text = asking_part(self._request.query)
        words: list[tuple[str, bool]] = []
        for match in WORD.finditer(text):
            word = match[0]
            if word.lower() not in STOP_WORDS:
                words.append((word, word[0].isupper() and not _begins_sentence(text, match.start())))
        return words

    @cached_property
    def names(self) -> float:
        """The share of its content words that are names or numbers."""
        named = [
            is_name or (not word.isalpha() and any(map(str.isdigit, word))) for word, is_name in self._content
        ]
        return sum(named) / len(named) if named else 0.0

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The index terms of its names, without those of days and months, which texts say in other ways."""
        names = [word for word, is_name in self._content if is_name and word.lower() not in _TIME_NAMES]
        return tuple(dict.fromkeys(terms(" ".join(names)))) if names else ()

    @cached_property
    def time(self) -> TimeSense:
        return sense_of_time(self._request)
