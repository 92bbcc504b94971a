"""What a change puts in doubt: what is belief, and a later text of its speaker speaks of as over or changed.

A predicate of the table (lives_in, works_at) says which values exclude each other, and its rules read many of
the ways in which people say so. Nobody has rules for all of them: "traded the Corsa in", "the doctor took me
off metoprolol". So whatever a later text names again, and says to be left, lost or replaced
(`extract/endings.py`), is not belief any more. To hold nothing is better than to hold what is over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from longmind.base.frame import Frame
from longmind.extract.endings import (
    FAREWELL,
    Ending,
    said_to_be_gone,
    said_to_be_over,
    said_to_be_tiresome,
)
from longmind.extract.kin import RELATIONS
from longmind.extract.sentences import mask
from longmind.extract.statements import INSTRUCTIONS, is_slot
from longmind.extract.verbs import verb_forms
from longmind.facts.canonical import alias_norm
from longmind.facts.current_facts import CurrentFacts
from longmind.facts.doubt_sentence import CHANGED, SPOKEN_WORD, DoubtSentence, Place
from longmind.facts.extraction import FoundFact
from longmind.facts.held_facts import CurrentFact
from longmind.facts.kinds import has_outlasted, kind_words, kinds_of, over_by_sort, renewed
from longmind.facts.slots import cardinality
from longmind.facts.trust import USER, is_own_words
from longmind.facts.words import words_of

_CUE_WORDS: Final = frozenset(
    "finished stopped stoped quit give given gave switched switching moved moving transferred "
    "transferring swapped swaped traded replaces replaced succeeds succeeded renamed dropped ditched "
    "cancelled canceled sold ended got gotten lapse lapsed expired handed handing took taken takes "
    "pulled withdrew done through anymore instead former ex previous past left hung packed threw cut "
    "shut closed wound called passed sent said say goodbye let part parted split broke grew outgrew "
    "walked turned changed shifted migrated migrating ported porting converted relocated upgraded "
    "resigned retired reverted graduated came come went gone off over up dead history notice stepped "
    "stood last died folded scrapped axed ran run fell lost belongs put else divorced dumped binned "
    "behind back donated rehomed "
    "jumped deleted uninstalled exchanged exited only now nowadays mistaken stole stolen ripped tore torn "
    "stripped replace putting stood riddance rid killed wiped switched turned retired fired sacked dismissed "
    "plug miss drove goodbye bye farewell adios sick tired fed bored enough too kept keeps annoyed bugged "
    "prices price fees pricey expensive".split()
)
_CUE_PHRASES: Final = re.compile(
    r"\b(?:no (?:longer|more)|any (?:more|longer)|rather than|in place of|used to|"
    r"from (?:here|today|this|next) \w+|these days|as of|i was wrong|turns out|"
    r"out of \D{1,40} (?:since|for good|at last))\b"
)
_OF_A_SORT: Final = frozenset("new different another other any no nuked wiped signed".split())
"""Said of a sort of thing, these tell of its end: "a new job", "no pets"."""
_PHRASE_WORDS: Final = frozenset("longer more rather place used from these as wrong turns out".split())
"""One word of each of the phrases."""
_SPOKEN: Final = re.compile(r"\w+")
_WORDS_APART: Final = (
    bytes(byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(128)) + b" " * 128
)
"""For `bytes.translate`: a space for everything that stands between words."""


def _has_cue(text: str) -> bool:
    """Whether a text may say that something is over or new; without such a word it does not."""
    low = text.lower()
    if low.isascii():  # as most texts are, and then in a third of the time
        words = low.encode().translate(_WORDS_APART).decode("ascii").split()
    else:
        words = _SPOKEN.findall(low)
    if not _CUE_WORDS.isdisjoint(words):
        return True
    if not _OF_A_SORT.isdisjoint(words) and not kind_words().isdisjoint(words):
        return True
    return not _PHRASE_WORDS.isdisjoint(words) and _CUE_PHRASES.search(low) is not None


_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]+)*[.!?]*")
_DAY: Final = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_ROLES: Final = frozenset(
    "flatmate roommate housemate landlord landlady boss manager supervisor colleague coworker neighbor "
    "dentist gp "
    "doctor therapist physio vet trainer coach teacher tutor teammate mentor assistant editor".split()
)
"""Ties that end when the other one goes; a sister who moves away stays a sister."""
_PETS: Final = frozenset(
    "dog cat pet has_pet rabbit hamster horse parrot puppy kitten guinea_pig bird turtle".split()
)
_MAY_GO: Final = _ROLES | _PETS
_PARTNERS: Final = frozenset(
    "wife husband spouse partner girlfriend boyfriend fiance fiancee married_to engaged_to dating".split()
)
_FOR_GOOD: Final = (
    frozenset(
        "name nickname born_on born_in birthday from grew_up_in nationality pronouns speaks studied "
        "studied_at "
        "graduated_from did event plans session_id title likes dislikes prefers loves hates enjoys "
        "adores detests "
        "loathes despises email phone address age allergic_to has_condition".split()
    )
    | INSTRUCTIONS
    | (RELATIONS - _ROLES - _PETS - _PARTNERS)
)
"""What does not end because something about it does, or has rules of its own for how it ends."""
_EVENTS: Final = frozenset({"event", "plans"})
_CANCELLED: Final = re.compile(
    r"\b(?:cancell?ed|called off|scrapped|is off|'s off|(?:fell|fallen) through)\b", re.IGNORECASE
)
"""What was to happen is over only if it does not: else it becomes past by itself."""
_DATED_TAIL: Final = re.compile(
    r",? (?:(?:on|at|in|from|by|for) )?(?:\w+day )?"
    r"(?:(?:Jan|Feb|Ma[ry]|Apr|Ju[nl]|Aug|Sep|Oct|Nov|Dec)[a-z]* )?\d.*$"
)
"""When it is to be, which who calls it off seldom says again."""
_KNOWN_AS: Final = {"engaged_to": "engagement", "married_to": "marriage", "dating": "relationship"}
_HEAD: Final = re.compile(
    r"(?:(?:an?|the|my|our|some|one|two|three) )?(?P<head>[a-z][\w-]*(?: [a-z][\w-]*)?)(?:"
    r" (?:called|named|by|in|on|at|of|from|with|for|near|to) |, (?=an? (?:(?!and\b)[\w-]+ ?)+$))"
)
_TAIL: Final = re.compile(r" (?:at|in|for|with|on|of) (?:the|my|our) (?P<noun>[a-z][\w-]*(?: [a-z][\w-]*)?)$")
_DOSED: Final = re.compile(
    r"(?P<what>[A-Za-z][\w-]{3,}(?: [A-Za-z][\w-]+)?) \d[\d.,]* ?(?:mg|g|mcg|µg|ml|iu|units?|%)"
)
"""A medicine, before how much of it is taken."""
_SMALL_HEADS: Final = ("membership", "account", "subscription", "contract", "lease", "place", "role")
_SMALL_HEAD: Final = re.compile(rf"(?:an? |the |my )?(?:{'|'.join(_SMALL_HEADS)})\b")
"""Words that tell nothing apart by themselves (see `words_of`), and yet may be named: "the membership"."""


_DAYS: Final = frozenset(f"{day}day" for day in "mon tues wednes thurs fri satur sun".split())


class Doubted(NamedTuple):
    """What is over by a text, and what of the text's own statements says no more than that."""

    over: list[FoundFact]
    kept: list[FoundFact]


