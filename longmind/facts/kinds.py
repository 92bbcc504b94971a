"""What a text means by its sort: "the firm" where somebody works, "our car", "any painkillers"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from longmind.extract.endings import (
    NEVER_BEGAN,
    Ending,
    outlasts,
    said_to_be_none,
    said_to_be_other,
    said_to_be_over,
)
from longmind.extract.kin import RELATIONS
from longmind.extract.kinds import kinds, kinds_by_first_word, kinds_by_noun, kinds_by_predicate
from longmind.extract.tokens import Token
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doubt_sentence import SPOKEN_WORD, DoubtSentence
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.trust import USER
from longmind.facts.words import words_of

_LONGEST: Final = 3
"""Words of a noun."""
_WORD: Final = re.compile(r"[\w.+#&]+")
_EVERY: Final = frozenset("any all every no".split())
_KNOWN: Final = frozenset("the my our that this his her their your".split())
_PRONOUNS: Final = frozenset("he she they".split())
_BETWEEN: Final = frozenset("old little dear beloved current whole entire trusty poor present".split())


class Mention(NamedTuple):
    """Where a text names a sort of thing, and which: tokens `first` to `after`."""

    first: int
    after: int
    kinds: tuple[int, ...]
    every: bool
    """Whether all of the sort are meant: "any painkillers"."""
    known: bool
    """Whether it is somebody's own or spoken of as known: "our car", "the firm"."""


@lru_cache(maxsize=4096)
def kinds_of(predicate: str, value: str) -> frozenset[int]:
    """Of which sorts the thing is that a fact speaks of."""
    numbers = set(kinds_by_predicate().get(predicate, ()))
    numbers.update(kinds_by_noun().get(predicate.replace("_", " ").removesuffix("s"), ()))
    spoken = _WORD.findall(value.replace("'s", ""))
    low = [word.casefold() for word in spoken]
    head = _head_of(low)
    numbers.update(kinds_by_noun().get(head) or kinds_by_noun().get(head.removesuffix("s"), ()))
    if predicate in _EMPLOYERS:
        return frozenset(numbers)  # who works at a bank may have an account at another one
    if len(low) > 1 and spoken[-1][:1].isupper():  # "Kestrel Bank"
        numbers.update(n for n in kinds_by_noun().get(low[-1], ()) if kinds()[n].sort == "tie")
    numbers.update(_named_before(spoken, low))
    by_first_word = kinds_by_first_word()
    for at, word in enumerate(low):
        for number in by_first_word.get(word) or by_first_word.get(word.removesuffix("s"), ()):
            names = kinds()[number].names
            for size in range(_LONGEST, 0, -1):
                is_plain_word = names.get(" ".join(low[at : at + size]))
                if is_plain_word is None and size == 1:
                    is_plain_word = names.get(word.removesuffix("s"))
                if is_plain_word is not None:
                    if not is_plain_word or spoken[at][:1].isupper() or len(low) == 1:
                        numbers.add(number)
                    break
    return frozenset(numbers)


def _named_before(spoken: Sequence[str], low: Sequence[str]) -> Iterator[int]:
    """Of which sort "the Ironworks gym" is: the noun right behind a name, and not behind "the" alone."""
    for at in range(1, len(low)):
        is_last = at + 1 == len(low) or low[at + 1] in _FOLLOWING
        if is_last and spoken[at - 1][:1].isupper() and low[at] == spoken[at]:
            yield from (
                n for n in kinds_by_noun().get(low[at], ()) if kinds()[n].sort == "tie" and kinds()[n].one
            )


_EMPLOYERS: Final = frozenset("works_at works_for works_in employer employed_by employed_at".split())
_FOLLOWING: Final = frozenset("in on at to for from with of by as since about".split())


def _head_of(words: Sequence[str]) -> str:
    """The noun that the rest of a value tells which of: "course in Italian"; none where nothing follows."""
    for at, word in enumerate(words):
        if word in _FOLLOWING:
            return words[at - 1] if at else ""
    return ""


@cache
def kind_words() -> frozenset[str]:
    """The last words of the nouns for sorts of things, in the singular and the plural."""
    last = {noun.split()[-1] for noun in kinds_by_noun()}
    return frozenset(last | {f"{word}s" for word in last})


def _mentions(tokens: Sequence[Token]) -> Iterator[Mention]:
    """The sorts of things that a sentence names."""
    by_noun = kinds_by_noun()
    lows = [token.low for token in tokens]
    at = 0
    while at < len(lows):
        for size in range(min(_LONGEST, len(lows) - at), 0, -1):
            noun = " ".join(lows[at : at + size])
            numbers = by_noun.get(noun) or by_noun.get(noun.removesuffix("s"))
            if numbers is not None:
                before = at - 1
                while before >= 0 and lows[before] in _BETWEEN:
                    before -= 1
                word = lows[before] if before >= 0 else ""
                yield Mention(at, at + size, numbers, word in _EVERY, word in _KNOWN)
                at += size - 1
                break
        at += 1


def _of_kinds(current: CurrentFacts, subject: str, numbers: Iterable[int]) -> list[CurrentFact]:
    """What is held of a subject that is of one of some sorts."""
    wanted = frozenset(numbers)
    words: set[str] = set()
    predicates: set[str] = set()
    for number in wanted:
        predicates |= kinds()[number].predicates
        words.update(name.split()[0] for name in kinds()[number].names)
        words.update(noun.split()[-1] for noun in kinds()[number].nouns)
    return [
        belief
        for belief in current.sharing(subject, words, or_of=predicates)
        if not wanted.isdisjoint(kinds_of(belief.predicate, str(belief.value)))
    ]


