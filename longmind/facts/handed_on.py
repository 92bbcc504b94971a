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
from longmind.facts.values import Entity
from longmind.facts.words import words_of

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


_NOT_YET: Final = r"(?:If|When|Once|Should|Had|Has|Did|After|Before|Unless|Until|While|Since|Maybe|Perhaps)\b"
_SUCCEEDED: Final = re.compile(
    rf"(?:^|[.!?:;,]\s+|\b(?:and|that) )(?!{_NOT_YET})(?P<new>{_NAME}(?: [A-Z][\w'-]+)?)(?: has| have)?"
    r"(?: now| just| recently)? (?:replace[ds]|succeed(?:s|ed)|(?:took|taken|takes) over from) "
    rf"(?P<old>{_NAME}(?: [A-Z][\w'-]+)?) as (?:the |its |their |our )?"
    r"(?P<role>(?!(?:my|his|her|an?|soon|well)\b)[a-z][a-z-]+(?: [a-z][a-z-]+){0,3}?)"
    r"(?:(?: (?:at|of|for))? (?:the )?(?P<house>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2}))?"
    r"(?=\s*[.,;!\n]|$| (?:at|of|for|in|on|from|with|since|last|this) )"
)


def succeeded(current: CurrentFacts, text: str, *, own: bool) -> Iterator[FoundFact]:
    """ "Mia took over from Ben as treasurer": whatever told of Ben as treasurer is told of Mia now.

    Words that are not the user's `own` change nothing of theirs.
    """
    if " as " not in text:
        return
    for match in _SUCCEEDED.finditer(text):
        role = words_of(match["role"])
        for belief in _told_of_role(current, match, role) if role else ():
            if belief.subject == USER and not own:
                continue
            value = match["new"]
            new = Entity(value) if isinstance(belief.value, Entity) else value
            yield FoundFact(belief.subject, belief.predicate, belief.value, action="end")
            if Entity(belief.subject).norm != Entity(match["old"]).norm:
                yield FoundFact(belief.subject, belief.predicate, new)


def _told_of_role(current: CurrentFacts, match: re.Match[str], role: frozenset[str]) -> Iterator[CurrentFact]:
    """What is held of an office by who had it, and of whoever had it by their office."""
    old = Entity(match["old"]).norm
    names = [match["old"], match["role"], *([match["house"]] if match["house"] else [])]
    keys = {key for found in current.known(names).values() for key in found}
    for key in sorted({USER, *keys}):
        for belief in current.speaking_of(key, role | words_of(match["old"])):
            named = f"{belief.subject} {belief.predicate}".replace("_", " ")
            by_office = role <= words_of(named) and Entity(str(belief.value)).norm == old
            by_name = Entity(belief.subject).norm == old and belief.predicate in ("role", "is")
            if by_office or (by_name and role <= words_of(str(belief.value))):
                yield belief


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