def doubted(current: CurrentFacts, frame: Frame, facts: Sequence[FoundFact]) -> Doubted:
    """The end of what the frame speaks of as over or changed and no rule has ended yet."""
    nothing = Doubted([], list(facts))
    if not _has_cue(frame.text):
        return nothing
    own = is_own_words(frame)
    stated = [fact for fact in facts if fact.action == "record" and fact.polarity]
    settled = {(fact.subject, fact.predicate) for fact in facts if not is_free(fact)}
    ended = {(fact.subject, fact.predicate) for fact in facts if fact.action == "end" or not fact.polarity}
    masked = mask(frame.text)
    sentences = [
        DoubtSentence(masked, *match.span())
        for match in _SENTENCE.finditer(masked)
        if not match.group().endswith("?") and _has_cue(match.group())
    ]
    over: dict[CurrentFact, None] = {}
    spoken = words_of(frame.text)
    again = _restated(stated)
    for belief in _candidates(current, frame, sentences, stated):
        # One tool, dish or pet more is no word on the others; the end of one is all that is said.
        key = (belief.subject, belief.predicate)
        several = cardinality(belief.predicate) == "many" and key not in ended
        several = several or (belief.predicate in _TOOLS and belief.subject != USER)
        is_settled = not several and key in settled
        if is_settled or _is_restated(belief, again):
            continue
        if not own and not belief.subject[:1].isupper():
            continue  # others' words end nothing of the user's
        for sentence in sentences:
            if _is_over(sentence, belief, stated, spoken, closely=not own) or (
                own and _is_given_up(sentence, belief, stated, frame.text)
            ):
                over[belief] = None
                break
    if own:
        over.update(dict.fromkeys(_left_unnamed(current, frame, sentences)))
        over.update(dict.fromkeys(_renamed(current, frame, sentences, settled)))

        def may_end(belief: CurrentFact) -> bool:
            return belief.recorded < frame.occurred_at and not _is_restated(belief, again)

        over.update(dict.fromkeys(over_by_sort(current, sentences, facts, may_end=may_end)))
    for belief in renewed(current, masked):
        if belief.recorded < frame.occurred_at and not _is_restated(belief, again):
            over[belief] = None
    ends = [FoundFact(belief.subject, belief.predicate, belief.value, action="end") for belief in over]
    return Doubted(ends, [fact for fact in facts if not any(_only_says(fact, belief) for belief in over)])


