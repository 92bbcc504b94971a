"""What troubles somebody no more: "I can eat wheat again", "flying doesn't scare me any more".

None of these names the allergy, the diet or the fear that is over, and no verb of theirs ends anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.base.frame import Frame
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.slots import SHARED
from longmind.facts.trust import USER, is_own_words
from longmind.facts.words import words_of

_HINTS: Final = ("i can ", "for me", " me")
_BORNE: Final = re.compile(
    r"(?:^|[.!?;,:]\s+|\b(?:and|so|that|but) )(?:(?:it )?turns out (?:that )?|apparently,? |actually,? )?(?:"
    r"I can (?:now |finally |safely |even |officially )*(?:eat|have|drink|take|touch|use) "
    r"(?P<again>[\w' -]{2,40}?)"
    r" (?:(?P<before>again|like (?:everybody|everyone|anybody|anyone|all the) (?:else|others?|rest))|"
    r"now|safely|freely|without (?:any )?(?:trouble|problems?|a reaction|getting ill|worry(?:ing)?))\b"
    r"|(?P<safe>[\w' -]{2,40}?) (?:is|are) (?:perfectly |completely |totally |absolutely |quite |actually )*"
    r"(?:safe|fine|harmless|no problem|ok|okay) for me\b)",
    re.IGNORECASE,
)
_NOT_FEARED: Final = re.compile(
    r"(?:^|[.!?;,:]\s+|\b(?:and|so|that|but) )(?P<what>[\w' -]{2,40}?) (?:(?:do|does)(?:n't| not|nt)|no "
    r"longer) "
    r"(?:really |even )?(?:scares?|frightens?|terrif(?:y|ies)|bothers?|worr(?:y|ies)|fazes?|spooks?) me\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:if|when|whether|until|once|suppose|imagine|hope|hoping|wish|maybe|perhaps|asked?|wonder|think|say|says|"
    r"said|told|not sure)\b|\?",
    re.IGNORECASE,
)
_LIMITED: Final = re.compile(
    r"\bfree\b|\bwithout (?!(?:any )?(?:trouble|problems?|a reaction|getting ill|worry))|"
    r"\b(?:except|apart from|other than|but not|alternatives?|substitutes?|thanks to|as long as|provided|"
    r"unless|only|small|little|bit|traces?|pills?|tablets?|enzymes?|medication|antihistamines?|just|"
    r"out of)\b",
    re.IGNORECASE,
)
"""What is borne is something else, or only so much of it, or only with help: nothing is over."""
_POINTED_AT: Final = re.compile(
    r"(?:this|that|these|those|the|an?|one|some|any\w*|every\w*|your|her|his|their|my|our|most|other)\b",
    re.IGNORECASE,
)
"""One dish that is harmless says nothing about what it might have been made of."""
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_FEARED: Final = re.compile(
    r"\b(?:afraid|scared|terrified|frightened|petrified|fears?|phobia|phobic|nervous)\b"
)
_GLUTEN: Final = words_of("wheat bread pasta gluten")
_DAIRY: Final = words_of("milk cheese dairy lactose")
_MADE_OF: Final = {
    "gluten": _GLUTEN,
    "wheat": _GLUTEN,
    "coeliac": _GLUTEN,
    "celiac": _GLUTEN,
    "dairy": _DAIRY,
    "lactose": _DAIRY,
}
_TROUBLES: Final = (*SHARED["diet"], "allergic_to", "has_condition", "is", "avoids", "intolerant_to")
_BAD: Final = re.compile(r"\b(?:allerg|intoleran|free$|coeliac|celiac|sensitive|off )")


def recovered(current: CurrentFacts, frame: Frame) -> Iterator[FoundFact]:
    """The ends of what the speaker says they can bear again, or fear no more."""
    low = frame.text.lower()
    if not any(hint in low for hint in _HINTS):
        return
    if not is_own_words(frame):
        return
    for sentence in _SENTENCE.findall(frame.text):
        borne, feared = _BORNE.search(sentence), _NOT_FEARED.search(sentence)
        if (borne is None and feared is None) or _UNSURE.search(sentence) is not None:
            continue
        if borne is not None:
            over = _no_trouble(current, sentence, borne)
        else:
            assert feared is not None
            named = words_of(feared["what"])
            over = [belief for belief in current.sharing(USER, named) if _is_fear_of(belief, named)]
        for belief in over:
            if belief.recorded < frame.occurred_at:
                yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")


def _no_trouble(current: CurrentFacts, sentence: str, borne: re.Match[str]) -> list[CurrentFact]:
    """The allergies, intolerances and diets that are over.

    An allergy that is forgotten does more harm than one that is kept too long.
    """
    what = borne["again"] or borne["safe"]
    if _LIMITED.search(sentence) is not None or _POINTED_AT.match(what) is not None:
        return []
    named = words_of(what)
    as_before = borne["before"] is not None
    return [
        belief
        for belief in current.held(USER, _TROUBLES)
        if named and _is_trouble_with(belief, named, as_before=as_before)
    ]


def _is_trouble_with(belief: CurrentFact, named: frozenset[str], *, as_before: bool) -> bool:
    """Whether it is just what was named: oat milk is no word on milk. Who eats again what others do may name
    a food that it is in."""
    value = str(belief.value).casefold()
    if belief.predicate != "allergic_to" and belief.predicate != "avoids" and _BAD.search(value) is None:
        return False
    words = words_of(value.replace("-", " "))
    if named <= words:
        return True
    return as_before and any(words_of(kind) <= words and named <= made for kind, made in _MADE_OF.items())


def _is_fear_of(belief: CurrentFact, named: frozenset[str]) -> bool:
    said = f"{belief.predicate.replace('_', ' ')} {belief.value}".casefold()
    several = re.search(r",| and | or ", str(belief.value)) is not None
    return bool(named) and named <= belief.words and not several and _FEARED.search(said) is not None
