"""What somebody does no more and another does now: "Tom doesn't coach them any more, it's Priya now"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from longmind.extract.verbs import form, verb_forms
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.trust import USER

_NAME: Final = r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)?"
_NO_MORE: Final = re.compile(
    rf"(?:^|[.!?;,]\s+|\b(?:and|but|so) )(?P<who>{_NAME}) (?:(?:doesn't|does not|doesnt) (?P<base>[a-z]+)|"
    r"no longer (?P<third>[a-z]+)) (?P<what>them|it|him|her|us|me|there)\b(?P<over> any ?more| any longer)?"
    rf"(?P<rest>[,;] (?:so |and )?(?:it's|it is) (?:now )?(?P<new>{_NAME})(?: now| instead| these days)?"
    r"(?=[.,;!]|$))?"
)


def handed_on(current: CurrentFacts, text: str) -> Iterator[FoundFact]:
    """The end of what "them" means, where somebody does only one thing of the sort; and who does it now."""
    if "no longer " not in text and " any" not in text and "n't " not in text:
        return
    for match in _NO_MORE.finditer(text):
        if match["base"] and not match["over"] and not match["new"]:
            continue  # "Tom doesn't like it": what "it" is was never told
        verb = _lemma((match["base"] or match["third"]).lower())
        done = _done_by(current, match["who"], form(verb, "third"))
        if done is None:
            continue
        yield FoundFact(done.subject, done.predicate, done.value, action="end")
        if match["new"]:
            yield FoundFact(match["new"], done.predicate, done.value)


def _lemma(word: str) -> str:
    forms = verb_forms().get(word, ())
    return next((lemma for lemma, which in forms if which in ("base", "third")), word)


def _done_by(current: CurrentFacts, who: str, predicate: str) -> CurrentFact | None:
    """The one thing that somebody does, as the verb says it."""
    keys = {key for found in current.known([who]).values() for key in found} - {USER}
    if len(keys) != 1:
        return None
    held = [belief for belief in current.held(keys.pop(), (predicate,)) if belief.predicate == predicate]
    return held[0] if len(held) == 1 else None