_OVER_TO: Final = re.compile(
    r"\b(?:went|gone|moved|switched|migrated|changed|crossed|come|came) (?:over|across) to "
    r"(?P<new>[A-Z][\w-]*)"
    r"|\bjumped ship to (?P<other>[A-Z][\w-]*)"
)
_CHOSEN: Final = tuple(
    "uses is_with banks_with is_on subscribes_to trains_at shops_at gym bank provider".split()
)
"""Predicates of what somebody has chosen among things of a kind."""


def _left_unnamed(
    current: CurrentFacts, frame: Frame, sentences: Sequence[DoubtSentence]
) -> list[CurrentFact]:
    """ "The whole office went over to Teams" leaves the one thing of its kind, if there is one."""
    for sentence in sentences:
        match = None if sentence.goes_on else _OVER_TO.search(sentence.text)
        if match is None or re.search(r"\bfrom\b", sentence.text) is not None:
            continue
        new = words_of(match["new"] or match["other"])
        chosen = [
            belief
            for belief in current.held(USER, _CHOSEN)
            if _words_in(belief).names and belief.recorded < frame.occurred_at
        ]
        if len(chosen) != 1 or new & _words_in(chosen[0]).names:
            continue
        sorts = kinds_of("", match["new"] or match["other"])
        others = kinds_of(chosen[0].predicate, str(chosen[0].value))
        if not (sorts and others and sorts.isdisjoint(others)):  # a chat tool is no other bank
            return chosen
    return []


_SOME_NAME: Final = (
    r"(?:(?:maiden|married|birth|last|family|legal|own|old|former|previous) ){0,2}(?:sur)?name"
)
_OTHER_NAME: Final = re.compile(
    r"\bi\b(?:'\w+)?(?: \w+){0,2} (?:"
    r"(?:(?:went|gone|reverted|switched|returned) (?:back )?to|changed|dropped|(?:took|taken) back|"
    rf"(?:gave|given) up) my {_SOME_NAME}|"
    rf"(?:took|taken) (?:his|her|their|my \w+'s) {_SOME_NAME}(?! (?:off|out|down|from)))\b",
    re.IGNORECASE,
)
"""Who marries, divorces or is renamed by law has another name, whether or not it is told which."""
_SURNAMES: Final = ("surname", "last_name", "family_name", "second_name")


