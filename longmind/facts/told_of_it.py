"""What is so now of something that only "it" names: "I take it with lemon these days", said of tea."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doings import doing_of
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_CONSUMING: Final = frozenset({"take", "have", "drink", "eat", "like"})
_VERBS: Final = frozenset("take have drink eat like order buy get do keep pay wear play serve".split())
_IT: Final = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:and|but|so|because|since|that|as|though) )(?:I|[Ww]e)(?: only| just| always)?"
    rf"(?P<now> now)? (?P<verb>{'|'.join(sorted(_VERBS))}) (?:it|them|mine) "
    r"(?P<how>(?P<preposition>with|without|from|at|on|in|by) (?!(?:it|them|that|this|you|all|me|us|him|"
    r"her)\b)"
    r"[^,.;:!?\n]{2,40}?)"
    r"(?P<then> now| these days| nowadays| instead| lately)?(?=\s*(?:[,.;:!\n]|$)| and\b| but\b| because\b)"
)
_ASIDE: Final = re.compile(r"\b(?:if|unless|when|sometimes|also|too|used to|would|could)\b", re.IGNORECASE)
_FEW: Final = 3
"""With no more words before it, the sentence goes on from an earlier turn."""
_BREAK: Final = re.compile(r"[.!?\n]")


def told_of_it(current: CurrentFacts, text: str) -> Iterator[FoundFact]:
    """The end of what was so, and what is so now, where only one thing held can be meant by "it"."""
    if " it " not in text and " them " not in text and " mine " not in text:
        return
    for match in _IT.finditer(text):
        begin = max((each.end() for each in _BREAK.finditer(text, 0, match.start("verb"))), default=0)
        if not (match["now"] or match["then"]) or _ASIDE.search(text, begin, match.end()) is not None:
            continue
        held = _meant(current, match["verb"].lower(), match["preposition"])
        if held is None:
            continue
        before, _, _ = str(held.value).partition(f" {_preposition_of(held, match['preposition'])} ")
        said = text[: match.start("verb")]
        if len(said.split()) > _FEW and words_of(before).isdisjoint(words_of(said)):
            continue  # something else was spoken of
        value = f"{before} {match['how']}"
        if value.casefold() != str(held.value).casefold():
            yield FoundFact(held.subject, held.predicate, held.value, action="end")
            yield FoundFact(held.subject, held.predicate, value)


def _preposition_of(belief: CurrentFact, preposition: str) -> str:
    rest = doing_of(belief.predicate, str(belief.value)).rest
    if preposition in rest:
        return preposition
    return next((other for other in ("with", "without") if f" {other} " in str(belief.value)), preposition)


def _meant(current: CurrentFacts, verb: str, preposition: str) -> CurrentFact | None:
    """The one thing that the speaker is held to do so, in another way than now."""
    verbs = _CONSUMING if verb in _CONSUMING and preposition in ("with", "without") else {verb}
    found: list[CurrentFact] = []
    predicates = tuple(
        name for name in current.predicates(USER) if doing_of(name, "").verb in verbs or name == "habit"
    )
    for belief in current.held(USER, predicates) if predicates else ():
        doing = doing_of(belief.predicate, str(belief.value))
        alike = preposition in doing.rest or (
            preposition in ("with", "without")
            and f" {'with' if preposition == 'without' else 'without'} " in str(belief.value)
        )
        if belief.predicate in predicates and doing.verb in verbs and doing.thing and alike:
            found.append(belief)
    return found[0] if len(found) == 1 else None
