"""Sentences that are an instruction as a whole: "Always cite sources when I ask for facts"."""

from __future__ import annotations

import re
from typing import Final

from longmind.extract.instructions import ONCE, topic_of
from longmind.extract.patterns import pattern
from longmind.extract.phrases.edges import trimmed
from longmind.extract.rule_match import Range, RuleMatch
from longmind.extract.verbs import forms_by_word
from longmind.extract.words import Words

_ASKED: Final = (
    r"(?<!\beven )(?:when|whenever|if|every time|any time|anytime|each time) (?:I|we) (?:ever )?"
    r"(?:ask|mention|request|inquire|enquire|write|message|text|paste|send|share|say|bring up|talk to you)\b"
)
_POLITE: Final = r"(?:(?:please|and|also|ok|okay|so|oh|hey|one more thing)[, :]+)*"
_KEPT: Final = (
    r"(?:always|never|make sure (?:to|you)(?: always)?|be sure to|remember to|don't ever|do not ever)"
)
_ORDERED_WHEN_ASKED: Final = pattern(
    rf"{_POLITE}(?P<what>{_KEPT} (?P<verb>[a-z-]+) [^?]{{2,200}}?\b{_ASKED}[^?]*)$", re.IGNORECASE
)
_WHEN_ASKED_ORDERED: Final = pattern(
    rf"{_POLITE}(?P<what>{_ASKED}[^,?]{{0,120}}, (?:then |please |you should |i want you to )?"
    rf"(?:{_KEPT} |don't |do not |just )?(?P<verb>[a-z-]+) [^?]+)$",
    re.IGNORECASE,
)
_FURTHER_VERBS: Final = frozenset(
    "cite format prioritize prioritise summarize summarise specify verify number bold quote capitalize "
    "capitalise abbreviate proofread italicize italicise label tag round cross-check double-check phrase "
    "spell".split()
)
"""What an assistant is told to do, of which some are seldom verbs in what people tell of themselves."""
_ORDERED: Final = pattern(
    rf"{_POLITE}(?P<what>(?:please )?(?:always|never|from now on,?|in future,?) "
    r"(?P<verb>[a-z-]+) [^?]{3,200})$",
    re.IGNORECASE,
)
_SIGNS: Final = frozenset("always never sure remember ever ask when whenever if time future now".split())


def find_standing_order(words: Words, sentence: Range, speaker: str) -> RuleMatch | None:
    """What the assistant is to do in each case that is named, or always; None without such a word."""
    if _SIGNS.isdisjoint(words.lows):
        return None
    start, end = trimmed(words.masked, *sentence)
    for shape in (_ORDERED_WHEN_ASKED, _WHEN_ASKED_ORDERED, _ORDERED):
        match = shape.match(words.masked, start, end)
        if match is None:
            continue
        verb = match["verb"].lower()
        if verb not in _FURTHER_VERBS and (shape is _ORDERED or "base" not in forms_by_word().get(verb, {})):
            return None
        if ONCE.search(words.masked, start, end) is not None and shape is _ORDERED:
            return None
        value = match.span("what")
        slot = topic_of(match["what"], words.letters) if shape is _ORDERED else "instruction"
        return RuleMatch(speaker, slot, value, value, "instruction")
    return None