def _renamed(
    current: CurrentFacts, frame: Frame, sentences: Sequence[DoubtSentence], settled: set[tuple[str, str]]
) -> list[CurrentFact]:
    """ "I went back to my maiden name": the surname that was told before is over, and a full name with it."""
    if not any(not sentence.goes_on and _OTHER_NAME.search(sentence.text) for sentence in sentences):
        return []
    return [
        belief
        for belief in current.held(USER, ("name", *_SURNAMES))
        if belief.recorded < frame.occurred_at
        and (belief.subject, belief.predicate) not in settled
        and (belief.predicate in _SURNAMES or (belief.predicate == "name" and " " in str(belief.value)))
    ]


def is_free(fact: FoundFact) -> bool:
    """Whether no slot of the table is for it."""
    return fact.confidence is not None and not is_slot(fact.predicate)


def _only_says(fact: FoundFact, belief: CurrentFact) -> bool:
    """ "Traded the Fiesta", which ends it, is not another fact about the Fiesta."""
    if (
        fact.action != "record"
        or not (is_free(fact) or fact.predicate == "did")
        or fact.subject != belief.subject
    ):
        return False
    named = _words_in(belief).named
    return bool(named) and named <= words_of(f"{fact.predicate.replace('_', ' ')} {fact.value}")


def _candidates(
    current: CurrentFacts, frame: Frame, sentences: Sequence[DoubtSentence], stated: Sequence[FoundFact]
) -> list[CurrentFact]:
    """What was belief before of the user, of what the sentences name, and whatever was told last."""
    if not sentences:
        return []
    cancelled = any(_CANCELLED.search(sentence.text) is not None for sentence in sentences)
    phrases = [phrase for sentence in sentences for phrase in sentence.phrases()]
    doings = [alias_norm(doing) for doing in _doings(stated)]
    named = {key for keys in current.known_norms({*phrases, *doings}).values() for key in keys}
    subjects = {USER, *(fact.subject for fact in stated), *named}
    lasting = _FOR_GOOD - _EVENTS if cancelled else _FOR_GOOD
    beliefs = [
        item for subject in sorted(subjects) for item in _concerned(current, subject, sentences, lasting)
    ]
    beliefs += [item for item in current.latest() if item.subject not in subjects]
    return [
        item
        for item in beliefs
        if item.recorded < frame.occurred_at and (item.predicate not in lasting or is_undone(item))
    ]


_UNDONE: Final = re.compile(r"(?:booked|reserved|joined|signed up|enrolled|subscribed)\b")


def is_undone(belief: CurrentFact) -> bool:
    """Whether a deed can be taken back: what was booked is cancelled, what was joined is left."""
    if belief.predicate in ("booked", "reserved"):
        return True
    return belief.predicate == "did" and _UNDONE.match(str(belief.value)) is not None


_BY_THEMSELVES: Final = frozenset(_SMALL_HEADS) | {
    f"{day}day{plural}"
    for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
    for plural in ("", "s")
}
"""In a value, words by which a sentence may end it that has none of its words."""


def _concerned(
    current: CurrentFacts, subject: str, sentences: Sequence[DoubtSentence], lasting: Collection[str]
) -> list[CurrentFact]:
    """Of what is held of a subject, what one of the sentences may end: all for which `_is_over` is true."""
    if subject[:1].isupper() and any(sentence.is_of_death for sentence in sentences):
        return current.held(subject)
    words = frozenset[str]().union(*(sentence.words for sentence in sentences))
    whatever_value = [
        predicate
        for predicate in current.predicates(subject)
        if predicate not in lasting
        and (
            predicate in _ROLES
            or predicate in _KNOWN_AS
            or predicate.startswith("lives")
            or (words_of(predicate) <= words and not _is_verb(predicate))
        )
    ]
    return current.sharing(subject, words | _BY_THEMSELVES, or_of=whatever_value)


