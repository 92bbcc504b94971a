"""Whether a clause asserts anything: no question, no condition, no doubt, nobody else's word."""

from __future__ import annotations

from typing import Final

from longmind.extract.grammar import ParsedClause
from longmind.extract.subjects import Scene
from longmind.extract.tokens import INTERJECTIONS, NOMINATIVE
from longmind.extract.verbs import verb_forms
from longmind.extract.words import Words

_REPORTS: Final = frozenset(
    "say tell think claim believe hear ask wonder guess dream joke suppose imagine assume pretend "
    "suspect feel "
    "hope insist lie sing write suggest warn imply predict bet wish fear doubt rumour remind".split()
)
_FINDERS: Final = frozenset(
    "test tests scan result results doctor gp specialist consultant dentist optician allergist vet x-ray "
    "biopsy screening clinic hospital lab nurse surgeon physio pharmacist dietician".split()
)
"""Whose word on somebody's health is taken for it."""
CONDITIONS: Final = frozenset({"if", "unless", "lest"})
_ASKING: Final = frozenset(
    "do does did am is are was were can could will would should have has what what's where when why who "
    "how which "
    "shall may".split()
)


def asks(words: Words) -> bool:
    """A question without its mark: "do i still live in denver"."""
    low, tags = words.low, words.tags
    at = 0
    while at < 3 and low[at] in INTERJECTIONS:
        at += 1
    if at == 3:
        at = 0
    if low[at] == "when" and low[at + 1] in NOMINATIVE:
        return False  # "when I moved here I was twelve"
    return low[at] in _ASKING and (low[at + 1] in NOMINATIVE or (tags[at + 1] == "X" and tags[at] == "S"))


def is_doubted(words: Words, clause: ParsedClause) -> bool:
    at = clause.begin
    if at and words.low[at - 1] in _WISHED:
        return True  # "wish I had a garden"
    if at > 1 and words.low[at - 1] in _DEMANDED and words.tags[at - 2] in ("X", "R"):
        return True  # "it's important we support them"
    if at > 2 and tuple(words.low[at - 3 : at]) == ("by", "the", "time"):
        return True  # "I want to retire by the time I'm 60"
    made = at - 1 if words.low[at - 1] != "that" else at - 2
    if (
        made > 0
        and words.low[made] in _SURE
        and (words.low[made - 1] in _MAKING or words.low[made] == "ensure")
    ):
        return True  # "to make sure I have enough room": what shall be so
    if at and words.low[at - 1] in ("like", "as") and clause.verb.lemma in _AGREED:
        return True  # "like we discussed on Monday"
    if at > 1 and words.low[at - 1] == "like" and (words.low[at - 2] in _LIKENED or "explain" in words.lows):
        return True  # "explain it like I'm five", "I feel like I'm eighty"
    if at > 1 and _is_put_aside(words, at):
        return True
    if at > 1 and words.low[at - 1] in _ASKING and words.low[at - 2] in _QUESTIONING:
        return True  # "doing Italian now how do I order a coffee"
    if "rate" in words.lows and clause.verb.tense != "present" and _exaggerates(words):
        return True
    if _DOUBT.isdisjoint(words.lows) and "apparently" not in words.lows:
        return False
    before = words.low[max(0, at - 2) : at]
    # "Apparently I'm allergic to cats" is news to its speaker, and no rumour.
    return not _DOUBT.isdisjoint(before) or (clause.kind not in _OWN and "apparently" in before)


def _is_put_aside(words: Words, at: int) -> bool:
    """ "It's not like I own a boat", "not that we live there", "as though I had time": the contrary is so."""
    before, last = words.low[at - 2], words.low[at - 1]
    if before == "as" and last in ("though", "if"):
        return True
    return last in ("like", "that") and before in _NOT


_NOT: Final = frozenset({"not", "isn't", "wasn't", "isnt", "wasnt"})


def _exaggerates(words: Words) -> bool:
    """ "At this rate I'll be living in my car": what it leads to is told for effect, and not planned."""
    at = words.low.index("rate")
    return at > 1 and words.low[at - 2] in ("at", "with") and words.low[at - 1] in ("this", "that")


