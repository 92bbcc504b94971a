"""What is thought of a thing no more: "I've changed my mind about jogging", "you can suggest tofu again".

Neither says what they think of it now, and so nothing that is read takes the place of what they thought.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.base.frame import Frame
from longmind.extract.statements import INSTRUCTIONS
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.slots import DISLIKING, LIKING
from longmind.facts.trust import USER, is_own_words
from longmind.facts.words import words_of

_HINTS: Final = (" mind ", "take back", "takes back", "wrong about", " again", "back on ", "misjudged")
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_BEGIN: Final = r"(?:^\s*|[.!?;,:]\s+|\b(?:and|so|but) )"
_THING: Final = r"(?P<thing>[\w' -]{2,40}?)"
_END: Final = r"(?=\s*(?:[.,;!?]|$)| and | but | now\b| since | because | after )"
_RETHOUGHT: Final = re.compile(
    rf"{_BEGIN}(?:(?:well|ok|okay|actually),? )?I(?:'ve|'m| have| was| am)? (?:completely |totally |"
    rf"just |really |so |all )*"
    r"(?:chang(?:ed|ing) my mind (?:about|on)|taken? back (?:what|everything|all) I (?:said|told you) about|"
    rf"(?:been )?wrong about|misjudged) {_THING}{_END}",
    re.IGNORECASE,
)
_ALLOWED: Final = re.compile(
    rf"{_BEGIN}(?:(?:you (?:can|may|could)|feel free to|(?:it's|it is) (?:ok|okay|fine|alright) to) (?:now )?"
    r"(?:put|use|include|suggest|add|recommend|give me|offer me|show me|mention|bring up|cook with|"
    r"plan|pick|choose|write) "
    rf"{_THING}(?: (?:in|into|to|on|for|with) [\w' -]{{2,40}}?)? again"
    r"|(?P<back>[\w' -]{2,40}?) (?:is|are) (?:back on (?:the (?:menu|table|list)|my (?:list|plate|"
    r"menu))|allowed again|"
    r"welcome again))\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:if|when|whether|until|once|unless|suppose|imagine|hope|wish|maybe|perhaps|still|never|might|would|"
    r"not|don't|ask(?:ed)?|says?|said to)\b|\?",
    re.IGNORECASE,
)
_AGAINST: Final = (*DISLIKING, "avoids")
_TOLD_NOT_TO: Final = re.compile(
    r"(?:please )?(?:never|no|don't|do not|stop|avoid|without|leave out|skip)\b", re.IGNORECASE
)


def reconsidered(current: CurrentFacts, frame: Frame) -> Iterator[FoundFact]:
    """The ends of what the speaker thought of a thing, or had asked to be spared."""
    low = frame.text.lower()
    if not any(hint in low for hint in _HINTS):
        return
    if not is_own_words(frame):
        return
    for sentence in _SENTENCE.findall(frame.text):
        rethought, allowed = _RETHOUGHT.search(sentence), _ALLOWED.search(sentence)
        if _UNSURE.search(sentence) is not None:
            continue
        over: list[CurrentFact] = []
        if rethought is not None:
            over = _thought_of(current, words_of(rethought["thing"]))
        elif allowed is not None:
            over = _spared(current, words_of(allowed["thing"] or allowed["back"]))
        for belief in over:
            if belief.recorded < frame.occurred_at:
                yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")


def _thought_of(current: CurrentFacts, named: frozenset[str]) -> list[CurrentFact]:
    return [
        belief
        for belief in (current.sharing(USER, named) if named else ())
        if (belief.predicate in (*LIKING, *_AGAINST) or belief.predicate.startswith("favorite_"))
        and words_of(str(belief.value)) == named
    ]


def _spared(current: CurrentFacts, named: frozenset[str]) -> list[CurrentFact]:
    """What was disliked or forbidden; an allergy is over only where somebody says so."""
    return [
        belief
        for belief in (current.sharing(USER, named) if named else ())
        if (belief.predicate in _AGAINST and words_of(str(belief.value)) == named)
        or (
            belief.predicate in INSTRUCTIONS
            and named <= words_of(str(belief.value))
            and _TOLD_NOT_TO.match(str(belief.value)) is not None
        )
    ]