def _is_over(
    sentence: DoubtSentence,
    belief: CurrentFact,
    stated: Sequence[FoundFact],
    spoken: frozenset[str],
    *,
    closely: bool,
) -> bool:
    """`closely`: only where the words right beside the name say so. `spoken`: the words of the whole text."""
    may_name = _may_name(sentence, belief)
    if not may_name and not sentence.tells_more and belief.predicate not in _ROLES:
        return False
    named = False
    for span, by_name in _mentions(sentence, belief) if may_name else ():
        named = True
        may_go = by_name and (belief.predicate in _MAY_GO or _is_own_wording(belief))
        if may_go and said_to_be_gone(sentence.tokens, *span):  # "Farid left in May"
            return belief.predicate not in _PETS or sentence.is_of_death
        over = said_to_be_over(sentence.tokens, *span)
        if over is not None and (has_outlasted(belief, over) or _is_until_later(belief, over)):
            continue
        if over is not None and (over.actor == "" or _is_theirs(belief, over, spoken)):
            return True
    if closely:
        return False
    if belief.predicate in _ROLES and not named and _has_another(sentence, belief):
        return True
    if not _is_own_wording(belief):
        return False
    if sentence.changed and _names(sentence.words, belief):
        return belief.subject != USER or _SPEAKER_CHANGED.search(sentence.text) is not None
    if belief.subject[:1].isupper() and sentence.is_of_death:
        where = sentence.span_of(words_of(belief.subject))  # whatever "Comet" needed, he needs no longer
        return where is not None and said_to_be_gone(sentence.tokens, *where)
    if belief.predicate.startswith("lives") and sentence.is_of_leaving:
        return any(fact.subject == belief.subject for fact in stated)
    return (sentence.changed or sentence.anew) and _takes_its_place(sentence.words, belief, stated)


_SPEAKER_CHANGED: Final = re.compile(
    rf"(?:^\W*|\b(?:i|we|i've|we've|i'm|my|our|me|us)\b(?:\W+[\w']+){{0,3}}?\W+)(?:{CHANGED.pattern})",
    re.IGNORECASE,
)
"""The speaker is who changed it, and nobody else's doings are told."""
_SAME_ROLE: Final = (
    frozenset({"landlord", "landlady"}),
    frozenset({"boss", "manager", "supervisor"}),
    frozenset({"flatmate", "roommate", "housemate"}),
    frozenset({"doctor", "gp"}),
)
_MY_ROLE: Final = re.compile(r"\b(?:my|our) (?:new )?([a-z]+)\b")


def _has_another(sentence: DoubtSentence, belief: CurrentFact) -> bool:
    """ "She's our landlady now": somebody who is not named is what the one before was."""
    if belief.subject != USER or not (sentence.anew or "new" in sentence.text.split()):
        return False
    same = next((roles for roles in _SAME_ROLE if belief.predicate in roles), frozenset({belief.predicate}))
    named = {match[1] for match in _MY_ROLE.finditer(sentence.text.lower())}
    only_one = belief.cardinality == "one"
    return only_one and not same.isdisjoint(named)


def _may_name(sentence: DoubtSentence, belief: CurrentFact) -> bool:
    """Whether a sentence has a word of what the fact is about, or may name it without one."""
    words = _words_in(belief)
    return not words.every.isdisjoint(sentence.words) or words.small_head or belief.predicate in _KNOWN_AS


def _mentions(sentence: DoubtSentence, belief: CurrentFact) -> Iterator[tuple[Place, bool]]:
    """Where the sentence names what the fact is about, and whether by its name."""
    words = _words_in(belief)
    span = sentence.span_of(words.named)
    if span is not None:
        after = sentence.extended(span[1], words.every)
        following = (
            words_of(sentence.tokens[after].text) if after < len(sentence.tokens) else frozenset[str]()
        )
        if following.isdisjoint(_HOUSES):  # "Elmfield College" is not Elmfield Primary
            yield (span[0], after), bool(words.names)
    head, tail = _HEAD.match(str(belief.value)), _TAIL.search(str(belief.value))
    heads = [] if head is None else [head["head"]]
    heads += [] if tail is None else [tail["noun"]]
    heads += [_KNOWN_AS[belief.predicate]] if belief.predicate in _KNOWN_AS else []
    dosed = _DOSED.match(str(belief.value))
    span = None if dosed is None else sentence.span_of(words_of(dosed["what"]))
    if span is not None:
        yield span, False
    for noun in heads:
        span = sentence.head(noun)
        if span is not None:
            yield span, False
    span = sentence.head("wedding") if belief.predicate == "engaged_to" else None
    if span is not None and span[0]:
        before = " ".join(token.low for token in sentence.tokens[: span[0]])
        if _OUR_OWN.search(before) is not None:
            yield span, False  # "we called off the wedding"; the sister's is another