_WISHED: Final = frozenset({"wish", "wishing", "hoping"})
_DEMANDED: Final = frozenset({"important", "essential", "crucial", "vital", "necessary"})
_SURE: Final = frozenset({"sure", "certain", "ensure"})
_MAKING: Final = frozenset({"make", "makes", "making", "made", "be"})
_AGREED: Final = frozenset("discuss talk say mention agree speak tell plan".split())
_QUESTIONING: Final = frozenset({"how", "what", "where", "when", "why", "which", "who"})
_LIKENED: Final = frozenset(
    "explain explained it that this me him her them us everything feel feels felt act acts acting treat "
    "treats treated talk talks talking more just almost sometimes kinda".split()
)
"""After these, what follows "like" is only likened to what is so."""
_DOUBT: Final = frozenset(
    "maybe perhaps possibly supposedly allegedly imagine suppose pretend hypothetically".split()
)
_OWN: Final = frozenset({"i", "we", "my"})


def is_condition(words: Words, clause: ParsedClause) -> bool:
    if clause.link not in CONDITIONS:
        return False
    at = min(clause.begin, clause.verb.first)
    return "even" not in words.low[max(0, at - 2) : at]


def is_reported(words: Words, previous: ParsedClause | None, clause: ParsedClause) -> bool:
    """Whether somebody only says or thinks so: the words before the clause end in such a verb."""
    at = min(clause.begin, clause.verb.first) - 1
    if at < 1 or clause.shared:
        return False
    others_tell = previous is not None and previous.kind not in ("i", "we") and previous.verb.lemma in _TELLS
    if others_tell and words.low[at] == "that":  # "she told her whole class that I'm an astronaut"
        return True
    while at > 0 and words.low[at] in _BETWEEN:
        at -= 1
    if previous is not None and previous.verb.first <= at < previous.verb.after:
        if previous.kind == "you" and previous.verb.lemma == "ask":
            return False  # "since you asked: I lead a team of six"
        if previous.verb.lemma not in _REPORTS or (previous.verb.lemma == "say" and previous.kind == "i"):
            return False
        return words.low[previous.subject_end - 1] not in _FINDERS
    # "People keep assuming I'm French": the verb of no clause that the parser made out.
    return words.tags[at] == "V" and any(
        lemma in _REPORTS and which == "ing" for lemma, which in verb_forms().get(words.low[at], ())
    )


def is_denied_before(previous: ParsedClause | None, words: Words, clause: ParsedClause) -> bool:
    """ "I can't say I like it", "I don't think I need it": what is denied there is what follows."""
    if previous is None or not previous.verb.denied or previous.kind not in ("i", "we"):
        return False
    between = words.low[previous.verb.after : min(clause.begin, clause.verb.first)]
    return previous.verb.lemma in _DENYING and all(word in _BETWEEN for word in between)


_TELLS: Final = frozenset("tell inform convince assure persuade".split())
_DENYING: Final = frozenset("say think believe claim pretend suppose".split())
_BETWEEN: Final = frozenset(
    {
        ":",
        "that",
        "me",
        "us",
        "you",
        "him",
        "her",
        "them",
        "he",
        "she",
        "like",
        "everyone",
        "everybody",
        "people",
    }
)


_NOBODY: Final = frozenset("it that this you your what how there here wow thanks congrats sounds".split())
_SOMEBODY: Final = frozenset("i we he she they my our his her their me us mine ours".split())


def is_small_talk(words: Words, scene: Scene) -> bool:
    """ "That's great!": no name, number or person, and nothing that was spoken of before is meant."""
    first = words.low[0]
    if first not in _NOBODY or not _SOMEBODY.isdisjoint(words.lows):
        return False
    if (first == "it" and scene.thing is not None) or "U" in words.tags[1:] or "M" in words.tags[1:]:
        return False
    following = words.tags[1] or "."
    return first not in ("that", "this") or following in ("X", "V", "R", ".", ",")