def over_by_sort(
    current: CurrentFacts,
    sentences: Iterable[DoubtSentence],
    facts: Sequence[FoundFact],
    *,
    may_end: Callable[[CurrentFact], bool],
) -> Iterator[CurrentFact]:
    """What sentences say is over by the sort of thing that it is: "we cancelled our streaming subscription".

    What just was said, and whatever else may not end, is left out before it is counted what there is.
    """
    for sentence in sentences:
        if kind_words().isdisjoint(token.low for token in sentence.tokens):
            continue
        owners = _owners(current, sentence, facts)
        for mention in _mentions(sentence.tokens):
            ending = _ending(sentence.tokens, mention)
            if ending is None:
                continue
            over = {number for number in mention.kinds if not outlasts(kinds()[number].sort, ending)}
            for owner, words in owners.items():
                named = not words.isdisjoint(ending.actor.split())
                if ending.actor and not (ending.by_speaker if owner == USER else named):
                    continue
                beliefs = [
                    belief
                    for belief in _of_kinds(current, owner, over)
                    if may_end(belief) and not _had_begun(belief, ending)
                ]
                if mention.every or _is_one_thing(beliefs):
                    yield from beliefs


_HAS_NEW: Final = re.compile(
    r"(?P<who>[A-Z][\w&'-]*(?: (?:and |of |& )?[A-Z][\w&'-]*)*) (?:has|have|gets|got|welcomes|appoints|"
    r"announces|appointed|announced) (?:(?:its|their|his|her|an?) )?"
    r"new (?P<what>[a-z][a-z-]*(?: [a-z-]+){0,3})"
)


def renewed(current: CurrentFacts, text: str) -> Iterator[CurrentFact]:
    """What a named thing has anew: "Lakeside Daycare has a new director", whoever says so."""
    if " new " not in text:
        return
    for match in _HAS_NEW.finditer(text):
        words = match["what"].split()
        for keys in current.known([match["who"]]).values():
            for key in keys - {USER}:
                for size in range(len(words), 0, -1):
                    slot = "_".join(words[:size])
                    if of_slot := [
                        belief for belief in current.held(key, (slot,)) if belief.predicate == slot
                    ]:
                        yield from of_slot
                        break


def _owners(
    current: CurrentFacts, sentence: DoubtSentence, facts: Sequence[FoundFact]
) -> dict[str, frozenset[str]]:
    """Whose things a sentence may mean, and the words that name them; of the user, who speaks, none."""
    owners: dict[str, frozenset[str]] = {USER: frozenset()}
    for relation in RELATIONS.intersection(token.low for token in sentence.tokens):
        owners[f"{USER}/{relation}"] = frozenset({relation})
        for belief in current.held(USER, (relation,)):
            owners[str(belief.value)] = frozenset({relation})
    names_spoken = {" ".join(run) for run in _runs_of_names(sentence.tokens)}
    for key in {key for keys in current.known(names_spoken).values() for key in keys} - {USER}:
        owners[key] = frozenset(SPOKEN_WORD.findall(key.lower())) | owners.get(key, frozenset())
    for fact in facts:
        if fact.subject != USER and fact.start is not None and sentence.has(fact.start):
            names = frozenset(SPOKEN_WORD.findall(fact.subject.lower())) | _PRONOUNS
            owners[fact.subject] = names | owners.get(fact.subject, frozenset())
    return owners


def _runs_of_names(tokens: Sequence[Token]) -> Iterator[list[str]]:
    """Capitalised words that stand together, as they are written."""
    run: list[str] = []
    for token in tokens:
        if token.text[:1].isupper() and token.tag in ("U", "V", "N"):
            run.append(token.text)
        elif run:
            yield run
            run = []
    if run:
        yield run


_BEGUN: Final = frozenset({"lives_in", "works_at", "studies_at"})


def _had_begun(belief: CurrentFact, ending: Ending) -> bool:
    """A flat, a job or a place at school that falls through is not the one that somebody has."""
    return belief.predicate in _BEGUN and ending.how.startswith(NEVER_BEGAN)


def has_outlasted(belief: CurrentFact, ending: Ending) -> bool:
    """Whether a thing is there after what is said to be its end: who was left with a friend comes home."""
    if _had_begun(belief, ending):
        return True
    numbers = kinds_of(belief.predicate, str(belief.value))
    if belief.predicate == "owns" and outlasts("goods", ending):
        return True  # a boat, or whatever else has no sort of its own
    return any(outlasts(kinds()[number].sort, ending) for number in numbers)


_LENT: Final = re.compile(
    r"\b(?:left|leave|leaving|lost|dropped|closed|shut|finished|stopped|quit)\b", re.IGNORECASE
)


def comes_back(belief: CurrentFact, said: str) -> bool:
    """The same, where a clause was read as an end: "I left the dog with my parents"."""
    sorts = {kinds()[number].sort for number in kinds_of(belief.predicate, str(belief.value))}
    kept = belief.predicate == "owns" or not sorts.isdisjoint(("goods", "home", "animal"))
    return kept and _LENT.search(said) is not None


def _ending(tokens: Sequence[Token], mention: Mention) -> Ending | None:
    first, after = mention.first, mention.after
    if mention.every and (ending := said_to_be_none(tokens, first)) is not None:
        return ending
    if mention.known or mention.every:
        ending = said_to_be_over(tokens, first, after)
        if ending is not None:
            return ending
    return said_to_be_other(tokens, first, after)


def _is_one_thing(beliefs: Iterable[CurrentFact]) -> bool:
    """Whether no predicate has several: of two cats, "our cat" may be either."""
    by_predicate: dict[str, frozenset[str]] = {}
    for belief in beliefs:
        words = words_of(str(belief.value))
        before = by_predicate.setdefault(belief.predicate, words)
        if not (before <= words or words <= before):
            return False
    return True