_OUR_OWN: Final = re.compile(
    r"\b(?:our|my)$|\b(?:we|i)(?: (?:'ve|have|both|just|finally|then|had|called|broke|broken|off))+ the$"
)
_FAREWELL: Final = re.compile(FAREWELL)


def _is_until_later(belief: CurrentFact, over: Ending) -> bool:
    """Whether somebody only says goodbye to a person or a pet."""
    ties = belief.predicate in RELATIONS or belief.predicate in _PETS
    return ties and _FAREWELL.match(over.how) is not None


_TURNED: Final = re.compile(
    r"\b(?:back (?:on|to|at|with|in|\w+ing)|switched|swapped|changed|gone|now|nowadays|these days|"
    r"from (?:now|here) on|instead)\b",
    re.IGNORECASE,
)


def _is_given_up(
    sentence: DoubtSentence, belief: CurrentFact, stated: Sequence[FoundFact], text: str
) -> bool:
    """ "It kept crashing, I'm on Vivaldi now": left for what is told of beside why it was left."""
    if belief.subject != USER or _TURNED.search(text) is None:
        return False
    words = _words_in(belief)
    sorts = kinds_of(belief.predicate, str(belief.value))
    about = words.every | words_of(belief.predicate.replace("_", " "))
    instead = any(
        fact.subject == USER
        and fact.predicate not in ("did", "event", "plans")
        and not words.named <= words_of(str(fact.value))
        and (
            _NAMED.search(str(fact.value)) is not None
            or not sorts.isdisjoint(kinds_of(fact.predicate, str(fact.value)))
            or not about.isdisjoint(words_of(f"{fact.predicate.replace('_', ' ')} {fact.value}"))
        )
        for fact in stated
    )
    if not instead:
        return False
    spans = [span for span, _ in _mentions(sentence, belief)]
    with_it = _WITH_IT.search(str(belief.value))
    span = None if with_it is None else sentence.span_of(words_of(with_it["what"]))
    if span is not None:
        spans.append(span)
    return any(said_to_be_tiresome(sentence.tokens, *span) for span in spans)


_WITH_IT: Final = re.compile(r" (?:with|on|in|via|over) (?P<what>[\w' -]+)$")
"""With what something is done, of which somebody has enough: "my tea with honey"."""


_NAMED: Final = re.compile(r"^[A-Z]|(?: |^)[A-Z][\w-]*$")


def _is_theirs(belief: CurrentFact, over: Ending, spoken: frozenset[str]) -> bool:
    """Whether whoever acted could end it: the user their own things, others theirs, anybody a thing's."""
    actor, by_speaker = over.actor, over.by_speaker
    if belief.subject == USER:
        kind = words_of(belief.predicate.replace("_", " "))
        return by_speaker or (bool(kind) and kind == words_of(actor))  # "book club finished The Salt Ledger"
    if belief.subject.startswith(f"{USER}/"):
        return belief.subject.rpartition("/")[2] in actor.split()
    if by_speaker and belief.predicate in _TOOLS and not {"we", "our", "us"}.isdisjoint(actor.split()):
        return True  # "we ripped RabbitMQ out": of whatever they build
    named = words_of(belief.subject)
    if not belief.subject[:1].isupper() or named & words_of(actor):
        return True
    whom = words_of(over.how)
    # "We took Mira out of Elmfield", or "her", where Mira was spoken of.
    return bool(named & whom) or (not _WHOM.isdisjoint(over.how.split()) and bool(named & spoken))


