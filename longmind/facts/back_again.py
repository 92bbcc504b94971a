"""What somebody is back to: "back on earlies", "we've gone back to N26", "back to Skype for the calls".

It was told before, under whichever predicate, and holds again; what came in its place is over. That is what
began when it ended, or what differs from it as one shift does from another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.extract.sentences import mask
from longmind.extract.statements import INSTRUCTIONS
from longmind.facts.anew import is_another_of_its_noun, without_place
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.kinds import kinds_of
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_BACK: Final = re.compile(
    r"(?:^|[.!;:,\u2013\u2014-]\s*|\b(?:i|we|i'm|we're|i've|we've|am|are|and|so|now|then|put me|moved me|"
    r"moved us|put us)\s)"
    r"(?:been |now |just |gone |went |moved |switched |finally |all )*back (?:[a-z]+ing )?"
    r"(?:on|to|at|with|in|onto|using)? ?(?:the |my |our )?(?P<what>[\w'&.-]*\w(?: [\w'&-]+){0,3}?)"
    r"(?: for (?:the |my |our )?(?P<purpose>[a-z][\w-]*(?: [a-z][\w-]*)?))?"
    r"(?= as of| from| since| again| now| these days| after| because| this (?:month|term|year)|"
    r"\s*[,.;!\n\u2013\u2014]|$)",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(
    r"\b(?:if|would|might|could|should|want|hope|wish|maybe|perhaps|not|never|thinking|planning|plan|going "
    r"to|used to|"
    r"was|were|until|till|(?<!of )(?<!from )tonight|tomorrow|yesterday|visit|for (?:a|an|one|two|three|the "
    r"(?:day|week|"
    r"weekend|night|"
    r"holidays?|summer|winter|evening|time being))|he|she|they're|they|his|her|their)\b|n't\b|\?",
    re.IGNORECASE,
)
_PUT_BACK: Final = re.compile(r"\bthey(?:'ve| have)? (?=(?:put|moved|switched) (?:me|us)\b)", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]+)*[.!?]*")
_APART: Final = frozenset({"event", "plans", "did", "session_id", "title", "name", "nickname"}) | INSTRUCTIONS
_SHIFT: Final = frozenset({"shift"})


class Again(NamedTuple):
    """What is so again, the end of what is not, and the text's own facts without those that say no more."""

    new: list[FoundFact]
    kept: list[FoundFact]


def back_again(current: CurrentFacts, frame: Frame, facts: Sequence[FoundFact]) -> Again:
    """What a text says that its speaker is back to, where it was told before."""
    text = frame.text
    new: list[FoundFact] = []
    if "back " not in text.lower():
        return Again(new, list(facts))
    for sentence in _SENTENCE.finditer(mask(text)):
        for match in _BACK.finditer(sentence.group()):
            if (
                _TOPIC.match(match[0])
                and not match["purpose"]
                and _SIGN.match(sentence.group(), match.end()) is None
            ):
                continue  # "back to the garden: what grows there?"
            if _NOT_SO.search(_PUT_BACK.sub("", sentence.group())) is None:
                new += _again(current, match, frame)
    if not new:
        return Again(new, list(facts))
    kept = [
        fact
        for fact in facts
        if not (fact.predicate in ("event", "went", "is") and _IS_BACK.match(str(fact.value)))
    ]
    stated = {(fact.subject, fact.predicate, str(fact.value).casefold(), fact.action) for fact in kept}
    new = [
        fact
        for fact in new
        if (fact.subject, fact.predicate, str(fact.value).casefold(), fact.action) not in stated
    ]
    return Again(new, kept)


_TOPIC: Final = re.compile(r"\W*(?:and |so |now |then )?back to\b", re.IGNORECASE)
_SIGN: Final = re.compile(r" (?:as of|from|since|again|now|these days)\b", re.IGNORECASE)
_IS_BACK: Final = re.compile(r"back\b", re.IGNORECASE)


def _again(current: CurrentFacts, match: re.Match[str], frame: Frame) -> Iterator[FoundFact]:
    words = words_of(match["what"])
    words = words - _SHIFT or words
    if not words:
        return
    purpose = words_of(match["purpose"] or "")
    purpose = purpose - words_of("everything all now good most things")
    ended = [
        (belief, until)
        for belief, until in current.once_told(USER, words)
        if belief.predicate not in _APART and purpose <= belief.words and until <= frame.occurred_at
    ]
    held = [
        belief
        for belief in current.sharing(USER, words)
        if words <= belief.words and belief.predicate not in _APART and belief.recorded < frame.occurred_at
    ]
    if held:
        before, until = held[0], 0
    elif ended:
        before, until = ended[0]
    else:
        return
    rivals = [
        belief
        for belief in current.held(USER)
        if belief.recorded < frame.occurred_at
        and belief.predicate not in _APART
        and not words <= belief.words
        and belief.said > before.said
        and _came_instead(belief, before, until)
    ]
    if not held:
        yield FoundFact(before.subject, before.predicate, before.value)
    for belief in rivals:
        yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")


def _came_instead(belief: CurrentFact, before: CurrentFact, until: int) -> bool:
    """Whether something took the place of what is so again."""
    if is_another_of_its_noun(without_place(str(belief.value)), str(before.value)):
        return True
    sorts = kinds_of(before.predicate, str(before.value))
    if not sorts.isdisjoint(kinds_of(belief.predicate, str(belief.value))):
        return bool(until)
    same_way = belief.predicate == before.predicate and belief.predicate not in (
        "likes",
        "loves",
        "has",
        "owns",
    )
    return belief.said == until and same_way
