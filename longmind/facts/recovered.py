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
from longmind.facts.trust import OWN_CHANNELS, USER, channel_of
from longmind.facts.words import words_of

_HINTS: Final = ("i can ", "for me", " me")
_BORNE: Final = re.compile(
    r"(?:^|[.!?;,:]\s+|\b(?:and|so|that|but) )(?:"
    r"I can (?:now |finally |safely |even |officially )*(?:eat|have|drink|take|touch|use) "
    r"(?P<again>[\w' -]{2,40}?)"
    r" (?:again|now|safely|freely|without (?:any )?(?:trouble|problems?|a reaction|getting ill|"
    r"worry(?:ing)?)|"
    r"like (?:everybody|everyone|anybody|anyone|all the) (?:else|others?|rest))\b"
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
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
_FEARED: Final = re.compile(
    r"\b(?:afraid|scared|terrified|frightened|petrified|fears?|phobia|phobic|nervous)\b"
)
_GLUTEN: Final = words_of("wheat bread pasta rye barley gluten flour noodles couscous")
_DAIRY: Final = words_of("milk cheese dairy butter yoghurt yogurt cream lactose")
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
    channel = channel_of(
        kind=frame.kind, role=frame.role, source=frame.source, uri=frame.uri, speaker=frame.speaker
    )
    if channel not in OWN_CHANNELS:
        return
    for sentence in _SENTENCE.findall(frame.text):
        borne, feared = _BORNE.search(sentence), _NOT_FEARED.search(sentence)
        if (borne is None and feared is None) or _UNSURE.search(sentence) is not None:
            continue
        if borne is not None:
            named = words_of(borne["again"] or borne["safe"])
            over = [belief for belief in current.held(USER, _TROUBLES) if _is_trouble_with(belief, named)]
        else:
            assert feared is not None
            named = words_of(feared["what"])
            over = [belief for belief in current.sharing(USER, named) if _is_fear_of(belief, named)]
        for belief in over:
            if belief.recorded < frame.occurred_at:
                yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")


def _is_trouble_with(belief: CurrentFact, named: frozenset[str]) -> bool:
    value = str(belief.value).casefold()
    if belief.predicate != "allergic_to" and belief.predicate != "avoids" and _BAD.search(value) is None:
        return False
    words = words_of(value.replace("-", " "))
    return bool(words & named) or any(
        words_of(what) <= words and named & made for what, made in _MADE_OF.items()
    )


def _is_fear_of(belief: CurrentFact, named: frozenset[str]) -> bool:
    said = f"{belief.predicate.replace('_', ' ')} {belief.value}".casefold()
    several = re.search(r",| and | or ", str(belief.value)) is not None
    return bool(named) and named <= belief.words and not several and _FEARED.search(said) is not None