_WHOM: Final = frozenset({"him", "her", "them"})
_TOOLS: Final = frozenset("uses runs_on hosted_on deployed_on deployed_to built_with built_on is_on".split())


def _is_own_wording(belief: CurrentFact) -> bool:
    return not is_slot(belief.predicate) and belief.predicate not in ("did", "event", "session_id", "title")


_Restated = dict[tuple[str, str], list[FoundFact]]
"""What a text states, by subject and value."""


def _restated(stated: Iterable[FoundFact]) -> _Restated:
    again: _Restated = {}
    for fact in stated:
        again.setdefault((fact.subject.casefold(), str(fact.value).casefold()), []).append(fact)
    return again


def _is_restated(belief: CurrentFact, again: _Restated) -> bool:
    facts = again.get((belief.subject.casefold(), str(belief.value).casefold())) if again else None
    return facts is not None and any(
        not (is_free(fact) and fact.predicate != belief.predicate) for fact in facts
    )


def _doings(stated: Iterable[FoundFact]) -> list[str]:
    """What somebody does, as the subject of an earlier fact: "we deploy on", and "deploys happen on"."""
    return [fact.predicate.partition("_")[0] for fact in stated if "_" in fact.predicate]


_SHIFT: Final = frozenset({"shift"})
_HOUSES: Final = frozenset("primary secondary school academy college university hospital".split())
"""Words of names that are left out once it is known which house is meant."""


class _ValueWords(NamedTuple):
    """The names in a value, all of its words, and those that name it: the names, or else all."""

    names: frozenset[str]
    every: frozenset[str]
    named: frozenset[str]
    small_head: bool
    """It begins with a word that tells nothing apart, and by which it may be named all the same."""


def _words_in(held: CurrentFact) -> _ValueWords:
    value = str(held.value)
    return _words_of_value(_DATED_TAIL.sub("", value) if held.predicate in _EVENTS else value)


@lru_cache(maxsize=4096)
def _words_of_value(value: str) -> _ValueWords:
    spoken = " ".join(
        word
        for word in SPOKEN_WORD.findall(value)
        if word[:1].isupper() or (word[:1].isdigit() and word[1:2].isupper())  # "1Password"
    )
    names, every = words_of(spoken) if spoken else frozenset(), words_of(value)
    if names - _DAYS:
        names -= _DAYS  # who leaves the choir seldom says again on which day it sang
    if every - _SHIFT:
        every -= _SHIFT  # who is on the night shift is on nights
    if names - _HOUSES:
        names -= _HOUSES  # "Elmfield" is what a school is called whose sign says "Elmfield Primary"
    return _ValueWords(names, every, names or every, _SMALL_HEAD.match(value) is not None)


def _names(words: frozenset[str], belief: CurrentFact) -> bool:
    """Whether the sentence names what the fact is about: its names, or every word of its value."""
    named = _words_in(belief).named
    return bool(named) and named <= words


def _takes_its_place(words: frozenset[str], belief: CurrentFact, stated: Sequence[FoundFact]) -> bool:
    """Whether the sentence says something else of the same thing: deploys on Tuesdays, deploys on Fridays."""
    kind = belief.predicate.partition("_")[0]
    if _DAY.search(str(belief.value)) is not None:
        same = words_of(belief.subject) <= words or any(word.startswith(kind.rstrip("s")) for word in words)
        return same and any(_DAY.search(str(fact.value)) is not None for fact in stated)
    if belief.subject != USER or not stated or _is_verb(belief.predicate):
        return False
    alike = [fact.predicate for fact in stated if fact.predicate.startswith(belief.predicate)]
    if alike and all(predicate.startswith(f"{belief.predicate}_") for predicate in alike):
        return False  # when the café closes now is no word on when it opens
    said = words_of(belief.predicate)
    return bool(said) and said <= words  # "is" is no word by which a thing is named


def _is_verb(predicate: str) -> bool:
    return any(form == "third" for _, form in verb_forms().get(predicate.partition("_")[0], ()))
